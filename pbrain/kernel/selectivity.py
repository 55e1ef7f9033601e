"""What a search looks at less closely, or not at all: margins in units of the evaluation, and depths."""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.kernel.constants import CELL_FOUR, CELL_SPLIT_THREE, CELL_THREE, EIGHT, ONE
from pbrain.kernel.machine import highest_bit, kernel

# Aspiration: how near the last score an iteration looks for its own, and how the window grows until it holds it.
ASPIRATION_DEPTH = np.int64(5)
ASPIRATION = np.int64(30)
ASPIRATION_GROWS = np.int64(3)
ASPIRATION_MOST = np.int64(1000)

# Razoring: so far below alpha that only fours can help.
RAZOR_DEPTH = np.int64(3)
RAZOR_BASE = np.int64(100)
RAZOR_A_PLY = np.int64(60)

# Futility: so far above beta that a quiet reply cannot bring it down.
FUTILITY_DEPTH = np.int64(8)
FUTILITY_A_PLY = np.int64(60)

# Singular moves: how far the others must fall behind what the table knows of the best.
SINGULAR_DEPTH = np.int64(5)
SINGULAR_TABLE_PLIES = np.int64(3)
SINGULAR_A_PLY = np.int64(6)

# Moves that are not looked at: late ones, and quiet ones where the static score is far below alpha.
WIDTH_AT_LEAF = np.int64(6)
WIDTH_TWO_PLIES = np.int64(5)
WIDTH_MOST = np.int64(40)
QUIET_DEPTH = np.int64(3)
QUIET_BASE = np.int64(60)
QUIET_A_PLY = np.int64(60)

# Reductions grow with both logarithms.
REDUCTION_DEPTH = np.int64(3)
REDUCTION_FROM = np.uint64(2)
REDUCTION_DIVISOR = np.int64(130)
REDUCTION_RECORD = np.int64(8000)

INTERNAL_DEPTH = np.int64(4)

# A principal variation whose move comes from a search four plies less deep is searched one ply less deep itself.
STALE_SHIFT = np.int64(2)
STALE_MOST = np.int64(3)

THREE_BITS = np.uint64(3)


@kernel(int64(int64), inline=True)
def width(depth):
    """How many moves a node looks at: cells are sorted by class, and what wins quietly is rarely far down."""
    most = WIDTH_AT_LEAF + ((WIDTH_TWO_PLIES * depth) >> int64(1))
    return most if most < WIDTH_MOST else WIDTH_MOST


@kernel(int64(uint64), inline=True)
def eight_logs(number):
    """Eight times the binary logarithm, straight between powers of two."""
    highest = highest_bit(number)
    return int64(EIGHT * highest + (((number << THREE_BITS) >> highest) & (EIGHT - ONE)))


@kernel(int64(int64, uint64), inline=True)
def reduction(depth, index):
    """By how much less deep a quiet move at a place in the list is searched at first."""
    return eight_logs(uint64(depth)) * eight_logs(index + ONE) // REDUCTION_DIVISOR


@kernel(int64(int64, int64), inline=True)
def staleness(depth, known_depth):
    """By how much less deep a principal variation is searched whose move comes from a shallower search."""
    plies = (depth - known_depth) >> STALE_SHIFT
    if plies < 0:
        return int64(0)
    return plies if plies < STALE_MOST else STALE_MOST


@kernel(boolean(uint64, uint64), inline=True)
def is_quiet(mine, theirs):
    """A move that neither makes nor takes a three."""
    return mine < CELL_SPLIT_THREE and theirs < CELL_SPLIT_THREE


@kernel(boolean(uint64, uint64), inline=True)
def is_urgent(mine, theirs):
    """A move that makes a three, or takes a place where the other side would make a four."""
    return mine >= CELL_THREE or theirs >= CELL_FOUR
