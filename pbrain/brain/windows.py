"""Windows' functions about processes, called by ctypes."""

import ctypes
import sys
from types import TracebackType
from typing import Any, Self

assert sys.platform == "win32"  # also tells the type checker to skip the rest on other systems

QUERY_LIMITED_INFORMATION, SUSPEND_RESUME, STILL_ACTIVE = 0x1000, 0x0800, 259
MAX_PATH = 32768
TICK_NS = 100  # the unit of Windows' times
UNSEEN_NS = 25_000_000  # Wine works for 15 to 25 ms before the time that it gives as the creation of a process

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_ntdll = ctypes.WinDLL("ntdll")


def _declare(name: str, result: Any, *arguments: Any, library: Any = _kernel32) -> Any:
    """A function with its types: without them, ctypes would cut handles to 32 bits."""
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
    """A process, open for the length of a `with` block; OSError if Windows does not tell."""

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
        """Whether it has not ended yet; one that has ended can be opened for as long as anyone keeps it open."""
        code = ctypes.c_uint32()
        _check(_exit_code(self._handle, ctypes.byref(code)))
        return code.value == STILL_ACTIVE

    def image(self) -> str:
        """The path of its executable."""
        path, length = ctypes.create_unicode_buffer(MAX_PATH), ctypes.c_uint32(MAX_PATH)
        _check(_image_name(self._handle, 0, path, ctypes.byref(length)))
        return path.value

    def created(self) -> int:
        """When it was created, in ticks since 1601."""
        return self._times()[0]

    def age_and_cpu_ns(self) -> tuple[int, int]:
        """Nanoseconds since its creation began, and of CPU time that it has used."""
        created, cpu = self._times()
        now = ctypes.c_uint64()
        _system_time(ctypes.byref(now))
        return UNSEEN_NS + TICK_NS * (now.value - created), TICK_NS * cpu

    def _times(self) -> tuple[int, int]:
        """Its creation, and its CPU time, in ticks."""
        created, ended, kernel, user = (ctypes.c_uint64() for _ in range(4))
        _check(_process_times(self._handle, *(ctypes.byref(time) for time in (created, ended, kernel, user))))
        return created.value, kernel.value + user.value


def _check(is_done: object) -> None:
    if not is_done:
        raise ctypes.WinError(ctypes.get_last_error())


def resume(pid: int) -> None:
    """Resume a process that was suspended once; one that is running is not affected."""
    handle = _open_process(SUSPEND_RESUME, False, pid)
    _check(handle)
    _resume_process(handle)
    _close_handle(handle)


def end_own_process(exit_code: int) -> None:
    """Without notifying any DLL: that may wait for ever for a lock whose thread has already been ended."""
    _terminate_process(_current_process(), exit_code)
