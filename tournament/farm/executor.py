"""Plays pairs of games on the workers of a dask scheduler.

One thread decides who plays what. The others only leave messages for it: those of dask, and one that looks for workers.
Each order goes to one worker, so a pair stays on one host. What an order that was given up still tells is ignored.
"""

import threading
import time
import uuid
import zlib
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import NamedTuple

from distributed.scheduler import KilledWorker

from tournament.core.failures import RunnerError
from tournament.event.executor import Hear, PreflightError
from tournament.farm.cluster import Cluster, LostError, reason_of_worker
from tournament.farm.inspection import Inspection
from tournament.farm.orders import LogFile, Order, Reports
from tournament.farm.shipping import NOTHING, Shipment
from tournament.play.messages import Asked, Began, Dropped, Ended, GameReport, Logged, PairJob, Table, Told

CONNECTS_WITHIN_S = 20.0
LOOK_EVERY_S = 1.0  # for workers that have come or gone
SIGNAL_WITHIN_S = 0.2  # after which `finish` and `abandon` are noticed
PATIENCE_S = 600.0  # with a scheduler that is gone, and without any worker
MAX_LOSSES = 5  # of a pair with the workers that played it


@dataclass
class Attempt:
    """An order that a worker carries out."""

    key: str
    worker: str
    job: PairJob
    running: dict[int, Began] = field(default_factory=dict)  # games that have begun, by number
    ended: set[int] = field(default_factory=set)  # numbers

    @property
    def rest(self) -> PairJob:
        """The games that are still to be played."""
        return tuple(plan for plan in self.job if plan.number not in self.ended)


class Over(NamedTuple):
    """An order is carried out, or cannot be."""

    key: str
    failure: BaseException | None


class Seen(NamedTuple):
    """The workers that there are, with their threads, and why some cannot play."""

    cluster: Cluster
    threads: Mapping[str, int]
    refused: Mapping[str, str]


class Lost(NamedTuple):
    """The scheduler is gone."""

    cluster: Cluster


class Found(NamedTuple):
    """The scheduler is there again."""

    cluster: Cluster


Message = Reports | Over | Seen | Lost | Found
Connect = Callable[[str, Callable[[Reports], None], float], Cluster]


