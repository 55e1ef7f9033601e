"""Long work in one line: on a terminal it is rewritten, elsewhere a line is printed every minute."""

import shutil
import time
from typing import TextIO

TERMINAL_PAUSE_S, PIPE_PAUSE_S = 0.2, 60.0
SECONDS_PER_MINUTE, SECONDS_PER_HOUR = 60, 3600
BAR_WIDTH = 24


class ProgressLine:
    """Only the newest text matters: most are never seen."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._is_terminal = stream, stream.isatty()
        self._pause_s = TERMINAL_PAUSE_S if self._is_terminal else PIPE_PAUSE_S
        self._due_at = 0.0
        self._unseen = ""
        self._covered = 0  # columns of the line on the terminal

    def show(self, text: str) -> None:
        self._unseen = text
        if time.monotonic() >= self._due_at:
            self._write_unseen()
            self._due_at = time.monotonic() + self._pause_s

    def say(self, text: str) -> None:
        """A line of its own, after the newest text."""
        self.close()
        print(text, file=self._stream, flush=True)

    def close(self) -> None:
        """Leave the newest text on the screen."""
        self._write_unseen()
        if self._covered:
            print(file=self._stream, flush=True)
            self._covered = 0

    def _write_unseen(self) -> None:
        text, self._unseen = self._unseen, ""
        if text and self._is_terminal:
            text = text[: shutil.get_terminal_size().columns - 1]  # a line that wraps cannot be rewritten
            print(f"\r{text.ljust(self._covered)}", end="", file=self._stream, flush=True)
            self._covered = len(text)
        elif text:
            print(text, file=self._stream, flush=True)


def playing_text(games: int, all_games: int, positions: int, per_second: float, seconds_left: float | None) -> str:
    """How far the games of self-play are."""
    text = f"{games:,} of {all_games:,} games, {positions:,} positions"
    if seconds_left is not None:
        text += f", {per_second:,.0f} per second, {duration_text(seconds_left)} left"
    return text


def training_text(
    epoch: int,
    epochs: int,
    positions: int,
    all_positions: int,
    loss: float,
    per_second: float,
    seconds_left: float | None,
) -> str:
    """How far the training of the network is."""
    share = 100 * ((epoch - 1) * all_positions + positions) / (epochs * all_positions)
    text = f"training {share:.0f} %, epoch {epoch} of {epochs}, loss {loss:.4f}"
    if seconds_left is not None:
        text += f", {per_second:,.0f} positions per second, {duration_text(seconds_left)} left"
    return text


def matching_text(opponent: str, pairs: int, all_pairs: int, result: str) -> str:
    """How far a match is."""
    text = f"match against the {opponent}, {2 * pairs} of {2 * all_pairs} games"
    return f"{text}: {result}" if result else text


def duration_text(seconds: float) -> str:
    """`1 h 05 min`, `12 min` or `40 s`."""
    if seconds >= SECONDS_PER_HOUR:
        minutes = int(seconds) // SECONDS_PER_MINUTE
        return f"{minutes // 60} h {minutes % 60:02d} min"
    if seconds >= SECONDS_PER_MINUTE:
        return f"{seconds / SECONDS_PER_MINUTE:.0f} min"
    return f"{seconds:.0f} s"


def bar_text(done: int, planned: int, doing: str) -> str:
    """`[######------------------]  25 %  what is being done`."""
    filled = BAR_WIDTH * done // max(1, planned)
    return f"[{'#' * filled}{'-' * (BAR_WIDTH - filled)}] {100 * done // max(1, planned):3d} %  {doing}"
