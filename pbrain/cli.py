"""The command line: `python -m pbrain COMMAND`."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pbrain import __version__, bench
from pbrain.brain.start import run_brain
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import knowledge_in
from pbrain.engine.memory import max_threads, table_bytes
from pbrain.library.native import LIBRARY_FOLDER, Library, LibraryError, host_target
from pbrain.library.provide import open_library

if TYPE_CHECKING:
    from pbrain.learn.workers import Workers

RULES = "0 freestyle, 1 exactly five, 4 renju, 8 caro, 9 caro with exactly five"
MAX_PUZZLES = 10**6
INTERRUPTED = 130  # the exit status of a command that Ctrl-C ended


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
    values = "a folder with what `learn` has learned, to play with (default: what ships)"
    top.add_argument("--values", type=Path, metavar="FOLDER", help=values)
    top.set_defaults(run=lambda arguments: run_brain(arguments.library, arguments.values))
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


def add_web_options(command: argparse.ArgumentParser) -> None:
    output = "the file to write (default: %(default)s)"
    command.add_argument("--output", type=Path, default=Path("kaname.html"), metavar="FILE", help=output)
    serve = "serve the page on 127.0.0.1 instead, for browsers that refuse workers from files; several then search"
    command.add_argument("--serve", action="store_true", help=serve)
    port = "the port for --serve (default: one that is free)"
    command.add_argument("--port", type=int, metavar="N", help=port)
    command.add_argument("--no-browser", action="store_true", help="do not open the page in the browser")


def add_wheels_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", type=Path, metavar="FOLDER", help="where to put them")


def add_learn_options(command: argparse.ArgumentParser) -> None:
    folder = "where everything is stored; the same command resumes what was interrupted, more --generations extend it"
    command.add_argument("folder", type=Path, metavar="FOLDER", help=folder)
    add_rule_option(command)
    generations = "how often to play, train and match (default: 3)"
    command.add_argument("--generations", metavar="N", help=generations)
    command.add_argument("--games", metavar="N", help="games of self-play per generation (default: 10000)")
    nodes = "nodes per move, of each generation; the last number holds for all that follow (default: 3000,3000,10000)"
    command.add_argument("--nodes", metavar="N[,N…]", help=nodes)
    command.add_argument("--epochs", metavar="N", help="how often each position is learned from (default: 8)")
    match = "games of each match, against the previous best and against the start; 0 for none (default: 400)"
    command.add_argument("--match", metavar="N", help=match)
    start = "what the first games are played with: nothing, the table made by hand, or what ships (default: shipped)"
    command.add_argument("--from", dest="start", choices=("zero", "hand", "shipped"), help=start)
    events = "events of `python -m tournament` whose results are learned from as well (default: none)"
    command.add_argument("--events", type=Path, nargs="+", default=[], metavar="FOLDER", help=events)
    quick = "a small run from nothing: other defaults for all of these, some minutes on two cores"
    command.add_argument("--quick", action="store_true", help=quick)
    seed = "the seed of openings, mistakes and training (default: %(default)s)"
    command.add_argument("--seed", type=int, default=1, metavar="N", help=seed)
    processes = "how many processes play (default: one per core)"
    command.add_argument("--processes", metavar="N", help=processes)
    workers = "play on the workers of this dask.distributed scheduler (default: on this machine)"
    command.add_argument("--workers", metavar="dask://HOST:PORT", help=workers)


def add_puzzles_options(command: argparse.ArgumentParser) -> None:
    folders = "folders of `python -m pbrain learn`, whose games the puzzles are taken from"
    command.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help=folders)
    count = "at most how many from each folder (default: %(default)s)"
    command.add_argument("--count", default="30", metavar="N", help=count)
    command.add_argument("--output", type=Path, required=True, metavar="FILE.tsv", help="the file of puzzles to write")


def add_study_options(command: argparse.ArgumentParser) -> None:
    folder = "where everything is stored; the same command resumes what was interrupted (default: %(default)s)"
    command.add_argument("folder", type=Path, nargs="?", default=Path("study"), metavar="FOLDER", help=folder)
    quick = "few positions and short games: about a minute (default: everything, and a build without each feature)"
    command.add_argument("--quick", action="store_true", help=quick)
    seed = "the seed of openings and positions (default: %(default)s)"
    command.add_argument("--seed", type=int, default=1, metavar="N", help=seed)


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
    library = library_for(arguments, sys.stderr)
    with refusing("--values"):
        engine = Engine(library) if arguments.values is None else Engine(library, knowledge_in(arguments.values))
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


def run_web(arguments: argparse.Namespace) -> None:
    with refusing("web"), from_the_package():
        from pbrain.web.module import module_path
        from pbrain.web.page import bench_data, page
        from pbrain.web.serve import PageServer, open_in_browser
    fixed = bench_data(bench.POSITIONS, bench.DEPTH, bench.TABLE_BYTES)
    signature = bench.run(library_for(arguments, sys.stdout)).signature
    text = page(module_path(lambda line: print(line, flush=True)), fixed, signature)
    with refusing("web"):
        if not arguments.serve:
            print(f"{write_text(arguments.output, text)}  {len(text.encode()):,} bytes")
            address = arguments.output.resolve().as_uri()
        else:
            server = PageServer(text, arguments.port or 0)
            address = server.address
            print(f"the page is at {address} until Ctrl-C", flush=True)
    if not arguments.no_browser:
        open_in_browser(address)
    if arguments.serve:
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def write_text(path: Path, text: str) -> Path:
    """Write a file; ValueError with a sentence if that fails."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from error
    return path


