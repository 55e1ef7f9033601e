"""How long a brain may think, and when it must stop."""

import time
from collections.abc import Callable
from typing import NamedTuple

DEFAULT_TURN_MS = 30_000  # the usual default when the manager sends no limit

# Safety margins for the time between the last clock check and the manager reading the answer.
BASE_MARGIN_MS = 15.0
TURN_MARGIN_SHARE = 0.05
MAX_TURN_MARGIN_MS = 100.0

NO_SEARCH_MS = 60  # too short for a search
MOVES_LEFT = 20  # divides the remaining time, so that it never runs out


class Clock(NamedTuple):
    """The manager's time limits in milliseconds; None means no limit."""

    turn_ms: int = DEFAULT_TURN_MS
    match_ms: int | None = None
    left_ms: int | None = None


def thinking_ms(clock: Clock) -> float:
    """The time for one move in milliseconds; 0 means to answer from the static score."""
    available = clock.turn_ms if clock.left_ms is None else min(clock.turn_ms, clock.left_ms)
    if available <= NO_SEARCH_MS:
        return 0.0
    budget = available - BASE_MARGIN_MS - min(TURN_MARGIN_SHARE * available, MAX_TURN_MARGIN_MS)
    return budget if clock.left_ms is None else min(budget, clock.left_ms / MOVES_LEFT)


class TimeUpError(Exception):
    """The deadline passed during a search."""


class Deadline:
    """A time of `time.perf_counter`; it also counts as passed once `is_stopped` returns true."""

    def __init__(self, at: float, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._at = at
        self._is_stopped = is_stopped

    @classmethod
    def after_ms(cls, ms: float) -> "Deadline":
        return cls(time.perf_counter() + ms / 1000)

    def no_later_than_ms(self, ms: float) -> "Deadline":
        """The earlier of this deadline and `ms` milliseconds from now."""
        return Deadline(min(self._at, time.perf_counter() + ms / 1000), self._is_stopped)

    def check(self) -> None:
        """Raise TimeUpError if the time is up."""
        if time.perf_counter() >= self._at or self._is_stopped():
            raise TimeUpError
