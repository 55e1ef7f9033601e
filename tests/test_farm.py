"""An event on the workers of a dask scheduler is the event that this machine would play, whoever is killed."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.farm import ROOT, dask_scheduler, dask_worker, free_port, wait_until
from tests.runner import FAKE, OPENINGS
from tests.test_runner_resume import started as process_of
from tests.test_runner_resume import summary, table, whole_lines
from tournament import cli
from tournament.event.store import Store

QUICK = ("none", "stderr")
SLOW = ("none", "late 0.04")  # a game takes more than a second
EVERYDAY_KILLS, EVERYDAY_GAMES = 2, 16
FULL_KILLS, FULL_GAMES = 10, 60


class Farm:
    """A scheduler with two workers; a test may start and kill more of them."""

    def __init__(self, scratch: Path, stack: ExitStack) -> None:
        self.port, self.scratch, self._stack = free_port(), scratch, stack
        self.cache = scratch / "cache"
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(2)]

    @property
    def address(self) -> str:
        return f"dask://127.0.0.1:{self.port}"

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        return self._stack.enter_context(dask_scheduler(self.port, self.scratch))

    def start_worker(self) -> "subprocess.Popen[bytes]":
        return self._stack.enter_context(dask_worker(self.port, self.scratch, KANAME_CACHE=str(self.cache)))


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with ExitStack() as stack:
        yield Farm(tmp_path_factory.mktemp("farm"), stack)


@pytest.fixture
def own_farm(tmp_path: Path) -> Iterator[Farm]:
    with ExitStack() as stack:
        yield Farm(tmp_path / "dask", stack)


def command(folder: Path, games: int, faults: tuple[str, ...], *more: str) -> list[str]:
    """A run with two deterministic brains."""
    brains = [f"{sys.executable} {FAKE} {fault}" for fault in faults]
    options = ["--games", str(games), "--size", "10", "--openings", str(OPENINGS), "--turn", "1m", "--out", str(folder)]
    return [sys.executable, "-m", "tournament", "run", *brains, *options, "--plain", *more]


Start = Callable[[list[str]], "subprocess.Popen[str]"]


@pytest.fixture
def started() -> Iterator[Start]:
    """Start a command; whatever becomes of the test, the process ends with it."""
    with ExitStack() as stack:
        yield lambda words: stack.enter_context(process_of(words))


def completed(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=250)


def wait_for_games(run: "subprocess.Popen[str]", folder: Path, games: int) -> None:
    wait_until(lambda: len(whole_lines(folder)) >= games or run.poll() is not None)
    assert run.poll() is None, run.communicate()


def numbers(folder: Path) -> list[int]:
    return sorted(json.loads(line)["plan"]["number"] for line in whole_lines(folder))


def brains_of(brain: Path) -> list[psutil.Process]:
    """The processes that run this file; the runner, which only names it within a longer word, is none of them."""
    processes = psutil.process_iter(["cmdline"])
    return [each for each in processes if str(brain) in (each.info["cmdline"] or ())]


def test_two_workers_play_the_games_that_this_machine_plays(farm: Farm, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    local = completed(command(here, 12, QUICK, "--concurrency", "2"))
    assert (local.returncode, local.stderr) == (0, "")
    remote = completed(command(there, 12, QUICK, "--workers", farm.address))
    assert (remote.returncode, remote.stderr) == (0, "")
    assert "12 games, 4 at a time" in remote.stdout
    assert numbers(there) == list(range(1, 13))
    assert summary(there) == summary(here)
    assert table(there) == table(here)
    logs = [
        {path.name: len(path.read_text().splitlines()) for path in (one / "logs").iterdir()} for one in (here, there)
    ]
    assert logs[0] == logs[1]
    assert len(logs[0]) == 12
    assert (there / "report.html").exists()
    words = [(one / "event.json").read_text() for one in (here, there)]
    assert words[0] == words[1], "where an event is played is no part of it"


def test_a_brain_is_shipped_and_its_fault_comes_back_with_its_log(farm: Farm, tmp_path: Path) -> None:
    """The brain's file is nowhere but on the runner's side, until it is sent."""
    brain, folder = tmp_path / "travelling.py", tmp_path / "event"
    brain.write_text(FAKE.read_text())
    words = command(folder, 4, QUICK, "--workers", farm.address, "--ship", "--log", "faults", "--log-compress")
    words[4:6] = [f"{brain} none", f"{brain} occupied"]
    run = completed(words)
    assert (run.returncode, run.stderr) == (0, "")
    records = Store(folder).load()
    assert len(records) == 4
    (kept,) = [path for path in farm.cache.rglob("*") if path.is_file()]
    assert kept.name == "travelling.py"
    assert kept.read_bytes() == brain.read_bytes()
    log = records[0].detail.splitlines()[-1].removeprefix("full log: ")
    assert Path(log).parent == folder / "logs"
    assert Path(log).exists()
    kept.write_text("import sys; sys.exit('not the brain that was sent')")
    again = completed([*words, "--games", "8"])
    assert (again.returncode, again.stderr) == (0, ""), "a file that was changed is sent again"
    assert {record.termination.name for record in Store(folder).load()} == {"ILLEGAL"}


def test_json_and_the_limit_of_games_at_a_time(farm: Farm, tmp_path: Path) -> None:
    words = command(tmp_path / "event", 4, SLOW, "--workers", farm.address, "--concurrency", "1")
    run = completed([word for word in words if word != "--plain"] + ["--json"])
    assert (run.returncode, run.stderr) == (0, "")
    events = [json.loads(line) for line in run.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert events[0]["concurrency"] == 1
    assert [kind for kind in kinds if kind != "MoveAsked"] == [
        "EventStarted",
        *["GameStarted", "GameFinished"] * 4,
        "EventEnded",
    ]
    assert "MoveAsked" in kinds, "moves are told about once per second"


def test_a_killed_worker_loses_no_finished_game(farm: Farm, started: Start, tmp_path: Path) -> None:
    folder, killed = tmp_path / "event", farm.start_worker()
    run = started(command(folder, 24, SLOW, "--workers", farm.address))
    wait_for_games(run, folder, 4)
    before = whole_lines(folder)
    killed.kill()
    out, err = run.communicate(timeout=250)
    assert (run.returncode, err) == (0, "")
    assert "is lost; others play its games" in out
    assert whole_lines(folder)[: len(before)] == before
    assert numbers(folder) == list(range(1, 25))


def test_a_scheduler_that_is_killed_is_waited_for(own_farm: Farm, started: Start, tmp_path: Path) -> None:
    folder = tmp_path / "event"
    run = started(command(folder, 12, SLOW, "--workers", own_farm.address))
    wait_for_games(run, folder, 3)
    own_farm.scheduler.kill()
    for worker in own_farm.workers:
        worker.wait(60)  # without its scheduler a worker ends; whoever supervises it starts it again
    own_farm.start_scheduler()
    own_farm.start_worker()
    out, err = run.communicate(timeout=250)
    assert (run.returncode, err) == (0, "")
    assert "is gone; waiting for it" in out
    assert "is there again" in out
    assert numbers(folder) == list(range(1, 13))


def kill_and_resume(farm: Farm, started: Start, tmp_path: Path, games: int, kills: int) -> None:
    folder = tmp_path / "killed"
    words = command(folder, games, SLOW, "--workers", farm.address)
    done = 0
    for kill in range(1, kills + 1):
        run = started(words)
        wait_for_games(run, folder, max(done, games * kill // (kills + 2)))
        run.kill()
        run.communicate()
        assert len(set(numbers(folder))) == len(numbers(folder)) >= done, "no game twice, none lost"
        done = len(numbers(folder))
    last = completed(words)
    assert (last.returncode, last.stderr) == (0, "")
    assert f"{done} already played" in last.stdout
    assert numbers(folder) == list(range(1, games + 1))
    whole = completed(command(tmp_path / "whole", games, SLOW, "--concurrency", "4"))
    assert whole.returncode == 0
    assert summary(folder) == summary(tmp_path / "whole")
    assert table(folder) == table(tmp_path / "whole")


def test_a_runner_that_is_killed_goes_on(farm: Farm, started: Start, tmp_path: Path) -> None:
    kill_and_resume(farm, started, tmp_path, EVERYDAY_GAMES, EVERYDAY_KILLS)


@pytest.mark.slow
def test_a_runner_that_is_killed_goes_on_in_full(farm: Farm, started: Start, tmp_path: Path) -> None:
    kill_and_resume(farm, started, tmp_path, FULL_GAMES, FULL_KILLS)


def own_brain(words: list[str], tmp_path: Path, faults: tuple[str, ...]) -> Path:
    """Let a command use a brain whose processes can be found."""
    brain = tmp_path / "brain.py"
    brain.write_text(FAKE.read_text())
    words[4:6] = [f"{sys.executable} {brain} {fault}" for fault in faults]
    return brain


def test_ctrl_c_finishes_the_running_games(farm: Farm, started: Start, tmp_path: Path) -> None:
    folder = tmp_path / "event"
    words = command(folder, 40, SLOW, "--workers", farm.address)
    brain = own_brain(words, tmp_path, SLOW)
    run = started(words)
    wait_for_games(run, folder, 2)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (3, "")
    assert f"to resume: python -m tournament resume {folder} --workers {farm.address}" in out
    wait_until(lambda: brains_of(brain) == [])
    assert len(set(numbers(folder))) == len(numbers(folder)) < 40


def test_a_second_ctrl_c_ends_the_brains_on_the_workers(farm: Farm, started: Start, tmp_path: Path) -> None:
    """A brain sleeps for ten minutes in the middle of a game, and notices nothing."""
    folder = tmp_path / "event"
    words = command(folder, 4, QUICK, "--turn", "10m", "--workers", farm.address)
    brain = own_brain(words, tmp_path, ("none", "stall"))
    run = started(words)
    assert run.stdout is not None
    wait_until(lambda: (folder / "event.json").exists() and len(brains_of(brain)) == 4)
    run.send_signal(signal.SIGINT)
    while "finishing the running games" not in (line := run.stdout.readline()):
        assert line, run.communicate()
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (3, "")
    assert "abandoning the running games" in out
    wait_until(lambda: brains_of(brain) == [])
    assert numbers(folder) == []


# -- refusals ----------------------------------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The sentence with which a command is refused, which leaves nothing."""
    assert cli.main(list(words)) == 2
    return capsys.readouterr().err


