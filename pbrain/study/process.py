"""Asks a brain about positions through the protocol."""

import queue
import re
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from pbrain.core.types import Move
from pbrain.study.positions import SIZE, Position
from pbrain.study.sample import Sample, sample_from

START_S = 60.0
GRACE_S = 60.0  # after the time limit of a search
NO_LIMIT_MS = 1_000_000  # for searches of fixed depth
MOVE = re.compile(r"(\d+),(\d+)", re.ASCII)


class BrainError(Exception):
    """A brain did not do what it was asked; the text is one sentence."""


class Brain:
    """A running brain; the end of the `with` block ends its process."""

    def __init__(self, command: Sequence[str], turn_ms: int = NO_LIMIT_MS) -> None:
        self._name, self._turn_ms = " ".join(command[1:]), turn_ms
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\r\n"))
        self._lines.put(None)

    def __enter__(self) -> Self:
        try:
            self._send(f"INFO timeout_turn {self._turn_ms}", f"START {SIZE}")
            self._answer(START_S)
        except BrainError:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):  # what it was still to hear
                stream.close()

    def search(self, position: Position) -> Sample:
        """What the brain plays, and what it tells of its search."""
        count = len(position)
        stones = [f"{x},{y},{1 + (count - i) % 2}" for i, (x, y) in enumerate(position)]
        self._send("BOARD", *stones, "DONE")
        text, messages = self._answer(self._turn_ms / 1000 + GRACE_S)
        found = MOVE.fullmatch(text)
        sample = sample_from(messages, move_of(found)) if found else None
        if sample is None:
            raise BrainError(f"{self._name} has not told of a search: {text}")
        return sample

    def _send(self, *lines: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines))
            self._process.stdin.flush()
        except OSError as error:
            raise BrainError(f"{self._name} has ended") from error

    def _answer(self, wait_s: float) -> tuple[str, list[str]]:
        """The next line that is no message, and the messages before it."""
        messages: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=wait_s)
            except queue.Empty:
                raise BrainError(f"{self._name} has not answered within {wait_s:.0f} s") from None
            if line is None:
                raise BrainError(f"{self._name} has ended")
            if not line.startswith("MESSAGE"):
                return line, messages
            messages.append(line)


def move_of(found: re.Match[str]) -> Move:
    return int(found[1]), int(found[2])
