"""The compliance checker finds each deliberate fault, and passes our engine and the seed brains."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.runner import fake
from tournament import check
from tournament.event.config import brain_of

ROOT = Path(__file__).resolve().parents[1]

# What finds each fault; the same step passes with the brain that has none.
FOUND_BY = [
    ("crash-at-start", [], "answers START 20 with OK"),
    ("refuse-start", [], "answers START 20 with OK"),
    ("slow-start", ["1.2"], "starts within a second"),
    ("crash", [], "answers TURN in time"),
    ("stall", [], "answers TURN in time"),
    ("late", ["1.5"], "answers TURN in time"),
    ("occupied", [], "answers TURN in time"),
    ("off-board", [], "answers TURN in time"),
    ("garbage", [], "answers TURN in time"),
    ("error", [], "answers TURN in time"),
    ("echo-info", [], "does not answer INFO"),
    ("memory", [], "stays within its memory limit"),
    ("stderr", [], "writes nothing to stderr"),
    ("flood", [], "does not flood its manager with messages"),
    ("ignore-end", [], "exits on END"),
    ("ignore-end", [], "exits when its input closes"),
    ("fork", [], "leaves no child process behind"),
]


def result_of(title: str, fault: str, *arguments: str, **table: str) -> check.StepResult:
    """One step of the check, on a brain with a fault."""
    (step,) = (step for step in check.STEPS if step[0] == title)
    return next(check.check(brain_of(fake(fault, *arguments, **table), {}), [step]))


@pytest.mark.parametrize(("fault", "arguments", "title"), FOUND_BY, ids=[f"{case[0]}: {case[2]}" for case in FOUND_BY])
def test_each_fault_is_found(fault: str, arguments: list[str], title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "ANSWER_WITHIN_S", 2.0)
    memory = {"memory": "150M"} if fault == "memory" else {}
    found = result_of(title, fault, *arguments, **memory)
    assert not found.is_passed, found
    assert result_of(title, "none").is_passed


def test_a_brain_that_never_says_ok(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "START_WITHIN_S", 0.5)
    found = result_of("answers START 20 with OK", "never-ok")
    assert (found.is_passed, found.seen) == (False, "no answer within 0.5 s")


PYTHON = sys.executable  # what the check starts
BRAINS = ["-m pbrain", *(f"-m tournament.brains.{name}" for name in ("minimax", "boundary", "threat"))]


@pytest.mark.timing
@pytest.mark.parametrize("brain", BRAINS)
def test_our_brains_pass(brain: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tournament", "check", f"{PYTHON} {brain}", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    steps = [json.loads(line) for line in run.stdout.splitlines()]
    assert [step for step in steps if not step["is_passed"]] == []
    assert [step["number"] for step in steps] == list(range(1, len(check.STEPS) + 1))
    assert (run.returncode, run.stderr) == (0, "")


def test_the_list_is_numbered_and_counts_failures() -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "tournament",
            "check",
            f"{sys.executable} {fake('crash-at-start')['command'][1]} crash-at-start",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    lines = run.stdout.splitlines()
    assert lines[0].startswith("  1  FAIL  answers START 20 with OK: exited during the step: exit code 3")
    assert lines[-1].endswith(f"{len(check.STEPS)} of {len(check.STEPS)} steps failed")
    assert run.returncode == 1


@pytest.mark.posix("pipes end otherwise")
def test_a_reader_that_leaves_ends_the_check_quietly() -> None:
    """As `check CMD | head -1`; the brain of the step that was under way is ended."""
    command = f"{sys.executable} {fake('none')['command'][1]} none"
    mark = f"KANAME_TEST_{time.monotonic_ns()}"
    with subprocess.Popen(
        [sys.executable, "-m", "tournament", "check", command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, mark: "1"},
    ) as checking:
        assert checking.stdout is not None
        assert checking.stderr is not None
        assert checking.stdout.readline().startswith(b"  1  pass")
        checking.stdout.close()
        assert checking.stderr.read() == b""
        assert checking.wait(30) == 1
    assert not [one for one in psutil.process_iter(["environ"]) if mark in (one.info["environ"] or {})]


def test_what_a_brain_says_cannot_control_the_terminal(tmp_path: Path) -> None:
    script = tmp_path / "red.py"
    script.write_text("for line in iter(input, 'END'): print('NAME=\"\\x1b[31mred\"', flush=True)\n")
    (step,) = (step for step in check.STEPS if step[0] == "answers ABOUT")
    found = next(check.check(brain_of({"command": [sys.executable, str(script)]}, {}), [step]))
    assert found.is_passed
    assert found.seen == 'NAME="\N{REPLACEMENT CHARACTER}[31mred"'


@pytest.mark.posix("Windows runs it")
def test_a_windows_program_gets_a_hint_about_wine(tmp_path: Path) -> None:
    program = tmp_path / "pbrain-a.exe"
    program.write_bytes(b"MZ" + bytes(100))
    program.chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-m", "tournament", "check", str(program)], cwd=ROOT, capture_output=True, text=True
    )
    assert f"{program} is a Windows program; run it with Wine: 'wine {program}'" in run.stdout
    assert (run.returncode, run.stderr) == (1, "")
