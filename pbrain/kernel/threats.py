"""What the counts of cell classes answer at once."""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.core import params
from pbrain.kernel.constants import CELL_DOUBLE_FOUR, CELL_FIVE, CELL_OPEN_FOUR, ONE, ZERO
from pbrain.kernel.machine import kernel, tables_at
from pbrain.kernel.records import STATE

COUNTS = np.uint64(len(params.THREAT_COUNTS))
IS_MINE = tuple(np.uint64(count.is_mine) for count in params.THREAT_COUNTS)
FIRST = tuple(np.uint64(count.first) for count in params.THREAT_COUNTS)
AFTER = tuple(np.uint64(count.last + 1) for count in params.THREAT_COUNTS)
BITS = tuple(np.uint64(count.bits) for count in params.THREAT_COUNTS)


@kernel(boolean(STATE, uint64), inline=True)
def has_five(state, colour):
    """The colour can win with one stone; if the other is to move, that cell must be blocked."""
    return uint64(state.counts[colour, CELL_FIVE]) != ZERO


@kernel(boolean(STATE, uint64), inline=True)
def has_open_four(state, colour):
    """One stone gives the colour two ways to make five."""
    return uint64(state.counts[colour, CELL_OPEN_FOUR]) + uint64(state.counts[colour, CELL_DOUBLE_FOUR]) != ZERO


@kernel(uint64(STATE))
def threat_index(state):
    """What both sides threaten, as `params.THREAT_COUNTS` has it."""
    index = ZERO
    for i in range(COUNTS):
        colour = uint64(state.to_move) ^ IS_MINE[i] ^ ONE
        count = ZERO
        for kind in range(FIRST[i], AFTER[i]):
            count += uint64(state.counts[colour, kind])
        most = (ONE << BITS[i]) - ONE
        index = (index << BITS[i]) | (count if count < most else most)
    return index


@kernel(int64(STATE))
def evaluate(state):
    """The static value of the position for the side to move: of its cells, and of its threats together."""
    return int64(state.value[state.to_move]) + int64(tables_at(state.tables).threat_value[threat_index(state)])


@kernel(boolean(STATE), inline=True)
def is_full(state):
    return uint64(state.moves) == uint64(state.width) * uint64(state.height)
