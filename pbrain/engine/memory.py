"""How large the transposition table may be, and the memory it lies in."""

import ctypes
import mmap

from pbrain.core.params import TABLE_CLUSTER_BYTES

MIB = 1 << 20
DEFAULT_LIMIT = 350 * MIB
RESERVED = 64 * MIB  # the interpreter, the library, the pattern tables; twice over for a one-file executable
SMALLEST_TABLE = MIB
LARGEST_TABLE = 4096 * MIB

# What might be shared takes Linux twice as long to give back: END in a long search took 50 ms instead of 25.
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def power_of_two_below(number: int) -> int:
    return 1 << (number.bit_length() - 1)


def table_bytes(limit: int | None, asked: int | None = None) -> int:
    """The largest table that keeps the process well below its limit, or the one asked for if that is smaller."""
    allowed = (DEFAULT_LIMIT if limit is None else limit) - RESERVED
    wanted = allowed // 2
    if asked is not None:
        wanted = asked if limit is None else min(asked, allowed)
    return power_of_two_below(max(SMALLEST_TABLE, min(wanted, LARGEST_TABLE)))


class Table:
    """Zeroed memory outside the interpreter's heap; pages are real only once they are written.

    Where the system refuses so much, half of it is asked for, and so on. Linux is not advised to use large pages: a
    search takes 8 % less with them, but making room for one held it up by as much as 108 ms, with a STOP unheard.
    """

    def __init__(self, size: int) -> None:
        while True:
            try:
                self._memory = mmap.mmap(-1, size, **PRIVATE)
                break
            except OSError:
                if size <= SMALLEST_TABLE:
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
        """Give the memory back; nothing may use the address any more."""
        del self._start
        self._memory.close()
