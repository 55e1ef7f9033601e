"""What the host did: moments in which it let nothing run, seen by real-time processes that only look at the clock.

A virtual machine's cores are taken away now and then, for tens of milliseconds on shared hosts. Whatever a brain does,
it answers that much later. A timing test subtracts such pauses, and nothing else: only while every core that the brain
may use stands still is it excused. A brain that keeps a core busy cannot hold up a real-time process, so it cannot
make its own excuse; where real-time priority may not be had, nothing is excused.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

MIN_GAP_MS = 4.0  # shorter ones are the timer's ordinary grain
DISTURBED_MS, DISTURBED_SHARE = 100.0, 0.05  # one pause, or all of a core's together, that spoil a measurement
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

    def __enter__(self) -> Self:
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        time.sleep(REPORTED_WITHIN_S)
        for pauses in self._pauses.values():
            lost = [end - begin for begin, end in common([[(began_at, ended_at)], tuple(pauses)])]
            if lost and (max(lost) > DISTURBED_MS / 1000 or sum(lost) > DISTURBED_SHARE * (ended_at - began_at)):
                return True
        return False
