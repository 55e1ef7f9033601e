"""Logs of what the brains heard and said: which games leave one, compressed ones, cuts, and full disks."""

import errno
import gzip
import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runner import FAKE, OPENINGS, configuration, fake, local_run
from tests.test_runner_commands import ROOT, tournament
from tournament.cli import log_words
from tournament.core.failures import RunnerError
from tournament.core.model import Termination
from tournament.event.store import Store
from tournament.play.log import MAX_HELD, Level, Log, Logging

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r")), max_size=8)


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def readable_part(data: bytes) -> str:
    """What `zcat` prints of a file that was cut."""
    text = b""
    while data:
        unpacker = zlib.decompressobj(wbits=31)
        text += unpacker.decompress(data)
        data = unpacker.unused_data
    return text.decode(errors="replace")


def readable(path: Path) -> str:
    return readable_part(path.read_bytes()) if path.suffix == ".gz" else path.read_text()


def say(log: Log, lines: list[str], has_fault: bool = False) -> None:
    """One game."""
    log.begin_game()
    for line in lines:
        log.write(line)
        log.flush()
    if has_fault:
        log.keep()
    log.end_game()


@pytest.mark.parametrize("is_compressed", [False, True])
@settings(max_examples=40, deadline=None)
@given(games=st.lists(st.tuples(LINES, st.booleans()), max_size=6))
def test_a_log_holds_all_games_or_those_with_a_fault(
    tmp_path_factory: pytest.TempPathFactory, is_compressed: bool, games: list[tuple[list[str], bool]]
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    for level in Level:
        log = Logging(level, is_compressed).log_at(folder / level)
        assert (log is None) == (level is Level.NONE)
        if log is None:
            continue
        for lines, has_fault in games:
            say(log, lines, has_fault)
        log.close()
        kept = [line for lines, has_fault in games if has_fault or level is Level.ALL for line in lines]
        assert log.path.exists() == bool(kept)
        assert not kept or text_of(log.path) == "".join(f"{line}\n" for line in kept)


@pytest.mark.parametrize("is_compressed", [False, True])
@given(cut=st.floats(0, 1))
def test_a_log_can_be_read_as_far_as_it_goes(
    tmp_path_factory: pytest.TempPathFactory, is_compressed: bool, cut: float
) -> None:
    log = Log(tmp_path_factory.mktemp("logs") / "a.log.gz", is_compressed=is_compressed)
    lines = [f"{number} MESSAGE depth {number} score {number * number}" for number in range(1500)]
    say(log, lines)
    log.close()
    data = log.path.read_bytes()
    part = data[: round(cut * len(data))]
    text = readable_part(part) if is_compressed else part.decode()
    whole = "".join(f"{line}\n" for line in lines)
    assert whole.startswith(text)
    assert len(text) >= cut * len(whole) - 40_000


def test_a_compressed_log_is_never_continued(tmp_path: Path) -> None:
    """A killed run left its log without an end; a reader would stop there."""
    logging = Logging(Level.ALL, is_compressed=True)
    paths = []
    for number in range(3):
        log = logging.log_at(tmp_path / "pair-00001-a")
        assert log is not None
        say(log, [f"run {number}"])
        log.close()
        paths.append(log.path)
    assert [path.name for path in paths] == ["pair-00001-a.log.gz", "pair-00001-a~2.log.gz", "pair-00001-a~3.log.gz"]
    assert [text_of(path) for path in paths] == ["run 0\n", "run 1\n", "run 2\n"]


def test_a_flood_is_written_before_it_fills_the_memory(tmp_path: Path) -> None:
    log = Log(tmp_path / "a.log")
    log.begin_game()
    for _ in range(3 * MAX_HELD // 1000):
        log.write("x" * 1000)
    assert log.path.stat().st_size >= 2 * MAX_HELD
    log.close()


# -- events ------------------------------------------------------------------------------------------------------------


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "logs").iterdir())


@pytest.mark.parametrize(
    ("level", "is_compressed", "expected"),
    [
        (Level.ALL, False, [f"pair-0000{i}.log" for i in ("1-none", "1-occupied", "2-fine", "2-none")]),
        (Level.FAULTS, False, ["pair-00001-none.log", "pair-00001-occupied.log"]),
        (Level.FAULTS, True, ["pair-00001-none.log.gz", "pair-00001-occupied.log.gz"]),
        (Level.NONE, False, []),
    ],
)  # fmt: skip
def test_an_event_keeps_the_logs_that_are_wanted(
    tmp_path: Path, level: Level, is_compressed: bool, expected: list[str]
) -> None:
    brains = [fake("none"), fake("occupied"), {**fake("none"), "name": "fine"}]
    config = configuration(brains, mode="gauntlet")
    store = Store(tmp_path, Logging(level, is_compressed))
    local_run(config, store, 1, []).play("")
    assert names_in(tmp_path) == expected
    for name in expected:
        assert text_of(tmp_path / "logs" / name).count("< START 10") == 2
    for record in store.load():
        if record.termination is Termination.ILLEGAL:
            told = [line for line in record.detail.splitlines() if line.startswith("full log: ")]
            assert told == [f"full log: {tmp_path / 'logs' / expected[1]}"] if expected else told == []


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("failing_start", [2, 3])
def test_of_a_pair_only_the_game_with_a_fault_is_kept(tmp_path: Path, failing_start: int, is_compressed: bool) -> None:
    """The first start is that of the preflight; the second or the third process fails in play."""
    script, starts = tmp_path / "brain.py", tmp_path / "starts"
    script.write_text(
        f"import runpy, sys\n"
        f"with open({str(starts)!r}, 'a') as file: file.write('x'); number = file.tell()\n"
        f"sys.argv = ['x', 'occupied' if number == {failing_start} else 'none']\n"
        f"runpy.run_path({str(FAKE)!r}, run_name='__main__')\n"
    )
    once = {"name": "once", "command": [sys.executable, str(script)], "keep_alive": False}
    store = Store(tmp_path / "event", Logging(Level.FAULTS, is_compressed))
    local_run(configuration([once, fake("none")]), store, 1, []).play("")
    assert sorted(record.termination.name for record in store.load()) == ["FIVE", "ILLEGAL"]
    ending = ".log.gz" if is_compressed else ".log"
    assert names_in(store.folder) == [f"pair-00001-none{ending}", f"pair-00001-once{ending}"]
    for name in names_in(store.folder):
        text = text_of(store.logs / name)
        assert text.count("< START 10") == 1
        assert len(text.splitlines()) > 5


