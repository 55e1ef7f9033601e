"""Swap2: who has which colour after each choice, who is to move, and what records, standings and files say of it."""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import scripted_brain
from tests.runner import configuration, play
from tests.scripted_brain import scripted
from tests.test_runner_commands import tournament
from tournament.core.model import BLACK, WHITE, Board, GamePlan, GameRecord, Opening, Termination
from tournament.event.store import Store
from tournament.play.managers import JUDGE, OURS, Manager
from tournament.stats.standings import Field, standings, totals_of
from tournament.stats.timing import moves_of
from tournament.views.export import pgn, psq, sgf
from tournament.views.text import result_text

THREE = "9,9 8,9 7,9"
THREE_STONES = ((9, 9), (8, 9), (7, 9))

# The answers to three stones and to five; whether the proposer has black; all stones of the opening.
CHOICES: dict[str, tuple[str, str, bool, tuple[tuple[int, int], ...]]] = {
    "the other takes black": ("SWAP", "", False, THREE_STONES),
    "the other takes black, in small letters": ("swap", "", False, THREE_STONES),
    "the other takes white": ("6,9", "", True, (*THREE_STONES, (6, 9))),
    "the other adds two, the proposer takes black": ("6,9 5,9", "SWAP", True, (*THREE_STONES, (6, 9), (5, 9))),
    "the other adds two, the proposer takes white": (
        "6,9 5,9", "4,9", False, (*THREE_STONES, (6, 9), (5, 9), (4, 9)),
    ),
}  # fmt: skip
CHOICE = pytest.mark.parametrize("choice", CHOICES)
ROWS = {"black": [(x, 0) for x in range(5)], "white": [(x, 2) for x in range(0, 10, 2)]}  # black wins


def brains_of(choice: str, **script: Any) -> list[dict[str, Any]]:
    three, five, *_ = CHOICES[choice]
    script = {"swap2": {"0": THREE, "3": three, "5": five}, **script}
    return [scripted(name, script) for name in ("ada", "bob")]


def event_of(brains: list[dict[str, Any]], folder: Path, **event: Any) -> list[GameRecord]:
    return play(configuration(brains, swap2=True, **event), folder)[0]


def games_of(folder: Path, name: str) -> list[list[str]]:
    """The lines that a brain was sent, game by game."""
    (log,) = (folder / "logs").glob(f"pair-00001-{name}.log")
    sent = [line.split(" < ", 1)[1] for line in log.read_text().splitlines() if " < " in line]
    starts = [i for i, line in enumerate(sent) if line.startswith("START")]
    return [sent[start:end] for start, end in zip(starts, [*starts[1:], len(sent)], strict=True)]


# -- the choices -------------------------------------------------------------------------------------------------------


@CHOICE
@pytest.mark.parametrize("manager", [OURS, JUDGE], ids=lambda manager: manager.name)
def test_the_record_has_the_colours_that_were_chosen(tmp_path: Path, choice: str, manager: Manager) -> None:
    """Ada proposes in the first game, Bob in the second; the rows are black's win."""
    _, _, is_proposer_black, stones = CHOICES[choice]
    records = event_of(brains_of(choice, **ROWS), tmp_path, manager=manager.name)
    for record, proposer, other in zip(records, ("ada", "bob"), ("bob", "ada"), strict=True):
        black, white = (proposer, other) if is_proposer_black else (other, proposer)
        assert (record.plan.black, record.plan.white) == (black, white)
        assert record.plan.opening == Opening("swap2", stones)
        assert (record.termination, record.winner) == (Termination.FIVE, BLACK), record.detail
        assert result_text(record).startswith(f"{black} beat {white} as black (")


