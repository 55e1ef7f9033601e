"""The compliance checker finds each deliberate fault, and passes our engine and the seed brains."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner import fake
from tournament import check
from tournament.config import brain_of

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


BRAINS = ["-m pbrain", *(f"-m tournament.brains.{name}" for name in ("minimax", "boundary", "threat"))]


@pytest.mark.parametrize("brain", BRAINS)
def test_our_brains_pass(brain: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tournament", "check", f"{sys.executable} {brain}", "--json"],
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
