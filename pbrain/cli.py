"""The command line: `python -m pbrain COMMAND`."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pbrain import __version__, bench
from pbrain.brain.start import run_brain
from pbrain.engine.engine import Engine
from pbrain.library.native import LIBRARY_FOLDER, Library, LibraryError, host_target
from pbrain.library.provide import open_library

RULES = "0 freestyle, 1 exactly five, 4 renju, 8 caro, 9 caro with exactly five (default: 0)"


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="pbrain",
        description="Kaname, a brain for five in a row: without a command, it speaks the Gomocup protocol.",
    )
    top.add_argument("--version", action="version", version=f"kaname {__version__}")
    top.add_argument("--library", type=Path, metavar="FILE", help="load this native library instead of the usual one")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    benching = commands.add_parser("bench", help="fixed work: nodes, speed and a signature of the kernel's behaviour")
    benching.add_argument("--board", action="store_true", help="make/undo pairs a second instead")

    building = commands.add_parser("build", help="compile the kernel into the native library")
    building.add_argument("--target", default=host_target(), help="the platform to build for (default: this machine)")
    building.add_argument("--without", metavar="NAME,...", help="leave features out, for measuring their worth")
    building.add_argument("--output", type=Path, metavar="FOLDER", help="where to put it (default: the package)")

    packing = commands.add_parser("wheels", help="build a wheel for each system, from a source checkout")
    packing.add_argument("folder", type=Path, metavar="FOLDER", help="where to put them")

    tuning = commands.add_parser("tune", help="learn the evaluation from self-play")
    tuning.add_argument("--rule", default="0", metavar="R", help=RULES)
    tuning.add_argument("--games", type=int, default=10_000, metavar="N", help="to learn from (default: 10000)")
    tuning.add_argument("--nodes", type=int, default=3_000, metavar="N", help="for each move (default: 3000)")
    tuning.add_argument("--seed", type=int, default=1, metavar="N", help="which games they are (default: 1)")
    tuning.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="where positions are kept")
    tuning.add_argument("--output", type=Path, required=True, metavar="FILE.tsv", help="the table to write")
    events = "matches of `tournament` between versions of this engine, to learn from their results as well"
    tuning.add_argument("--events", type=Path, nargs="+", default=[], metavar="FOLDER", help=events)
    tuning.add_argument("--match", type=int, default=400, metavar="N", help="games against the table in use (400)")

    playing = commands.add_parser("play", help="play against the engine in the terminal")
    add_game_options(playing)
    playing.add_argument("--time", default="5s", metavar="T", help="for each of its moves: 5s, 500ms, 1m (default: 5s)")
    playing.add_argument("--white", action="store_true", help="you are white, and the engine moves first")
    playing.add_argument("--save", metavar="FILE.psq", help="keep each game in a Piskvork file")

    analysing = commands.add_parser("analyse", help="the best lines of a position")
    analysing.add_argument("position", nargs="+", help='the moves so far, such as h8i9; "" is the empty board')
    add_game_options(analysing)
    analysing.add_argument("--time", metavar="T", help="5s, 500ms, 1m (default: 5s if nothing else limits it)")
    analysing.add_argument("--depth", metavar="N", help="end after this iteration")
    analysing.add_argument("--nodes", metavar="N", help="end after as many nodes")
    analysing.add_argument("--lines", default="1", metavar="N", help="how many moves to compare (default: 1)")
    analysing.add_argument("--json", action="store_true", help="one JSON object; win_in is in plies, negative if lost")
    return top


def add_game_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--size", default="15", metavar="S", help="the board, 15 or 20x15 (default: 15)")
    command.add_argument("--rule", default="0", metavar="R", help=RULES)


def library_for(arguments: argparse.Namespace) -> Library:
    return open_library(arguments.library, lambda line: print(line, flush=True))


def run_bench(arguments: argparse.Namespace) -> None:
    library = library_for(arguments)
    if arguments.board:
        speed = bench.board_speed(library)
        print(f"pairs      {speed.pairs}")
        print(f"pairs/s    {speed.mean:,.0f} (best slices {speed.best:,.0f})")
        return
    result = bench.run(library)
    print(f"nodes      {result.nodes}")
    print(f"nodes/s    {result.nodes_a_second:,.0f}")
    print(f"signature  {result.signature}")


def run_build(arguments: argparse.Namespace) -> None:
    from pbrain.library import build

    print_files(build.build(arguments.target, arguments.without, arguments.output or LIBRARY_FOLDER))


def run_wheels(arguments: argparse.Namespace) -> None:
    from pbrain.library import wheels

    print_files(wheels.build_wheels(arguments.folder))


def print_files(paths: Iterator[Path]) -> None:
    """Each file as it is ready, with its size and the time until then."""
    begun = time.perf_counter()
    for path in paths:
        print(f"{path}  {path.stat().st_size:,} bytes  {time.perf_counter() - begun:.1f} s", flush=True)


def run_tune(arguments: argparse.Namespace) -> None:
    from pbrain.console import options
    from pbrain.learn import played

    typed = arguments
    with refusing("tune"):
        rule = options.parse_rule(typed.rule)
        if min(typed.games, typed.nodes) < 1:
            raise ValueError("games and nodes are numbers from 1 on")
        if typed.match != 0 and typed.match < 4:
            raise ValueError("a match has 4 games or more, in pairs; 0 is none")
        if not typed.output.parent.is_dir():
            raise ValueError(f"there is no folder {typed.output.parent} to write {typed.output.name} to")
        games = played.read_games(typed.events, rule)
        try:
            from pbrain.learn import tune
        except ImportError as error:
            raise ValueError(f"learning needs numpy; pip install '.[learn]' brings it ({error})") from error
    settings = tune.Settings(rule, typed.games, typed.nodes, typed.seed, typed.data, games, typed.output, typed.match)
    tune.run(library_for(arguments), settings, lambda line: print(line, flush=True))


def engine_for(arguments: argparse.Namespace) -> Engine:
    """An engine for commands whose standard output holds nothing but their answer."""
    return Engine(open_library(arguments.library, lambda line: print(line, file=sys.stderr, flush=True)))


@contextmanager
def refusing(command: str) -> Iterator[None]:
    """A ValueError ends the command as argparse does, but without repeating how it is used."""
    try:
        yield
    except ValueError as error:
        print(f"pbrain {command}: error: {error}", file=sys.stderr)
        sys.exit(2)


def run_play(arguments: argparse.Namespace) -> None:
    from pbrain.console import play
    from pbrain.console.terminal import standard_console

    with refusing("play"):
        settings = play.parse_settings(arguments.size, arguments.rule, arguments.time, arguments.white, arguments.save)
    play.run(engine_for(arguments), settings, standard_console())


def run_analyse(arguments: argparse.Namespace) -> None:
    from pbrain.console import analyse
    from pbrain.console.terminal import standard_console

    typed = arguments
    with refusing("analyse"):
        question = analyse.parse_question(
            " ".join(typed.position), typed.size, typed.rule, typed.time, typed.depth, typed.nodes, typed.lines
        )
    engine = engine_for(arguments)
    with refusing("analyse"):
        analyse.set_up(engine, question)
    analyse.run(engine, question, standard_console(), arguments.json)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    try:
        if arguments.command is None:
            run_brain(arguments.library)
        else:
            handlers = {
                "bench": run_bench,
                "build": run_build,
                "wheels": run_wheels,
                "tune": run_tune,
                "play": run_play,
                "analyse": run_analyse,
            }
            handlers[arguments.command](arguments)
    except LibraryError as error:
        print(f"pbrain: {error}", file=sys.stderr)
        return 1
    return 0
