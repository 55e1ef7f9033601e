"""A game between a person and the engine, in a terminal."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pbrain.console import psq, view
from pbrain.console.options import RULE_NAMES, parse_duration_ms, parse_rule, parse_size
from pbrain.console.terminal import Console
from pbrain.core.notation import cell_name, parse_cell, score_text
from pbrain.core.params import BLACK, EMPTY, WHITE
from pbrain.core.types import Budget, Limits, Move, Rule
from pbrain.engine import thinking
from pbrain.engine.engine import Engine

TEXT_WIDTH = 79
MAX_ECHO = 20
COLOUR_NAMES = ("black", "white")
AFTER_THE_GAME = "Type undo, new, save or quit."

HELP = """\
h8         put your stone on column h, row 8
undo       take back your last move and the reply to it
hint       show what Kaname would play
save FILE  save the game as a Piskvork file
new        start a new game
quit       leave; Ctrl-C and the end of input do the same
While Kaname is thinking, Ctrl-C makes it move at once."""


class Settings(NamedTuple):
    """What all games of a session have in common."""

    size: tuple[int, int]
    rule: Rule
    turn_ms: float
    person: int = BLACK
    path: Path | None = None  # where each game is saved


def parse_settings(size: str, rule: str, time: str, is_person_white: bool, path: str | None) -> Settings:
    """The settings that were typed; ValueError with a sentence if one is wrong."""
    saved_in = None if path is None else Path(path)
    if saved_in is not None and (saved_in.is_dir() or not saved_in.parent.is_dir()):
        raise ValueError(f"{path!r} is not a file in an existing folder")
    person = WHITE if is_person_white else BLACK
    return Settings(parse_size(size), parse_rule(rule), parse_duration_ms(time), person, saved_in)


class RefusedError(Exception):
    """What was typed cannot be done. Nothing has changed, and the text says why."""


def ending(engine: Engine, person: int) -> str | None:
    """How the game ended, as a sentence for the person; None while it goes on."""
    if engine.winner is not None:
        return f"{'You win' if engine.winner == person else 'Kaname wins'} with {cell_name(engine.history[-1])}."
    if engine.is_full:
        return "The board is full: a draw."
    if engine.rule == Rule.RENJU and engine.to_move == BLACK:
        width, height = engine.size
        if len(engine.forbidden_points()) == width * height - engine.moves:
            return "Every free cell is forbidden to black: a draw."
    return None


def numbered(path: Path, game: int) -> Path:
    """The file for a game of the session, counted from 1: game.psq, game-2.psq, …"""
    return path if game == 1 else path.with_stem(f"{path.stem}-{game}")


class Session:
    """One game after another, until the person leaves."""

    def __init__(self, engine: Engine, settings: Settings, console: Console, now_ms: Callable[[], float]) -> None:
        self._engine, self._settings, self._console, self._now_ms = engine, settings, console, now_ms
        self._limits = Limits(Budget(settings.turn_ms, settings.turn_ms))
        self._taken_ms: list[float] = []
        self._turn_began_ms = 0.0
        self._ending: str | None = None
        self._games = 0
        self._kept: tuple[Move, ...] = ()
        self._is_over = False
        self._commands: dict[str, Callable[[], None]] = {
            "undo": self._undo,
            "hint": self._hint,
            "save": self._save_again,
            "new": self._new,
            "quit": self._quit,
            "exit": self._quit,
            "help": self._help,
            "?": self._help,
        }

    def run(self) -> None:
        """Play until the person quits; Ctrl-C and the end of input do the same."""
        try:
            self._new()
            while not self._is_over:
                self._obey(self._console.read(self._prompt))
        except (EOFError, KeyboardInterrupt):
            pass
        self._keep()

    @property
    def _prompt(self) -> str:
        return "game over: " if self._ending else f"your move ({view.STONES[self._settings.person]}): "

    def _obey(self, line: str) -> None:
        word, rest = (*line.split(None, 1), "", "")[:2]
        command = self._commands.get(word.lower())
        try:
            if word.lower() == "save" and rest:
                self._save(Path(rest.strip()))
            elif command is not None and rest:
                raise RefusedError(f"{word} takes no argument.")
            elif command is not None:
                command()
            elif word:
                self._move(line.strip())
        except RefusedError as refusal:
            self._say(str(refusal))

    # -- moves ---------------------------------------------------------------------------------------------------------

    def _move(self, text: str) -> None:
        move = self._legal(text)
        self._place(move, self._now_ms() - self._turn_began_ms)
        if self._ending is None:
            self._answer()
        self._show()

    def _legal(self, text: str) -> Move:
        try:
            move = parse_cell(text)
        except ValueError:
            raise RefusedError(
                f"{text[:MAX_ECHO]!a} is neither a cell such as h8 nor a command. Type help for the commands."
            ) from None
        name, (width, height) = cell_name(move), self._engine.size
        if self._ending is not None:
            raise RefusedError(f"The game is over. {AFTER_THE_GAME}")
        if not (move[0] < width and move[1] < height):
            raise RefusedError(f"{name} is not on the board, which ends at {cell_name((width - 1, height - 1))}.")
        if self._engine.stone(*move) != EMPTY:
            raise RefusedError(f"{name} is taken.")
        if self._settings.person == BLACK and self._engine.is_forbidden(*move):
            raise RefusedError(f"{name} is forbidden to black in renju: an overline, a double four or a double three.")
        return move

    def _answer(self) -> None:
        """The engine's move."""
        if self._console.is_terminal:
            self._say("Kaname is thinking. Ctrl-C makes it move at once.")
        began_ms = self._now_ms()
        report = thinking.think(self._engine, self._limits)
        self._place(report.move, self._now_ms() - began_ms)

    def _place(self, move: Move, taken_ms: float) -> None:
        self._engine.play(*move)
        self._taken_ms.append(taken_ms)
        self._ending = ending(self._engine, self._settings.person)
        if self._ending is not None:
            self._keep()

    def _undo(self) -> None:
        if self._engine.moves <= self._settings.person:
            raise RefusedError("You have no move to take back.")
        while True:
            self._engine.undo()
            self._taken_ms.pop()
            if self._engine.to_move == self._settings.person:
                break
        self._ending = None
        self._show()

    def _hint(self) -> None:
        if self._ending is not None:
            raise RefusedError("The game is over: there is no move to suggest.")
        if self._console.is_terminal:
            self._say("Kaname is thinking. Ctrl-C makes it answer at once.")
        report = thinking.think(self._engine, self._limits)
        line = " ".join(cell_name(move) for move in report.line)
        reason = f"depth {report.depth}, {score_text(report)}: {line}" if report.depth else "not searched"
        self._say(textwrap.fill(f"Hint: {cell_name(report.move)} ({reason}).", TEXT_WIDTH))

    # -- games ---------------------------------------------------------------------------------------------------------

    def _new(self) -> None:
        if self._games:
            self._keep()
        self._engine.new_game(*self._settings.size, self._settings.rule)
        self._taken_ms, self._ending, self._kept = [], None, ()
        self._games += 1
        self._greet()
        if self._settings.person == WHITE:
            self._answer()
        self._show()

    def _greet(self) -> None:
        (width, height), rule, turn_ms, person, _ = self._settings
        order = "move first" if person == BLACK else "move second"
        self._say(f"{RULE_NAMES[rule].capitalize()}, {width}x{height}, {turn_ms / 1000:g} s per move for Kaname.")
        self._say(
            f"You are {COLOUR_NAMES[person]} ({view.STONES[person]}) and {order}. Type a cell such as h8, or help."
        )

    def _quit(self) -> None:
        self._is_over = True

    # -- files ---------------------------------------------------------------------------------------------------------

    def _save_again(self) -> None:
        if self._settings.path is None:
            raise RefusedError("save needs a file name: save game.psq")
        self._save(numbered(self._settings.path, self._games))

    def _save(self, path: Path) -> None:
        if not self._taken_ms:
            raise RefusedError("There is no move to save yet.")
        levels = [psq.level(self._settings.turn_ms)] * 2
        levels[self._settings.person] = psq.HUMAN_LEVEL
        moves = [psq.TimedMove(*timed) for timed in zip(self._engine.history, self._taken_ms, strict=True)]
        text = psq.psq_text(self._engine.size, (levels[BLACK], levels[WHITE]), moves)
        try:
            path.expanduser().write_text(text, encoding="ascii", newline="")
        except OSError as error:
            raise RefusedError(f"{path} cannot be written: {error.strerror}.") from None
        except (ValueError, RuntimeError):  # a zero byte, or the home folder of an unknown user
            raise RefusedError(f"{str(path)!a} is not a file name.") from None
        self._say(f"Saved as {path}.")

    def _keep(self) -> None:
        """Save the game if the settings ask for it and it has changed since it was last saved."""
        if self._settings.path is not None and self._engine.history != self._kept:
            self._kept = self._engine.history
            try:
                self._save_again()
            except RefusedError as refusal:
                self._say(str(refusal))

    # -- showing -------------------------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self._console.write(text)

    def _help(self) -> None:
        self._say(HELP)

    def _show(self) -> None:
        """Show the board and the last move; the person's clock starts here."""
        engine, person = self._engine, self._settings.person
        moves = engine.history
        marked = view.winning_stones(moves) if engine.winner is not None else set(moves[-1:])
        forbidden = engine.forbidden_points() if person == BLACK and self._ending is None else []
        self._say("\n" + view.board_text(engine.size, moves, marked, forbidden, self._console.is_coloured))
        news = []
        if moves and engine.to_move == person:
            seconds = self._taken_ms[-1] / 1000
            news.append(f"Kaname ({view.STONES[1 - person]}) played {cell_name(moves[-1])} in {seconds:.1f} s.")
        if forbidden:
            news.append(f"You may not play on {view.FORBIDDEN}.")
        if news:
            self._say(" ".join(news))
        if self._ending is not None:
            self._say(f"{self._ending} {AFTER_THE_GAME}")
        self._turn_began_ms = self._now_ms()


def run(engine: Engine, settings: Settings, console: Console) -> None:
    """Play on this console."""
    Session(engine, settings, console, lambda: engine.now_ns() / 1e6).run()
