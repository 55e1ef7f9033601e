"""The protocol loop shared by the brains.

A reader thread receives lines while the brain thinks. Commands that demand an answer at once stop the search from
there, and END ends the process. The main thread executes all commands in order.
"""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import NamedTuple

from tournament import __version__
from tournament.brains.clock import Clock, Deadline, thinking_ms
from tournament.brains.decided import has_winner
from tournament.brains.position import OTHER, OWN, WALL, Position, Stone
from tournament.brains.settings import Searched, Settings, Tell, parse

Choose = Callable[[Position, Deadline], int]
ChooseWith = Callable[[Position, Deadline, Settings, Tell], int]

MIN_SIZE, MAX_SIZE, DEFAULT_SIZE = 5, 32, 20
UNLIMITED_LEFT_MS = 2147483647
ALLOWED_IN_BLOCK = {"START", "RECTSTART", "RESTART", "INFO", "STOP", "YXSTOP", "END"}
OWNERS = {1: OWN, 2: OTHER, 3: WALL}
NUMBER = re.compile(r"\s*[+-]?\d{1,10}\s*")
MAX_LINE_LENGTH = 1 << 16
MAX_ECHO_LENGTH = 60  # of an unrecognised line, in the UNKNOWN answer
EXIT_WITHIN_S = 0.05  # after END; leaves time for an answer in progress


class RefusedError(Exception):
    """A command cannot be executed; the position is unchanged and the manager gets the reason."""


class Heard(NamedTuple):
    """A received line, its time, and the number of stop requests received so far."""

    text: str
    word: str
    rest: str
    at: float
    stops: int


def numbers(text: str, count: int, wanted: str) -> list[int]:
    """Parse `count` integers separated by commas."""
    parts = text.split(",")
    if len(parts) != count or not all(NUMBER.fullmatch(part) for part in parts):
        raise RefusedError(f"{wanted} expected")
    return [int(part) for part in parts]


