"""What the counts of cell classes answer at once."""

from numba import boolean, int64, uint64

from pbrain.kernel.constants import CELL_DOUBLE_FOUR, CELL_FIVE, CELL_OPEN_FOUR, ZERO
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import STATE


@kernel(boolean(STATE, uint64), inline=True)
def has_five(state, colour):
    """The colour can win with one stone; if the other is to move, that cell must be blocked."""
    return uint64(state.counts[colour, CELL_FIVE]) != ZERO


@kernel(boolean(STATE, uint64), inline=True)
def has_open_four(state, colour):
    """One stone gives the colour two ways to make five."""
    return uint64(state.counts[colour, CELL_OPEN_FOUR]) + uint64(state.counts[colour, CELL_DOUBLE_FOUR]) != ZERO


@kernel(int64(STATE), inline=True)
def evaluate(state):
    """The static value of the position for the side to move."""
    return int64(state.value[state.to_move])


@kernel(boolean(STATE), inline=True)
def is_full(state):
    return uint64(state.moves) == uint64(state.width) * uint64(state.height)
