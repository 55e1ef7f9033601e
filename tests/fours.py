"""A solver of its own for wins by continuous fours: stones in a dictionary, lines as windows of five cells.

It shares nothing with the kernel. Rules: freestyle, exactly five, and renju with its forbidden points.
"""

from collections.abc import Iterator

from tests.naive import DIRECTIONS, EXACT_FIVE, RENJU, Cell
from tests.naive_renju import RenjuReferee
from tests.naive_search import other

FIVE = 5


class FoursSolver:
    def __init__(self, size: int, stones: dict[Cell, str], rule: int, most_nodes: int = 100_000) -> None:
        self._size, self._rule = size, rule
        self._stones = dict(stones)
        self._windows = [list(window) for window in self._all_windows()]
        self.nodes_left = most_nodes
        self._lost: set[tuple[str, frozenset[tuple[Cell, str]]]] = set()

    def _all_windows(self) -> Iterator[list[Cell]]:
        cells = range(self._size)
        for dx, dy in DIRECTIONS:
            for x in cells:
                for y in cells:
                    if x + 4 * dx in cells and y + 4 * dy in cells:
                        yield [(x + i * dx, y + i * dy) for i in range(FIVE)]

    def _gaps(self, colour: str, stones: int) -> Iterator[list[Cell]]:
        """The empty cells of each window that holds so many stones of the colour and none of the other's."""
        for window in self._windows:
            inside = [self._stones.get(cell) for cell in window]
            if inside.count(colour) == stones and inside.count(None) == FIVE - stones:
                yield [cell for cell, stone in zip(window, inside, strict=True) if stone is None]

    def makes_five(self, cell: Cell, colour: str) -> bool:
        """Whether a stone there wins."""
        lengths = []
        for dx, dy in DIRECTIONS:
            length = 1
            for step in (1, -1):
                x, y = cell[0] + step * dx, cell[1] + step * dy
                while self._stones.get((x, y)) == colour:
                    length, x, y = length + 1, x + step * dx, y + step * dy
            lengths.append(length)
        is_exact = self._rule == EXACT_FIVE or (self._rule == RENJU and colour == "X")
        return FIVE in lengths if is_exact else max(lengths) >= FIVE

    def is_foul(self, cell: Cell, colour: str) -> bool:
        if self._rule != RENJU or colour != "X" or self.makes_five(cell, colour):
            return False
        return RenjuReferee(self._size, self._size, self._stones).foul(cell) is not None

    def fives(self, colour: str) -> set[Cell]:
        return {cell for (cell,) in self._gaps(colour, FIVE - 1) if self.makes_five(cell, colour)}

    def empty_cells(self) -> list[Cell]:
        return [(x, y) for y in range(self._size) for x in range(self._size) if (x, y) not in self._stones]

    def place(self, cell: Cell, colour: str) -> None:
        assert cell not in self._stones
        self._stones[cell] = colour

    def take(self, cell: Cell) -> None:
        del self._stones[cell]

    def wins(self, me: str) -> bool:
        """Whether the side to move wins by nothing but fours; False too if the nodes run out."""
        if self.fives(me):
            return True
        to_block = self.fives(other(me))
        key = me, frozenset(self._stones.items())
        if len(to_block) > 1 or key in self._lost:
            return False
        fours = {cell for gap in self._gaps(me, FIVE - 2) for cell in gap}
        for cell in sorted(fours & to_block if to_block else fours):
            if self.nodes_left <= 0:
                return False
            self.nodes_left -= 1
            if not self.is_foul(cell, me) and self._wins_after(cell, me):
                return True
        self._lost.add(key)
        return False

    def _wins_after(self, four: Cell, me: str) -> bool:
        self.place(four, me)
        try:
            blocks = self.fives(me)
            if len(blocks) != 1:
                return len(blocks) > 1
            (block,) = blocks
            return self.wins_against(block, me)
        finally:
            self.take(four)

    def wins_against(self, reply: Cell, me: str) -> bool:
        """Whether `me` still wins by fours after the other's reply, or because the reply is forbidden."""
        if self.is_foul(reply, other(me)):
            return True
        if self.makes_five(reply, other(me)):
            return False
        self.place(reply, other(me))
        try:
            return self.wins(me)
        finally:
            self.take(reply)

    def wins_after_move(self, cell: Cell, me: str) -> bool:
        """Whether a move wins: by itself, or by fours against every reply to it."""
        if self.makes_five(cell, me):
            return True
        if self.is_foul(cell, me) or self.fives(other(me)) - {cell}:
            return False
        self.place(cell, me)
        try:
            replies = self.fives(me)
            if len(replies) > 1:
                return True
            return all(self.wins_against(reply, me) for reply in replies or self.empty_cells())
        finally:
            self.take(cell)
