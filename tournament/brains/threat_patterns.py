"""The patterns of the document in threat.py: the one a stone on an empty cell makes along one line, and its score."""

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from tournament.brains.position import EMPTY, OTHER, OWN

SIGHT = 5  # the longest pattern has six cells


class Scores(NamedTuple):
    """Table I: the scores of the patterns for one side."""

    sleep_one: int
    live_one: int
    sleep_two: int
    jump_live_two: int
    live_two: int
    sleep_three: int
    jump_live_three: int
    live_three: int
    flush_four: int
    live_four: int
    five: int

    @property
    def levels(self) -> list[int]:
        """The minimum scores of two, three, flush_four, two_three, live_four and five; anything lower is a one."""
        two_three = 2 * self.jump_live_three
        return [self.jump_live_two, self.jump_live_three, self.flush_four, two_three, self.live_four, self.five]


TABLE = {
    OWN: Scores(15, 40, 120, 260, 450, 650, 1550, 1730, 2450, 4750, 20000),
    OTHER: Scores(10, 25, 75, 240, 415, 500, 1150, 1425, 1750, 3600, 15000),
}
LEVELS = {side: scores.levels for side, scores in TABLE.items()}
ONE, TWO, THREE, FLUSH_FOUR, TWO_THREE, LIVE_FOUR, FIVE = range(7)


def in_five_cells(stones: int) -> list[str]:
    """Every arrangement of `stones` stones in five otherwise empty cells."""
    return ["".join(OWN if i in chosen else EMPTY for i in range(5)) for chosen in combinations(range(5), stones)]


# A live pattern has room to become a live pattern of the next size.
PATTERNS: dict[str, list[str]] = {
    "sleep_one": in_five_cells(1),
    "live_one": [".X....", "..X...", "...X..", "....X."],
    "sleep_two": in_five_cells(2),
    "jump_live_two": [".X.X..", "..X.X.", ".X..X."],
    "live_two": [".XX...", "..XX..", "...XX."],
    "sleep_three": in_five_cells(3),
    "jump_live_three": [".XX.X.", ".X.XX."],
    "live_three": [".XXX..", "..XXX."],
    "flush_four": in_five_cells(4),
    "live_four": [".XXXX."],
    "five": in_five_cells(5),
}
RANKS = {pattern: rank for rank, name in enumerate(Scores._fields) for pattern in PATTERNS[name]}
DEAD = -1
# The positions of five- and six-cell patterns that cover the middle of a window.
PLACES = [slice(SIGHT - i, SIGHT - i + length) for length in (5, 6) for i in range(length)]
MIRROR = str.maketrans(OWN + OTHER, OTHER + OWN)


def rank_of(window: str) -> int:
    """The rank in Table I of the best pattern that contains our stone in the middle of the window, or DEAD."""
    text = window[:SIGHT] + OWN + window[SIGHT + 1 :]
    return max([RANKS.get(text[place], DEAD) for place in PLACES])


@lru_cache(maxsize=1 << 17)
def score_along(window: str, side: str) -> int:
    """The score along this line of a stone in the middle of the window."""
    if window[SIGHT] != EMPTY:
        return 0
    rank = rank_of(window if side == OWN else window.translate(MIRROR))
    return 0 if rank == DEAD else TABLE[side][rank]
