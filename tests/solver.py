"""A solver that tries every legal reply: what it says about wins and losses follows from the rules alone.

It imports nothing of the engine. `proven` is plain minimax over two kinds of nodes; what makes it fast enough for tens
of thousands of positions is that each side's windows of five cells with three or four stones are kept up to date.

A colour is 0 (black) or 1 (white); cells of the board hold the colour, EMPTY or WALL. A window is five cells in a row,
numbered `direction * CELLS + first cell`. Black in renju without any legal move has lost if white threatens five, and
has not lost otherwise.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, ParamSpec, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

FREESTYLE, EXACT_FIVE, RENJU, CARO, CARO_EXACT_FIVE = 0, 1, 4, 8, 9
BLACK, WHITE, EMPTY, WALL = 0, 1, 2, 3
STRIDE = 24  # a board of 22 cells and a wall on either side
CELLS = STRIDE * STRIDE
STEPS = (1, STRIDE, STRIDE + 1, STRIDE - 1)
WINDOWS = len(STEPS) * CELLS
THREES, FOURS = 0, 1  # the windows that are listed: three or four stones of one colour, the others empty
MAX_PLY = 16
TABLE_SIZE = 1 << 18

Move = tuple[int, int]
Stone = tuple[int, int, int]
P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile when first called, all functions in six seconds; numba's cache crashes on recursive functions."""
    return cast(Callable[P, R], njit(function))


class State(NamedTuple):
    """The arrays of a position and of a search."""

    rule: int
    board: NDArray[np.int8]
    is_window: NDArray[np.bool_]
    in_window: NDArray[np.int8]  # stones by colour and window
    listed: NDArray[np.int16]  # windows by colour and kind
    listed_count: NDArray[np.int16]
    place_in_list: NDArray[np.int16]
    key: NDArray[np.uint64]
    keys: NDArray[np.uint64]  # by colour and cell
    order: NDArray[np.int16]  # the board's cells by ply, the last that decided a node first
    forced: NDArray[np.int16]  # moves to try first, or the only ones, by ply
    table_key: NDArray[np.uint64]
    table_false: NDArray[np.int8]  # the largest n known to be false, the smallest known to be true
    table_true: NDArray[np.int8]


# -- the rules ---------------------------------------------------------------------------------------------------------


@compiled
def run_beyond(board: NDArray[np.int8], cell: int, step: int, colour: int) -> int:
    """How many stones of a colour follow a cell without a gap."""
    count = 0
    while board[cell + (count + 1) * step] == colour:
        count += 1
    return count


@compiled
def wins_along(rule: int, board: NDArray[np.int8], cell: int, step: int, colour: int) -> bool:
    """Whether a stone of a colour on a cell stands in a winning line along one direction."""
    after, before = run_beyond(board, cell, step, colour), run_beyond(board, cell, -step, colour)
    length = before + 1 + after
    if length < 5:
        return False
    if length > 5:
        return rule in (FREESTYLE, CARO) or (rule == RENJU and colour == WHITE)
    if rule in (CARO, CARO_EXACT_FIVE):
        opponent = 1 - colour
        return not (board[cell - (before + 1) * step] == opponent and board[cell + (after + 1) * step] == opponent)
    return True


@compiled
def makes_five(rule: int, board: NDArray[np.int8], cell: int, colour: int) -> bool:
    """Whether a stone of a colour on a cell wins."""
    for step in STEPS:  # noqa: SIM110 - numba compiles no generators of this kind
        if wins_along(rule, board, cell, step, colour):
            return True
    return False


@compiled
def five_ends(board: NDArray[np.int8], cell: int, step: int) -> int:
    """In how many ways one more black stone makes exactly five with the black run through a cell."""
    count = 0
    for sign in (1, -1):
        end = cell + sign * step * (run_beyond(board, cell, sign * step, BLACK) + 1)
        if board[end] == EMPTY and wins_along(RENJU, board, end, step, BLACK):
            count += 1
    return count


@compiled
def run_through(board: NDArray[np.int8], cell: int, step: int) -> int:
    """The length of the black run through a cell, which counts as black."""
    return run_beyond(board, cell, step, BLACK) + 1 + run_beyond(board, cell, -step, BLACK)


@compiled
def is_foul(board: NDArray[np.int8], cell: int) -> bool:
    """Whether renju forbids black an empty cell."""
    if makes_five(RENJU, board, cell, BLACK):
        return False
    for step in STEPS:
        if run_through(board, cell, step) > 5:
            return True
    board[cell] = BLACK
    fours, threes = 0, 0
    for step in STEPS:
        ends = five_ends(board, cell, step)
        if ends:
            is_straight = ends == 2 and run_through(board, cell, step) == 4
            fours += 1 if is_straight else ends
            continue
        for sign in (1, -1):
            gap = cell + sign * step * (run_beyond(board, cell, sign * step, BLACK) + 1)
            if board[gap] != EMPTY or run_through(board, gap, step) != 4 or makes_five(RENJU, board, gap, BLACK):
                continue
            board[gap] = BLACK
            ends = five_ends(board, gap, step)
            board[gap] = EMPTY
            if ends == 2 and not is_foul(board, gap):
                threes += 1
                break
    board[cell] = EMPTY
    return fours > 1 or threes > 1


