"""A position as the brains see it: stones in move order."""

from typing import NamedTuple

OWN, OTHER, EMPTY, WALL = "X", "O", ".", "#"  # WALL: off the board, or a stone of neither side
OPPOSITE = {OWN: OTHER, OTHER: OWN}
RENJU = 4  # a bit of the protocol's rule

Stone = tuple[int, str]  # cell and owner


class Position(NamedTuple):
    """Board size, rule and stones; cells are numbered row by row."""

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
        """Whether we, the side to move, are black: white has fewer stones on its turn, black never."""
        owners = [stone for _, stone in self.stones]
        return owners.count(OWN) >= owners.count(OTHER)
