"""The transposition table: clusters of four entries, each a word of data and the key mixed with it.

Two threads may write the same entry at once. An entry torn between them does not match its key and is ignored.

    bits of the data   0-9 move   10-11 bound   12-19 depth   20-27 age   32-63 score
"""

import numpy as np
from numba import int64, uint64, void

from pbrain.core import params
from pbrain.kernel.constants import FOUR, ONE, ZERO
from pbrain.kernel.machine import kernel, load_word, prefetch_word, store_word, touch_word
from pbrain.kernel.records import WORKER

CLUSTER_BYTES = np.uint64(params.TABLE_CLUSTER_BYTES)
ENTRY_BYTES = np.uint64(params.TABLE_ENTRY_BYTES)
WORD_BYTES = np.uint64(8)
PAGE_BYTES = np.uint64(4096)  # of the smallest pages; touching larger ones more than once costs little
HALF_KEY = np.uint64(32)
EXACT, LOWER_BOUND, UPPER_BOUND = np.uint64(1), np.uint64(2), np.uint64(3)
MOVE_MASK, BOUND_MASK, BYTE_MASK = np.uint64(0x3FF), np.uint64(3), np.uint64(0xFF)
BOUND_AT, DEPTH_AT, AGE_AT, SCORE_AT = np.uint64(10), np.uint64(12), np.uint64(20), np.int64(32)
WIN_BOUND = np.int64(params.WIN_BOUND)
AGE_PENALTY = np.int64(8)  # an entry counts as this many plies shallower for each search since it was stored


@kernel(uint64(WORKER, uint64), inline=True)
def cluster_of(worker, key):
    """The place of a key in a table of any size: half of the key, as a fraction of 2 ** 32, of all clusters."""
    return uint64(worker.table) + (((key >> HALF_KEY) * uint64(worker.table_clusters)) >> HALF_KEY) * CLUSTER_BYTES


@kernel(void(WORKER, uint64), inline=True)
def prefetch(worker, key):
    """Fetch what the table has for a key that is soon asked for."""
    prefetch_word(cluster_of(worker, key))


@kernel(void(uint64, uint64))
def touch(address, size):
    """Have the system provide the pages of a part of the table, whose contents stay as they are."""
    for page in range(ZERO, size, PAGE_BYTES):
        touch_word(address + page)


@kernel(uint64(WORKER), inline=True)
def age_bits(worker):
    return (uint64(worker.age) & BYTE_MASK) << AGE_AT


@kernel(void(uint64, uint64, uint64), inline=True)
def write_entry(entry, key, data):
    store_word(entry, key ^ data)
    store_word(entry + WORD_BYTES, data)


@kernel(uint64(WORKER, uint64))
def probe(worker, key):
    """The data stored for a key, or zero; what this search has asked for is as young as what it stores."""
    at = cluster_of(worker, key)
    for i in range(FOUR):
        entry = at + i * ENTRY_BYTES
        data = load_word(entry + WORD_BYTES)
        if load_word(entry) ^ data == key and data != ZERO:
            young = (data & ~(BYTE_MASK << AGE_AT)) | age_bits(worker)
            if young != data:
                write_entry(entry, key, young)
            return young
    return ZERO


@kernel(uint64(uint64), inline=True)
def move_in(data):
    return data & MOVE_MASK


@kernel(uint64(uint64), inline=True)
def bound_in(data):
    return (data >> BOUND_AT) & BOUND_MASK


@kernel(int64(uint64), inline=True)
def depth_in(data):
    return int64((data >> DEPTH_AT) & BYTE_MASK)


@kernel(int64(uint64, int64), inline=True)
def score_in(data, ply):
    """The score, with wins counted from the root again."""
    score = int64(data) >> SCORE_AT
    if score > WIN_BOUND:
        return score - ply
    return score + ply if score < -WIN_BOUND else score


@kernel(void(WORKER, uint64, uint64, int64, int64, uint64, int64))
def store(worker, key, move, score, depth, bound, ply):
    """Keep a result in place of the same key's, or of the least useful entry of its cluster."""
    if score > WIN_BOUND:
        score += ply
    elif score < -WIN_BOUND:
        score -= ply
    age = uint64(worker.age) & BYTE_MASK
    at = cluster_of(worker, key)
    worst, min_worth = at, int64(1 << 30)
    for i in range(FOUR):
        entry = at + i * ENTRY_BYTES
        data = load_word(entry + WORD_BYTES)
        if load_word(entry) ^ data == key:
            worst = entry
            if move == ZERO:
                move = move_in(data)
            break
        worth = depth_in(data) - AGE_PENALTY * int64((age - ((data >> AGE_AT) & BYTE_MASK)) & BYTE_MASK)
        if data == ZERO:
            worth = -int64(1 << 30)
        if worth < min_worth:
            min_worth = worth
            worst = entry
    kept = uint64(depth) if depth > 0 else ZERO
    data = move | (bound << BOUND_AT) | (kept << DEPTH_AT) | age_bits(worker) | uint64(score << SCORE_AT)
    write_entry(worst, key, data)


@kernel(uint64(uint64), inline=True)
def next_age(age):
    """From 1 to 255 and round again: 0 is the age of a table that no search has used."""
    return age % BYTE_MASK + ONE
