"""Random positions, and make/undo on all their candidates: what `bench --board` times."""

import numpy as np
from numba import uint64, void

from pbrain.kernel.board import column_of, make, row_of, undo
from pbrain.kernel.constants import CELLS, ONE, STRIDE, TWO, ZERO
from pbrain.kernel.machine import kernel, lowest_bit
from pbrain.kernel.patterns import scrambled
from pbrain.kernel.records import STATE
from pbrain.kernel.threats import is_full

NEAR_CHANCE = np.uint64(7)  # of 8 stones are placed beside others, where shapes form; the rest anywhere


@kernel(uint64(STATE, uint64))
def random_cell(state, random):
    """An empty cell, most often a candidate; the board must not be full."""
    is_anywhere = random & uint64(7) >= NEAR_CHANCE or uint64(state.moves) == ZERO
    cell = (random >> uint64(8)) & (CELLS - ONE)
    for tried in range(TWO * CELLS):
        cell = (cell + ONE) & (CELLS - ONE)
        row = uint64(state.empty[row_of(cell)])
        # A second round takes any cell: the candidates may all be taken.
        if not is_anywhere and tried < CELLS:
            row &= uint64(state.near[row_of(cell)])
        if (row >> column_of(cell)) & ONE != ZERO:
            break
    return cell


@kernel(void(STATE, uint64, uint64))
def scatter(state, seed, stones):
    """Play up to `stones` random moves, none of which wins."""
    for i in range(stones):
        if is_full(state):
            break
        make(state, random_cell(state, scrambled(seed + i)), uint64(state.to_move))
        if uint64(state.winner) != ZERO:
            undo(state)


@kernel(uint64(STATE, uint64))
def exercise(state, rounds):
    """Make and undo every candidate `rounds` times; how many pairs that was."""
    pairs = ZERO
    for _ in range(rounds):
        for row in range(STRIDE):
            candidates = uint64(state.near[row]) & uint64(state.empty[row])
            while candidates != ZERO:
                cell = row * STRIDE + lowest_bit(candidates)
                candidates &= candidates - ONE
                make(state, cell, uint64(state.to_move))
                undo(state)
                pairs += ONE
    return pairs
