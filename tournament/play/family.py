"""The processes of one brain: found by descent or by a mark in their environment, measured and killed by identity.

A brain may be a script, a one-file executable that unpacks and starts the real one, or a Windows program: under Wine
the process that thinks need not descend from the one that was started. All of them inherit the environment.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple, Protocol

import psutil

MARK = "KANAME_BRAIN"  # the environment variable; its value is unique to each brain that is started
KILL_WITHIN_S = 2.0
LOOK_EVERY_S = 0.002
HAS_PROC = os.path.exists("/proc/self/stat")
UNREADABLE = (FileNotFoundError, ProcessLookupError, PermissionError)  # it has ended, or is somebody else's
ENDED = (b"Z", b"X")  # zombies use nothing and cannot be killed
WINES_FOLDER = b"c:\\windows\\system32\\"
WINES_SERVER = b"wineserver"


class Row(NamedTuple):
    """A process: when it began, in the system's own unit, and its parent."""

    born: float
    parent: int
    has_ended: bool = False


class Member(NamedTuple):
    """A process for certain: the system uses a PID again, but not with the same time of birth."""

    pid: int
    born: float


def row_of(pid: int) -> Row | None:
    """The process with this PID; None if there is none."""
    if not HAS_PROC:
        return row_by_psutil(pid)
    try:
        stat = read_file(f"/proc/{pid}/stat")
    except UNREADABLE:
        return None
    # The name in parentheses may hold spaces and parentheses; see proc_pid_stat(5) for the fields behind it.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return Row(int(fields[19]), int(fields[1]), fields[0] in ENDED)


def child(pid: int) -> Member:
    """A process that this one has started and not yet waited for."""
    row = row_of(pid)
    assert row is not None, "a child keeps its PID until it is waited for"
    return Member(pid, row.born)


def row_by_psutil(pid: int) -> Row | None:
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return Row(process.create_time(), process.ppid(), process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return None


def read_file(path: str) -> bytes:
    """A small file of /proc with the fewest system calls; there are hundreds to read."""
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, 1 << 17)
    finally:
        os.close(handle)


class ProcessTable:
    """The processes at the moment of the first question, and the marks of those that somebody asked for."""

    def __init__(self) -> None:
        self._marks: dict[int, str | None] = {}

    @cached_property
    def rows(self) -> dict[int, Row]:
        pids = (int(name) for name in os.listdir("/proc") if name.isdigit()) if HAS_PROC else psutil.pids()
        rows = ((pid, row_of(pid)) for pid in pids)
        return {pid: row for pid, row in rows if row is not None and not row.has_ended}

    def mark_of(self, pid: int) -> str | None:
        if pid not in self._marks:
            self._marks[pid] = mark_of(pid)
        return self._marks[pid]


def mark_of(pid: int) -> str | None:
    """The mark in a process's environment; None without one, or if the environment may not be read."""
    if not HAS_PROC:
        try:
            return psutil.Process(pid).environ().get(MARK)
        except (psutil.Error, OSError):
            return None
    try:
        environment = read_file(f"/proc/{pid}/environ")
    except UNREADABLE:
        return None
    start = f"{MARK}=".encode()
    return next((word[len(start) :].decode() for word in environment.split(b"\0") if word.startswith(start)), None)


def is_wines_own(pid: int) -> bool:
    """Whether a process serves all programs under Wine; the first one to start has it in its family."""
    try:
        program = read_file(f"/proc/{pid}/cmdline").partition(b"\0")[0].lower()
    except UNREADABLE:
        return False
    return program.startswith(WINES_FOLDER) or program.rpartition(b"/")[2].startswith(WINES_SERVER)


def members_of(
    rows: Mapping[int, Row],
    root: Member,
    known: Iterable[Member],
    has_mark: Callable[[int], bool],
    is_foreign: Callable[[int], bool],
) -> set[Member]:
    """The living processes of a family: its root, those known before, marked ones, and all their descendants."""
    # Nothing older than the root is asked for its mark: that spares reading nearly every environment.
    marked = [Member(pid, row.born) for pid, row in rows.items() if row.born >= root.born and has_mark(pid)]
    children: dict[int, list[Member]] = {}
    for pid, row in rows.items():
        children.setdefault(row.parent, []).append(Member(pid, row.born))
    waiting = [one for one in (root, *known, *marked) if one.pid in rows and rows[one.pid].born == one.born]
    found: set[Member] = set()
    while waiting:
        member = waiting.pop()
        if member in found or (member != root and is_foreign(member.pid)):
            continue
        found.add(member)
        waiting += [child for child in children.get(member.pid, ()) if child.born >= member.born]
    return found


class Processes(Protocol):
    """The processes of one running brain, for any thread: measuring and killing never overlap."""

    peak_memory: int

    def measure(self, table: ProcessTable | None = None) -> int:
        """The peak of the members' private memory in bytes, summed as GomocupJudge does."""

    def kill(self) -> int:
        """Kill all members, also those that start meanwhile; returns how many there were beside the first one."""


class Family:
    """The processes of a brain on POSIX."""

    def __init__(self, root: Member, mark: str) -> None:
        self.root, self.mark = root, mark
        self._known: set[Member] = set()
        self._lock = threading.RLock()  # a signal handler may kill in the thread that measures
        self._is_over = False
        self.peak_memory = 0

    def measure(self, table: ProcessTable | None = None) -> int:
        with self._lock:
            if not self._is_over:
                members = self._living(table or ProcessTable())
                self.peak_memory = max(self.peak_memory, sum(map(memory_of, members)))
        return self.peak_memory

    def kill(self) -> int:
        deadline = time.monotonic() + KILL_WITHIN_S
        killed: set[Member] = set()
        with self._lock:
            self._is_over = True
            while (living := self._living(ProcessTable())) and time.monotonic() < deadline:
                for member in living:
                    kill(member)
                killed |= living
                time.sleep(LOOK_EVERY_S)
        return len(killed - {self.root})

    def _living(self, table: ProcessTable) -> set[Member]:
        self._known = members_of(
            table.rows, self.root, self._known, lambda pid: table.mark_of(pid) == self.mark, is_wines_own
        )
        return self._known


def memory_of(member: Member) -> int:
    """The private memory of a member in bytes; 0 if it has ended, whatever has its PID now."""
    used = unique_memory(member.pid)
    row = row_of(member.pid)
    return used if row is not None and row.born == member.born else 0


def unique_memory(pid: int) -> int:
    """The unique set size of a process in bytes; 0 if it has ended."""
    try:
        rollup = read_file(f"/proc/{pid}/smaps_rollup")
        return sum(1024 * int(line.split()[1]) for line in rollup.splitlines() if line.startswith(b"Private_"))
    except (OSError, ValueError):
        pass
    try:
        return int(psutil.Process(pid).memory_full_info().uss)
    except psutil.Error:
        return 0


def kill(member: Member) -> None:
    """Kill a process unless another one has its PID by now."""
    if sys.platform != "linux":
        with suppress(psutil.Error):
            process = psutil.Process(member.pid)
            if process.create_time() == member.born:
                process.kill()
        return
    with suppress(OSError):  # it has ended
        handle = os.pidfd_open(member.pid)  # from here on the process is this one, even if its PID is used again
        try:
            row = row_of(member.pid)
            if row is not None and row.born == member.born:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
