"""No finished game is ever lost: kills, interruptions and resuming."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runner import FAKE, OPENINGS
from tournament.standings import standings
from tournament.store import Store, StoreError, differences

ROOT = Path(__file__).resolve().parents[1]
GAMES = 40
EVERYDAY_KILLS, FULL_KILLS = 4, 20


def command(folder: Path, games: int = GAMES, *more: str) -> list[str]:
    """A run with two deterministic brains."""
    brains = [f"{sys.executable} {FAKE} none", f"{sys.executable} {FAKE} stderr"]
    options = [
        "--games",
        str(games),
        "--size",
        "10",
        "--openings",
        str(OPENINGS),
        "--out",
        str(folder),
        "--concurrency",
        "2",
    ]
    return [sys.executable, "-m", "tournament", "run", *brains, *options, "--plain", *more]


def summary(folder: Path) -> list[tuple[object, ...]]:
    """The games, sorted and without times."""
    records = Store(folder).load()
    return sorted(
        (r.plan.number, r.plan.black, r.winner, r.termination.name, tuple((m.x, m.y) for m in r.moves)) for r in records
    )


def table(folder: Path) -> list[tuple[object, ...]]:
    rows = standings(Store(folder).load()).rows
    return [(row.name, row.games, row.score, row.elo and round(row.elo, 6), row.elo_error) for row in rows]


def run_whole(folder: Path, games: int = GAMES) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(folder, games), cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_an_undisturbed_run_is_the_same_twice(tmp_path: Path) -> None:
    first, second = run_whole(tmp_path / "one", 6), run_whole(tmp_path / "two", 6)
    assert (first.returncode, first.stderr) == (0, "")
    assert second.returncode == 0
    assert summary(tmp_path / "one") == summary(tmp_path / "two")
    assert len(summary(tmp_path / "one")) == 6


def kill_and_resume(tmp_path: Path, kills: int, seed: int) -> None:
    whole = run_whole(tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    rng = random.Random(seed)
    folder = tmp_path / "killed"
    for _ in range(kills):
        process = subprocess.Popen(command(folder), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 2.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if folder.exists() and (folder / "event.json").exists():
            numbers = [record.plan.number for record in Store(folder).load()]
            assert len(numbers) == len(set(numbers))
    last = run_whole(folder)
    assert last.returncode == 0, last.stderr
    assert summary(folder) == summary(tmp_path / "whole")
    assert table(folder) == table(tmp_path / "whole")


def test_killed_and_resumed(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, EVERYDAY_KILLS, seed=1)


@pytest.mark.slow
def test_killed_and_resumed_in_full(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, FULL_KILLS, seed=2)


def start_and_wait_for_games(folder: Path, games: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(command(folder), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and len(summary(folder) if (folder / "games.jsonl").exists() else []) < games:
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c(tmp_path: Path, times: int) -> None:
    """Once: the running games are finished and recorded. Twice: they are abandoned. Either way it can be resumed."""
    folder = tmp_path / "event"
    process = start_and_wait_for_games(folder, 3)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert err == ""
    assert f"to resume: python -m tournament resume {folder}" in out
    played = len(summary(folder))
    assert 3 <= played < GAMES
    resumed = subprocess.run(
        [sys.executable, "-m", "tournament", "resume", str(folder), "--plain", "--concurrency", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert f"{played} already played" in resumed.stdout
    assert [row[0] for row in summary(folder)] == list(range(1, GAMES + 1))


def test_a_changed_configuration_is_refused_with_the_changes(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    assert run_whole(folder, 2).returncode == 0
    before = (folder / "games.jsonl").read_bytes()
    changed = subprocess.run(
        [*command(folder, 4), "--rule", "1", "--turn", "2s"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert changed.returncode == 2
    for line in ("board.rule: 0 before, 1 now", "games: 2 before, 4 now", "turn_ms: 1000 before, 2000 now"):
        assert line in changed.stderr
    assert (folder / "games.jsonl").read_bytes() == before


def test_a_complete_event_is_not_played_again(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    assert run_whole(folder, 2).returncode == 0
    before = (folder / "games.jsonl").read_bytes()
    again = run_whole(folder, 2)
    assert again.returncode == 0
    assert "2 already played" in again.stdout
    assert (folder / "games.jsonl").read_bytes() == before


def test_a_truncated_line_is_ignored_and_repaired(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    assert run_whole(folder, 4).returncode == 0
    games = folder / "games.jsonl"
    whole = games.read_bytes()
    games.write_bytes(whole[:-40])
    assert len(Store(folder).load()) == 3
    assert run_whole(folder, 4).returncode == 0
    assert len(summary(folder)) == 4
    games.write_bytes(b"{}\n" + whole)
    with pytest.raises(StoreError, match=r"games\.jsonl, line 1: not a game record"):
        Store(folder).load()


def test_derived_files_agree_with_the_games(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    assert run_whole(folder, 4).returncode == 0
    for kind in ("psq", "sgf", "pgn"):
        run = subprocess.run(
            [sys.executable, "-m", "tournament", "export", str(folder), kind], cwd=ROOT, capture_output=True, text=True
        )
        assert (run.returncode, run.stderr) == (0, "")
    assert len(list((folder / "psq").glob("*.psq"))) == len(list((folder / "sgf").glob("*.sgf"))) == 4
    assert (folder / "games.pgn").read_text().count("[Result ") == 4
    shown = subprocess.run(
        [sys.executable, "-m", "tournament", "standings", str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert "fake_engine" in shown.stdout


def test_json_is_one_event_per_line(tmp_path: Path) -> None:
    run = subprocess.run(
        [*[word for word in command(tmp_path / "event", 2) if word != "--plain"], "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    events = [json.loads(line) for line in run.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "EventStarted"
    assert kinds[-1] == "EventEnded"
    assert kinds.count("GameFinished") == 2
    assert "MoveAsked" in kinds
    finished = [event for event in events if event["event"] == "GameFinished"]
    assert finished[-1]["record"]["termination"] == "FIVE"
    assert sum(row["tally"]["wins"] for row in finished[-1]["standings"]) == 2


def test_dry_run_plays_nothing(tmp_path: Path) -> None:
    run = subprocess.run([*command(tmp_path / "event", 4), "--dry-run"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0
    assert "4 games, 2 at a time (as requested)" in run.stdout
    assert not (tmp_path / "event").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "ghost-brain", "other-ghost"], "neither a file nor a program"),
        (["run", "{fake}"], "at least two brains"),
        (["run", "{fake}", "{fake}", "--games", "3"], "must be even"),
        (["run", "{fake}", "{fake}", "--turn", "soon"], "not a time"),
        (["run", "{fake}", "{fake}", "--size", "99"], "5 to 32"),
        (["run", "{fake}", "{fake}", "--rule", "7"], "unknown rule 7"),
        (["run", "{fake}", "{fake}", "--openings", "nowhere.txt"], "openings file nowhere.txt not found"),
        (["run", "{fake}", "{fake}", "--memory", "much"], "not a memory size"),
        (["run", "{fake}", "{fake}", "--concurrency", "0"], "must be at least 1"),
        (["run", "missing.toml"], "cannot be read"),
        (["sprt", "{fake}", "{fake}", "--elo0", "5", "--elo1", "1"], "elo0 below elo1"),
        (["resume", "nowhere"], "not an event folder"),
        (["standings", "nowhere"], "not an event folder"),
        (["export", "nowhere", "psq"], "not an event folder"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    filled = [word.replace("{fake}", f"{sys.executable} {FAKE} none") for word in words]
    run = subprocess.run(
        [sys.executable, "-m", "tournament", *filled],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_differences_name_their_place() -> None:
    before = {"a": 1, "b": [1, {"c": 2}], "d": "same"}
    after = {"a": 2, "b": [1, {"c": 3}], "d": "same", "e": None}
    assert differences(before, after) == ["a: 1 before, 2 now", "b[1].c: 2 before, 3 now"]
