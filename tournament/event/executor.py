"""Plays pairs of games in processes of this machine; an executor for other machines would have the same interface."""

import queue
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager

from tournament.core.adjudication import NEVER, Adjudication
from tournament.core.failures import runners_own, starting_threads
from tournament.core.model import Board, BrainSpec, GamePlan, GameRecord
from tournament.event.store import Store
from tournament.play.cpus import usable_cpus
from tournament.play.driver import Driver
from tournament.play.game import Progress
from tournament.play.held import HeldDrivers
from tournament.play.managers import OURS, Manager
from tournament.play.messages import Abandon, Asked, Began, Command, Ended, Finish, PairJob, Table
from tournament.play.worker_process import WorkerProcess

Finished = Callable[[GameRecord], None]


class LocalExecutor:
    """One process per concurrent game, and a thread that listens to it."""

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
        self._table = Table(specs, board, store.log_of, adjudication, is_swap2, manager, None)
        self._concurrency, self._is_pinned = concurrency, is_pinned
        self._started, self._progress = started, progress
        self._is_finishing = threading.Event()
        self._held = HeldDrivers()
        self._workers: set[WorkerProcess] = set()
        self._lock = threading.Lock()
        self._failures: list[BaseException] = []

    def run(self, jobs: Sequence[PairJob], finished: Finished) -> None:
        """Play all jobs; returns when they are done, or after `finish` or `abandon` has taken effect.

        RunnerError, with all games abandoned, if the runner itself cannot go on.
        """
        waiting: queue.SimpleQueue[PairJob | None] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        threads = []
        cpus = usable_cpus()
        for i in range(min(self._concurrency, len(jobs))):
            waiting.put(None)
            table = self._table._replace(core=cpus[i % len(cpus)] if self._is_pinned else None)
            threads.append(threading.Thread(target=self._work, args=(table, waiting, finished), daemon=True))
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
        """Start no more games; let the running ones finish."""
        self._is_finishing.set()
        self._tell(Finish())

    def abandon(self) -> None:
        """Stop the running games at once; they are not recorded."""
        self._is_finishing.set()  # first: workers that are not yet known then get no game
        self._tell(Abandon())
        self._held.interrupt()

    @property
    def is_finishing(self) -> bool:
        """Whether no more games are to be started."""
        return self._is_finishing.is_set()

    def holding(self, drivers: Collection[Driver]) -> AbstractContextManager[None]:
        """Let `abandon` interrupt brains that are used outside of the games."""
        return self._held.holding(drivers)

    def _tell(self, command: Command) -> None:
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            worker.tell(command)

    def _work(self, table: Table, waiting: "queue.SimpleQueue[PairJob | None]", finished: Finished) -> None:
        try:
            with WorkerProcess(table) as worker:
                with self._lock:
                    self._workers.add(worker)
                try:
                    while not self.is_finishing and (job := waiting.get()) is not None:
                        self._play_pair(worker, job, finished)
                finally:
                    with self._lock:
                        self._workers.discard(worker)
        except BaseException as error:  # raised again in the thread that runs the event
            self._failures.append(runners_own(error) if isinstance(error, OSError) else error)
            self.abandon()

    def _play_pair(self, worker: WorkerProcess, job: PairJob, finished: Finished) -> None:
        plan = job[0]
        for report in worker.play(job):
            match report:
                case Began(plan):
                    self._started(plan)
                case Asked(other, ply, colour, left_ms):
                    plan = other or plan
                    self._progress(plan, ply, colour, left_ms)
                case Ended(record):
                    finished(record)
