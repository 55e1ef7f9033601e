"""Slow twins of the searches: plain recursion over boards of characters, without table, order or bounds."""

from collections.abc import Iterator

from tests import naive
from tests.naive import WINNING_FOURS, Board, Cell
from tests.naive_renju import RenjuReferee

WIN = 30_000
FOURS = {"FOUR", "FOUR_TWO", "FOUR_HALF_THREE", "FOUR_THREE", "DOUBLE_FOUR", "OPEN_FOUR"}


def other(colour: str) -> str:
    return "O" if colour == "X" else "X"


def with_stone(board: Board, cell: Cell, colour: str) -> Board:
    copy = [row[:] for row in board]
    copy[cell[1]][cell[0]] = colour
    return copy


def is_foul(board: Board, cell: Cell, colour: str, rule: int) -> bool:
    if rule != naive.RENJU or colour != "X":
        return False
    stones = {(x, y): board[y][x] for x, y in naive.cells_of(board) if board[y][x] != "."}
    return RenjuReferee(len(board[0]), len(board), stones).foul(cell) is not None


def cells_with(classes: dict[Cell, str], names: set[str]) -> list[Cell]:
    return [cell for cell, name in classes.items() if name in names]


def blocks_of(board: Board, attacker: str, rule: int) -> list[Cell]:
    """Where one stone leaves the attacker without a five, by trying every cell."""
    found = []
    for x, y in naive.cells_of(board):
        if board[y][x] == ".":
            after = with_stone(board, (x, y), other(attacker))
            if not cells_with(naive.classes(after, attacker, rule), {"FIVE"}):
                found.append((x, y))
    return found


def wins_by_fours(board: Board, me: str, rule: int, fours: int) -> bool:
    """Whether the side to move wins by at most so many fours, each of which must be answered."""
    mine, theirs = naive.classes(board, me, rule), naive.classes(board, other(me), rule)
    if cells_with(mine, {"FIVE"}):
        return True
    must_block = cells_with(theirs, {"FIVE"})
    if len(must_block) > 1 or fours == 0:
        return False
    for cell in must_block or cells_with(mine, FOURS):
        if mine[cell] not in FOURS:
            continue
        after = with_stone(board, cell, me)
        blocks = [block for block in blocks_of(after, me, rule) if not is_foul(after, block, other(me), rule)]
        if all(wins_by_fours(with_stone(after, block, other(me)), me, rule, fours - 1) for block in blocks):
            return True
    return False


def moves_to_try(board: Board, me: str, rule: int) -> list[Cell]:
    """The moves that a search looks at: blocks of a five, answers to an open three, or all candidates."""
    mine, theirs = naive.classes(board, me, rule), naive.classes(board, other(me), rule)
    is_caro = rule in (naive.CARO, naive.CARO_EXACT_FIVE)
    if cells_with(theirs, {"FIVE"}):
        cells = blocks_of(board, other(me), rule)
    elif cells_with(theirs, WINNING_FOURS) and not is_caro:
        cells = cells_with(theirs, FOURS) + cells_with(mine, FOURS)
    else:
        cells = [cell for cell in naive.near_stones(board) if cell in mine]
    return [cell for cell in set(cells) if not is_foul(board, cell, me, rule)]


def static(board: Board, me: str, rule: int) -> int:
    mine, theirs = naive.classes(board, me, rule), naive.classes(board, other(me), rule)
    return naive.evaluation(mine, theirs, rule)


def scores(board: Board, me: str, rule: int, depth: int, ply: int) -> Iterator[int]:
    """The score of each move for the side that makes it."""
    for cell in moves_to_try(board, me, rule):
        yield -minimax(with_stone(board, cell, me), other(me), rule, depth, ply + 1)


def minimax(board: Board, me: str, rule: int, depth: int, ply: int) -> int:
    """The score of a position to a fixed depth; a forced block costs none of it. Leaves do not look for fours."""
    mine, theirs = naive.classes(board, me, rule), naive.classes(board, other(me), rule)
    if cells_with(mine, {"FIVE"}):
        return WIN - (ply + 1)
    if not mine:
        return 0
    if cells_with(theirs, {"FIVE"}):
        return max(scores(board, me, rule, depth, ply), default=ply + 2 - WIN)
    if cells_with(mine, WINNING_FOURS):
        return WIN - ply - 3
    if depth == 0:
        return static(board, me, rule)
    return max(scores(board, me, rule, depth - 1, ply), default=static(board, me, rule))