def test_options_on_the_command_line_and_on_resume(tmp_path: Path) -> None:
    brain = f"{sys.executable} {FAKE}"
    words = ["run", f"{brain} none", f"{brain} occupied", "--size", "10", "--openings", str(OPENINGS), "--plain"]
    words += ["--out", str(tmp_path / "event")]
    first = tournament(*words, "--log", "none")
    assert (first.returncode, names_in(tmp_path / "event")) == (0, [])
    more = tournament(*words, "--games", "4", "--log", "faults", "--log-compress")
    assert (more.returncode, more.stderr) == (0, "")
    assert names_in(tmp_path / "event") == ["pair-00002-fake_engine-2.log.gz", "pair-00002-fake_engine.log.gz"]
    refused = tournament(*words, "--log", "some")
    assert refused.returncode == 2
    assert "argument --log: invalid choice: 'some' (choose from " in refused.stderr
    assert "Level" not in refused.stderr, "words, not Python"


def test_the_command_to_resume_keeps_the_logs_as_they_are() -> None:
    assert log_words(Logging()) == []
    assert log_words(Logging(Level.FAULTS, is_compressed=True)) == ["--log", "faults", "--log-compress"]


# -- kills and full disks ----------------------------------------------------------------------------------------------


@pytest.mark.posix("kill -9 is a signal")
@pytest.mark.parametrize("options", [[], ["--log-compress"]])
def test_a_killed_run_leaves_logs_that_can_be_read(tmp_path: Path, options: list[str]) -> None:
    """The brain talks, then stalls; the logs hold all but the last 8 KB, and the resumed event goes on with them."""
    script = tmp_path / "talker.py"
    script.write_text(TALKER)
    folder = tmp_path / "event"
    words = [sys.executable, "-m", "tournament", "run", str(script), str(script), "--turn", "60s", "--plain"]
    with subprocess.Popen([*words, "--out", str(folder), *options], cwd=ROOT, stdout=subprocess.DEVNULL) as running:
        log = folder / "logs" / f"pair-00001-talker.log{'.gz' if options else ''}"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (log.exists() and len(readable(log)) > 9000):
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
    text = readable(log)
    assert text.count("MESSAGE") >= 90
    assert "< START 15" in text
    again = tournament("resume", str(folder), "--plain", "--log", "all", *options, "--concurrency", "1")
    assert again.returncode == 0, again.stderr
    assert text_of(log.with_name("pair-00001-talker~2.log.gz") if options else log).count("< END") == 1


TALKER = f"""
import os, runpy, sys, time
sys.argv[1:] = ["none"]
marker = os.path.join(os.path.dirname(__file__), "stalled-once")
class Out:
    def write(self, text):
        if text[:1].isdigit():
            sys.__stdout__.write(("MESSAGE " + "x" * 200 + "\\n") * 100)
        return sys.__stdout__.write(text)
    def flush(self):
        sys.__stdout__.flush()
class In:
    turns = 0
    def __iter__(self):
        for line in sys.__stdin__:
            self.turns += line.startswith("TURN")
            if self.turns == 2 and not os.path.exists(marker):
                open(marker, "w").close()
                time.sleep(600)
            yield line
sys.stdout, sys.stdin = Out(), In()
runpy.run_path({str(FAKE)!r}, run_name="__main__")
"""


@pytest.mark.posix("/dev/full is Linux's")
@pytest.mark.parametrize("is_compressed", [False, True])
def test_a_small_log_on_a_full_disk_stops_the_event(tmp_path: Path, is_compressed: bool) -> None:
    """Less than a buffer: nothing may be lost silently when the log is closed, and no game is charged to a brain."""
    store = Store(tmp_path, Logging(Level.ALL))
    store.logs.mkdir(parents=True)
    (store.logs / "pair-00001-none.log").symlink_to("/dev/full")
    with pytest.raises(RunnerError, match=f"^the games cannot go on: {os.strerror(errno.ENOSPC)} .*-none.log"):
        local_run(configuration([fake("none"), fake("occupied")]), store, 1, []).play("")
    assert store.load() == []
    log = Log(Path("/dev/full"), is_compressed=is_compressed)
    log.begin_game()
    log.write("a line")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        log.end_game()
    log.close()