@CHOICE
def test_each_brain_is_asked_in_turn_and_told_its_own_stones(tmp_path: Path, choice: str) -> None:
    _, five, is_proposer_black, stones = CHOICES[choice]
    event_of(brains_of(choice), tmp_path, draw_after=4)
    for name in ("ada", "bob"):
        for game, proposer in zip(games_of(tmp_path, name), ("ada", "bob"), strict=True):
            asked = [
                game[i + 1 :][: game[i + 1 :].index("DONE")] for i, line in enumerate(game) if line == "SWAP2BOARD"
            ]
            all_asked = [[f"{x},{y}" for x, y in stones[:count]] for count in (0, 3, 5)]
            assert asked == ([all_asked[0], *([all_asked[2]] if five else [])] if name == proposer else [all_asked[1]])
            colour = BLACK if (name == proposer) == is_proposer_black else WHITE
            board = game[game.index("BOARD") + 1 :]
            board = board[: board.index("DONE")]
            is_first = len(stones) % 2 == colour
            assert len(board) == len(stones) + (not is_first), "the other colour has moved before"
            assert [line[-1] for line in board] == ["1" if i % 2 == colour else "2" for i in range(len(board))]


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "is_proposers", "sentence"),
    [
        (("SWAP", "SWAP", ""), True, "answered SWAP instead of placing three stones"),
        (("9,9 8,9", "SWAP", ""), True, "placed 2 stones in Swap2 instead of 3"),
        (("9,9 8,9 9,9", "SWAP", ""), True, "9,9 is taken (in Swap2)"),
        (("9,9 8,9 10,9", "SWAP", ""), True, "10,9 is not on the 10 x 10 board (in Swap2)"),
        ((THREE, "6,9 5,9 4,9", ""), False, "placed 3 stones in Swap2 instead of 1 or 2"),
        ((THREE, "7,9", ""), False, "7,9 is taken (in Swap2)"),
        ((THREE, "6,9 6,9", ""), False, "6,9 is taken (in Swap2)"),
        ((THREE, "6,9 5,9", "4,9 3,9"), True, "placed 2 stones in Swap2 instead of 1"),
        ((THREE, "6,9 5,9", "5,9"), True, "5,9 is taken (in Swap2)"),
    ],
)
def test_who_breaks_the_rules_of_the_choice_loses(
    tmp_path: Path, answers: tuple[str, str, str], is_proposers: bool, sentence: str
) -> None:
    script = {"swap2": dict(zip(("0", "3", "5"), answers, strict=True))}
    records = event_of([scripted(name, script) for name in ("ada", "bob")], tmp_path)
    for record, proposer, other in zip(records, ("ada", "bob"), ("bob", "ada"), strict=True):
        loser = proposer if is_proposers else other
        assert record.termination is Termination.ILLEGAL
        assert record.winner is not None
        assert (record.plan.black, record.plan.white)[1 - record.winner] == loser
        assert record.detail.startswith(f"{loser} made an illegal move: {sentence}\n")
        assert record.moves == ()


# -- what is counted ---------------------------------------------------------------------------------------------------


@CHOICE
def test_pairs_are_fair_and_results_count_for_the_brain(tmp_path: Path, choice: str) -> None:
    """The brains are equal and black wins: each proposes once per pair, so each wins one game of it."""
    records = event_of(brains_of(choice, **ROWS), tmp_path, games=4)
    assert Counter(record.plan.black for record in records) == {"ada": 2, "bob": 2}
    totals = totals_of(records)
    assert totals.pair_counts("ada", ["bob"]) == (0, 0, 2, 0, 0)
    for row in standings(records, Field(("ada", "bob"))).rows:
        assert (row.tally.wins, row.tally.losses, row.score) == (2, 2, 2.0)


@pytest.mark.parametrize(("three", "colour"), [("SWAP", BLACK), ("6,9", WHITE)])
def test_one_brain_may_have_the_same_colour_in_both_games_of_a_pair(tmp_path: Path, three: str, colour: int) -> None:
    """Both brains want the same: Ada has black, or white, in both games. Black wins."""
    ada = scripted("ada", {"swap2": {"0": THREE, "3": three}, **ROWS})
    bob = scripted("bob", {"swap2": {"0": THREE, "3": "SWAP" if three == "6,9" else "6,9"}, **ROWS})
    records = event_of([ada, bob], tmp_path)
    players = [(record.plan.black, record.plan.white)[colour] for record in records]
    assert players == ["ada", "ada"]
    winner = "ada" if colour == BLACK else "bob"
    totals = totals_of(records)
    assert totals.pair_counts(winner, ["ada", "bob"]) == (0, 0, 0, 0, 1)
    assert standings(records, Field(("ada", "bob"))).rows[0].name == winner


