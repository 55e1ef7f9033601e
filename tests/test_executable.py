"""The one file that managers load, as a process: what is tested of the package is tested of the executable too."""

import os
import signal
import stat
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from pbrain import bench
from pbrain.brain import unpacked
from pbrain.brain.processes import is_running
from pbrain.brain.unpacked import MARK, UNMARKED_FOR_S, owner_text, remove, stale_folders, tidy_up
from pbrain.library.native import Library
from tests.brain_process import BrainProcess
from tests.conftest import BuiltOnce
from tests.machine import Witness

ROOT = Path(__file__).resolve().parents[1]
MAX_BYTES = 8_000_000  # what Gomocup takes without asking
CHECKED = "{}"  # what the compliance check starts; the executable's path goes in there
BOARD = ["BOARD", "7,7,1", "8,8,2", "9,5,1", "6,8,2", "9,8,1", "6,7,2", "DONE"]

pytestmark = pytest.mark.posix("Wine runs the Windows executable's own tests: -m windows")


@pytest.fixture(scope="session")
def dist(library: Library, built_once: BuiltOnce, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """Built once, in a folder whose name has a space and letters that are no ASCII."""

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "PyInstaller", "--log-level", "ERROR", "--distpath", str(folder)]
        work = tmp_path_factory.mktemp("work")
        subprocess.run(
            [*command, "--workpath", str(work), "pyinstaller.spec"], cwd=ROOT, check=True, capture_output=True
        )

    return built_once("a föld er", build)


@pytest.fixture(scope="session")
def executable(dist: Path) -> Path:
    return dist / "pbrain-kaname64"


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A TEMP of its own, so that what is left there is seen."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def wait_for_empty(folder: Path, within_s: float = 2.0) -> float:
    begun = time.perf_counter()
    while list(folder.iterdir()):
        assert time.perf_counter() - begun < within_s, list(folder.iterdir())
        time.sleep(0.005)
    return time.perf_counter() - begun


