"""What a farm costs, measured: `python -m tests.farm_load pair`, `… workers --workers 1000`, `… store`.

`pair` plays the same quick games here and on one dask worker, in turns, and prints what a pair takes on either.
`workers` lets a real scheduler and a real runner serve many simulated workers, which sleep instead of playing.
`store` saves games as quickly as it can.
"""

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
import zlib
from collections.abc import Collection
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psutil
from distributed import Worker, get_worker

from tests.farm import dask_scheduler, dask_worker, free_port, started
from tests.runner import configuration, fake
from tournament.core.model import Board, GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.event.config import Config
from tournament.event.event import Run
from tournament.event.events import Event, GameFinished
from tournament.event.executor import Executor
from tournament.event.local_executor import local_executor, table_of
from tournament.event.store import Store
from tournament.farm.cluster import Cluster
from tournament.farm.executor import FarmExecutor
from tournament.farm.hand import tell_runner
from tournament.farm.orders import LogFile, Reports, unpacked_order
from tournament.play.messages import Asked, Began, Ended
from tournament.stats.summary import Summary
from tournament.views.plain import PlainView

MOVES = 60  # of a game
LOG_LINES = 500  # of a brain in a pair, some 60 kB
WORKERS_PER_PROCESS = 100
MANY_START_WITHIN_S = 900.0
# What a thousand workers on one machine would spend on watching themselves; their scheduler does not notice.
UNWATCHED = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "600s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "600s",
}
MESSAGE = "MESSAGE depth 12-19 ev +164 n 1.3M n/s 2.2M tm 0.57 pv h9 i11 h10 i10 g8 f7 j7 k6"


class Watching:
    """Notes the time after each game, and the CPU time that some processes have used then."""

    def __init__(self, processes: Collection[psutil.Process] = ()) -> None:
        self._processes = processes
        self.times: list[float] = []
        self.used: list[list[float]] = []  # in seconds

    def on_event(self, event: Event, _summary: Summary) -> None:
        if isinstance(event, GameFinished):
            self.times.append(time.monotonic())
            self.used.append([cpu_of(process) for process in self._processes])

    def close(self) -> None:
        pass