# -- the position ------------------------------------------------------------------------------------------------------


@compiled
def enlist(state: State, colour: int, kind: int, window: int) -> None:
    count = state.listed_count[colour, kind]
    state.listed[colour, kind, count] = window
    state.place_in_list[window] = count
    state.listed_count[colour, kind] = count + 1


@compiled
def delist(state: State, colour: int, kind: int, window: int) -> None:
    last = state.listed_count[colour, kind] - 1
    moved, place = state.listed[colour, kind, last], state.place_in_list[window]
    state.listed[colour, kind, place] = moved
    state.place_in_list[moved] = place
    state.listed_count[colour, kind] = last


@compiled
def relist(state: State, window: int, is_listed: bool) -> None:
    """Put a window into its list, or take it out, by the stones in it."""
    black, white = state.in_window[BLACK, window], state.in_window[WHITE, window]
    if black and white:
        return
    colour, count = (BLACK, black) if black else (WHITE, white)
    if count == 3 or count == 4:
        if is_listed:
            enlist(state, colour, count - 3, window)
        else:
            delist(state, colour, count - 3, window)


@compiled
def change(state: State, cell: int, colour: int, by: int) -> None:
    """Add (`by` 1) or remove (-1) a stone."""
    state.board[cell] = colour if by > 0 else EMPTY
    state.key[0] ^= state.keys[colour, cell]
    for direction in range(4):
        for distance in range(5):
            window = direction * CELLS + cell - distance * STEPS[direction]
            if state.is_window[window]:
                relist(state, window, False)
                state.in_window[colour, window] += by
                relist(state, window, True)


