"""The brain that managers talk to: commands come in as values, and only this module writes to them.

A reader thread hears lines while the kernel thinks. What asks for an answer at once stops the search from there;
everything is carried out in order by the main thread.
"""

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, BinaryIO

from pbrain import __version__
from pbrain.brain import commands
from pbrain.brain.commands import (
    About,
    Begin,
    BestMoves,
    Board,
    ClearHash,
    Command,
    Done,
    End,
    Info,
    Malformed,
    Play,
    Restart,
    ShowForbidden,
    ShowInfo,
    Start,
    Stone,
    Stop,
    Swap2Board,
    TakeBack,
    Turn,
    Unknown,
)
from pbrain.brain.processes import leave
from pbrain.core.notation import report_text
from pbrain.core.params import BLACK, WHITE
from pbrain.core.types import CONTINUOUS, Clock, Limits, Move, Report, Rule
from pbrain.engine import swap2, timeman
from pbrain.engine.engine import Engine, IllegalMoveError, NoMoveError
from pbrain.engine.memory import table_bytes
from pbrain.engine.thinking import Thinker

UNLIMITED_LEFT_MS = 2147483647
OWN, OPPONENT, NOBODY = 1, 2, 3
MAX_THREADS = 1
LARGEST_VALUE = 1 << 40  # of INFO: more milliseconds, bytes or nodes than anyone has
LONGEST_LINE = 1 << 16
EXIT_WITHIN_S = 0.06  # after END, whatever else happens

ABOUT_TEXT = (
    f'name="Kaname", version="{__version__}", author="The Kaname authors", country="International", '
    'www="https://pypi.org/project/kaname", email="none"'
)


class RefusedError(Exception):
    """A command that cannot be carried out; nothing has changed, and the manager is told why."""


class Block:
    """The stones of a BOARD, YXBOARD or SWAP2BOARD while its lines come in."""

    def __init__(self, opened_by: Board | Swap2Board) -> None:
        self.opened_by = opened_by
        self.stones: list[Stone] = []
        self.fault: str | None = None