def test_a_scheduler_that_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.farm.executor.CONNECTS_WITHIN_S", 1)
    port = free_port()
    words = command(tmp_path / "event", 2, QUICK, "--workers", f"dask://127.0.0.1:{port}")[3:]
    assert refused(capsys, *words) == f"tournament: no dask scheduler answers at 127.0.0.1:{port}\n"
    assert list(tmp_path.iterdir()) == []


def test_tls_without_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = command(tmp_path / "event", 2, QUICK, "--workers", "dask+tls://127.0.0.1:1")[3:]
    reason = "dask's configuration names no certificates for TLS"
    assert refused(capsys, *words) == f"tournament: no dask scheduler answers at 127.0.0.1:1: {reason}\n"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "10.0.0.1"], "'10.0.0.1' is not the address of a scheduler such as dask://192.168.1.10:8786"),
        (["--workers", "dask://h:1", "--concurrency", "0"], "--concurrency must be at least 1, not 0"),
        (["--workers", "dask://h:1", "--pin"], "pinning is for games on this machine"),
        (["--ship"], "--ship sends brains to the workers of a farm: it needs --workers"),
        (["--ship", "--workers", "dask://h:1", "{python}"], "has no file that could be shipped"),
    ],
)
def test_options_that_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    words = command(tmp_path / "event", 2, QUICK)[3:]
    words[1:1] = [f"{sys.executable} -c pass"] if "{python}" in options else []
    assert sentence in refused(capsys, *words, *[word for word in options if word != "{python}"])
    assert list(tmp_path.iterdir()) == []


