"""A second implementation of renju's forbidden points, straight from the text of the rules; shares no code.

`stones` maps (x, y) to "X" or "O". Every question is asked of the board itself, by walking along it.
"""

Cell = tuple[int, int]
Stones = dict[Cell, str]

AXES = ((1, 0), (0, 1), (1, 1), (-1, 1))


class RenjuReferee:
    def __init__(self, width: int, height: int, stones: Stones) -> None:
        self.width, self.height, self.stones = width, height, dict(stones)

    def at(self, cell: Cell) -> str:
        x, y = cell
        return self.stones.get(cell, ".") if 0 <= x < self.width and 0 <= y < self.height else "#"

    def walk(self, cell: Cell, axis: Cell, sign: int) -> tuple[int, Cell]:
        """How many black stones follow `cell` along a half-axis, and the first cell that is not black."""
        count, (x, y) = 0, cell
        while True:
            x, y = x + sign * axis[0], y + sign * axis[1]
            if self.at((x, y)) != "X":
                return count, (x, y)
            count += 1

    def length(self, cell: Cell, axis: Cell) -> int:
        """The length of the black row through `cell`, which counts as black."""
        return 1 + self.walk(cell, axis, 1)[0] + self.walk(cell, axis, -1)[0]

    def makes_five(self, cell: Cell) -> bool:
        return any(self.length(cell, axis) == 5 for axis in AXES)

    def completions(self, cell: Cell, axis: Cell) -> list[Cell]:
        """Where one more black stone makes exactly five with the black stone on `cell`."""
        ends = [self.walk(cell, axis, sign)[1] for sign in (1, -1)]
        return [end for end in ends if self.at(end) == "." and self.length(end, axis) == 5]

    def fours(self, cell: Cell, axis: Cell) -> int:
        """How many fours the black stone on `cell` belongs to along an axis; a straight four is one."""
        completing = self.completions(cell, axis)
        if len(completing) == 2 and self.length(cell, axis) == 4:
            return 1
        return len(completing)

    def is_straight_four(self, cell: Cell, axis: Cell) -> bool:
        return self.length(cell, axis) == 4 and len(self.completions(cell, axis)) == 2

    def has_real_three(self, cell: Cell, axis: Cell) -> bool:
        """The black stone on `cell` is in a three: one more stone, legal and no five, makes a straight four with it."""
        if self.fours(cell, axis):
            return False
        for sign in (1, -1):
            _, gap = self.walk(cell, axis, sign)
            if self.at(gap) != "." or self.makes_five(gap):
                continue
            self.stones[gap] = "X"
            is_straight = self.is_straight_four(gap, axis)
            del self.stones[gap]
            if is_straight and self.foul(gap) is None:
                return True
        return False

    def foul(self, cell: Cell) -> str | None:
        """Why black may not play an empty cell, or None."""
        if self.makes_five(cell):
            return None
        if any(self.length(cell, axis) > 5 for axis in AXES):
            return "overline"
        self.stones[cell] = "X"
        try:
            if sum(self.fours(cell, axis) for axis in AXES) >= 2:
                return "double-four"
            if sum(self.has_real_three(cell, axis) for axis in AXES) >= 2:
                return "double-three"
        finally:
            del self.stones[cell]
        return None