class Brain:
    """One conversation: settings, the block being read, the clock; `write` gets each line of the answers.

    `start_cost_ns` is taken off the first turn: managers that start their clock with the process count its start.
    """

    def __init__(self, engine: Engine, write: Callable[[str], None], start_cost_ns: int = 0) -> None:
        self._engine = engine
        self._thinker = Thinker(engine)
        self._write = write
        self._start_cost_ns = start_cost_ns
        self._block: Block | None = None
        self._clock = Clock()
        self._delay_ms = 0.0
        self._depth: int | None = None
        self._nodes: int | None = None
        self._memory: int | None = None
        self._hash: int | None = None
        self._is_continuous = False
        self._is_gui = False  # a command or key that only Yixin-Board and its like send was seen
        self._shows_realtime = False
        self._heard = 0  # lines heard
        self._stopped_at = 0  # the last of them that asked for an answer at once
        self.has_ended = False
        self._handlers: dict[type, Callable[[Any, int, int], None]] = {
            Start: self._start,
            Restart: self._restart,
            Begin: self._begin,
            Turn: self._turn,
            Play: self._play,
            TakeBack: self._take_back,
            Board: self._open_block,
            Swap2Board: self._open_block,
            Stone: self._stone,
            Done: self._done,
            Info: self._info,
            About: self._about,
            End: self._end,
            Stop: self._stop,
            ShowForbidden: self._show_forbidden,
            ClearHash: self._clear_hash,
            BestMoves: self._best_moves,
            ShowInfo: self._show_info,
            Unknown: self._unknown,
            Malformed: self._malformed,
        }

    # -- hearing and acting --------------------------------------------------------------------------------------------

    def hear(self, line: str) -> tuple[Command | None, int, int]:
        """Parse a line the moment it arrives, from any thread: what stops a search does so here."""
        command = commands.parse(line)
        self._heard += 1
        if commands.asks_to_stop(command):
            self._stopped_at = self._heard
            self._engine.stop()
        return command, self._heard, self._engine.now_ns()

    def act(self, command: Command | None, number: int, asked_ns: int) -> None:
        """Carry a command out; `number` is its place among all lines, `asked_ns` when it was heard."""
        if command is None:
            return
        if self._block is not None and not isinstance(command, Stone | Done | Info | Start | Restart | End | Stop):
            self._block.fault = self._block.fault or "a line of the block is no stone"
            return
        if isinstance(command, Start | Restart):
            self._block = None
        try:
            self._handlers[type(command)](command, number, asked_ns)
        except RefusedError as refusal:
            self._write(f"ERROR {refusal}")

    # -- games ---------------------------------------------------------------------------------------------------------

    def _start(self, command: Start, _number: int, _asked_ns: int) -> None:
        try:
            self._engine.new_game(command.width, command.height, self._engine.rule)
        except ValueError as error:
            raise RefusedError(f"{error}; 15 and 20 are usual") from error
        self._forget_time_left()
        self._write("OK")

    def _restart(self, _command: Restart, _number: int, _asked_ns: int) -> None:
        self._engine.new_game(*self._engine.size, self._engine.rule)
        self._forget_time_left()
        self._write("OK")

    def _forget_time_left(self) -> None:
        self._clock = self._clock._replace(left_ms=self._clock.match_ms)

    def _begin(self, _command: Begin, number: int, asked_ns: int) -> None:
        if self._engine.moves:
            raise RefusedError("BEGIN wants an empty board")
        self._answer(number, asked_ns)

    def _turn(self, command: Turn, number: int, asked_ns: int) -> None:
        self._place(command.x, command.y)
        try:
            self._answer(number, asked_ns)
        except RefusedError:
            self._engine.undo()
            raise

    def _play(self, command: Play, _number: int, _asked_ns: int) -> None:
        self._place(command.x, command.y)
        self._write(f"{command.x},{command.y}")

    def _place(self, x: int, y: int) -> None:
        try:
            self._engine.play(x, y)
        except IllegalMoveError as error:
            raise RefusedError(str(error)) from error

    def _take_back(self, command: TakeBack, _number: int, _asked_ns: int) -> None:
        if not self._engine.moves or self._engine.history[-1] != (command.x, command.y):
            raise RefusedError(f"{command.x},{command.y} is not the newest stone")
        self._engine.undo()
        self._write("OK")

    # -- blocks of stones ----------------------------------------------------------------------------------------------

    def _open_block(self, command: Board | Swap2Board, _number: int, _asked_ns: int) -> None:
        self._block = Block(command)
        if isinstance(command, Board) and not command.is_question:
            self._is_gui = True

    def _stone(self, stone: Stone, _number: int, _asked_ns: int) -> None:
        if self._block is None:
            self._write(f"UNKNOWN {stone.x},{stone.y} outside a block")
            return
        is_board = isinstance(self._block.opened_by, Board)
        if is_board and stone.owner not in (OWN, OPPONENT, NOBODY):
            self._block.fault = self._block.fault or "a stone's owner is 1, 2 or 3"
        elif not is_board and stone.owner is not None:
            self._block.fault = self._block.fault or "a stone of SWAP2BOARD is x,y"
        self._block.stones.append(stone)

    def _done(self, _command: Done, number: int, asked_ns: int) -> None:
        block, self._block = self._block, None
        if block is None:
            self._write("UNKNOWN DONE outside a block")
            return
        if block.fault:
            raise RefusedError(block.fault)
        if isinstance(block.opened_by, Swap2Board):
            self._swap2([(stone.x, stone.y) for stone in block.stones], number, asked_ns)
            return
        before, mover = self._engine.stones, self._engine.to_move
        stones, own_colour = coloured(block.stones)
        try:
            self._engine.set_position(stones, own_colour)
            if block.opened_by.is_question:
                self._answer(number, asked_ns)
        except IllegalMoveError as error:
            raise RefusedError(str(error)) from error
        except RefusedError:
            self._engine.set_position(before, mover)
            raise

    def _swap2(self, stones: list[Move], number: int, asked_ns: int) -> None:
        if len(stones) not in (0, 3, 5):
            raise RefusedError(f"SWAP2BOARD has 0, 3 or 5 stones, not {len(stones)}")
        self._prepare_to_think(number)
        try:
            self._write(swap2.answer(self._engine, stones, self._limits(), self._turn_began(asked_ns)))
        except IllegalMoveError as error:
            raise RefusedError(str(error)) from error

    # -- thinking ------------------------------------------------------------------------------------------------------

    def _limits(self) -> Limits:
        own_moves = self._engine.moves // 2
        return Limits(timeman.budget(self._clock, own_moves, self._delay_ms), self._depth, self._nodes)

    def _prepare_to_think(self, number: int) -> None:
        """A stop that came before the question is void; one that came after it is not."""
        self._engine.allow_thinking()
        if self._stopped_at > number:
            self._engine.stop()

    def _turn_began(self, asked_ns: int) -> int:
        """When the manager's clock for this move started."""
        cost, self._start_cost_ns = self._start_cost_ns, 0
        return asked_ns - cost

    def _answer(self, number: int, asked_ns: int, lines: int = 1) -> None:
        """Think about the position, play the move and say it."""
        limits, began_ns = self._limits(), self._turn_began(asked_ns)
        self._prepare_to_think(number)
        if self._is_continuous:
            self._engine.ignore_winner()
        try:
            report = self._thinker.think(limits, began_ns, self._tell, lines)
        except NoMoveError as error:
            raise RefusedError(str(error)) from error
        # Before the answer: a manager that hears it may suspend the process at once, for as long as it likes.
        self._note_time(limits, asked_ns, began_ns)
        self._write(f"{report.move[0]},{report.move[1]}")
        self._thinker.settle()
        self._engine.play(*report.move)

    def _note_time(self, limits: Limits, asked_ns: int, began_ns: int) -> None:
        """Learn from how late the answer was; what the start of the process took is no delay that comes back."""
        now_ns = self._engine.now_ns()
        if limits.budget is not None:
            behind_ms = (now_ns - asked_ns) / 1e6 - limits.budget.maximum_ms
            self._delay_ms = timeman.remembered_delay(self._delay_ms, behind_ms)
        if self._clock.left_ms is not None:
            left = self._clock.left_ms - round((now_ns - began_ns) / 1e6) + self._clock.increment_ms
            self._clock = self._clock._replace(left_ms=max(0, left))

    def _tell(self, report: Report) -> None:
        self._write(f"MESSAGE {report_text(report)}")
        if self._shows_realtime and report.rank == 1:
            self._write(f"MESSAGE REALTIME BEST {report.move[0]},{report.move[1]}")
            self._write("MESSAGE REALTIME PV " + " ".join(f"{x},{y}" for x, y in report.line))

    def _best_moves(self, command: BestMoves, number: int, asked_ns: int) -> None:
        self._is_gui = True
        if command.number < 1:
            raise RefusedError("YXNBEST wants a number of moves from 1 on")
        self._answer(number, asked_ns, command.number)

    # -- settings ------------------------------------------------------------------------------------------------------

    def _info(self, command: Info, _number: int, _asked_ns: int) -> None:
        """Never answered: a key or a value that means nothing here is passed over."""
        setting = INFO_KEYS.get(command.key)
        if setting is None:
            return
        try:
            value = int(command.value)
        except ValueError:
            return
        setting(self, max(-LARGEST_VALUE, min(value, LARGEST_VALUE)))

    def _set_rule(self, mask: int) -> None:
        if self._is_gui and mask == CONTINUOUS:
            mask = Rule.RENJU
        try:
            rule = Rule.from_mask(mask)
        except ValueError:
            return
        self._is_continuous = bool(mask & CONTINUOUS)
        if rule != self._engine.rule:
            stones, mover = self._engine.stones, self._engine.to_move
            self._engine.new_game(*self._engine.size, rule)
            self._engine.set_position(stones, mover)

    def _set_clock(self, **changes: int | None) -> None:
        self._clock = self._clock._replace(**changes)  # type: ignore[arg-type]

    def _set_match(self, match_ms: int) -> None:
        limit = match_ms if match_ms > 0 else None
        self._set_clock(match_ms=limit, left_ms=limit)

    def _set_left(self, left_ms: int) -> None:
        self._set_clock(left_ms=None if left_ms >= UNLIMITED_LEFT_MS else max(0, left_ms))

    def _set_memory(self, limit: int) -> None:
        self._memory = limit if limit > 0 else None
        self._size_table()

    def _set_hash(self, kilobytes: int) -> None:
        self._hash = 1024 * kilobytes if kilobytes > 0 else None
        self._size_table()

    def _size_table(self) -> None:
        self._engine.set_table_bytes(table_bytes(self._memory, self._hash))

    def _set_depth(self, depth: int) -> None:
        self._depth = depth if depth > 0 else None

    def _set_nodes(self, nodes: int) -> None:
        self._nodes = nodes if nodes > 0 else None

    def _set_detail(self, detail: int) -> None:
        self._is_gui = True
        self._shows_realtime = detail in (1, 3)

    # -- the rest ------------------------------------------------------------------------------------------------------

    def _about(self, _command: About, _number: int, _asked_ns: int) -> None:
        self._write(ABOUT_TEXT)

    def _end(self, _command: End, _number: int, _asked_ns: int) -> None:
        self.has_ended = True

    def _stop(self, _command: Stop, _number: int, _asked_ns: int) -> None:
        """Stops what is being thought when it is heard; where nothing is, there is nothing to say."""

    def _show_forbidden(self, _command: ShowForbidden, _number: int, _asked_ns: int) -> None:
        self._is_gui = True
        points = self._engine.forbidden_points() if self._engine.to_move == BLACK else []
        self._write("FORBID " + "".join(f"{x:02d}{y:02d}" for x, y in points) + ".")

    def _clear_hash(self, _command: ClearHash, _number: int, _asked_ns: int) -> None:
        self._is_gui = True
        self._engine.clear_table()

    def _show_info(self, _command: ShowInfo, _number: int, _asked_ns: int) -> None:
        self._is_gui = True
        self._write(f"MESSAGE INFO MAX_THREAD_NUM {MAX_THREADS}")
        self._write(f"MESSAGE INFO MAX_HASH_SIZE {self._engine.table_bytes >> 10}")

    def _unknown(self, command: Unknown, _number: int, _asked_ns: int) -> None:
        self._write(f"UNKNOWN {command.text}")

    def _malformed(self, command: Malformed, _number: int, _asked_ns: int) -> None:
        raise RefusedError(command.reason)


