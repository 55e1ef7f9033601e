"""What the host did: moments in which it let nothing run, seen by real-time processes that only look at the clock.

A virtual machine's cores are taken away now and then, for tens of milliseconds on shared hosts. Whatever a brain does,
it answers that much later. A timing test subtracts such pauses, and nothing else: only while every core that the brain
may use stands still is it excused. A brain that keeps a core busy cannot hold up a real-time process, so it cannot
make its own excuse; where real-time priority may not be had, nothing is excused. Pauses too short to be seen one by one
add up in what the kernel counts as stolen by the host.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

STAT, TICKS = Path("/proc/stat"), 100  # per second
MIN_GAP_MS = 4.0  # shorter ones are the timer's ordinary grain
DISTURBED_MS, DISTURBED_SHARE = 100.0, 0.05  # one pause, or all of a core's together, that spoil a measurement
STOLEN_EVERY_S = 0.25  # how often the kernel's count is read
REPORTED_WITHIN_S = 0.005  # a watcher reports a pause when it is over, as late as what the pause held up

WATCHER = """
import os, sys, time
core, least = int(sys.argv[1]), float(sys.argv[2]) / 1000
try:
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except (AttributeError, PermissionError):
    print("refused", flush=True)
    sys.exit()
print("watching", flush=True)
before = time.perf_counter()
while True:
    time.sleep(0.001)
    now = time.perf_counter()
    if now - before > least:
        print(before, now, flush=True)
    before = now
"""

Interval = tuple[float, float]
Stolen = tuple[float, dict[int, float]]  # when, and the seconds that the host has taken from each core by then


def stolen() -> dict[int, float]:
    """What the host has taken from each core since the system's start, in seconds; empty where it is not counted."""
    if not STAT.exists():
        return {}
    rows = (line.split() for line in STAT.read_text().splitlines() if line.startswith("cpu"))
    return {int(row[0][3:]): int(row[8]) / TICKS for row in rows if row[0] != "cpu"}


def stolen_share(counts: Sequence[Stolen], began_at: float, ended_at: float) -> float:
    """The largest share of a core that the host took meanwhile, by the counts around that time."""
    before = [count for count in counts if count[0] <= began_at][-1:]
    after = [count for count in counts if count[0] >= ended_at][:1]
    if not before or not after:
        return 0.0
    (first_at, first), (last_at, last) = before[0], after[0]
    return max((last[core] - first[core] for core in first), default=0.0) / (last_at - first_at)


def common(intervals: Sequence[Iterable[Interval]]) -> list[Interval]:
    """The moments that lie in an interval of every one of these lists."""
    first, *others = intervals
    shared = list(first)
    for other in others:
        pairs = [(max(a, c), min(b, d)) for a, b in shared for c, d in other]
        shared = [(begin, end) for begin, end in pairs if begin < end]
    return shared


def cores() -> list[int]:
    """The cores that this thread, and what it starts, may use; empty where the system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@contextmanager
def on_cores(chosen: Sequence[int]) -> Iterator[None]:
    """Everything started in here, and the one who measures, share these cores."""
    before = cores()
    if chosen:
        os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        if chosen:
            os.sched_setaffinity(0, before)


class Witness:
    """Watches each core from its `with` block's beginning to its end."""

    def __init__(self) -> None:
        self.cores = cores()
        self._pauses: dict[int, list[Interval]] = {core: [] for core in self.cores}
        self._watchers = {
            core: subprocess.Popen(
                [sys.executable, "-c", WATCHER, str(core), str(MIN_GAP_MS)], stdout=subprocess.PIPE, text=True
            )
            for core in self.cores
        }
        self._readers = [threading.Thread(target=self._read, args=(core,)) for core in self.cores]
        self._counts: list[Stolen] = []
        self._is_over = threading.Event()
        self._counter = threading.Thread(target=self._count)

    def __enter__(self) -> Self:
        self._counts.append((time.perf_counter(), stolen()))
        for reader in (*self._readers, self._counter):
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._counter.join()
        for watcher in self._watchers.values():
            watcher.kill()
        for reader, watcher in zip(self._readers, self._watchers.values(), strict=True):
            reader.join()
            watcher.wait()
            assert watcher.stdout is not None
            watcher.stdout.close()

    def _read(self, core: int) -> None:
        stream = self._watchers[core].stdout
        assert stream is not None
        if stream.readline() != "watching\n":
            return
        for line in stream:
            before, after = line.split()
            self._pauses[core].append((float(before), float(after)))

    def _count(self) -> None:
        while not self._is_over.wait(STOLEN_EVERY_S):
            self._counts.append((time.perf_counter(), stolen()))

    def net_ms(self, began_at: float, taken_ms: float) -> float:
        """What was taken, less the time in which all cores that this thread may use stood still at once."""
        time.sleep(REPORTED_WITHIN_S)
        watched = [tuple(self._pauses[core]) for core in cores()]
        if not watched:
            return taken_ms
        taken = [(began_at, began_at + taken_ms / 1000)]
        return taken_ms - 1000 * sum(end - begin for begin, end in common([taken, *watched]))

    def is_disturbed(self, began_at: float, ended_at: float) -> bool:
        """Whether a core stood still so long in this time, or so often, that what was measured says little."""
        self._counts.append((time.perf_counter(), stolen()))
        if stolen_share(self._counts, began_at, ended_at) > DISTURBED_SHARE:
            return True
        time.sleep(REPORTED_WITHIN_S)
        for pauses in self._pauses.values():
            lost = [end - begin for begin, end in common([[(began_at, ended_at)], tuple(pauses)])]
            if lost and (max(lost) > DISTURBED_MS / 1000 or sum(lost) > DISTURBED_SHARE * (ended_at - began_at)):
                return True
        return False
