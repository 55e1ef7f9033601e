"""Renju's forbidden points, exactly."""

from numba import boolean, uint64

from pbrain.kernel import cell_class, line_class
from pbrain.kernel.board import first_beyond, line_at, make, step_of, undo
from pbrain.kernel.constants import BLACK, DIRECTIONS, EMPTY, ONE, TWO, ZERO
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import STATE


@kernel(boolean(STATE, uint64))
def is_forbidden(state, cell):
    """Whether black may not play an empty cell (rules of the Renju International Federation, 9.2 and 9.3).

    Overlines and double fours are seen in the lines alone, and a five is never forbidden: both are in the cell's
    class. A three counts only if one more stone, itself allowed and not a five, makes a straight four of it.
    The state is changed on the way and restored.
    """
    if uint64(state.classes[BLACK, cell]) == cell_class.FORBIDDEN:
        return True
    if uint64(state.classes[BLACK, cell]) != cell_class.SUSPECT:
        return False
    make(state, cell, BLACK)
    threes = ZERO
    for direction in range(DIRECTIONS):
        line = line_at(state, BLACK, cell, direction)  # `make` leaves the shape of the cell itself alone
        if line != line_class.SPLIT_THREE and line != line_class.OPEN_THREE:
            continue
        # A straight four has no gaps, so the stone that completes it is the first empty cell on either side.
        step = step_of(direction)
        for _side in range(TWO):
            other = first_beyond(state, BLACK, cell, step)
            step = ZERO - step
            if uint64(state.stones[other]) != EMPTY:
                continue
            if line_at(state, BLACK, other, direction) != line_class.OPEN_FOUR:
                continue
            if uint64(state.classes[BLACK, other]) != cell_class.FIVE and not is_forbidden(state, other):
                threes += ONE
                break
    undo(state)
    return threes >= TWO


@kernel(boolean(STATE, uint64, uint64), inline=True)
def is_foul(state, colour, cell):
    """Whether the rule keeps a colour from an empty cell; cheap wherever the cell's class settles it."""
    kind = uint64(state.classes[colour, cell])
    return kind == cell_class.FORBIDDEN or (kind == cell_class.SUSPECT and is_forbidden(state, cell))
