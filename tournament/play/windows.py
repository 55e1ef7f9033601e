"""Windows' way to hold a brain's processes together: a job object; and its way to split a command line.

Written after Microsoft's documentation of job objects, process creation flags and CommandLineToArgvW.
"""

import ctypes
import subprocess
import sys
import threading
from contextlib import suppress
from ctypes import wintypes
from typing import Any

import psutil

from tournament.play.family import ProcessTable, unique_memory

assert sys.platform == "win32"

CREATE_SUSPENDED = 0x4
BASIC_PROCESS_ID_LIST = 3
EXTENDED_LIMIT_INFORMATION = 9
KILL_ON_JOB_CLOSE = 0x2000  # the brains end with the runner, however it ends
MAX_PROCESSES = 1024  # of one brain

kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
shell32 = ctypes.WinDLL("shell32", use_last_error=True)
kernel32.CreateJobObjectW.restype = wintypes.HANDLE
kernel32.LocalFree.argtypes = [wintypes.HLOCAL]
shell32.CommandLineToArgvW.restype = ctypes.POINTER(wintypes.LPWSTR)


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, its two inner structures unfolded."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", wintypes.DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", wintypes.DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", wintypes.DWORD),
        ("SchedulingClass", wintypes.DWORD),
        ("IoCounters", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class ProcessIds(ctypes.Structure):
    """JOBOBJECT_BASIC_PROCESS_ID_LIST."""

    _fields_ = (
        ("NumberOfAssignedProcesses", wintypes.DWORD),
        ("NumberOfProcessIdsInList", wintypes.DWORD),
        ("ProcessIdList", ctypes.c_size_t * MAX_PROCESSES),
    )


def succeed(result: int) -> None:
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())


class Job:
    """The processes of a brain on Windows."""

    def __init__(self) -> None:
        self._handle = wintypes.HANDLE(kernel32.CreateJobObjectW(None, None))
        succeed(self._handle.value or 0)
        limits = ExtendedLimits(LimitFlags=KILL_ON_JOB_CLOSE)
        succeed(
            kernel32.SetInformationJobObject(
                self._handle, EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )
        self._lock = threading.RLock()
        self._root = 0
        self.peak_memory = 0

    def start(self, command: Any, cpu: int | None, **options: Any) -> "subprocess.Popen[bytes]":
        """Start a command inside the job; it runs only when it belongs to it, so no child escapes.

        A process group of its own keeps Ctrl-C from it. Popen quotes the words as C programs on Windows split them.
        """
        flags = CREATE_SUSPENDED | subprocess.CREATE_NEW_PROCESS_GROUP
        popen = subprocess.Popen(command, creationflags=flags, **options)
        self._root = popen.pid
        try:
            succeed(kernel32.AssignProcessToJobObject(self._handle, wintypes.HANDLE(int(popen._handle))))  # type: ignore[attr-defined]
            process = psutil.Process(popen.pid)
            if cpu is not None:
                process.cpu_affinity([cpu])
            process.resume()
        except BaseException:
            popen.kill()
            raise
        return popen

    def _pids(self) -> set[int]:
        listed = ProcessIds()
        succeed(
            kernel32.QueryInformationJobObject(
                self._handle, BASIC_PROCESS_ID_LIST, ctypes.byref(listed), ctypes.sizeof(listed), None
            )
        )
        return set(listed.ProcessIdList[: listed.NumberOfProcessIdsInList])

    def measure(self, table: ProcessTable | None = None) -> int:  # noqa: ARG002  a job knows its members
        with self._lock:
            if self._handle:
                used = {pid: memory_of(pid) for pid in self._pids()}
                members = self._pids()  # again: a process that has ended may have left its PID to a stranger
                self.peak_memory = max(self.peak_memory, sum(used[pid] for pid in used if pid in members))
        return self.peak_memory

    def kill(self) -> int:
        with self._lock:
            if not self._handle:
                return 0
            others = self._pids() - {self._root}
            succeed(kernel32.TerminateJobObject(self._handle, 1))
            succeed(kernel32.CloseHandle(self._handle))
            self._handle = wintypes.HANDLE()
            return len(others)


def memory_of(pid: int) -> int:
    """The private memory of a process in bytes; 0 if it has ended."""
    try:
        return unique_memory(pid)
    except OSError:  # Wine does not know which pages are shared: all that are in memory count
        with suppress(psutil.Error):
            return int(psutil.Process(pid).memory_info().rss)
        return 0


def split_command(text: str) -> list[str]:
    """The words of a command line, as Windows programs get them."""
    count = ctypes.c_int()
    words = shell32.CommandLineToArgvW(wintypes.LPCWSTR(text), ctypes.byref(count))
    succeed(bool(words))
    try:
        return [str(words[i]) for i in range(count.value)]
    finally:
        kernel32.LocalFree(ctypes.cast(words, wintypes.HLOCAL))
