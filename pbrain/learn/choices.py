"""Positions as the order of moves sees them: their candidates, and which of them the search found best."""

import ctypes
from typing import NamedTuple

import numpy as np
from numba import njit

from pbrain.core.params import CELLS, CLASS_STRIDE, MARGIN, MAX_SIZE, STRIDE, WIN_BOUND, CellClass
from pbrain.core.types import Rule
from pbrain.engine.evaluation import PLACE_SPAN
from pbrain.learn.game_format import Array, starts_of
from pbrain.learn.positions import NO_CELL, NO_SCORE, WINS, Positions, entry_of, set_up, view_of
from pbrain.library.native import Library, State, Tables

PAIRS = CLASS_STRIDE * CLASS_STRIDE
PLACES = PLACE_SPAN * PLACE_SPAN + 1  # the last one stands for all that is farther away
MAX_CANDIDATES = MAX_SIZE * MAX_SIZE
FORBIDDEN, SUSPECT = int(CellClass.FORBIDDEN), int(CellClass.SUSPECT)


class Choices(NamedTuple):
    """Positions as flat arrays: the candidates of position i are terms[starts[i] : starts[i + 1]], three terms each."""

    terms: Array
    starts: Array
    best: Array  # the best move of position i, counted from its first candidate

    def part(self, first: int, last: int) -> "Choices":
        starts = self.starts[first : last + 1]
        return Choices(self.terms[starts[0] : starts[-1]], starts - starts[0], self.best[first:last])

    @property
    def size(self) -> int:
        return len(self.best)

    @property
    def best_rows(self) -> Array:
        rows: Array = self.starts[:-1] + self.best
        return rows

    def of_each(self, by_position: Array) -> Array:
        """What a position has, for each of its candidates."""
        return np.repeat(by_position, np.diff(self.starts))


def joined(parts: list[Choices]) -> Choices:
    """Several collections as one."""
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    terms, best = np.concatenate([part.terms for part in parts]), np.concatenate([part.best for part in parts])
    return Choices(terms, starts_of(lengths), best)


class Chooser:
    """Packs positions of one rule, on a board of the native library."""

    def __init__(self, library: Library, rule: Rule) -> None:
        self._state, self._tables = State(), Tables()
        library.prepare(self._tables, rule)
        self._entries = tuple(entry_of(getattr(library, name), count) for name, count in (("clear", 4), ("make", 3)))
        self._addresses = ctypes.addressof(self._state), ctypes.addressof(self._tables)
        self._views = (
            view_of(self._state, "classes", np.uint8).reshape(2, CELLS),
            view_of(self._state, "threats", np.uint64),
            view_of(self._state, "near", np.uint32),
            view_of(self._state, "empty", np.uint32),
        )

    def packed(self, positions: Positions) -> Choices:
        """The positions in which the order of moves matters: no five or open four decides, and the search knows a move.

        Suspect cells that are allowed are few; they are left out as candidates. A position whose best move is no
        candidate is left out as well.
        """
        size = len(positions.score)
        terms = np.empty((size * MAX_CANDIDATES // 3 + MAX_CANDIDATES, 3), np.uint16)
        lengths, best = np.empty(size, np.int64), np.empty(size, np.int64)
        count, used = _choose(self._entries, self._addresses, self._views, tuple(positions), terms, lengths, best)
        return Choices(terms[:used].copy(), starts_of(lengths[:count]), best[:count].copy())


@njit(nogil=True)  # not cached: numba would not notice that a constant of another module has changed
def place_beside(columns_off, rows_off):  # type: ignore[no-untyped-def]
    """The index of a place beside a last move; all eight symmetries of a place have the same."""
    far, near = max(abs(columns_off), abs(rows_off)), min(abs(columns_off), abs(rows_off))
    return far * PLACE_SPAN + near if far < PLACE_SPAN else PLACES - 1


@njit(nogil=True)
def _choose(entries, addresses, views, positions, terms, lengths, bests):  # type: ignore[no-untyped-def]
    clear, make = entries
    state, tables = addresses
    classes, threats, near, empty = views
    boards, widths, heights, sides, scores, _, best_cells, _, lasts, owns = positions
    used = count = 0
    for i in range(len(sides)):
        width, height, side = np.int64(widths[i]), np.int64(heights[i]), np.int64(sides[i])
        last, own = np.int64(lasts[i]), np.int64(owns[i])
        if scores[i] <= -WIN_BOUND or scores[i] == NO_SCORE or last == NO_CELL or own == NO_CELL:
            continue
        clear(state, tables, width, height)
        set_up(make, state, boards[i], width, height, side)
        if (threats[0] | threats[1]) & WINS != 0:
            continue
        begin, best = used, -1
        for y in range(height):
            row = near[y + MARGIN] & empty[y + MARGIN]
            for x in range(width):
                at = (y + MARGIN) * STRIDE + x + MARGIN
                mine = np.int64(classes[side, at])
                if (row >> (x + MARGIN)) & 1 == 0 or mine in (FORBIDDEN, SUSPECT):
                    continue
                if y * width + x == best_cells[i]:
                    best = used - begin
                terms[used, 0] = mine * CLASS_STRIDE + np.int64(classes[1 - side, at])
                terms[used, 1] = PAIRS + place_beside(x - last % width, y - last // width)
                terms[used, 2] = PAIRS + PLACES + place_beside(x - own % width, y - own // width)
                used += 1
        if best < 0:
            used = begin
            continue
        lengths[count], bests[count] = used - begin, best
        count += 1
    return count, used
