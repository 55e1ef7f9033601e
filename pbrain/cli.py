"""The command line: `python -m pbrain COMMAND`."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pbrain import __version__, bench
from pbrain.brain.start import run_brain
from pbrain.engine.engine import Engine
from pbrain.engine.memory import max_threads, table_bytes
from pbrain.library.native import LIBRARY_FOLDER, Library, LibraryError, host_target
from pbrain.library.provide import open_library

RULES = "0 freestyle, 1 exactly five, 4 renju, 8 caro, 9 caro with exactly five"
MIN_MATCH_GAMES = 4  # two pairs: fewer have no error bar


# -- what can be typed -------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The parser for every command; `run` is the function that carries out the command that was typed."""
    top = argparse.ArgumentParser(
        prog="pbrain",
        description="Kaname, an engine for five in a row. Without a command, it speaks the Gomocup protocol on "
        "standard input and output. COMMAND --help lists the options of a command.",
    )
    top.add_argument("--version", action="version", version=f"kaname {__version__}", help="print the version and exit")
    library = "the native library to load (default: the one in the package)"
    top.add_argument("--library", type=Path, metavar="FILE", help=library)
    top.set_defaults(run=lambda arguments: run_brain(arguments.library))
    commands = top.add_subparsers(metavar="COMMAND", title="commands")
    for name, summary, add_options, run in COMMANDS:
        command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        add_options(command)
        command.set_defaults(run=run)
    return top


def add_play_options(command: argparse.ArgumentParser) -> None:
    add_game_options(command)
    time_help = "how long the engine thinks about each move: 5s, 500ms, 1m (default: 5s)"
    command.add_argument("--time", default="5s", metavar="T", help=time_help)
    command.add_argument("--white", action="store_true", help="play white, so that the engine moves first")
    save = "save every game as a Piskvork file (default: games are not saved)"
    command.add_argument("--save", metavar="FILE.psq", help=save)


def add_analyse_options(command: argparse.ArgumentParser) -> None:
    position = 'the moves so far, black first, such as h8i9; "" is the empty board'
    command.add_argument("position", nargs="+", help=position)
    add_game_options(command)
    time_help = "stop after this time: 5s, 500ms, 1m (default: 5s, or no limit if --depth or --nodes is given)"
    command.add_argument("--time", metavar="T", help=time_help)
    command.add_argument("--depth", metavar="N", help="stop after this depth (default: no limit)")
    command.add_argument("--nodes", metavar="N", help="stop after this many nodes (default: no limit)")
    command.add_argument("--lines", default="1", metavar="N", help="how many of the best moves to show (default: 1)")
    json_help = "print one JSON object; win_in is the number of plies to a proven win, negative for a loss"
    command.add_argument("--json", action="store_true", help=json_help)


def add_bench_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--board", action="store_true", help="measure make/undo pairs per second instead")


def add_build_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--target", default=host_target(), help="the platform to build for (default: %(default)s)")
    without = "features of the search to leave out, to measure what they are worth (default: none)"
    command.add_argument("--without", metavar="NAME,...", help=without)
    tunable = "let INFO set the search's parameters at run time, for `tournament spsa`"
    command.add_argument("--tunable", action="store_true", help=tunable)
    output = "the folder for the library (default: its place in the package)"
    command.add_argument("--output", type=Path, default=LIBRARY_FOLDER, metavar="FOLDER", help=output)


def add_wheels_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", type=Path, metavar="FOLDER", help="where to put them")


def add_tune_options(command: argparse.ArgumentParser) -> None:
    add_rule_option(command)
    games = "how many games of self-play to learn from (default: %(default)s)"
    command.add_argument("--games", type=int, default=10_000, metavar="N", help=games)
    nodes = "nodes per move, in self-play and in matches (default: %(default)s)"
    command.add_argument("--nodes", type=int, default=3_000, metavar="N", help=nodes)
    seed = "the seed of the random openings and mistakes (default: %(default)s)"
    command.add_argument("--seed", type=int, default=1, metavar="N", help=seed)
    data = "where the positions of self-play are stored, to be used again by the same command"
    command.add_argument("--data", type=Path, required=True, metavar="FOLDER", help=data)
    values = "learn the evaluation, and write it here (default: leave it as it is)"
    command.add_argument("--values", type=Path, metavar="FILE.tsv", help=values)
    order = "learn the order of moves, and write it here (default: leave it as it is)"
    command.add_argument("--order", type=Path, metavar="FILE.tsv", help=order)
    events = "events of `python -m tournament` whose results the evaluation learns from as well (default: none)"
    command.add_argument("--events", type=Path, nargs="+", default=[], metavar="FOLDER", help=events)
    match = "games of the match against the tables in use, and against the hand-made ones; 0 for none "
    command.add_argument("--match", type=int, default=400, metavar="N", help=f"{match}(default: %(default)s)")


def add_game_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--size", default="15", metavar="S", help="the size of the board: 15, 20x15 (default: 15)")
    add_rule_option(command)
    command.add_argument("--threads", default="1", metavar="N", help="how many threads search (default: 1)")


def add_rule_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rule", default="0", metavar="R", help=f"{RULES} (default: 0)")


# -- what it does ------------------------------------------------------------------------------------------------------


def library_for(arguments: argparse.Namespace, notices: TextIO) -> Library:
    """The library that was asked for; if it must be built first, a line says so."""
    return open_library(arguments.library, lambda line: print(line, file=notices, flush=True))


