"""Moves that some thread is searching: another thread that comes to one of them tries its other moves first.

By then the move's result is often in the transposition table, and the two threads have shared the work of a node
(Kerrigan's simplified ABDADA). A move is known by the key of the position after it. Threads write these words without
a lock: at worst, two of them search the same move.
"""

import numpy as np
from numba import boolean, int64, uint64, void

from pbrain.core import params
from pbrain.kernel.constants import PLY, ZERO
from pbrain.kernel.machine import kernel, load_word, store_word
from pbrain.kernel.nodes import key_after
from pbrain.kernel.records import STATE, WORKER

CLUSTER_MASK = np.uint64(params.BUSY_CLUSTERS - 1)
WAYS = np.uint64(params.BUSY_WAYS)
WORD_BYTES = np.uint64(8)
CLUSTER_BYTES = WAYS * WORD_BYTES
MAX_DEFERRED = np.uint64(64)  # places in a list of moves that a word has a bit for
MIN_DEPTH = np.int64(params.BUSY_MIN_PLIES) * PLY


@kernel(uint64(STATE, WORKER, uint64, int64), inline=True)
def shared_move(state, worker, cell, depth):
    """How threads know a move of the side to move, or zero where there is nothing to share."""
    if uint64(worker.busy) == ZERO or depth < MIN_DEPTH:
        return ZERO
    return key_after(state, cell)


@kernel(uint64(WORKER, uint64), inline=True)
def cluster_of(worker, move):
    return uint64(worker.busy) + (move & CLUSTER_MASK) * CLUSTER_BYTES


@kernel(boolean(WORKER, uint64))
def is_busy(worker, move):
    if move == ZERO:
        return False
    at, is_found = cluster_of(worker, move), False
    for i in range(WAYS):
        is_found |= load_word(at + i * WORD_BYTES) == move
    return is_found


@kernel(void(WORKER, uint64))
def begin_move(worker, move):
    """Tell the other threads that this one searches a move; where there is no room, in place of another."""
    if move == ZERO:
        return
    at = cluster_of(worker, move)
    for i in range(WAYS):
        known = load_word(at + i * WORD_BYTES)
        if known == move:
            return
        if known == ZERO:
            store_word(at + i * WORD_BYTES, move)
            return
    store_word(at, move)


@kernel(void(WORKER, uint64))
def end_move(worker, move):
    if move == ZERO:
        return
    at = cluster_of(worker, move)
    for i in range(WAYS):
        if load_word(at + i * WORD_BYTES) == move:
            store_word(at + i * WORD_BYTES, ZERO)
