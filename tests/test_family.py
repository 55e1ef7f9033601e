"""The processes of a brain: all of them are counted and killed, and nobody else's; nothing waits for a held pipe."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner import FAKE
from tournament.core.model import Board, BrainSpec
from tournament.play import family, process
from tournament.play.cpus import starting_on, usable_cpus
from tournament.play.driver import Driver, FaultError
from tournament.play.family import MARK, Family, Member, ProcessTable, Row, members_of
from tournament.play.log import Log
from tournament.play.process import BrainProcess, ExitedError, exit_text
from tournament.play.sampler import Sampler

posix = pytest.mark.posix("sessions, signals and pipes that can be polled")

BOARD = Board(10, 10, 0)
PATIENCE_S = 10.0
KILLED = "exit code 1" if sys.platform == "win32" else "killed by SIGKILL"

# A one-file executable: its first process starts the brain and waits for it. It never ends by itself: if the brain is
# killed first, it must still be killed too.
ONE_FILE = "import subprocess, sys, time; subprocess.run([sys.executable, *sys.argv[1:]]); time.sleep(600)"
# As a Windows program under Wine: the process that thinks is in a session of its own and has another parent.
ELSEWHERE = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    middle = os.getpid()
    if os.fork() == 0:
        hoard = b"x" * (60 << 20)
        while os.getppid() == middle:
            time.sleep(0.001)
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(600)
"""
# The same, but nothing tells whose it is: it has neither the parent nor the environment any more when anybody looks.
STRANGER = """
import os, sys
told, telling = os.pipe()  # the start of another program closes it
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
    os._exit(0)
os.close(telling)
os.wait()
os.read(told, 1)
"""


def brain(*command: str) -> BrainSpec:
    return BrainSpec("brain", (sys.executable, *command))


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def play_on(driver: Driver) -> None:
    """Ask for moves until that fails."""
    stones: list[tuple[int, int]] = []
    while True:
        stones.append(driver.ask(stones, 0, is_first=not stones).move)


def has_ended(pid: int) -> bool:
    row = family.row_of(pid)
    return row is None or row.has_ended


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as popen:
        yield popen
        popen.kill()


# -- endings -----------------------------------------------------------------------------------------------------------


def test_an_interrupted_one_file_executable_ends_whole_and_at_once() -> None:
    """Its second process holds the pipe; the one who waits for an answer must not wait for it."""
    driver = Driver(brain("-c", ONE_FILE, str(FAKE), "stall"))
    driver.start_game(BOARD)
    assert driver._process is not None
    inner = psutil.Process(driver._process._popen.pid).children()
    ended_after: list[float] = []

    def ask() -> None:
        with pytest.raises(FaultError, match=KILLED):
            play_on(driver)
        ended_after.append(time.perf_counter())

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.3)  # it stalls at the fourth move
    began = time.perf_counter()
    driver.interrupt()
    asking.join(PATIENCE_S)
    assert ended_after
    assert ended_after[0] - began < 1.0
    assert inner
    assert all(has_ended(child.pid) for child in inner)
    driver.abandon()


def test_a_brain_that_is_being_started_is_interrupted_too() -> None:
    driver = Driver(brain(str(FAKE), "never-ok"))
    driver.interrupt()
    began = time.perf_counter()
    with pytest.raises(FaultError, match=f"exited before answering START 10: {KILLED}"):
        driver.start_game(BOARD)
    assert time.perf_counter() - began < 5.0
    driver.abandon()


