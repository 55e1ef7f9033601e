"""What the system knows about processes: whether one is running, since when, and how to end this one at once."""

import os
import sys
import time
from contextlib import suppress
from typing import NoReturn

if sys.platform == "win32":
    from pbrain.brain import windows

CPU_FIELDS, STARTTIME_FIELD = (11, 12), 19  # of /proc/PID/stat, counted from the process's state
UNKNOWN_START = 0


def leave(exit_code: int = 0) -> NoReturn:
    """End this process at once, without flushing anything; any thread may call it."""
    if sys.platform == "win32":
        with suppress(OSError):
            # Piskvork leaves the process that it started suspended; it could not remove the unpacked folder then.
            windows.resume(first_process())
        windows.end_own_process(exit_code)
    os._exit(exit_code)


def _stat_fields(pid: int) -> list[str]:
    """Linux's /proc/PID/stat after the name of the executable; the first field is the process's state."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()


def is_running(pid: int) -> bool:
    if sys.platform == "win32":
        try:
            with windows.Process(pid) as process:
                return process.is_running()
        except OSError:
            return False
    try:
        return _stat_fields(pid)[0] != "Z"  # has ended, but nobody has waited for it yet
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def started_at(pid: int) -> int:
    """When a process started, in units of the system: another process with the same PID has another number."""
    try:
        if sys.platform == "win32":
            with windows.Process(pid) as process:
                return process.created()
        return int(_stat_fields(pid)[STARTTIME_FIELD])
    except OSError:  # neither Linux nor Windows, or it has ended
        return UNKNOWN_START


def image(pid: int) -> str:
    """The path of a process's executable; OSError if the system does not tell."""
    if sys.platform == "win32":
        with windows.Process(pid) as process:
            return process.image()
    return os.readlink(f"/proc/{pid}/exe")


def age_and_cpu_ns(pid: int) -> tuple[int, int]:
    """Nanoseconds since a process started, and of CPU time that it used; OSError if the system does not tell."""
    if sys.platform == "win32":
        with windows.Process(pid) as process:
            return process.age_and_cpu_ns()
    fields = _stat_fields(pid)
    tick_ns = 10**9 // os.sysconf("SC_CLK_TCK")
    age_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(fields[STARTTIME_FIELD]) * tick_ns
    return age_ns, tick_ns * sum(int(fields[field]) for field in CPU_FIELDS)


def first_process() -> int:
    """The process that the manager started: a one-file executable is two, the first of which unpacks the second."""
    own, parent = os.getpid(), os.getppid()
    # If the first has been killed, the parent is some other process.
    is_second = hasattr(sys, "_MEIPASS") and image(parent) == image(own)
    return parent if is_second else own
