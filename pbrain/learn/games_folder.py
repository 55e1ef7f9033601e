"""A folder of games: one file per process that writes, any number of them at a time, readable while it grows.

A game is known by its number. Whoever played it, it is the same game, so a number that occurs twice counts once.
"""

import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from pbrain.learn.game_format import MAX_FRAME_BYTES, Array, FormatError, Games, frame_starts, game_numbers, games_in

SUFFIX = ".games"
LOCKED_BYTE = 1 << 40  # Windows forbids others to read what is locked, so it lies beyond all games


class Part(NamedTuple):
    """What one file holds."""

    path: Path
    data: bytes
    starts: Array  # of whole frames
    end: int  # of the last one

    @property
    def left(self) -> int:
        """Bytes that are no whole game: an end that was torn by a kill or a full disk, or damage."""
        return len(self.data) - self.end


class GamesWriter:
    """Appends games to a file that no other process writes."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file

    def append(self, frame: bytes) -> None:
        """Have the system store a game: from then on, killing this process does not lose it."""
        try:
            written = self._file.write(frame)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        if written != len(frame):
            raise OSError(0, "the disk is full", str(self._path))


class GamesFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def parts(self) -> list[Part]:
        """All files, by name; FormatError if one holds something else."""
        return [read_part(path) for path in sorted(self.path.glob(f"*{SUFFIX}"))]

    def load(self) -> Games:
        """Each game once, by number: the order does not depend on who played them."""
        parts = self.parts()
        data = b"".join(part.data[: part.end] for part in parts)
        before = np.cumsum([0, *(part.end for part in parts)])
        starts = np.concatenate(
            [np.zeros(0, np.int64), *(part.starts + at for part, at in zip(parts, before[:-1], strict=True))]
        )
        _, firsts = np.unique(game_numbers(data, starts), return_index=True)
        return games_in(data, starts[firsts])

    @contextmanager
    def writer(self) -> Iterator[GamesWriter]:
        """Append to this machine's first file that no process writes and that has no damage; its torn end is cut off.

        So runs that are killed and resumed leave one file, not many.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        host = re.sub(r"\W", "_", platform.node()) or "games"
        for slot in count():
            path = self.path / f"{host}-{slot}{SUFFIX}"
            with path.open("ab", buffering=0) as file:
                if not locks(file):
                    continue
                part = read_part(path)
                if part.left <= MAX_FRAME_BYTES:
                    file.truncate(part.end)
                    yield GamesWriter(path, file)
                    return


def read_part(path: Path) -> Part:
    data = path.read_bytes()
    try:
        return Part(path, data, *frame_starts(data))
    except FormatError as error:
        raise FormatError(f"{path} cannot be read: {error}") from error


def locks(file: BinaryIO) -> bool:
    """Lock a file until it is closed, also by a kill; False if another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file.fileno(), LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
