"""Configurations: every value of a TOML file is used, or refused with one sentence."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runner import FAKE, OPENINGS, configuration, fake, play
from tests.test_runner_commands import ROOT, tournament
from tournament.cli import stored_config
from tournament.event.config import BRAIN_KEYS, EVENT_KEYS, SPRT_KEYS, Config, ConfigError, config_of, read_toml
from tournament.event.event import plan_games
from tournament.event.schedule import ScheduleError
from tournament.event.store import Store, StoreError
from tournament.event.stored import config_from_json

TWO = [{"name": "a", "command": ["true"]}, {"name": "b", "command": ["true"]}]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ({"games": "abc"}, "games must be a whole number of at least 0, not 'abc'"),
        ({"games": 2.0}, "games must be a whole number of at least 0, not 2.0"),
        ({"games": True}, "games must be a whole number of at least 0, not True"),
        ({"games": [2]}, r"games must be a whole number of at least 0, not \[2\]"),
        ({"seed": "x"}, "seed must be a whole number"),
        ({"rule": "renju"}, "rule must be a whole number of at least 0, not 'renju'"),
        ({"draw_after": "late"}, "draw_after must be a whole number of at least 1, not 'late'"),
        ({"resign": 3}, "resign must be MOVES:SCORE such as 3:500, not 3"),
        ({"draw": "0:5"}, "draw must be MOVES:SCORE such as 3:500, not '0:5'"),
        ({"depth": -1}, "depth must be a whole number of at least 1, not -1"),
        ({"nodes": 1e3}, "nodes must be a whole number of at least 1, not 1000.0"),
        ({"swap2": "yes"}, "swap2 must be true or false, not 'yes'"),
        ({"swap2": True, "openings": __file__}, "with Swap2 the brains place the first stones themselves"),
        ({"keep_alive": 1}, "keep_alive must be true or false, not 1"),
        ({"turn": "9" * 400}, "'9{79}… is not a time such as 1s, 500ms or 2m"),
        ({"memory": "9" * 5000}, "'9{79}… is not a memory size such as 350M"),
        ({"info": "fast"}, r'info must be a table such as \{ name = "value" \}, not \'fast\''),
        ({"info": {"a": "b\nTURN 1,1"}}, "info a must be one line of printable text"),
        ({"environment": {"A=B": "c"}}, "a name in environment must not be empty or contain ="),
        ({"openings": 3}, "openings must be one line of printable text, not 3"),
        ({"openings": "x" * 300}, "openings file x{300} not found"),
        ({"mode": ["gauntlet"]}, r"unknown mode \['gauntlet'\]"),
        ({"mode": "gauntlet", "heads": 2}, "a gauntlet of 2 brains has at most 1 heads, not 2"),
        ({"order": "backwards"}, "order must be random or sequential, not 'backwards'"),
        ({"first": 0}, "first must be a whole number of at least 1, not 0"),
    ],
)
def test_bad_values_are_refused_with_a_sentence(event: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=f"^{sentence}"):
        config_of(event, TWO)


@pytest.mark.parametrize(
    ("sprt", "sentence"),
    [
        ({"elo0": "none"}, "elo0 must be a number, not 'none'"),
        ({"elo1": float("nan")}, "elo1 must be a number, not nan"),
        ({"alpha": 0.7}, r"\[sprt\]: alpha and beta must lie between 0 and 0.5, not 0.7 and 0.05"),
        ({"elo0": 5, "elo1": 1}, r"\[sprt\]: elo0 must be below elo1, not 5 and 1"),
        ({"model": "bayesian"}, "model must be one of normalised, logistic, trinomial, not 'bayesian'"),
        ({"gamma": 1}, r"unknown key in \[sprt\]: gamma"),
    ],
)
def test_bad_tests_are_refused_with_a_sentence(sprt: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=f"^{sentence}"):
        config_of({}, TWO, sprt)


VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["1s", "2", "none", "15x15", "gauntlet"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def tables(keys: set[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(sorted(keys)) | st.text(max_size=8), VALUES, max_size=4)


@given(tables(EVENT_KEYS), tables(BRAIN_KEYS - {"command"}), st.none() | tables(SPRT_KEYS))
def test_any_values_make_a_configuration_or_a_sentence(
    event: dict[str, Any], brain: dict[str, Any], sprt: dict[str, Any] | None
) -> None:
    """Whatever a TOML file holds: one sentence, or a configuration that survives its way through event.json."""
    with suppress(ConfigError, ScheduleError):
        config = config_of(event, [{"command": ["true"], **brain}, {"name": "other", "command": ["true"]}], sprt)
        assert config_from_json(json.loads(json.dumps(config.as_json()))) == config


FULL = json.loads(
    json.dumps(
        config_of(
            {"resign": "3:500", "draw": "4:0.5", "draw_after": 9, "order": "sequential", "first": 2, "pin": True},
            [{**TWO[0], "nodes": 5, "directory": ".", "environment": {"A": "b"}, "match": "3m"}, TWO[1]],
            {"elo1": 3, "model": "trinomial"},
        ).as_json()
    )
)


def test_a_full_configuration_survives_its_way_through_the_events_folder() -> None:
    assert json.loads(json.dumps(config_from_json(FULL).as_json())) == FULL


@settings(max_examples=500)
@given(st.data())
def test_a_folder_of_another_version_is_refused_with_a_sentence(data: st.DataObject) -> None:
    """A key is missing, or a value has another type, anywhere in event.json."""
    changed = json.loads(json.dumps(FULL))
    inner: Any = changed
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(inner[key], dict | list) or not inner[key] or data.draw(st.booleans()):
            break
        inner = inner[key]
    if data.draw(st.booleans()):
        del inner[key]
    else:
        inner[key] = data.draw(VALUES)
    with TemporaryDirectory() as folder, suppress(ConfigError, ScheduleError, StoreError):
        (Path(folder) / "event.json").write_text(json.dumps(changed))
        stored_config(Store(Path(folder)))


@given(st.text() | st.text("'\" \\-/abc", min_size=1, max_size=500))
def test_any_command_is_a_program_or_a_sentence(command: str) -> None:
    message = ""
    try:
        config_of({}, [{"name": "x", "command": command}, TWO[0]])
    except ConfigError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 300


def test_a_long_command_is_split_and_run() -> None:
    config = config_of({}, [{"command": f"{sys.executable} -c {'x' * 300}"}, TWO[0]])
    assert config.brains[0].command == (sys.executable, "-c", "x" * 300)
    refused = tournament("run", "x" * 300, "y" * 300)
    assert refused.returncode == 2
    assert refused.stderr == f"tournament: '{'x' * 79}… is neither a file nor a program on PATH\n"


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_any_file_is_read_or_refused(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cup.toml"
        path.write_bytes(content)
        with suppress(ConfigError):
            config_of(*read_toml(path))


@pytest.mark.parametrize(
    "text", ["event = 3\n", "sprt = 'x'\n", "brain = 3\n", "brain = [3]\n", "[brain]\nname = 'a'\n", "event = []\n"]
)
def test_tables_that_are_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(ConfigError, match="must be"):
        read_toml(tmp_path / "bad.toml")


# What a file can say.

SPRT_CUP = """
[event]
games = 30
size = "10"
openings = '{openings}'

