"""What the search remembers of moves, whatever the position: how well they did, and what they refuted."""

import numpy as np
from numba import int64, uint64, void

from pbrain.kernel.constants import CELLS, ONE, TWO, ZERO
from pbrain.kernel.features import HAS_REFUTATIONS
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import WORKER

HISTORY_MOST = np.int64(1 << 14)
BONUS_MOST = np.int64(1 << 10)

# In the units of the table that orders moves.
KILLER_SCORE = np.int64(60)
COUNTER_SCORE = np.int64(60)
HISTORY_SHIFT = np.int64(6)


@kernel(void(WORKER))
def fade(worker):
    """Before a new search: what was learned in the last one counts half."""
    for colour in range(TWO):
        for cell in range(CELLS):
            worker.history[colour, cell] = worker.history[colour, cell] // 2


@kernel(void(WORKER, uint64, uint64, int64), inline=True)
def adjust(worker, colour, cell, bonus):
    """Move a move's history by a bonus, the less the nearer it is to the most it can be."""
    kept = int64(worker.history[colour, cell])
    size = bonus if bonus > 0 else -bonus
    worker.history[colour, cell] = kept + bonus - kept * size // HISTORY_MOST


@kernel(void(WORKER, uint64, uint64, uint64, uint64, int64))
def reward(worker, colour, ply, cell, tried, depth):
    """A move has refuted: it is tried sooner elsewhere, the moves tried before it later."""
    bonus = depth * depth * int64(4)
    if bonus > BONUS_MOST:
        bonus = BONUS_MOST
    adjust(worker, colour, cell, bonus)
    for i in range(tried):
        adjust(worker, colour, uint64(worker.moves[ply, i]), -bonus)
    if HAS_REFUTATIONS:
        if uint64(worker.killers[ply, ZERO]) != cell:
            worker.killers[ply, ONE] = worker.killers[ply, ZERO]
            worker.killers[ply, ZERO] = cell
        worker.counters[colour, worker.played[ply - ONE]] = cell


@kernel(int64(WORKER, uint64, uint64, uint64), inline=True)
def recommendation(worker, colour, ply, cell):
    """How much sooner to try a move than its classes say."""
    score = int64(worker.history[colour, cell]) >> HISTORY_SHIFT
    if HAS_REFUTATIONS:
        if uint64(worker.killers[ply, ZERO]) == cell or uint64(worker.killers[ply, ONE]) == cell:
            score += KILLER_SCORE
        if ply > ZERO and uint64(worker.counters[colour, worker.played[ply - ONE]]) == cell:
            score += COUNTER_SCORE
    return score
