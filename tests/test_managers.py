"""The runner as GomocupJudge, Piskvork and c-gomoku-cli: our brain under each, and the faults that each punishes."""

import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.brain_process import BRAIN, ROOT, Game, random_opening
from tests.naive import RENJU, RULES
from tests.runner import FAKE, configuration, fake, play
from tests.test_runner_commands import tournament
from tournament.core.adjudication import Adjudication
from tournament.core.model import BLACK, WHITE, Board, BrainSpec, GamePlan, Limits, Opening, Termination
from tournament.event.config import ConfigError, config_of
from tournament.event.executor import PreflightError
from tournament.play.driver import Driver, FaultError
from tournament.play.game import play_game
from tournament.play.managers import (
    CLI,
    JUDGE,
    MANAGERS,
    OURS,
    PISKVORK,
    Manager,
    info_lines,
    is_message,
    question,
    start_line,
    with_draws,
)

OTHERS = [JUDGE, PISKVORK, CLI]
PATIENCE_MS = 30_000  # where time is not measured: beside other tests, a start may take seconds
PLAYED = [(manager, rule) for manager in OTHERS for rule in RULES if rule in manager.rules]


# -- what each manager sends -------------------------------------------------------------------------------------------


SPEC = BrainSpec("a", ("a",), limits=Limits(5000, 120_000, memory_bytes=350 << 20))
FOLDER = Path("/data")
INFO = {
    OURS: ["timeout_match 120000", "max_memory 367001600", "game_type 1", "rule 4", "timeout_turn 5000"],
    JUDGE: [
        "timeout_turn 5000", "timeout_match 120000", "max_memory 367001600", "game_type 3", "rule 4", "folder /data",
    ],
    PISKVORK: [
        "max_memory 367001600", "timeout_match 120000", "timeout_turn 5000", "game_type 1", "rule 4",
        "time_left 119500", "folder /data",
    ],
    CLI: ["rule 4", "timeout_turn 5000", "timeout_match 120000", "max_memory 367001600"],
}  # fmt: skip


@pytest.mark.parametrize("manager", INFO, ids=lambda manager: manager.name)
def test_the_settings(manager: Manager) -> None:
    lines = info_lines(manager, Board(15, 15, RENJU), SPEC, 119_500.4, FOLDER)
    assert lines == [f"INFO {setting}" for setting in INFO[manager]]


@pytest.mark.parametrize(
    ("manager", "stones", "is_first", "lines"),
    [
        (OURS, 0, True, ["BEGIN"]),
        (OURS, 1, True, ["TURN 0,7"]),
        (OURS, 2, True, ["BOARD", "0,7,1", "1,7,2", "DONE"]),
        (JUDGE, 0, True, ["BOARD", "DONE"]),
        (JUDGE, 1, True, ["BOARD", "0,7,2", "DONE"]),
        (JUDGE, 3, False, ["TURN 2,7"]),
        (PISKVORK, 0, True, ["BEGIN"]),
        (PISKVORK, 1, True, ["TURN 0,7"]),
        (PISKVORK, 3, True, ["BOARD", "0,7,2", "1,7,1", "2,7,2", "DONE"]),
        (CLI, 0, True, ["BEGIN"]),
        (CLI, 1, True, ["BOARD", "0,7,2", "DONE"]),
        (CLI, 2, False, ["TURN 1,7"]),
    ],
)
def test_the_question(manager: Manager, stones: int, is_first: bool, lines: list[str]) -> None:
    assert question(manager, [(i, 7) for i in range(stones)], stones % 2, is_first) == lines


def test_another_game_in_the_same_process() -> None:
    board = Board(15, 15)
    assert start_line(PISKVORK, board, is_new=True) == "START 15"
    assert start_line(PISKVORK, board, is_new=False) == "RESTART"
    assert start_line(CLI, board, is_new=False) == "START 15"
    assert start_line(PISKVORK, Board(20, 15), is_new=True) == "RECTSTART 20,15"


