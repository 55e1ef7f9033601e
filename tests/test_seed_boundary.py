"""The brain boundary against its document: pattern scores, boundary, ordering, distant monitoring, search."""

import random

import pytest

from tests.test_seed_lines import drawn, placed, quiet_crowd, scattered
from tournament.brains.boundary import DEPTH, DISTANT_SCORE, MAX_CHILDREN, Bound, Search, child_nodes, choose
from tournament.brains.boundary_patterns import PATTERNS, SIGHT
from tournament.brains.clock import Deadline, TimeUpError
from tournament.brains.lines import Lines, neighbourhoods
from tournament.brains.position import EMPTY, OPPOSITE, OTHER, OWN, Position

NO_TIME_MS, PLENTY_MS = 0, 20_000
INFINITY = float("inf")


def search_of(position: Position) -> Search:
    return Search(position, Deadline.after_ms(PLENTY_MS))


def chosen(position: Position, ms: float = PLENTY_MS) -> tuple[int, int]:
    y, x = divmod(choose(position, Deadline.after_ms(ms)), position.width)
    return x, y


# -- the document's numbers --------------------------------------------------------------------------------------------


def test_parameters() -> None:
    assert (DEPTH, MAX_CHILDREN, DISTANT_SCORE) == (4, 13, -100)


@pytest.mark.parametrize(
    ("pattern", "score", "opposing"),
    [
        ("XXXXX", 10_000_000, -10_000_000),
        (".XXXX.", 1_000_000, -2_500_000),
        ("XXX.XXX", 1_000_000, -2_500_000),
        (".XXX.", 200_000, -200_000),
        (".X.XX.", 200_000, -200_000),
        (".XX.", 1_000, -1_000),
    ],
)
def test_pattern_dictionary(pattern: str, score: int, opposing: int) -> None:
    assert PATTERNS[pattern] == score
    assert PATTERNS[pattern.replace("X", "O")] == opposing


def test_patterns_have_twins() -> None:
    assert max(len(pattern) for pattern in PATTERNS) == SIGHT + 1
    for pattern, score in PATTERNS.items():
        assert PATTERNS[pattern[::-1]] == score


@pytest.mark.parametrize(
    ("position", "value"),
    [
        (placed(15, 15, own="6,7 7,7"), 1_000),
        (placed(15, 15, own="6,7 7,7 8,7"), 200_000),
        (placed(15, 15, own="6,7 7,7 8,7 9,7"), 1_000_000),
        (placed(15, 15, other="6,7 7,7 8,7 9,7"), -2_500_000),
        (placed(15, 15, own="5,7 6,7 7,7 8,7 9,7"), 10_000_000),
        (placed(15, 15, own="0,7 1,7 2,7 3,7"), 200_000),
        (placed(15, 15, own="0,7 1,7 2,7"), 0),
        (placed(15, 15, own="6,7 7,7 8,7", other="6,9 7,9"), 199_000),
        (placed(15, 15, own="0,0 1,1 2,2 3,3", other="4,4"), 0),
    ],
)
def test_board_values(position: Position, value: int) -> None:
    assert search_of(position).value == value


# -- incremental evaluation and boundary -------------------------------------------------------------------------------


def naive_boundary(position: Position) -> tuple[int, Bound]:
    """Value and boundary computed from scratch."""
    width, height = position.width, position.height
    stones = dict(position.stones)
    value = 0
    bound: Bound = {}
    for cell, _ in position.stones:
        for neighbour in neighbourhoods(width, height, 1)[cell] - set(stones):
            bound[neighbour] = 0
    for y in range(-1, height + 1):
        for x in range(-1, width + 1):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                for pattern, score in PATTERNS.items():
                    cells = [(x + i * dx, y + i * dy) for i in range(len(pattern))]
                    text = "".join(
                        stones.get(v * width + u, EMPTY) if 0 <= u < width and 0 <= v < height else "#"
                        for u, v in cells
                    )
                    if text == pattern:
                        value += score
                        for u, v in (cell for cell, char in zip(cells, pattern, strict=True) if char == EMPTY):
                            bound[v * width + u] = bound.get(v * width + u, 0) + abs(score)
    return value, bound


@pytest.mark.parametrize("seed", range(6))
def test_incremental_evaluation_equals_counting(seed: int) -> None:
    rng = random.Random(seed)
    position = scattered(rng, rng.randint(5, 9), rng.randint(5, 9), 12)
    search = search_of(position)
    value, bound = naive_boundary(position)
    assert search.value == value
    # Monitored cells also get -100; cells that left a pattern may remain with score 0.
    scores = {cell: score - DISTANT_SCORE * (score % 1000 != 0) for cell, score in search.bound.items()}
    assert {cell: score for cell, score in scores.items() if score} == {c: s for c, s in bound.items() if s}
    assert set(bound) <= set(scores)
    assert not set(scores) & set(dict(position.stones))


def test_boundary_of_a_stone_is_what_touches_it() -> None:
    search = search_of(placed(15, 15, own="7,7"))
    assert search.bound == {y * 15 + x: 0 for y in (6, 7, 8) for x in (6, 7, 8) if (x, y) != (7, 7)}
    assert set(search_of(placed(15, 15, own="0,0")).bound) == {1, 15, 16}


def test_cells_of_patterns_carry_their_scores() -> None:
    bound = search_of(placed(15, 15, own="6,7 7,7 8,7")).bound
    assert bound[7 * 15 + 5] == bound[7 * 15 + 9] == 200_000
    assert bound[6 * 15 + 7] == 0
    assert search_of(placed(15, 15, other="6,7 7,7 8,7 9,7")).bound[7 * 15 + 10] == 2_500_000


