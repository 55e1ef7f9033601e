"""Schedules: pairs, rounds, numbers, and reproducibility."""

from collections import Counter
from collections.abc import Callable

import pytest

from tournament.core.model import Board, GamePlan
from tournament.core.openings import OpeningError, shipped_openings
from tournament.event.schedule import ScheduleError, gauntlet, round_robin

BOARD = Board(15, 15)
OPENINGS = shipped_openings(BOARD)
NAMES = ("ada", "bob", "cid", "dot")


def pairing(plan: GamePlan) -> frozenset[str]:
    return frozenset((plan.black, plan.white))


def test_a_small_round_robin_in_full() -> None:
    plans = round_robin(NAMES[:3], 4, OPENINGS[:2], BOARD, seed=1)
    assert [(plan.number, plan.pair, plan.black, plan.white) for plan in plans] == [
        (1, 1, "ada", "bob"),
        (2, 1, "bob", "ada"),
        (3, 2, "ada", "cid"),
        (4, 2, "cid", "ada"),
        (5, 3, "bob", "cid"),
        (6, 3, "cid", "bob"),
        (7, 4, "ada", "bob"),
        (8, 4, "bob", "ada"),
        (9, 5, "ada", "cid"),
        (10, 5, "cid", "ada"),
        (11, 6, "bob", "cid"),
        (12, 6, "cid", "bob"),
    ]
    assert len({plan.opening for plan in plans[:6]}) == len({plan.opening for plan in plans[6:]}) == 1
    assert {plan.opening for plan in plans} == set(OPENINGS[:2])


def test_a_gauntlet_is_the_first_against_the_others() -> None:
    plans = gauntlet(NAMES, 6, OPENINGS, BOARD, seed=1)
    assert all("ada" in pairing(plan) for plan in plans)
    assert Counter(pairing(plan) for plan in plans) == {frozenset(("ada", name)): 6 for name in NAMES[1:]}


@pytest.mark.parametrize("make", [round_robin, gauntlet])
def test_pairs_share_opening_and_brains_with_colours_swapped(make: Callable[..., list[GamePlan]]) -> None:
    plans = make(NAMES, 100, OPENINGS, BOARD, 5)
    for first, second in zip(plans[::2], plans[1::2], strict=True):
        assert first.pair == second.pair
        assert first.opening == second.opening
        assert (first.black, first.white) == (second.white, second.black)
    assert [plan.number for plan in plans] == list(range(1, len(plans) + 1))
    assert [plan.pair for plan in plans[::2]] == list(range(1, len(plans) // 2 + 1))


def test_every_pairing_progresses_evenly() -> None:
    plans = round_robin(NAMES, 20, OPENINGS, BOARD, seed=1)
    for end in range(0, len(plans), 2):
        played = Counter(pairing(plan) for plan in plans[:end])
        counts = [played[key] for key in {pairing(plan) for plan in plans}]
        assert max(counts) - min(counts) <= 2


def test_no_opening_repeats_within_a_pairing_until_all_were_played() -> None:
    plans = gauntlet(NAMES[:2], 2 * 8 * 3, OPENINGS[:8], BOARD, seed=1)
    names = [plan.opening.name for plan in plans[::2]]
    for begin in (0, 8, 16):
        assert len({name.split("/")[0] for name in names[begin : begin + 8]}) == 8
    assert len({plan.opening.moves for plan in plans}) == 24


def test_the_same_question_has_the_same_answer_and_another_seed_another() -> None:
    plans = round_robin(NAMES, 20, OPENINGS, BOARD, seed=1)
    assert plans == round_robin(list(NAMES), 20, list(OPENINGS), BOARD, seed=1)
    assert plans != round_robin(NAMES, 20, OPENINGS, BOARD, seed=2)


def test_more_games_leave_the_first_ones_as_they_were() -> None:
    few, many = (round_robin(NAMES, games, OPENINGS[:6], BOARD, seed=1) for games in (10, 40))
    assert many[: len(few)] == few


@pytest.mark.parametrize("games", [-2, 0, 1, 7])
def test_games_that_make_no_pairs_are_refused_with_a_sentence(games: int) -> None:
    with pytest.raises(ScheduleError, match=f"must be even and at least 2, not {games}"):
        round_robin(NAMES, games, OPENINGS, BOARD, seed=1)


def test_brains_that_make_no_tournament() -> None:
    for make in (round_robin, gauntlet):
        with pytest.raises(ScheduleError, match="at least two brains, not 1"):
            make(["ada"], 2, OPENINGS, BOARD, seed=1)
        with pytest.raises(ScheduleError, match="repeated: ada, bob"):
            make(["bob", "ada", "cid", "ada", "bob"], 2, OPENINGS, BOARD, seed=1)
        with pytest.raises(OpeningError, match="no openings"):
            make(NAMES, 2, [], BOARD, seed=1)
