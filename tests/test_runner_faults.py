"""Faulty brains: the event continues, nothing hangs, no process is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.runner import FAKE, configuration, fake, play
from tournament.core.failures import RunnerError
from tournament.core.model import Termination
from tournament.event.executor import PreflightError
from tournament.event.store import Store
from tournament.play.sampler import Sampler

# Fault, arguments, termination, part of the detail; the brain plays three moves before it fails.
IN_PLAY = [
    ("crash", [], Termination.CRASH, "exit code 7"),
    ("stall", [], Termination.STALL, "no answer after"),
    ("late", ["1.8"], Termination.TIMEOUT, "over the limit of 1000 ms"),
    ("occupied", [], Termination.ILLEGAL, "is taken"),
    ("off-board", [], Termination.ILLEGAL, "is not on the 10 x 10 board"),
    ("garbage", [], Termination.STALL, "it said 'I think, therefore I am' instead"),
    ("error", [], Termination.STALL, "ERROR I do not like"),
    ("memory", [], Termination.MEMORY, "the limit is 150 MB"),
]

# Fault, arguments, part of the warning; the games are played to their end.
WARNED = [
    ("stderr", [], "wrote to stderr: a warning"),
    ("echo-info", [], "before its move, which is no message"),
    ("ignore-end", [], "ignored END"),
    ("fork", [], "child process"),
    ("flood", [], ""),
    ("slow-start", ["1.0"], ""),
    ("none", [], ""),
]

OWNER = "KANAME_TEST_OWNER"  # in the environment of what a test starts

AT_START: list[tuple[str, list[str], str]] = [
    ("crash-at-start", [], "exited before answering START 10: exit code 3"),
    ("refuse-start", [], "ERROR no board is good enough"),
]


@pytest.fixture(autouse=True)
def no_process_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Every process that a test starts has exited when the test ends; those of other tests run beside it."""
    monkeypatch.setenv(OWNER, str(tmp_path))
    me = psutil.Process()
    before = {child.pid for child in me.children(recursive=True)}
    yield
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        left = [child for child in me.children(recursive=True) if child.pid not in before]
        orphans = [
            process for process in psutil.process_iter(["environ"]) if is_of(process, tmp_path) and process != me
        ]
        if not left and not orphans:
            return
        time.sleep(0.05)
    pytest.fail(f"processes left: {left} {orphans}")


def is_of(process: psutil.Process, test: Path) -> bool:
    return (process.info["environ"] or {}).get(OWNER) == str(test)


@pytest.mark.parametrize(("fault", "arguments", "expected", "word"), IN_PLAY, ids=[case[0] for case in IN_PLAY])
def test_a_fault_in_play_loses_the_game_and_the_event_goes_on(
    tmp_path: Path, fault: str, arguments: list[str], expected: Termination, word: str
) -> None:
    memory = "150M" if fault == "memory" else "350M"
    turn = "20s" if fault == "memory" else "1s"  # filling the memory may take long
    config = configuration([fake(fault, *arguments, memory=memory), fake("none", tolerance="30s")], turn=turn)
    records, _ = play(config, tmp_path)
    assert len(records) == 2
    for record in records:
        assert record.termination is expected
        loser = record.plan.black if record.winner == 1 else record.plan.white
        assert loser == fault
        assert word in record.detail
        assert f"{fault} {expected.value}: " in record.detail
        assert len(record.detail.splitlines()) > 5, "the last lines of both directions"
        (log,) = (tmp_path / "logs").glob(f"pair-00001-{fault}.log")
        assert f"full log: {log}" in record.detail


@pytest.mark.parametrize(("fault", "arguments", "word"), WARNED, ids=[case[0] for case in WARNED])
def test_what_is_no_loss(tmp_path: Path, fault: str, arguments: list[str], word: str) -> None:
    records, _ = play(configuration([fake(fault, *arguments), fake("none")]), tmp_path)
    assert len(records) == 2
    assert {record.termination for record in records} == {Termination.FIVE}
    told = " ".join(warning for record in records for warning in record.warnings)
    assert word in told
    assert bool(word) == bool(told)


def test_late_within_the_tolerance_is_no_loss(tmp_path: Path) -> None:
    late = fake("late", "0.15", turn="100ms", tolerance="10s")
    records, _ = play(configuration([late, fake("none")]), tmp_path)
    assert {record.termination for record in records} == {Termination.FIVE}


@pytest.mark.parametrize(("fault", "arguments", "word"), AT_START, ids=[case[0] for case in AT_START])
def test_a_brain_that_cannot_start_is_refused_before_any_game(
    tmp_path: Path, fault: str, arguments: list[str], word: str
) -> None:
    with pytest.raises(PreflightError, match=f"^{fault} cannot take part: ") as refusal:
        play(configuration([fake("none"), fake(fault, *arguments)]), tmp_path)
    assert word in str(refusal.value)
    assert not (tmp_path / "games.jsonl").exists()