@posix
def test_a_pipe_that_a_stranger_holds_open_blocks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = Sampler()  # one that looked in the stranger's first moments would know it by its mark
    nobody.hand_over(lambda _: None, lambda _: None)
    monkeypatch.setattr(process, "SAMPLER", nobody)
    before = threading.active_count()
    handles = len(os.listdir("/proc/self/fd"))
    running = BrainProcess(brain("-c", STRANGER))
    strangers: list[psutil.Process] = []
    try:
        running._popen.wait()
        strangers = [one for one in psutil.process_iter() if holds_a_pipe_of(one, running)]
        began = time.perf_counter()
        assert running.kill() == 0, "nothing tells whose the stranger is"
        assert time.perf_counter() - began < 3.0
        assert strangers, "somebody must hold the pipe, or the test shows nothing"
        assert threading.active_count() <= before
        assert len(os.listdir("/proc/self/fd")) == handles
    finally:
        for one in strangers:
            one.kill()


def holds_a_pipe_of(one: psutil.Process, running: BrainProcess) -> bool:
    assert running._popen.stdout is not None
    pipe = os.readlink(f"/proc/self/fd/{running._popen.stdout.fileno()}")
    try:
        handles = Path(f"/proc/{one.pid}/fd").iterdir()
        return one.pid != os.getpid() and any(os.readlink(handle) == pipe for handle in handles)
    except OSError:
        return False


@posix
def test_a_process_elsewhere_is_counted_and_killed() -> None:
    running = BrainProcess(brain("-c", ELSEWHERE))
    line = running.receive(time.perf_counter() + PATIENCE_S)
    assert line is not None
    thinking = int(line.text)
    assert os.getsid(thinking) != os.getsid(running._popen.pid)
    assert running.measure_memory() > 60 << 20
    assert running.kill() == 1
    assert has_ended(thinking)
    assert has_ended(running._popen.pid)


@posix
def test_killing_and_sampling_do_not_race() -> None:
    """Measured from three threads without a pause while it starts children and is killed."""
    script = "import subprocess, sys\nwhile True: subprocess.run([sys.executable, '-S', '-c', ''])"
    failures: list[BaseException] = []
    for _ in range(5):
        running = BrainProcess(brain("-c", script))
        is_over = threading.Event()

        def measure(running: BrainProcess = running, is_over: threading.Event = is_over) -> None:
            try:
                while not is_over.is_set():
                    running.measure_memory()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=measure) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        running.kill()
        peak = running.peak_memory
        time.sleep(0.02)
        is_over.set()
        for thread in threads:
            thread.join()
        assert running.peak_memory == peak > 0, "nothing is measured after the kill"
        assert not [pid for pid in ProcessTable().rows if family.mark_of(pid) == running._family.mark]  # type: ignore[attr-defined]
    assert failures == []


@posix
@pytest.mark.parametrize(
    ("code", "text"),
    [(0, "exit code 0"), (7, "exit code 7"), (-9, "killed by SIGKILL"), (-40, "killed by signal 40")],
)
def test_exits_are_described(code: int, text: str) -> None:
    assert exit_text(code) == text


# -- identity ----------------------------------------------------------------------------------------------------------


@posix
def test_a_reused_pid_is_neither_measured_nor_killed(sleeper: "subprocess.Popen[bytes]") -> None:
    row = family.row_of(sleeper.pid)
    assert row is not None
    before = Member(sleeper.pid, row.born - 1)
    assert family.memory_of(before) == 0
    family.kill(before)
    assert sleeper.poll() is None
    now = Member(sleeper.pid, row.born)
    assert family.memory_of(now) > 0
    family.kill(now)
    assert sleeper.wait(PATIENCE_S) == -9


@posix
def test_a_family_whose_pid_has_passed_to_a_stranger_leaves_it_alone(sleeper: "subprocess.Popen[bytes]") -> None:
    row = family.row_of(sleeper.pid)
    assert row is not None
    gone = Family(family.child(sleeper.pid), "a mark that nobody has")
    gone.root = Member(sleeper.pid, row.born - 1)
    assert gone.measure() == 0
    assert gone.kill() == 0
    assert sleeper.poll() is None


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[int, Row], set[int]]:
    """Some processes, of which some are marked; parents may be anybody, also younger ones and processes that ended."""
    pids = draw(st.sets(st.integers(2, 30), min_size=1))
    rows = {pid: Row(draw(st.integers(0, 9)), draw(st.integers(1, 30))) for pid in sorted(pids)}
    return rows, draw(st.sets(st.sampled_from(sorted(pids))))


