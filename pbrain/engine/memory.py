"""How large the transposition table may be, and the memory that holds it."""

import ctypes
import mmap
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from pbrain.core.params import TABLE_CLUSTER_BYTES
from pbrain.library.native import State, Worker

MIB = 1 << 20
DEFAULT_LIMIT = 350 * MIB
RESERVED = 64 * MIB  # interpreter, library and pattern tables, for both processes of a one-file executable
BYTES_PER_THREAD = ctypes.sizeof(State) + ctypes.sizeof(Worker) + MIB  # the last is its stack
MAX_THREADS = 64
MIN_TABLE = MIB
MAX_TABLE = 4096 * MIB

# Linux takes twice as long to free memory that might be shared: with it, END in a long search takes 50 ms, not 25.
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}

HUGE_PAGE = 2 * MIB
# What threads need of an address space with a limit (ulimit -v): the stacks of four, and 64 MiB for what they allocate.
THREADS_SPACE = 96 * MIB if PRIVATE else HUGE_PAGE  # Windows limits only what is used
MADV_COLLAPSE = 25  # Linux 6.1: copy these pages into a huge one
MAX_PREPARED = 1024 * MIB  # a limit beyond that may be more than the machine has
# Managers send INFO max_memory right after START's OK; on a busy machine it may come 32 ms later. Until then nothing is
# touched that might be too much. A search that begins earlier ends the wait.
PREPARES_AFTER_S = 0.1
COLLAPSES_AFTER_S = 0.05  # without a search: the answer of one that has just ended goes out first

Touch = Callable[[int, int], None]


def max_threads() -> int:
    """As many as the CPUs that this process may use."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cpus or 1, MAX_THREADS)


def threads_within(limit: int | None, asked: int) -> int:
    """How many of the threads asked for there may be: one per CPU, with at least half of the memory for the table."""
    allowed = (DEFAULT_LIMIT if limit is None else limit) - RESERVED
    return max(1, min(asked, max_threads(), 1 + allowed // 2 // BYTES_PER_THREAD))


def table_bytes(limit: int | None, asked: int | None = None, threads: int = 1) -> int:
    """The largest table that keeps the process below its limit, or a smaller one if asked for, in whole MiB."""
    allowed = (DEFAULT_LIMIT if limit is None else limit) - RESERVED - (threads - 1) * BYTES_PER_THREAD
    wanted = allowed
    if asked is not None:
        wanted = asked if limit is None else min(asked, allowed)
    return max(MIN_TABLE, min(wanted, MAX_TABLE)) // MIB * MIB


class Table:
    """Zeroed memory outside the interpreter's heap; the system provides a page when it is first written.

    If the system refuses, half as much is requested, and so on.
    """

    def __init__(self, size: int) -> None:
        self._is_short = False
        while True:
            try:
                if size > MIN_TABLE:
                    mmap.mmap(-1, size + THREADS_SPACE, **PRIVATE).close()
                self._memory = mmap.mmap(-1, size + HUGE_PAGE, **PRIVATE)
                break
            except OSError:
                if size <= MIN_TABLE:
                    raise
                size //= 2
                self._is_short = True
        self.size = size
        self._start = ctypes.c_char.from_buffer(self._memory)
        self.address = -(-ctypes.addressof(self._start) // HUGE_PAGE) * HUGE_PAGE
        self._is_wanted, self._is_idle = threading.Event(), threading.Event()
        self._is_idle.set()
        self.is_closed = False
        self._lock = threading.Lock()  # held while pages are provided

    @property
    def clusters(self) -> int:
        return self.size // TABLE_CLUSTER_BYTES

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """While a search uses the table."""
        self._is_idle.clear()
        self._is_wanted.set()
        try:
            yield
        finally:
            self._is_idle.set()

    def prepare(self, touch: Touch) -> None:
        """Have the system provide all pages, on a thread of their own: see `prepare_pages`."""
        if self._is_short:  # there may be no room for another thread
            return
        arguments = (weakref.ref(self), touch, self._is_wanted, self._is_idle)
        with suppress(RuntimeError):  # the system has no thread for it: a search touches its pages itself
            threading.Thread(target=prepare_pages, args=arguments, daemon=True).start()

    def provide(self, offset: int, touch: Touch, is_huge: bool) -> None:
        """Provide a huge page, or the small ones in its place, without a change of what they hold."""
        with self._lock:
            if self.is_closed:
                return
            if is_huge and offset + HUGE_PAGE <= self.size:
                touch(self.address + offset, 1)  # without a page there is nothing to collapse
                collapse(self.address + offset)
            touch(self.address + offset, min(HUGE_PAGE, self.size - offset))

    def close(self) -> None:
        """Free the memory; nothing may use the address after that."""
        self.is_closed = True
        self._is_wanted.set()  # whoever waits to prepare its pages need not
        with self._lock:
            del self._start
            self._memory.close()


def collapse(address: int) -> None:
    """Make a huge page of what is there; if the system refuses, the small pages will do."""
    _libc().madvise(ctypes.c_void_p(address), ctypes.c_size_t(HUGE_PAGE), MADV_COLLAPSE)


@cache
def _libc() -> ctypes.CDLL:
    """Python's own madvise would keep other threads from running meanwhile."""
    return ctypes.CDLL(None)


def prepare_pages(
    table: "weakref.ref[Table]", touch: Touch, is_wanted: threading.Event, is_idle: threading.Event
) -> None:
    """Provide the pages of a table: a search that is the first to write to each of them has 0.6 of its speed.

    Linux provides huge pages, with which a search is 1.1 times as fast. It could be asked to do so wherever one is
    needed; but then a search has to wait until there is room for it, and has been 108 ms late for a STOP. Collapsing
    makes room first. It stops a search that needs one of these pages, so it ends when the first search begins. From
    then on, small pages are provided, and collapsed while no search runs.
    """
    is_wanted.wait(PREPARES_AFTER_S)
    has_huge_pages = sys.platform == "linux"
    small: list[int] = []
    offset, is_huge = 0, has_huge_pages and not is_wanted.is_set()
    while _provide(table, offset, touch, is_huge):
        if has_huge_pages and not is_huge:
            small.append(offset)
        offset, is_huge = offset + HUGE_PAGE, has_huge_pages and not is_wanted.is_set()
    for offset in small:
        while not is_idle.is_set():
            is_idle.wait()
            time.sleep(COLLAPSES_AFTER_S)
        _provide(table, offset, touch, is_huge=True)


def _provide(table: "weakref.ref[Table]", offset: int, touch: Touch, is_huge: bool) -> bool:
    """Provide one huge page of a table, if it is still there and so large."""
    kept = table()
    if kept is None or kept.is_closed or offset >= min(kept.size, MAX_PREPARED):
        return False
    kept.provide(offset, touch, is_huge)
    return True
