"""Books: candidates that are legal and differ, trials that stop once they are decided, and the same book again."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_runner_commands import tournament
from tournament.book.candidates import NoRoomError, candidate
from tournament.book.files import book_text
from tournament.book.trials import Demands, Trial
from tournament.core.model import Board
from tournament.core.openings import canonical, check_playable, images, parse_openings, read_openings

BOARDS = [Board(15, 15), Board(20, 20), Board(15, 15, 4), Board(12, 7, 9), Board(5, 5)]
BRAIN = f"{sys.executable} -m pbrain"
OPTIONS = ["--nodes", "300", "--turn", "60s", "--memory", "24M", "--games", "4", "--max-score", "700", "--count", "5"]


@given(st.sampled_from(BOARDS), st.integers(0, 9), st.integers(1, 10_000))
def test_a_number_always_gives_the_same_playable_candidate(board: Board, seed: int, number: int) -> None:
    opening = candidate(board, seed, number, (2, 5))
    check_playable(opening.moves, board)
    assert 2 <= len(opening.moves) <= 5
    assert opening == candidate(board, seed, number, (2, 5))
    assert {canonical(image, board) for image in images(opening, board)} == {canonical(opening, board)}


def test_numbers_and_seeds_give_different_candidates() -> None:
    board = Board()
    found = {canonical(candidate(board, seed, number, (4, 7)), board) for seed in (1, 2) for number in range(1, 101)}
    assert len(found) > 190


def test_a_board_without_room_is_refused() -> None:
    with pytest.raises(NoRoomError, match="no room for 30 stones on a board of 5x5"):
        candidate(Board(5, 5), 1, 1, (30, 30))


@given(st.floats(-500, 500), st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=10))
def test_a_trial_is_decided_once_all_ways_to_go_on_agree(score: float, points: list[float]) -> None:
    """Against all ways to go on: each colour has 30 % of the points in none of them, or in all."""
    demands = Demands(300, 10)
    trial = Trial(1, score, tuple(points))
    ends = [sum(points) + half / 2 for half in range(2 * (10 - len(points)) + 1)]
    balanced = [3 <= black <= 7 for black in ends]
    assert trial.has_failed(demands) == (abs(score) > 300 or not any(balanced))
    assert trial.has_passed(demands) == (abs(score) <= 300 and all(balanced))


@given(st.sampled_from(BOARDS), st.integers(1, 1000))
def test_a_book_is_read_as_it_was_written(board: Board, number: int) -> None:
    openings = [candidate(board, 1, number + i, (3, 4)) for i in range(3)]
    read = parse_openings(book_text(openings, board), board, "book.txt")
    assert [opening.moves for opening in read] == [opening.moves for opening in openings]


def test_the_book_depends_neither_on_concurrency_nor_on_kills(tmp_path: Path) -> None:
    """What was examined is on disk: a killed run is repeated, and goes on."""
    whole = tournament("openings", BRAIN, *OPTIONS, "--out", str(tmp_path / "whole"), "--concurrency", "2")
    assert whole.returncode == 0, whole.stderr
    command = [sys.executable, "-m", "tournament", "openings", BRAIN, *OPTIONS, "--out", str(tmp_path / "parts")]
    results, kills = tmp_path / "parts" / "results.jsonl", 0
    for lines in (3, 8):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not (results.exists() and results.read_bytes().count(b"\n") >= lines):
                time.sleep(0.01)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
    assert kills
    assert tournament(*command[3:]).returncode == 0
    books = [(tmp_path / name / "openings.txt").read_text() for name in ("whole", "parts")]
    assert books[0] == books[1]
    assert len(read_openings(tmp_path / "whole" / "openings.txt", Board())) == 5
    numbers = [json.loads(line)["number"] for line in results.read_text().splitlines()]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--stones", "7-3"], "--stones must be a number or a range such as 3-7, not 7-3"),
        (["--stones", "x"], "--stones must be a number or a range such as 3-7, not x"),
        (["--count", "0"], "--count must be at least 1, not 0"),
        (["--games", "1"], "--games must be at least 2, not 1"),
        (["--size", "5", "--stones", "30"], "no room for 30 stones on a board of 5x5"),
        (["--concurrency", "0"], "--concurrency must be at least 1, not 0"),
        (["--nodes", "0"], "nodes must be a whole number of at least 1, not 0"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(tmp_path: Path, options: list[str], sentence: str) -> None:
    run = tournament("openings", BRAIN, *options, "--out", str(tmp_path / "book"))
    assert (run.returncode, run.stderr) == (2, f"tournament: {sentence}\n")
    assert not (tmp_path / "book").exists()


def test_a_brain_that_says_no_score_cannot_judge(tmp_path: Path) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word in ('START', 'DONE'):\n"
        "        print('OK' if word == 'START' else '0,0', flush=True)\n"
        "    elif word == 'END':\n"
        "        break\n"
    )
    run = tournament("openings", str(silent), "--out", str(tmp_path / "book"))
    assert (run.returncode, run.stderr) == (3, "tournament: the brain said no score for 30 openings\n")


def test_other_settings_in_the_same_folder_are_refused(tmp_path: Path) -> None:
    command = ["openings", BRAIN, *OPTIONS, "--out", str(tmp_path / "book")]
    assert tournament(*command, "--count", "1").returncode == 0
    assert tournament(*command, "--count", "2").returncode == 0, "a longer book goes on"
    run = tournament(*command, "--seed", "2")
    assert run.returncode == 2
    assert "holds work with other settings:\n  seed: 1 before, 2 now" in run.stderr