# -- how each manager reads --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "readers"),
    [
        ("7,8", {OURS, JUDGE, PISKVORK, CLI}),
        ("7, 8", {JUDGE, PISKVORK, CLI}),
        ("7 ,8", {JUDGE}),
        ("7,8 and good luck", {PISKVORK}),
        ("7,8,1", {PISKVORK}),
        ("-1,8", {JUDGE, PISKVORK, CLI}),
        ("1234,8", {JUDGE, PISKVORK, CLI}),
        ("seven,8", set()),
        ("", set()),
    ],
)
def test_a_move(text: str, readers: set[Manager]) -> None:
    assert {manager for manager in MANAGERS.values() if manager.move.fullmatch(text)} == readers


def test_a_message() -> None:
    assert all(is_message(manager, "message hello") for manager in MANAGERS.values())
    assert [is_message(manager, "MESSAGES") for manager in (OURS, JUDGE, PISKVORK, CLI)] == [True, True, False, True]
    assert is_message(PISKVORK, "DEBUG x")


@given(st.text(), st.sampled_from(list(MANAGERS.values())))
def test_no_text_is_both_a_message_and_a_move(text: str, manager: Manager) -> None:
    assert not (is_message(manager, text) and manager.move.fullmatch(text))


@given(st.integers(0, 999), st.integers(0, 999))
def test_every_manager_reads_a_plain_move(x: int, y: int) -> None:
    for manager in MANAGERS.values():
        found = manager.move.fullmatch(f"{x},{y}")
        assert found is not None
        assert (int(found[1]), int(found[2])) == (x, y)


def test_draws_with_25_free_squares() -> None:
    never, late = Adjudication(), Adjudication(draw_after=10)
    for manager, rule, moves in ((OURS, RENJU, None), (JUDGE, 0, None), (JUDGE, RENJU, 197), (PISKVORK, 0, 197)):
        assert with_draws(manager, never, Board(15, 15, rule), 3).draw_after == moves
    assert with_draws(PISKVORK, late, Board(15, 15), 3).draw_after == 10


# -- our brain under each manager --------------------------------------------------------------------------------------


class KeptFiles(TemporaryDirectory[str]):
    """A folder of a brain; what it holds in the end is remembered."""

    found: list[str]

    def cleanup(self) -> None:
        type(self).found += [path.name for path in Path(self.name).rglob("*") if path.name != "data"]
        super().cleanup()


@contextmanager
def drivers_of(
    manager: Manager, turn_ms: int, match_ms: int | None, count: int = 2, tolerance_ms: int = 1000
) -> Iterator[list[Driver]]:
    """Drivers of our brain; Piskvork starts it in a folder that is not the program's."""
    limits = Limits(turn_ms=turn_ms, match_ms=match_ms)
    spec = BrainSpec(
        "kaname", BRAIN, environment=(("PYTHONPATH", str(ROOT)),), limits=limits, tolerance_ms=tolerance_ms
    )
    drivers = [Driver(spec, manager=manager) for _ in range(count)]
    try:
        yield drivers
    finally:
        for driver in drivers:
            driver.abandon()


def seeds(everyday: int, full: int) -> list[object]:
    """Numbers of games; those beyond the everyday ones are slow."""
    return [*range(everyday), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(everyday, full))]


