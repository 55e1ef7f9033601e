"""Who plays what on a farm, without one: workers come, go, fail, and tell things too late."""

import threading
import zlib
from collections.abc import Callable, Collection
from typing import Any, cast

import pytest

from tests.farm import wait_until
from tournament.core.adjudication import NEVER
from tournament.core.failures import RunnerError
from tournament.core.model import Board, GamePlan, GameRecord, Opening, Termination
from tournament.event.executor import News, PreflightError
from tournament.farm import executor as farm
from tournament.farm.cluster import Cluster, Done, LostError, address_of
from tournament.farm.executor import FarmExecutor
from tournament.farm.orders import Introduction, LogFile, Order, Reports
from tournament.farm.shipping import Shipment
from tournament.farm.version import RUNNER_VERSION
from tournament.play.log_folder import LogFolder
from tournament.play.managers import OURS
from tournament.play.messages import Asked, Began, Dropped, Ended, GameReport, Logged, PairJob, Table, Told

BOARD = Board()
TABLE = Table({}, BOARD, LogFolder("logs"), NEVER, is_swap2=False, manager=OURS, core=None)


def pair(number: int) -> PairJob:
    opening = Opening("none", ())
    games = ((2 * number - 1, "a", "b"), (2 * number, "b", "a"))
    return tuple(GamePlan(game, number, black, white, opening) for game, black, white in games)


def record(plan: GamePlan) -> GameRecord:
    return GameRecord(plan, BOARD, (), 0, Termination.FIVE)


class FakeCluster:
    """Workers that a test controls; `act` carries out an order."""

    def __init__(self, threads: dict[str, int], act: Callable[["FakeCluster", str, Order, Done], None]) -> None:
        self.workers, self._act = threads, act
        self.hear: Callable[[Reports], None] = lambda _: None
        self.versions: dict[str, Any] = {}
        self.trials: dict[str, Any] = {}
        self.orders: list[tuple[str, Order]] = []
        self.forgotten: list[str] = []
        self.finished = threading.Event()
        self.is_lost = False

    def threads(self) -> dict[str, int]:
        if self.is_lost:
            raise LostError("")
        return dict(self.workers)

    def introductions(self, workers: Collection[str], _shipment: Shipment) -> dict[str, Any]:
        return {worker: self.versions.get(worker, Introduction(RUNNER_VERSION, ())) for worker in workers}

    def try_brains(self, orders: Collection[tuple[str, Order]]) -> dict[str, Any]:
        return {worker: self.trials.get(worker) for worker, _ in orders}

    def play(self, worker: str, order: Order, done: Done) -> None:
        self.orders.append((worker, order))
        self._act(self, worker, order, done)

    def finish_run(self, _run: str) -> None:
        self.finished.set()

    def forget(self, key: str) -> None:
        self.forgotten.append(key)

    def close(self) -> None:
        pass

    def tell(self, order: Order, *reports: GameReport | LogFile) -> None:
        self.hear(Reports(order.key, reports))


def play_all(cluster: FakeCluster, _worker: str, order: Order, done: Done) -> None:
    for plan in order.job:
        cluster.tell(order, Began(plan), Ended(record(plan)))
    cluster.tell(order, LogFile("a.log", zlib.compress(b"what it said\n")))
    done(order.key, None)


def executor_on(cluster: FakeCluster, limit: int | None = None) -> FarmExecutor:
    def connect(_address: str, hear: Callable[[Reports], None], _within_s: float) -> Cluster:
        if cluster.is_lost:
            raise LostError("")
        cluster.hear = hear
        return cast(Cluster, cluster)

    return FarmExecutor("tcp://h:1", TABLE, limit, connect=connect)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farm, "LOOK_EVERY_S", 0.01)


def played(executor: FarmExecutor, *jobs: PairJob) -> list[News]:
    news: list[News] = []
    executor.preflight()
    try:
        executor.run(jobs, news.append)
    finally:
        executor.close()
    return news


def ended(news: list[News]) -> list[int]:
    return [one.record.plan.number for one in news if isinstance(one, Ended)]


def told(news: list[News]) -> list[str]:
    return [one.text for one in news if isinstance(one, Told)]


