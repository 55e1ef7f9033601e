"""A brain as managers see it: a process at the other end of pipes, and the game that they keep beside it."""

import math
import os
import queue
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import psutil

from tests.naive import DIRECTIONS, RENJU, Cell, cells_of, empty_board, move_wins
from tests.naive_renju import RenjuReferee

ROOT = Path(__file__).resolve().parents[1]
BRAIN = (sys.executable, "-m", "pbrain")
ECHO = (sys.executable, str(Path(__file__).with_name("echo_brain.py")))
MOVE = re.compile(r"(0|[1-9]\d*),(0|[1-9]\d*)")
# Searched for a minute without being solved; its tenth iteration takes longer than any test waits.
MIDDLE_GAME = [(7, 7), (8, 8), (9, 5), (6, 8), (9, 8), (6, 7), (6, 9), (7, 9), (9, 7), (9, 6)]
PATIENCE_S = 40.0  # for what has no limit of its own: a brain that is silent this long hangs


class Line(NamedTuple):
    """A line that the brain wrote, and when it was read."""

    text: str
    at: float


class Answer(NamedTuple):
    """The first line that is no MESSAGE, those before it, when the question was asked, the milliseconds since then."""

    text: str
    messages: list[str]
    asked_at: float
    taken_ms: float


class BrainProcess:
    """A running brain; use it in a `with` block, whose end ends the process and checks that stderr stayed empty."""

    def __init__(self, command: Sequence[str] = BRAIN, folder: Path = ROOT, newline: str = "\n") -> None:
        environment = os.environ if folder == ROOT else {**os.environ, "PYTHONPATH": str(ROOT)}
        self._newline = newline
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.started_at = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._system = psutil.Process(self._process.pid)
        self._lines: queue.Queue[Line | None] = queue.Queue()
        self._ended_at: float | None = None
        self._is_suspended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(Line(line.decode("ascii").removesuffix("\n"), time.perf_counter()))
        self._process.wait()
        self._ended_at = time.perf_counter()
        self._lines.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdout is not None
        try:
            if self._is_suspended:
                self.resume()
            self.close_input()
            self._reader.join(PATIENCE_S)
            has_ended = not self._reader.is_alive()
        finally:
            self._process.kill()
            self._reader.join()
            self._process.stdout.close()
            self._errors.seek(0)
            errors = self._errors.read()
            self._errors.close()
        assert errors == b"", f"the brain wrote to stderr: {errors!r}"
        if kind is None:
            assert has_ended, "the end of input did not end the process"

    # -- talking -------------------------------------------------------------------------------------------------------

    def send(self, *lines: str) -> float:
        """Write lines; the time is that before the last was written."""
        assert self._process.stdin is not None
        asked_at = time.perf_counter()
        for line in lines:
            asked_at = time.perf_counter()
            self._process.stdin.write((line + self._newline).encode("ascii"))
            self._process.stdin.flush()
        return asked_at

    def close_input(self) -> float:
        """End of input; the time is that before it."""
        assert self._process.stdin is not None
        at = time.perf_counter()
        self._process.stdin.close()
        return at

    def read_line(self, within_s: float = PATIENCE_S) -> Line:
        try:
            line = self._lines.get(timeout=max(0.0, within_s))
        except queue.Empty:
            raise AssertionError(f"nothing was said for {within_s} s") from None
        assert line is not None, "the process has ended"
        return line

    def has_spoken(self) -> bool:
        """Whether a line waits to be read."""
        return not self._lines.empty()

    def answer(self, asked_at: float, within_s: float = PATIENCE_S) -> Answer:
        """What the brain answers to a question asked then; lines before the answer may only be messages."""
        messages: list[str] = []
        while True:
            line = self.read_line(within_s)
            if not line.text.startswith("MESSAGE "):
                return Answer(line.text, messages, asked_at, 1000 * (line.at - asked_at))
            messages.append(line.text)

    def ask(self, *lines: str, within_s: float = PATIENCE_S) -> Answer:
        return self.answer(self.send(*lines), within_s)

    def start(self, size: int, *settings: str) -> None:
        """A new game; settings are keys and values of INFO."""
        assert self.ask(f"START {size}").text == "OK"
        self.send(*(f"INFO {setting}" for setting in settings))

    # -- the process ---------------------------------------------------------------------------------------------------

    def suspend(self) -> None:
        """Returns when every thread has stopped: what is sent from now on is heard after `resume`."""
        self._system.suspend()
        self._is_suspended = True
        while self._system.status() not in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE):
            time.sleep(0.001)
        time.sleep(0.005)

    def resume(self) -> float:
        """Let a suspended process run on; the time is that before it."""
        at = time.perf_counter()
        self._system.resume()
        self._is_suspended = False
        return at

    def unique_bytes(self) -> int:
        """Memory that only this process holds, which is what GomocupJudge counts."""
        return int(self._system.memory_full_info().uss)

    def end_after(self, since: float, within_s: float = PATIENCE_S) -> float:
        """Milliseconds from `since` until the process was gone; only messages and the move in hand may come before."""
        deadline = time.perf_counter() + within_s
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.perf_counter()))
            except queue.Empty:
                raise AssertionError(f"the process still runs after {within_s} s") from None
            if line is None:
                assert self._ended_at is not None
                assert self._process.returncode == 0
                return 1000 * (self._ended_at - since)
            assert line.text.startswith("MESSAGE ") or MOVE.fullmatch(line.text), line.text


