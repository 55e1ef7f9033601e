"""Boards that are not square: RECTSTART, its refusal, the referee on such a board, and the files that show it."""

import time
from pathlib import Path

import pytest

from tests.runner import configuration, play
from tests.scripted_brain import scripted
from tests.test_runner_commands import tournament
from tournament.core.model import Termination
from tournament.event.config import ConfigError
from tournament.event.executor import PreflightError
from tournament.play.managers import CLI, JUDGE, OURS, PISKVORK, Manager
from tournament.views.export import pgn, psq, sgf

# On a board of 12 x 7, white has five in the last column, as long as it is not taken for a board of 7 x 12.
LAST_COLUMN = [(11, y) for y in range(2, 7)]


def book(tmp_path: Path) -> str:
    path = tmp_path / "book.txt"
    path.write_text("a7\n")
    return str(path)


def lines_to(folder: Path, name: str) -> list[str]:
    """All lines that a brain was sent."""
    (log,) = (folder / "logs").glob(f"pair-00001-{name}.log")
    return [line.split(" < ", 1)[1] for line in log.read_text().splitlines() if " < " in line]


@pytest.mark.parametrize(
    ("manager", "starts"),
    [(OURS, ["RECTSTART 12,7", "RECTSTART 12,7"]), (PISKVORK, ["RECTSTART 12,7", "RESTART"])],
    ids=["ours", "piskvork"],
)
def test_a_rectangle_is_set_up_with_rectstart_and_played_on(
    tmp_path: Path, manager: Manager, starts: list[str]
) -> None:
    brains = [scripted(name, {"white": LAST_COLUMN}) for name in ("ada", "bob")]
    config = configuration(brains, size="12x7", openings=book(tmp_path), manager=manager.name)
    records, _ = play(config, tmp_path / "event")
    for record in records:
        assert (record.termination, record.winner, len(record.moves)) == (Termination.FIVE, 1, 9), record.detail
        assert "SZ[12:7]" in sgf(record)
        assert psq(record).startswith("Piskvorky 12x7, ")
        assert '[Board "12x7"]' in pgn(record)
    for name in ("ada", "bob"):
        assert [line for line in lines_to(tmp_path / "event", name) if "START" in line] == starts


def test_the_width_is_x(tmp_path: Path) -> None:
    """The same cells are not on a board of 7 x 12."""
    brains = [scripted(name, {"white": LAST_COLUMN}) for name in ("ada", "bob")]
    records, _ = play(configuration(brains, size="7x12", openings=book(tmp_path)), tmp_path / "event")
    for record in records:
        assert (record.termination, record.winner) == (Termination.ILLEGAL, 0)
        assert "11,2 is not on the 7 x 12 board" in record.detail
    assert "RECTSTART 7,12" in lines_to(tmp_path / "event", "ada")


@pytest.mark.parametrize("size", ["12", "12x12"])
def test_a_square_is_never_set_up_with_rectstart(tmp_path: Path, size: str) -> None:
    brains = [scripted(name, {"rectstart": "ERROR"}) for name in ("ada", "bob")]
    records, _ = play(configuration(brains, size=size, draw_after=2), tmp_path)
    assert {record.termination for record in records} == {Termination.DRAW_ADJUDICATED}
    starts = [line for line in lines_to(tmp_path, "ada") if "START" in line]
    assert starts == ["START 12", "START 12"]


@pytest.mark.parametrize("manager", [OURS, PISKVORK], ids=lambda manager: manager.name)
@pytest.mark.parametrize("answer", ["ERROR only squares", "UNKNOWN", "UNKNOWN command RECTSTART", "unknown"])
def test_a_brain_that_knows_only_squares_is_refused_at_once(tmp_path: Path, manager: Manager, answer: str) -> None:
    brains = [scripted("able"), scripted("square", {"rectstart": answer})]
    config = configuration(brains, size="12x7", manager=manager.name)
    began = time.monotonic()
    sentence = f"^square cannot take part: refused RECTSTART 12,7: {answer}\n"
    with pytest.raises(PreflightError, match=sentence):
        play(config, tmp_path / "event")
    assert time.monotonic() - began < 9, "nothing waits for an OK that never comes"
    assert list(tmp_path.iterdir()) == [], "the corrected command works"


@pytest.mark.parametrize("manager", [JUDGE, CLI], ids=lambda manager: manager.name)
def test_managers_that_have_no_rectangles_play_none(manager: Manager) -> None:
    sentence = f"the manager {manager.name} plays on square boards only, not on 12x7"
    with pytest.raises(ConfigError, match=sentence):
        configuration([scripted("ada"), scripted("bob")], size="12x7", manager=manager.name)


def test_the_projects_own_brains_play_on_rectangles(tmp_path: Path) -> None:
    brains = ["python -m pbrain", "python -m tournament.brains.minimax"]
    options = ["--size", "9x13", "--turn", "50ms", "--out", str(tmp_path / "event"), "--plain", "--draw-after", "20"]
    run = tournament("run", *brains, *options)
    assert (run.returncode, run.stderr) == (0, "")
    assert "which" not in run.stdout, "nobody lost by a fault"