def run_wheels(arguments: argparse.Namespace) -> None:
    with refusing("wheels"), from_the_package():
        from pbrain.library import wheels

    print_files(wheels.build_wheels(arguments.folder))


def print_files(paths: Iterator[Path]) -> None:
    """Each file as it is ready, with its size and the time until then."""
    begun = time.perf_counter()
    for path in paths:
        print(f"{path}  {path.stat().st_size:,} bytes  {time.perf_counter() - begun:.1f} s", flush=True)


def run_learn(arguments: argparse.Namespace) -> None:
    from pbrain.console.progress import ProgressLine

    with refusing("learn"):
        with from_the_package():
            from pbrain.learn import command
        plan = command.parse_plan(arguments)
        workers_for = parse_workers(arguments)
    library = library_for(arguments, sys.stdout)
    line, folder = ProgressLine(sys.stdout), arguments.folder
    with refusing("learn"), closing(line):
        try:
            command.run(folder, plan, library, workers_for(library), line)
        except KeyboardInterrupt:
            line.say(f"interrupted: what was done is in {folder}, and the same command goes on with it")
            sys.exit(INTERRUPTED)
        except OSError as error:
            raise ValueError(f"{error.filename or folder} cannot be used: {error.strerror}") from error


def parse_workers(typed: argparse.Namespace) -> "Callable[[Library], Workers]":
    """Who plays, once the library is known: processes of this machine, or workers of a cluster."""
    from pbrain.console import options

    if typed.workers is not None:
        if typed.processes is not None:
            raise ValueError("--processes play on this machine, --workers on others: choose one of them")
        with from_the_package():
            from pbrain.learn import cluster
        address = cluster.address_of(typed.workers)
        return lambda _: cluster.cluster_workers(address)
    with from_the_package():
        from pbrain.learn import workers
    processes = max_threads()
    if typed.processes is not None:
        processes = options.parse_count(typed.processes, "a number of processes", max_threads())
    return lambda library: workers.local_workers(processes, library.path)


def run_puzzles(arguments: argparse.Namespace) -> None:
    from pbrain.console import options
    from pbrain.console.progress import ProgressLine

    with refusing("puzzles"):
        count = options.parse_count(arguments.count, "a number of puzzles", MAX_PUZZLES)
        with from_the_package():
            from pbrain.learn import puzzles
    engine = Engine(library_for(arguments, sys.stdout))
    engine.set_table_bytes(bench.TABLE_BYTES)
    found: list[puzzles.Puzzle] = []
    with closing(ProgressLine(sys.stdout)) as line:
        for folder in arguments.folders:
            found += puzzles.make_puzzles(engine, folder, count, line.show)
    with refusing("puzzles"):
        write_text(arguments.output, puzzles.text_of(found))


def run_study(arguments: argparse.Namespace) -> None:
    from pbrain.console.progress import ProgressLine, bar_text

    typed = arguments
    with refusing("study"), from_the_package():
        from pbrain.study import command, plan
    library = library_for(arguments, sys.stdout)
    line = ProgressLine(sys.stdout)
    with refusing("study"), closing(line):
        try:
            chosen = plan.QUICK if typed.quick else plan.FULL
            signature = bench.run(library).signature
            table = command.run(
                typed.folder, chosen, typed.seed, library, signature, lambda progress: line.show(bar_text(*progress))
            )
        except KeyboardInterrupt:
            line.say(f"interrupted: what was measured is in {typed.folder}, and the same command goes on with it")
            sys.exit(INTERRUPTED)
        except OSError as error:
            raise ValueError(f"{error.filename or typed.folder} cannot be used: {error.strerror}") from error
        line.say(f"{table}\n\n{typed.folder / command.PAGE_FILE} has the figures, the CSV files beside it the numbers")


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
    ("web", "write the page on which people play in a browser, and open it", add_web_options, run_web),
    ("wheels", "build a wheel for each system, from a source checkout", add_wheels_options, run_wheels),
    ("learn", "learn the evaluation and the order of moves from self-play (needs numpy)", add_learn_options, run_learn),
    ("study", "repeat the measurements of the documents behind the three brains", add_study_options, run_study),
    ("puzzles", "make puzzles for the page from games of self-play (needs numpy)", add_puzzles_options, run_puzzles),
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
