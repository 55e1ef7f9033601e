"""`python -m tournament spsa`: the options, and the tuning that they ask for."""

import argparse
import hashlib
import math
import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TextIO

from tournament.core.failures import RunnerError, reason_of
from tournament.core.model import Board, Opening
from tournament.core.openings import drawn, read_openings, shipped_openings
from tournament.event.arguments import add_board_options, add_brain_options, brain_from
from tournament.event.config import ConfigError, parse_board
from tournament.event.crew import Crew
from tournament.event.journal import Journal
from tournament.event.signals import Signals
from tournament.spsa.course import Course
from tournament.spsa.gains import Schedule
from tournament.spsa.parameters import parse_parameters
from tournament.spsa.preflight import check_effects, remarks_of
from tournament.spsa.report import steps_moved, table, write_files
from tournament.spsa.tuner import Tuner, TuningRequest
from tournament.views.progress import Pace, ProgressLine
from tournament.views.schedule import duration_text

RATE_AT_ONE = 0.25  # 0.008 for 1,000 pairs and 0.0018 for 20,000, where fishtest has 0.002
MAX_RATE = 1.0


def add_options(command: argparse.ArgumentParser) -> None:
    add_brain_options(command)
    command.add_argument(
        "--parameters",
        type=Path,
        required=True,
        metavar="FILE",
        help="a line NAME START LOW HIGH STEP for each parameter, which INFO NAME VALUE sets",
    )
    command.add_argument(
        "--out", type=Path, required=True, help="a folder for the result and all that is needed to resume"
    )
    command.add_argument("--pairs", type=int, default=1000, help="how many pairs of games to play (default: 1000)")
    command.add_argument(
        "--rate",
        type=float,
        help="how many steps a value moves per point at the end (default: 0.25 / sqrt(pairs), so that chance alone "
        "leads equally far, about half a step, however many pairs there are)",
    )
    add_board_options(command)
    command.add_argument("--openings", type=Path, help="a file in Gomocup's offset or pos format (default: built-in)")
    command.add_argument("--seed", type=int, default=1, help="random seed of signs and openings (default: 1)")
    command.add_argument(
        "--fresh",
        action="store_true",
        help="start the brain anew for each game; for one that remembers games after START",
    )


def request_of(arguments: argparse.Namespace) -> tuple[TuningRequest, list[Opening]]:
    """The tuning that the options ask for, and an opening for each pair; ConfigError if there can be none."""
    pairs, rate, path = arguments.pairs, arguments.rate, arguments.parameters
    for name, least in (("pairs", 1), ("seed", 0)):
        if getattr(arguments, name) < least:
            raise ConfigError(f"--{name} must be at least {least}, not {getattr(arguments, name)}")
    if rate is None:
        rate = RATE_AT_ONE / math.sqrt(pairs)
    if not 0 < rate <= MAX_RATE:
        raise ConfigError(f"--rate must be more than 0 and at most {MAX_RATE:g}, not {rate:g}")
    try:
        parameters = parse_parameters(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a text file: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {reason_of(error)}") from error
    board = parse_board(arguments.size, arguments.rule)
    openings = openings_for(arguments.openings, board)
    request = TuningRequest(
        spec=brain_from(arguments, keep_alive=not arguments.fresh),
        board=board,
        parameters=parameters,
        schedule=Schedule(pairs, rate),
        openings=None if arguments.openings is None else str(arguments.openings.absolute()),
        openings_digest=digest_of(openings),
        seed=arguments.seed,
    )
    return request, list(islice(drawn(openings, board, arguments.seed), pairs))


def openings_for(path: Path | None, board: Board) -> list[Opening]:
    return shipped_openings(board) if path is None else read_openings(path, board)


def digest_of(openings: Sequence[Opening]) -> str:
    """The same for the same openings, so that a tuning is not resumed with others."""
    return hashlib.sha256(repr([opening.moves for opening in openings]).encode()).hexdigest()


def tune(request: TuningRequest, openings: Sequence[Opening], folder: Path, concurrency: int, sink: TextIO) -> int:
    """Tune, or resume it; how many pairs are still missing."""
    line, journal, crew = ProgressLine(sink), Journal(folder), Crew(concurrency)
    for remark in remarks_of(request.spec, request.board, request.parameters):
        line.say(remark)
    if not journal.has_begun:
        check_effects(request.spec, request.board, request.parameters, openings, line.show)
    tuner = Tuner(request, openings, journal, crew, ProgressOfRun(line).show, line.say)
    try:
        with Signals(crew, line.say):
            course = tuner.tune()
    finally:
        line.close()
    try:
        write_files(request, course, folder)
    except OSError as error:
        raise RunnerError(f"the result cannot be written in {folder}: {reason_of(error)}") from error
    missing = request.schedule.iterations - len(course)
    for text in ending_lines(course, folder, missing):
        line.say(text)
    return missing


def ending_lines(course: Course, folder: Path, missing: int) -> list[str]:
    faults = sum(len(iteration.faults) for iteration in course.played)
    match = ["sprt", str(folder / "confirm.toml"), "--out", str(folder / "confirm")]
    return [
        *table(course).splitlines(),
        *([f"pairs played again after a fault: {faults}; {folder / 'results.jsonl'} tells which"] if faults else []),
        f"final values in {folder / 'parameters.txt'}, a chart of each parameter in {folder / 'plot.html'}",
        *([f"{missing} pairs are missing; the same command goes on"] if missing else []),
        f"only a match tells whether they are better: {shlex.join(['python', '-m', 'tournament', *match])}",
    ]


class ProgressOfRun:
    """How far the tuning is, how long the rest takes at the speed of this run, and which value has moved most."""

    def __init__(self, line: ProgressLine) -> None:
        self._line, self._pace = line, Pace()

    def show(self, course: Course) -> None:
        pace = self._pace.per_second(len(course))
        text = f"{len(course)} of {course.schedule.iterations} pairs"
        if pace > 0:
            left = (course.schedule.iterations - len(course)) / pace
            text += f", {60 * pace:.0f} per minute, {duration_text(left)} left"
        if len(course):
            moved = zip(steps_moved(course), course.parameters, strict=True)
            steps, furthest = max(moved, key=lambda each: abs(each[0]))
            text += f", {course.decided / len(course):.0%} decided, {furthest.name} {steps:+.2f} steps"
        self._line.show(text)