game = st.tuples(st.booleans(), st.sampled_from([BLACK, WHITE, None]))  # whether the colours were swapped; the winner


@given(st.lists(st.tuples(game, game), max_size=8))
def test_scores_of_games_and_pairs_are_by_name_whatever_the_colours(games: list[Any]) -> None:
    records, points, pairs = [], 0.0, Counter[int]()
    for pair, both in enumerate(games, 1):
        of_pair = 0.0
        for i, (is_swapped, winner) in enumerate(both):
            black, white = ("a", "b") if (i == 0) != is_swapped else ("b", "a")
            plan = GamePlan(2 * pair - 1 + i, pair, black, white, Opening("swap2", THREE_STONES))
            records.append(GameRecord(plan, Board(), (), winner, Termination.FIVE))
            of_pair += 0.5 if winner is None else float((black, white)[winner] == "a")
        points += of_pair
        pairs[round(2 * of_pair)] += 1
    totals = totals_of(records)
    assert totals.head_to_head("a", "b").score == points
    assert totals.pair_counts("a", ["b"]) == tuple(pairs[i] for i in range(5))


@pytest.mark.parametrize("choice", ["the other takes black", "the other takes white"])
def test_times_starts_and_warnings_belong_to_the_brain(tmp_path: Path, choice: str) -> None:
    """Ada starts late, thinks longer, and writes to stderr."""
    late = tmp_path / "late.py"
    late.write_text(
        "import runpy, sys, time\ntime.sleep(0.5)\nprint('hello', file=sys.stderr, flush=True)\n"
        f"runpy.run_path({scripted_brain.__file__!r}, run_name='__main__')\n"
    )
    ada, bob = brains_of(choice)
    ada["command"] = [sys.executable, str(late), brains_of(choice, seconds=0.1)[0]["command"][-1]]
    for record in event_of([ada, bob], tmp_path / "event", draw_after=6, keep_alive=False, turn="10s"):
        players = record.plan.black, record.plan.white
        colour = players.index("ada")
        start = record.start_ms[colour]
        assert start is not None
        assert start >= 500
        assert len(moves_of(record, colour)) == len(moves_of(record, 1 - colour)) == 3
        assert min(moves_of(record, colour)) >= 100
        assert min(moves_of(record, 1 - colour)) < 100
        assert record.warnings == ("ada wrote to stderr: hello",)


# -- files -------------------------------------------------------------------------------------------------------------


def test_the_files_name_the_colours_that_were_chosen(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    first, second = event_of(brains_of("the other takes black", **ROWS), folder)
    assert (first.plan.black, second.plan.black) == ("bob", "ada")
    assert psq(first).replace("\r\n", " ").endswith(" bob ada 0 ")
    assert "PB[bob]PW[ada]RE[B+]" in sgf(first)
    assert "ON[swap2]" in sgf(first)
    for line in ('[Black "bob"]', '[White "ada"]', '[Result "1-0"]', '[Opening "swap2: j10 i10 h10"]'):
        assert line in pgn(first)
    for kind in ("psq", "sgf"):
        assert tournament("export", str(folder), kind).returncode == 0
        assert sorted(path.name for path in (folder / kind).iterdir()) == [
            f"00001-bob-ada.{kind}", f"00002-ada-bob.{kind}",
        ]  # fmt: skip
    shown = tournament("standings", str(folder))
    assert shown.stdout.count("1-0-1") >= 2


def test_an_event_resumed_after_a_swapped_game_goes_on_with_the_plan(tmp_path: Path) -> None:
    """The second game of the pair has the other proposer, whatever colours the first one ended with."""
    brains = brains_of("the other takes black", **ROWS)
    whole = event_of(brains, tmp_path / "whole", games=4)
    lines = (tmp_path / "whole" / "games.jsonl").read_bytes().splitlines(keepends=True)
    part = tmp_path / "part"
    part.mkdir()
    (part / "event.json").write_bytes((tmp_path / "whole" / "event.json").read_bytes())
    (part / "games.jsonl").write_bytes(b"".join(lines[:1]))
    event_of(brains, part, games=4)
    assert [record.plan for record in Store(part).load()] == [record.plan for record in whole]
