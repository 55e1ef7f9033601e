"""The numbers that only the report shows: the course of a test, colours by opening, times by move, the games' data."""

import base64
import json
import math
import zlib

import pytest

from tests.report_events import OPENING, configuration, game, many_games
from tournament.core.model import GamePlan, Opening, PlayedMove, Termination
from tournament.report.game_data import MAX_MESSAGE, PROVEN, packed, row_of, score_for_black
from tournament.stats.colours import ColourTotals
from tournament.stats.course import MAX_POINTS, SprtCourse
from tournament.stats.move_times import MoveTimes
from tournament.stats.order import PairsInOrder
from tournament.stats.ratings import Tally
from tournament.stats.standings import sprt_state

NAMES = ["new", "old"]


@pytest.mark.parametrize("model", ["normalised", "trinomial"])
def test_the_course_of_a_test_ends_where_the_test_is(model: str) -> None:
    config = configuration(NAMES, {"elo0": 0, "elo1": 10, "model": model})
    assert config.sprt is not None
    course, order = SprtCourse(config.sprt, config.field), PairsInOrder()
    assert course.points() == [(0, 0.0)]
    records = many_games(60, NAMES)
    for record in [*records[::2], *records[1::2]]:  # in another order than that of the schedule
        course.add(record)
        order.add(record)
    state = sprt_state(order.totals, config.sprt, config.field)
    assert state is not None
    points = course.points()
    assert points[-1] == (60, state.llr)
    assert [games for games, _ in points] == list(range(0, 61, 2))


def test_a_long_course_keeps_its_shape_in_few_points() -> None:
    config = configuration(NAMES, {"elo0": 0, "elo1": 10})
    assert config.sprt is not None
    course = SprtCourse(config.sprt, config.field)
    for number in range(1, 2 * MAX_POINTS + 200):
        black, white = NAMES if number % 2 else NAMES[::-1]
        course.add(game(number, black, white, (0, 1, None)[number % 3]))
    points = course.points()
    assert len(points) <= MAX_POINTS + 2
    pairs = (2 * MAX_POINTS + 199) // 2
    assert points[-1][0] == 2 * pairs
    assert points[1][0] == 4, "every second pair"


def test_the_images_of_an_opening_count_as_one() -> None:
    totals = ColourTotals()
    names = ("a.txt:1", "a.txt:1/5", "a.txt:1/7", "a.txt:12", "a.txt:2/1")
    for number, (name, winner) in enumerate(zip(names, (0, 0, None, 1, 1), strict=True), 1):
        plan = GamePlan(number, number, "a", "b", Opening(name, OPENING.moves))
        totals.add(game(number, "a", "b", winner, plan=plan))
    totals.add(game(9, "a", "b", None, termination=Termination.INTERRUPTED))
    assert totals.openings == {"a.txt:1": Tally(2, 1, 0), "a.txt:12": Tally(0, 0, 1), "a.txt:2": Tally(0, 0, 1)}
    assert totals.all == Tally(2, 1, 2)
    assert [name for name, _ in totals.one_sided()] == ["a.txt:1", "a.txt:12", "a.txt:2"]


def test_times_are_counted_by_the_brains_own_moves() -> None:
    times = MoveTimes()
    times.add(game(1, "a", "b", 0))  # white moves first, in 100 ms; each further move takes 10 ms more
    assert [tuple(each) for each in times.of("b")] == [(1, 100, 100), (2, 120, 120), (3, 140, 140), (4, 160, 160),
                                                       (5, 180, 180)]  # fmt: skip
    assert [each.p50_ms for each in times.of("a")] == [110, 130, 150, 170, 190]
    assert times.of("nobody") == []


def test_numbers_that_few_games_reach_are_left_out() -> None:
    times = MoveTimes()
    short = tuple(PlayedMove(x, 0, 5.0) for x in range(4))
    for number in range(1, 31):
        times.add(game(number, "a", "b", None, moves=short))
    times.add(game(31, "a", "b", 0))
    assert [each.move for each in times.of("a")] == [1, 2]


def test_scores_are_from_blacks_point_of_view_and_finite() -> None:
    assert score_for_black(None, 0) is None
    assert score_for_black(12.0, 0) == 12
    assert score_for_black(12.0, 1) == -12
    assert score_for_black(math.inf, 0) == PROVEN
    assert score_for_black(math.inf, 1) == -PROVEN
    assert score_for_black(-math.inf, 1) == PROVEN


def test_a_game_is_packed_whole_but_for_endless_messages() -> None:
    moves = (PlayedMove(1, 2, 3.14159, "MESSAGE win in 3"), PlayedMove(3, 4, 5.0, "x" * 10_000))
    record = game(7, "a", "b", None, moves=moves, detail="a\nb", warnings=("w",))
    found = json.loads(zlib.decompress(base64.b64decode(packed(record))))
    assert found["stones"] == [[7, 7], [8, 8], [6, 6], [1, 2], [3, 4]]
    assert found["opening"] == 3
    assert found["scores"] == [-PROVEN, None], "white is first to move here"
    assert found["ms"] == [3.1, 5.0]
    assert found["said"][0] == "win in 3"
    assert len(found["said"][1]) == MAX_MESSAGE
    assert (found["detail"], found["warnings"]) == ("a\nb", ["w"])
    assert row_of(record, {"a": 0, "b": 1}) == [7, 0, 1, 2, "DRAW_FULL", "book.txt:7", 5, 3.2, 1]
