"""How large the transposition table may be, and the memory that holds it."""

import ctypes
import mmap

from pbrain.core.params import TABLE_CLUSTER_BYTES

MIB = 1 << 20
DEFAULT_LIMIT = 350 * MIB
RESERVED = 64 * MIB  # interpreter, library and pattern tables, for both processes of a one-file executable
MIN_TABLE = MIB
MAX_TABLE = 4096 * MIB

# Linux takes twice as long to free memory that might be shared: with it, END in a long search takes 50 ms, not 25.
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def power_of_two_below(number: int) -> int:
    return 1 << (number.bit_length() - 1)


def table_bytes(limit: int | None, asked: int | None = None) -> int:
    """The largest table that keeps the process well below its limit, or a smaller one if asked for."""
    allowed = (DEFAULT_LIMIT if limit is None else limit) - RESERVED
    wanted = allowed // 2
    if asked is not None:
        wanted = asked if limit is None else min(asked, allowed)
    return power_of_two_below(max(MIN_TABLE, min(wanted, MAX_TABLE)))


class Table:
    """Zeroed memory outside the interpreter's heap; the system provides a page when it is first written.

    If the system refuses, half as much is requested, and so on. Linux is not asked for huge pages: a search takes 8 %
    less time with them, but making room for one page has delayed the answer to a STOP by as much as 108 ms.
    """

    def __init__(self, size: int) -> None:
        while True:
            try:
                self._memory = mmap.mmap(-1, size, **PRIVATE)
                break
            except OSError:
                if size <= MIN_TABLE:
                    raise
                size //= 2
        self.size = size
        self._start = ctypes.c_char.from_buffer(self._memory)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._start)

    @property
    def mask(self) -> int:
        return self.size // TABLE_CLUSTER_BYTES - 1

    def close(self) -> None:
        """Free the memory; nothing may use the address after that."""
        del self._start
        self._memory.close()