def test_sizes_and_the_zip(dist: Path, executable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = dist / "kaname.zip"
    with capsys.disabled():
        print(f"\nexecutable {executable.stat().st_size:,} bytes, zip {archive.stat().st_size:,} bytes")
    assert executable.stat().st_size < MAX_BYTES
    assert archive.stat().st_size < MAX_BYTES
    assert zipfile.ZipFile(archive).namelist() == ["pbrain-kaname64", "readme.txt", "license.txt"]
    assert executable.stat().st_mode & stat.S_IXUSR


def test_the_signature_is_the_packages(executable: Path, library: Library) -> None:
    run = subprocess.run([executable, "bench"], capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == bench.run(library).signature
    assert run.stderr == ""


def start_times(executable: Path, temp: Path, tries: int) -> list[float]:
    times = []
    for _ in range(tries):
        with BrainProcess([str(executable)]) as brain:
            brain.send("START 20")
            times.append(brain.read_line().at - brain.started_at)
    wait_for_empty(temp)
    return times


@pytest.mark.timing
def test_starts_quickly(executable: Path, temp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = start_times(executable, temp, 8)
    with capsys.disabled():
        print(f"\nstart to OK: median {1000 * statistics.median(times):.0f} ms, largest {1000 * max(times):.0f} ms")
    assert statistics.median(times) <= 0.25


@pytest.mark.slow
@pytest.mark.timing
def test_starts_quickly_in_full(executable: Path, temp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = start_times(executable, temp, 40)
    with capsys.disabled():
        print(f"\nstart to OK: median {1000 * statistics.median(times):.0f} ms, largest {1000 * max(times):.0f} ms")
    assert statistics.median(times) <= 0.25


def test_the_first_move_of_a_judges_dialogue_is_inside_its_turn(executable: Path, temp: Path, witness: Witness) -> None:
    """Nothing is waited for, and the clock starts with the process."""
    with BrainProcess([str(executable)], newline="\r\n") as brain:
        brain.send("START 15", "INFO timeout_turn 1000", "INFO timeout_match 180000", "INFO max_memory 367001600")
        brain.send("INFO game_type 3", "INFO rule 0", f"INFO folder {temp}", *BOARD)
        assert brain.read_line().text == "OK"
        answer = brain.answer(brain.started_at)
        assert witness.net_ms(answer.asked_at, answer.taken_ms) < 1000
        assert "," in answer.text


@pytest.mark.parametrize("ending", ["END", "end of input", "END in a search", "SIGTERM", "Ctrl-C"])
def test_ends_quickly_and_leaves_nothing_behind(
    executable: Path, temp: Path, ending: str, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    with BrainProcess([str(executable)]) as brain:
        brain.start(15, "timeout_turn 60000")
        if ending == "END in a search":
            brain.send(*BOARD)
            time.sleep(0.2)
        begun = time.perf_counter()
        if ending == "end of input":
            brain.close_input()
        elif ending == "SIGTERM":
            os.kill(brain._process.pid, signal.SIGTERM)
        elif ending == "Ctrl-C":
            for process in (brain._system, *brain._system.children()):
                process.send_signal(signal.SIGINT)
        else:
            brain.send("END")
        brain._process.wait(5)
        taken_ms = 1000 * (time.perf_counter() - begun)
        cleaned = wait_for_empty(temp)
    with capsys.disabled():
        print(f"\n{ending}: gone after {taken_ms:.0f} ms, TEMP clean {1000 * cleaned:.0f} ms later")
    assert witness.net_ms(begun, taken_ms) <= 300


def test_a_hard_kill_leaves_no_process_and_the_next_start_tidies_up(executable: Path, temp: Path) -> None:
    with BrainProcess([str(executable)]) as brain:
        brain.start(15)
        deadline = time.monotonic() + 30
        while not list(temp.glob(f"_MEI*/{MARK}")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        children = psutil.Process(brain._process.pid).children(recursive=True)
        brain._process.kill()
        brain.close_input()
        deadline = time.monotonic() + 30
        while any(is_running(child.pid) for child in children):
            assert time.monotonic() < deadline, "a process is left"
            time.sleep(0.005)
    assert len(list(temp.iterdir())) == 1, "the unpacked folder is left, as nobody could remove it"
    with BrainProcess([str(executable)]) as brain:
        brain.start(15)
        deadline = time.monotonic() + 30
        while len(list(temp.iterdir())) > 1:
            assert time.monotonic() < deadline, "the stale folder is still there"
            time.sleep(0.01)
    wait_for_empty(temp)


def test_two_at_once_leave_each_other_alone(executable: Path, temp: Path) -> None:
    with BrainProcess([str(executable)]) as first, BrainProcess([str(executable)]) as second:
        for brain in (first, second):
            brain.start(15, "timeout_turn 100")
        for _ in range(3):
            for brain in (first, second):
                assert "," in brain.ask(*BOARD).text
        assert len(list(temp.iterdir())) == 2
    wait_for_empty(temp)


def test_an_unwritable_folder_and_a_read_only_home(
    executable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "read only"
    folder.mkdir()
    folder.chmod(0o555)
    monkeypatch.setenv("HOME", str(folder))
    with BrainProcess([str(executable)], folder=folder) as brain:
        brain.start(20, "timeout_turn 50")
        assert "," in brain.ask("BEGIN").text
    assert list(folder.iterdir()) == []


def test_suspended_while_the_opponent_thinks(executable: Path, witness: Witness) -> None:
    """Only the first of its two processes is suspended, as GomocupJudge does."""
    with BrainProcess([str(executable)]) as brain:
        brain.start(15, "timeout_turn 300")
        taken = []
        for move in ("TURN 7,7", "TURN 0,0", "TURN 14,14", "TURN 14,0", "TURN 0,14"):
            brain.suspend()
            time.sleep(0.5)
            brain.resume()
            answer = brain.ask(move)
            taken.append(witness.net_ms(answer.asked_at, answer.taken_ms))
        assert max(taken) < 300


def test_memory_of_both_processes(executable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with BrainProcess([str(executable)]) as brain:
        brain.start(20, "max_memory 367001600", "timeout_turn 300")
        peak = 0
        for _ in range(5):
            brain.ask(*BOARD)
            processes = [brain._system, *brain._system.children(recursive=True)]
            peak = max(peak, sum(process.memory_full_info().uss for process in processes))
    with capsys.disabled():
        print(f"\npeak USS of both processes: {peak >> 20} MiB")
    assert peak < 350 << 20


@pytest.mark.timing
def test_the_compliance_check_passes(executable: Path) -> None:
    command = [sys.executable, "-m", "tournament", "check", CHECKED.format(executable)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


# -- folders that were left behind -------------------------------------------------------------------------------------

FILES = (
    "base_library.zip",
    "libpython3.so",
    "lib-dynload/_ctypes.so",
    "pbrain/engine/values/worth.tsv",
    "pbrain/library/built/kaname-linux-x86_64-v3.so",
)


def unpack(folder: Path, marker: str | None, is_old: bool = False) -> Path:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    if marker is not None:
        (folder / MARK).write_text(marker)
    if is_old:
        age(folder)
    return folder


def age(folder: Path) -> None:
    long_ago = time.time() - UNMARKED_FOR_S - 60
    os.utime(folder, (long_ago, long_ago))


def ended_pid() -> int:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not is_running(ended.pid)
    return ended.pid


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return unpack(tmp_path / "_MEIown", owner_text(os.getpid()))


def test_only_folders_of_dead_brains_are_stale(own: Path, tmp_path: Path) -> None:
    living, dead = owner_text(os.getppid()), f"{ended_pid()} 1"
    assert is_running(os.getppid())
    stale = [unpack(tmp_path / "_MEIdead", dead), unpack(tmp_path / "_MEIhalf_old", "", is_old=True)]
    for name, marker in (("_MEIlive", living), ("other", dead), ("_MEIhalf_new", "")):
        unpack(tmp_path / name, marker)
    (tmp_path / "_MEIforeign").mkdir()
    age(tmp_path / "_MEIforeign")
    assert stale_folders(own) == stale


def test_the_marker_of_a_reused_pid_is_stale(own: Path, tmp_path: Path) -> None:
    """Wine and Windows reuse PIDs soon: for this process, or for one that started after the marker was written."""
    later = unpack(tmp_path / "_MEIlater", f"{os.getppid()} 1")
    ours = unpack(tmp_path / "_MEIours", owner_text(os.getpid()))
    assert stale_folders(own) == [later, ours]


def test_a_folder_that_holds_nothing_but_its_marker_is_stale(own: Path, tmp_path: Path) -> None:
    (tmp_path / "_MEIalone").mkdir()
    (tmp_path / "_MEIalone" / MARK).write_text(f"{ended_pid()} 1")
    assert stale_folders(own) == [tmp_path / "_MEIalone"]


def test_the_marker_sorts_last() -> None:
    """Windows removes files in this order, so a removal that is cut short leaves the marker."""
    names = [Path(name).parts[0].upper() for name in FILES] + ["VCRUNTIME140.DLL", "_CTYPES.PYD", "ZLIB.PYD"]
    assert max([*names, MARK.upper()]) == MARK.upper()


@pytest.mark.parametrize("kept", [FILES[3], FILES[4]])
def test_any_file_of_ours_marks_a_folder_that_was_partly_removed(own: Path, tmp_path: Path, kept: str) -> None:
    folder = unpack(tmp_path / "_MEIpartly", None)
    for name in FILES:
        if name != kept:
            (folder / name).unlink()
    assert stale_folders(own) == []
    age(folder)
    assert stale_folders(own) == [folder]


class KilledError(BaseException):
    """The end of the process in the middle of a removal."""


@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize("removals", range(len(FILES) + 9))
def test_a_removal_that_is_cut_short_is_finished_by_the_next(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removals: int, is_marked: bool
) -> None:
    folder = unpack(tmp_path / "_MEIdead", f"{ended_pid()} 1" if is_marked else None, is_old=True)
    left = removals
    with monkeypatch.context() as patch:
        for name in ("unlink", "rmdir"):
            real = getattr(os, name)

            def limited(*arguments: object, real: Callable[..., None] = real, **options: object) -> None:
                nonlocal left
                if left == 0:
                    raise KilledError
                left -= 1
                real(*arguments, **options)

            patch.setattr(os, name, limited)
        with suppress(KilledError):
            tidy_up(own)
    left_behind = [path for path in tmp_path.iterdir() if path != own]
    assert stale_folders(own) == left_behind
    assert all(path.name.startswith(folder.name) for path in left_behind)
    tidy_up(own)
    assert sorted(tmp_path.iterdir()) == [own]


def test_what_cannot_be_removed_is_left_to_the_next_start(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows, a file in use; the folders after it are still removed."""
    locked, other = (unpack(tmp_path / name, f"{ended_pid()} 1") for name in ("_MEIdead1", "_MEIdead2"))

    def refusing(folder: Path) -> None:
        if folder == locked:
            raise PermissionError("in use")
        remove(folder)

    monkeypatch.setattr(unpacked, "remove", refusing)
    tidy_up(own)
    assert not other.exists()
    assert stale_folders(own) == [locked]
