"""Adjudication: games that end before five in a row, by a move limit or by the brains' own scores. Off by default."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tournament.core.model import BLACK, WHITE, PlayedMove, Termination

# `ev +143`, `ev -M8`, `| Eval 35 |` as Rapfi and many others write it, `win in 7` and `loss in 8` as Kaname does.
SCORE = re.compile(
    r"\b(?:ev|eval)\b\s*[:=]?\s*(?P<ev>[+-]?\d{1,9}(?:\.\d{1,9})?)(?![\w.])"
    r"|\b(?:ev|eval)\b\s*[:=]?\s*(?P<mate>[+-])M(?:\d|\*)"
    r"|\b(?P<proof>win|loss) in \d",
    re.ASCII | re.IGNORECASE,
)
LATER_LINE = re.compile(r"\bmultipv\s+(?!1\b)\d", re.ASCII | re.IGNORECASE)  # not the best line of play

Decision = tuple[int | None, Termination]  # the winner, and how the game ended


@dataclass(frozen=True)
class ScoreRule:
    """`count` moves in a row with a score of at least, or at most, `score` in the brain's own units."""

    count: int
    score: float


@dataclass(frozen=True)
class Adjudication:
    """When a game ends early; None means never."""

    draw_after: int | None = None  # moves
    resign: ScoreRule | None = None
    draw: ScoreRule | None = None


NEVER = Adjudication()


def score_in(message: str) -> float | None:
    """The score in a message, from the brain's point of view; infinite if proven; None if it has none."""
    found = SCORE.search(message)
    if found is None or LATER_LINE.search(message):
        return None
    if found["ev"]:
        return float(found["ev"])
    return math.inf if found["mate"] == "+" or (found["proof"] or "").lower() == "win" else -math.inf


def telling(said: str, message: str) -> str:
    """Which of two messages before a move to keep: the later one, but not in place of one with a score."""
    return said if score_in(said) is not None and score_in(message) is None else message


def adjudicated(moves: Sequence[PlayedMove], first: int, rules: Adjudication) -> Decision | None:
    """The decision after these moves, the first by the colour `first`; None if the game goes on."""
    if rules.draw_after is not None and len(moves) >= rules.draw_after:
        return None, Termination.DRAW_ADJUDICATED
    if not moves:
        return None
    mover = (first + len(moves) - 1) % 2
    if rules.resign is not None and all_scores(moves[::-1][::2], rules.resign.count, -math.inf, -rules.resign.score):
        return (WHITE if mover == BLACK else BLACK), Termination.RESIGNED
    if rules.draw is not None and all_scores(moves[::-1], 2 * rules.draw.count, -rules.draw.score, rules.draw.score):
        return None, Termination.DRAW_AGREED
    return None


def all_scores(latest: Sequence[PlayedMove], count: int, low: float, high: float) -> bool:
    """Whether the latest `count` moves all have a score from `low` to `high`."""
    scores = [score_in(move.said) for move in latest[:count]]
    return len(scores) == count and all(score is not None and low <= score <= high for score in scores)
