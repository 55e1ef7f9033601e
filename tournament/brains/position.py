"""A position as the brains see it: stones in the order they came."""

from typing import NamedTuple

OWN, OTHER, EMPTY, WALL = "X", "O", ".", "#"  # WALL: beyond the edge, or a stone that is nobody's
OPPOSITE = {OWN: OTHER, OTHER: OWN}
RENJU = 4  # a bit of the protocol's rule

Stone = tuple[int, str]  # cell and whose


class Position(NamedTuple):
    """A board whose cells are counted row by row, the stones on it, and the rule of the game."""

    width: int
    height: int
    rule: int
    stones: tuple[Stone, ...]

    @property
    def centre(self) -> int:
        return self.height // 2 * self.width + self.width // 2

    @property
    def cells(self) -> int:
        return self.width * self.height

    @property
    def is_black(self) -> bool:
        """Whether we, who are to move, are black: whoever has the first move has never fewer stones on their turn."""
        owners = [stone for _, stone in self.stones]
        return owners.count(OWN) >= owners.count(OTHER)
