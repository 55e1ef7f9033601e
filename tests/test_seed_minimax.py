"""The brain minimax against its document: exact scores, candidates, the printed search, six stones."""

import random
from itertools import groupby

import pytest

from tests.test_seed_lines import drawn, placed, quiet_crowd, scattered
from tournament.brains import minimax
from tournament.brains.clock import Deadline
from tournament.brains.minimax import DEPTH, MAX_THINKING_MS, WON, Search, choose, scan_line
from tournament.brains.position import OTHER, OWN, Position

NO_TIME_MS, PLENTY_MS = 0, 120_000
TIMES = pytest.mark.parametrize("ms", [NO_TIME_MS, PLENTY_MS])


def search_of(position: Position) -> Search:
    return Search(position, Deadline.after_ms(PLENTY_MS))


def chosen(position: Position, ms: float = PLENTY_MS) -> tuple[int, int]:
    y, x = divmod(choose(position, Deadline.after_ms(ms)), position.width)
    return x, y


# -- the document's numbers --------------------------------------------------------------------------------------------


def test_parameters() -> None:
    assert (DEPTH, MAX_THINKING_MS) == (3, 2000)


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("#XXXXX#", 1_000_000),
        ("OXXXXXO", 1_000_000),
        ("#.XXXX.#", 100_000),
        ("#.XXXXO", 10_000),
        ("#XXXX.", 10_000),
        ("#.XXX.#", 5_000),
        ("#XXX.", 500),
        ("OXXX.", 500),
        ("..XX..", 100),
        ("OXX...", 10),
        ("#XXXX#", 0),
        ("OXXXO", 0),
        (".XXXXXX.", 0),
        ("..X..", 0),
        ("#XX.XXX.OXX.", 10 + 5_000 + 10),
    ],
)
def test_score_table(line: str, score: int) -> None:
    assert scan_line(line, OWN) == score
    assert scan_line(line.translate(str.maketrans("XO", "OX")), OTHER) == score


def test_defence_weighs_one_tenth_more() -> None:
    mine = search_of(placed(15, 15, own="3,3 4,3 5,3")).evaluate()
    theirs = search_of(placed(15, 15, other="3,3 4,3 5,3")).evaluate()
    assert (mine / 10, theirs / 10) == (5_000, -5_500)
    both = search_of(placed(15, 15, own="3,3 4,3 5,3", other="3,9 4,9 5,9 6,9")).evaluate()
    assert both / 10 == 5_000 - 110_000


def test_directions_are_added_up() -> None:
    corner = "3,3 4,3 5,3 3,4 3,5"  # two open threes and an open two on a diagonal; 5,3-4,4-3,5 is interrupted
    assert search_of(placed(15, 15, own=corner)).evaluate() / 10 == 5_000 + 5_000 + 100


# -- candidates --------------------------------------------------------------------------------------------------------


def test_candidates_are_within_two_cells() -> None:
    assert len(search_of(placed(15, 15, own="7,7")).candidates()) == 24
    assert len(search_of(placed(15, 15, other="0,0")).candidates()) == 8
    cells = search_of(placed(15, 15, own="7,7", other="8,7")).candidates()
    assert cells == {y * 15 + x for x in range(5, 11) for y in range(5, 10)} - {7 * 15 + 7, 7 * 15 + 8}


def test_best_static_score_is_tried_first() -> None:
    double_three = placed(15, 15, own="7,5 7,6 8,7 9,7", other="1,1 1,13 13,1 13,13")
    search = search_of(double_three)
    order = search.ordered(search.candidates(), OWN)
    gains = [search.gain(cell, OWN) for cell in order]
    assert order[0] == 7 * 15 + 7
    assert gains[0] == 10 * (2 * 5_000 - 2 * 100)
    assert gains == sorted(gains, reverse=True)


# -- fives -------------------------------------------------------------------------------------------------------------


@TIMES
def test_six_are_no_five(ms: float) -> None:
    """The overline at 6,3 does not win and need not be blocked; the five at 9,8 wins."""
    own = "3,3 4,3 5,3 7,3 8,3 9,4 9,5 9,6 9,7"
    assert chosen(placed(15, 15, own=own, other="9,3 1,1 1,3 1,5 1,7 1,9"), ms) == (9, 8)
    assert chosen(placed(15, 15, other=own, own="9,3 1,1 1,3 1,5 1,7 1,9"), ms) == (9, 8)
    only_six = placed(15, 15, other="3,3 4,3 5,3 7,3 8,3", own="2,3 9,3 8,8 9,8")
    assert not search_of(only_six).makes_five(3 * 15 + 6, OTHER)


