"""`python -m tournament openings`: the options, and the book that they ask for."""

import argparse
import re
from pathlib import Path
from typing import TextIO

from tournament.book.candidates import NoRoomError, candidate
from tournament.book.files import book_text
from tournament.book.maker import BookRequest, Maker, Progress
from tournament.book.trials import Demands
from tournament.event.arguments import add_board_options, add_brain_options, brain_from
from tournament.event.config import ConfigError, parse_board
from tournament.event.crew import Crew
from tournament.event.journal import Journal
from tournament.event.signals import Signals
from tournament.event.store import write_whole
from tournament.views.progress import Pace, ProgressLine
from tournament.views.schedule import duration_text


def add_options(command: argparse.ArgumentParser) -> None:
    add_brain_options(command)
    add_board_options(command)
    command.add_argument(
        "--out", type=Path, required=True, help="a folder for the book and all that is needed to resume"
    )
    command.add_argument("--count", type=int, default=500, help="how many balanced openings to find (default: 500)")
    command.add_argument("--stones", default="3-7", help="stones of an opening: 5 or 3-7 (default: 3-7)")
    command.add_argument(
        "--max-score",
        type=float,
        default=300,
        help="score that counts as balanced, in the brain's units (default: 300)",
    )
    command.add_argument("--games", type=int, default=10, help="games that confirm each opening (default: 10)")
    command.add_argument(
        "--judging", type=float, default=10, help="how many times the limit of a move the score may take (default: 10)"
    )
    command.add_argument("--seed", type=int, default=1, help="random seed of the candidates (default: 1)")


def parse_stones(text: str) -> tuple[int, int]:
    """`5` or `3-7` → least and most."""
    found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text, re.ASCII)
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= least <= most:
        raise ConfigError(f"--stones must be a number or a range such as 3-7, not {text}")
    return least, most


def request_of(arguments: argparse.Namespace) -> BookRequest:
    """The book that the options ask for; ConfigError with the reason if there can be none."""
    for name, least in (("count", 1), ("games", 2), ("judging", 0.1), ("max_score", 0)):
        if getattr(arguments, name) < least:
            option = "--" + name.replace("_", "-")
            raise ConfigError(f"{option} must be at least {least}, not {getattr(arguments, name)}")
    request = BookRequest(
        spec=brain_from(arguments),
        board=parse_board(arguments.size, arguments.rule),
        demands=Demands(arguments.max_score, arguments.games),
        count=arguments.count,
        stones=parse_stones(arguments.stones),
        judging=arguments.judging,
        seed=arguments.seed,
    )
    try:
        candidate(request.board, request.seed, 1, request.stones)
    except NoRoomError as error:
        raise ConfigError(str(error)) from error
    return request


def make_book(request: BookRequest, folder: Path, concurrency: int, sink: TextIO) -> int:
    """Make the book, or resume it; how many openings are still missing."""
    line = ProgressLine(sink)
    progress = ProgressOfRun(line)
    crew = Crew(concurrency)
    maker = Maker(request, Journal(folder), crew, progress.show)
    try:
        with Signals(crew, line.say):
            openings = maker.make()
    finally:
        line.close()
    path = folder / "openings.txt"
    write_whole(path, book_text(openings, request.board))
    line.say(f"{len(openings)} balanced openings in {path}")
    return request.count - len(openings)


class ProgressOfRun:
    """How far the book is, and how long the rest takes at the speed of this run."""

    def __init__(self, line: ProgressLine) -> None:
        self._line, self._pace = line, Pace()

    def show(self, progress: Progress) -> None:
        pace = self._pace.per_second(progress.passed)
        text = f"{progress.passed} of {progress.wanted} openings, {progress.examined} candidates examined"
        if pace > 0:
            text += f", about {duration_text((progress.wanted - progress.passed) / pace)} left"
        self._line.show(text)
