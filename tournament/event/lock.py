"""The lock on an event's folder: one run at a time.

The operating system holds the lock on a file, `fcntl.flock` on POSIX and `msvcrt.locking` on Windows, and releases it
when the process ends, also after `kill -9`. So there is no stale lock to judge, and no PID is ever tested for life. The
file's text is the PID of the holder, for the sentence that refuses a second run.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

LOCKED_BYTE = 1 << 20  # Windows forbids others to read what is locked, so it lies beyond the PID
FOLDER_WITHIN_S = 0.2  # a run that ends just now may remove its empty folder while the next one makes it
PID_WITHIN_S = 1.0  # the holder writes its PID right after it has locked the file


class LockedError(Exception):
    """Another process holds the lock; the text is its PID."""


class FolderLock:
    """A lock file; it exists while somebody holds the lock, and perhaps after a kill."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Make the folder where it is missing and lock it; LockedError if another process has it."""
        deadline = time.monotonic() + FOLDER_WITHIN_S
        while self._descriptor is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = self._opened()
            except (FileNotFoundError, FileExistsError):  # removed meanwhile, or in fact no folder
                if time.monotonic() > deadline:
                    raise
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def _opened(self) -> int | None:
        """The locked file, or None if its last holder has removed it meanwhile."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        if not is_locked_now(descriptor):
            pid = read_pid(descriptor)
            os.close(descriptor)
            raise LockedError(pid)
        try:
            # Windows removes no file that is open.
            if sys.platform == "win32" or os.path.samestat(os.fstat(descriptor), os.stat(self._path)):
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)
        return None

    def release(self) -> None:
        """Remove the file and the lock; only then may the next process have it."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        if sys.platform == "win32":
            os.close(descriptor)
            with suppress(OSError):  # the next holder has it open
                self._path.unlink()
        else:
            with suppress(OSError):  # somebody has removed the folder
                self._path.unlink()
            os.close(descriptor)


def is_locked_now(descriptor: int) -> bool:
    """Lock the file for this process, without waiting; False if another process has it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_pid(descriptor: int) -> str:
    """The PID in the file; `unknown` if the holder does not write it in time."""
    deadline = time.monotonic() + PID_WITHIN_S
    while time.monotonic() < deadline:
        os.lseek(descriptor, 0, os.SEEK_SET)
        text = os.read(descriptor, 32)
        if text.endswith(b"\n"):
            return text.decode("ascii", "replace").strip()
        time.sleep(0.02)
    return "unknown"
