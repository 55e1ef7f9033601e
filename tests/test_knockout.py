"""Knock-outs: who meets whom, ties, and a schedule that only grows."""

from collections import Counter
from itertools import pairwise, repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner import FAKE, OPENINGS, configuration, fake, play
from tests.test_runner_commands import tournament
from tournament.core.model import BLACK, WHITE, Board, GamePlan, GameRecord, Opening, Termination
from tournament.event.knockout import Bracket, knockout, pairings_of_round
from tournament.event.schedule import ScheduleError
from tournament.event.store import Store

EMPTY = Opening("", ())


@pytest.mark.parametrize(
    ("names", "pairings"),
    [
        ("ab", ["ab"]),
        ("abc", ["bc"]),
        ("abcd", ["ad", "bc"]),
        ("abcde", ["de"]),
        ("abcdefg", ["bg", "cf", "de"]),
        ("abcdefgh", ["ah", "bg", "cf", "de"]),
    ],
)
def test_who_meets_whom(names: str, pairings: list[str]) -> None:
    assert [first + second for first, second in pairings_of_round(list(names))] == pairings


def played_by(plan: GamePlan, winner: int | None) -> GameRecord:
    return GameRecord(plan, Board(), (), winner, Termination.FIVE)


def played_out(names: str, games: int, results: list[int | None]) -> tuple[list[Bracket], dict[int, GameRecord]]:
    """A whole knock-out whose games have these results in turn, and the bracket before each game."""
    played: dict[int, GameRecord] = {}
    brackets = []
    while True:
        bracket = knockout(list(names), games, repeat(EMPTY), played)
        brackets.append(bracket)
        missing = [plan for plan in bracket.plans if plan.number not in played]
        if not missing:
            return brackets, played
        result = results[len(played) % len(results)]
        played[missing[0].number] = played_by(missing[0], result)


@given(st.integers(2, 9), st.integers(1, 3), st.lists(st.sampled_from([BLACK, WHITE, None]), min_size=1, max_size=30))
def test_every_knockout_ends_with_one_winner(brains: int, pairs: int, results: list[int | None]) -> None:
    names = "abcdefghi"[:brains]
    brackets, played = played_out(names, 2 * pairs, results)
    last = brackets[-1]
    assert last.winner is not None
    matches = [match for matches in last.rounds for match in matches]
    beaten = [match.second if match.winner == match.first else match.first for match in matches]
    assert sorted([*beaten, last.winner]) == list(names), "everyone but the winner loses exactly one match"
    assert [plan.number for plan in last.plans] == list(range(1, len(played) + 1))
    assert all(count == 2 for count in Counter(plan.pair for plan in last.plans).values())
    for before, after in pairwise(brackets):
        assert after.plans[: len(before.plans)] == before.plans, "results only add games"
    for match in matches:
        assert sum(match.scores) in range(2 * pairs, 4 * pairs + 1, 2)
        first, second = match.scores
        assert match.winner == (match.second if second > first else match.first)


def test_a_tied_match_plays_further_pairs_and_then_the_first_named_wins() -> None:
    brackets, played = played_out("ab", 4, [None])
    assert (len(brackets[0].plans), len(played), brackets[-1].winner) == (4, 8, "a")
    assert brackets[-1].rounds[0][0].scores == (4, 4)


def test_swapped_colours_count_for_the_brain() -> None:
    """Swap2 may record other colours than planned."""
    plans = knockout(["a", "b"], 2, repeat(EMPTY), {}).plans
    swapped = [GamePlan(plan.number, plan.pair, plan.white, plan.black, EMPTY) for plan in plans]
    played = {plan.number: played_by(plan, BLACK if plan.black == "b" else WHITE) for plan in swapped}
    assert knockout(["a", "b"], 2, repeat(EMPTY), played).winner == "b"


def test_what_makes_no_knockout() -> None:
    with pytest.raises(ScheduleError, match="at least two brains"):
        knockout(["a"], 2, repeat(EMPTY), {})
    with pytest.raises(ScheduleError, match="even"):
        knockout(["a", "b"], 3, repeat(EMPTY), {})


def test_a_knockout_is_played_to_its_end_and_resumed(tmp_path: Path) -> None:
    brains = [fake("occupied"), fake("none"), fake("crash"), fake("off-board")]
    config = configuration(brains, mode="knock-out")
    records, _ = play(config, tmp_path / "whole", concurrency=2)
    assert {record.plan.black for record in records if record.plan.number in (1, 2)} == {"occupied", "off-board"}
    assert {name for record in records[-2:] for name in (record.plan.black, record.plan.white)} >= {"none"}
    lines = (tmp_path / "whole" / "games.jsonl").read_text().splitlines(keepends=True)
    part = tmp_path / "part"
    part.mkdir()
    (part / "event.json").write_bytes((tmp_path / "whole" / "event.json").read_bytes())
    (part / "games.jsonl").write_text("".join(lines[:3]))
    again, _ = play(config, part)
    assert sorted(record.plan.number for record in again) == sorted(record.plan.number for record in records)
    shown = tournament("standings", str(part))
    assert shown.returncode == 0
    assert "round 1: occupied - off-board " in shown.stdout
    assert "winner: none" in shown.stdout


def test_the_schedule_of_a_knockout_is_its_first_round(tmp_path: Path) -> None:
    run = tournament("run", *[str(FAKE)] * 3, "--knockout", "--dry-run", "--openings", str(OPENINGS), "--size", "10")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count(" - ") == 2
    assert (
        "...and the rounds that follow from the results\nevent: knock-out, 3 brains, 2 games per pairing\n"
        in run.stdout
    )
    assert run.stdout.splitlines()[-1].startswith("4 games, ")
    assert not Store(tmp_path).exists