class Conversation:
    """The brain's side of the protocol: `hear` takes a line from any thread, `act` executes it."""

    def __init__(
        self, name: str, choose: Choose, write: Callable[[str], None], start_ms: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._name, self._choose, self._write = name, choose, write
        self._start_ms = start_ms  # start-up time, which managers may count in the first move
        self._is_first_move = True
        self._stops = 0
        self._clock = Clock()
        self._board = Position(DEFAULT_SIZE, DEFAULT_SIZE, 0, ())
        self._block: list[Heard] | None = None  # the lines of an open BOARD
        self.has_ended = False
        self._handlers: dict[str, Callable[[Heard], None]] = {
            "START": self._start,
            "RECTSTART": self._rect_start,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._open_block,
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": self._about,
            "STOP": self._stop,
            "YXSTOP": self._stop,
            "END": self._end,
        }

    def hear(self, line: str) -> Heard:
        text = line.strip()
        word, _, rest = text.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word in ("STOP", "YXSTOP", "END") or (word == "INFO" and rest.lower().split() == ["timeout_turn", "0"]):
            self._stops += 1
        return Heard(text, word, rest, time.perf_counter(), self._stops)

    def act(self, heard: Heard) -> None:
        if not heard.word:
            return
        try:
            if self._block is None or heard.word in ALLOWED_IN_BLOCK:
                self._handlers.get(heard.word, self._unknown)(heard)
            elif heard.word == "DONE":
                self._close_block(heard)
            else:
                self._block.append(heard)
        except RefusedError as refusal:
            self._write(f"ERROR {refusal}")

    # -- games ---------------------------------------------------------------------------------------------------------

    def _start(self, heard: Heard) -> None:
        (size,) = numbers(heard.rest, 1, "a size, such as 20,")
        self._new_game(size, size)

    def _rect_start(self, heard: Heard) -> None:
        self._new_game(*numbers(heard.rest, 2, "width,height"))

    def _restart(self, _heard: Heard) -> None:
        self._new_game(self._board.width, self._board.height)

    def _new_game(self, width: int, height: int) -> None:
        if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
            raise RefusedError(f"board sizes are {MIN_SIZE} to {MAX_SIZE}, such as 15 or 20")
        self._block = None
        self._board = Position(width, height, self._board.rule, ())
        self._clock = self._clock._replace(left_ms=self._clock.match_ms)
        self._write("OK")

    def _begin(self, heard: Heard) -> None:
        if self._board.stones:
            raise RefusedError("BEGIN needs an empty board")
        self._answer(self._board, heard)

    def _turn(self, heard: Heard) -> None:
        x, y = numbers(heard.rest, 2, "x,y")
        self._answer(self._with_stones(self._board, [(x, y, OTHER)]), heard)

    def _take_back(self, heard: Heard) -> None:
        x, y = numbers(heard.rest, 2, "x,y")
        stones = self._board.stones
        if not stones or not 0 <= x < self._board.width or stones[-1][0] != y * self._board.width + x:
            raise RefusedError(f"{x},{y} is not the last move")
        self._board = self._board._replace(stones=stones[:-1])
        self._write("OK")

    def _open_block(self, _heard: Heard) -> None:
        self._block = []

    def _close_block(self, done: Heard) -> None:
        lines, self._block = self._block or [], None
        stones = []
        for line in lines:
            x, y, owner = numbers(line.text, 3, "x,y,owner")
            if owner not in OWNERS:
                raise RefusedError("the owner of a stone must be 1, 2 or 3")
            stones.append((x, y, OWNERS[owner]))
        self._answer(self._with_stones(self._board._replace(stones=()), stones), done)

    @staticmethod
    def _with_stones(board: Position, more: list[tuple[int, int, str]]) -> Position:
        """The position with more stones on it."""
        stones: list[Stone] = list(board.stones)
        taken = {cell for cell, _ in stones}
        for x, y, owner in more:
            cell = y * board.width + x
            if not (0 <= x < board.width and 0 <= y < board.height):
                raise RefusedError(f"{x},{y} is off the board")
            if cell in taken:
                raise RefusedError(f"{x},{y} is taken")
            taken.add(cell)
            stones.append((cell, owner))
        return board._replace(stones=tuple(stones))

    # -- thinking ------------------------------------------------------------------------------------------------------

    def _answer(self, board: Position, question: Heard) -> None:
        """Search a position, make the move and send it."""
        if len(board.stones) == board.cells:
            raise RefusedError("the board is full")
        if has_winner(board):
            raise RefusedError("the game is decided")
        began = question.at
        if self._is_first_move:
            self._is_first_move = False
            began -= self._start_ms() / 1000
        deadline = Deadline(began + thinking_ms(self._clock) / 1000, lambda: self._stops > question.stops)
        cell = self._choose(board, deadline)
        self._board = board._replace(stones=(*board.stones, (cell, OWN)))
        y, x = divmod(cell, board.width)
        self._write(f"{x},{y}")
        if self._clock.left_ms is not None:
            spent_ms = round(1000 * (time.perf_counter() - began))
            self._clock = self._clock._replace(left_ms=max(0, self._clock.left_ms - spent_ms))

    # -- settings and the rest -----------------------------------------------------------------------------------------

    def _info(self, heard: Heard) -> None:
        """Store a setting; INFO is never answered, and unknown keys and values are ignored."""
        key, _, value = heard.rest.partition(" ")
        if not NUMBER.fullmatch(value):
            return
        number = int(value)
        match key.lower():
            case "timeout_turn":
                self._clock = self._clock._replace(turn_ms=max(0, number))
            case "timeout_match":
                limit = number if number > 0 else None
                self._clock = self._clock._replace(match_ms=limit, left_ms=limit)
            case "time_left":
                left = None if number >= UNLIMITED_LEFT_MS else max(0, number)
                self._clock = self._clock._replace(left_ms=left)
            case "rule":
                self._board = self._board._replace(rule=number)

    def _about(self, _heard: Heard) -> None:
        self._write(
            f'name="{self._name}", version="{__version__}", author="The Kaname authors", country="International", '
            'www="https://pypi.org/project/kaname", email="none"'
        )

    def _stop(self, _heard: Heard) -> None:
        """Nothing to do: `hear` has already stopped the search, and STOP has no answer."""

    def _end(self, _heard: Heard) -> None:
        self.has_ended = True

    def _unknown(self, heard: Heard) -> None:
        self._write("UNKNOWN " + "".join(char if char.isprintable() else "?" for char in heard.text[:MAX_ECHO_LENGTH]))


def run_with(name: str, choose_with: ChooseWith, default: Settings, ideas: Sequence[str], min_depth: int = 1) -> None:
    """Serve a manager with the settings of the command line; does not return.

    A MESSAGE tells of each search, with its seconds of CPU time, which other processes do not disturb.
    """
    settings = parse(sys.argv[1:], name, default, ideas, min_depth)

    def choose(position: Position, deadline: Deadline) -> int:
        began = time.process_time()

        def tell(searched: Searched) -> None:
            write(f"MESSAGE {searched.text} cpu {time.process_time() - began:.6f}")

        return choose_with(position, deadline, settings, tell)

    run(name, choose)


def write(line: str) -> None:
    try:
        sys.stdout.buffer.write(line.encode("ascii", "replace") + b"\n")
        sys.stdout.buffer.flush()
    except OSError:  # the manager has exited
        os._exit(0)


def run(name: str, choose: Choose) -> None:
    """Serve a manager on standard input and output until END or the end of input; does not return."""
    # CPU time, not wall-clock time: the process may have been suspended since it started.
    conversation = Conversation(name, choose, write, lambda: 1000 * time.process_time())
    queue: SimpleQueue[Heard] = SimpleQueue()

    def listen() -> None:
        while True:
            line = sys.stdin.buffer.readline(MAX_LINE_LENGTH)
            heard = conversation.hear(line.decode("ascii", "replace") if line else "END")
            queue.put(heard)
            if heard.word == "END":
                time.sleep(EXIT_WITHIN_S)
                os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C without a traceback
    threading.Thread(target=listen, daemon=True).start()
    while not conversation.has_ended:
        conversation.act(queue.get())
    os._exit(0)