@given(tables(), st.integers(2, 30), st.integers(0, 9), st.sets(st.integers(2, 30)))
def test_members_are_the_root_the_marked_and_their_descendants(
    table: tuple[dict[int, Row], set[int]], pid: int, born: int, foreign: set[int]
) -> None:
    rows, marked = table
    root = Member(pid, born)
    found = members_of(rows, root, (), marked.__contains__, foreign.__contains__)
    assert all(rows[one.pid].born == one.born for one in found), "each is alive under its own identity"
    assert not {one.pid for one in found if one != root} & foreign
    assert (root in found) == (pid in rows and rows[pid].born == born)
    for one in found - {root}:
        parent = rows.get(rows[one.pid].parent)
        is_child = parent is not None and Member(rows[one.pid].parent, parent.born) in found
        assert is_child or (one.pid in marked and one.born >= born)
    for child, row in rows.items():
        parent = rows.get(row.parent)
        if parent is not None and Member(row.parent, parent.born) in found and row.born >= parent.born:
            assert Member(child, row.born) in found or child in foreign
    # Whoever was a member stays one, when its parent and its mark are gone.
    orphans = {one: Row(row.born, 1) for one, row in rows.items()}
    later = members_of(orphans, root, found, lambda _: False, foreign.__contains__)
    assert found <= later


