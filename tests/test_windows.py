"""The Windows executable that `bash .ci/windows` builds, as managers use it, and the wheel; under Wine."""

import os
import queue
import shutil
import statistics
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
import pytest

from pbrain.library import wheels
from tests.brain_process import MOVE
from tests.machine import Witness

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "dist" / "windows"
EXECUTABLE, ARCHIVE = FOLDER / "pbrain-kaname64.exe", FOLDER / "kaname.zip"
PREFIX = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kaname-wine" / "prefix"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "DISPLAY"},
    "WINEPREFIX": str(PREFIX),
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=",
    "LC_ALL": "C.UTF-8",  # how Wine reads the letters of paths
}
CHECKED = f"wine {EXECUTABLE}"  # what the compliance check starts
PATIENCE_S = 30.0
MAX_BYTES = 8_000_000  # what Gomocup takes without asking
STARTS_WITHIN_MS = 500
STARTS_OF_CONTROL = 4  # a start takes 2.5 to 4 times as long as that of a program that does nothing, by the load
LAUNCH_OF_CONTROL = 1.2  # of which the end is a part; with its own start not counted, a brain's would be 2.5
ENDS_WITHIN_MS, KILLED_AFTER_MS = 300, 500  # our bound, and when Judge loses patience
TURN_MS, TOLERANCE_MS = 1000, 1000  # the second is what Judge grants
AT_ONCE_MS = 100  # where the start alone has taken more than both
MEMORY_LIMIT = 367_001_600
STARTS, ENDS, FIRST_MOVES = 20, 8, 5
STONES = ["7,7,1", "8,8,2", "9,5,1", "6,8,2", "9,8,1", "6,7,2"]

# As Piskvork treats the side that is not to move: it suspends the process that it started, and there the game may end.
PISKVORK = """
import ctypes, subprocess, sys, time
pipe = subprocess.PIPE
brain = subprocess.Popen([sys.argv[1]], stdin=pipe, stdout=pipe, bufsize=0)
brain.stdin.write(b"START 15\\r\\n")
assert brain.stdout.readline().strip() == b"OK"
assert ctypes.windll.ntdll.NtSuspendProcess(ctypes.c_void_p(int(brain._handle))) == 0
began = time.perf_counter()
brain.stdin.write(b"END\\r\\n")
try:
    brain.wait(5)
finally:
    brain.kill()
print(1000 * (time.perf_counter() - began))
"""

pytestmark = [
    pytest.mark.windows,
    pytest.mark.skipif(shutil.which("wine") is None, reason="wine is not installed"),
    pytest.mark.skipif(not PREFIX.is_dir(), reason="bash .ci/windows has not made its Wine prefix"),
    pytest.mark.skipif(not EXECUTABLE.is_file(), reason="bash .ci/windows has not built the executable"),
]


def processes_of(executable: Path) -> list[psutil.Process]:
    """Those that run this executable; Wine shows its path as Windows writes it."""
    found = []
    for process in psutil.process_iter():
        try:
            line = process.cmdline()
        except psutil.Error:  # gone meanwhile
            continue
        if line and line[0].replace("\\", "/").endswith(str(executable)):
            found.append(process)
    return found


