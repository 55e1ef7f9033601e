"""The brain that managers talk to: commands come in as values, answers go out as lines."""

from collections.abc import Callable
from typing import NamedTuple

from pbrain import __version__
from pbrain.brain import commands
from pbrain.brain.blocks import Block
from pbrain.brain.commands import (
    BestMoves,
    Command,
    Info,
    Key,
    Malformed,
    Play,
    Start,
    Stone,
    TakeBack,
    Tune,
    Turn,
    Unknown,
    Useless,
    Word,
)
from pbrain.brain.game import Game, RefusedError, illegal_moves_are_refused
from pbrain.brain.settings import Settings
from pbrain.brain.turns import TurnTimer
from pbrain.core.notation import report_text
from pbrain.core.params import BLACK
from pbrain.core.types import Move, Report
from pbrain.engine import swap2
from pbrain.engine.engine import Engine, NoMoveError
from pbrain.engine.lines import BestLines
from pbrain.engine.memory import max_threads
from pbrain.engine.thinking import Thinker

SWAP2_STONES = (0, 3, 5)
INSIDE_A_BLOCK = (Word.RESTART, Word.DONE, Word.END, Word.STOP)  # obeyed there, as START and INFO are

ABOUT_TEXT = (
    f'name="Kaname", version="{__version__}", author="The Kaname authors", country="International", '
    'www="https://pypi.org/project/kaname", email="none"'
)


class Heard(NamedTuple):
    """A line that was heard: its command, its number among all lines, and the moment on the kernel's clock."""

    command: Command | None
    number: int
    at_ns: int


