"""Negamax to depth 2 over groups of threatening cells, with scores kept per direction.

Source: Kemiao Huang, "Gomoku: A Fundamental Application for Adversarial Learning", a student's article. It states no
year; its latest reference is of October 2018.

Where the document is silent or contradicts itself:
- Patterns are matched as text with a stone on the cell. A live pattern can become a live pattern with one more stone;
  a sleep pattern can only become a five. Five or more in a row are a five under any rule.
- Close neighbours are stones within two cells. If no cell has two of them, cells with one are used, then all cells.
- A cell's score is its sum over the directions. Its level is the highest that the sum reaches: two threes are twice a
  jump live three, and twos start at a jump live two. A cell is in one group only; ties go to the side to move.
- Groups are in the document's order, each with the side to move before the opponent.
- Depth 2 is our move and the reply. The root keeps the candidates' own totals to break ties of approximate values.
- A cutoff returns the value, not beta: beta would tie a refuted candidate with the best one. `step` is not used.
- The second stone is placed diagonally next to the first, towards the larger part of the board.
- At depth 0 the first of the candidates is played.
- The document has no clock. When time runs out, the candidates searched so far are compared, or the first is played.
"""

from bisect import bisect_right
from collections.abc import Iterable
from functools import cmp_to_key
from typing import NamedTuple

from tournament.brains import loop
from tournament.brains.clock import Deadline, TimeUpError
from tournament.brains.lines import Lines, neighbourhoods, without_overlines
from tournament.brains.position import EMPTY, OPPOSITE, OWN, Position
from tournament.brains.settings import (
    CANDIDATES,
    INCREMENTAL,
    MOVE_LIMIT,
    ORDERING,
    PRUNING,
    Searched,
    Settings,
    Tell,
    silent,
)
from tournament.brains.threat_patterns import (
    FIVE,
    FLUSH_FOUR,
    LEVELS,
    LIVE_FOUR,
    ONE,
    SIGHT,
    TABLE,
    THREE,
    TWO,
    TWO_THREE,
    score_along,
)

DEPTH = 2
SETTINGS = Settings(DEPTH)
IDEAS = (CANDIDATES, ORDERING, INCREMENTAL, PRUNING, MOVE_LIMIT)
INFINITY = 1_000_000
THRESHOLD = 1.4
MAX_CANDIDATES = 10
CLOSE = 2  # cells
MIN_NEIGHBOURS = 2


def is_equal(a: float, b: float) -> bool:
    """Algorithm 6."""
    b = b or 0.01
    if b >= 0:
        return b / THRESHOLD <= a <= b * THRESHOLD
    return b * THRESHOLD <= a <= b / THRESHOLD


def is_greater(a: float, b: float) -> bool:
    """Algorithm 7."""
    return a >= (b + 0.1) * THRESHOLD if b >= 0 else a >= (b + 0.1) / THRESHOLD


class Piece(NamedTuple):
    """A candidate cell with its main score and its tie-break score."""

    cell: int
    max_score: int
    total_score: int


def compare(a: Piece, b: Piece) -> int:
    """Algorithm 5: negative if `a` comes first."""
    if is_equal(a.max_score, b.max_score):
        return b.total_score - a.total_score
    return b.max_score - a.max_score


BY_SCORE = cmp_to_key(compare)


