"""Slow twins of the searches: plain recursion over boards of characters, without table, order or bounds."""

from functools import lru_cache

from tests import naive
from tests.naive import WINNING_FOURS, Board, Cell
from tests.naive_renju import RenjuReferee

WIN, WIN_BOUND = 30_000, 29_000
FOUR_LINES = {"four", "two fours", "open four", "five"}


def other(colour: str) -> str:
    return "O" if colour == "X" else "X"


def with_stone(board: Board, cell: Cell, colour: str) -> Board:
    copy = [row[:] for row in board]
    copy[cell[1]][cell[0]] = colour
    return copy


@lru_cache(200_000)
def _classes(rows: tuple[str, ...], colour: str, rule: int) -> dict[Cell, str]:
    return naive.classes([list(row) for row in rows], colour, rule)


def classes_of(board: Board, colour: str, rule: int) -> dict[Cell, str]:
    """`naive.classes`, remembered: a search asks the same of many boards again and again."""
    return _classes(tuple("".join(row) for row in board), colour, rule)


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
            if not cells_with(classes_of(after, attacker, rule), {"FIVE"}):
                found.append((x, y))
    return found


def wins_by_fours(board: Board, me: str, rule: int, fours: int) -> bool:
    """Whether the side to move wins by at most so many fours, each of which must be answered."""
    mine, theirs = classes_of(board, me, rule), classes_of(board, other(me), rule)
    if cells_with(mine, {"FIVE"}):
        return True
    must_block = cells_with(theirs, {"FIVE"})
    if len(must_block) > 1 or fours == 0:
        return False
    for cell in must_block or [cell for cell in mine if makes_four(board, cell, me, rule)]:
        if not makes_four(board, cell, me, rule) or is_foul(board, cell, me, rule):
            continue
        after = with_stone(board, cell, me)
        blocks = [block for block in blocks_of(after, me, rule) if not is_foul(after, block, other(me), rule)]
        if all(wins_by_fours(with_stone(after, block, other(me)), me, rule, fours - 1) for block in blocks):
            return True
    return False


def stops_open_fours(board: Board, cell: Cell, me: str, rule: int) -> bool:
    """Whether the opponent, after a stone there, can make neither an open nor a double four; by trying it."""
    after = classes_of(with_stone(board, cell, me), other(me), rule)
    return not cells_with(after, WINNING_FOURS)


def legal_moves(board: Board, me: str, rule: int) -> list[Cell]:
    cells = [(x, y) for x, y in naive.cells_of(board) if board[y][x] == "."]
    return [cell for cell in cells if not is_foul(board, cell, me, rule)]


def makes_four(board: Board, cell: Cell, me: str, rule: int) -> bool:
    """Whether a line becomes a four there, be it allowed or not."""
    return bool(FOUR_LINES & set(naive.cell_lines(board, cell, me, rule)))


def forced_moves(board: Board, me: str, rule: int) -> list[Cell] | None:
    """Every legal move that helps against the opponent's fives or open fours; None where there are none of either."""
    theirs = classes_of(board, other(me), rule)
    if cells_with(theirs, {"FIVE"}):
        blocks = blocks_of(board, other(me), rule)
        return [cell for cell in blocks if not is_foul(board, cell, me, rule)]
    if not cells_with(theirs, WINNING_FOURS):
        return None
    return [
        cell
        for cell in legal_moves(board, me, rule)
        if makes_four(board, cell, me, rule) or stops_open_fours(board, cell, me, rule)
    ]


def static(board: Board, me: str, rule: int) -> int:
    mine, theirs = classes_of(board, me, rule), classes_of(board, other(me), rule)
    return naive.evaluation(mine, theirs, rule, "XO".index(me))


def scores(board: Board, me: str, rule: int, depth: int, ply: int) -> list[int]:
    """The score of each move for the side that makes it; moves far from all stones only where the others lose."""
    forced = forced_moves(board, me, rule)
    near = set(naive.near_stones(board))
    legal = legal_moves(board, me, rule) if forced is None else []
    found: list[int] = []
    for cells in (forced or [], [cell for cell in legal if cell in near], [cell for cell in legal if cell not in near]):
        if max(found, default=-WIN) <= -WIN_BOUND:
            found += [-minimax(with_stone(board, cell, me), other(me), rule, depth, ply + 1) for cell in cells]
    return found


def can_open_four(board: Board, me: str, rule: int) -> bool:
    """Whether the side to move may make an open or a double four; a suspect cell that is allowed counts."""
    mine = classes_of(board, me, rule)
    if cells_with(mine, WINNING_FOURS):
        return True
    suspects = cells_with(mine, {"SUSPECT"})
    return any(
        "open four" in naive.cell_lines(board, cell, me, rule) and not is_foul(board, cell, me, rule)
        for cell in suspects
    )


def minimax(board: Board, me: str, rule: int, depth: int, ply: int) -> int:
    """The score of a position to a fixed depth; a forced block costs none of it. Leaves have their static score."""
    mine, theirs = classes_of(board, me, rule), classes_of(board, other(me), rule)
    if cells_with(mine, {"FIVE"}):
        return WIN - (ply + 1)
    if not mine:
        return 0
    if cells_with(theirs, {"FIVE"}):
        return max(scores(board, me, rule, depth, ply), default=ply + 2 - WIN)
    if can_open_four(board, me, rule):
        return WIN - ply - 3
    if depth == 0:
        return static(board, me, rule)
    is_threatened = bool(cells_with(theirs, WINNING_FOURS))
    return max(scores(board, me, rule, depth - 1, ply), default=ply + 4 - WIN if is_threatened else 0)