class WindowsBrain:
    """A running brain; the end of a `with` block ends it, and nothing may have been said on stderr.

    All three streams are pipes: under Wine, Python does not start if one of them is a regular file.
    """

    launcher: Sequence[str] = ("wine",)

    def __init__(self, executable: Path = EXECUTABLE, folder: Path = ROOT) -> None:
        self._others = set(processes_of(executable))
        self._executable = executable
        self.started_at = time.perf_counter()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [*self.launcher, str(executable)],
            cwd=folder,
            env=ENVIRONMENT,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
        )
        self._lines: queue.Queue[tuple[str, float]] = queue.Queue()
        self.messages: list[tuple[str, float]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put((line.decode("ascii").rstrip("\r\n"), time.perf_counter()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join(PATIENCE_S)
            self._process.stdout.close()
            with self._process.stderr:
                os.set_blocking(self._process.stderr.fileno(), False)  # a brain that hangs would hold it open
                errors = self._process.stderr.read()
        assert not errors

    def send(self, *lines: str) -> float:
        """Write lines as Windows managers end them; the time is that before the first."""
        assert self._process.stdin is not None
        at = time.perf_counter()
        self._process.stdin.write("".join(line + "\r\n" for line in lines).encode("ascii"))
        return at

    def answer(self) -> tuple[str, float]:
        """The next line that is no message, and when it was read; messages are kept."""
        while True:
            text, at = self._lines.get(timeout=PATIENCE_S)
            if not text.startswith("MESSAGE "):
                return text, at
            self.messages.append((text, at))

    def start(self, size: int, *settings: str) -> float:
        """A new game; settings are keys and values of INFO. When OK was read."""
        self.send(f"START {size}", *(f"INFO {setting}" for setting in settings))
        text, at = self.answer()
        assert text == "OK"
        return at

    def ask(self, *lines: str) -> str:
        """The answer to a question, which must be a move."""
        self.send(*lines)
        text, _ = self.answer()
        assert MOVE.fullmatch(text), text
        return text

    def end(self, way: str = "END") -> float:
        """Milliseconds from END, or from the end of input, until the first process is gone."""
        if way == "end of input":
            assert self._process.stdin is not None
            sent_at = time.perf_counter()
            self._process.stdin.close()
        else:
            sent_at = self.send("END")
        assert self._process.wait(PATIENCE_S) == 0
        return 1000 * (time.perf_counter() - sent_at)

    def processes(self) -> list[psutil.Process]:
        """Both, the one that unpacks and the brain."""
        return [process for process in processes_of(self._executable) if process not in self._others]

    def kill(self) -> None:
        """The first process alone, as managers do."""
        self._process.kill()
        self._process.wait()


def windows_python() -> Path:
    """The folder of the embeddable Python that the executable was made with; it has what the runner needs, too."""
    return max(PREFIX.parent.glob("python-with-*"), key=lambda path: path.stat().st_mtime)  # older ones may be left


def unpacked_folders() -> list[Path]:
    """What one-file executables have unpacked into the prefix's TEMP folders."""
    # Not by searching all folders: one that is just being removed would be an error.
    return [path for path in (PREFIX / "drive_c").glob("users/*/Temp/_MEI*") if path.is_dir()]


def remove_unpacked_folders() -> None:
    """Nothing else is unpacked when a test begins, whatever an attempt that failed has left behind.

    A brain that the test starts would remove it, sooner or later.
    """
    for folder in unpacked_folders():
        shutil.rmtree(folder)


def wait_until(is_so: Callable[[], bool], within_s: float, what: str) -> None:
    deadline = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


@pytest.fixture(scope="module", autouse=True)
def wine() -> Iterator[None]:
    """Wine's background processes, started before anything is timed, with none of the pipes that brains are given."""
    control_ms()
    command = ["wine", "cmd"]  # while one program runs, so do they
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing) as idle:
        try:
            yield
        finally:
            idle.communicate(b"exit\r\n", timeout=PATIENCE_S)


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[[str, Sequence[float]], None]:
    """Prints what was measured, whether the test passes or not."""

    def print_summary(what: str, taken_ms: Sequence[float]) -> None:
        with capsys.disabled():
            print(f"\n{what}: median {statistics.median(taken_ms):.0f}, largest {max(taken_ms):.0f} ms")

    return print_summary


def control_ms() -> float:
    """What the start and end of a program that does nothing takes."""
    nothing, begun = subprocess.DEVNULL, time.perf_counter()
    command = ["wine", "cmd", "/c", "exit"]
    subprocess.run(command, env=ENVIRONMENT, stdin=nothing, stdout=nothing, stderr=nothing)
    return 1000 * (time.perf_counter() - begun)


def test_small_enough_for_gomocup() -> None:
    assert EXECUTABLE.stat().st_size <= MAX_BYTES
    assert ARCHIVE.stat().st_size <= MAX_BYTES
    assert zipfile.ZipFile(ARCHIVE).namelist() == ["pbrain-kaname64.exe", "readme.txt", "license.txt"]


@pytest.mark.timing
def test_starts_quickly(show: Callable[[str, Sequence[float]], None]) -> None:
    """From the process to OK; where Wine itself is slow at the time, a control that takes turns with it tells."""
    start_ms, nothing_ms = [], []
    for _ in range(STARTS):
        nothing_ms.append(control_ms())
        with WindowsBrain() as brain:
            start_ms.append(1000 * (brain.start(20) - brain.started_at))
            brain.send("ABOUT")
            assert brain.answer()[0].startswith('name="Kaname", version="')
    show("from the start to OK under Wine", start_ms)
    show("a program that does nothing under Wine", nothing_ms)
    control = statistics.median(nothing_ms)
    assert statistics.median(start_ms) <= max(STARTS_WITHIN_MS, STARTS_OF_CONTROL * control)


@pytest.mark.timing
@pytest.mark.parametrize("way", ["END", "END in a search", "end of input"])
def test_ends_quickly_and_leaves_nothing_behind(way: str, show: Callable[[str, Sequence[float]], None]) -> None:
    remove_unpacked_folders()
    end_ms = []
    for _ in range(ENDS):
        with WindowsBrain() as brain:
            brain.start(15, "timeout_turn 60000")
            if way == "END in a search":
                brain.send("BOARD", *STONES, "DONE")
                time.sleep(0.2)
            end_ms.append(brain.end(way))
            assert not brain.processes()
    show(f"{way}, until it has ended under Wine", end_ms)
    assert not unpacked_folders()
    assert statistics.median(end_ms) <= ENDS_WITHIN_MS
    assert max(end_ms) <= KILLED_AFTER_MS


@pytest.mark.timing
def test_ends_though_its_first_process_is_suspended(show: Callable[[str, Sequence[float]], None]) -> None:
    remove_unpacked_folders()
    run = subprocess.run(
        ["wine", str(windows_python() / "python.exe"), "-c", PISKVORK, str(EXECUTABLE)],
        env=ENVIRONMENT,
        input="",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    show("END, the first process being suspended, until it has ended under Wine", [float(run.stdout)])
    assert float(run.stdout) <= KILLED_AFTER_MS
    assert not unpacked_folders()


def test_first_move_as_judge_asks_for_it(show: Callable[[str, Sequence[float]], None], witness: Witness) -> None:
    """Everything is sent at once, and the turn's clock runs from the start of the process.

    What passes until Wine has made the process no program can know of; how much that was tells the time in a
    message, compared with when it came. It may not be more than a whole start of a program that does nothing.
    """
    settings = [
        f"timeout_turn {TURN_MS}",
        "timeout_match 180000",
        f"max_memory {MEMORY_LIMIT}",
        "game_type 3",
        "rule 0",
    ]
    taken_ms, thought_ms, launch_ms, nothing_ms = [], [], [], []
    for _ in range(FIRST_MOVES):
        nothing_ms.append(control_ms())
        launch_ms.append(0.0)
        with WindowsBrain() as brain:
            brain.send(
                "START 20", *(f"INFO {setting}" for setting in (*settings, r"folder C:\data", "time_left 180000"))
            )
            brain.send("BOARD", *STONES, "DONE")
            ok, started_at = brain.answer()
            text, at = brain.answer()
            brain.end()
        assert ok == "OK"
        thought_ms.append(1000 * (at - started_at))
        taken_ms.append(witness.net_ms(brain.started_at, 1000 * (at - brain.started_at)))
        for said, said_at in brain.messages[:1]:  # there is none if the start took the whole turn
            known_s = float(said.split(" tm ")[1].split()[0])
            launch_ms[-1] = 1000 * (said_at - brain.started_at - known_s)
        found = MOVE.fullmatch(text)
        assert found, text
        assert max(int(found[1]), int(found[2])) < 20
        assert not any(stone.startswith(f"{text},") for stone in STONES)
    show(f"a first turn of {TURN_MS} ms under Wine, from the start", taken_ms)
    show("before the process is made", launch_ms)
    show("a program that does nothing", nothing_ms)
    net_ms = [taken - launch for taken, launch in zip(taken_ms, launch_ms, strict=True)]
    assert statistics.median(launch_ms) <= LAUNCH_OF_CONTROL * statistics.median(nothing_ms)
    # A start that has taken the whole turn leaves nothing but an answer at once; how long it takes is another test's.
    in_thought = [net for net, ms in zip(net_ms, thought_ms, strict=True) if ms > AT_ONCE_MS]
    if STARTS_OF_CONTROL * statistics.median(nothing_ms) <= TURN_MS:
        assert in_thought, "Wine starts programs quickly enough to leave time for thought"
    assert not in_thought or statistics.median(in_thought) <= TURN_MS
    assert all(net <= TURN_MS + TOLERANCE_MS or ms <= AT_ONCE_MS for net, ms in zip(net_ms, thought_ms, strict=True))


def test_a_hard_kill_leaves_no_process_and_the_next_start_tidies_up() -> None:
    remove_unpacked_folders()
    with WindowsBrain() as brain:
        brain.start(15)
        brain.kill()
        left = brain.processes()
        assert len(left) == 1, "the brain outlives the process that unpacked it, until its input ends"
        assert brain._process.stdin is not None
        brain._process.stdin.close()
        wait_until(lambda: not brain.processes(), 1.0, "a process is left")
    assert len(unpacked_folders()) == 1, "nobody could remove the folder"
    with WindowsBrain() as brain:
        brain.start(15)
        wait_until(lambda: len(unpacked_folders()) == 1, 5.0, "the stale folder is still there")
        brain.end()
    assert not unpacked_folders()


def test_two_at_once_leave_each_other_alone() -> None:
    remove_unpacked_folders()
    with WindowsBrain() as first, WindowsBrain() as second:
        for brain in (first, second):
            brain.start(15, "timeout_turn 100")
        for _ in range(3):
            for brain in (first, second):
                brain.ask("BOARD", *STONES, "DONE")
        assert len(unpacked_folders()) == 2
        first.end()
        second.ask("BOARD", *STONES, "DONE")
        second.end()
    assert not unpacked_folders()


def test_a_strange_path_and_an_unwritable_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a föld er"
    folder.mkdir()
    executable = Path(shutil.copy(EXECUTABLE, folder))
    folder.chmod(0o555)
    with WindowsBrain(executable, folder) as brain:
        brain.start(20, "timeout_turn 50")
        brain.ask("BEGIN")
        brain.end()
    assert list(folder.iterdir()) == [executable]


def test_memory_of_both_processes(capsys: pytest.CaptureFixture[str]) -> None:
    with WindowsBrain() as brain:
        brain.start(20, f"max_memory {MEMORY_LIMIT}", "timeout_turn 300")
        peak = 0
        for _ in range(5):
            brain.ask("BOARD", *STONES, "DONE")
            processes = brain.processes()
            assert len(processes) == 2
            peak = max(peak, sum(process.memory_full_info().uss for process in processes))
        brain.end()
    with capsys.disabled():
        print(f"\npeak USS of both processes under Wine: {peak >> 20} MiB")
    assert peak < MEMORY_LIMIT


@pytest.mark.timing
def test_the_compliance_check_passes() -> None:
    command = [sys.executable, "-m", "tournament", "check", CHECKED]
    run = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=4 * PATIENCE_S)
    assert run.returncode == 0, run.stdout + run.stderr


def signature(*command: str, folder: Path = ROOT) -> str:
    run = subprocess.run(
        [*command, "bench"],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=4 * PATIENCE_S,
    )
    return run.stdout.split()[-1]


def test_signature_is_that_of_linux() -> None:
    assert signature("wine", str(EXECUTABLE)) == signature(sys.executable, "-m", "pbrain")


def test_the_wheel_runs_in_an_empty_environment(tmp_path: Path) -> None:
    """In a Python with nothing but the standard library; pip, which is Linux's, takes the wheel for one of Windows."""
    python = tmp_path / "python"
    shutil.copytree(windows_python(), python, ignore=shutil.ignore_patterns("site-packages"))
    wheel = wheels.build_wheel("windows-x86_64", tmp_path)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--only-binary=:all:"]
    system = ["--platform", "win_amd64", "--python-version", "3.11"]
    packages = python / "Lib" / "site-packages"
    subprocess.run([*pip, *system, "--target", str(packages), str(wheel)], check=True)
    assert {path.name.split("-")[0] for path in packages.iterdir()} == {"pbrain", "tournament", "kaname"}
    brain = ["wine", str(python / "python.exe"), "-m", "pbrain"]
    run = subprocess.run(
        brain, cwd=tmp_path, env=ENVIRONMENT, input="START 15\r\nBEGIN\r\nEND\r\n", capture_output=True, text=True
    )
    assert (run.stdout.splitlines(), run.stderr) == (["OK", "7,7"], "")
    assert signature(*brain, folder=tmp_path) == signature(sys.executable, "-m", "pbrain")
