"""The options of the command line."""

import argparse
from pathlib import Path

from tournament import __version__
from tournament.book import command as book_command
from tournament.event.config import ORDERS
from tournament.play.log import Level
from tournament.play.managers import MANAGERS
from tournament.spsa import command as spsa_command
from tournament.stats.sprt import Model

DEFAULT_SPRT_GAMES = 20_000


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="tournament",
        description="Play matches and tournaments between Gomocup brains. Without a command: a small demo round robin.",
    )
    top.add_argument("--version", action="version", version=f"kaname tournament {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    add_run_options(
        commands.add_parser("run", help="play a match, round robin, gauntlet or knock-out; repeat it to resume")
    )
    add_sprt_options(
        commands.add_parser("sprt", help="play until a sequential test accepts one of two Elo differences")
    )
    resuming = commands.add_parser("resume", help="resume an interrupted event")
    add_folder(resuming)
    add_view_options(resuming)
    add_export_options(commands.add_parser("export", help="export the games as psq, SGF or PGN"))
    standing = commands.add_parser("standings", help="print the standings of an event")
    add_folder(standing)
    add_anchor_option(standing)
    reporting = commands.add_parser("report", help="write an event as one HTML page, or serve it on this machine")
    add_report_options(reporting)
    checking = commands.add_parser("check", help="check that a brain follows the protocol as managers need it")
    checking.add_argument("brain", metavar="CMD", help="the command that starts the brain")
    checking.add_argument("--json", action="store_true", help="print one JSON object per step")
    book = commands.add_parser("openings", help="make a book of balanced openings; repeat it to resume")
    book_command.add_options(book)
    add_concurrency_option(book)
    tuning = commands.add_parser("spsa", help="tune the parameters of a brain by its own games; repeat it to resume")
    spsa_command.add_options(tuning)
    add_concurrency_option(tuning)
    return top


def add_folder(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", type=Path, help="the event's folder")


def add_export_options(exporting: argparse.ArgumentParser) -> None:
    add_folder(exporting)
    exporting.add_argument("format", choices=("psq", "sgf", "pgn"))
    exporting.add_argument(
        "--out", type=Path, help="a folder for psq and SGF, a file for PGN (default: inside the event's folder)"
    )


def add_report_options(reporting: argparse.ArgumentParser) -> None:
    add_folder(reporting)
    reporting.add_argument("--out", type=Path, help="the file (default: report.html in the event's folder)")
    add_serve_option(reporting)
    add_anchor_option(reporting)


def add_serve_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--serve",
        type=int,
        nargs="?",
        const=0,
        metavar="PORT",
        help="show the report on 127.0.0.1, updated as games are played (default: any free port)",
    )


def add_run_options(running: argparse.ArgumentParser) -> None:
    running.add_argument(
        "brains", nargs="+", metavar="BRAIN", help="the command that starts a brain; or one .toml file"
    )
    running.add_argument("--games", type=int, help="games per pairing, an even number (default: 2)")
    mode = running.add_mutually_exclusive_group()
    mode.add_argument("--gauntlet", action="store_true", help="the first brain plays each of the others")
    mode.add_argument("--knockout", action="store_true", help="the winners of each round meet in the next")
    mode.add_argument("--heads", type=int, help="a gauntlet in which the first HEADS brains play each of the others")
    add_event_options(running)


def add_sprt_options(testing: argparse.ArgumentParser) -> None:
    testing.add_argument(
        "brains", nargs="+", metavar="BRAIN", help="the command that starts a brain, of two; or one .toml file"
    )
    testing.add_argument("--elo0", type=float, help="Elo difference under H0, no gain (default: 0)")
    testing.add_argument("--elo1", type=float, help="Elo difference under H1, a gain (default: 10)")
    testing.add_argument("--alpha", type=float, help="probability of a false H1 (default: 0.05)")
    testing.add_argument("--beta", type=float, help="probability of a false H0 (default: 0.05)")
    testing.add_argument(
        "--model",
        choices=[model.value for model in Model],
        help="normalised: pairs, normalised Elo; logistic: pairs, Elo; trinomial: games, Elo (default: normalised)",
    )
    testing.add_argument(
        "--games", type=int, help=f"stop undecided after this many games (default: {DEFAULT_SPRT_GAMES})"
    )
    add_event_options(testing)


def add_event_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--turn", help="time per move: 1s, 500ms, none (default: 1s)")
    command.add_argument("--match", help="time per game for each side (default: none)")
    command.add_argument("--increment", help="time added after each move (default: 0)")
    command.add_argument("--memory", help="memory limit: 350M, 1G, none (default: 350M)")
    command.add_argument("--depth", type=int, help="search depth, sent as INFO max_depth")
    command.add_argument("--nodes", type=int, help="nodes per move, sent as INFO max_node")
    command.add_argument("--tolerance", help="grace period for late answers (default: 1s)")
    command.add_argument("--rule", type=int, help="0 freestyle, 1 exactly five, 4 renju, 8 and 9 caro (default: 0)")
    command.add_argument("--size", help="board size: 15 or 20x15 (default: 15)")
    command.add_argument("--openings", help="a file in Gomocup's offset or pos format (default: the built-in ones)")
    command.add_argument("--seed", type=int, help="random seed for the order of the openings (default: 1)")
    command.add_argument(
        "--order", choices=ORDERS, help="play the openings in random order or as in the file (default: random)"
    )
    command.add_argument("--first", type=int, help="begin with this opening of that order (default: 1)")
    command.add_argument("--draw-after", type=int, help="adjudicate a draw after this many moves (default: never)")
    command.add_argument(
        "--resign", metavar="MOVES:SCORE", help="a brain resigns after MOVES moves with a score of -SCORE or worse"
    )
    command.add_argument(
        "--draw", metavar="MOVES:SCORE", help="a draw after MOVES moves of both sides with scores within SCORE of 0"
    )
    command.add_argument(
        "--swap2", action="store_true", default=None, help="let the brains choose opening and colours by Swap2"
    )
    command.add_argument("--pin", action="store_true", default=None, help="pin the brains of each game to one core")
    command.add_argument(
        "--manager", choices=list(MANAGERS), help="drive the brains as GomocupJudge, Piskvork or c-gomoku-cli does"
    )
    command.add_argument("--out", type=Path, help="the event's folder (default: named after the brains)")
    command.add_argument(
        "--dry-run", action="store_true", help="print the schedule, the settings and the duration, play nothing"
    )
    add_view_options(command)


def add_concurrency_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--concurrency", type=int, help="number of games to play at a time (default: half the cores)")


def add_view_options(command: argparse.ArgumentParser) -> None:
    add_concurrency_option(command)
    command.add_argument(
        "--log",
        choices=[level.value for level in Level],
        default=Level.ALL.value,
        help="keep what the brains heard and said in all games, in those with faults, or in none (default: all)",
    )
    command.add_argument("--log-compress", action="store_true", help="compress the logs, as .gz")
    command.add_argument(
        "--workers",
        metavar="ADDRESS",
        help="play on the workers of a dask scheduler, dask://HOST:PORT or dask+tls://HOST:PORT; "
        "at a time as many games as they have threads, or --concurrency (default: on this machine)",
    )
    command.add_argument(
        "--ship", action="store_true", help="send the brains' files to the workers (default: they have the same paths)"
    )
    add_anchor_option(command)
    add_serve_option(command)
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print one JSON event per line")
    shown.add_argument("--plain", action="store_true", help="print plain lines even on a terminal")


def add_anchor_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--anchor", metavar="NAME=ELO", help="print all Elos with this brain's Elo fixed")
