"""Minimax with alpha-beta to depth 3, static scores of runs, at most two seconds per move.

Source: the web page of a game, "Five in a row vs AI. Powered by Minimax with Alpha-Beta Pruning", which explains its
code in TypeScript. It names neither author nor year.

Where the document is silent:
- The root is not shown. Here it is the first of the three plies and plays the first move with the highest value.
- `scanDirection` is not shown. Here it sums unbroken runs: open if both ends are empty, half-open if one is.
- Moves are ordered by static score, and scores are updated incrementally. This does not change the values.
- When time runs out, the printed code scores the remaining moves statically right after our own move, which is better
  than any searched value. Here the best move searched so far is played, or else the one with the best static score.
- Before the search, the brain looks for its own five, then the opponent's. The search would find it too, but may stop
  early.
- Exactly five stones win under any rule.
- The two seconds are a limit of time, so they can be left out like an idea.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from tournament.brains import loop
from tournament.brains.clock import Deadline, TimeUpError
from tournament.brains.lines import Lines, neighbourhoods, run_length, without_overlines
from tournament.brains.position import EMPTY, OPPOSITE, OTHER, OWN, Position
from tournament.brains.settings import (
    CANDIDATES,
    INCREMENTAL,
    ORDERING,
    PRUNING,
    TIME_LIMIT,
    Searched,
    Settings,
    Tell,
    silent,
)

DEPTH = 3
SETTINGS = Settings(DEPTH)
IDEAS = (CANDIDATES, ORDERING, INCREMENTAL, PRUNING, TIME_LIMIT)
MAX_THINKING_MS = 2000
RANGE = 2  # max distance of candidates from a stone, in cells
SIGHT = 6  # a run of five and the cell after it

FIVE = 1_000_000
OPEN_SCORES = {2: 100, 3: 5_000, 4: 100_000}
HALF_SCORES = {2: 10, 3: 500, 4: 10_000}

# Defence has weight 1.1; sums are in tenths, so that they are exact integers.
ATTACK_TENTHS, DEFENCE_TENTHS = 10, 11
WON = FIVE * ATTACK_TENTHS
FIVE_MADE = 1 << 60  # the gain of a stone that makes five, larger than any sum
RUNS = {stone: re.compile(f"{stone}{{2,}}") for stone in (OWN, OTHER)}


def scan_line(text: str, stone: str) -> int:
    """The document's score of one side's runs in a line."""
    score = 0
    for run in RUNS[stone].finditer(text):
        length = run.end() - run.start()
        open_ends = (text[run.start() - 1 : run.start()] == EMPTY) + (text[run.end() : run.end() + 1] == EMPTY)
        if length == 5:
            score += FIVE
        elif open_ends:
            score += (OPEN_SCORES if open_ends == 2 else HALF_SCORES).get(length, 0)
    return score


def tenths(text: str) -> int:
    """The value of a line for us, in tenths."""
    return ATTACK_TENTHS * scan_line(text, OWN) - DEFENCE_TENTHS * scan_line(text, OTHER)


@lru_cache(maxsize=1 << 18)
def gain_along(window: str, stone: str) -> int:
    """The change in a line's value for us by a stone in the middle, or ±FIVE_MADE."""
    if run_length(window, SIGHT, stone) == 5:
        return FIVE_MADE if stone == OWN else -FIVE_MADE
    return tenths(window[:SIGHT] + stone + window[SIGHT + 1 :]) - tenths(window)