def test_best_13_by_absolute_score_then_by_position() -> None:
    bound = dict.fromkeys(range(100, 120), 0) | {50: -100, 60: 1_000, 70: 200_000, 40: 1_000}
    assert child_nodes(bound) == [70, 40, 60, 50, *range(100, 109)]


# -- distant monitoring ------------------------------------------------------------------------------------------------


def in_turn(*cells: tuple[int, int], first: str = OTHER) -> Position:
    """Stones played in turn on a 15 x 15 board."""
    owners = [first, OPPOSITE[first]] * len(cells)
    return Position(15, 15, 0, tuple((y * 15 + x, owner) for (x, y), owner in zip(cells, owners, strict=False)))


def monitored(position: Position) -> set[int]:
    return {cell for cell, score in search_of(position).bound.items() if score == DISTANT_SCORE}


def around(x: int, y: int) -> set[int]:
    return {v * 15 + u for v in (y - 1, y, y + 1) for u in (x - 1, x, x + 1)} - {y * 15 + x}


def test_one_distant_stone_is_not_monitored() -> None:
    assert monitored(in_turn((8, 8), (7, 7), (9, 9), (7, 8), (12, 2))) == set()


def test_monitoring_waits_three_moves() -> None:
    """Checks happen at the opponent's stones 0, 4 and 8; 2 and 6 are too early."""
    cells = [(8, 8), (7, 7), (12, 12), (7, 9), (9, 9), (8, 7), (2, 12), (9, 7), (12, 2)]
    assert all(monitored(in_turn(*cells[:played])) == set() for played in range(9))
    assert monitored(in_turn(*cells)) == around(12, 2) | around(2, 12)  # at most two zones, in the board's order


def test_stones_within_three_steps_are_not_distant() -> None:
    near = in_turn((1, 1), (2, 3), (12, 12), (12, 9), (3, 1))
    assert monitored(near) == set()


# -- the search --------------------------------------------------------------------------------------------------------


def test_makes_a_live_four() -> None:
    assert chosen(placed(15, 15, own="6,7 7,7 8,7", other="6,6 8,8 3,3")) in {(5, 7), (9, 7)}


def test_stops_a_live_three() -> None:
    assert chosen(placed(15, 15, own="6,6 9,9", other="6,7 7,7 8,7")) in {(4, 7), (5, 7), (9, 7), (10, 7)}


def test_does_not_allow_a_double_three() -> None:
    """After the move no reply of the opponent makes two live threes at once."""
    position = placed(15, 15, own="3,3 12,2 2,12", other="7,5 7,6 8,7 9,7")
    x, y = chosen(position)
    search = search_of(position._replace(stones=(*position.stones, (y * 15 + x, OWN))))
    before = search.value
    assert all(search.evaluate(cell, OTHER, before, {})[0] - before > -300_000 for cell in search.bound)


def plain_minimax(lines: Lines, depth: int, value: int, bound: Bound, stone: str, search: Search) -> float:
    """Minimax over the same children, without pruning or a transposition table."""
    values: list[float] = []
    for cell in child_nodes(bound):
        new_value, new_bound = search.evaluate(cell, stone, value, bound)
        if not search.makes_five(cell, stone) and depth > 1:
            search.put(cell, stone)
            search.update_bound(cell, new_bound)
            values.append(plain_minimax(lines, depth - 1, new_value, new_bound, OPPOSITE[stone], search))
            search.take_back(cell)
        else:
            values.append(new_value)
    return max(values) if stone == OWN else min(values)


@pytest.mark.parametrize("seed", range(4))
def test_pruning_changes_no_value(seed: int) -> None:
    search = search_of(scattered(random.Random(seed), 9, 9, 8))
    for stone in (OWN, OTHER):
        expected = plain_minimax(search.lines, 2, search.value, search.bound, stone, search)
        search.table.clear()
        assert search.alpha_beta(2, search.value, search.bound, -INFINITY, INFINITY, stone) == expected


def test_known_positions_are_not_searched_again() -> None:
    search = search_of(placed(15, 15, own="7,7", other="8,8"))
    search.table[search.key] = 12_345, 3
    assert search.alpha_beta(3, search.value, search.bound, -INFINITY, INFINITY, OWN) == 12_345
    assert search.alpha_beta(4, search.value, search.bound, -INFINITY, INFINITY, OWN) != 12_345


def test_a_search_leaves_the_board_alone() -> None:
    position = placed(15, 15, own="7,7 9,9", other="8,8 6,7")
    search = search_of(position)
    texts, key, bound = list(search.lines.texts), search.key, dict(search.bound)
    search.best_of(child_nodes(search.bound))
    assert (search.lines.texts, search.key, search.bound) == (texts, key, bound)


def test_best_static_value_when_there_is_no_time() -> None:
    position = quiet_crowd(15, 15, 0.3)
    search = Search(position, Deadline.after_ms(NO_TIME_MS))
    with pytest.raises(TimeUpError):
        search.alpha_beta(1, search.value, search.bound, -INFINITY, INFINITY, OWN)
    cell = choose(position, Deadline.after_ms(NO_TIME_MS))
    children = child_nodes(search.bound)
    values = {cell: search.evaluate(cell, OWN, search.value, search.bound)[0] for cell in children}
    assert values[cell] == max(values.values())


def test_dead_stones_are_walls() -> None:
    assert search_of(drawn("#XXXX. ...... ...... ...... ...... ......")).value == 200_000
