"""Makes a book: candidates by number, examined several at a time, until enough of them are balanced."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass

from tournament.book.candidates import candidate, canonical
from tournament.book.examiner import Examiner
from tournament.book.trials import Demands, Trial
from tournament.core.failures import RunnerError, runners_own
from tournament.core.model import Board, BrainSpec, Opening
from tournament.core.openings import Stones
from tournament.event.journal import Journal
from tournament.play.game import Interruption
from tournament.play.held import HeldDrivers

SILENT = 30  # so many openings in a row are never all forced


@dataclass(frozen=True)
class Order:
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

    def __init__(self, order: Order, journal: Journal, concurrency: int, tell: Callable[[Progress], None]) -> None:
        self._order, self._journal, self._concurrency, self._tell = order, journal, concurrency, tell
        self._lock = threading.Lock()
        self._number = 0
        self._seen: set[Stones] = set()
        self._trials: dict[int, Trial] = {}
        self._failures: list[BaseException] = []
        self._held = HeldDrivers()
        self._is_finishing, self._is_abandoned = threading.Event(), threading.Event()

    def make(self) -> list[Opening]:
        """The book so far: whole, unless it was told to finish before. RunnerError if work cannot go on."""
        with self._journal.opened(asdict(self._order), may_change=("count",)) as results:
            for result in results:
                trial = Trial(result["number"], result["score"], tuple(result["points"]))
                self._trials[trial.number] = trial
            threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._concurrency)]
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():  # short waits, so that signals are handled meanwhile
                    thread.join(0.2)
        if self._failures:
            raise self._failures[0]
        return self.book()

    def finish(self) -> None:
        """Examine no more candidates than those that are being examined."""
        self._is_finishing.set()

    def abandon(self) -> None:
        """Stop at once; candidates that are being examined are examined again next time."""
        self._is_finishing.set()
        self._is_abandoned.set()
        self._held.interrupt()

    def book(self) -> list[Opening]:
        order = self._order
        passed = [number for number, trial in sorted(self._trials.items()) if trial.has_passed(order.demands)]
        return [candidate(order.board, order.seed, number, order.stones) for number in passed[: order.count]]

    def _next(self) -> tuple[int, Opening] | None:
        """The next candidate that is new, also up to symmetry; None if there are enough."""
        order = self._order
        with self._lock:
            while not self._is_finishing.is_set() and self._passed() < order.count:
                self._number += 1
                opening = candidate(order.board, order.seed, self._number, order.stones)
                stones = canonical(opening, order.board)
                if stones not in self._seen:
                    self._seen.add(stones)
                    if self._number not in self._trials:
                        return self._number, opening
        return None

    def _passed(self) -> int:
        """Balanced openings among the numbers that were taken so far."""
        demands = self._order.demands
        return sum(trial.has_passed(demands) for number, trial in self._trials.items() if number <= self._number)

    def _work(self) -> None:
        order = self._order
        examiner = Examiner(order.spec, order.board, order.demands, order.judging, self._is_abandoned)
        try:
            with suppress(Interruption), self._held.holding(examiner.drivers):
                examined = 0
                while (job := self._next()) is not None:
                    trial = examiner.examine(*job)
                    examined += 1
                    if examined == SILENT and not examiner.has_heard_score:
                        raise RunnerError(f"the brain said no score for {SILENT} openings")
                    self._keep(trial)
                for driver in examiner.drivers:
                    driver.close()
        except BaseException as error:  # raised again by `make`
            self._failures.append(runners_own(error) if isinstance(error, OSError) else error)
            self.abandon()

    def _keep(self, trial: Trial) -> None:
        with self._lock:
            self._journal.append(asdict(trial))
            self._trials[trial.number] = trial
            self._tell(Progress(self._passed(), self._order.count, len(self._trials)))
