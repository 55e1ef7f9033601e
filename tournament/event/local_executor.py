"""Plays pairs of games in processes of this machine."""

import queue
import threading
from collections.abc import Sequence

from tournament.core.failures import runners_own, starting_threads
from tournament.event.config import Config
from tournament.event.executor import Hear, PreflightError
from tournament.event.store import Store
from tournament.play.cpus import usable_cpus
from tournament.play.held import HeldDrivers
from tournament.play.managers import MANAGERS
from tournament.play.messages import Abandon, Command, Finish, PairJob, Table
from tournament.play.preflight import why_not
from tournament.play.worker_process import WorkerProcess


def table_of(config: Config, store: Store) -> Table:
    """What all games of an event have in common; their logs are written to its folder."""
    specs = {spec.name: spec for spec in config.brains}
    manager = MANAGERS[config.manager]
    return Table(specs, config.board, store.log_folder, config.adjudication, config.is_swap2, manager, None)


def local_executor(config: Config, store: Store, concurrency: int) -> "LocalExecutor":
    return LocalExecutor(table_of(config, store), concurrency, config.is_pinned)


class LocalExecutor:
    """One process per concurrent game, and a thread that listens to it."""

    def __init__(self, table: Table, concurrency: int, is_pinned: bool = False) -> None:
        self._table, self._is_pinned = table, is_pinned
        self.concurrency = concurrency
        self._is_finishing = threading.Event()
        self._held = HeldDrivers()
        self._workers: set[WorkerProcess] = set()
        self._lock = threading.Lock()
        self._failures: list[BaseException] = []

    def preflight(self) -> None:
        reason = why_not(self._table, self._held, lambda: self.is_finishing)
        if reason is not None:
            raise PreflightError(reason)

    def run(self, jobs: Sequence[PairJob], hear: Hear) -> None:
        waiting: queue.SimpleQueue[PairJob | None] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        threads = []
        cpus = usable_cpus()
        for i in range(min(self.concurrency, len(jobs))):
            waiting.put(None)
            table = self._table._replace(core=cpus[i % len(cpus)] if self._is_pinned else None)
            threads.append(threading.Thread(target=self._work, args=(table, waiting, hear), daemon=True))
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
        self._tell(Finish())

    def abandon(self) -> None:
        self._is_finishing.set()  # first: workers that are not yet known then get no game
        self._tell(Abandon())
        self._held.interrupt()

    @property
    def is_finishing(self) -> bool:
        return self._is_finishing.is_set()

    def close(self) -> None:
        """The processes have ended with `run`."""

    def _tell(self, command: Command) -> None:
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            worker.tell(command)

    def _work(self, table: Table, waiting: "queue.SimpleQueue[PairJob | None]", hear: Hear) -> None:
        try:
            with WorkerProcess(table) as worker:
                with self._lock:
                    self._workers.add(worker)
                try:
                    while not self.is_finishing and (job := waiting.get()) is not None:
                        for report in worker.play(job):
                            hear(report)
                finally:
                    with self._lock:
                        self._workers.discard(worker)
        except BaseException as error:  # raised again in the thread that runs the event
            self._failures.append(runners_own(error) if isinstance(error, OSError) else error)
            self.abandon()
