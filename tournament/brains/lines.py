"""The rows, columns and diagonals of a board as text, for pattern matching."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from tournament.brains.position import EMPTY, OWN, RENJU, WALL, Position


class Geometry(NamedTuple):
    """Precomputed lines and windows for one board size and sight."""

    empty_lines: tuple[str, ...]
    windows: tuple[tuple[tuple[int, slice], ...], ...]  # per cell: its four lines and the visible slice of each
    steps: tuple[int, int, int, int]  # difference between adjacent cell numbers along each line


@cache
def geometry_of(width: int, height: int, sight: int) -> Geometry:
    """The geometry of a board; `sight` walls pad both ends of a line, so every window has 2 * sight + 1 characters."""
    cells = [(x, y) for y in range(height) for x in range(width)]
    # Cells of a row share y, of a column x, of a diagonal x - y or x + y.
    keys = [((0, y), (1, x), (2, x - y), (3, x + y)) for x, y in cells]
    lengths: dict[tuple[int, int], int] = {}
    windows = []
    numbers: dict[tuple[int, int], int] = {}
    for cell_keys in keys:
        seen = []
        for key in cell_keys:
            start = lengths.get(key, 0)  # cells are visited row by row, so each line is in order
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
def cells_of_lines(width: int, height: int) -> tuple[tuple[int, ...], ...]:
    """The cells of each line, in the order of its text without walls."""
    geometry = geometry_of(width, height, 0)
    cells: list[list[int]] = [[] for _ in geometry.empty_lines]
    for cell, windows in enumerate(geometry.windows):
        for line, _ in windows:
            cells[line].append(cell)  # cells are visited row by row, so each line is in order
    return tuple(map(tuple, cells))


@cache
def neighbourhoods(width: int, height: int, distance: int) -> tuple[frozenset[int], ...]:
    """For every cell, the other cells within a square of this radius."""
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
        """The windows of the four lines through a cell, centred on it."""
        texts = self.texts
        return [texts[line][seen] for line, seen in self._windows[cell]]

    def put(self, cell: int, stone: str) -> None:
        """Place a stone on a cell, or EMPTY to remove it."""
        for line, seen in self._windows[cell]:
            at = seen.start + self._sight
            text = self.texts[line]
            self.texts[line] = text[:at] + stone + text[at + 1 :]

    def runs(self, cell: int, stone: str) -> list[int]:
        """The length of the run that a stone on this cell makes along each line."""
        return [run_length(window, self._sight, stone) for window in self.windows(cell)]


def run_length(window: str, middle: int, stone: str) -> int:
    """The length of the run through the middle, with a stone placed there."""
    before, after = window[:middle], window[middle + 1 :]
    return 1 + len(before) - len(before.rstrip(stone)) + len(after) - len(after.lstrip(stone))


def without_overlines(position: Position, lines: Lines, cells: Iterable[int]) -> list[int]:
    """The cells without renju overlines of black; all cells if none remain."""
    every = list(cells)
    if not (position.rule & RENJU and position.is_black):
        return every
    runs = {cell: lines.runs(cell, OWN) for cell in every}
    return [cell for cell in every if 5 in runs[cell] or max(runs[cell]) < 5] or every