def test_a_brain_that_is_not_there(farm: Farm, tmp_path: Path) -> None:
    """Paths in a file are those of the workers; the runner's machine need not have them."""
    file, folder = tmp_path / "cup.toml", tmp_path / "event"
    brains = "".join(f'[[brain]]\nname = "{name}"\ncommand = ["/nowhere/pbrain-{name}"]\n' for name in "ab")
    file.write_text(f"[event]\ngames = 2\n{brains}")
    words = [sys.executable, "-m", "tournament", "run", str(file), "--out", str(folder), "--workers", farm.address]
    run = completed(words)
    assert run.returncode == 2
    assert run.stderr.startswith("tournament: the worker tcp://127.0.0.1:")
    assert "cannot play: a cannot take part: the command cannot be run: " in run.stderr
    assert "Traceback" not in run.stderr
    assert not folder.exists()


def test_a_scheduler_without_workers_and_a_dry_run(farm: Farm, tmp_path: Path) -> None:
    port = free_port()
    words = command(tmp_path / "event", 4, QUICK, "--workers")
    with dask_scheduler(port, tmp_path / "dask"):
        run = completed([*words, f"dask://127.0.0.1:{port}"])
    assert (run.returncode, run.stderr) == (2, f"tournament: the dask scheduler at 127.0.0.1:{port} has no workers\n")
    plan = completed([*words, farm.address, "--dry-run"])
    assert "4 games, 4 at a time (the threads of 2 workers)" in plan.stdout
    assert not (tmp_path / "event").exists()