def test_black_in_renju_leaves_overlines_alone() -> None:
    six_blocks = placed(15, 15, own="3,3 4,3 5,3 7,3 8,3", other="6,1 6,2 6,4 6,5 12,12", rule=4)
    assert chosen(six_blocks) != (6, 3)
    assert chosen(six_blocks._replace(rule=0)) == (6, 3)


# -- the search --------------------------------------------------------------------------------------------------------


def test_makes_an_open_four() -> None:
    assert chosen(placed(15, 15, own="6,7 7,7 8,7", other="6,6 8,8 3,3")) in {(5, 7), (9, 7)}


def test_stops_an_open_three() -> None:
    assert chosen(placed(15, 15, own="6,6 9,9", other="6,7 7,7 8,7")) in {(5, 7), (9, 7)}


def test_takes_the_point_of_a_double_three() -> None:
    three, scattered_stones = "7,5 7,6 8,7 9,7", "3,3 12,2 2,12"
    assert chosen(placed(15, 15, own=three, other=scattered_stones)) == (7, 7)
    assert chosen(placed(15, 15, own=scattered_stones, other=three)) == (7, 7)


def printed_minimax(board: list[list[int]], depth: int, alpha: float, beta: float, is_max: bool) -> float:
    """The document's function in tenths, without its clock: a slow twin that scans the whole board."""
    if has_five(board, 2):
        return WON
    if has_five(board, 1):
        return -WON
    if depth == 0:
        return naive_evaluation(board)
    best = -float("inf") if is_max else float("inf")
    size = len(board)
    for r, c in [(r, c) for r in range(size) for c in range(size) if is_candidate(board, r, c)]:
        board[r][c] = 2 if is_max else 1
        value = printed_minimax(board, depth - 1, alpha, beta, not is_max)
        board[r][c] = 0
        if is_max:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if beta <= alpha:
            break
    return best


def is_candidate(board: list[list[int]], r: int, c: int) -> bool:
    near = [row[max(0, c - 2) : c + 3] for row in board[max(0, r - 2) : r + 3]]
    return board[r][c] == 0 and any(any(row) for row in near)


def naive_lines(board: list[list[int]]) -> list[list[int]]:
    lines: dict[tuple[str, int], list[int]] = {}
    for r, row in enumerate(board):
        for c, colour in enumerate(row):
            for key in (("row", r), ("column", c), ("falling", r - c), ("rising", r + c)):
                lines.setdefault(key, []).append(colour)
    return list(lines.values())


def naive_runs(line: list[int]) -> list[tuple[int, int, int]]:
    """Colour, length and open ends of every run."""
    runs, start = [], 0
    for colour, group in groupby(line):
        end = start + len(list(group))
        is_open = [0 <= i < len(line) and line[i] == 0 for i in (start - 1, end)]
        runs.append((colour, end - start, sum(is_open)))
        start = end
    return runs


def has_five(board: list[list[int]], colour: int) -> bool:
    return any(run[:2] == (colour, 5) for line in naive_lines(board) for run in naive_runs(line))


def naive_evaluation(board: list[list[int]]) -> int:
    table = {(4, 2): 100_000, (4, 1): 10_000, (3, 2): 5_000, (3, 1): 500, (2, 2): 100, (2, 1): 10}
    weights = {0: 0, 1: -11, 2: 10}
    return sum(
        weights[colour] * (1_000_000 if length == 5 else table.get((length, open_ends), 0))
        for line in naive_lines(board)
        for colour, length, open_ends in naive_runs(line)
    )


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_the_printed_search(seed: int) -> None:
    size, depth = (5, 3) if seed % 2 else (7, 2)
    position = scattered(random.Random(seed), size, size, 10)
    board = [[0] * size for _ in range(size)]
    for cell, stone in position.stones:
        board[cell // size][cell % size] = 2 if stone == OWN else 1
    assert not has_five(board, 1)
    assert not has_five(board, 2)
    search = search_of(position)
    assert search.evaluate() == naive_evaluation(board)
    for is_max, stone in ((True, OWN), (False, OTHER)):
        infinity = float("inf")
        expected = printed_minimax(board, depth, -infinity, infinity, is_max)
        assert search.minimax(depth, -infinity, infinity, stone, search.evaluate(), search.candidates()) == expected


def test_best_static_score_when_there_is_no_time() -> None:
    position = quiet_crowd(15, 15, 0.3)
    search = search_of(position)
    best = max(search.gain(cell, OWN) for cell in search.candidates())
    assert search.gain(choose(position, Deadline.after_ms(NO_TIME_MS)), OWN) == best


def test_dead_stones_are_walls() -> None:
    assert chosen(drawn("XXXX# ..... O.O.O ..... O....")) != (4, 0)
    minimax_of_wall = Search(drawn("#XXX. ..... ..... ..... ....."), Deadline.after_ms(PLENTY_MS))
    assert minimax_of_wall.evaluate() == 10 * minimax.HALF_SCORES[3]
