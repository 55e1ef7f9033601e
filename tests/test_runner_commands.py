"""The runner's commands as users run them: sprt, a configuration file, and no arguments."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runner import FAKE, OPENINGS
from tournament.cli import DEMO
from tournament.event.config import ConfigError, config_of, parse_bytes, parse_ms, read_toml
from tournament.event.store import Store
from tournament.event.stored import config_from_json
from tournament.play.names import name_of

ROOT = Path(__file__).resolve().parents[1]


def tournament(*words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tournament", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180)


def test_an_sprt_ends_with_a_verdict_in_words(tmp_path: Path) -> None:
    brains = [f"{sys.executable} {FAKE} none", f"{sys.executable} {FAKE} occupied"]
    options = ["--size", "10", "--openings", str(OPENINGS), "--out", str(tmp_path), "--elo0", "0", "--elo1", "50"]
    run = tournament("sprt", *brains, *options, "--plain")
    assert (run.returncode, run.stderr) == (0, "")
    (verdict,) = [line for line in run.stdout.splitlines() if line.startswith("H1 accepted: ")]
    store = Store(tmp_path)
    played = store.load()
    assert 4 <= len(played) < 400
    with store.locked():
        for record in played:  # the loser wins as many games, as if they had still been running
            plan = replace(record.plan, number=record.plan.number + 1000, pair=record.plan.pair + 500)
            assert record.winner is not None
            store.append(replace(record, plan=plan, winner=1 - record.winner))
    again = tournament("sprt", *brains, *options, "--plain")
    assert (again.returncode, again.stderr) == (0, "")
    assert verdict in again.stdout.splitlines()
    assert len(store.load()) == 2 * len(played), "decided, so no more games"


CUP = """
[event]
games = 2
size = "10"
turn = "500ms"
seed = 3
openings = "{openings}"

[[brain]]
name = "first"
command = ["{python}", "{fake}", "none"]

[[brain]]
name = "second"
command = ["{python}", "{fake}", "none"]
turn = "2s"
nodes = 77
keep_alive = false
info = {{ thread_num = "2" }}
environment = {{ SHADE = "blue" }}
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(CUP.format(python=sys.executable, fake=FAKE, openings=OPENINGS))
    return path


def test_a_file_of_configuration(cup: Path, tmp_path: Path) -> None:
    run = tournament("run", str(cup), "--plain", "--out", str(tmp_path / "event"))
    assert (run.returncode, run.stderr) == (0, "")
    assert len(Store(tmp_path / "event").load()) == 2
    log = next((tmp_path / "event" / "logs").glob("*-second.log")).read_text()
    for line in ("INFO timeout_turn 2000", "INFO max_node 77", "INFO thread_num 2"):
        assert f"< {line}\n" in log
    assert log.count("< START 10") == 2
    assert log.count("< END") == 2, "a process for each game"


def test_what_a_file_says_survives_its_way_through_the_events_folder(cup: Path) -> None:
    config = config_of(*read_toml(cup))
    assert config.brains[1].limits.turn_ms == 2000
    assert config.brains[0].limits.turn_ms == 500
    assert config.brains[1].environment == (("SHADE", "blue"),)
    assert config_from_json(json.loads(json.dumps(config.as_json()))) == config


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[event]\nspeed = 3\n", r"unknown key in \[event\]: speed"),
        ("[[brain]]\ncommand = 'python'\ncolour = 'red'\n", r"unknown key in \[\[brain\]\]: colour"),
        ("[cup]\n", "unknown table in .*: cup"),
        ("[event\n", "cannot be read"),
        (
            "[event]\nmode = 'swiss'\n[[brain]]\ncommand='python'\n[[brain]]\ncommand='python'\n",
            "unknown mode 'swiss'",
        ),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=sentence):
        config_of(*read_toml(path))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("/x/pbrain-rapfi64.exe",), "rapfi64"),
        (("/usr/bin/python3", "/x/my_brain.py", "--fast"), "my_brain"),
        (("/usr/bin/python3", "-m", "tournament.brains.minimax"), "minimax"),
        (("/usr/bin/python3", "-m", "pbrain"), "pbrain"),
        (("wine", "pbrain-pela.exe"), "pela"),
    ],
)
def test_names_of_brains(command: tuple[str, ...], name: str) -> None:
    assert name_of(command) == name


def test_times_and_memory() -> None:
    assert [parse_ms(text) for text in ("1s", "500ms", "2m", "1.5", "none")] == [1000, 500, 120_000, 1500, None]
    assert [parse_bytes(text) for text in ("350M", "1g", "64kb", "123", "none")] == [
        350 << 20,
        1 << 30,
        65536,
        123,
        None,
    ]


def test_no_arguments_play_a_small_round_robin(tmp_path: Path) -> None:
    """The README's first command: our engine and the three seed brains."""
    run = tournament(folder=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    records = Store(tmp_path / "events" / "first-round-robin").load()
    assert len(records) == 12
    assert {name for record in records for name in (record.plan.black, record.plan.white)} == {
        name for name, *_ in DEMO
    }
    assert not any(record.termination.is_fault for record in records)
    lost = [r for r in records if r.winner is not None and (r.plan.black, r.plan.white)[1 - r.winner] == "kaname"]
    assert lost == []
    assert "games saved in" in run.stdout


def test_swap2_is_negotiated_and_recorded_with_the_colours_that_were_chosen(tmp_path: Path) -> None:
    brain = f"{sys.executable} -m pbrain"
    options = ["--games", "4", "--turn", "100ms", "--rule", "1", "--swap2", "--pin", "--out", str(tmp_path / "event")]
    run = tournament("run", brain, brain, *options, "--draw-after", "20", "--plain")
    assert (run.returncode, run.stderr) == (0, "")
    records = Store(tmp_path / "event").load()
    assert len(records) == 4
    for record in records:
        assert not record.termination.is_fault
        assert record.plan.opening.name == "swap2"
        assert 3 <= len(record.plan.opening.moves) <= 6
        assert {record.plan.black, record.plan.white} == {"pbrain", "pbrain-2"}


def test_a_brain_that_does_not_know_swap2_loses_by_it(tmp_path: Path) -> None:
    brains = [f"{sys.executable} -m pbrain", f"{sys.executable} {FAKE} none"]
    run = tournament("run", *brains, "--swap2", "--turn", "100ms", "--out", str(tmp_path), "--plain")
    assert run.returncode == 0
    records = Store(tmp_path).load()
    assert [record.termination.name for record in records] == ["STALL", "STALL"]
    assert all("it said 'UNKNOWN' instead" in record.detail for record in records)


def test_the_standings_flag_who_came_near_a_limit(tmp_path: Path) -> None:
    brains = [f"{sys.executable} {FAKE} none", f"{sys.executable} {FAKE} late 0.15"]
    options = ["--turn", "100ms", "--size", "10", "--openings", str(OPENINGS), "--out", str(tmp_path)]
    run = tournament("run", *brains, *options, "--plain")
    assert "fake_engine-2: slowest move" in run.stdout
    assert "over the limit per move" in run.stdout
