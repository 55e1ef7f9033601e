"""The rows, columns and diagonals of a board as text, in which the brains look for patterns."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from tournament.brains.position import EMPTY, OWN, RENJU, WALL, Position


class Geometry(NamedTuple):
    """What never changes on a board of one size, for brains that see so many cells along a line."""

    empty_lines: tuple[str, ...]
    windows: tuple[tuple[tuple[int, slice], ...], ...]  # of a cell: the four lines and what is seen of them
    steps: tuple[int, int, int, int]  # from a cell to the next along each of the four lines


@cache
def geometry_of(width: int, height: int, sight: int) -> Geometry:
    """Lines are padded with `sight` walls at both ends, so that every window has 2 * sight + 1 characters."""
    cells = [(x, y) for y in range(height) for x in range(width)]
    # Cells of one row share y, of one column x, of one diagonal x - y or x + y; x or y counts along the line.
    keys = [((0, y), (1, x), (2, x - y), (3, x + y)) for x, y in cells]
    lengths: dict[tuple[int, int], int] = {}
    windows = []
    numbers: dict[tuple[int, int], int] = {}
    for cell_keys in keys:
        seen = []
        for key in cell_keys:
            start = lengths.get(key, 0)  # row by row, a line's cells come in order
            lengths[key] = start + 1
            seen.append((numbers.setdefault(key, len(numbers)), slice(start, start + 2 * sight + 1)))
        windows.append(tuple(seen))
    wall = WALL * sight
    return Geometry(
        tuple(wall + EMPTY * lengths[key] + wall for key in numbers),
        tuple(windows),
        (1, width, width + 1, width - 1),
    )


@cache
def neighbourhoods(width: int, height: int, distance: int) -> tuple[frozenset[int], ...]:
    """For every cell the others within a distance along rows, columns or diagonals."""
    return tuple(
        frozenset(
            row * width + column
            for row in range(max(0, y - distance), min(height, y + distance + 1))
            for column in range(max(0, x - distance), min(width, x + distance + 1))
            if (column, row) != (x, y)
        )
        for y in range(height)
        for x in range(width)
    )


class Lines:
    """The rows, columns and diagonals of a board as text."""

    def __init__(self, position: Position, sight: int) -> None:
        self.geometry = geometry_of(position.width, position.height, sight)
        self.texts = list(self.geometry.empty_lines)
        self._sight = sight
        self._windows = self.geometry.windows
        for cell, stone in position.stones:
            self.put(cell, stone)

    def windows(self, cell: int) -> list[str]:
        """What is seen along the four lines through a cell, which is in the middle of each."""
        texts = self.texts
        return [texts[line][seen] for line, seen in self._windows[cell]]

    def put(self, cell: int, stone: str) -> None:
        """Put a stone on a cell, or EMPTY to take it away."""
        for line, seen in self._windows[cell]:
            at = seen.start + self._sight
            text = self.texts[line]
            self.texts[line] = text[:at] + stone + text[at + 1 :]

    def runs(self, cell: int, stone: str) -> list[int]:
        """How many stones in a row a stone on this cell would make along each line."""
        return [run_length(window, self._sight, stone) for window in self.windows(cell)]


def run_length(window: str, middle: int, stone: str) -> int:
    """How many stones in a row there are with one on the middle."""
    before, after = window[:middle], window[middle + 1 :]
    return 1 + len(before) - len(before.rstrip(stone)) + len(after) - len(after.lstrip(stone))


def without_overlines(position: Position, lines: Lines, cells: Iterable[int]) -> list[int]:
    """The cells, without those where renju forbids black an overline, unless there are no others."""
    every = list(cells)
    if not (position.rule & RENJU and position.is_black):
        return every
    runs = {cell: lines.runs(cell, OWN) for cell in every}
    return [cell for cell in every if 5 in runs[cell] or max(runs[cell]) < 5] or every
