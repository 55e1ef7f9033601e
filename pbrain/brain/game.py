"""The game as the manager sees it: the stones, whose turn it is, and which colour is ours.

Whose turn it is belongs to the position. Which colour is ours does not follow from it, because a block may hold any
stones of both sides, and TAKEBACK may end with either side to move. So our colour is remembered:

- On an empty board nobody has a colour. The first stone is black.
- BOARD and YXBOARD say which stones are ours; then it is our turn.
- BEGIN, YXNBEST and PLAY give us the colour whose turn it is: we place its stone.
- TURN is always a stone of the opponent's, even if it was our turn. If we have no colour yet, the opponent's is the
  one whose turn it is.
- TAKEBACK takes the newest stone off. Then it is the turn of that stone's colour; our colour stays the same.
- INFO rule and SWAP2BOARD leave all of this alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pbrain.brain.blocks import coloured
from pbrain.brain.commands import Stone
from pbrain.core.params import WHITE
from pbrain.core.types import Move, Rule
from pbrain.engine.engine import Engine, IllegalMoveError


class RefusedError(Exception):
    """A command that cannot be carried out; nothing has changed, and the text says why."""


@contextmanager
def illegal_moves_are_refused() -> Iterator[None]:
    try:
        yield
    except IllegalMoveError as error:
        raise RefusedError(str(error)) from error


class Game:
    """The position on the engine's board, and our colour in it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._own_colour: int | None = None

    @property
    def own_colour(self) -> int | None:
        """Our colour, None while the board is empty or nothing has said which it is."""
        return self._own_colour

    def start(self, width: int, height: int) -> None:
        try:
            self._engine.new_game(width, height, self._engine.rule)
        except ValueError as error:
            raise RefusedError(f"{error}; 15 and 20 are usual") from error
        self._own_colour = None

    def set_rule(self, rule: Rule) -> None:
        """Go on by another rule."""
        if rule != self._engine.rule:
            stones, mover = self._engine.stones, self._engine.to_move
            self._engine.new_game(*self._engine.size, rule)
            self._engine.set_position(stones, mover)

    def set_up(self, stones: list[Stone]) -> None:
        """Replace the position by the stones of a block; it is our turn."""
        placed, own_colour = coloured(stones)
        with illegal_moves_are_refused():
            self._engine.set_position(placed, own_colour)
        self._own_colour = own_colour if stones else None

    def place_own(self, x: int, y: int) -> None:
        """Our stone: we are the side to move."""
        mover = self._engine.to_move
        with illegal_moves_are_refused():
            self._engine.play(x, y)
        self._own_colour = mover

    def place_opponents(self, x: int, y: int) -> None:
        colour = self._engine.to_move if self._own_colour is None else WHITE - self._own_colour
        with illegal_moves_are_refused():
            self._engine.play(x, y, colour)
        self._own_colour = WHITE - colour

    def take_back(self, move: Move) -> None:
        if self._engine.history[-1:] != (move,):
            raise RefusedError(f"{move[0]},{move[1]} is not the newest stone")
        self._engine.take_back()
        if not self._engine.moves:
            self._own_colour = None

    @contextmanager
    def restored_if_refused(self) -> Iterator[None]:
        """What a refused command has changed by then is undone."""
        position, own_colour = self._engine.saved(), self._own_colour
        try:
            yield
        except RefusedError:
            self._engine.restore(position)
            self._own_colour = own_colour
            raise
