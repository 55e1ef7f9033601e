"""Every seed brain makes its own five, or else blocks the opponent's, with or without time to search."""

from collections.abc import Callable
from types import ModuleType

import pytest

from tests.test_seed_lines import placed
from tournament.brains import boundary, minimax, threat
from tournament.brains.clock import Deadline
from tournament.brains.position import Position

Choose = Callable[[Position, Deadline], int]

SEEDS = [minimax, boundary, threat]
SIX_WIN_SEEDS = [boundary, threat]  # minimax: exactly five stones win, under any rule
NO_TIME_MS, PLENTY_MS = 0, 20_000
TIMES = pytest.mark.parametrize("ms", [NO_TIME_MS, PLENTY_MS])


def chooses(seeds: list[ModuleType]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("choose", [pytest.param(seed.choose, id=seed.__name__) for seed in seeds])


def chosen(choose: Choose, position: Position, ms: float = PLENTY_MS) -> tuple[int, int]:
    y, x = divmod(choose(position, Deadline.after_ms(ms)), position.width)
    return x, y


@TIMES
@chooses(SEEDS)
def test_takes_a_five_before_it_blocks_one(choose: Choose, ms: float) -> None:
    assert chosen(choose, placed(15, 15, own="3,3 4,3 5,3 6,3", other="2,3 9,5 9,6 9,7 9,8"), ms) == (7, 3)


@TIMES
@chooses(SEEDS)
@pytest.mark.parametrize(
    ("theirs", "mine", "blocks"),
    [
        ("3,3 4,3 5,3 6,3", "2,3 9,9 9,12", {(7, 3)}),
        ("3,3 4,4 6,6 7,7", "9,9 1,9 2,12", {(5, 5)}),
        ("0,14 1,13 2,12 3,11", "9,9 9,10 2,2", {(4, 10)}),
        ("14,4 14,5 14,6 14,7", "9,9 9,10 9,11", {(14, 3), (14, 8)}),
    ],
)
def test_blocks_a_five(choose: Choose, theirs: str, mine: str, blocks: set[tuple[int, int]], ms: float) -> None:
    assert chosen(choose, placed(15, 15, own=mine, other=theirs), ms) in blocks


@TIMES
@chooses(SIX_WIN_SEEDS)
def test_blocks_six(choose: Choose, ms: float) -> None:
    assert chosen(choose, placed(15, 15, own="9,9 9,10 2,12", other="3,3 4,3 5,3 7,3 8,3"), ms) == (6, 3)


@chooses(SIX_WIN_SEEDS)
def test_black_in_renju_leaves_overlines_alone(choose: Choose) -> None:
    six_wins = placed(15, 15, own="3,3 4,3 5,3 7,3 8,3", other="2,9 3,12 6,7 9,12 12,12")
    assert chosen(choose, six_wins) == (6, 3)
    assert chosen(choose, six_wins._replace(rule=4)) != (6, 3)


@chooses(SEEDS)
def test_opens_in_the_centre(choose: Choose) -> None:
    assert chosen(choose, Position(15, 15, 0, ())) == (7, 7)
    assert chosen(choose, Position(20, 20, 0, ())) == (10, 10)
    assert chosen(choose, Position(9, 6, 0, ())) == (4, 3)
