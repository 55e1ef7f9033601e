"""What the search remembers of moves, whatever the position: how well they did, and what they refuted."""

import numpy as np
from numba import int64, uint64, void

from pbrain.kernel.board import king_distance
from pbrain.kernel.constants import CELLS, ONE, TWO, ZERO
from pbrain.kernel.features import HAS_NEARNESS, HAS_REFUTATIONS, HAS_REPLIES
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import WORKER

HISTORY_MOST = np.int64(1 << 14)
BONUS_MOST = np.int64(1 << 10)

# In the units of the table that orders moves.
KILLER_SCORE = np.int64(60)
COUNTER_SCORE = np.int64(60)
RECORD_SHIFT = np.int64(7)

# Play goes on where it is: moves within NEAR of the last one come sooner, those farther off than NOT_FAR later.
NEAR, NOT_FAR = np.int64(2), np.int64(4)
NEAR_SCORE, FAR_SCORE = np.int64(20), np.int64(-20)


@kernel(void(WORKER))
def fade(worker):
    """Before a new search: what was learned in the last one counts half."""
    for colour in range(TWO):
        for cell in range(CELLS):
            worker.history[colour, cell] = worker.history[colour, cell] // 2


@kernel(int64(int64, int64), inline=True)
def adjusted(kept, bonus):
    """A history moved by a bonus, the less the nearer it is to the most it can be."""
    size = bonus if bonus > 0 else -bonus
    return kept + bonus - kept * size // HISTORY_MOST


@kernel(void(WORKER, uint64, uint64, uint64, int64), inline=True)
def adjust(worker, colour, last, cell, bonus):
    """What a move did, by itself and as an answer to the last one."""
    worker.history[colour, cell] = adjusted(int64(worker.history[colour, cell]), bonus)
    if HAS_REPLIES:
        worker.replies[colour, last, cell] = adjusted(int64(worker.replies[colour, last, cell]), bonus)


@kernel(void(WORKER, uint64, uint64, uint64, uint64, int64))
def reward(worker, colour, ply, cell, tried, depth):
    """A move has refuted: it is tried sooner elsewhere, the moves tried before it later."""
    last = uint64(worker.played[ply - ONE])
    bonus = depth * depth * int64(4)
    if bonus > BONUS_MOST:
        bonus = BONUS_MOST
    adjust(worker, colour, last, cell, bonus)
    for i in range(tried):
        adjust(worker, colour, last, uint64(worker.moves[ply, i]), -bonus)
    if HAS_REFUTATIONS:
        if uint64(worker.killers[ply, ZERO]) != cell:
            worker.killers[ply, ONE] = worker.killers[ply, ZERO]
            worker.killers[ply, ZERO] = cell
        worker.counters[colour, last] = cell


@kernel(int64(WORKER, uint64, uint64, uint64), inline=True)
def record(worker, colour, ply, cell):
    """How well a move did before, wherever it was, and as an answer to the last one."""
    score = int64(worker.history[colour, cell])
    if HAS_REPLIES and ply > ZERO:
        score += int64(worker.replies[colour, worker.played[ply - ONE], cell])
    return score


@kernel(int64(uint64, uint64), inline=True)
def nearness(cell, last):
    distance = king_distance(cell, last)
    if distance <= NEAR:
        return NEAR_SCORE
    return FAR_SCORE if distance > NOT_FAR else int64(0)


@kernel(int64(WORKER, uint64, uint64, uint64), inline=True)
def recommendation(worker, colour, ply, cell):
    """How much sooner to try a move than its classes say."""
    score = record(worker, colour, ply, cell) >> RECORD_SHIFT
    if HAS_REFUTATIONS and (uint64(worker.killers[ply, ZERO]) == cell or uint64(worker.killers[ply, ONE]) == cell):
        score += KILLER_SCORE
    if ply > ZERO:
        last = uint64(worker.played[ply - ONE])
        if HAS_REFUTATIONS and uint64(worker.counters[colour, last]) == cell:
            score += COUNTER_SCORE
        if HAS_NEARNESS:
            score += nearness(cell, last)
    return score
