"""Time arithmetic, by tables."""

import pytest

from pbrain.brain.settings import Settings
from pbrain.brain.turns import TurnTimer
from pbrain.core.types import Budget, Clock, Limits, Report, Rule, SearchLimits
from pbrain.engine import timeman

MARGIN_AT_1000 = timeman.BASE_MARGIN_MS + 10


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (Clock(), 30_000),
        (Clock(turn_ms=1000), 1000),
        (Clock(turn_ms=0), 0),
        (Clock(turn_ms=5000, left_ms=800), 800),
        (Clock(turn_ms=5000, left_ms=90_000), 5000),
        (Clock(turn_ms=5000, left_ms=-300), 0),
        (Clock(left_ms=2000), 2000),
    ],
)
def test_what_the_manager_would_accept(clock: Clock, expected: float) -> None:
    assert timeman.available_ms(clock) == expected


def test_a_turn_limit_alone_is_used_up_to_the_margin() -> None:
    budget = timeman.budget(Clock(turn_ms=1000), own_moves=0)
    assert budget == Budget(1000 - MARGIN_AT_1000, 1000 - MARGIN_AT_1000)
    assert timeman.budget(Clock(turn_ms=1000), 0, delay_ms=40).maximum_ms == 1000 - MARGIN_AT_1000 - 40


@pytest.mark.parametrize("turn_ms", [0, 1, 5, 20, 50])
def test_very_short_turns_are_one_iteration_within_half_of_them(turn_ms: int) -> None:
    budget = timeman.budget(Clock(turn_ms=turn_ms), own_moves=3)
    assert budget == Budget(0, min(turn_ms / 2, timeman.MAX_ONE_ITERATION_MS))
    assert timeman.budget(Clock(turn_ms=turn_ms), 3, delay_ms=1000).maximum_ms == 0


@pytest.mark.parametrize("turn_ms", [51, 60, 100, 500, 1000, 5000, 30_000, 300_000, 10**9])
@pytest.mark.parametrize("left_ms", [None, 0, 10, 51, 200, 1000, 120_000, 10**9])
@pytest.mark.parametrize("delay_ms", [0.0, 5.0, 299.0])
@pytest.mark.parametrize("own_moves", [0, 10, 40, 200])
def test_never_more_than_is_available(turn_ms: int, left_ms: int | None, delay_ms: float, own_moves: int) -> None:
    clock = Clock(turn_ms=turn_ms, left_ms=left_ms)
    budget = timeman.budget(clock, own_moves, delay_ms)
    assert 0 <= budget.optimum_ms <= max(budget.maximum_ms, 0) <= timeman.available_ms(clock)
    if timeman.available_ms(clock) > timeman.margin_ms(timeman.available_ms(clock), delay_ms) + 1:
        assert budget.maximum_ms <= timeman.available_ms(clock) - timeman.BASE_MARGIN_MS


@pytest.mark.parametrize(
    ("turn_ms", "match_ms"), [(5000, 120_000), (30_000, 180_000), (300_000, 1_000_000), (100, 2400)]
)
def test_match_time_lasts_and_is_spent_evenly(turn_ms: int, match_ms: int) -> None:
    """Every move taking its maximum, for the longest game there is: the clock shrinks but never runs out."""
    left, taken = float(match_ms), []
    for move in range(200):
        clock = Clock(turn_ms=turn_ms, match_ms=match_ms, left_ms=int(left))
        budget = timeman.budget(clock, own_moves=move)
        taken.append(budget.maximum_ms)
        left -= budget.maximum_ms
        assert left >= timeman.reserve_ms(clock) - 1
    typical, left = [], float(match_ms)
    for move in range(30):
        budget = timeman.budget(Clock(turn_ms=turn_ms, left_ms=int(left)), own_moves=move)
        typical.append(budget.optimum_ms)
        left -= budget.optimum_ms
    assert max(typical[:20]) < 2 * min(typical[:20]), "even over the first twenty moves"
    assert match_ms / 2 < sum(typical) < match_ms, "most of it used in a game of usual length"


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (Clock(turn_ms=5000), 0),
        (Clock(match_ms=120_000, left_ms=500), 1000),
        (Clock(match_ms=2400, left_ms=500), 48),
        (Clock(left_ms=10_000), 200),
        (Clock(left_ms=-5), 0),
    ],
)
def test_the_reserve(clock: Clock, expected: float) -> None:
    assert timeman.reserve_ms(clock) == expected
    if clock.left_ms is not None and clock.left_ms <= expected:
        assert timeman.budget(clock, 10) == Budget(0, 0)


