"""What the machine itself did: moments in which it let nothing run, seen by processes that only look at the clock.

A virtual machine's cores are taken away now and then, for tens of milliseconds on shared hosts. Whatever a brain does,
it answers that much later; a test that allows nothing else subtracts what was seen of it.
"""

import os
import subprocess
import sys
import threading
import time
from types import TracebackType
from typing import Self

LEAST_GAP_MS = 4.0  # shorter ones are the scheduler's ordinary grain
TOLD_WITHIN_S = 0.005  # a stall is told when it is over, as late as what it held up

# Real-time priority, where it may be had, leaves only the host's pauses in what a watcher sees; elsewhere it is an
# ordinary process that wakes up as late as a brain would.
WATCHER = """
import os, sys, time
core, least = int(sys.argv[1]), float(sys.argv[2]) / 1000
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {core})
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except (AttributeError, PermissionError):
    pass
print("watching", flush=True)
before = time.perf_counter()
while True:
    time.sleep(0.001)
    now = time.perf_counter()
    if now - before > least:
        print(before, now, flush=True)
    before = now
"""


class Witness:
    """Watches each core from its `with` block's beginning to its end."""

    def __init__(self) -> None:
        self._gaps: list[tuple[float, float]] = []
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
        self._watchers = [
            subprocess.Popen(
                [sys.executable, "-c", WATCHER, str(core), str(LEAST_GAP_MS)], stdout=subprocess.PIPE, text=True
            )
            for core in cores
        ]
        self._readers = [threading.Thread(target=self._read, args=(watcher,)) for watcher in self._watchers]

    def __enter__(self) -> Self:
        for watcher, reader in zip(self._watchers, self._readers, strict=True):
            assert watcher.stdout is not None
            assert watcher.stdout.readline() == "watching\n"
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for watcher, reader in zip(self._watchers, self._readers, strict=True):
            watcher.kill()
            reader.join()
            watcher.wait()
            assert watcher.stdout is not None
            watcher.stdout.close()

    def _read(self, watcher: "subprocess.Popen[str]") -> None:
        assert watcher.stdout is not None
        for line in watcher.stdout:
            before, after = line.split()
            self._gaps.append((float(before), float(after)))

    def net_ms(self, began_at: float, taken_ms: float) -> float:
        """What was taken, less the time in which some core stood still: a process may meet one after the other."""
        time.sleep(TOLD_WITHIN_S)
        ended_at = began_at + taken_ms / 1000
        stalls = (min(after, ended_at) - max(before, began_at) for before, after in tuple(self._gaps))
        return taken_ms - 1000 * sum(stall for stall in stalls if stall > 0)