class Brain:
    """One conversation with a manager; `write` gets each line of the answers.

    A line is heard the moment it arrives, by any thread, so that it can stop a search. It is acted on in its turn.
    """

    def __init__(self, engine: Engine, write: Callable[[str], None], start_cost_ns: int = 0) -> None:
        self._engine = engine
        self._game = Game(engine)
        self._settings = Settings(engine.rule)
        self._timer = TurnTimer(self._settings, start_cost_ns)
        self._thinker = Thinker(engine)
        self._write = write
        self._block: Block | None = None
        self._heard = 0  # lines
        self._stopped_at = 0  # the last of them that asked for an answer at once
        self.has_ended = False

    @property
    def own_colour(self) -> int | None:
        return self._game.own_colour

    # -- hearing and acting --------------------------------------------------------------------------------------------

    def hear(self, line: str) -> Heard:
        """Parse a line; one that asks for an answer at once stops the search."""
        command = commands.parse(line)
        self._heard += 1
        if commands.asks_to_stop(command):
            self._stopped_at = self._heard
            self._engine.stop()
        return Heard(command, self._heard, self._engine.now_ns())

    def act(self, heard: Heard) -> None:
        """Carry out what was heard."""
        command = heard.command
        if command is None:
            return
        try:
            if self._block is None or command in INSIDE_A_BLOCK or isinstance(command, Start | Info | Tune | Useless):
                self._obey(command, heard)
            else:
                self._block.add(command)
        except RefusedError as refusal:
            self._write(f"ERROR {refusal}")

    def _obey(self, command: Command, heard: Heard) -> None:
        match command:
            case Start(width, height):
                self._start(width, height)
            case Word.RESTART:
                self._start(*self._engine.size)
            case Word.BEGIN:
                self._begin(heard)
            case Turn(x, y):
                self._turn(x, y, heard)
            case Play(x, y):
                self._play(x, y)
            case TakeBack(x, y):
                self._take_back(x, y)
            case Word.BOARD | Word.YXBOARD | Word.SWAP2BOARD:
                self._open_block(command)
            case Word.DONE:
                self._close_block(heard)
            case Stone(x, y):
                self._write(f"UNKNOWN {x},{y} outside a block")
            case Info():
                self._set(command)
            case Tune(name, value):
                self._tune(name, value)
            case Useless(reason):
                self._write(f"MESSAGE {reason}")
            case Word.ABOUT:
                self._write(ABOUT_TEXT)
            case Word.END:
                self.has_ended = True
            case Word.STOP:
                pass  # it was obeyed when it was heard
            case Word.YXSHOWFORBID:
                self._show_forbidden()
            case Word.YXHASHCLEAR:
                self._clear_hash()
            case BestMoves(number):
                self._best_moves(number, heard)
            case Word.YXSHOWINFO:
                self._show_info()
            case Unknown(text):
                self._write(f"UNKNOWN {text}")
            case Malformed(reason):
                raise RefusedError(reason)

    # -- the game ------------------------------------------------------------------------------------------------------

    def _start(self, width: int, height: int) -> None:
        self._block = None
        self._game.start(width, height)
        self._timer.start_game()
        self._write("OK")
        self._engine.prepare_table()

    def _begin(self, heard: Heard) -> None:
        if self._engine.moves:
            raise RefusedError("BEGIN needs an empty board")
        self._answer(heard)

    def _turn(self, x: int, y: int, heard: Heard) -> None:
        with self._game.restored_if_refused():
            self._game.place_opponents(x, y)
            self._answer(heard)

    def _play(self, x: int, y: int) -> None:
        self._game.place_own(x, y)
        self._write(f"{x},{y}")

    def _take_back(self, x: int, y: int) -> None:
        self._game.take_back((x, y))
        self._write("OK")

    # -- blocks of stones ----------------------------------------------------------------------------------------------

    def _open_block(self, word: Word) -> None:
        self._block = Block(word)
        if word is Word.YXBOARD:
            self._settings.is_gui = True

    def _close_block(self, heard: Heard) -> None:
        block, self._block = self._block, None
        if block is None:
            self._write("UNKNOWN DONE outside a block")
            return
        if block.fault:
            raise RefusedError(block.fault)
        if block.opened_by is Word.SWAP2BOARD:
            self._swap2([(stone.x, stone.y) for stone in block.stones], heard)
            return
        with self._game.restored_if_refused():
            self._game.set_up(block.stones)
            if block.opened_by is Word.BOARD:
                self._answer(heard)

    def _swap2(self, stones: list[Move], heard: Heard) -> None:
        if len(stones) not in SWAP2_STONES:
            raise RefusedError(f"SWAP2BOARD has 0, 3 or 5 stones, not {len(stones)}")
        limits = self._timer.begin(heard.at_ns, own_moves=0)
        self._allow_thinking(heard)
        with illegal_moves_are_refused():
            self._write(swap2.answer(self._engine, stones, limits))

    # -- thinking ------------------------------------------------------------------------------------------------------

    def _allow_thinking(self, heard: Heard) -> None:
        """A stop that came before the question has no effect; one that came after it has."""
        self._engine.allow_thinking()
        if self._stopped_at > heard.number:
            self._engine.stop()

    def _answer(self, heard: Heard, lines: int = 1) -> None:
        """Think about the position, write the move and play it."""
        limits = self._timer.begin(heard.at_ns, own_moves=self._engine.moves // 2)
        self._allow_thinking(heard)
        if self._settings.is_continuous:
            self._engine.ignore_winner()
        try:
            report = self._thinker.think(limits, self._teller(lines), lines)
        except NoMoveError as error:
            raise RefusedError(str(error)) from error
        # Before the answer: a manager that hears it may suspend the process at once, for as long as it likes.
        self._timer.end(limits, heard.at_ns, self._engine.now_ns())
        self._write(f"{report.move[0]},{report.move[1]}")
        self._thinker.settle()
        self._game.place_own(*report.move)

    def _teller(self, lines: int) -> Callable[[Report], None]:
        """What tells the manager of each report; several lines are told together, best first."""
        if lines == 1:
            return self._tell
        best, told = BestLines(), list[Report]()

        def tell(report: Report) -> None:
            best.add(report)
            ranked = best.ranked()
            if ranked != told and (len(ranked) == lines or report.depth > 1):
                told[:] = ranked
                for line in ranked:
                    self._tell(line)

        return tell

    def _tell(self, report: Report) -> None:
        self._write(f"MESSAGE {report_text(report)}")
        if self._settings.shows_realtime and report.rank == 1:
            self._write(f"MESSAGE REALTIME BEST {report.move[0]},{report.move[1]}")
            self._write("MESSAGE REALTIME PV " + " ".join(f"{x},{y}" for x, y in report.line))

    def _best_moves(self, number: int, heard: Heard) -> None:
        self._settings.is_gui = True
        if number < 1:
            raise RefusedError("YXNBEST needs a number of moves from 1 on")
        self._answer(heard, number)

    # -- settings, and what graphical boards ask -----------------------------------------------------------------------

    def _set(self, info: Info) -> None:
        """INFO is never answered."""
        self._settings.set(info)
        if info.key is Key.RULE:
            self._game.set_rule(self._settings.rule)
        elif info.key in (Key.MAX_MEMORY, Key.HASH_SIZE, Key.THREAD_NUM):
            self._engine.set_threads(self._settings.threads)
            self._engine.set_table_bytes(self._settings.table_bytes)
        self._engine.prepare_table()

    def _tune(self, name: str, value: int) -> None:
        """Who tunes this engine must hear of it if nothing changes."""
        if not self._engine.set_parameter(name, value):
            self._write(f"ERROR {name} is a constant here; python -m pbrain build --tunable makes a library to tune")

    def _show_forbidden(self) -> None:
        self._settings.is_gui = True
        points = self._engine.forbidden_points() if self._engine.to_move == BLACK else []
        self._write("FORBID " + "".join(f"{x:02d}{y:02d}" for x, y in points) + ".")

    def _clear_hash(self) -> None:
        self._settings.is_gui = True
        self._engine.clear_table()
        self._engine.prepare_table()

    def _show_info(self) -> None:
        self._settings.is_gui = True
        self._write(f"MESSAGE INFO MAX_THREAD_NUM {max_threads()}")
        self._write(f"MESSAGE INFO MAX_HASH_SIZE {self._engine.table_bytes >> 10}")