@posix
@pytest.mark.parametrize(
    ("program", "is_own"),
    [
        ("/usr/lib/wine/wineserver64", True),
        ("C:\\windows\\system32\\services.exe", True),
        ("/home/me/pbrain-wine64.exe", False),
        ("Z:\\home\\me\\pbrain-a.exe", False),
    ],
)
def test_what_serves_all_programs_under_wine_belongs_to_no_brain(program: str, is_own: bool) -> None:
    """All brains share them: with one brain's processes they would end the other brains' too."""
    environment = {**os.environ, MARK: "one"}
    command = [program, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(command, executable=sys.executable, env=environment) as popen:
        try:
            wait_until(lambda: family.mark_of(popen.pid) == "one", "the program has begun")
            assert family.is_wines_own(popen.pid) == is_own
        finally:
            popen.kill()


# -- the sampler -------------------------------------------------------------------------------------------------------


def test_one_thread_samples_all_brains() -> None:
    earlier = threading.enumerate()  # readers of an earlier test may be about to end
    brains = [BrainProcess(brain(str(FAKE), "none")) for _ in range(6)]
    try:
        threads = threading.enumerate()
        assert [thread.name for thread in threads].count("memory sampler") == 1
        names = [thread.name for thread in threads if thread not in earlier]
        wait_until(lambda: all(one.peak_memory for one in brains), "all brains are sampled")
        assert len([name for name in names if "_read_" in name]) == 12, "and two threads read each brain"
        assert not any("memory" in name for name in names if name != "memory sampler")
    finally:
        for one in brains:
            one.kill()


def test_the_shortest_game_shows_memory() -> None:
    """It is over before the first sample."""
    driver = Driver(brain(str(FAKE), "none"))
    driver.start_game(BOARD)
    at_start = driver.peak_memory
    assert at_start > 1 << 20
    driver._process._family.peak_memory = 0  # type: ignore[union-attr]
    driver.peak_memory = 0
    driver.end_game()
    assert driver.peak_memory > 1 << 20
    driver.close()


# -- clocks ------------------------------------------------------------------------------------------------------------


def test_the_clock_starts_before_the_question_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The brain answers while the runner is still in the system call; the time must not come out negative."""
    driver = Driver(brain(str(FAKE), "none"))
    driver.start_game(BOARD)
    running = driver._process
    assert running is not None

    class SlowPipe:
        def __init__(self, pipe: object) -> None:
            self._pipe = pipe

        def write(self, data: bytes) -> int:
            written = self._pipe.write(data)  # type: ignore[attr-defined]
            time.sleep(0.2)
            return int(written)

    with monkeypatch.context() as patch:
        patch.setattr(running, "_stdin", SlowPipe(running._stdin))
        assert driver.ask([], 0, is_first=True).ms > 0
    driver.close()


def test_a_line_from_before_the_question_is_no_answer() -> None:
    driver = Driver(brain(str(FAKE), "none"))
    driver.start_game(BOARD)
    running = driver._process
    assert running is not None
    discard = running.discard_output

    def discard_too_early() -> None:
        discard()
        running._lines.put(process.Line("9,9", time.perf_counter()))

    running.discard_output = discard_too_early  # type: ignore[method-assign]
    answer = driver.ask([], 0, is_first=True)
    assert answer.move == (0, 0)
    assert answer.ms > 0
    driver.close()


def test_an_answer_behind_a_flood_of_messages_is_not_lost() -> None:
    """The messages arrive while nobody takes them, and only some are kept."""
    script = "for i in range(30000): print('MESSAGE', i)\nprint('7,7', flush=True); input()"
    running = BrainProcess(brain("-c", script))
    wait_until(lambda: running.lines_received == 30_001, "all lines are read")
    lines = []
    while (line := running.receive(0.0)) is not None:
        lines.append(line.text)
    assert lines[-2:] == ["MESSAGE 29999", "7,7"]
    assert len(lines) == process.MAX_QUEUED_LINES
    running.kill()


# -- the runner's own problems -----------------------------------------------------------------------------------------


def test_too_many_open_files_is_no_fault_of_the_brain(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("tournament.play.process.subprocess.Popen", refuse)
    with pytest.raises(OSError, match="Too many open files"):
        Driver(brain(str(FAKE), "none")).start_game(BOARD)


@posix
def test_a_full_disk_under_the_log_is_no_fault_of_the_brain() -> None:
    driver = Driver(brain(str(FAKE), "flood"), Log(Path("/dev/full")))
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        driver.start_game(BOARD)
    driver.abandon()


@posix
def test_a_windows_program_gets_a_hint(tmp_path: Path) -> None:
    program = tmp_path / "pbrain-a.exe"
    program.write_bytes(b"MZ\x90\x00" + bytes(60))
    for mode in (0o644, 0o755):
        program.chmod(mode)
        with pytest.raises(FaultError) as fault:
            Driver(BrainSpec("a", (str(program),))).start_game(BOARD)
        assert str(fault.value) == f"{program} is a Windows program; run it with Wine: 'wine {program}'"


# -- CPUs --------------------------------------------------------------------------------------------------------------


@posix
def test_only_cpus_that_may_be_used_are_counted() -> None:
    last = usable_cpus()[-1]
    code = (
        "from argparse import Namespace; from tournament.cli import concurrency_of; "
        "from tournament.play.cpus import usable_cpus; "
        "print(usable_cpus(), concurrency_of(Namespace(concurrency=None))[1])"
    )
    with starting_on(last):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith(f"[{last}] half of 1 core")


@posix
def test_a_pinned_brain_runs_on_its_cpu_from_the_start() -> None:
    last = usable_cpus()[-1]
    running = BrainProcess(brain("-c", "import os; print(os.sched_getaffinity(0), flush=True)"), core=last)
    line = running.receive(time.perf_counter() + PATIENCE_S)
    assert line is not None
    assert line.text == f"{{{last}}}"
    running.kill()
    assert len(usable_cpus()) == len(os.sched_getaffinity(os.getpid()))


@posix
def test_a_dead_brain_is_told_as_such() -> None:
    running = BrainProcess(brain("-c", "import os; os.kill(os.getpid(), 40)"))
    with pytest.raises(ExitedError, match="killed by signal 40"):
        running.receive(time.perf_counter() + PATIENCE_S)
    running.kill()
