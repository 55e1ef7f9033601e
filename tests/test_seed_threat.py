"""The brain threat against its document: both score tables, approximate comparison, groups of candidates."""

import random
from bisect import bisect_right

import pytest

from tests.test_seed_lines import placed, quiet_crowd, scattered
from tournament.brains import threat
from tournament.brains.clock import Deadline
from tournament.brains.position import EMPTY, OPPOSITE, OTHER, OWN, Position
from tournament.brains.threat import Piece, Search, choose, compare, is_equal, is_greater, opening
from tournament.brains.threat_patterns import FLUSH_FOUR, LEVELS, ONE, SIGHT, TABLE, THREE, TWO, TWO_THREE, score_along

NO_TIME_MS, PLENTY_MS = 0, 20_000

# Table I, and lines in which a stone on the cell marked _ makes the pattern.
PATTERNS = {
    "sleep one": (15, 10, ["#...._O", "O_....#"]),
    "live one": (40, 25, ["...._....", "#._....O"]),
    "sleep two": (120, 75, ["OX_...#", "#.X._.#", "OX..._O"]),
    "(big) jump live two": (260, 240, ["..X._..", "..X.._.", "#.X._..O"]),
    "live two": (450, 415, ["..X_..", "#.X_...O"]),
    "sleep three": (650, 500, ["OXX_..", "#.XX_.#", "X.X._", "XX.._"]),
    "jump live three": (1550, 1150, [".XX._.", ".X._X."]),
    "live three": (1730, 1425, ["..XX_.", "#.XX_..O"]),
    "flush four": (2450, 1750, ["OXXX_.", "XX._X", "X.XX_"]),
    "live four": (4750, 3600, [".XXX_.", "#.X_XX.O"]),
    "five": (20000, 15000, ["OXXXX_O", "XX_XX", "XXX_XX"]),
}
EXAMPLES = [(line, *scores) for *scores, lines in PATTERNS.values() for line in lines]


def search_of(position: Position) -> Search:
    return Search(position, Deadline.after_ms(PLENTY_MS))


def chosen(position: Position, ms: float = PLENTY_MS) -> tuple[int, int]:
    y, x = divmod(choose(position, Deadline.after_ms(ms)), position.width)
    return x, y


def cells_of(pieces: list[Piece], width: int = 15) -> set[tuple[int, int]]:
    return {(piece.cell % width, piece.cell // width) for piece in pieces}


def candidates(position: Position, side: str = OWN) -> list[Piece]:
    search = search_of(position)
    return search.heuristic(side, search.empty_places())


# -- the document's numbers --------------------------------------------------------------------------------------------


def test_parameters() -> None:
    assert (threat.DEPTH, threat.THRESHOLD, threat.MAX_CANDIDATES) == (2, 1.4, 10)


def test_table_of_scores() -> None:
    assert list(TABLE[OWN]) == [own for own, _, _ in PATTERNS.values()]
    assert list(TABLE[OTHER]) == [opponent for _, opponent, _ in PATTERNS.values()]


@pytest.mark.parametrize(("line", "own", "opponent"), EXAMPLES)
def test_patterns(line: str, own: int, opponent: int) -> None:
    padded = "#" * SIGHT + line + "#" * SIGHT
    at = padded.index("_")
    window = padded.replace("_", EMPTY)[at - SIGHT : at + SIGHT + 1]
    for seen in (window, window[::-1]):
        assert score_along(seen, OWN) == own
        assert score_along(seen.translate(str.maketrans("XO", "OX")), OTHER) == opponent


def test_scores_of_the_four_directions_are_added() -> None:
    search = search_of(placed(15, 15, own="7,5 7,6 8,7 9,7"))
    assert search.scores[OWN][7 * 15 + 7] == 2 * 1730 + 2 * 40
    assert search.scores[OTHER][7 * 15 + 7] == 2 * 25 + 2 * 10
    assert search.scores[OWN][7 * 15 + 7 + 1] == 0  # taken


@pytest.mark.parametrize("seed", range(6))
def test_caches_follow_every_stone(seed: int) -> None:
    rng = random.Random(seed)
    position = scattered(rng, rng.randint(5, 15), rng.randint(5, 15), 10)
    search = search_of(position)
    stones = dict(position.stones)
    for _ in range(15):
        cell = rng.randrange(position.cells)
        if cell in stones:
            search.take_back(cell)
            del stones[cell]
        else:
            stones[cell] = rng.choice([OWN, OTHER])
            search.put(cell, stones[cell])
        fresh = search_of(position._replace(stones=tuple(stones.items())))
        assert search.scores == fresh.scores
        assert search.empty_places() == fresh.empty_places()


# -- approximate comparison --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (100, 100, True),
        (139, 100, True),
        (141, 100, False),
        (72, 100, True),
        (71, 100, False),
        (-139, -100, True),
        (-141, -100, False),
        (-72, -100, True),
        (-71, -100, False),
        (100, -100, False),
        (0.01, 0, True),
        (0, 0, False),
        (1, 0, False),
    ],
)
def test_equal(a: float, b: float, expected: bool) -> None:
    assert is_equal(a, b) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (141, 100, True),
        (140, 100, False),
        (100, 100, False),
        (0.14, 0, True),
        (0.13, 0, False),
        (-71, -100, True),
        (-72, -100, False),
        (0, -100, True),
    ],
)
def test_greater(a: float, b: float, expected: bool) -> None:
    assert is_greater(a, b) is expected


