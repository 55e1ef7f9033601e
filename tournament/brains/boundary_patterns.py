"""The pattern dictionary of the document in boundary.py, and how a stone changes the patterns along one line."""

from functools import lru_cache
from typing import NamedTuple

from tournament.brains.position import EMPTY, OTHER, OWN

SIGHT = 7  # the longest pattern has eight cells

FIVE, LIVE_FOUR, DOUBLE_FOUR, LIVE_THREE, FOUR, TWO = 10_000_000, 1_000_000, 1_000_000, 200_000, 200_000, 1_000
OPPOSING_FOUR = -2_500_000

OWN_PATTERNS = {
    "XXXXX": FIVE,
    ".XXXX.": LIVE_FOUR,
    "XXX.XXX": DOUBLE_FOUR,
    "X.XXX.X": DOUBLE_FOUR,
    "XX.XX.XX": DOUBLE_FOUR,
    ".XXX.": LIVE_THREE,
    ".XX.X.": LIVE_THREE,
    ".X.XX.": LIVE_THREE,
    "XXX.X": FOUR,
    "XX.XX": FOUR,
    "X.XXX": FOUR,
    "OXXXX.": FOUR,
    ".XXXXO": FOUR,
    "#XXXX.": FOUR,
    ".XXXX#": FOUR,
    ".XX.": TWO,
    ".X.X.": TWO,
}
MIRROR = str.maketrans(OWN + OTHER, OTHER + OWN)
PATTERNS = OWN_PATTERNS | {
    pattern.translate(MIRROR): OPPOSING_FOUR if score in (LIVE_FOUR, DOUBLE_FOUR) else -score
    for pattern, score in OWN_PATTERNS.items()
}


class Change(NamedTuple):
    """The change made by a stone along one line: in the board's value, and in cell scores by distance from it."""

    value: int
    scores: tuple[tuple[int, int], ...]


def scores_in(text: str) -> tuple[int, dict[int, int]]:
    """The summed scores of all patterns in a line, and what each of its empty cells gets from them, by place."""
    value = 0
    scores: dict[int, int] = {}
    for pattern in [pattern for pattern in PATTERNS if pattern in text]:
        score, at = PATTERNS[pattern], text.find(pattern)
        while at >= 0:
            value += score
            for i, char in enumerate(pattern, at):
                if char == EMPTY:
                    scores[i] = scores.get(i, 0) + abs(score)
            at = text.find(pattern, at + 1)
    return value, scores


@lru_cache(maxsize=1 << 17)
def change_along(window: str, stone: str) -> Change:
    """The patterns with a stone in the middle of the window, minus those without it."""
    value_before, before = scores_in(window)
    value_after, after = scores_in(window[:SIGHT] + stone + window[SIGHT + 1 :])
    changes = ((i - SIGHT, after.get(i, 0) - before.get(i, 0)) for i in sorted({*before, *after}))
    return Change(value_after - value_before, tuple((i, score) for i, score in changes if score))
