"""From games to positions to learn from: boards of two bits per cell, with score, result and best move.

Left out are positions that the search decides by itself: those with a five, an open four or a VCF. The native library
finds them. A compiled loop calls it, since a call from Python takes longer than most of what is called.
"""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from pbrain.core import params
from pbrain.core.params import (
    COUNT_BITS,
    MARGIN,
    MAX_SIZE,
    MIN_SIZE,
    SHORT_FOURS,
    SHORT_NODES,
    STRIDE,
    WIN_BOUND,
    Threat,
)
from pbrain.core.types import Rule
from pbrain.learn.game_format import NOBODY, Array, Ending, Games
from pbrain.library.native import Library, State, Tables, Worker

FIVES = ((1 << COUNT_BITS) - 1) << (COUNT_BITS * Threat.FIVE)  # the bits of a word of threats that count fives
WINS = FIVES | ((1 << COUNT_BITS) - 1) << (COUNT_BITS * Threat.OPEN_FOUR)  # and those that count open and double fours
CELLS_PER_BYTE = 4
BOARD_BYTES = MAX_SIZE * MAX_SIZE // CELLS_PER_BYTE
CHUNK_TURNS = 1 << 18  # 40 MB of positions
UNLIMITED = (1 << 62) - 1

# A VCF of SHORT_NODES stores at most as many entries of 16 bytes. There are a few in a game.
TABLE_BYTES = 1 << 18

WON, DRAWN, LOST, UNKNOWN = 1, 0, -1, -2
NO_SCORE = -(1 << 15)  # of a position that no search has judged: its game's result is all there is to learn
NO_CELL = 0xFFFF


class Positions(NamedTuple):
    """Positions as arrays. Cell c = y * width + x has the bits 2 * (c % 4) of byte c // 4 of its board."""

    board: Array  # EMPTY, BLACK_STONE or WHITE_STONE
    width: Array
    height: Array
    side: Array  # to move: BLACK or WHITE
    score: Array  # of the search, from the side to move; or NO_SCORE
    result: Array  # WON, DRAWN or LOST by the side to move; UNKNOWN if a mistake follows, or the game was broken off
    best: Array  # move of the search, a cell
    game: Array  # its number
    last: Array  # move of the opponent, a cell; NO_CELL if there is none
    own: Array  # the same for the side to move