def cpu_of(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


# -- a pair ------------------------------------------------------------------------------------------------------------


class PairCost(NamedTuple):
    """Milliseconds from the end of a pair to the end of the next."""

    local: float
    farm: float

    def __str__(self) -> str:
        extra = self.farm - self.local
        return f"a pair: {self.local:.0f} ms here, {self.farm:.0f} ms on a dask worker, {extra:.0f} ms more"


def pair_cost(scratch: Path, pairs: int, rounds: int) -> PairCost:
    """Medians of quick pairs, one at a time, here and on a worker with one thread, in turns."""
    times: dict[bool, list[float]] = {False: [], True: []}
    port = free_port()
    with dask_scheduler(port, scratch), dask_worker(port, scratch, threads=1):
        for number in range(2 * rounds):
            is_farm = bool(number % 2)
            config = configuration([fake("none"), fake("occupied")], games=2 * pairs, turn="1m")
            store = Store(scratch / f"event-{number}")
            times[is_farm] += time_of_pairs(config, store, farm_executor(config, store, port) if is_farm else None)
    return PairCost(statistics.median(times[False]), statistics.median(times[True]))


def farm_executor(config: Config, store: Store, port: int) -> FarmExecutor:
    return FarmExecutor(f"tcp://127.0.0.1:{port}", table_of(config, store))


def time_of_pairs(config: Config, store: Store, executor: Executor | None) -> list[float]:
    watching = Watching()
    Run(config, store, executor or local_executor(config, store, 1), [watching]).play("")
    return [1000 * (after - before) for before, after in pairwise(watching.times[1::2])]


# -- many workers ------------------------------------------------------------------------------------------------------


def some_record(plan: GamePlan) -> GameRecord:
    """A game of the usual length, with the usual messages."""
    rng = random.Random(plan.number)
    cells = rng.sample([(x, y) for x in range(15) for y in range(15)], MOVES)
    moves = tuple(PlayedMove(x, y, round(rng.uniform(1, 1000), 3), f"{MESSAGE} {rng.random()}") for x, y in cells)
    return GameRecord(plan, Board(), moves, plan.number % 2, Termination.FIVE, seconds=float(MOVES))


def some_log(name: str) -> LogFile:
    rng = random.Random(name)
    lines = "".join(f"{rng.random():.6f} > {MESSAGE} {rng.random()}\n" for _ in range(LOG_LINES))
    return LogFile(f"{name}.log", zlib.compress(lines.encode()))


def pretend(pair_s: float, data: bytes) -> None:
    """Tell what a worker tells of a pair of games, and sleep instead of playing; pairs do not end all at once."""
    worker, order = get_worker(), unpacked_order(data)
    game_s = pair_s * random.uniform(0.5, 1.5) / len(order.job)
    for plan in order.job:
        tell_runner(worker, Reports(order.key, (Began(plan),)))
        record = some_record(plan)
        stones = tuple((move.x, move.y) for move in record.moves)
        for second in range(1, int(game_s) + 1):
            time.sleep(1)
            tell_runner(worker, Reports(order.key, (Asked(plan, stones[: round(MOVES * second / game_s)], 0, None),)))
        time.sleep(game_s % 1)
        tell_runner(worker, Reports(order.key, (Ended(record),)))
    logs = tuple(some_log(f"pair-{order.job[0].pair:05d}-{name}") for name in ("a", "b"))
    tell_runner(worker, Reports(order.key, logs))


async def serve_workers(address: str, count: int, scratch: str) -> None:
    workers = [Worker(address, nthreads=1, local_directory=scratch, memory_limit=0) for _ in range(count)]
    await asyncio.gather(*workers)
    print(f"{count} workers are ready", file=sys.stderr, flush=True)
    await asyncio.gather(*(worker.finished() for worker in workers))


class Load(NamedTuple):
    """What scheduler and runner need while so many workers play; CPU in cores."""

    workers: int
    pair_s: float
    pairs_per_s: float
    scheduler_cpu: float
    runner_cpu: float
    scheduler_mb: float
    kb_per_pair: float

    def __str__(self) -> str:
        scheduler_ms, runner_ms = (1000 * cpu / self.pairs_per_s for cpu in (self.scheduler_cpu, self.runner_cpu))
        return (
            f"{self.workers} workers, pairs of {self.pair_s:g} s: {self.pairs_per_s:.1f} pairs per second; "
            f"scheduler {self.scheduler_cpu:.0%} of a core, {scheduler_ms:.1f} ms per pair, "
            f"{self.scheduler_mb:.0f} MB; "
            f"runner {self.runner_cpu:.0%}, {runner_ms:.1f} ms per pair; {self.kb_per_pair:.0f} kB on disk per pair"
        )


def load_of(scratch: Path, workers: int, pair_s: float, rounds: int) -> Load:
    """Let every worker pretend to play some pairs; all but the first and the last round are measured."""
    port, store = free_port(), Store(scratch / "event")
    address = f"tcp://127.0.0.1:{port}"
    games = 2 * workers * rounds
    config = configuration([fake("none"), fake("stderr")], games=games, size="15")
    with ExitStack() as stack:
        scheduler = psutil.Process(stack.enter_context(dask_scheduler(port, scratch)).pid)
        for begin in range(0, workers, WORKERS_PER_PROCESS):
            count = min(WORKERS_PER_PROCESS, workers - begin)
            words = [sys.executable, "-m", "tests.farm_load", "serve", address, str(count), str(scratch)]
            stack.enter_context(started(words, scratch, "workers are ready", MANY_START_WITHIN_S, UNWATCHED))
        connect = partial(Cluster, play=partial(pretend, pair_s))
        executor = FarmExecutor(address, table_of(config, store), connect=connect)
        watching = Watching([scheduler, psutil.Process()])
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            assert Run(config, store, executor, [PlainView(nowhere, config), watching]).play("")
        memory = scheduler.memory_info().rss / 2**20
    first, last = 2 * workers, games - 2 * workers
    seconds = watching.times[last] - watching.times[first]
    scheduler_s, runner_s = (
        after - before for before, after in zip(watching.used[first], watching.used[last], strict=True)
    )
    size = sum(path.stat().st_size for path in store.folder.rglob("*") if path.is_file())
    rate = (last - first) / 2 / seconds
    return Load(workers, pair_s, rate, scheduler_s / seconds, runner_s / seconds, memory, size / 500 / games)


# -- the store ---------------------------------------------------------------------------------------------------------


def games_saved_per_s(scratch: Path, seconds: float) -> float:
    """How many games the store takes, each on disk before the next; that is the disk's speed."""
    store, opening, saved = Store(scratch / "store"), Opening("none", ()), 0
    store.begin({})
    records = [some_record(GamePlan(number, 1, "a", "b", opening)) for number in range(1, 101)]
    with store.locked():
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            store.append(records[saved % len(records)])
            saved += 1
        return saved / (time.monotonic() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    pair = kinds.add_parser("pair")
    pair.add_argument("--pairs", type=int, default=30)
    pair.add_argument("--rounds", type=int, default=4)
    many = kinds.add_parser("workers")
    many.add_argument("--workers", type=int, default=1000)
    many.add_argument("--pair-s", type=float, default=60)
    many.add_argument("--rounds", type=int, default=4)
    kinds.add_parser("store")
    serving = kinds.add_parser("serve")
    serving.add_argument("address")
    serving.add_argument("count", type=int)
    serving.add_argument("scratch")
    arguments = parser.parse_args()
    if arguments.kind == "serve":
        asyncio.run(serve_workers(arguments.address, arguments.count, arguments.scratch))
        return
    with TemporaryDirectory(prefix="farm-load-") as scratch:
        if arguments.kind == "pair":
            print(pair_cost(Path(scratch), arguments.pairs, arguments.rounds))
        elif arguments.kind == "workers":
            print(load_of(Path(scratch), arguments.workers, arguments.pair_s, arguments.rounds))
        else:
            print(f"{games_saved_per_s(Path(scratch), 5):.0f} games saved per second")


if __name__ == "__main__":
    main()
