"""No finished game is ever lost, and none is charged to a brain that the runner failed: kills, signals, full disks."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.runner import FAKE, OPENINGS
from tournament.cli import main
from tournament.core.model import Board, Opening
from tournament.core.openings import drawn, generic_openings, shipped_openings
from tournament.event.store import Store, StoreError, differences
from tournament.report import files
from tournament.report.files import write_report
from tournament.stats.standings import standings

ROOT = Path(__file__).resolve().parents[1]
GAMES = 40
EVERYDAY_KILLS, EVERYDAY_GAMES = 3, 24
FULL_KILLS, FULL_GAMES = 20, 60
SLOW = ("none", "late 0.1")  # a game takes about a second
OWNER = "KANAME_TEST_OWNER"  # in the environment of what a test starts


def command(folder: Path, games: int = GAMES, *more: str, faults: Sequence[str] = ("none", "stderr")) -> list[str]:
    """A run with two deterministic brains, which have time enough even if the host stands still for a while."""
    brains = [f"{sys.executable} {FAKE} {fault}" for fault in faults]
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
        "--turn",
        "1m",
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


def kill_and_resume(tmp_path: Path, games: int, kills: int, seed: int) -> None:
    """Each run is killed at a random moment: two of three after a few more games, the third while it starts."""
    whole = run_whole(tmp_path / "whole", games)
    assert whole.returncode == 0, whole.stderr
    rng = random.Random(seed)
    folder = tmp_path / "killed"
    done = 0
    for kill in range(1, kills + 1):
        with run_with_games(folder, games * kill // (kills + 1) if kill % 3 else 0, games) as process:
            time.sleep(rng.uniform(0.0, 0.3) if kill % 3 else rng.uniform(0.0, 0.8))
            process.kill()
            process.communicate()
        numbers = [json.loads(line)["plan"]["number"] for line in whole_lines(folder)]
        assert len(numbers) == len(set(numbers)) >= done, "no game twice, none lost"
        done = len(numbers)
    last = run_whole(folder, games)
    assert last.returncode == 0, last.stderr
    assert f"{done} already played" in last.stdout
    assert len(whole_lines(folder)) == games
    assert summary(folder) == summary(tmp_path / "whole")
    assert table(folder) == table(tmp_path / "whole")


def whole_lines(folder: Path) -> list[bytes]:
    return (folder / "games.jsonl").read_bytes().split(b"\n")[:-1] if (folder / "games.jsonl").exists() else []


def test_killed_and_resumed(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, EVERYDAY_GAMES, EVERYDAY_KILLS, seed=1)


@pytest.mark.slow
def test_killed_and_resumed_in_full(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, FULL_GAMES, FULL_KILLS, seed=2)


@contextmanager
def started(words: list[str], **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process that ends with the `with` block, whatever becomes of the test."""
    pipe, variables = subprocess.PIPE, {**os.environ, **environment}
    with subprocess.Popen(words, cwd=ROOT, env=variables, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def run_with_games(
    folder: Path, games: int, of: int = GAMES, faults: Sequence[str] = ("none", "stderr")
) -> Iterator[subprocess.Popen[str]]:
    """A run that has played so many games."""
    with started(command(folder, of, faults=faults)) as process:
        wait_until(lambda: len(whole_lines(folder)) >= games)
        yield process


def wait_until(is_so: Callable[[], bool], within_s: float = 60) -> None:
    deadline = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def tournament(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tournament", *words], cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def resumed(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return tournament("resume", str(folder), "--plain", *more)


@pytest.mark.posix("a test cannot press Ctrl-C for one process on Windows")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c(tmp_path: Path, times: int) -> None:
    """Once: the running games are finished and recorded. Twice: they are abandoned. Either way it can be resumed."""
    folder = tmp_path / "event"
    games = 12
    with run_with_games(folder, 3, games, SLOW) as process:  # so slow that games run at the second Ctrl-C
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert err == ""
    assert f"to resume: python -m tournament resume {folder}" in out
    played = len(summary(folder))
    assert 3 <= played < games
    again = resumed(folder, "--concurrency", "2")
    assert (again.returncode, again.stderr) == (0, "")
    assert f"{played} already played" in again.stdout
    assert [row[0] for row in summary(folder)] == list(range(1, games + 1))


@pytest.mark.posix("a test cannot press Ctrl-C for one process on Windows")
def test_ctrl_c_after_the_last_game_does_not_cost_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two Ctrl-C may come when the games that the first one let finish have ended."""

    def press_and_write(*arguments: Any) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        return write_report(*arguments)

    monkeypatch.setattr(files, "write_report", press_and_write)
    assert main(command(tmp_path, 2)[3:]) == 0
    assert (tmp_path / "report.html").exists()


# -- the built-in openings ---------------------------------------------------------------------------------------------


def event_without_a_file(folder: Path, *more: str) -> list[str]:
    """A run with the built-in openings of a board that has a book; the games end soon."""
    brains = [f"{sys.executable} {FAKE} {fault}" for fault in ("none", "occupied")]
    return ["run", *brains, "--out", str(folder), "--concurrency", "1", "--turn", "1m", "--plain", *more]


def openings_played(folder: Path) -> list[Opening]:
    """In the order of the schedule; both games of a pair."""
    return [record.plan.opening for record in sorted(Store(folder).load(), key=lambda record: record.plan.number)]


def each_twice(openings: Sequence[Opening], pairs: int) -> list[Opening]:
    return [opening for opening in islice(drawn(openings, Board(), 1), pairs) for _ in range(2)]


def test_an_event_from_before_the_books_keeps_its_openings(tmp_path: Path) -> None:
    """Also for the second game of a pair, with `resume`, and when the command that began it asks for more games."""
    first = tournament(*event_without_a_file(tmp_path, "--games", "2"))
    assert (first.returncode, first.stderr) == (0, "")
    assert openings_played(tmp_path) == each_twice(shipped_openings(Board()), 1)
    event, games = tmp_path / "event.json", tmp_path / "games.jsonl"
    older = each_twice(generic_openings(Board()), 3)
    record = json.loads(games.read_text().splitlines()[0])
    record["plan"]["opening"] = vars(older[0])
    games.write_text(json.dumps(record) + "\n")
    event.write_text(json.dumps({**json.loads(event.read_text()), "openings_digest": None}))
    again = resumed(tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert openings_played(tmp_path) == older[:2]
    preview = tournament(*event_without_a_file(tmp_path, "--games", "6", "--dry-run"))
    assert "openings: 40 of the built-in set" in preview.stdout
    more = tournament(*event_without_a_file(tmp_path, "--games", "6"))
    assert (more.returncode, more.stderr) == (0, "")
    assert openings_played(tmp_path) == older
    assert json.loads(event.read_text())["openings_digest"] is None


def test_an_event_is_not_resumed_with_another_version_of_its_book(tmp_path: Path) -> None:
    tournament(*event_without_a_file(tmp_path))
    event, digest = tmp_path / "event.json", "0123abcd"
    before = json.loads(event.read_text())
    event.write_text(json.dumps({**before, "openings_digest": digest}))
    for again in (resumed(tmp_path), tournament(*event_without_a_file(tmp_path, "--games", "4"))):
        assert again.returncode == 2
        assert f"openings_digest: '{digest}' before, '{before['openings_digest']}' now\n" in again.stderr
    assert len(Store(tmp_path).load()) == 2


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = tournament(*event_without_a_file(tmp_path / "file" / "event"))
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"tournament: {tmp_path / 'file' / 'event'} cannot be used: ")
    refused = tournament(*event_without_a_file(tmp_path / ("x" * 300)))
    assert refused.returncode == 2
    assert "cannot be used: " in refused.stderr


# -- signals -----------------------------------------------------------------------------------------------------------


def of_this_test(tmp_path: Path) -> list[psutil.Process]:
    """The processes that a test has started with its mark, and their brains."""
    processes = psutil.process_iter(["environ", "cmdline"])
    return [process for process in processes if (process.info["environ"] or {}).get(OWNER) == str(tmp_path)]


def marked_run(tmp_path: Path, words: list[str], first: str = "") -> AbstractContextManager[subprocess.Popen[str]]:
    """A run whose processes can be found, and who is not deaf to SIGHUP even if the tests run with nohup.

    The code in `first` is executed before it.
    """
    return started([sys.executable, "-c", HEARING + first + RUN, *words[3:]], **{OWNER: str(tmp_path)})


HEARING = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
# For a test that may be kept from sending its next signal for a while.
PATIENT = """
from tournament.play import worker_process
worker_process.START = worker_process.START.replace(
    "main()\\n", "from tournament.play import game\\ngame.SIGNAL_WITHIN_S = 15\\nmain()\\n"
)
"""
RUN = "import sys; from tournament.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.posix("Windows has neither SIGTERM nor SIGHUP")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_brains_too(tmp_path: Path, name: str) -> None:
    """The brain sleeps for ten minutes in the middle of a game and notices nothing."""
    folder = tmp_path / "event"
    number = getattr(signal, name)
    words = [*command(folder, 4, faults=("none", "stall")), "--turn", "5m"]
    with marked_run(tmp_path, words) as process:
        stalling = folder / "logs" / "pair-00001-fake_engine-2.log"
        wait_until(lambda: len(of_this_test(tmp_path)) == 7 and stalling.exists())
        time.sleep(0.5)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, "")
    assert f"to resume: python -m tournament resume {folder}" in out
    assert of_this_test(tmp_path) == []
    assert not (folder / "event.lock").exists()
    assert summary(folder) == []


@pytest.mark.posix("Windows has neither SIGTERM nor SIGHUP")
def test_a_signal_to_all_processes_costs_no_brain_a_game(tmp_path: Path) -> None:
    """As a batch system ends a job: the brains may get it first."""
    folder = tmp_path / "event"
    words = [*command(folder, 4, faults=("none", "stall")), "--turn", "5m"]
    with marked_run(tmp_path, words, PATIENT) as process:
        stalling = folder / "logs" / "pair-00001-fake_engine-2.log"
        wait_until(lambda: len(of_this_test(tmp_path)) == 7 and stalling.exists())
        time.sleep(0.5)
        for brain in of_this_test(tmp_path):
            if brain.pid != process.pid:
                brain.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + signal.SIGTERM, "")
    assert summary(folder) == []


@pytest.mark.posix("Windows has neither SIGTERM nor SIGHUP")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_during_the_preflight_leaves_nothing(tmp_path: Path, name: str) -> None:
    number = getattr(signal, name)
    words = command(tmp_path / "event", 4, faults=("none", "slow-start 600"))
    with marked_run(tmp_path, words) as process:
        wait_until(lambda: any("slow-start" in (part.info["cmdline"] or ()) for part in of_this_test(tmp_path)))
        process.send_signal(number)
        if number == signal.SIGINT:
            assert process.stdout is not None
            # Sent at once, two might be heard as one.
            assert "press Ctrl-C again" in process.stdout.readline()
            process.send_signal(number)
        out, err = process.communicate(timeout=8)
    assert (process.returncode, err) == (3 if number == signal.SIGINT else 128 + number, "")
    assert "no game was played" in out
    assert of_this_test(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


# -- one run at a time -------------------------------------------------------------------------------------------------


def test_a_second_run_is_refused_and_readers_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    games = 400  # more than are played meanwhile, however long that takes
    with run_with_games(folder, 2, games, SLOW) as process:
        run, brains = command(folder, games, faults=SLOW)[3:], [f"{sys.executable} {FAKE} none"] * 2
        for words in (run, ["resume", str(folder)], ["sprt", *brains, "--out", str(folder)]):
            second = tournament(*words)
            assert second.returncode == 2
            assert second.stderr == f"tournament: {folder} is in use by another run, PID {process.pid}\n"
        for words in (["standings", str(folder)], ["export", str(folder), "psq"]):
            assert tournament(*words).returncode == 0
        assert process.poll() is None, "all this happened while the first run was playing"
        process.kill()
        process.communicate(timeout=60)
    assert len(whole_lines(folder)) == len(summary(folder)) >= 2


# -- a corrected command -----------------------------------------------------------------------------------------------


def test_a_command_that_fails_leaves_nothing_so_the_corrected_one_works(tmp_path: Path) -> None:
    folder, bad = tmp_path / "event", tmp_path / "bad.txt"
    bad.write_text("0,0, 1,1\n0,0, 0,0\n")
    preflight = subprocess.run(
        command(folder, 2, faults=("none", "crash-at-start")), cwd=ROOT, capture_output=True, text=True
    )
    openings = subprocess.run([*command(folder, 2), "--openings", str(bad)], cwd=ROOT, capture_output=True, text=True)
    for failed, sentence in ((preflight, "cannot take part"), (openings, "line 2: stone 2 cannot be placed")):
        assert failed.returncode == 2
        assert sentence in failed.stderr
    assert list(tmp_path.iterdir()) == [bad]
    corrected = run_whole(folder, 2)
    assert (corrected.returncode, corrected.stderr) == (0, "")


# -- the runner's own problems -----------------------------------------------------------------------------------------


def run_limited(tmp_path: Path, words: list[str], limit: str, value: int) -> subprocess.CompletedProcess[str]:
    """The same command on a machine that has less of something; no brain outlives it."""
    limiting = f"import resource; resource.setrlimit(resource.{limit}, ({value}, {value}))\n"
    run = subprocess.run(
        [sys.executable, "-c", limiting + RUN, *words[3:]],
        cwd=ROOT,
        env={**os.environ, OWNER: str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert of_this_test(tmp_path) == []
    return run


def stopped_and_resumed(run: subprocess.CompletedProcess[str], folder: Path, sentence: str, games: int) -> None:
    """The run has stopped with one sentence; the event goes on, and no brain has lost a game by it."""
    assert run.returncode == 3, run.stderr
    assert run.stderr.startswith(f"tournament: {sentence}")
    assert run.stderr.count("\n") == 1
    assert f"to resume: python -m tournament resume {folder}" in run.stdout
    content = (folder / "games.jsonl").read_bytes() if (folder / "games.jsonl").exists() else b""
    assert content == b"" or content.endswith(b"\n")
    played = len(summary(folder))
    assert played < games
    again = resumed(folder, "--concurrency", "8")
    assert (again.returncode, again.stderr) == (0, "")
    assert f"{played} already played" in again.stdout or not played
    assert [row[0] for row in summary(folder)] == list(range(1, games + 1))
    assert {row[3] for row in summary(folder)} == {"FIVE"}


@pytest.mark.posix("Windows has no resource limits")
def test_a_full_disk_stops_the_event(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    words = [*command(folder, 12, faults=("none", "none")), "--concurrency", "1"]
    run = run_limited(tmp_path, words, "RLIMIT_FSIZE", 10_000)
    stopped_and_resumed(run, folder, "game ", 12)
    assert f"cannot be saved in {folder}/games.jsonl: {os.strerror(errno.EFBIG)}" in run.stderr


@pytest.mark.posix("Windows has no resource limits")
@pytest.mark.parametrize("files", [20, 22, 24])
def test_too_many_open_files_stop_the_event(tmp_path: Path, files: int) -> None:
    """There are enough for the preflight, and not for eight games at a time; one brain does not end by itself.

    The other one starts slowly, so that all games have begun before the first of them ends.
    """
    folder = tmp_path / "event"
    words = [*command(folder, 16, faults=("slow-start 0.5", "ignore-end")), "--concurrency", "8"]
    run = run_limited(tmp_path, words, "RLIMIT_NOFILE", files)
    stopped_and_resumed(run, folder, f"the games cannot go on: {os.strerror(errno.EMFILE)}", 16)


@pytest.mark.posix("Windows has other words for it")
def test_a_log_that_cannot_be_opened_stops_the_event(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    log = folder / "logs" / "pair-00002-fake_engine.log"
    log.mkdir(parents=True)
    run = subprocess.run(command(folder, 6, faults=("none", "none")), cwd=ROOT, capture_output=True, text=True)
    log.rmdir()
    stopped_and_resumed(run, folder, f"the games cannot go on: {os.strerror(errno.EISDIR)} ({log})", 6)


@pytest.mark.posix("/dev/full is Linux's")
def test_a_log_that_cannot_be_written_stops_the_event(tmp_path: Path) -> None:
    """A talkative brain, and a disk that is full."""
    folder, script = tmp_path / "event", tmp_path / "chatty.py"
    script.write_text(CHATTY)
    log = folder / "logs" / "pair-00002-chatty.log"
    log.parent.mkdir(parents=True)
    log.symlink_to("/dev/full")
    words = command(folder, 4)
    words[4] = str(script)
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    log.unlink()
    stopped_and_resumed(run, folder, f"the games cannot go on: {os.strerror(errno.ENOSPC)}", 4)


CHATTY = f"""
import builtins, runpy, sys
say = builtins.print
def chat(*words, **options):
    say("MESSAGE", "x" * 3000)
    say(*words, **options)
builtins.print = chat
sys.argv[1:] = ["none"]
runpy.run_path({str(FAKE)!r}, run_name="__main__")
"""


@pytest.mark.posix("/dev/full is Linux's")
def test_output_that_cannot_be_written_stops_the_event(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    with open("/dev/full", "w") as full:
        run = subprocess.run(command(folder, 4), cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert "tournament: the output cannot be written: No space left on device\n" in run.stderr
    assert "Traceback" not in run.stderr
    assert resumed(folder).returncode == 0


# -- more of the same --------------------------------------------------------------------------------------------------


def test_more_games_and_another_concurrency_go_on_with_the_same_event(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    assert run_whole(folder, 4).returncode == 0
    before = (folder / "games.jsonl").read_bytes()
    more = tournament(*command(folder, 8)[3:], "--concurrency", "1")
    assert (more.returncode, more.stderr) == (0, "")
    assert "8 games, 4 already played, 1 at a time" in more.stdout
    assert (folder / "games.jsonl").read_bytes().startswith(before)
    assert run_whole(tmp_path / "whole", 8).returncode == 0
    assert summary(folder) == summary(tmp_path / "whole")
    again = resumed(folder, "--concurrency", "3")
    assert "8 games, 8 already played, 3 at a time" in again.stdout
    fewer = tournament(*command(folder, 4)[3:])
    assert fewer.returncode == 2
    assert "games: 8 before, 4 now" in fewer.stderr


def test_a_changed_configuration_is_refused_with_the_changes(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    assert run_whole(folder, 2).returncode == 0
    before = (folder / "games.jsonl").read_bytes()
    changed = subprocess.run(
        [*command(folder, 4), "--rule", "1", "--turn", "2s"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert changed.returncode == 2
    for line in ("board.rule: 0 before, 1 now", "games: 2 before, 4 now", "turn_ms: 60000 before, 2000 now"):
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
    asked = [event for event in events if event["event"] == "MoveAsked"]
    assert [asked[1]["ply"], asked[1]["last"]] == [asked[0]["ply"] + 1, [0, 0]]
    assert "stones" not in asked[0], "whoever reads on has heard of them"
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
        (["sprt", "{fake}", "{fake}", "--elo0", "5", "--elo1", "1"], "elo0 must be below elo1"),
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