def test_totals_decide_between_equals() -> None:
    first, second, better = Piece(0, 100, 500), Piece(1, 120, 400), Piece(2, 200, 0)
    assert compare(first, second) == 400 - 500
    assert compare(second, first) == 500 - 400
    assert compare(first, better) == 100
    assert sorted([second, first, better], key=threat.BY_SCORE) == [better, first, second]


# -- opening -----------------------------------------------------------------------------------------------------------


def test_opening() -> None:
    answers = {"7,7": (8, 8), "0,0": (1, 1), "14,14": (13, 13), "14,0": (13, 1), "3,11": (4, 10)}
    for stone, answer in answers.items():
        assert chosen(placed(15, 15, other=stone)) == answer
    assert opening(placed(15, 15, own="7,7", other="8,8")) is None


# -- candidates --------------------------------------------------------------------------------------------------------


def test_sparse_cells_are_discarded() -> None:
    search = search_of(placed(15, 15, own="7,7", other="9,7"))
    assert set(search.empty_places()) == {y * 15 + x for y in range(5, 10) for x in (7, 8, 9)} - {
        7 * 15 + 7,
        7 * 15 + 9,
    }
    alone = search_of(placed(15, 15, own="1,1", other="12,12"))
    assert len(alone.empty_places()) == 15 + 24


def test_fives_come_alone_ours_first() -> None:
    both = placed(15, 15, own="3,3 4,3 5,3 6,3", other="9,5 9,6 9,7 9,8")
    assert cells_of(candidates(both)) == {(2, 3), (7, 3)}
    assert cells_of(candidates(both, OTHER)) == {(9, 4), (9, 9)}
    three = placed(15, 15, own="3,3 4,3 5,3", other="9,5 9,6 9,7 9,8")
    assert cells_of(candidates(three)) == {(9, 4), (9, 9)}


def test_live_fours_come_alone_ours_first() -> None:
    both = placed(15, 15, own="3,3 4,3 5,3", other="9,5 9,6 9,7")
    assert cells_of(candidates(both)) == {(2, 3), (6, 3)}
    theirs = placed(15, 15, own="3,3 4,3", other="9,5 9,6 9,7")
    assert cells_of(candidates(theirs)) == {(9, 4), (9, 8)}


