"""The CPUs that this process may use: containers, taskset and job schedulers often allow only some of the machine's."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil


def usable_cpus() -> list[int]:
    """The numbers of the CPUs that brains may run on, in order."""
    if sys.platform == "linux":
        return sorted(os.sched_getaffinity(0))
    try:
        return sorted(psutil.Process().cpu_affinity() or [0])
    except AttributeError:  # macOS does not say
        return list(range(os.cpu_count() or 1))


@contextmanager
def starting_on(cpu: int | None) -> Iterator[None]:
    """Processes started inside are pinned to this CPU from their first instruction; None pins nothing.

    Only the calling thread changes, and a new process inherits from it. macOS cannot pin.
    """
    if cpu is None or sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
