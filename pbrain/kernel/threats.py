"""What the counts of cell classes answer at once."""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.core import params
from pbrain.kernel import threat
from pbrain.kernel.constants import MARGIN, ONE, STRIDE, ZERO
from pbrain.kernel.features import HAS_NETWORK
from pbrain.kernel.machine import kernel, lowest_bit, row_at_least, tables_at
from pbrain.kernel.network import network_value
from pbrain.kernel.records import STATE

COUNTS = np.uint64(len(params.THREAT_COUNTS))
IS_MINE = tuple(np.uint64(count.is_mine) for count in params.THREAT_COUNTS)
THREATS = tuple(np.uint64(count.threat) for count in params.THREAT_COUNTS)
BITS = tuple(np.uint64(count.bits) for count in params.THREAT_COUNTS)
COUNT_BITS = np.uint64(params.COUNT_BITS)
COUNT_MASK = np.uint64((1 << params.COUNT_BITS) - 1)


@kernel(uint64(STATE, uint64, uint64), inline=True)
def count_of(state, colour, kind):
    """How many empty cells are such a threat of the colour."""
    return (uint64(state.threats[colour]) >> (COUNT_BITS * kind)) & COUNT_MASK


@kernel(boolean(STATE, uint64), inline=True)
def has_five(state, colour):
    """The colour can win with one stone; if the opponent is to move, it must be stopped."""
    return count_of(state, colour, threat.FIVE) != ZERO


@kernel(uint64(STATE, uint64, uint64))
def first_at_least(state, colour, min_class):
    """A cell whose class for the colour is `min_class` or more, or zero."""
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        found = row_at_least(state, colour, row, min_class)
        if found != ZERO:
            return row * STRIDE + lowest_bit(found)
    return ZERO


@kernel(uint64(STATE))
def threat_index(state):
    """What both sides threaten, as `params.THREAT_COUNTS` has it."""
    index = ZERO
    for i in range(COUNTS):
        colour = uint64(state.to_move) ^ IS_MINE[i] ^ ONE
        count = count_of(state, colour, THREATS[i])
        max_count = (ONE << BITS[i]) - ONE
        index = (index << BITS[i]) | (count if count < max_count else max_count)
    return index


@kernel(int64(STATE, uint64), inline=True)
def value_with(state, threats):
    """The static value of the position for the side to move: of its cells, and of its threats together."""
    tables = tables_at(state.tables)
    value = int64(state.value[state.to_move]) + int64(tables.threat_value[threats])
    if HAS_NETWORK and uint64(tables.has_network) != ZERO:
        value += network_value(state, threats)
    return value


@kernel(int64(STATE))
def evaluate(state):
    return value_with(state, threat_index(state))


@kernel(boolean(STATE), inline=True)
def is_full(state):
    return uint64(state.moves) == uint64(state.width) * uint64(state.height)
