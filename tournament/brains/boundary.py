"""Alpha-beta to depth 4 over the 13 best cells of a scored boundary, with incremental pattern counts.

Source: Mohamed Alaa, Abdelrahman Osama, Mohamed Hamdy, Abdullah Khaled and Mohamed Abdelmonem, "Gomoku AI with
Alpha-Beta Pruning", report of a project in the course ELE335 (Artificial Intelligence), May 2025.

Where the document is silent or contradicts itself:
- The document gives the categories and scores of the pattern dictionary, not the patterns. This brain uses the usual
  ones. The "defensive" -2,500,000 is for the opponent's live or double four; all other scores are mirrored. A four
  with one empty cell has no category and scores as a live three: both force an answer. The edge blocks like a stone.
- The printed `countPattern` misses patterns near the edges, and its skip has no effect. Here every match counts.
- Five or more in a row win under any rule: the document asks for an unbroken chain of five.
- Cells around distant stones are already in the boundary, so the printed "not in bound" is never true. Here such a
  cell gets the -100 if it has no score. Only moves of the game are monitored, not stones placed by the search.
- The transposition table stores values without bound types, as printed, but is cleared after each move.
- When time runs out, the best root move searched so far is played, or else the one with the best static score.
- Before the search, the brain looks for its own five, then the opponent's: the search may stop early, or not have
  the cell among its 13.
"""

import random
from collections.abc import Iterable
from functools import cache

from tournament.brains import loop
from tournament.brains.boundary_patterns import SIGHT, change_along, scores_in
from tournament.brains.clock import Deadline, TimeUpError
from tournament.brains.lines import Lines, cells_of_lines, neighbourhoods, run_length, without_overlines
from tournament.brains.position import EMPTY, OPPOSITE, OTHER, OWN, Position, Stone
from tournament.brains.settings import (
    CANDIDATES,
    INCREMENTAL,
    MOVE_LIMIT,
    ORDERING,
    PRUNING,
    TABLE,
    Searched,
    Settings,
    Tell,
    silent,
)
from tournament.brains.settings import DISTANT as DISTANT_IDEA

DEPTH = 4
SETTINGS = Settings(DEPTH)
IDEAS = (CANDIDATES, TABLE, ORDERING, INCREMENTAL, PRUNING, MOVE_LIMIT, DISTANT_IDEA)
MAX_CHILDREN = 13

DISTANT = 3  # cells, Manhattan distance
MOVES_BETWEEN_CHECKS = 3
MIN_DISTANT_STONES = MAX_DISTANT_ZONES = 2
DISTANT_SCORE = -100

Bound = dict[int, int]  # candidate cells and the summed scores of their patterns


@cache
def zobrist_keys(cells: int) -> dict[str, list[int]]:
    """A random number for every stone on every cell."""
    rng = random.Random(cells)
    return {stone: [rng.getrandbits(64) for _ in range(cells)] for stone in (OWN, OTHER)}


def child_nodes(bound: Bound, settings: Settings = SETTINGS) -> list[int]:
    """The best cells by absolute score; ties go to the lower cell number."""
    best = sorted(bound, key=lambda cell: (-abs(bound[cell]), cell))
    if settings.has(MOVE_LIMIT):
        best = best[:MAX_CHILDREN]
    return best if settings.has(ORDERING) else sorted(best)


