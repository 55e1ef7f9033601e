"""What the system knows about processes: whether one runs, how long it has, and how to leave without delay."""

import os
import sys
import time
from contextlib import suppress
from typing import NoReturn

if sys.platform == "win32":
    from pbrain.brain import windows

CPU_FIELDS, STARTTIME_FIELD = (11, 12), 19  # of /proc/PID/stat, counted from the process's state


def leave() -> NoReturn:
    """End this process at once and as a success; what was written must have been flushed. Any thread may call it."""
    if sys.platform == "win32":
        with suppress(OSError):
            # Piskvork leaves the process that it started suspended, which then could not remove the unpacked folder.
            windows.resume(first_process())
        windows.end_own_process()
    os._exit(0)


def _stat_fields(pid: int) -> list[str]:
    """Linux's /proc/PID/stat after the name, from the process's state on."""
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
        return _stat_fields(pid)[0] != "Z"  # a dead one that nobody has asked after
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def image(pid: int) -> str:
    """The path of a process's executable; OSError where the system does not tell."""
    if sys.platform == "win32":
        with windows.Process(pid) as process:
            return process.image()
    return os.readlink(f"/proc/{pid}/exe")


def age_and_cpu_ns(pid: int) -> tuple[int, int]:
    """Nanoseconds since a process was made, and of its processor time; OSError where the system does not tell."""
    if sys.platform == "win32":
        with windows.Process(pid) as process:
            return process.age_and_cpu_ns()
    fields = _stat_fields(pid)
    tick_ns = 10**9 // os.sysconf("SC_CLK_TCK")
    age_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(fields[STARTTIME_FIELD]) * tick_ns
    return age_ns, tick_ns * sum(int(fields[field]) for field in CPU_FIELDS)


def first_process() -> int:
    """The process that a manager started: a one-file executable is two, of which the first unpacks the second."""
    own, parent = os.getpid(), os.getppid()
    # Where the first has been killed, the parent is somebody else.
    is_second = hasattr(sys, "_MEIPASS") and image(parent) == image(own)
    return parent if is_second else own
