"""How long a brain may think, and when it must stop."""

import time
from collections.abc import Callable
from typing import NamedTuple

DEFAULT_TURN_MS = 30_000  # what users expect of a brain that was told nothing

# Between the last look at the clock and the manager's reading of the answer.
BASE_MARGIN_MS = 15.0
MARGIN_OF_TURN = 0.05
MOST_MARGIN_OF_TURN_MS = 100.0

NO_SEARCH_MS = 60  # so short that only the static score is safe
MOVES_LEFT = 20  # a share of the match: it shrinks with what is left and never runs out


class Clock(NamedTuple):
    """What the manager said of time, in milliseconds; None where there is no limit."""

    turn_ms: int = DEFAULT_TURN_MS
    match_ms: int | None = None
    left_ms: int | None = None


def thinking_ms(clock: Clock) -> float:
    """How long to think about a move: 0 means to answer from the static score."""
    available = clock.turn_ms if clock.left_ms is None else min(clock.turn_ms, clock.left_ms)
    if available <= NO_SEARCH_MS:
        return 0.0
    budget = available - BASE_MARGIN_MS - min(MARGIN_OF_TURN * available, MOST_MARGIN_OF_TURN_MS)
    return budget if clock.left_ms is None else min(budget, clock.left_ms / MOVES_LEFT)


class TimeUpError(Exception):
    """The deadline passed in the middle of a search."""


class Deadline:
    """A point of `time.perf_counter`, which `is_stopped` may bring forward to now."""

    def __init__(self, at: float, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._at = at
        self._is_stopped = is_stopped

    @classmethod
    def after_ms(cls, ms: float) -> "Deadline":
        return cls(time.perf_counter() + ms / 1000)

    def no_later_than_ms(self, ms: float) -> "Deadline":
        """The same, or that many milliseconds from now if this is sooner."""
        return Deadline(min(self._at, time.perf_counter() + ms / 1000), self._is_stopped)

    def check(self) -> None:
        """Raise TimeUpError once the time is up."""
        if time.perf_counter() >= self._at or self._is_stopped():
            raise TimeUpError