class FarmExecutor:
    """Gives each thread of each worker one pair at a time, at most `limit` at once; `address` is the scheduler's."""

    def __init__(
        self,
        address: str,
        table: Table,
        limit: int | None = None,
        shipment: Shipment = NOTHING,
        contents: Mapping[str, bytes] | None = None,
        connect: Connect = Cluster,
    ) -> None:
        self._address, self._table, self._limit, self._connect = address, table, limit, connect
        self._scheduler = scheduler_at(address)
        self._run = f"kaname-{uuid.uuid4().hex[:12]}"
        self._shipment = shipment
        self._inspection = Inspection(Order(self._run, f"{self._run}-trial", table, (), shipment), contents or {})
        self._inbox: SimpleQueue[Message] = SimpleQueue()
        self._is_finishing, self._is_abandoned = threading.Event(), threading.Event()
        self._cluster: Cluster | None = None
        self._threads: dict[str, int] = {}  # of the workers that may play
        self._refused: set[str] = set()  # workers
        self._attempts: dict[str, Attempt] = {}  # by key
        self._busy: Counter[str] = Counter()  # games by worker
        self._losses: Counter[int] = Counter()  # by pair
        self._waiting: deque[PairJob] = deque()
        self._alone_since: float | None = None  # without any worker

    # -- as any executor -----------------------------------------------------------------------------------------------

    @property
    def concurrency(self) -> int:
        threads = sum(self._threads.values())
        return threads if self._limit is None else min(self._limit, threads)

    @property
    def is_finishing(self) -> bool:
        return self._is_finishing.is_set()

    def preflight(self) -> None:
        """A worker that cannot play is refused here; one that comes later is left out, and that is told."""
        failures: list[Exception] = []
        checking = threading.Thread(target=self._check, args=(failures,), daemon=True)
        checking.start()
        while checking.is_alive() and not self.is_finishing:
            checking.join(SIGNAL_WITHIN_S)
        if failures:
            raise failures[0]

    def run(self, jobs: Sequence[PairJob], hear: Hear) -> None:
        self._waiting = deque(jobs)
        self._hand_out()
        while self._attempts or (self._waiting and not self.is_finishing):
            if self._is_abandoned.is_set():
                return
            self._check_patience(hear)
            try:
                message = self._inbox.get(timeout=SIGNAL_WITHIN_S)
            except Empty:
                continue
            self._handle(message, hear)
            if not isinstance(message, Reports):
                self._hand_out()

    def finish(self) -> None:
        self._is_finishing.set()
        cluster = self._cluster
        if cluster is not None:  # in another thread: a scheduler may take its time
            threading.Thread(target=cluster.finish_run, args=(self._run,), daemon=True).start()

    def abandon(self) -> None:
        """The workers notice within seconds that nobody waits for their games."""
        self._is_abandoned.set()
        self._is_finishing.set()

    def close(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.close()

    # -- workers -------------------------------------------------------------------------------------------------------

    def _check(self, failures: list[Exception]) -> None:
        try:
            cluster = self._connected(CONNECTS_WITHIN_S)
            try:
                threads = cluster.threads()
                if not threads:
                    raise PreflightError(f"the {self._scheduler} has no workers")
                for worker, reason in self._inspection.refusals(cluster, threads).items():
                    raise PreflightError(f"the worker {worker} cannot play: {reason}")
            except BaseException:
                cluster.close()
                raise
            self._threads = threads
            self._use(cluster)
        except LostError as error:
            failures.append(PreflightError(no_answer(self._address, error)))
        except Exception as error:
            failures.append(error)

    def _connected(self, within_s: float) -> Cluster:
        return self._connect(self._address, self._inbox.put, within_s)

    def _use(self, cluster: Cluster) -> None:
        self._cluster = cluster
        threading.Thread(target=self._look, args=(cluster, set(self._threads)), daemon=True).start()

    def _look(self, cluster: Cluster, known: set[str]) -> None:
        """In a thread of its own: look for workers that have come or gone, until the scheduler has."""
        try:
            while cluster is self._cluster:
                threads = cluster.threads()
                fresh = threads.keys() - known
                refused = self._inspection.refusals(cluster, fresh) if fresh else {}
                known = set(threads)
                self._inbox.put(Seen(cluster, threads, refused))
                time.sleep(LOOK_EVERY_S)
        except LostError:
            self._inbox.put(Lost(cluster))

    def _search(self) -> None:
        """In a thread of its own: wait until the scheduler is there again, or nobody wants to know."""
        while not self.is_finishing and self._cluster is None:
            try:
                self._inbox.put(Found(self._connected(CONNECTS_WITHIN_S)))
                return
            except LostError:
                time.sleep(LOOK_EVERY_S)

    def _check_patience(self, hear: Hear) -> None:
        if self._threads:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
            if self._cluster is not None:
                hear(Told(f"the {self._scheduler} has no workers left; waiting for one"))
        elif time.monotonic() - self._alone_since > PATIENCE_S:
            raise RunnerError(f"the {self._scheduler} had no workers for {PATIENCE_S / 60:.0f} minutes")

    # -- games ---------------------------------------------------------------------------------------------------------

    def _hand_out(self) -> None:
        """Give the next pairs to the workers with the most threads to spare."""
        while self._waiting and self._cluster is not None and not self.is_finishing:
            if self._limit is not None and len(self._attempts) >= self._limit:
                return
            worker = max(self._threads, key=self._spare, default=None)
            if worker is None or self._spare(worker) <= 0:
                return
            job = self._waiting.popleft()
            key = f"{self._run}-pair-{job[0].pair}-{uuid.uuid4().hex[:8]}"
            self._attempts[key] = Attempt(key, worker, job)
            self._busy[worker] += 1
            order = Order(self._run, key, self._table, job, self._shipment)
            self._cluster.play(worker, order, lambda key, failure: self._inbox.put(Over(key, failure)))

    def _spare(self, worker: str) -> int:
        return self._threads[worker] - self._busy[worker]

    def _handle(self, message: Message, hear: Hear) -> None:
        match message:
            case Reports(key, reports):
                if key in self._attempts:
                    for report in reports:
                        self._report(self._attempts[key], report, hear)
            case Over(key, failure):
                if key in self._attempts:
                    self._over(self._attempts[key], failure, hear)
            case Seen(cluster, threads, refused):
                if cluster is self._cluster:
                    self._see(threads, refused, hear)
            case Lost(cluster):
                if cluster is self._cluster:
                    self._lose(cluster, hear)
            case Found(cluster):
                self._use(cluster)
                hear(Told(f"the {self._scheduler} is there again"))

    def _report(self, attempt: Attempt, report: GameReport | LogFile, hear: Hear) -> None:
        match report:
            case LogFile(name, packed):
                hear(Logged(name, zlib.decompress(packed)))
                return
            case Began(plan):
                attempt.running[plan.number] = report
            case Asked(plan):
                if plan.number in attempt.ended:
                    return
            case Ended(record):
                attempt.ended.add(record.plan.number)
                attempt.running.pop(record.plan.number, None)
        hear(report)

    def _over(self, attempt: Attempt, failure: BaseException | None, hear: Hear) -> None:
        """What a worker tells arrives in order: nothing more is to come of this attempt."""
        if isinstance(failure, RunnerError):  # a full disk, or a brain's file that has changed
            self._leave_out(attempt.worker, str(failure), hear)
        elif isinstance(failure, CancelledError) and self._cluster is not None:  # not by this side: dask has lost it
            self._lose(self._cluster, hear)
            return
        elif failure is not None and not isinstance(failure, KilledWorker | OSError):
            raise RunnerError(f"the worker {attempt.worker} cannot play: {reason_of_worker(failure)}") from failure
        self._drop(attempt, hear, is_loss=True)

    def _drop(self, attempt: Attempt, hear: Hear, is_loss: bool = False) -> None:
        """An order is over; games that it leaves are played by somebody else."""
        del self._attempts[attempt.key]
        self._busy[attempt.worker] -= 1
        if self._cluster is not None:
            self._cluster.forget(attempt.key)
        for began in attempt.running.values():
            hear(Dropped(began.plan))
        if attempt.rest and not self.is_finishing:
            self._waiting.appendleft(attempt.rest)
            pair = attempt.job[0].pair
            self._losses[pair] += is_loss
            if self._losses[pair] >= MAX_LOSSES:
                raise RunnerError(f"pair {pair} was lost {MAX_LOSSES} times with the worker that played it")

    def _see(self, threads: Mapping[str, int], refused: Mapping[str, str], hear: Hear) -> None:
        """Workers may have come or gone."""
        for worker in self._threads.keys() - threads.keys():
            self._go_without(worker, hear)
        self._refused &= threads.keys()
        for worker, reason in refused.items():
            self._leave_out(worker, reason, hear)
        self._threads = {worker: count for worker, count in threads.items() if worker not in self._refused}

    def _go_without(self, worker: str, hear: Hear) -> None:
        lost = [attempt for attempt in self._attempts.values() if attempt.worker == worker]
        del self._threads[worker]
        if lost:
            hear(Told(f"the worker {worker} is lost; others play its games"))
        for attempt in lost:
            self._drop(attempt, hear, is_loss=True)

    def _leave_out(self, worker: str, reason: str, hear: Hear) -> None:
        if worker not in self._refused:
            self._refused.add(worker)
            self._threads.pop(worker, None)
            hear(Told(f"the worker {worker} is left out: {reason}"))

    def _lose(self, cluster: Cluster, hear: Hear) -> None:
        """The scheduler is gone, and with it all workers: they do not play without it."""
        hear(Told(f"the {self._scheduler} is gone; waiting for it"))
        self._cluster = None
        self._threads.clear()
        self._refused.clear()
        for attempt in list(self._attempts.values()):
            self._drop(attempt, hear)
        for action in (cluster.close, self._search):
            threading.Thread(target=action, daemon=True).start()


def no_answer(address: str, error: LostError) -> str:
    reason = f": {error}" if str(error) else ""
    return f"no dask scheduler answers at {address.partition('://')[2]}{reason}"


def scheduler_at(address: str) -> str:
    return f"dask scheduler at {address.partition('://')[2]}"
