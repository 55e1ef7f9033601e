"""Positions as the network sees them: how often each pair of classes occurs among the empty cells, and the threats.

A bag of about 56 pairs stands for 200 cells, so learning from bags takes a third of the time.
"""

import ctypes
from typing import NamedTuple

import numpy as np
from numba import njit

from pbrain.core.params import CELLS, CLASS_STRIDE, MARGIN, MAX_SIZE, STRIDE
from pbrain.core.types import Rule
from pbrain.engine.engine import prepare_tables
from pbrain.engine.evaluation import Knowledge
from pbrain.learn.game_format import Array, starts_of
from pbrain.learn.positions import NO_SCORE, UNKNOWN, Positions, entry_of, set_up, view_of
from pbrain.library.native import Library, State, Tables

PAIRS = CLASS_STRIDE * CLASS_STRIDE
MAX_CELLS = MAX_SIZE * MAX_SIZE
SEARCH_SCALE = 700.0  # the score that multiplies the odds to win by e: this scale predicts results best
MAX_SCORE = 3000  # larger scores are cut off; a proven win is certain enough at this one
RESULT_SHARE = 0.3  # of the result in what is to be learned, where it counts; the score of the search has the rest


class Bags(NamedTuple):
    """The pairs of position i are pairs[starts[i] : starts[i + 1]]; `mine * CLASS_STRIDE + theirs` is a pair."""

    starts: Array
    pairs: Array
    counts: Array
    threats: Array  # threat index
    side: Array  # to move
    value: Array  # of the table, from the side to move
    goal: Array  # the chance to win that is to be learned

    @property
    def size(self) -> int:
        return len(self.goal)


def joined(parts: list[Bags]) -> Bags:
    """Several bags as one."""
    columns = (np.concatenate([part[i] for part in parts]) for i in range(1, len(Bags._fields)))
    return Bags(starts_of(np.concatenate([np.diff(part.starts) for part in parts])), *columns)


def goal_of(positions: Positions, result_share: float = RESULT_SHARE) -> Array:
    """The chance to win that is to be learned: of the search's score, and in part of the game's result."""
    score = np.clip(positions.score.astype(np.float32), -MAX_SCORE, MAX_SCORE)
    found = 1 / (1 + np.exp(-score / np.float32(SEARCH_SCALE)))
    happened = (positions.result + 1) / np.float32(2)
    mixed = (1 - result_share) * found + result_share * happened
    judged = np.where(positions.result == UNKNOWN, found, mixed)
    goal: Array = np.where(positions.score == NO_SCORE, happened, judged).astype(np.float32)
    return goal


class Bagger:
    """Packs positions of one rule, on a board of the native library."""

    def __init__(self, library: Library, rule: Rule, knowledge: Knowledge) -> None:
        self._state, self._tables = State(), Tables()
        prepare_tables(library, self._tables, rule, knowledge)
        library.clear(self._state, ctypes.addressof(self._tables), MAX_SIZE, MAX_SIZE)
        self._entries = tuple(
            entry_of(getattr(library, name), count)
            for name, count in (("clear", 4), ("make", 3), ("undo", 1), ("threat_index", 1))
        )
        self._addresses = ctypes.addressof(self._state), ctypes.addressof(self._tables)
        self._views = (
            view_of(self._state, "classes", np.uint8).reshape(2, CELLS),
            view_of(self._state, "value", np.int32),
            view_of(self._tables, "threat_value", np.int16),
        )

    def packed(self, positions: Positions, result_share: float = RESULT_SHARE) -> Bags:
        size = len(positions.score)
        lengths = np.zeros(size, np.int64)
        pairs, counts = np.empty((2, size * MAX_CELLS // 4), np.uint16)
        threats, value = np.empty(size, np.uint16), np.empty(size, np.float32)
        used = _pack(
            self._entries, self._addresses, self._views, tuple(positions[:4]), lengths, pairs, counts, threats, value
        )
        side = positions.side.astype(np.uint8)
        clipped = np.clip(value, -MAX_SCORE, MAX_SCORE)
        return Bags(
            starts_of(lengths),
            pairs[:used].copy(),
            counts[:used].copy(),
            threats,
            side,
            clipped,
            goal_of(positions, result_share),
        )


@njit(nogil=True)  # not cached: numba would not notice that a constant of another module has changed
def _pack(entries, addresses, views, positions, lengths, pairs, counts, threats, values):  # type: ignore[no-untyped-def]
    clear, make, undo, threat_index = entries
    state, tables = addresses
    classes, value, threat_value = views
    boards, widths, heights, sides = positions
    often = np.zeros(PAIRS, np.uint16)
    used = placed = 0
    old_width, old_height = np.int64(0), np.int64(0)
    for i in range(len(sides)):
        width, height, side = np.int64(widths[i]), np.int64(heights[i]), np.int64(sides[i])
        if width != old_width or height != old_height:
            clear(state, tables, width, height)
            old_width, old_height = width, height
            placed = 0
        while placed > 0:
            undo(state)
            placed -= 1
        placed = set_up(make, state, boards[i], width, height, side)
        begin = used
        for y in range(height):
            at = (y + MARGIN) * STRIDE + MARGIN
            for x in range(width):
                mine, theirs = np.int64(classes[side, at + x]), np.int64(classes[1 - side, at + x])
                if mine == 0:
                    continue
                pair = mine * CLASS_STRIDE + theirs
                if often[pair] == 0:
                    pairs[used] = pair
                    used += 1
                often[pair] += 1
        for j in range(begin, used):
            counts[j] = often[pairs[j]]
            often[pairs[j]] = 0
        lengths[i] = used - begin
        threats[i] = threat_index(state)
        values[i] = value[side] + threat_value[threats[i]]
    return used