def test_each_thread_gets_a_pair_and_logs_come_home() -> None:
    cluster = FakeCluster({"tcp://x:1": 1, "tcp://y:1": 2}, play_all)
    executor = executor_on(cluster)
    news = played(executor, pair(1), pair(2), pair(3))
    assert sorted(ended(news)) == [1, 2, 3, 4, 5, 6]
    assert executor.concurrency == 3
    assert [worker for worker, _ in cluster.orders] == ["tcp://y:1", "tcp://x:1", "tcp://y:1"]
    assert news.count(Logged("a.log", b"what it said\n")) == 3


def test_no_more_games_at_a_time_than_asked_for() -> None:
    at_a_time: list[int] = []

    def act(cluster: FakeCluster, worker: str, order: Order, done: Done) -> None:
        at_a_time.append(len(cluster.orders) - len(cluster.forgotten))
        threading.Timer(0.02, play_all, (cluster, worker, order, done)).start()

    executor = executor_on(FakeCluster({"tcp://x:1": 8}, act), limit=2)
    assert len(ended(played(executor, *map(pair, range(1, 7))))) == 12
    assert executor.concurrency == max(at_a_time) == 2


def test_the_games_of_a_lost_worker_are_played_elsewhere_and_what_it_still_tells_is_not_heard() -> None:
    """Its first game has ended and is not played again; the second one had begun."""

    def act(cluster: FakeCluster, worker: str, order: Order, done: Done) -> None:
        if worker == "tcp://x:1":
            first, second = order.job
            cluster.tell(order, Began(first), Ended(record(first)), Began(second), Asked(second, (), 0, None))
            del cluster.workers["tcp://x:1"]
            cluster.workers["tcp://y:1"] = 1
            return
        late = cluster.orders[0][1]
        cluster.tell(late, Ended(record(late.job[1])))
        play_all(cluster, worker, order, done)

    cluster = FakeCluster({"tcp://x:1": 1}, act)
    news = played(executor_on(cluster), pair(1))
    assert ended(news) == [1, 2]
    assert [[plan.number for plan in order.job] for _, order in cluster.orders] == [[1, 2], [2]]
    assert [one.plan.number for one in news if isinstance(one, Dropped)] == [2]
    assert told(news)[0] == "the worker tcp://x:1 is lost; others play its games"
    assert cluster.orders[0][1].key in cluster.forgotten, "it stops if it is still there"


def test_a_worker_with_a_problem_is_left_out() -> None:
    def act(cluster: FakeCluster, worker: str, order: Order, done: Done) -> None:
        if worker == "tcp://x:1":
            done(order.key, RunnerError("the games cannot go on: No space left on device"))
        else:
            play_all(cluster, worker, order, done)

    cluster = FakeCluster({"tcp://x:1": 5, "tcp://y:1": 1}, act)
    news = played(executor_on(cluster), *map(pair, range(1, 5)))
    assert sorted(ended(news)) == list(range(1, 9))
    assert told(news) == ["the worker tcp://x:1 is left out: the games cannot go on: No space left on device"]


def test_a_pair_that_always_loses_its_worker_stops_the_event() -> None:
    def act(cluster: FakeCluster, worker: str, _order: Order, _done: Done) -> None:
        del cluster.workers[worker]
        cluster.workers[f"tcp://x:{len(cluster.orders) + 1}"] = 1

    cluster = FakeCluster({"tcp://x:1": 1}, act)
    with pytest.raises(RunnerError, match=f"pair 1 was lost {farm.MAX_LOSSES} times with the worker that played it"):
        played(executor_on(cluster), pair(1))


def test_nobody_is_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farm, "PATIENCE_S", 0.3)
    cluster = FakeCluster({"tcp://x:1": 1}, lambda cluster, *_: cluster.workers.clear())
    with pytest.raises(RunnerError, match="the dask scheduler at h:1 had no workers for"):
        played(executor_on(cluster), pair(1))


class Returning(FakeCluster):
    """A scheduler that is there again soon after its loss was noticed."""

    def threads(self) -> dict[str, int]:
        if self.is_lost:
            threading.Timer(0.1, setattr, (self, "is_lost", False)).start()
        return super().threads()