class Search:
    """The search; values are in tenths of the document's points, positive for us."""

    def __init__(self, position: Position, deadline: Deadline, settings: Settings = SETTINGS) -> None:
        self._settings = settings
        self._has_ordering, self._has_pruning = settings.has(ORDERING), settings.has(PRUNING)
        self._is_incremental = settings.has(INCREMENTAL)
        self.nodes = 0
        self.lines = Lines(position, SIGHT)
        self._near = neighbourhoods(position.width, position.height, RANGE)
        self._seen = self.lines.geometry.windows
        self._taken = {cell for cell, _ in position.stones}
        self._cells = frozenset(range(position.cells))
        self._deadline = deadline

    def candidates(self) -> frozenset[int]:
        """The empty cells within two cells of a stone."""
        if not self._settings.has(CANDIDATES):
            return self._cells - self._taken
        return frozenset().union(*(self._near[cell] for cell in self._taken)) - self._taken

    def evaluate(self) -> int:
        """The static score of the board."""
        return sum(tenths(text) for text in self.lines.texts)

    def evaluate_after(self, cell: int, stone: str) -> int:
        """The static score of the whole board with one more stone."""
        self.lines.put(cell, stone)
        score = self.evaluate()
        self.lines.put(cell, EMPTY)
        return score

    def gain(self, cell: int, stone: str) -> int:
        texts = self.lines.texts
        (a, along_a), (b, along_b), (c, along_c), (d, along_d) = self._seen[cell]
        return (
            gain_along(texts[a][along_a], stone)
            + gain_along(texts[b][along_b], stone)
            + gain_along(texts[c][along_c], stone)
            + gain_along(texts[d][along_d], stone)
        )

    def makes_five(self, cell: int, stone: str) -> bool:
        return abs(self.gain(cell, stone)) > FIVE_MADE // 2

    def ordered(self, candidates: Iterable[int], stone: str) -> list[int]:
        """The candidates, ordered by static score for the side to move."""
        if not self._has_ordering:
            return sorted(candidates)
        sign = -1 if stone == OWN else 1
        return [cell for _, cell in sorted((sign * self.gain(cell, stone), cell) for cell in candidates)]

    def minimax(
        self, depth: int, alpha: float, beta: float, stone: str, score: int, candidates: frozenset[int]
    ) -> float:
        """The value with this static score, `stone` to move and `depth` plies left; the game is not over."""
        self._deadline.check()
        if not candidates:
            return 0
        best = -float("inf") if stone == OWN else float("inf")
        for cell in candidates if depth == 1 else self.ordered(candidates, stone):
            value = self.value_after(cell, depth, alpha, beta, stone, score, candidates)
            if stone == OWN:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if beta <= alpha and self._has_pruning:
                break
        return best

    def value_after(
        self, cell: int, depth: int, alpha: float, beta: float, stone: str, score: int, candidates: frozenset[int]
    ) -> float:
        """The value of the board after `stone` plays the cell."""
        self.nodes += 1
        gain = self.gain(cell, stone)
        if abs(gain) > FIVE_MADE // 2:
            return WON if stone == OWN else -WON
        if depth == 1:
            return score + gain if self._is_incremental else self.evaluate_after(cell, stone)
        self.lines.put(cell, stone)
        self._taken.add(cell)
        try:
            left = (candidates | self._near[cell]) - self._taken
            return self.minimax(depth - 1, alpha, beta, OPPOSITE[stone], score + gain, left)
        finally:
            self._taken.remove(cell)
            self.lines.put(cell, EMPTY)

    def best_of(self, moves: list[int], tell: Tell = silent) -> int:
        """The first move with the highest value, or the best found when time runs out."""
        candidates, score, depth = self.candidates(), self.evaluate(), self._settings.depth
        best, best_value, is_complete = moves[0], -float("inf"), True
        try:
            for cell in moves:
                value = self.value_after(cell, depth, best_value, float("inf"), OWN, score, candidates)
                if value > best_value:
                    best, best_value = cell, value
        except TimeUpError:
            is_complete = False
        tell(Searched(depth, self.nodes, len(candidates), is_complete))
        return best


def choose(position: Position, deadline: Deadline, settings: Settings = SETTINGS, tell: Tell = silent) -> int:
    """The cell to play on."""
    if not position.stones:
        return position.centre
    if settings.has(TIME_LIMIT):
        deadline = deadline.no_later_than_ms(MAX_THINKING_MS)
    search = Search(position, deadline, settings)
    candidates = without_overlines(position, search.lines, search.candidates())
    for stone in (OWN, OTHER):
        fives = [cell for cell in candidates if search.makes_five(cell, stone)]
        if fives:
            candidates = fives
            break
    moves = search.ordered(candidates, OWN)
    return moves[0] if len(moves) == 1 else search.best_of(moves, tell)


if __name__ == "__main__":
    loop.run_with("minimax", choose, SETTINGS, IDEAS)