class Search:
    """A board with its value for us and its boundary, updated incrementally."""

    def __init__(self, position: Position, deadline: Deadline, settings: Settings = SETTINGS) -> None:
        self._settings = settings
        self._has_table, self._has_pruning = settings.has(TABLE), settings.has(PRUNING)
        self._is_incremental = settings.has(INCREMENTAL)
        self.nodes = 0
        self._position = position
        self._deadline = deadline
        self.lines = Lines(position._replace(stones=()), SIGHT)
        self._adjacent = neighbourhoods(position.width, position.height, 1)
        self._keys = zobrist_keys(position.cells)
        self.key = 0
        self.table: dict[int, tuple[float, int]] = {}
        self._taken: set[int] = set()
        self._close_to_us: set[int] = set()
        self._last_distant_check: int | None = None
        self._marks: Bound = {}  # of monitored cells
        self.value = 0
        self.bound: Bound = {} if settings.has(CANDIDATES) else dict.fromkeys(range(position.cells), 0)
        for move_count, (cell, stone) in enumerate(position.stones):
            self.value, self.bound = self.evaluate(cell, stone, self.value, self.bound)
            self.put(cell, stone)
            self.update_bound(cell, self.bound)
            if stone == OWN:
                self._close_to_us |= self.within_distance(cell)
            elif stone == OTHER and settings.has(DISTANT_IDEA):
                self.monitor_distant_stones(move_count, position.stones[: move_count + 1])

    def put(self, cell: int, stone: str) -> None:
        self.lines.put(cell, stone)
        self._taken.add(cell)

    def take_back(self, cell: int) -> None:
        self.lines.put(cell, EMPTY)
        self._taken.remove(cell)

    # -- evaluation ----------------------------------------------------------------------------------------------------

    def evaluate(self, cell: int, stone: str, value: int, bound: Bound) -> tuple[int, Bound]:
        """The value and the boundary after a stone on a cell, without placing it."""
        if not self._is_incremental:
            return self.evaluate_all(cell, stone, bound)
        bound = dict(bound)
        for window, step in zip(self.lines.windows(cell), self.lines.geometry.steps, strict=True):
            change = change_along(window, stone)
            value += change.value
            for distance, score in change.scores:
                at = cell + distance * step
                bound[at] = bound.get(at, 0) + score
        return value, bound

    def evaluate_all(self, cell: int, stone: str, bound: Bound) -> tuple[int, Bound]:
        """The same from all lines of the board."""
        value, scores = 0, {each: self._marks.get(each, 0) for each in bound}
        self.lines.put(cell, stone)
        lines = cells_of_lines(self._position.width, self._position.height)
        for text, cells in zip(self.lines.texts, lines, strict=True):
            value_along, along = scores_in(text)
            value += value_along
            for place, score in along.items():
                at = cells[place - SIGHT]
                scores[at] = scores.get(at, 0) + score
        self.lines.put(cell, EMPTY)
        return value, scores

    def update_bound(self, cell: int, bound: Bound) -> None:
        """Remove the played cell from the boundary and add its empty neighbours."""
        bound.pop(cell, None)
        for neighbour in self._adjacent[cell]:
            if neighbour not in self._taken:
                bound.setdefault(neighbour, 0)

    def monitor_distant_stones(self, move_count: int, stones: Iterable[Stone]) -> None:
        """Every three moves, mark the cells around two opposing stones that are far from all of ours."""
        last = self._last_distant_check
        if last is not None and move_count - last < MOVES_BETWEEN_CHECKS:
            return
        self._last_distant_check = move_count
        theirs = sorted(cell for cell, stone in stones if stone == OTHER)
        distant = [cell for cell in theirs if cell not in self._close_to_us]
        if len(distant) >= MIN_DISTANT_STONES:
            for zone in distant[:MAX_DISTANT_ZONES]:
                for cell in self._adjacent[zone] - self._taken:
                    if not self.bound.get(cell):
                        self.bound[cell] = self._marks[cell] = DISTANT_SCORE

    def within_distance(self, cell: int) -> set[int]:
        """The cells within the distance from a cell."""
        y, x = divmod(cell, self._position.width)
        return {
            v * self._position.width + u
            for v in range(max(0, y - DISTANT), min(self._position.height, y + DISTANT + 1))
            for u in range(max(0, x - DISTANT), min(self._position.width, x + DISTANT + 1))
            if abs(v - y) + abs(u - x) <= DISTANT
        }

    def makes_five(self, cell: int, stone: str) -> bool:
        return any(run_length(window, SIGHT, stone) >= 5 for window in self.lines.windows(cell))

    # -- search --------------------------------------------------------------------------------------------------------

    def alpha_beta(self, depth: int, value: int, bound: Bound, alpha: float, beta: float, stone: str) -> float:
        """The value for us with `stone` to move and `depth` plies left; the game is not over."""
        self._deadline.check()
        known = self.table.get(self.key) if self._has_table else None
        if known is not None and known[1] >= depth:
            return known[0]
        children = child_nodes(bound, self._settings)
        if not children:
            return value
        best = -float("inf") if stone == OWN else float("inf")
        for cell in children:
            child = self.value_after(cell, depth, value, bound, alpha, beta, stone)
            if stone == OWN:
                best = max(best, child)
                alpha = max(alpha, best)
            else:
                best = min(best, child)
                beta = min(beta, best)
            if beta <= alpha and self._has_pruning:
                break
        if self._has_table:
            self.table[self.key] = best, depth
        return best

    def value_after(
        self, cell: int, depth: int, value: int, bound: Bound, alpha: float, beta: float, stone: str
    ) -> float:
        """The value for us after `stone` plays the cell."""
        self.nodes += 1
        has_won = self.makes_five(cell, stone)
        value, bound = self.evaluate(cell, stone, value, bound)
        if has_won or depth == 1:
            return value
        self.put(cell, stone)
        self.key ^= self._keys[stone][cell]
        self.update_bound(cell, bound)
        try:
            return self.alpha_beta(depth - 1, value, bound, alpha, beta, OPPOSITE[stone])
        finally:
            self.key ^= self._keys[stone][cell]
            self.take_back(cell)

    def best_of(self, moves: list[int], tell: Tell = silent) -> int:
        """The first move with the highest value, or the best found when time runs out."""
        best = max(moves, key=lambda cell: self.evaluate(cell, OWN, self.value, self.bound)[0])
        depth, best_value, is_complete = self._settings.depth, -float("inf"), True
        try:
            for cell in moves:
                value = self.value_after(cell, depth, self.value, self.bound, best_value, float("inf"), OWN)
                if value > best_value:
                    best, best_value = cell, value
        except TimeUpError:
            is_complete = False
        tell(Searched(depth, self.nodes, len(self.bound), is_complete))
        return best


def choose(position: Position, deadline: Deadline, settings: Settings = SETTINGS, tell: Tell = silent) -> int:
    """The cell to play on."""
    if not position.stones:
        return position.centre
    search = Search(position, deadline, settings)
    playable = without_overlines(position, search.lines, sorted(search.bound))
    for stone in (OWN, OTHER):
        fives = [cell for cell in playable if search.makes_five(cell, stone)]
        if fives:
            return fives[0]
    return search.best_of(child_nodes({cell: search.bound[cell] for cell in playable}, settings), tell)


if __name__ == "__main__":
    loop.run_with("boundary", choose, SETTINGS, IDEAS)