[sprt]
elo1 = 300
model = "logistic"

[[brain]]
name = "new"
command = ['{python}', '{fake}', 'none']
nodes = 77

[[brain]]
name = "old"
command = ['{python}', '{fake}', 'occupied']
turn = "2s"
"""


@pytest.fixture
def sprt_cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(SPRT_CUP.format(python=sys.executable, fake=FAKE, openings=OPENINGS))
    return path


def test_an_sprt_from_a_file_with_limits_of_each_brain(sprt_cup: Path, tmp_path: Path) -> None:
    run = tournament("sprt", str(sprt_cup), "--elo0", "100", "--plain", "--out", str(tmp_path / "event"))
    assert (run.returncode, run.stderr) == (0, "")
    assert " <100, 300> Elo, Ptnml(0-2) 0, 0, 0, 0, " in run.stdout
    assert "H1 accepted: new against old fits +300 Elo better than +100" in run.stdout
    logs = {path.name[11:]: path.read_text() for path in (tmp_path / "event" / "logs").glob("pair-00001-*")}
    assert "< INFO max_node 77\n" in logs["new.log"]
    assert "< INFO timeout_turn 2000\n" in logs["old.log"]
    assert len(Store(tmp_path / "event").load()) <= 30


def test_a_file_with_a_test_is_not_run_without_it(sprt_cup: Path) -> None:
    run = tournament("run", str(sprt_cup))
    assert run.returncode == 2
    assert run.stderr == f"tournament: {sprt_cup} has an [sprt] table; play it with the command sprt\n"


def test_an_sprt_is_no_knockout() -> None:
    with pytest.raises(ConfigError, match="an SPRT is a match, not a knock-out"):
        config_of({"mode": "knock-out"}, TWO, {})
    refused = tournament("run", "a", "b", "--knockout", "--gauntlet")
    assert refused.returncode == 2
    assert "not allowed with argument" in refused.stderr


def test_an_sprt_compares_two_brains(tmp_path: Path) -> None:
    run = tournament("sprt", *[str(FAKE)] * 3, "--out", str(tmp_path))
    assert (run.returncode, run.stderr) == (2, "tournament: an SPRT compares two brains, not 3\n")


def config_for(openings: Path, **event: Any) -> Config:
    return config_of({"openings": str(openings), **event}, TWO)


def test_openings_in_order_and_from_the_nth(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("h8\nh9\nh10\nh11\n")
    played = [
        [plan.opening.name for plan in plan_games(config_for(book, games=8, order="sequential", first=first))[::2]]
        for first in (1, 3)
    ]
    assert played[0] == ["book.txt:1", "book.txt:2", "book.txt:3", "book.txt:4"]
    assert played[1][:2] == ["book.txt:3", "book.txt:4"]
    whole = [plan.opening for plan in plan_games(config_for(book, games=8))]
    assert [plan.opening for plan in plan_games(config_for(book, games=4, first=3))] == whole[4:]


def test_there_must_be_an_nth_opening(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("h8\n")
    run = tournament("run", str(FAKE), str(FAKE), "--openings", str(book), "--first", "2", "--out", str(tmp_path / "e"))
    assert run.returncode == 2
    assert run.stderr == "tournament: there are 1 openings, so the first one cannot be number 2\n"


def test_a_gauntlet_with_two_heads() -> None:
    brains = [{"name": name, "command": ["true"]} for name in "abcde"]
    config = config_of({"mode": "gauntlet", "heads": 2}, brains)
    pairings = {(plan.black, plan.white) for plan in plan_games(config)[::2]}
    assert pairings == {(head, other) for head in "ab" for other in "cde"}
    assert config.field.heads == ("a", "b")
    run = tournament("run", *[str(FAKE)] * 4, "--heads", "2", "--dry-run")
    assert run.stdout.count(" - ") == 8


# Readers that stop reading.


@pytest.mark.parametrize("view", ["--plain", "--json"])
def test_a_reader_that_stops_ends_the_event_with_a_sentence(view: str, tmp_path: Path) -> None:
    words = ["run", f"{FAKE} none", f"{FAKE} occupied", "--games", "200", "--openings", str(OPENINGS), "--size", "10"]
    command = [sys.executable, "-m", "tournament", *words, view, "--out", str(tmp_path / "event")]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout is not None
    run.stdout.readline()
    run.stdout.close()
    assert run.stderr is not None
    errors = run.stderr.read()
    run.stderr.close()
    assert run.wait(60) == 3
    assert errors == "tournament: the output cannot be written: Broken pipe\n"
    assert len(Store(tmp_path / "event").load()) < 200


def test_a_reader_that_stops_is_no_error_of_the_standings(tmp_path: Path) -> None:
    play(configuration([fake("none"), fake("occupied")]), tmp_path)
    command = [sys.executable, "-m", "tournament", "standings", str(tmp_path)]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout is not None
    run.stdout.close()
    assert run.stderr is not None
    with run.stderr:
        assert run.stderr.read() == ""
    assert run.wait(60) == 0
