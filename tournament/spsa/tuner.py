"""Tunes: iterations by number, several at a time, until all have been played."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tournament.core.failures import RunnerError
from tournament.core.model import Board, BrainSpec, Opening
from tournament.event.crew import Crew
from tournament.event.journal import Journal
from tournament.spsa.course import Course
from tournament.spsa.gains import Iteration, Schedule, drawn
from tournament.spsa.parameters import Parameter
from tournament.spsa.player import FaultyPairError, Player, points_of

MAX_FAULTS = 2  # of one pair: what happens twice is no accident of the machine


@dataclass(frozen=True)
class TuningRequest:
    """What is to be tuned, and how."""

    spec: BrainSpec
    board: Board
    parameters: tuple[Parameter, ...]
    schedule: Schedule
    openings: str | None  # a file, or None for the built-in set
    openings_digest: str
    seed: int


class Tuner:
    """Takes numbers in order. An iteration starts from all results that are there when it begins.

    So the result depends on timing only if several are played at a time; what each of them tried is in the journal.
    """

    def __init__(
        self,
        request: TuningRequest,
        openings: Sequence[Opening],  # one for each iteration
        journal: Journal,
        crew: Crew,
        tell: Callable[[Course], None],
        warn: Callable[[str], None],
    ) -> None:
        self._request, self._openings, self._journal, self._crew = request, openings, journal, crew
        self._tell, self._warn = tell, warn
        self._lock = threading.Lock()
        self._number = 0  # the last one taken
        self._course = Course(request.parameters, request.schedule)

    def tune(self) -> Course:
        """The course so far: whole, unless it was told to finish before. RunnerError if work cannot go on."""
        with self._journal.opened(asdict(self._request)) as lines:
            for line in lines:
                self._course.add(iteration_of(line))
            self._tell(self._course)
            if len(self._course) < self._request.schedule.iterations:
                self._crew.run(self._work)
        return self._course

    def _work(self) -> None:
        request, crew = self._request, self._crew
        names = tuple(each.name for each in request.parameters)
        player = Player(request.spec, names, request.board, crew.is_abandoned)
        with crew.held.holding(player.drivers):
            while (iteration := self._next()) is not None:
                self._keep(self._played(player, iteration))
            for driver in player.drivers:
                driver.close()

    def _next(self) -> Iteration | None:
        """The next iteration that has not been played; None if there is none, or no more is wanted."""
        request = self._request
        with self._lock:
            while self._number < request.schedule.iterations and not self._crew.is_finishing.is_set():
                self._number += 1
                if self._number not in self._course:
                    opening = self._openings[self._number - 1].name
                    values = self._course.latest
                    return drawn(request.parameters, values, request.schedule, self._number, opening, request.seed)
        return None

    def _played(self, player: Player, iteration: Iteration) -> Iteration:
        """The iteration with its result. A pair with a fault tells nothing of strength: it is played again, once.

        Counting it would steer the values away from what crashes, or from what was slow while the machine was busy.
        """
        opening = self._openings[iteration.number - 1]
        while True:
            try:
                pair = player.play((iteration.first, iteration.second), opening)
                return replace(iteration, points=points_of(pair))
            except FaultyPairError as fault:
                iteration = replace(iteration, faults=(*iteration.faults, str(fault)))
                sentence = f"pair {iteration.number}: {fault}"
                if len(iteration.faults) == MAX_FAULTS:
                    raise RunnerError(f"{sentence}; it was the second try\n{fault.dialogue}") from fault
                self._warn(f"{sentence}; the pair is played again")

    def _keep(self, iteration: Iteration) -> None:
        with self._lock:
            self._journal.append(asdict(iteration))
            self._course.add(iteration)
            self._tell(self._course)


def iteration_of(line: dict[str, Any]) -> Iteration:
    """An iteration as the journal has it."""
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in line.items()}
    return Iteration(**values)