def test_a_scheduler_that_is_lost_is_waited_for() -> None:
    def act(cluster: FakeCluster, worker: str, order: Order, done: Done) -> None:
        if len(cluster.orders) > 1:
            play_all(cluster, worker, order, done)
            return
        cluster.is_lost = True

    news = played(executor_on(Returning({"tcp://x:1": 1}, act)), pair(1))
    assert ended(news) == [1, 2]
    assert told(news)[0] == "the dask scheduler at h:1 is gone; waiting for it"
    assert "the dask scheduler at h:1 is there again" in told(news)


def test_finish_lets_running_games_end_and_abandon_does_not() -> None:
    begun = threading.Event()

    def act(cluster: FakeCluster, _worker: str, order: Order, done: Done) -> None:
        def wait_and_end_one_game() -> None:
            begun.set()
            cluster.finished.wait(60)
            cluster.tell(order, Ended(record(order.job[0])))
            done(order.key, None)

        threading.Thread(target=wait_and_end_one_game, daemon=True).start()

    for stop, expected in (("finish", [1]), ("abandon", [])):
        begun.clear()
        executor = executor_on(FakeCluster({"tcp://x:1": 1}, act))
        stopping = threading.Thread(target=lambda stop=stop, it=executor: (begun.wait(60), getattr(it, stop)()))
        stopping.start()
        assert ended(played(executor, pair(1), pair(2))) == expected
        stopping.join()


# -- who may play ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Introduction("0.0.1 (abcdef01)", ()), f"its runner is 0.0.1 (abcdef01), and this one is {RUNNER_VERSION}"),
        (
            ModuleNotFoundError("No module named 'tournament'", name="tournament"),
            "it cannot import tournament; kaname must be installed there, too",
        ),
    ],
)
def test_a_worker_with_another_runner_is_refused(answer: object, sentence: str) -> None:
    cluster = FakeCluster({"tcp://x:1": 1, "tcp://y:1": 1}, play_all)
    cluster.versions["tcp://y:1"] = answer
    with pytest.raises(PreflightError) as refusal:
        executor_on(cluster).preflight()
    assert str(refusal.value) == f"the worker tcp://y:1 cannot play: {sentence}"


def test_a_worker_that_comes_later_and_cannot_play_is_left_out() -> None:
    def act(cluster: FakeCluster, worker: str, order: Order, done: Done) -> None:
        cluster.trials["tcp://y:2"] = "a cannot take part: exited"
        cluster.workers |= {"tcp://y:2": 9, "tcp://y:3": 9}  # of the same host

        def play_when_both_are_refused() -> None:
            try:
                wait_until(lambda: executor._refused >= {"tcp://y:2", "tcp://y:3"}, 60)
            finally:
                play_all(cluster, worker, order, done)

        threading.Thread(target=play_when_both_are_refused, daemon=True).start()

    cluster = FakeCluster({"tcp://x:1": 1}, act)
    cluster.trials["tcp://y:3"] = "a cannot take part: exited"
    executor = executor_on(cluster)
    news = played(executor, pair(1), pair(2))
    assert {worker for worker, _ in cluster.orders} == {"tcp://x:1"}
    assert sorted(told(news)) == [
        f"the worker tcp://y:{port} is left out: a cannot take part: exited" for port in (2, 3)
    ]


def test_a_scheduler_with_certificates_has_an_address_of_its_own() -> None:
    assert address_of("dask://farm.example:8786") == "tcp://farm.example:8786"
    assert address_of("dask+tls://10.0.0.1:8786") == "tls://10.0.0.1:8786"
    for text in ("farm:8786", "dask://farm", "tcp://farm:1", "dask://farm:x", "dask:// farm:1"):
        with pytest.raises(ValueError, match="is not the address of a scheduler"):
            address_of(text)


class SlowToAnswer(FakeCluster):
    """A scheduler that takes its time."""

    answer = threading.Event()

    def threads(self) -> dict[str, int]:
        self.answer.wait(60)
        return super().threads()


def test_a_signal_ends_the_preflight() -> None:
    cluster = SlowToAnswer({"tcp://x:1": 1}, play_all)
    executor = executor_on(cluster)
    waiting = threading.Thread(target=executor.preflight)
    waiting.start()
    executor.abandon()
    wait_until(lambda: not waiting.is_alive())
    cluster.answer.set()
