"""Forbidden points in renju: black loses at once, the game ends there, and the record says why."""

from pathlib import Path

import pytest

from tests.runner import configuration, play
from tests.scripted_brain import scripted
from tournament.core.model import BLACK, WHITE, GameRecord, Move, Termination
from tournament.play.managers import JUDGE, MANAGERS, OURS, PISKVORK, Manager
from tournament.stats.standings import standings
from tournament.views.export import pgn, psq, sgf
from tournament.views.text import FAULT_NAMES, result_text

MANAGER = pytest.mark.parametrize("manager", MANAGERS.values(), ids=lambda manager: manager.name)
Moves = list[Move]

# Black's moves; the last one is forbidden.
FOULS: dict[str, Moves] = {
    "a double three": [(5, 7), (6, 7), (7, 5), (7, 6), (7, 7)],
    "a double four": [(4, 7), (5, 7), (6, 7), (7, 4), (7, 5), (7, 6), (7, 7)],
    "an overline": [(3, 7), (4, 7), (5, 7), (7, 7), (8, 7), (6, 7)],
}
ELSEWHERE: Moves = [(x, y) for y in (0, 1) for x in range(0, 14, 2)]


def played(tmp_path: Path, black: Moves, white: Moves = ELSEWHERE, **event: object) -> list[GameRecord]:
    """Two games after a stone in each of two corners; `ada`, black in the first, plays these moves as black."""
    book = tmp_path / "book.txt"
    book.write_text("a15o15\n")
    brains = [scripted("ada", {"black": black, "white": white}), scripted("bob", {"white": white})]
    settings = {"openings": str(book), "size": "15", "rule": 4, "draw_after": 40, **event}
    records, _ = play(configuration(brains, **settings), tmp_path / "event")
    assert [record.plan.black for record in records] == ["ada", "bob"]
    return records


def sent_to(tmp_path: Path, name: str) -> list[str]:
    (log,) = (tmp_path / "event" / "logs").glob(f"pair-00001-{name}.log")
    return [line.split(" < ", 1)[1] for line in log.read_text().splitlines() if " < " in line]


@MANAGER
@pytest.mark.parametrize("foul", FOULS)
def test_a_foul_loses_at_once(tmp_path: Path, manager: Manager, foul: str) -> None:
    moves = FOULS[foul]
    lost, _ = played(tmp_path, moves, manager=manager.name)
    assert (lost.termination, lost.winner) == (Termination.FOUL, WHITE), lost.detail
    assert [(move.x, move.y) for move in lost.moves[::2]] == moves, "the forbidden move is the last one"
    assert len(lost.moves) == 2 * len(moves) - 1, "white is not asked again"
    x, y = moves[-1]
    assert lost.detail.startswith(f"ada played on a forbidden point: {x},{y} is {foul}, which is forbidden to black\n")
    assert f"> {x},{y}\n" in lost.detail, "the dialogue up to the move"


def test_the_opponent_is_not_told_and_the_event_goes_on(tmp_path: Path) -> None:
    lost, other = played(tmp_path, FOULS["a double three"])
    assert lost.termination is Termination.FOUL
    assert other.termination is Termination.DRAW_ADJUDICATED, "bob as black has no such moves"
    assert "TURN 7,7" not in sent_to(tmp_path, "bob")[: sent_to(tmp_path, "bob").index("START 15", 1)]
    assert sent_to(tmp_path, "bob").count("END") == 1, "its process plays both games"
    assert [line for line in sent_to(tmp_path, "ada") if line in ("START 15", "END")] == ["START 15", "START 15", "END"]


def test_what_users_see_of_it(tmp_path: Path) -> None:
    lost, other = played(tmp_path, FOULS["a double four"])
    assert result_text(lost).startswith("bob beat ada, which played on a forbidden point (13 moves, ")
    assert psq(lost).endswith("\r\nada\r\nbob\r\n-2\r\n")
    assert "8,8," in psq(lost), "the forbidden move itself"
    assert "RE[W+F]" in sgf(lost)
    assert '[Termination "ada played on a forbidden point"]' in pgn(lost)
    rows = {row.name: row for row in standings([lost, other]).rows}
    assert rows["ada"].faults == ((Termination.FOUL, 1),)
    assert rows["bob"].faults == ()
    assert (rows["bob"].tally.wins, rows["ada"].tally.losses) == (1, 1)
    assert FAULT_NAMES[Termination.FOUL] == "foul"


@pytest.mark.parametrize("rule", [0, 1, 8, 9])
@pytest.mark.parametrize("foul", ["a double three", "a double four"])
def test_nothing_is_forbidden_in_other_rules(tmp_path: Path, foul: str, rule: int) -> None:
    first, _ = played(tmp_path, FOULS[foul], rule=rule, draw_after=2 * len(FOULS[foul]) + 1)
    assert first.termination is Termination.DRAW_ADJUDICATED


@pytest.mark.parametrize("foul", ["a double three", "a double four"])
def test_nothing_is_forbidden_to_white(tmp_path: Path, foul: str) -> None:
    records = played(tmp_path, ELSEWHERE, FOULS[foul], draw_after=2 * len(FOULS[foul]) + 1)
    assert {record.termination for record in records} == {Termination.DRAW_ADJUDICATED}
    assert all((7, 7) in [(move.x, move.y) for move in record.moves] for record in records)


@MANAGER
def test_six_in_a_row_win_for_white_alone(tmp_path: Path, manager: Manager) -> None:
    moves = FOULS["an overline"]
    for record in played(tmp_path, ELSEWHERE, moves, manager=manager.name):
        assert (record.termination, record.winner, len(record.moves)) == (Termination.FIVE, WHITE, 2 * len(moves))


def test_a_five_comes_before_a_foul(tmp_path: Path) -> None:
    """The last stone makes five in the row and a double three, which would be forbidden without the five."""
    five = [(3, 7), (4, 7), (5, 7), (6, 7), (7, 5), (7, 6), (8, 8), (9, 9), (7, 7)]
    first, _ = played(tmp_path, five)
    assert (first.termination, first.winner, len(first.moves)) == (Termination.FIVE, BLACK, 2 * len(five) - 1)


def test_the_limit_of_moves_does_not_save_a_foul(tmp_path: Path) -> None:
    moves = FOULS["a double three"]
    first, _ = played(tmp_path, moves, draw_after=2 * len(moves) - 1)
    assert first.termination is Termination.FOUL


@pytest.mark.parametrize("manager", [OURS, JUDGE, PISKVORK], ids=lambda manager: manager.name)
def test_a_continuous_game_has_fouls_too(tmp_path: Path, manager: Manager) -> None:
    """Rule 6 is renju with the bit of a continuous game, which changes nothing within a game."""
    first, _ = played(tmp_path, FOULS["a double three"], rule=6, manager=manager.name)
    assert first.termination is Termination.FOUL
    assert "INFO rule 6" in sent_to(tmp_path, "ada")
