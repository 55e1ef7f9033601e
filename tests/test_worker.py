"""The processes that play the games: whoever of them dies, no brain is left, and the event can go on."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.runner import FAKE
from tests.test_runner_resume import RUN, command, marked_run, of_this_test, wait_until
from tournament.core.adjudication import NEVER
from tournament.core.model import Board
from tournament.event.store import Store
from tournament.play.managers import OURS
from tournament.play.messages import Channel, Failed, Table
from tournament.play.sampler import Sampler
from tournament.play.worker import Worker

STALLING = ("none", "stall")  # the second one sleeps for ten minutes in the middle of a game, and notices nothing


@contextmanager
def started(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run with a game in which a brain sleeps."""
    with marked_run(tmp_path, [*command(tmp_path / "event", 4, faults=STALLING), "--turn", "5m"]) as process:
        wait_until(lambda: len(of_this_test(tmp_path)) == 7)  # the runner, two workers, four brains
        time.sleep(0.5)
        yield process


def command_lines(tmp_path: Path) -> dict[int, str]:
    return {process.pid: " ".join(process.info["cmdline"] or ()) for process in of_this_test(tmp_path)}


@pytest.mark.posix("Windows has no SIGKILL")
def test_no_brain_outlives_a_runner_that_is_killed(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        process.kill()
    wait_until(lambda: of_this_test(tmp_path) == [])


@pytest.mark.posix("Windows has no SIGKILL")
def test_a_worker_that_is_killed_stops_the_event_with_one_sentence(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        workers = [pid for pid, words in command_lines(tmp_path).items() if "tournament.play.worker" in words]
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (3, "tournament: a process that plays games has ended: killed by SIGKILL\n")
    assert "to resume: " in out
    assert of_this_test(tmp_path) == []
    assert Store(tmp_path / "event").load() == []


def test_games_need_neither_the_current_folder_nor_the_environment_to_find_the_runner(tmp_path: Path) -> None:
    """Its modules may be where only the runner's own search path says; a foreign one of the same name is not taken."""
    (tmp_path / "tournament").mkdir()
    (tmp_path / "tournament" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    root = str(Path(__file__).resolve().parents[1])
    brain = f"{sys.executable} {FAKE} none"
    words = ["run", brain, brain, "--games", "2", "--size", "10", "--out", "event"]
    code = f"import sys; sys.path[:] = [{root!r}, *sys.path[1:]]; {RUN}"
    run = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(Store(tmp_path / "event").load()) == 2


class Deaf(Channel):
    """A channel to nobody; it keeps what is sent."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), io.BytesIO())
        self.sent: list[object] = []

    def send(self, message: object) -> None:
        self.sent.append(message)


def test_a_worker_without_threads_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    channel = Deaf()
    table = Table({}, Board(), Store(tmp_path).log_folder, NEVER, is_swap2=False, manager=OURS, core=None)
    monkeypatch.setattr("tournament.play.worker.SAMPLER", Sampler())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    Worker(channel, table).run()
    (failed,) = channel.sent
    assert isinstance(failed, Failed)
    assert str(failed.error) == "the games cannot go on: can't start new thread"
