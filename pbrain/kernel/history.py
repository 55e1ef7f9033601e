"""What the search remembers of moves, whatever the position: how well they did, and what they refuted."""

import numpy as np
from numba import int64, uint64, void

from pbrain.kernel import features
from pbrain.kernel.board import king_distance
from pbrain.kernel.constants import CELLS, ONE, TWO, ZERO
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import WORKER

# History scores stay below a bound that they approach more slowly the nearer they are (the field's "gravity").
MAX_HISTORY = np.int64(1 << 14)
MAX_BONUS = np.int64(1 << 10)
BONUS_FACTOR = np.int64(4)  # of depth squared: 2 to 16; depth 16 reaches the bound

# In the units of the table that orders moves, where an open three is about 100. Range 0 to 200.
KILLER_SCORE = np.int64(60)
COUNTER_MOVE_SCORE = np.int64(60)
HISTORY_SHIFT = np.int64(7)  # both histories together add at most 256; range 6 to 9

# Play goes on where it is: moves within CLOSE of the last one come sooner, those farther off than FAR later.
CLOSE, FAR = np.int64(2), np.int64(4)
CLOSE_SCORE, FAR_SCORE = np.int64(20), np.int64(-20)  # range 0 to 60 each way


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
    bonus = depth * depth * BONUS_FACTOR
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


@kernel(int64(uint64, uint64), inline=True)
def proximity(cell, last):
    distance = king_distance(cell, last)
    if distance <= CLOSE:
        return CLOSE_SCORE
    return FAR_SCORE if distance > FAR else int64(0)


@kernel(int64(WORKER, uint64, uint64, uint64), inline=True)
def order_bonus(worker, colour, ply, cell):
    """How much sooner to try a move than its classes say."""
    score = history_of(worker, colour, ply, cell) >> HISTORY_SHIFT
    if features.HAS_KILLERS and (uint64(worker.killers[ply, ZERO]) == cell or uint64(worker.killers[ply, ONE]) == cell):
        score += KILLER_SCORE
    if ply > ZERO:
        last = uint64(worker.played[ply - ONE])
        if features.HAS_KILLERS and uint64(worker.counter_moves[colour, last]) == cell:
            score += COUNTER_MOVE_SCORE
        if features.HAS_PROXIMITY:
            score += proximity(cell, last)
    return score
