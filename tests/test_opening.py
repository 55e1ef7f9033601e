"""The first stones of a game, and Swap2's."""

import pytest

from pbrain.core.params import WHITE
from pbrain.core.types import Limits
from pbrain.engine.engine import Engine
from pbrain.engine.opening import first_move
from pbrain.engine.swap2 import SHAPES
from pbrain.engine.timeman import search_limits


def test_the_centre_first() -> None:
    assert first_move((15, 15), []) == (7, 7)
    assert first_move((20, 12), []) == (10, 6)


@pytest.mark.parametrize(("stone", "reply"), [((7, 7), (8, 8)), ((5, 9), (6, 8)), ((4, 4), (5, 5)), ((10, 10), (9, 9))])
def test_a_reply_beside_the_first_stone_towards_the_centre(stone: tuple[int, int], reply: tuple[int, int]) -> None:
    assert first_move((15, 15), [stone]) == reply


@pytest.mark.parametrize("stone", [(0, 0), (14, 14), (3, 7), (7, 11)])
def test_a_first_stone_at_the_edge_is_left_to_the_search(stone: tuple[int, int]) -> None:
    assert first_move((15, 15), [stone]) is None


def test_later_moves_are_left_to_the_search() -> None:
    assert first_move((15, 15), [(7, 7), (8, 8)]) is None


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_offered_in_swap2_is_won_in_a_short_search(engine: Engine, shape: tuple[tuple[int, int], ...]) -> None:
    engine.set_position([(10 + dx, 10 + dy, i % 2) for i, (dx, dy) in enumerate(shape)], to_move=WHITE)
    report = engine.think(search_limits(Limits(depth=6), engine.now_ns()))
    assert report.win_in is None
    assert abs(report.score) < 400