class Search:
    """A board with the scores of its empty cells per side and direction, updated incrementally."""

    def __init__(self, position: Position, deadline: Deadline, settings: Settings = SETTINGS) -> None:
        self._settings = settings
        self._has_pruning, self._is_incremental = settings.has(PRUNING), settings.has(INCREMENTAL)
        self._max_candidates = MAX_CANDIDATES if settings.has(MOVE_LIMIT) else position.cells
        self._min_neighbours = MIN_NEIGHBOURS if settings.has(CANDIDATES) else 0
        self.nodes = 0
        self._deadline = deadline
        self.lines = Lines(position, SIGHT)
        self._geometry = self.lines.geometry
        self._near = neighbourhoods(position.width, position.height, CLOSE)
        self._taken = {cell for cell, _ in position.stones}
        cells = range(position.cells)
        self._neighbours = [len(self._near[cell] & self._taken) for cell in cells]
        self._score_all()

    def _score_all(self) -> None:
        """The scores of all cells along all lines."""
        cells = range(len(self._neighbours))
        self._along = {side: [[score_along(w, side) for w in self.lines.windows(c)] for c in cells] for side in TABLE}
        self.scores = {side: [sum(along) for along in self._along[side]] for side in TABLE}

    def put(self, cell: int, stone: str) -> None:
        self.lines.put(cell, stone)
        self._taken.add(cell)
        self._update(cell, 1)

    def take_back(self, cell: int) -> None:
        self.lines.put(cell, EMPTY)
        self._taken.remove(cell)
        self._update(cell, -1)

    def _update(self, changed: int, neighbours: int) -> None:
        """Update the scores of the cells in sight of the changed one, along the shared line only."""
        for cell in self._near[changed]:
            self._neighbours[cell] += neighbours
        if not self._is_incremental:
            self._score_all()
            return
        for direction, ((line, seen), step) in enumerate(
            zip(self._geometry.windows[changed], self._geometry.steps, strict=True)
        ):
            text = self.lines.texts[line]
            first = max(0, seen.start - SIGHT)
            last = min(len(text) - 2 * SIGHT - 1, seen.start + SIGHT)
            for start in range(first, last + 1):
                cell = changed + (start - seen.start) * step
                window = text[start : start + 2 * SIGHT + 1]
                for side in TABLE:
                    along = self._along[side][cell]
                    score = score_along(window, side)
                    self.scores[side][cell] += score - along[direction]
                    along[direction] = score

    def empty_places(self) -> list[int]:
        """The empty cells with enough close neighbours."""
        cells = [c for c, n in enumerate(self._neighbours) if n >= self._min_neighbours and c not in self._taken]
        if cells:
            return cells
        free = [c for c in range(len(self._neighbours)) if c not in self._taken]
        return [c for c in free if self._neighbours[c]] or free

    def heuristic(self, side: str, cells: Iterable[int]) -> list[Piece]:
        """Algorithm 3: the cells with the biggest threats of either side, with `side` to move."""
        best = self._biggest_threats(side, cells)[: self._max_candidates]
        return best if self._settings.has(ORDERING) else sorted(best)

    def _biggest_threats(self, side: str, cells: Iterable[int]) -> list[Piece]:
        groups: dict[tuple[int, str], list[Piece]] = {(level, who): [] for level in range(7) for who in TABLE}
        opponent = OPPOSITE[side]
        for cell in cells:
            own, other = self.scores[side][cell], self.scores[opponent][cell]
            own_level, other_level = bisect_right(LEVELS[side], own), bisect_right(LEVELS[opponent], other)
            group = (own_level, side) if own_level >= other_level else (other_level, opponent)
            groups[group].append(Piece(cell, max(own, other), own + other))
        for level in (FIVE, LIVE_FOUR):
            for who in (side, opponent):
                if groups[level, who]:
                    return sorted(groups[level, who], key=BY_SCORE)
        result: list[Piece] = []
        for level in (FLUSH_FOUR, TWO_THREE, THREE, TWO, ONE):
            for who in (side, opponent):
                if len(result) < self._max_candidates:
                    result += sorted(groups[level, who], key=BY_SCORE)
        return result

    def is_five(self, piece: Piece) -> bool:
        return any(self.scores[side][piece.cell] >= TABLE[side].five for side in TABLE)

    def evaluate(self, side: str) -> int:
        """The best score of the side to move minus that of its opponent."""
        cells = self.empty_places()
        own, other = (max((self.scores[who][cell] for cell in cells), default=0) for who in (side, OPPOSITE[side]))
        return own - other

    def negamax(self, depth: int, alpha: int, beta: int, side: str) -> int:
        """Algorithm 4: the value for the side to move."""
        self._deadline.check()
        pieces = self.heuristic(side, self.empty_places()) if depth else []
        if not pieces or self.is_five(pieces[0]):
            return self.evaluate(side)
        best = -INFINITY
        for piece in pieces:
            value = self.value_after(piece.cell, depth, alpha, beta, side)
            best = max(best, value)
            alpha = max(alpha, value)
            if is_greater(value, beta) and self._has_pruning:
                break
        return best

    def value_after(self, cell: int, depth: int, alpha: int, beta: int, side: str) -> int:
        """The value for `side` after it plays the cell."""
        self.nodes += 1
        self.put(cell, side)
        try:
            return -self.negamax(depth - 1, -beta, -alpha, OPPOSITE[side])
        finally:
            self.take_back(cell)

    def best_of(self, pieces: list[Piece], tell: Tell = silent) -> int:
        """The first piece after negamax has adjusted the scores."""
        adjusted: list[Piece] = []
        depth, alpha, is_complete = self._settings.depth, -INFINITY, True
        try:
            for piece in pieces if depth else ():
                value = self.value_after(piece.cell, depth, alpha, INFINITY, OWN)
                adjusted.append(piece._replace(max_score=value))
                alpha = max(alpha, value)
        except TimeUpError:
            is_complete = False
        tell(Searched(depth, self.nodes, len(self.empty_places()), is_complete))
        return sorted(adjusted or pieces[:1], key=BY_SCORE)[0].cell


def opening(position: Position) -> int | None:
    """Algorithm 1: the centre, or the cell diagonally next to the only stone, towards the centre."""
    if len(position.stones) > 1:
        return None
    if not position.stones:
        return position.centre
    y, x = divmod(position.stones[0][0], position.width)
    x += 1 if 2 * x < position.width else -1
    y += 1 if 2 * y < position.height else -1
    return y * position.width + x


def choose(position: Position, deadline: Deadline, settings: Settings = SETTINGS, tell: Tell = silent) -> int:
    """The cell to play on."""
    known = opening(position)
    if known is not None:
        return known
    search = Search(position, deadline, settings)
    pieces = search.heuristic(OWN, without_overlines(position, search.lines, search.empty_places()))
    return pieces[0].cell if search.is_five(pieces[0]) else search.best_of(pieces, tell)


if __name__ == "__main__":
    loop.run_with("threat", choose, SETTINGS, IDEAS, min_depth=0)
