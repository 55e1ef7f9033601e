"""What Windows is asked by ctypes: about processes, and to end this one."""

import ctypes
import sys
from types import TracebackType
from typing import Any, Self

assert sys.platform == "win32"  # which also tells the type checker to pass over the rest elsewhere

QUERY_LIMITED_INFORMATION, SUSPEND_RESUME, STILL_ACTIVE = 0x1000, 0x0800, 259
LONGEST_PATH = 32768
TICK_NS = 100  # of Windows' times
UNSEEN_NS = 25_000_000  # Wine works for 15 to 25 ms before it says that a process was made

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_ntdll = ctypes.WinDLL("ntdll")


def _declare(name: str, result: Any, *arguments: Any, library: Any = _kernel32) -> Any:
    """A function of its own types: without them, ctypes cuts handles to 32 bits."""
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


_handle, _flag, _number, _pointer = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p
_open_process = _declare("OpenProcess", _handle, _number, _flag, _number)
_close_handle = _declare("CloseHandle", _flag, _handle)
_exit_code = _declare("GetExitCodeProcess", _flag, _handle, _pointer)
_image_name = _declare("QueryFullProcessImageNameW", _flag, _handle, _number, _pointer, _pointer)
_process_times = _declare("GetProcessTimes", _flag, _handle, _pointer, _pointer, _pointer, _pointer)
_system_time = _declare("GetSystemTimePreciseAsFileTime", None, _pointer)
_current_process = _declare("GetCurrentProcess", _handle)
_terminate_process = _declare("TerminateProcess", _flag, _handle, _number)
_resume_process = _declare("NtResumeProcess", _number, _handle, library=_ntdll)


class Process:
    """Another process, or this one, for the length of a `with` block; OSError where Windows does not tell."""

    def __init__(self, pid: int) -> None:
        self._handle = _open_process(QUERY_LIMITED_INFORMATION, False, pid)
        _check(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _close_handle(self._handle)

    def is_running(self) -> bool:
        """Whether it has not ended yet: it may be asked about for as long as anyone keeps it open."""
        code = ctypes.c_uint32()
        _check(_exit_code(self._handle, ctypes.byref(code)))
        return code.value == STILL_ACTIVE

    def image(self) -> str:
        """The path of its executable."""
        path, length = ctypes.create_unicode_buffer(LONGEST_PATH), ctypes.c_uint32(LONGEST_PATH)
        _check(_image_name(self._handle, 0, path, ctypes.byref(length)))
        return path.value

    def age_and_cpu_ns(self) -> tuple[int, int]:
        """Nanoseconds since its making began, and those of processor time that it has used."""
        made, ended, kernel, user, now = (ctypes.c_uint64() for _ in range(5))
        times = (ctypes.byref(time) for time in (made, ended, kernel, user))
        _check(_process_times(self._handle, *times))
        _system_time(ctypes.byref(now))
        return UNSEEN_NS + TICK_NS * (now.value - made.value), TICK_NS * (kernel.value + user.value)


def _check(is_done: object) -> None:
    if not is_done:
        raise ctypes.WinError(ctypes.get_last_error())


def resume(pid: int) -> None:
    """Let a process run on that was suspended once; nothing happens to one that runs."""
    handle = _open_process(SUSPEND_RESUME, False, pid)
    _check(handle)
    _resume_process(handle)
    _close_handle(handle)


def end_own_process() -> None:
    """With no farewell to any DLL, which waits for ever on a lock that a thread held when it was ended."""
    _terminate_process(_current_process(), 0)
