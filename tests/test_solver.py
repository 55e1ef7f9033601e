"""The solver against definitions that are slower and plainer than it: the naive rules, and minimax over characters."""

import random

import pytest

from tests import naive, naive_search
from tests.naive import Board, Cell
from tests.solver import Solver

COLOURS = "XO"
EVERYDAY_BOARDS, FULL_BOARDS = 40, 400


def random_board(width: int, height: int, empty: int, rule: int, rng: random.Random) -> Board:
    """Random stones, none of which wins or is a foul, more of one colour, until few cells are empty or none will do."""
    board = naive.empty_board(width, height)
    cells = list(naive.cells_of(board))
    rng.shuffle(cells)
    share = rng.choice((0.35, 0.5, 0.65))
    for cell in cells[empty:]:
        colour = "X" if rng.random() < share else "O"
        after = naive_search.with_stone(board, cell, colour)
        if not naive.move_wins(after, cell, rule) and not naive_search.is_foul(board, cell, colour, rule):
            board = after
    return board


def solver_of(board: Board, rule: int) -> Solver:
    solver = Solver(len(board[0]), len(board), rule)
    solver.set_position((x, y, COLOURS.index(board[y][x])) for x, y in naive.cells_of(board) if board[y][x] != ".")
    return solver


def empty_cells(board: Board) -> list[Cell]:
    return [(x, y) for x, y in naive.cells_of(board) if board[y][x] == "."]


def legal_moves(board: Board, colour: str, rule: int) -> list[Cell]:
    return [cell for cell in empty_cells(board) if not naive_search.is_foul(board, cell, colour, rule)]


def has_five(board: Board, colour: str, rule: int) -> bool:
    boards = [(naive_search.with_stone(board, cell, colour), cell) for cell in empty_cells(board)]
    return any(naive.move_wins(after, cell, rule) for after, cell in boards)


def wins(board: Board, colour: str, rule: int, plies: int) -> bool:
    if has_five(board, colour, rule):
        return True
    moves = legal_moves(board, colour, rule) if plies > 1 else []
    other = naive_search.other(colour)
    return any(loses(naive_search.with_stone(board, move, colour), other, rule, plies - 1) for move in moves)


def loses(board: Board, colour: str, rule: int, plies: int) -> bool:
    if plies == 0 or has_five(board, colour, rule):
        return False
    moves, other = legal_moves(board, colour, rule), naive_search.other(colour)
    if not moves:
        return has_five(board, other, rule)
    return all(wins(naive_search.with_stone(board, move, colour), other, rule, plies - 1) for move in moves)


@pytest.mark.parametrize("rule", naive.RULES)
def test_fives_and_fouls_are_the_naive_ones(rule: int) -> None:
    rng = random.Random(rule)
    fouls = 0
    for _ in range(EVERYDAY_BOARDS):
        board = random_board(rng.randint(5, 12), rng.randint(5, 12), rng.randint(4, 60), rule, rng)
        solver = solver_of(board, rule)
        for colour, (x, y) in [(colour, cell) for colour in COLOURS for cell in empty_cells(board)]:
            after = naive_search.with_stone(board, (x, y), colour)
            assert solver.makes_five(x, y, COLOURS.index(colour)) == naive.move_wins(after, (x, y), rule)
            is_foul = naive_search.is_foul(board, (x, y), colour, rule)
            assert solver.is_foul(x, y, COLOURS.index(colour)) == is_foul
            fouls += is_foul
    assert (fouls > EVERYDAY_BOARDS // 2) == (rule == naive.RENJU)


def check_against_minimax(board: Board, rule: int, plies: int) -> None:
    """Wins and losses of either side to move, within each number of plies up to this one."""
    solver = solver_of(board, rule)
    for (i, colour), n in [(side, n) for side in enumerate(COLOURS) for n in range(1, plies + 1)]:
        expected = wins(board, colour, rule, n) if n % 2 else loses(board, colour, rule, n)
        assert (solver.wins(i, n) if n % 2 else solver.loses(i, n)) == expected, (board, colour, n)


def is_deep(board: Board, rule: int) -> bool:
    """Whether the solver calls a side that is to move lost in 4 plies and not in 2, or won in 5 and not in 3."""
    solver = solver_of(board, rule)
    is_lost = any(solver.loses(i, 4) and not solver.loses(i, 2) for i in (0, 1))
    return is_lost or any(solver.wins(i, 5) and not solver.wins(i, 3) for i in (0, 1))


def small_board(empty: int, rule: int, rng: random.Random) -> Board:
    return random_board(rng.randint(5, 8), rng.randint(5, 8), empty, rule, rng)


def compare_with_minimax(rule: int, count: int, seed: int) -> None:
    """Boards as they come, to 3 and to 6 plies, and as many in which the solver sees more than one threat ahead."""
    rng = random.Random(seed)
    for _ in range(count):
        check_against_minimax(small_board(12, rule, rng), rule, 3)
        check_against_minimax(small_board(6, rule, rng), rule, 6)
    deep = 0
    while deep < count:
        board = small_board(10, rule, rng)
        if is_deep(board, rule):
            check_against_minimax(board, rule, 5)
            deep += 1


@pytest.mark.parametrize("rule", naive.RULES)
def test_wins_and_losses_are_those_of_minimax(rule: int) -> None:
    compare_with_minimax(rule, EVERYDAY_BOARDS // 8, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("rule", naive.RULES)
def test_wins_and_losses_are_those_of_minimax_in_full(rule: int) -> None:
    compare_with_minimax(rule, FULL_BOARDS, seed=2)
