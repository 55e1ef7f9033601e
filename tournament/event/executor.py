"""Plays pairs of games on threads of this machine; an executor for other machines would have the same interface."""

import queue
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Protocol

from tournament.core.adjudication import NEVER, Adjudication
from tournament.core.failures import runners_own, starting_threads
from tournament.core.model import Board, BrainSpec, GamePlan, GameRecord
from tournament.event.store import Store
from tournament.play.cpus import usable_cpus
from tournament.play.driver import Driver
from tournament.play.game import Interruption, Progress, play_game
from tournament.play.managers import OURS, Manager
from tournament.play.pauses import settle, short_pauses

PairJob = tuple[GamePlan, ...]  # the unplayed games of a pair


class Executor(Protocol):
    """Plays several pairs at a time and reports each game as soon as it ends."""

    def run(self, jobs: Iterable[PairJob], finished: Callable[[GameRecord, tuple[Driver, Driver]], None]) -> None:
        """Play all jobs; returns when they are done, or after `finish` or `abandon` has taken effect.

        RunnerError, with all games abandoned, if the runner itself cannot go on.
        """

    def finish(self) -> None:
        """Start no more games; let the running ones finish."""

    def abandon(self) -> None:
        """Stop the running games at once; they are not recorded."""


class LocalExecutor:
    """One thread per concurrent game; both games of a pair run on the same thread with the same brains."""

    def __init__(
        self,
        specs: dict[str, BrainSpec],
        board: Board,
        concurrency: int,
        store: Store,
        started: Callable[[GamePlan], None],
        progress: Progress,
        adjudication: Adjudication = NEVER,
        is_swap2: bool = False,
        is_pinned: bool = False,
        manager: Manager = OURS,
    ) -> None:
        self._specs, self._board, self._concurrency, self._store = specs, board, concurrency, store
        self._started, self._progress, self._adjudication = started, progress, adjudication
        self._is_swap2, self._is_pinned, self._manager = is_swap2, is_pinned, manager
        self._is_finishing, self._is_abandoned = threading.Event(), threading.Event()
        self._drivers: set[Driver] = set()
        self._lock = threading.Lock()
        self._failures: list[BaseException] = []

    def run(self, jobs: Iterable[PairJob], finished: Callable[[GameRecord, tuple[Driver, Driver]], None]) -> None:
        waiting: queue.SimpleQueue[PairJob | None] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        threads = []
        cpus = usable_cpus()
        for i in range(self._concurrency):
            waiting.put(None)
            core = cpus[i % len(cpus)] if self._is_pinned else None
            threads.append(threading.Thread(target=self._work, args=(waiting, finished, core), daemon=True))
        with short_pauses():
            try:
                with starting_threads():
                    for thread in threads:
                        thread.start()
            except OSError as error:
                self._failures.append(runners_own(error))
                self.abandon()
            for thread in threads:
                while thread.is_alive():  # short waits, so that signals are handled while games run
                    thread.join(0.2)
        if self._failures:
            raise self._failures[0]

    def finish(self) -> None:
        self._is_finishing.set()

    def abandon(self) -> None:
        self._is_finishing.set()
        self._is_abandoned.set()
        self._interrupt()

    @property
    def is_finishing(self) -> bool:
        """Whether no more games are to be started."""
        return self._is_finishing.is_set()

    @contextmanager
    def holding(self, drivers: Collection[Driver]) -> Iterator[None]:
        """Let `abandon` interrupt these brains; in the end they are killed, all of them, whatever happens."""
        with ExitStack() as ending:
            with self._lock:
                self._drivers.update(drivers)
            ending.callback(self._forget, drivers)
            for driver in drivers:
                ending.callback(driver.abandon)
            yield

    def _forget(self, drivers: Collection[Driver]) -> None:
        with self._lock:
            self._drivers.difference_update(drivers)

    def _interrupt(self) -> None:
        with self._lock:
            drivers = list(self._drivers)
        for driver in drivers:
            with suppress(OSError):  # the thread of its game looks for the rest of its processes again
                driver.interrupt()

    def _work(
        self,
        waiting: "queue.SimpleQueue[PairJob | None]",
        finished: Callable[[GameRecord, tuple[Driver, Driver]], None],
        core: int | None,
    ) -> None:
        while not self.is_finishing and (job := waiting.get()) is not None:
            try:
                self._play_pair(job, finished, core)
            except BaseException as error:  # raised again in the thread that runs the event
                self._failures.append(runners_own(error) if isinstance(error, OSError) else error)
                self.abandon()
                return

    def _play_pair(
        self, job: PairJob, finished: Callable[[GameRecord, tuple[Driver, Driver]], None], core: int | None
    ) -> None:
        names = (job[0].black, job[0].white)
        drivers = {
            name: Driver(self._specs[name], self._store.log_of(job[0].pair, name), core, self._manager)
            for name in names
        }
        with suppress(Interruption), self.holding(drivers.values()):
            for plan in job:
                if self.is_finishing:
                    return
                self._started(plan)
                sides = drivers[plan.black], drivers[plan.white]
                record = play_game(
                    plan, self._board, sides, self._progress, self._is_abandoned, self._adjudication, self._is_swap2
                )
                if plan is job[-1]:
                    record = with_closing_warnings(record, sides)
                finished(record, sides)
                settle()


def with_closing_warnings(record: GameRecord, drivers: tuple[Driver, Driver]) -> GameRecord:
    """Shut down both brains and add the resulting warnings to the pair's last game."""
    warnings = list(record.warnings)
    for driver in drivers:
        known = len(driver.warnings)
        driver.close()
        warnings += [f"{driver.spec.name} {warning}" for warning in driver.warnings[known:]]
    return replace(record, warnings=tuple(warnings))