class Judge:
    """Decodes games of one rule, with a board of the native library."""

    def __init__(self, library: Library, rule: Rule) -> None:
        self._state, self._worker, self._tables = State(), Worker(), Tables()
        self._table = np.zeros(TABLE_BYTES // 8 + 8, dtype=np.uint64)
        library.prepare(self._tables, rule)
        worker = self._worker
        worker.node_limit = worker.deadline_ns = UNLIMITED
        worker.table = -(-self._table.ctypes.data // params.TABLE_CLUSTER_BYTES) * params.TABLE_CLUSTER_BYTES
        worker.table_clusters = TABLE_BYTES // params.TABLE_CLUSTER_BYTES
        self._entries = tuple(
            entry_of(getattr(library, name), count)
            for name, count in (("clear", 4), ("make", 3), ("begin_search", 2), ("root_vcf", 4))
        )
        self._addresses = tuple(ctypes.addressof(record) for record in (self._state, self._worker, self._tables))
        self._threats = view_of(self._state, "threats", np.uint64)
        self._age = view_of(self._worker, "age", np.uint32)

    def decode(self, games: Games, first: int, last: int) -> Positions:
        """The positions of the games from `first` on that come before `last`."""
        check_cells(games, first, last)
        size = games.starts[last] - games.starts[first]
        found = Positions(
            board=np.empty((size, BOARD_BYTES), dtype=np.uint8),
            width=np.empty(size, dtype=np.uint8),
            height=np.empty(size, dtype=np.uint8),
            side=np.empty(size, dtype=np.uint8),
            score=np.empty(size, dtype=np.int16),
            result=np.empty(size, dtype=np.int8),
            best=np.empty(size, dtype=np.uint16),
            game=np.empty(size, dtype=np.uint32),
            last=np.empty(size, dtype=np.uint16),
            own=np.empty(size, dtype=np.uint16),
        )
        count = _decode(
            self._entries,
            self._addresses,
            self._threats,
            self._age,
            self._table,
            tuple(games),
            first,
            last,
            tuple(found),
        )
        return Positions(*(column[:count] for column in found))


def decoded(library: Library, games: Games) -> Iterator[Positions]:
    """The positions of all games, which have one rule, in their order, about CHUNK_TURNS at a time."""
    rules = np.unique(games.rule)
    if len(rules) > 1:
        raise ValueError(f"games of one rule are decoded, not of rules {', '.join(map(str, rules))}")
    cuts = np.searchsorted(games.starts, np.arange(CHUNK_TURNS, games.turns, CHUNK_TURNS))
    bounds = np.unique([0, *cuts, len(games.number)])
    judge = Judge(library, Rule(rules[0])) if len(rules) else None
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        assert judge is not None
        yield judge.decode(games, first, last)


def check_cells(games: Games, first: int, last: int) -> None:
    """ValueError unless all cells are on their boards: compiled code does not look where it writes."""
    widths, heights = games.width[first:last], games.height[first:last]
    are_right = (np.minimum(widths, heights) >= MIN_SIZE) & (np.maximum(widths, heights) <= MAX_SIZE)
    for starts, cells in ((games.opening_starts, games.opening), (games.starts, games.cell)):
        lengths = np.diff(starts[first : last + 1])
        is_outside = cells[starts[first] : starts[last]] >= np.repeat(widths * heights, lengths)
        are_right[np.repeat(np.arange(last - first), lengths)[is_outside]] = False
    if not are_right.all():
        raise ValueError(f"game {games.number[first:last][~are_right][0]} has a move that is not on its board")


def entry_of(function: Any, arguments: int) -> Any:
    """An entry point for compiled code: all its arguments are 64 bits, addresses of records included."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_uint64] * arguments)(address)


def view_of(record: Any, field: str, kind: Any) -> Array:
    """A field of a record as an array in the same memory."""
    place = getattr(type(record), field)
    return np.frombuffer(record, kind, place.size // np.dtype(kind).itemsize, place.offset)


@njit(nogil=True)  # not cached: numba would not notice that a constant of another module has changed
def _decode(entries, addresses, threats, age, table, games, first, last, found):  # type: ignore[no-untyped-def]
    """Write the positions of some games; how many they are.

    Each game begins with an empty table: what is left out must not depend on the games before it.
    """
    clear, make, begin_search, root_vcf = entries
    state, worker, tables = addresses
    numbers, _, widths, heights, endings, winners, opening_starts, openings, starts, cells, scores, bests = games
    boards, found_width, found_height, sides, found_score, results, found_best, found_game, lasts, owns = found
    board = np.zeros(BOARD_BYTES, np.uint8)
    count = 0
    for game in range(first, last):
        width, height = widths[game], heights[game]
        clear(state, tables, width, height)
        board.fill(0)
        side = 0
        last, own = np.int64(NO_CELL), np.int64(NO_CELL)
        for i in range(opening_starts[game], opening_starts[game + 1]):
            cell = np.int64(openings[i])
            board[cell // CELLS_PER_BYTE] |= (side + 1) << 2 * (cell % CELLS_PER_BYTE)
            make(state, (cell // width + MARGIN) * STRIDE + cell % width + MARGIN, side)
            side = 1 - side
            last, own = cell, last
        begin, end = starts[game], starts[game + 1]
        clean = end  # the turn after the last mistake
        while clean > begin and cells[clean - 1] == bests[clean - 1]:
            clean -= 1
        if endings[game] == Ending.LONG:
            clean = end
        is_used = False
        for i in range(begin, end):
            other = 1 - side
            is_judged = threats[other] & FIVES == 0 and threats[side] & WINS == 0
            if is_judged and (scores[i] >= WIN_BOUND or scores[i] == NO_SCORE):
                if not is_used:
                    table.fill(0)
                    age[0] = 0
                    is_used = True
                begin_search(state, worker)
                is_judged = root_vcf(state, worker, SHORT_FOURS, SHORT_NODES) <= 0
            if is_judged:
                for byte in range(BOARD_BYTES):
                    boards[count, byte] = board[byte]
                found_width[count], found_height[count], sides[count] = width, height, side
                found_score[count], found_best[count], found_game[count] = scores[i], bests[i], numbers[game]
                lasts[count], owns[count] = last, own
                if i < clean:
                    results[count] = UNKNOWN
                elif winners[game] == NOBODY:
                    results[count] = DRAWN
                else:
                    results[count] = WON if winners[game] == side else LOST
                count += 1
            cell = np.int64(cells[i])
            board[cell // CELLS_PER_BYTE] |= (side + 1) << 2 * (cell % CELLS_PER_BYTE)
            make(state, (cell // width + MARGIN) * STRIDE + cell % width + MARGIN, side)
            side = other
            last, own = cell, last
    return count


@njit(nogil=True)
def set_up(make, state, board, width, height, side):  # type: ignore[no-untyped-def]
    """Place the stones of a position on an empty board; how many they are.

    Those of the side that is not to move come last, so that it is the other's turn.
    """
    placed = 0
    for colour in (side, 1 - side):
        for cell in range(width * height):
            if (board[cell // CELLS_PER_BYTE] >> 2 * (cell % CELLS_PER_BYTE)) & 3 == colour + 1:
                make(state, (cell // width + MARGIN) * STRIDE + cell % width + MARGIN, colour)
                placed += 1
    return placed