@compiled
def empty_cell_of(state: State, window: int, skip: int) -> int:
    """The first empty cell of a window, or the one after it."""
    cell, step = window % CELLS, STEPS[window // CELLS]
    while state.board[cell] != EMPTY or skip:
        if state.board[cell] == EMPTY:
            skip -= 1
        cell += step
    return cell


@compiled
def five_threat(state: State, colour: int) -> int:
    """A window in which a colour's next stone wins, or -1; whatever makes five fills a window of four stones."""
    for i in range(state.listed_count[colour, FOURS]):
        window = state.listed[colour, FOURS, i]
        cell = empty_cell_of(state, window, 0)
        if wins_along(state.rule, state.board, cell, STEPS[window // CELLS], colour):
            return int(window)
    return -1


# -- the search --------------------------------------------------------------------------------------------------------


@compiled
def add_stops(state: State, window: int, colour: int, ply: int) -> int:
    """The cells that `wins_along` reads when it says that a colour wins here: no other stone can change its answer."""
    cell, step = empty_cell_of(state, window, 0), STEPS[window // CELLS]
    state.forced[ply, 0] = cell
    count = 1
    for sign in (1, -1):
        end = cell + sign * step * (run_beyond(state.board, cell, sign * step, colour) + 1)
        if state.board[end] == EMPTY:
            state.forced[ply, count] = end
            count += 1
    return count


@compiled
def add_fours(state: State, colour: int, ply: int) -> int:
    """The moves after which a window holds four stones of a colour."""
    count = 0
    for i in range(state.listed_count[colour, THREES]):
        for skip in range(2):
            cell = empty_cell_of(state, state.listed[colour, THREES, i], skip)
            is_new = True
            for j in range(count):
                is_new = is_new and state.forced[ply, j] != cell
            if is_new:
                state.forced[ply, count] = cell
                count += 1
    return count


@compiled
def prefer(state: State, cell: int, ply: int) -> None:
    """Try a cell first the next time at this ply."""
    i, moved = 0, state.order[ply, 0]
    state.order[ply, 0] = cell
    while moved != cell:
        i += 1
        moved, state.order[ply, i] = state.order[ply, i], moved


@compiled
def table_place(state: State, mover: int, n: int) -> tuple[np.uint64, int]:
    key = state.key[0] ^ state.keys[mover, n & 1]  # walls: these cells never hold a stone
    return key, int(key & np.uint64(TABLE_SIZE - 1))


@compiled
def remember(state: State, mover: int, n: int, result: bool) -> None:
    key, place = table_place(state, mover, n)
    if state.table_key[place] != key:
        state.table_key[place], state.table_false[place], state.table_true[place] = key, 0, 127
    if result:
        state.table_true[place] = n
    else:
        state.table_false[place] = n


@compiled
def is_decided(state: State, mover: int, n: int) -> int:
    """1 or 0 where the table or a count of windows answers, else -1.

    A defender's stone adds nothing to an attacker's window. So the attacker needs a window of three stones before a
    reply if he is to make a four after it.
    """
    if n == 4 and not state.listed_count[1 - mover, THREES] and not state.listed_count[1 - mover, FOURS]:
        return 0
    if n > 3:
        key, place = table_place(state, mover, n)
        if state.table_key[place] == key:
            if n >= state.table_true[place]:
                return 1
            if n <= state.table_false[place]:
                return 0
    return -1


@compiled
def proven(state: State, mover: int, n: int, ply: int) -> bool:
    """Odd n: the side to move wins within n plies. Even n: it loses within n plies, whatever it plays."""
    is_attack = n & 1 == 1
    if five_threat(state, mover) >= 0:
        return is_attack
    if n < 2:
        return False
    threat = five_threat(state, 1 - mover)
    if n == 2 and threat < 0:
        return False
    decided = is_decided(state, mover, n) if threat < 0 else -1
    if decided >= 0:
        return decided == 1
    forced, tries_all, has_move = 0, threat < 0 and n > 3, threat >= 0
    if threat >= 0:
        forced = add_stops(state, threat, 1 - mover, ply)
    elif is_attack:
        forced = add_fours(state, mover, ply)
    result = not is_attack
    for i in range(forced + (state.order.shape[1] if tries_all else 0)):
        cell = state.forced[ply, i] if i < forced else state.order[ply, i - forced]
        if state.board[cell] != EMPTY or (state.rule == RENJU and mover == BLACK and is_foul(state.board, cell)):
            continue
        has_move = True
        change(state, cell, mover, 1)
        # One child settles it: a reply that loses for an attacker, a reply that holds for a defender.
        is_settled = proven(state, 1 - mover, n - 1, ply + 1) == is_attack
        change(state, cell, mover, -1)
        if is_settled:
            result = is_attack
            prefer(state, cell, ply)
            break
    if not has_move:
        result = False
    if n > 3 and threat < 0:
        remember(state, mover, n, result)
    return result


class Solver:
    """One position at a time on a board of one size under one rule."""

    def __init__(self, width: int, height: int, rule: int) -> None:
        cells = [self.cell(x, y) for y in range(height) for x in range(width)]
        board = np.full(CELLS, WALL, np.int8)
        board[cells] = EMPTY
        is_window = np.zeros(WINDOWS, np.bool_)
        on_board = set(cells)
        for direction, step in enumerate(STEPS):
            for first in cells:
                is_window[direction * CELLS + first] = all(first + i * step in on_board for i in range(5))
        self._state = State(
            int(rule),  # numba takes 400 us per call to find the type of an IntEnum
            board,
            is_window,
            np.zeros((2, WINDOWS), np.int8),
            np.zeros((2, 2, WINDOWS), np.int16),
            np.zeros((2, 2), np.int16),
            np.zeros(WINDOWS, np.int16),
            np.zeros(1, np.uint64),
            np.random.default_rng(1).integers(1, 1 << 63, (2, CELLS), np.uint64),
            np.tile(np.array(cells, np.int16), (MAX_PLY, 1)),
            np.zeros((MAX_PLY, CELLS), np.int16),
            np.zeros(TABLE_SIZE, np.uint64),
            np.zeros(TABLE_SIZE, np.int8),
            np.full(TABLE_SIZE, 127, np.int8),
        )
        self._stones: dict[Move, int] = {}

    @staticmethod
    def cell(x: int, y: int) -> int:
        return (y + 1) * STRIDE + x + 1

    def play(self, x: int, y: int, colour: int) -> None:
        assert self._state.board[self.cell(x, y)] == EMPTY, (x, y)
        change(self._state, self.cell(x, y), colour, 1)
        self._stones[x, y] = colour

    def take_off(self, x: int, y: int) -> None:
        change(self._state, self.cell(x, y), self._stones.pop((x, y)), -1)

    def set_position(self, stones: Iterable[Stone]) -> None:
        for x, y in list(self._stones):
            self.take_off(x, y)
        for stone in stones:
            self.play(*stone)

    def makes_five(self, x: int, y: int, colour: int) -> bool:
        """Whether a stone on this empty cell wins."""
        return makes_five(self._state.rule, self._state.board, self.cell(x, y), colour)

    def is_foul(self, x: int, y: int, colour: int) -> bool:
        """Whether the rule forbids this empty cell."""
        return self._state.rule == RENJU and colour == BLACK and is_foul(self._state.board, self.cell(x, y))

    def wins(self, colour: int, plies: int) -> bool:
        """Whether a colour that is to move wins within so many plies, an odd number."""
        assert plies % 2 == 1
        return proven(self._state, colour, plies, 0)

    def loses(self, colour: int, plies: int) -> bool:
        """Whether a colour that is to move loses within so many plies, an even number, whatever it plays."""
        assert plies % 2 == 0
        return proven(self._state, colour, plies, 0)