@pytest.mark.timing
@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("seed", seeds(1, 6))
@pytest.mark.parametrize(("manager", "rule"), PLAYED, ids=lambda value: getattr(value, "name", str(value)))
def test_our_brain(manager: Manager, rule: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games in the same processes, where the manager keeps them: from nothing, and from an opening."""
    monkeypatch.setattr("tournament.play.driver.TemporaryDirectory", KeptFiles)
    KeptFiles.found = []
    size, turn_ms = 15 if rule else 20, 100 if seed else 50
    opening = random_opening(random.Random(seed), size)
    with drivers_of(manager, turn_ms, None if manager is CLI else 10_000) as (first, second):
        for number, (stones, sides) in enumerate((([], (first, second)), (opening, (second, first))), 1):
            plan = GamePlan(number, 1, "a", "b", Opening("", tuple(stones)))
            record = play_game(plan, Board(size, size, rule), sides, lambda *_: None, threading.Event())
            assert not record.termination.is_fault, record.detail
        for driver in (first, second):
            driver.close()
            assert driver.warnings == []
    assert KeptFiles.found == []


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("rule", RULES)
def test_against_a_simple_opponent(rule: int, colour: int) -> None:
    """Games that a brain would not play against itself; it must win one of them."""
    rng = random.Random(rule)
    winners = []
    with drivers_of(CLI, 50, None, count=1, tolerance_ms=PATIENCE_MS) as (driver,):
        for _ in range(2):
            driver.start_game(Board(15, 15, rule))
            game = Game(15, rule, [] if colour == BLACK else random_opening(rng, 15, 1))
            while not game.is_over:
                if len(game.moves) % 2 == colour:
                    game.play(driver.ask(game.moves, colour, is_first=len(game.moves) < 2).move)
                else:
                    game.play(game.reply(rng))
            winners.append(game.winner)
    assert "XO"[colour] in winners


# -- faults ------------------------------------------------------------------------------------------------------------


START = Termination.START_FAILED
STALL, ILLEGAL, TIMEOUT, MEMORY = Termination.STALL, Termination.ILLEGAL, Termination.TIMEOUT, Termination.MEMORY

# Fault, arguments, settings, and how the game ends under the managers that punish it.
FAULTS: list[tuple[str, list[str], dict[str, str], dict[Manager, Termination]]] = [
    ("big-folder", [], {}, {JUDGE: MEMORY}),
    ("slow-start", ["3.5"], {"tolerance": "1s", "turn": "100ms"}, {JUDGE: STALL, CLI: START}),
    ("stderr", [], {}, {PISKVORK: ILLEGAL}),
    ("slow-start", ["1.5"], {"tolerance": "500ms", "turn": "5s"}, {CLI: START}),
    ("late-talk", ["2"], {"tolerance": "3s", "turn": "200ms"}, {CLI: TIMEOUT}),
    ("chatter", [], {}, {PISKVORK: ILLEGAL}),
    ("trailing", [], {}, {OURS: STALL, JUDGE: STALL, CLI: STALL}),
    ("suggest", [], {}, {OURS: STALL, JUDGE: STALL, CLI: STALL}),
    ("ok-ready", [], {}, {OURS: START, PISKVORK: START, CLI: START}),
]


def fault_cases() -> Iterator[Any]:
    """Every fault under every manager: those that are punished everyday, those that are not in full."""
    for number, fault in enumerate(FAULTS):
        for name, manager in MANAGERS.items():
            marks = [] if manager in fault[3] else [pytest.mark.slow]
            yield pytest.param(*fault, manager, marks=marks, id=f"{number}-{fault[0]}-{name}")


@pytest.mark.parametrize(("fault", "arguments", "settings", "punished", "manager"), list(fault_cases()))
def test_each_manager_punishes_its_own_faults(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    manager: Manager,
    fault: str,
    arguments: list[str],
    settings: dict[str, str],
    punished: dict[Manager, Termination],
) -> None:
    if fault == "ok-ready":  # an OK that never comes is waited for
        monkeypatch.setattr("tournament.play.driver.START_WITHIN_S", 4.0)
    event: dict[str, Any] = {"tolerance": "1s", "turn": "300ms", **settings, "manager": manager.name}
    config = configuration([fake(fault, *arguments), fake("none", tolerance="30s")], **event)
    expected = punished.get(manager)
    if expected is START:
        with pytest.raises(PreflightError, match=f"^{fault} cannot take part: "):
            play(config, tmp_path)
        return
    records, _ = play(config, tmp_path)
    assert {record.termination for record in records} == {expected or Termination.FIVE}, records[0].detail
    for record in records:
        loser = record.plan.black if record.winner == WHITE else record.plan.white
        assert expected is None or loser == fault


# What a brain says before each move; who accepts it, and whether the runner warns of it.
BEFORE_A_MOVE: list[tuple[str, set[Manager], bool]] = [
    ("", {OURS, JUDGE, PISKVORK, CLI}, False),
    ("MESSAGE I think", {OURS, JUDGE, PISKVORK, CLI}, False),
    ("message i think", {OURS, JUDGE, PISKVORK, CLI}, False),
    ("DEBUG depth 3", {OURS, JUDGE, PISKVORK, CLI}, False),
    ("UNKNOWN command", {OURS, JUDGE, CLI}, True),
    ("ERROR unknown key", {OURS, JUDGE, CLI}, True),
    ("OK", {OURS, JUDGE, CLI}, False),
    ("let me see", {OURS, JUDGE, CLI}, True),
    ("7;7", {OURS, JUDGE, CLI}, True),
    ("\\x1b[31m\\xff", {OURS, JUDGE, CLI}, True),
]


@pytest.mark.parametrize("manager", MANAGERS.values(), ids=lambda manager: manager.name)
@pytest.mark.parametrize(("before", "accepting", "is_warned"), BEFORE_A_MOVE, ids=[case[0] for case in BEFORE_A_MOVE])
def test_what_a_brain_may_say_before_its_move(
    manager: Manager, before: str, accepting: set[Manager], is_warned: bool
) -> None:
    script = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'ABOUT': print('name=\"a\"', flush=True)\n"
        "    if word == 'START': print('OK', flush=True)\n"
        "    if word in ('DONE', 'TURN', 'BEGIN'):\n"
        f"        sys.stdout.buffer.write(b'{before}\\n' * 3 + b'7,7\\n')\n"
        "        sys.stdout.flush()\n"
    )
    driver = Driver(BrainSpec("a", (sys.executable, "-c", script), tolerance_ms=PATIENCE_MS), manager=manager)
    try:
        driver.start_game(Board(15, 15))
        if manager not in accepting:
            with pytest.raises(FaultError, match="instead of a move"):
                driver.ask([], BLACK, is_first=True)
            return
        for _ in range(2):
            assert driver.ask([], BLACK, is_first=True).move == (7, 7)
        warned = [text for text in driver.warnings if text.endswith("before its move, which is no message")]
        assert len(warned) == is_warned, "once per game"
    finally:
        driver.abandon()


def test_a_crash_at_the_start_is_found_before_the_first_game(tmp_path: Path) -> None:
    with pytest.raises(PreflightError, match="exited before"):
        play(configuration([fake("none"), fake("crash-at-start")], manager="judge"), tmp_path)


def test_the_judge_suspends_a_brain_until_its_turn() -> None:
    """What it does meanwhile does not happen: this one would write to stderr two seconds after each move."""
    script = (
        "import sys, threading, time\n"
        "n = 0\n"
        "for line in sys.stdin:\n"
        "    if line[:4] in ('DONE', 'TURN'):\n"
        "        print(f'{n},0', flush=True)\n"
        "        n += 1\n"
        "        threading.Timer(2.0, sys.stderr.write, ['awake\\n']).start()\n"
    )
    driver = Driver(BrainSpec("late", (sys.executable, "-c", script)), manager=JUDGE)
    try:
        driver.start_game(Board(15, 15))
        driver.ask([(7, 7)], WHITE, is_first=True)
        threading.Event().wait(3.0)
        assert driver._process is not None
        assert list(driver._process.errors) == []
    finally:
        driver.abandon()


def test_piskvork_starts_a_brain_again_that_cannot_restart(tmp_path: Path) -> None:
    records, _ = play(configuration([fake("no-restart"), fake("none")], manager="piskvork"), tmp_path)
    assert {record.termination for record in records} == {Termination.FIVE}
    for name, starts in (("no-restart", 2), ("none", 1)):
        (log,) = (tmp_path / "logs").glob(f"*{name}.log")
        assert log.read_text().count("< START 10") == starts
        assert log.read_text().count("< RESTART") == 1


@pytest.mark.parametrize("manager", [OURS, PISKVORK], ids=lambda manager: manager.name)
def test_the_start_counts_in_the_match_under_piskvork(manager: Manager) -> None:
    command = (sys.executable, str(FAKE), "slow-start", "2")
    driver = Driver(BrainSpec("slow", command, limits=Limits(5000, 10_000)), manager=manager)
    try:
        driver.start_game(Board(15, 15))
        driver.ask([], BLACK, is_first=True)
        assert driver.left_ms is not None
        assert (driver.left_ms <= 8_000) == (manager is PISKVORK)
    finally:
        driver.abandon()


@pytest.mark.usefixtures("library")
def test_swap2_under_the_judge() -> None:
    with drivers_of(JUDGE, 100, 10_000, tolerance_ms=PATIENCE_MS) as (first, second):
        plan = GamePlan(1, 1, "a", "b", Opening("", ()))
        record = play_game(plan, Board(15, 15), (first, second), lambda *_: None, threading.Event(), is_swap2=True)
        assert not record.termination.is_fault, record.detail
        assert len(record.plan.opening.moves) >= 3


# -- events ------------------------------------------------------------------------------------------------------------


TWO = [{"name": "a", "command": ["true"]}, {"name": "b", "command": ["true"]}]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ({"manager": "arena"}, "manager must be one of ours, judge, piskvork, cli, not 'arena'"),
        ({"manager": ["judge"]}, r"manager must be one of ours, judge, piskvork, cli, not \['judge'\]"),
        ({"manager": "cli", "rule": 8}, "the manager cli does not play rule 8"),
        ({"manager": "cli", "size": "25"}, "the manager cli plays on boards up to 22x22 only"),
        ({"manager": "judge", "size": "20x15"}, "the manager judge plays on square boards only, not on 20x15"),
        ({"manager": "piskvork", "swap2": True}, "the manager piskvork does not play Swap2"),
        ({"manager": "judge", "depth": 3}, "the manager judge sends no depth, nodes, increment or further INFO lines"),
        ({"manager": "judge", "turn": "none"}, "the manager judge needs a time per move"),
    ],
)
def test_what_a_manager_cannot_play_is_refused(event: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=f"^{sentence}$"):
        config_of(event, TWO)


def test_the_tolerance_of_each_manager() -> None:
    for name, manager in MANAGERS.items():
        own, given_one = config_of({"manager": name}, TWO), config_of({"manager": name, "tolerance": "2s"}, TWO)
        assert own.brains[0].tolerance_ms == (3000 if manager is CLI else 1000)
        assert given_one.brains[0].tolerance_ms == 2000


def test_an_event_keeps_its_manager(tmp_path: Path) -> None:
    """From a TOML file: the header names it, resume keeps it, and another one is refused."""
    brains = "".join(
        f'[[brain]]\nname = "{name}"\ncommand = ["{sys.executable}", "{FAKE}", "none"]\n' for name in ("a", "b")
    )
    (tmp_path / "cup.toml").write_text(f'[event]\nmanager = "judge"\nsize = "10"\ngames = 2\n{brains}')
    words = ["run", str(tmp_path / "cup.toml"), "--plain", "--out", str(tmp_path / "cup")]
    first = tournament(*words)
    assert first.returncode == 0, first.stderr
    assert "as GomocupJudge plays them" in first.stdout.splitlines()[0]
    log = next((tmp_path / "cup" / "logs").iterdir()).read_text()
    assert "INFO game_type 3" in log
    changed = tournament(*words, "--manager", "cli")
    assert changed.returncode == 2
    assert "manager" in changed.stderr
    more = tournament(*words, "--games", "4")
    assert more.returncode == 0, more.stderr
    assert tournament("resume", str(tmp_path / "cup"), "--plain").returncode == 0


def test_a_sequential_test_with_a_manager(tmp_path: Path) -> None:
    brain = f"{sys.executable} {FAKE} none"
    words = ["sprt", brain, brain, "--games", "2", "--size", "10", "--manager", "piskvork", "--plain"]
    run = tournament(*words, "--out", str(tmp_path / "test"))
    assert run.returncode == 0, run.stderr
    assert "as Piskvork plays them" in run.stdout.splitlines()[0]