def test_an_increment_is_spent() -> None:
    without = timeman.budget(Clock(turn_ms=10_000, left_ms=60_000), 10)
    with_increment = timeman.budget(Clock(turn_ms=10_000, left_ms=60_000, increment_ms=500), 10)
    assert with_increment.optimum_ms == without.optimum_ms + 500


def test_delays_are_remembered_and_forgotten_slowly() -> None:
    delay = timeman.remembered_delay(0, 30)
    assert delay == 30
    assert timeman.remembered_delay(delay, 2) == 27
    assert timeman.remembered_delay(delay, -500) == 27
    assert timeman.remembered_delay(0, -500) == 0
    assert timeman.remembered_delay(delay, 10**6) == timeman.MAX_DELAY_MS


BEGAN_NS = 5_000_000_000


@pytest.mark.parametrize(
    ("budget", "last_start_ms", "deadline_ms"),
    [
        (Budget(1000, 1000), 1000, 1000),  # nothing is saved by stopping early
        (Budget(1000, 2500), 600, 2500),
        (Budget(0, 7.5), 0, 7.5),  # one iteration
        (Budget(0, 0), 0, 0),
    ],
)
def test_the_moments_of_a_search(budget: Budget, last_start_ms: float, deadline_ms: float) -> None:
    limits = timeman.search_limits(Limits(budget, 3, 4, True), BEGAN_NS)
    moments = BEGAN_NS, BEGAN_NS + int(1e6 * last_start_ms), BEGAN_NS + int(1e6 * deadline_ms)
    assert limits == SearchLimits(*moments, 3, 4, True)


def test_a_search_without_a_time_limit_has_no_moments_but_its_beginning() -> None:
    limits = timeman.search_limits(Limits(nodes=9), BEGAN_NS)
    assert limits == SearchLimits(BEGAN_NS, nodes=9)
    assert timeman.part_of(limits, 1, 8) == limits
    assert timeman.share_ns(limits, BEGAN_NS, 0.25) is None


def test_parts_follow_each_other_up_to_the_whole() -> None:
    whole = timeman.search_limits(Limits(Budget(800, 1600)), BEGAN_NS)
    parts = [timeman.part_of(whole, part, 8) for part in range(1, 9)]
    assert [part.deadline_ns for part in parts] == [BEGAN_NS + part * 200_000_000 for part in range(1, 9)]
    assert parts[-1] == whole


def test_a_share_is_one_of_the_time_left_to_start_iterations() -> None:
    limits = timeman.search_limits(Limits(Budget(1000, 2500)), BEGAN_NS)
    assert timeman.share_ns(limits, BEGAN_NS, 0.25) == BEGAN_NS + 150_000_000
    half_way = BEGAN_NS + 300_000_000
    assert timeman.share_ns(limits, half_way, 0.25) == half_way + 75_000_000
    too_late = BEGAN_NS + 700_000_000
    assert timeman.share_ns(limits, too_late, 0.25) == too_late


# -- turns of a brain --------------------------------------------------------------------------------------------------


def brain_settings(**clock: int) -> Settings:
    settings = Settings(Rule.FREESTYLE)
    settings.clock = Clock(**clock)
    return settings


def test_the_start_of_the_process_is_taken_off_the_first_turn_alone() -> None:
    timer = TurnTimer(brain_settings(turn_ms=1000), start_cost_ns=80_000_000)
    assert timer.begin(BEGAN_NS, own_moves=0).began_ns == BEGAN_NS - 80_000_000
    assert timer.begin(BEGAN_NS, own_moves=1).began_ns == BEGAN_NS