def engine_for(arguments: argparse.Namespace, threads: int) -> Engine:
    """An engine for commands whose standard output holds nothing but their answer."""
    engine = Engine(library_for(arguments, sys.stderr))
    engine.set_threads(threads)
    engine.set_table_bytes(table_bytes(None, None, threads))
    return engine


@contextmanager
def refusing(command: str) -> Iterator[None]:
    """A ValueError ends the command with its text and status 2, as argparse does, but without the usage."""
    try:
        yield
    except ValueError as error:
        print(f"pbrain {command}: error: {error}", file=sys.stderr)
        sys.exit(2)


def run_play(arguments: argparse.Namespace) -> None:
    from pbrain.console import options, play
    from pbrain.console.terminal import standard_console

    with refusing("play"):
        settings = play.parse_settings(arguments.size, arguments.rule, arguments.time, arguments.white, arguments.save)
        threads = options.parse_count(arguments.threads, "a number of threads", max_threads())
    play.run(engine_for(arguments, threads), settings, standard_console())


def run_analyse(arguments: argparse.Namespace) -> None:
    from pbrain.console import analyse, options
    from pbrain.console.terminal import standard_console

    typed = arguments
    with refusing("analyse"):
        question = analyse.parse_question(
            " ".join(typed.position), typed.size, typed.rule, typed.time, typed.depth, typed.nodes, typed.lines
        )
        threads = options.parse_count(typed.threads, "a number of threads", max_threads())
    engine = engine_for(arguments, threads)
    with refusing("analyse"):
        analyse.set_up(engine, question)
    analyse.run(engine, question, standard_console(), arguments.json)


def run_bench(arguments: argparse.Namespace) -> None:
    library = library_for(arguments, sys.stdout)
    if arguments.board:
        speed = bench.board_speed(library)
        print(f"pairs      {speed.pairs}")
        print(f"pairs/s    {speed.mean:,.0f} (best slices {speed.best:,.0f})")
        return
    result = bench.run(library)
    print(f"nodes      {result.nodes}")
    print(f"nodes/s    {result.nodes_per_second:,.0f}")
    print(f"signature  {result.signature}")


def run_build(arguments: argparse.Namespace) -> None:
    with refusing("build"), from_the_package():
        from pbrain.library import build

    print_files(build.build(arguments.target, arguments.without, arguments.output, arguments.tunable))


def run_wheels(arguments: argparse.Namespace) -> None:
    with refusing("wheels"), from_the_package():
        from pbrain.library import wheels

    print_files(wheels.build_wheels(arguments.folder))


def print_files(paths: Iterator[Path]) -> None:
    """Each file as it is ready, with its size and the time until then."""
    begun = time.perf_counter()
    for path in paths:
        print(f"{path}  {path.stat().st_size:,} bytes  {time.perf_counter() - begun:.1f} s", flush=True)


def run_tune(arguments: argparse.Namespace) -> None:
    from pbrain.console import options

    typed = arguments
    with refusing("tune"):
        check_tune_options(typed)
        rule = options.parse_rule(typed.rule)
        with from_the_package():
            from pbrain.learn import played, tune
        games = played.read_games(typed.events, rule)
    settings = tune.Settings(
        rule, typed.games, typed.nodes, typed.seed, typed.data, games, typed.values, typed.order, typed.match
    )
    tune.run(library_for(arguments, sys.stdout), settings, lambda line: print(line, flush=True))


def check_tune_options(typed: argparse.Namespace) -> None:
    """ValueError with a sentence unless the numbers make sense and the tables can be written."""
    if min(typed.games, typed.nodes) < 1:
        raise ValueError("--games and --nodes must be at least 1")
    if typed.match != 0 and typed.match < MIN_MATCH_GAMES:
        raise ValueError(f"--match must be 0, or at least {MIN_MATCH_GAMES} to have an error bar")
    outputs = [path for path in (typed.values, typed.order) if path is not None]
    if not outputs:
        raise ValueError("what is to be learned? --values FILE.tsv, --order FILE.tsv, or both")
    for path in outputs:
        if not path.parent.is_dir():
            raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")


@contextmanager
def from_the_package() -> Iterator[None]:
    """ValueError with a sentence where a module is missing: numpy, or what the executable leaves out."""
    try:
        yield
    except ImportError as error:
        if str(error.name).startswith("pbrain"):
            raise ValueError("this executable cannot do that; install the Python package") from error
        if isinstance(error, ModuleNotFoundError):
            raise ValueError(f"{error.name} is not installed; pip install {error.name} brings it") from error
        raise


# Name, summary, what adds its options, what runs it.
COMMANDS: tuple[
    tuple[str, str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], None]], ...
] = (
    ("play", "play against the engine in the terminal", add_play_options, run_play),
    ("analyse", "show the best moves of a position and the lines that follow", add_analyse_options, run_analyse),
    ("bench", "search fixed positions: nodes, speed, and a signature of the results", add_bench_options, run_bench),
    ("build", "compile the kernel into the native library", add_build_options, run_build),
    ("wheels", "build a wheel for each system, from a source checkout", add_wheels_options, run_wheels),
    ("tune", "learn the evaluation and the order of moves from self-play (needs numpy)", add_tune_options, run_tune),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status is returned."""
    arguments = parser().parse_args(argv)
    try:
        arguments.run(arguments)
    except LibraryError as error:
        print(f"pbrain: error: {error}", file=sys.stderr)
        return 1
    return 0
