"""Makes a book: candidates by number, examined several at a time, until enough of them are balanced."""

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass

from tournament.book.candidates import candidate
from tournament.book.examiner import Examiner
from tournament.book.trials import Demands, Trial
from tournament.core.failures import RunnerError
from tournament.core.model import Board, BrainSpec, Opening
from tournament.core.openings import Stones, canonical
from tournament.event.crew import Crew
from tournament.event.journal import Journal

SILENT = 30  # so many openings in a row are never all forced


@dataclass(frozen=True)
class BookRequest:
    """The book that is wanted."""

    spec: BrainSpec
    board: Board
    demands: Demands
    count: int
    stones: tuple[int, int]  # least and most
    judging: float  # how many times the limits of a move the brain has for its score
    seed: int


@dataclass(frozen=True)
class Progress:
    """How far the book is."""

    passed: int
    wanted: int
    examined: int


class Maker:
    """Takes numbers in order, so that the book does not depend on how many are examined at a time."""

    def __init__(self, request: BookRequest, journal: Journal, crew: Crew, tell: Callable[[Progress], None]) -> None:
        self._request, self._journal, self._crew, self._tell = request, journal, crew, tell
        self._lock = threading.Lock()
        self._number = self._passed = 0  # the last number taken, and how many up to it have passed
        self._seen: set[Stones] = set()
        self._trials: dict[int, Trial] = {}

    def make(self) -> list[Opening]:
        """The book so far: whole, unless it was told to finish before. RunnerError if work cannot go on."""
        with self._journal.opened(asdict(self._request), may_change=("count",)) as results:
            for result in results:
                trial = Trial(result["number"], result["score"], tuple(result["points"]))
                self._trials[trial.number] = trial
            self._crew.run(self._work)
        return self.book()

    def book(self) -> list[Opening]:
        request = self._request
        passed = [number for number, trial in sorted(self._trials.items()) if trial.has_passed(request.demands)]
        return [candidate(request.board, request.seed, number, request.stones) for number in passed[: request.count]]

    def _next(self) -> tuple[int, Opening] | None:
        """The next candidate that is new, also up to symmetry; None if there are enough."""
        request = self._request
        with self._lock:
            while not self._crew.is_finishing.is_set() and self._passed < request.count:
                self._number += 1
                opening = candidate(request.board, request.seed, self._number, request.stones)
                stones = canonical(opening, request.board)
                if stones not in self._seen:
                    self._seen.add(stones)
                    if self._number not in self._trials:
                        return self._number, opening
                    self._passed += self._trials[self._number].has_passed(request.demands)
        return None

    def _work(self) -> None:
        request, crew = self._request, self._crew
        examiner = Examiner(request.spec, request.board, request.demands, request.judging, crew.is_abandoned)
        with crew.held.holding(examiner.drivers):
            examined = 0
            while (job := self._next()) is not None:
                trial = examiner.examine(*job)
                examined += 1
                if examined == SILENT and not examiner.has_heard_score:
                    raise RunnerError(f"the brain said no score for {SILENT} openings")
                self._keep(trial)
            for driver in examiner.drivers:
                driver.close()

    def _keep(self, trial: Trial) -> None:
        with self._lock:
            self._journal.append(asdict(trial))
            self._trials[trial.number] = trial
            self._passed += trial.has_passed(self._request.demands)
            self._tell(Progress(self._passed, self._request.count, len(self._trials)))