class Game:
    """The stones as the manager sees them: black and white in turn, every move checked by the slow twins."""

    def __init__(self, size: int, rule: int = 0, opening: Sequence[Cell] = ()) -> None:
        self.size, self.rule = size, rule
        self.moves: list[Cell] = []
        self.winner: str | None = None
        self._board = empty_board(size, size)
        for cell in opening:
            self.play(cell)

    @property
    def mover(self) -> str:
        return "XO"[len(self.moves) % 2]

    @property
    def free(self) -> int:
        return self.size * self.size - len(self.moves)

    @property
    def is_over(self) -> bool:
        return self.winner is not None or self.free == 0

    def is_free(self, cell: Cell) -> bool:
        return self._at(cell) == "."

    def foul(self, cell: Cell) -> str | None:
        """Why renju forbids the move, or None."""
        if self.rule != RENJU or self.mover != "X":
            return None
        stones = dict(zip(self.moves, "XO" * len(self.moves), strict=False))
        return RenjuReferee(self.size, self.size, stones).foul(cell)

    def play(self, cell: Cell) -> None:
        assert not self.is_over
        assert self.is_free(cell), f"{cell} is taken or off the board"
        foul = self.foul(cell)
        assert foul is None, f"{cell} is a {foul} after {self.moves}"
        self._board[cell[1]][cell[0]] = colour = self.mover
        self.moves.append(cell)
        if move_wins(self._board, cell, self.rule):
            self.winner = colour

    def play_answer(self, text: str) -> Cell:
        """Play what a brain answered: exactly `x,y`, and legal."""
        found = MOVE.fullmatch(text)
        assert found is not None, f"{text!r} is no move after {self.moves}"
        cell = int(found[1]), int(found[2])
        self.play(cell)
        return cell

    def board_lines(self) -> list[str]:
        """The position as BOARD shows it to the side to move."""
        own = len(self.moves) % 2
        stones = [f"{x},{y},{1 if i % 2 == own else 2}" for i, (x, y) in enumerate(self.moves)]
        return ["BOARD", *stones, "DONE"]

    def turn_line(self) -> str:
        """The last move as TURN tells it."""
        return "TURN {},{}".format(*self.moves[-1])

    # -- a simple opponent ---------------------------------------------------------------------------------------------

    def reply(self, rng: random.Random) -> Cell:
        """A move of a simple opponent: any of those that come near the best by the lines through them."""
        cells = [cell for cell in cells_of(self._board) if self.is_free(cell) and self.foul(cell) is None]
        worth = {cell: self._lines_through(cell) for cell in cells}
        best = max(worth.values())
        return rng.choice([cell for cell in cells if worth[cell] >= 0.9 * best])

    def _lines_through(self, cell: Cell) -> int:
        """Every five cells in a line that hold stones of one colour only count for it, the mover's a little more."""
        x, y = cell
        worth = 0
        for dx, dy in DIRECTIONS:
            line = [self._at((x + i * dx, y + i * dy)) for i in range(-4, 5)]
            for first in range(5):
                five = "".join(line[first : first + 5]).replace(".", "")
                if "#" not in five and len(set(five)) == 1:
                    worth += 8 ** len(five) * (3 if five[0] == self.mover else 2)
        return worth

    def _at(self, cell: Cell) -> str:
        x, y = cell
        return self._board[y][x] if 0 <= x < self.size and 0 <= y < self.size else "#"


def random_opening(rng: random.Random, size: int, stones: int = 3) -> list[Cell]:
    """Stones in the middle 5 x 5 cells."""
    first = size // 2 - 2
    cells = [(x, y) for x in range(first, first + 5) for y in range(first, first + 5)]
    return rng.sample(cells, stones)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least so many percent of all do not exceed (nearest rank); 0 if there are none."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)] if values else 0.0
