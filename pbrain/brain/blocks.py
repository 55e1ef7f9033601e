"""The stones of a BOARD, YXBOARD or SWAP2BOARD, and their colours."""

from typing import TypeAlias

from pbrain.brain.commands import Command, Stone, Word
from pbrain.core.params import BLACK, WHITE

OWN, OPPONENT, NOBODY = 1, 2, 3

ColouredStone: TypeAlias = tuple[int, int, int]  # x, y, colour


class Block:
    """A block while its lines come in; its first fault is reported at its end."""

    def __init__(self, opened_by: Word) -> None:
        self.opened_by = opened_by
        self.stones: list[Stone] = []
        self.fault: str | None = None

    def add(self, line: Command) -> None:
        """Take the next line, which should be a stone."""
        if not isinstance(line, Stone):
            self.fault = self.fault or "a line of the block is not a stone"
            return
        is_board = self.opened_by is not Word.SWAP2BOARD
        if is_board and line.owner not in (OWN, OPPONENT, NOBODY):
            self.fault = self.fault or "the owner of a stone is 1, 2 or 3"
        elif not is_board and line.owner is not None:
            self.fault = self.fault or "a stone of SWAP2BOARD is x,y"
        self.stones.append(line)


def coloured(stones: list[Stone]) -> tuple[list[ColouredStone], int]:
    """The stones of a BOARD with their colours, and our colour.

    We are to move, and black moves first: so we are black unless the opponent has more stones. Nobody's stones, dead
    ones of a continuous game, get colours in a pattern that never puts three of one colour in a row.
    """
    own = sum(stone.owner == OWN for stone in stones)
    opponents = sum(stone.owner == OPPONENT for stone in stones)
    own_colour = BLACK if own >= opponents else WHITE
    colours = {OWN: own_colour, OPPONENT: WHITE - own_colour}
    return [
        (stone.x, stone.y, colours.get(stone.owner or NOBODY, (stone.x + 2 * stone.y) // 2 % 2)) for stone in stones
    ], own_colour
