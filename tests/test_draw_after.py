"""The move limit: which moves count, what comes before it, and what users see of it."""

from pathlib import Path

import pytest

from tests.runner import configuration, play
from tests.scripted_brain import scripted
from tests.test_runner_commands import tournament
from tournament.core.model import GameRecord, Termination
from tournament.event.store import Store
from tournament.play.managers import CLI, JUDGE, MANAGERS, OURS, PISKVORK, Manager
from tournament.stats.standings import standings
from tournament.views.export import pgn, psq, sgf
from tournament.views.text import result_text

MANAGER = pytest.mark.parametrize("manager", MANAGERS.values(), ids=lambda manager: manager.name)
DRAWN = Termination.DRAW_ADJUDICATED
QUIET = [scripted("ada"), scripted("bob")]


def book(tmp_path: Path, line: str) -> str:
    path = tmp_path / "book.txt"
    path.write_text(line + "\n")
    return str(path)


def ends(records: list[GameRecord]) -> list[tuple[Termination, int | None, int]]:
    return [(record.termination, record.winner, len(record.moves)) for record in records]


@MANAGER
@pytest.mark.parametrize("opening", ["j10", "j10i10h10"])
def test_the_moves_of_the_brains_count_and_those_of_the_opening_do_not(
    tmp_path: Path, manager: Manager, opening: str
) -> None:
    config = configuration(QUIET, openings=book(tmp_path, opening), draw_after=7, manager=manager.name)
    records, _ = play(config, tmp_path / "event")
    assert ends(records) == [(DRAWN, None, 7)] * 2
    assert all((record.detail, record.warnings) == ("", ()) for record in records), "nobody is to blame"


def test_swap2s_stones_are_an_opening(tmp_path: Path) -> None:
    script = {"swap2": {"0": "9,9 8,9 7,9", "3": "6,9 5,9", "5": "4,9"}}
    brains = [scripted("ada", script), scripted("bob", script)]
    records, _ = play(configuration(brains, draw_after=4, swap2=True), tmp_path / "event")
    assert ends(records) == [(DRAWN, None, 4)] * 2
    assert [len(record.plan.opening.moves) for record in records] == [6, 6]


# White moves first, after one stone, and has five in a row with the ninth move.
FIVE = [(x, 2) for x in range(5)]


@pytest.mark.parametrize(("limit", "end"), [(9, (Termination.FIVE, 1, 9)), (8, (DRAWN, None, 8))])
def test_a_five_with_the_last_move_wins(tmp_path: Path, limit: int, end: tuple[Termination, int | None, int]) -> None:
    brains = [scripted(name, {"white": FIVE}) for name in ("ada", "bob")]
    records, _ = play(configuration(brains, openings=book(tmp_path, "j10"), draw_after=limit), tmp_path / "event")
    assert ends(records) == [end] * 2


@pytest.mark.parametrize(("limit", "end"), [(24, Termination.DRAW_FULL), (23, DRAWN), (25, Termination.DRAW_FULL)])
def test_a_full_board_is_a_draw_of_its_own(tmp_path: Path, limit: int, end: Termination) -> None:
    config = configuration(QUIET, openings=book(tmp_path, "e4"), draw_after=limit, size="5")
    records, _ = play(config, tmp_path / "event")
    assert ends(records) == [(end, None, min(limit, 24))] * 2


@MANAGER
@pytest.mark.parametrize(("limit", "rule"), [(20, 0), (8, 0), (20, 4)])
def test_the_earlier_of_the_limit_and_the_managers_own_draw_holds(
    tmp_path: Path, manager: Manager, limit: int, rule: int
) -> None:
    """Piskvork draws when 25 of the 36 squares are free, the opening's stone included; GomocupJudge in renju."""
    has_draws = {OURS: False, JUDGE: rule == 4, PISKVORK: True, CLI: False}[manager]
    opening = book(tmp_path, "f6")
    config = configuration(QUIET, openings=opening, draw_after=limit, size="6", rule=rule, manager=manager.name)
    records, _ = play(config, tmp_path / "event")
    assert ends(records) == [(DRAWN, None, min(limit, 10) if has_draws else limit)] * 2


def test_what_users_see_of_it(tmp_path: Path) -> None:
    brains = [" ".join(f"'{word}'" for word in brain["command"]) for brain in QUIET]
    options = ["--games", "2", "--size", "10", "--openings", book(tmp_path, "j10"), "--draw-after", "6", "--plain"]
    run = tournament("run", *brains, *options, "--out", str(tmp_path / "event"))
    assert (run.returncode, run.stderr) == (0, "")
    records = Store(tmp_path / "event").load()
    for record in records:
        assert ": draw, adjudicated at the move limit (6 moves, " in result_text(record)
        assert result_text(record) in run.stdout
        assert psq(record).endswith("\r\n0\r\n"), "a normal end"
        assert "RE[Draw]" in sgf(record)
        assert '[Result "1/2-1/2"]' in pgn(record)
        assert '[Termination "adjudicated at the move limit"]' in pgn(record)
    for row in standings(records).rows:
        assert (row.tally.wins, row.tally.draws, row.tally.losses, row.faults) == (0, 2, 0, ())


@pytest.mark.parametrize("limit", ["0", "-3"])
def test_no_limit_below_one_move(tmp_path: Path, limit: str) -> None:
    run = tournament("run", "true", "true", "--draw-after", limit, "--out", str(tmp_path / "event"))
    assert run.returncode == 2
    assert f"draw_after must be a whole number of at least 1, not {limit}" in run.stderr
    assert list(tmp_path.iterdir()) == []