def test_a_command_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PreflightError, match="cannot be run"):
        play(configuration([fake("none"), {"name": "ghost", "command": [str(tmp_path / "ghost")]}]), tmp_path)


def test_a_brain_that_never_says_ok_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.play.driver.START_WITHIN_S", 1.0)
    with pytest.raises(PreflightError, match="did not answer START 10 within 1 s"):
        play(configuration([fake("none"), fake("never-ok")]), tmp_path)


def test_a_brain_that_fails_to_start_later_loses_by_it(tmp_path: Path) -> None:
    """The brain starts once, for the preflight, and never again."""
    marker = tmp_path / "started"
    script = tmp_path / "once.py"
    script.write_text(
        f"import os, sys, runpy\n"
        f"if os.path.exists({str(marker)!r}): sys.exit(5)\n"
        f"open({str(marker)!r}, 'w').close()\n"
        f"sys.argv = ['x', 'none']\n"
        f"runpy.run_path({str(FAKE)!r}, run_name='__main__')\n"
    )
    once = {"name": "once", "command": [sys.executable, str(script)]}
    records, _ = play(configuration([once, fake("none")]), tmp_path / "event")
    assert [record.termination for record in records] == [Termination.START_FAILED] * 2
    assert all("exit code 5" in record.detail for record in records)


def test_the_runner_survives_a_whole_company_of_faults(tmp_path: Path) -> None:
    names = ("none", "crash", "off-board", "occupied", "stderr")
    records, _ = play(configuration([fake(name) for name in names]), tmp_path, concurrency=2)
    assert len(records) == 20
    assert sorted(record.plan.number for record in records) == list(range(1, 21))


def test_a_process_group_of_its_own_keeps_ctrl_c_from_the_brains() -> None:
    if os.name != "posix":
        pytest.skip("process groups are POSIX's")
    from tournament.core.model import Board, BrainSpec
    from tournament.play.driver import Driver

    driver = Driver(BrainSpec("none", (sys.executable, str(FAKE), "none")))
    driver.start_game(Board(10, 10, 0))
    assert driver._process is not None
    assert os.getpgid(driver._process._popen.pid) != os.getpgid(0)
    driver.close()
    assert driver.warnings == []


@pytest.mark.posix("Ctrl-C comes as a signal")
def test_the_second_ctrl_c_ends_a_one_file_executable_at_once(tmp_path: Path) -> None:
    """Its second process holds the pipes and never answers; nothing waits for it, and it is gone."""
    script = tmp_path / "one_file.py"
    script.write_text(f"import subprocess, sys\nsubprocess.run([sys.executable, {str(FAKE)!r}, 'stall'])\n")
    command = [sys.executable, "-m", "tournament", "run", str(script), str(script), "--turn", "60s", "--plain"]
    with subprocess.Popen(
        [*command, "--concurrency", "1", "--out", str(tmp_path / "event")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=FAKE.parents[1],
    ) as running:
        deadline = time.monotonic() + 60
        while len(psutil.Process(running.pid).children(recursive=True)) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)  # the fourth move of one of them stalls
        running.send_signal(signal.SIGINT)
        assert running.stdout is not None
        while "press Ctrl-C again" not in (line := running.stdout.readline()):  # two at once might be heard as one
            assert line, running.communicate()
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=30)
    assert time.monotonic() - began < 20.0, "long before the turn ends"
    assert "to resume: " in output
    assert (running.returncode, errors) == (3, "")


def test_a_flood_that_nobody_reads_keeps_the_answer_at_its_end() -> None:
    from tournament.core.model import BrainSpec
    from tournament.play.process import MAX_QUEUED_LINES, BrainProcess

    count = 2 * MAX_QUEUED_LINES
    script = f"for i in range({count}): print('MESSAGE', i)\nprint('7,7', flush=True)\ninput()"
    process = BrainProcess(BrainSpec("flood", (sys.executable, "-c", script)))
    try:
        deadline = time.monotonic() + 60
        while process.lines_received <= count and time.monotonic() < deadline:
            time.sleep(0.01)
        lines = [process.receive(0) for _ in range(MAX_QUEUED_LINES)]
        assert lines[-1] is not None
        assert lines[-1].text == "7,7"
        assert process.receive(0) is None
    finally:
        process.kill()


@pytest.mark.parametrize(("threads", "concurrency"), [*((n, 1) for n in range(6)), *((n, 3) for n in range(7))])
def test_too_few_threads_stop_the_event_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int, concurrency: int
) -> None:
    """At most so many can be started: for the readers of the preflight, the sampler, and the games."""
    left, start = iter(range(threads)), threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if next(left, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr("tournament.play.process.SAMPLER", Sampler())
    monkeypatch.setattr(threading.Thread, "start", limited)
    with pytest.raises(RunnerError, match=r"^the games cannot go on: can't start new thread$"):
        play(configuration([fake("none"), fake("none")], games=4), tmp_path / "event", concurrency)
    assert Store(tmp_path / "event").load() == []
