"""What the search remembers of moves, whatever the position: how well they did, and what they refuted."""

import numpy as np
from numba import int64, uint64, void
from numba.types import UniTuple

from pbrain.kernel import features
from pbrain.kernel.constants import CELLS, ONE, TWO, ZERO
from pbrain.kernel.machine import kernel, tables_at
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.tuning import parameter

# History scores stay below a bound that they approach more slowly the nearer they are (the field's "gravity").
MAX_HISTORY = np.int64(1 << 14)
MAX_BONUS = np.int64(1 << 10)

HINTS = UniTuple(uint64, 5)

killer_score = parameter("killer_score")
counter_move_score = parameter("counter_move_score")
history_shift = parameter("history_shift")
bonus_factor = parameter("bonus_factor")


@kernel(void(WORKER))
def fade(worker):
    """Before a new search, the history of the last one counts half."""
    for colour in range(TWO):
        for cell in range(CELLS):
            worker.history[colour, cell] = worker.history[colour, cell] // 2


@kernel(int64(int64, int64), inline=True)
def updated(score, bonus):
    size = bonus if bonus > 0 else -bonus
    return score + bonus - score * size // MAX_HISTORY


@kernel(void(WORKER, uint64, uint64, uint64, int64), inline=True)
def update(worker, colour, last, cell, bonus):
    """A move's history, by itself and as a continuation of the last move."""
    worker.history[colour, cell] = updated(int64(worker.history[colour, cell]), bonus)
    if features.HAS_CONTINUATION_HISTORY:
        worker.continuation[colour, last, cell] = updated(int64(worker.continuation[colour, last, cell]), bonus)


@kernel(void(WORKER, uint64, uint64, uint64, uint64, int64))
def reward(worker, colour, ply, cell, tried, depth):
    """A move has caused a beta cutoff: it is tried sooner elsewhere, the moves tried before it later."""
    last = uint64(worker.played[ply - ONE])
    bonus = depth * depth * bonus_factor(worker)
    if bonus > MAX_BONUS:
        bonus = MAX_BONUS
    update(worker, colour, last, cell, bonus)
    for i in range(tried):
        update(worker, colour, last, uint64(worker.moves[ply, i]), -bonus)
    if features.HAS_KILLERS:
        if uint64(worker.killers[ply, ZERO]) != cell:
            worker.killers[ply, ONE] = worker.killers[ply, ZERO]
            worker.killers[ply, ZERO] = cell
        worker.counter_moves[colour, last] = cell


@kernel(int64(WORKER, uint64, uint64, uint64), inline=True)
def history_of(worker, colour, ply, cell):
    """How well a move did before, wherever it was played, and as a continuation of the last move."""
    score = int64(worker.history[colour, cell])
    if features.HAS_CONTINUATION_HISTORY and ply > ZERO:
        score += int64(worker.continuation[colour, worker.played[ply - ONE], cell])
    return score


@kernel(HINTS(STATE, WORKER, uint64, uint64), inline=True)
def hints_for(state, worker, colour, ply):
    """What all moves of a node are compared with: the opponent's last move and mine, two killers, the counter move.

    A missing move is cell zero, a wall. They are loaded once for many moves: the compiler itself would do so for each.
    """
    moves = uint64(state.moves)
    last = uint64(state.frames[moves - ONE].cell) if moves >= TWO else ZERO
    own = uint64(state.frames[moves - TWO].cell) if moves >= TWO else ZERO
    counter_move = uint64(worker.counter_moves[colour, worker.played[ply - ONE]]) if ply > ZERO else ZERO
    return last, own, uint64(worker.killers[ply, ZERO]), uint64(worker.killers[ply, ONE]), counter_move


@kernel(int64(STATE, uint64, uint64, uint64), inline=True)
def proximity(state, cell, last, own):
    """How much sooner to try a cell that lies so to the last two moves, the opponent's and mine.

    A table by the difference of the cells needs neither distances nor limits.
    """
    if own == ZERO:
        return int64(0)
    near_last = tables_at(state.tables).near_last
    return int64(near_last[ZERO, cell + CELLS - last]) + int64(near_last[ONE, cell + CELLS - own])


@kernel(int64(STATE, WORKER, uint64, uint64, uint64, HINTS), inline=True)
def order_bonus(state, worker, colour, ply, cell, hints):
    """How much sooner to try a move than its classes say."""
    last, own, killer, second_killer, counter_move = hints
    score = history_of(worker, colour, ply, cell) >> history_shift(worker)
    if features.HAS_KILLERS:
        if cell == killer or cell == second_killer:
            score += killer_score(worker)
        if cell == counter_move:
            score += counter_move_score(worker)
    if features.HAS_PROXIMITY:
        score += proximity(state, cell, last, own)
    return score
