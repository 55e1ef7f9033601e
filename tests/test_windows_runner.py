"""The runner on Windows, as far as Wine is one: `check`, a match, Ctrl-C in a console, and a hard kill."""

import json
import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.test_windows import (
    ENVIRONMENT,
    EXECUTABLE,
    PATIENCE_S,
    ROOT,
    processes_of,
    pytestmark,  # noqa: F401  pytest finds it here
    wait_until,
    windows_python,
)

INCOMPLETE = 3
EVENT_WITHIN_S = 120.0
CTRL_C = b"\x03"
BRAIN = "-m tournament.brains.{}"  # what the Windows Python is told


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Windows Python that has psutil and rich, and finds the packages of this tree."""
    folder = tmp_path_factory.mktemp("windows") / "python"
    shutil.copytree(windows_python(), folder)
    (folder / "Lib" / "site-packages" / "kaname.pth").write_text(f"Z:{ROOT}\n".replace("/", "\\"), encoding="utf-8")
    return folder / "python.exe"


def runner(python: Path, *arguments: str) -> list[str]:
    return ["wine", str(python), "-m", "tournament", *arguments]


def brain(python: Path, name: str) -> str:
    """The command of a brain that ships, as it is typed on Windows."""
    return f'"Z:{python}" {BRAIN.format(name)}'.replace("/", "\\")


def run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Through pipes: under Wine, Python does not start if one of its standard streams is a regular file."""
    return subprocess.run(
        command, env=ENVIRONMENT, input="", capture_output=True, encoding="cp1252", timeout=EVENT_WITHIN_S
    )


def results(folder: Path) -> list[tuple[int, str]]:
    """The number and the ending of every game on disk."""
    records = [json.loads(line) for line in (folder / "games.jsonl").read_text(encoding="utf-8").splitlines()]
    return sorted((record["plan"]["number"], record["termination"]) for record in records)


def are_gone(python: Path) -> Callable[[], bool]:
    return lambda: not processes_of(EXECUTABLE) and not processes_of(python)


@pytest.mark.timing
def test_the_compliance_check_passes(python: Path) -> None:
    done = run(runner(python, "check", brain(python, "minimax")))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all steps passed" in done.stdout


def test_a_match_of_two_games_at_a_time(python: Path, tmp_path: Path) -> None:
    options = ["--games", "4", "--turn", "200ms", "--tolerance", "10s", "--concurrency", "2", "--pin"]
    command = runner(python, "run", str(EXECUTABLE), brain(python, "minimax"), "--out", str(tmp_path / "event"))
    done = run([*command, *options])
    assert (done.returncode, done.stderr) == (0, "")
    assert results(tmp_path / "event") == [(number, "FIVE") for number in (1, 2, 3, 4)]
    assert "4-0-0" in done.stdout
    wait_until(are_gone(python), 5.0, "a process is left")


def test_a_hard_kill_ends_the_brains(python: Path, tmp_path: Path) -> None:
    """They share a job with the runner, which the system ends with it."""
    brains = [str(EXECUTABLE), brain(python, "threat")]
    command = runner(python, "run", *brains, "--games", "2", "--turn", "20s", "--out", str(tmp_path / "event"))
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        wait_until(lambda: len(processes_of(EXECUTABLE)) == 2 and len(processes_of(python)) == 2, PATIENCE_S, "no game")
        time.sleep(1.0)  # the preflight has ended, and the first game begun
        process.kill()
        wait_until(are_gone(python), 5.0, "a brain outlives the runner")


def in_a_console(command: Sequence[str], until: bytes, keys: bytes) -> tuple[int, str]:
    """Type the keys once the command has printed `until`; its exit status and output."""
    process, console = pty.fork()
    if process == 0:
        os.execvpe(command[0], list(command), ENVIRONMENT)
    output, deadline = b"", time.monotonic() + EVENT_WITHIN_S
    while time.monotonic() < deadline:
        ready, _, _ = select.select([console], [], [], 0.1)
        try:
            output += os.read(console, 65536) if ready else b""
        except OSError:  # the other end is closed
            break
        if keys and until in output:
            time.sleep(1.0)
            os.write(console, keys[:1])
            keys = keys[1:]
    os.close(console)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), output.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("keys", "turn", "said"), [(CTRL_C, "500ms", "finishing the running games"), (2 * CTRL_C, "10s", "abandoning")]
)
def test_ctrl_c_reaches_the_runner_and_not_its_brains(
    python: Path, tmp_path: Path, keys: bytes, turn: str, said: str
) -> None:
    """The first lets the game end without a fault; after the second nothing of it is recorded."""
    brains = [str(EXECUTABLE), brain(python, "boundary")]
    options = ["--games", "20", "--turn", turn, "--tolerance", "10s", "--plain", "--out", str(tmp_path / "event")]
    status, output = in_a_console(runner(python, "run", *brains, *options), b"20 games", keys)
    assert status == INCOMPLETE, output
    assert said in output
    ended = results(tmp_path / "event") if (tmp_path / "event" / "games.jsonl").exists() else []
    assert ended == ([(1, "FIVE")] if len(keys) == 1 else [])
    wait_until(are_gone(python), 5.0, "a process is left")