def test_a_late_answer_shortens_the_next_turn_and_a_slow_start_does_not() -> None:
    timer = TurnTimer(brain_settings(turn_ms=1000), start_cost_ns=2_000_000_000)
    first = timer.begin(BEGAN_NS, own_moves=0)
    timer.end(first, BEGAN_NS, BEGAN_NS + 1_000_000)
    second = timer.begin(BEGAN_NS, own_moves=1)
    assert second.deadline_ns == BEGAN_NS + int(1e6 * (1000 - MARGIN_AT_1000))
    timer.end(second, BEGAN_NS, second.deadline_ns + 40_000_000)
    assert timer.begin(BEGAN_NS, own_moves=2).deadline_ns == second.deadline_ns - 40_000_000


def test_match_time_is_counted_down_until_the_next_game() -> None:
    settings = brain_settings(turn_ms=5000, match_ms=60_000, left_ms=60_000, increment_ms=100)
    timer = TurnTimer(settings, start_cost_ns=0)
    timer.end(timer.begin(BEGAN_NS, own_moves=0), BEGAN_NS, BEGAN_NS + 1_500_000_000)
    assert settings.clock.left_ms == 60_000 - 1500 + 100
    timer.start_game()
    assert settings.clock.left_ms == 60_000


# -- patience ----------------------------------------------------------------------------------------------------------


def iterations(*found: tuple[str, int]) -> list[Report]:
    """Reports with these moves and scores."""
    return [Report(i, i, score, 0, 0.0, ((ord(move), 7),)) for i, (move, score) in enumerate(found, 1)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([("a", 0)], 1.4),
        ([("a", 0), ("b", 0)], 1.4),  # the best move has just changed
        ([("b", 0), ("a", 0), ("a", 0)], 1.3),
        ([("b", 0)] + 4 * [("a", 0)], 1.1),
        ([("b", 0)] + 7 * [("a", 0)], 0.8),
        (40 * [("a", 0)], 0.8),
        ([("a", 50), ("a", 999), ("a", -50)], 1.2 * 1.4),  # 100 points less than two iterations before
        ([("a", 0), ("b", 0), ("c", -900)], 1.4 * 1.8),
        ([("a", 0), ("a", 0), ("a", 900)], 1.2),  # a better score is no reason to hurry
        ([("a", 0), ("a", 900)], 1.3),
    ],
)
def test_patience(found: list[tuple[str, int]], expected: float) -> None:
    assert timeman.patience(iterations(*found)) == pytest.approx(expected)


def test_a_search_goes_on_as_long_as_its_patience_lasts() -> None:
    limits = SearchLimits(1000, last_start_ns=2000, deadline_ns=5000)
    changed, steady = iterations(("a", 0), ("b", 0)), iterations(*9 * [("a", 0)])
    assert timeman.may_go_on(limits, changed, 2390)
    assert not timeman.may_go_on(limits, changed, 2410)
    assert timeman.may_go_on(limits, steady, 1790)
    assert not timeman.may_go_on(limits, steady, 1810)


@pytest.mark.parametrize("found", [[("a", 0), ("b", -500)], 9 * [("a", 0)]])
def test_patience_counts_only_where_stopping_early_saves_time(found: list[tuple[str, int]]) -> None:
    whole_turn = SearchLimits(1000, last_start_ns=2000, deadline_ns=2000)
    assert timeman.may_go_on(whole_turn, iterations(*found), 1999)
    assert not timeman.may_go_on(whole_turn, iterations(*found), 2000)
    assert timeman.may_go_on(SearchLimits(1000), iterations(*found), 10**18)
    hardly = SearchLimits(1000, last_start_ns=1999, deadline_ns=2000)
    assert not timeman.may_go_on(hardly, iterations(*found), 2000), "never beyond the deadline"
