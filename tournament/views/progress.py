"""Long work in one line: rewritten on a terminal, printed now and then in a pipe."""

import shutil
import time
from typing import TextIO

from tournament.views.text import printable

REDRAWN_EVERY_S, PRINTED_EVERY_S = 0.2, 30.0


class Pace:
    """How fast work goes in this run, from the first count on: what earlier runs have done took no time of it."""

    def __init__(self) -> None:
        self._began_at = 0.0
        self._before: int | None = None

    def per_second(self, done: int) -> float:
        """Of what is done since the first count; 0 while that is nothing."""
        now = time.monotonic()
        if self._before is None:
            self._began_at, self._before = now, done
        seconds = now - self._began_at
        return (done - self._before) / seconds if seconds > 0 else 0.0


class ProgressLine:
    """Shows what work is at; `close` leaves the last line on the screen."""

    def __init__(self, sink: TextIO) -> None:
        self._sink, self._is_terminal = sink, sink.isatty()
        self._shown_at = -PRINTED_EVERY_S
        self._latest = ""
        self._width = 0

    def show(self, text: str) -> None:
        """What the work is at now; most of it is never drawn."""
        now = time.monotonic()
        if now - self._shown_at >= (REDRAWN_EVERY_S if self._is_terminal else PRINTED_EVERY_S):
            self._shown_at = now
            self._draw(printable(text))
        self._latest = printable(text)

    def say(self, text: str) -> None:
        """A line that stays."""
        self._end_line()
        self._sink.write(f"{printable(text)}\n")
        self._sink.flush()

    def _draw(self, text: str) -> None:
        if self._is_terminal:
            text = text[: shutil.get_terminal_size().columns - 1]  # a line that wraps could not be rewritten
            self._sink.write(f"\r{text.ljust(self._width)}")
            self._width = len(text)
        else:
            self._sink.write(f"{text}\n")
        self._sink.flush()

    def _end_line(self) -> None:
        if self._is_terminal and self._width:
            self._sink.write("\n")
            self._width = 0

    def close(self) -> None:
        """Leave the latest line on the screen."""
        if self._latest:
            self._draw(self._latest)
        self._end_line()
        self._sink.flush()