INFO_KEYS: dict[str, Callable[[Brain, int], None]] = {
    "timeout_turn": lambda brain, ms: brain._set_clock(turn_ms=max(0, ms)),
    "timeout_match": Brain._set_match,
    "time_left": Brain._set_left,
    "time_increment": lambda brain, ms: brain._set_clock(increment_ms=max(0, ms)),
    "max_memory": Brain._set_memory,
    "hash_size": Brain._set_hash,
    "rule": Brain._set_rule,
    "max_depth": Brain._set_depth,
    "max_node": Brain._set_nodes,
    "show_detail": Brain._set_detail,
}


def coloured(stones: list[Stone]) -> tuple[list[tuple[int, int, int]], int]:
    """The stones of a BOARD as (x, y, colour), and our colour: black moves first, so we are black unless behind.

    Nobody's stones, dead ones of a continuous game, get colours in a pattern that puts no three in a row.
    """
    own = sum(stone.owner == OWN for stone in stones)
    theirs = sum(stone.owner == OPPONENT for stone in stones)
    own_colour = BLACK if own >= theirs else WHITE
    colours = {OWN: own_colour, OPPONENT: WHITE - own_colour}
    return [
        (stone.x, stone.y, colours.get(stone.owner or NOBODY, (stone.x + 2 * stone.y) // 2 % 2)) for stone in stones
    ], own_colour


def run(engine: Engine, source: BinaryIO, sink: BinaryIO, start_cost_ns: int) -> None:
    """Talk to a manager until END or the end of its input; does not return."""

    def write(line: str) -> None:
        try:
            sink.write(line.encode("ascii", "replace") + b"\n")
            sink.flush()
        except OSError:  # the manager is gone, and nobody is left to tell
            leave()

    brain = Brain(engine, write, start_cost_ns)
    heard: SimpleQueue[tuple[Command | None, int, int]] = SimpleQueue()

    def listen() -> None:
        while True:
            line = source.readline(LONGEST_LINE)
            command, number, asked_ns = brain.hear(line.decode("ascii", "replace") if line else "END")
            heard.put((command, number, asked_ns))
            if isinstance(command, End):
                time.sleep(EXIT_WITHIN_S)
                leave()

    threading.Thread(target=listen, daemon=True).start()
    while not brain.has_ended:
        brain.act(*heard.get())
    leave()  # no clean-up can hold the process up: Judge kills it 500 ms after END
