"""Line texts of the seed brains, and helpers that build test positions."""

import random

import pytest

from tournament.brains.decided import has_winner
from tournament.brains.lines import Lines, neighbourhoods, run_length, without_overlines
from tournament.brains.position import EMPTY, OTHER, OWN, Position

SIZES = [(5, 5), (15, 15), (22, 22), (7, 12), (20, 6)]


def drawn(picture: str, rule: int = 0) -> Position:
    """A position from rows of X, O, # and dots."""
    rows = picture.split()
    stones = [(y * len(rows[0]) + x, char) for y, row in enumerate(rows) for x, char in enumerate(row) if char != EMPTY]
    return Position(len(rows[0]), len(rows), rule, tuple(stones))


def placed(width: int, height: int, own: str = "", other: str = "", rule: int = 0) -> Position:
    """A position from cells such as "7,7 8,8"."""
    stones = []
    for text, stone in ((own, OWN), (other, OTHER)):
        for x, y in (cell.split(",") for cell in text.split()):
            stones.append((int(y) * width + int(x), stone))
    return Position(width, height, rule, tuple(stones))


def scattered(rng: random.Random, width: int, height: int, stones: int) -> Position:
    """Random stones, alternating black and white."""
    cells = rng.sample(range(width * height), stones)
    return Position(width, height, 0, tuple((cell, "OX"[i % 2]) for i, cell in enumerate(cells)))


def quiet_crowd(width: int, height: int, share: float) -> Position:
    """Many stones and no three of a colour in a row, so that nothing is forced."""
    rng = random.Random(width)
    cells = [(x, y) for y in range(height) for x in range(width) if rng.random() < share]
    return Position(width, height, 0, tuple((y * width + x, "XO"[(x + 2 * y) // 2 % 2]) for x, y in cells))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_windows_show_what_is_around(width: int, height: int) -> None:
    position = scattered(random.Random(width), width, height, width * height // 3)
    stones = dict(position.stones)
    lines = Lines(position, 6)
    for cell in range(width * height):
        y, x = divmod(cell, width)
        for window, (dx, dy) in zip(lines.windows(cell), ((1, 0), (0, 1), (1, 1), (-1, 1)), strict=True):
            for i, char in enumerate(window, -6):
                column, row = x + i * dx, y + i * dy
                is_inside = 0 <= column < width and 0 <= row < height
                assert char == (stones.get(row * width + column, EMPTY) if is_inside else "#")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_stones_come_and_go(width: int, height: int) -> None:
    lines = Lines(Position(width, height, 0, ()), 5)
    before = list(lines.texts)
    for cell in range(width * height):
        lines.put(cell, OWN)
        assert sum(text.count(OWN) for text in lines.texts) == 4
        lines.put(cell, EMPTY)
        assert lines.texts == before


def test_neighbourhoods() -> None:
    near = neighbourhoods(7, 5, 2)
    assert len(near[2 * 7 + 3]) == 24
    assert near[0] == {1, 2, 7, 8, 9, 14, 15, 16}
    assert all(a in near[b] for a in range(35) for b in near[a])


@pytest.mark.parametrize(("window", "length"), [("XX.XX", 5), (".X.XX", 4), ("XO.OX", 1), ("##.X#", 2)])
def test_run_length(window: str, length: int) -> None:
    assert run_length(window, 2, OWN) == length


def test_only_black_in_renju_avoids_overlines() -> None:
    picture = "....... .XXX.XX ....... .OOO.OO ....... .O..... ......."
    overline, elsewhere = 1 * 7 + 4, 0
    for rule, expected in ((0, [overline, elsewhere]), (4, [elsewhere])):
        position = drawn(picture.replace(".O....", "......"), rule)
        assert without_overlines(position, Lines(position, 6), [overline, elsewhere]) == expected
        assert without_overlines(position, Lines(position, 6), [overline]) == [overline]
    as_white = drawn(picture, 4)
    assert without_overlines(as_white, Lines(as_white, 6), [overline]) == [overline]


@pytest.mark.parametrize(
    ("row", "rules_that_it_wins"),
    [
        (".XXXXX.", {0, 1, 4, 8, 9}),
        ("OXXXXX.", {0, 1, 4, 8, 9}),
        ("OXXXXXO", {0, 1, 4}),
        ("XXXXX#.", {0, 1, 4, 8, 9}),
        (".XXXXXX", {0, 8}),
        (".OOOOOO", {0, 4, 8}),
        (".XXXX.X", set()),
    ],
)
def test_who_has_won(row: str, rules_that_it_wins: set[int]) -> None:
    """X is black: it is to move and has more stones."""
    position = drawn(f"{row} ....... X.X.X.X ....... ....... X.X.X.X .......")
    assert position.is_black
    assert {rule for rule in (0, 1, 2, 4, 8, 9) if has_winner(position._replace(rule=rule))} == rules_that_it_wins
