"""What a brain heard and said, in a file: of all games or of those with a fault, plain or compressed."""

import os
import threading
import zlib
from enum import StrEnum
from io import FileIO
from pathlib import Path
from typing import NamedTuple

PLAIN_ENDING, COMPRESSED_ENDING = ".log", ".log.gz"
GZIP_FORMAT = 31  # zlib's number for it
BLOCK = 8192  # bytes; a system call for every question would let the threads of other games wait
MAX_HELD = 65536  # bytes; a brain may flood its manager without being asked anything


class Level(StrEnum):
    """Which games leave a log."""

    ALL = "all"
    FAULTS = "faults"
    NONE = "none"


class Log:
    """The log of one brain; its games follow each other in it. Any thread may write.

    An OSError is the runner's problem. It is raised by `flush` and `write_out`, in the thread that plays the game.
    """

    def __init__(
        self, path: Path, level: Level = Level.ALL, is_compressed: bool = False, home: Path | None = None
    ) -> None:
        self.path, self._level, self._is_compressed = path, level, is_compressed
        self.home = home or path  # where it can be read in the end
        self._file: FileIO | None = None
        self._packer: zlib._Compress | None = None
        self._held = bytearray()
        self._start = 0  # of the present game, in the file
        self._is_on = self._is_kept = False
        self._error: OSError | None = None
        self._lock = threading.Lock()

    def begin_game(self) -> None:
        """The lines that follow belong to another game."""
        self.write_out()
        with self._lock:
            self._start = self.path.stat().st_size if self.path.exists() else 0
            self._is_on, self._is_kept = True, self._level is Level.ALL

    def keep(self) -> None:
        """The present game has a fault: its log stays."""
        self._is_kept = True

    def end_game(self) -> None:
        """Write everything out; or forget the game, and what comes before the next one."""
        if self._is_kept:
            self.write_out()
            return
        with self._lock:
            self._is_on, self._packer = False, None
            self._held.clear()
            if self._file is not None:
                self._file.truncate(self._start)
        if not self._start:
            self.close()
            self.path.unlink(missing_ok=True)

    def write(self, line: str) -> None:
        with self._lock:
            if self._is_on:
                self._held += f"{line}\n".encode("utf-8", "replace")
                if len(self._held) >= MAX_HELD and self._error is None:
                    self._write_held(zlib.Z_SYNC_FLUSH)

    def flush(self) -> None:
        """What was written so far survives the end of the runner, all but the last 8 KB; the file is there at once."""
        with self._lock:
            is_due = self._held and (self._file is None or len(self._held) >= BLOCK)
            if self._error is None and is_due:
                self._write_held(zlib.Z_SYNC_FLUSH)
            if self._error is not None:
                raise self._error

    def write_out(self) -> None:
        """Everything is in the file, which can be read to its end."""
        with self._lock:
            if self._error is None and (self._held or self._packer is not None):
                self._write_held(zlib.Z_FINISH)
            if self._error is not None:
                raise self._error

    def close(self) -> None:
        with self._lock:
            self._is_on = False
            if self._file is not None:
                self._file.close()
                self._file = None

    def _write_held(self, mode: int) -> None:
        """Write what is held, compressed or not; a failure is kept for the thread that plays the game."""
        data = bytes(self._held)
        self._held.clear()
        if self._is_compressed:
            self._packer = self._packer or zlib.compressobj(wbits=GZIP_FORMAT)
            data = self._packer.compress(data) + self._packer.flush(mode)
            if mode == zlib.Z_FINISH:
                self._packer = None
        try:
            self._file = self._file or FileIO(self.path, "a")
            while data:
                data = data[os.write(self._file.fileno(), data) :]
        except OSError as error:
            self._error = OSError(error.errno, error.strerror, str(self.path))


class Logging(NamedTuple):
    """How the dialogues of an event are logged."""

    level: Level = Level.ALL
    is_compressed: bool = False

    def log_at(self, stem: Path, home: Path | None = None) -> Log | None:
        """The log with this path, to which the ending is added; a compressed one is never continued.

        A run that was killed may have left it without an end, and nothing behind that place could be read.
        """
        if self.level is Level.NONE:
            return None
        if not self.is_compressed:
            return self._log(stem.with_name(stem.name + PLAIN_ENDING), home)
        path, number = stem.with_name(stem.name + COMPRESSED_ENDING), 1
        while path.exists():
            number += 1
            path = stem.with_name(f"{stem.name}~{number}{COMPRESSED_ENDING}")
        return self._log(path, home)

    def _log(self, path: Path, home: Path | None) -> Log:
        return Log(path, self.level, self.is_compressed, None if home is None else home / path.name)


EVERYTHING = Logging()
