"""Value types that every room shares. None means absent; only the protocol has zeros for that."""

from enum import IntEnum
from typing import NamedTuple

from pbrain.core.params import WIN, WIN_BOUND

CONTINUOUS = 2  # the protocol's bit for a continuous game; the other bits are the rule

Move = tuple[int, int]


class Rule(IntEnum):
    """What wins and what is forbidden; the numbers are those of the protocol's `INFO rule`."""

    FREESTYLE = 0
    EXACT_FIVE = 1
    RENJU = 4
    CARO = 8
    CARO_EXACT_FIVE = 9

    @classmethod
    def from_mask(cls, mask: int) -> "Rule":
        """The rule of a protocol mask; ValueError if there is none."""
        return cls(mask & ~CONTINUOUS)


class Clock(NamedTuple):
    """The manager's time limits, in milliseconds."""

    turn_ms: int | None = None
    match_ms: int | None = None
    left_ms: int | None = None
    increment_ms: int = 0


class Budget(NamedTuple):
    """Milliseconds from the beginning of the turn: when to start no new iteration, and when to stop."""

    optimum_ms: float
    maximum_ms: float


class Limits(NamedTuple):
    """What a search may use, whenever it begins; an analysis also searches where there is nothing to choose."""

    budget: Budget | None = None
    depth: int | None = None
    nodes: int | None = None
    is_analysis: bool = False


class SearchLimits(NamedTuple):
    """What ends one search, its moments being nanoseconds on the kernel's clock; made by `timeman.search_limits`."""

    began_ns: int
    last_start_ns: int | None = None  # usually no iteration starts from then on, but for the first
    deadline_ns: int | None = None
    depth: int | None = None
    nodes: int | None = None
    is_analysis: bool = False


class Report(NamedTuple):
    """What a search has found after an iteration, or at its end."""

    depth: int
    selective_depth: int
    score: int
    nodes: int
    elapsed_ms: float
    line: tuple[Move, ...]
    rank: int = 1  # of the line, if several were requested

    @property
    def move(self) -> Move:
        return self.line[0]

    @property
    def win_in(self) -> int | None:
        """Plies to a proven win, negative for a proven loss, else None."""
        if abs(self.score) < WIN_BOUND:
            return None
        return WIN - self.score if self.score > 0 else -WIN - self.score

    @property
    def nodes_per_second(self) -> float:
        return 1000 * self.nodes / max(self.elapsed_ms, 0.001)