def test_other_groups_follow_in_order() -> None:
    """Our flush four, theirs, their double three, then the rest; ten in all."""
    position = placed(15, 15, own="0,0 1,0 2,0", other="8,5 8,6 9,7 10,7")
    pieces = candidates(position)
    scores = search_of(position).scores
    levels = [max(bisect_right(LEVELS[side], scores[side][piece.cell]) for side in TABLE) for piece in pieces]
    order = [FLUSH_FOUR, TWO_THREE, THREE, TWO, ONE]
    assert len(pieces) == 10
    assert [order.index(level) for level in levels] == sorted(order.index(level) for level in levels)
    assert cells_of(pieces[:1]) == {(3, 0)}
    assert cells_of([piece for piece, level in zip(pieces, levels, strict=True) if level == TWO_THREE]) == {(8, 7)}


# -- the search --------------------------------------------------------------------------------------------------------


def worst_answer(position: Position) -> int:
    """The opponent's highest cell score after our move."""
    x, y = chosen(position)
    after = search_of(position._replace(stones=(*position.stones, (y * 15 + x, OWN))))
    return max(after.scores[OTHER])


def test_defends_against_two_live_threes() -> None:
    """The document's own check: the opponent would make two live threes on 7,7."""
    position = placed(15, 15, own="3,3 12,2 2,12", other="7,5 7,6 8,7 9,7")
    assert search_of(position).scores[OTHER][7 * 15 + 7] >= 2 * 1425
    assert worst_answer(position) < 2 * 1150


def test_defends_against_flush_four_and_live_three() -> None:
    """The document's own check: the opponent would make a four and a live three on 7,7."""
    position = placed(15, 15, own="7,3 12,2 2,12", other="7,4 7,5 7,6 8,8 9,9")
    assert search_of(position).scores[OTHER][7 * 15 + 7] >= 1750 + 1425
    assert worst_answer(position) < 1750 + 1150


def test_makes_a_live_four() -> None:
    assert chosen(placed(15, 15, own="6,7 7,7 8,7", other="6,6 8,8 3,3")) in {(5, 7), (9, 7)}


def plain_negamax(search: Search, depth: int, side: str) -> int:
    """Algorithm 4 without cutoffs."""
    pieces = search.heuristic(side, search.empty_places())
    if depth == 0 or any(search.is_five(piece) for piece in pieces):
        cells = search.empty_places()
        return max(search.scores[side][c] for c in cells) - max(search.scores[OPPOSITE[side]][c] for c in cells)
    values = []
    for piece in pieces:
        search.put(piece.cell, side)
        values.append(-plain_negamax(search, depth - 1, OPPOSITE[side]))
        search.take_back(piece.cell)
    return max(values)


@pytest.mark.parametrize("seed", range(5))
def test_values_without_cuts_are_the_printed_ones(seed: int) -> None:
    search = search_of(scattered(random.Random(seed), 10, 10, 14))
    expected = plain_negamax(search, 2, OWN)
    assert search.negamax(2, -threat.INFINITY, threat.INFINITY, OWN) == expected


@pytest.mark.parametrize("seed", range(5))
def test_cuts_do_not_change_the_move(seed: int) -> None:
    position = scattered(random.Random(seed), 12, 12, 16)
    search = search_of(position)
    pieces = search.heuristic(OWN, search.empty_places())
    adjusted = []
    for piece in pieces:
        search.put(piece.cell, OWN)
        adjusted.append(piece._replace(max_score=-plain_negamax(search, 1, OTHER)))
        search.take_back(piece.cell)
    best = sorted(adjusted, key=threat.BY_SCORE)[0]
    found = next(piece for piece in adjusted if piece.cell == search.best_of(pieces))
    assert is_equal(found.max_score, best.max_score)


def test_first_candidate_when_there_is_no_time() -> None:
    position = quiet_crowd(15, 15, 0.3)
    assert choose(position, Deadline.after_ms(NO_TIME_MS)) == candidates(position)[0].cell
