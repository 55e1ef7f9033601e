"""Time and memory use of brains, computed from game records."""

import math
from collections import Counter
from dataclasses import dataclass

from tournament.core.model import BLACK, WHITE, BrainSpec, GameRecord

NEAR_THE_LIMIT = 0.9


@dataclass(frozen=True)
class Timing:
    """One brain's time per move, start-up time and peak memory in bytes."""

    moves: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    start_ms: float | None
    peak_memory: int


def moves_of(record: GameRecord, colour: int) -> list[float]:
    """The times of one side's moves; the opening's length determines who moved first."""
    first = len(record.plan.opening.moves) % 2
    return [move.ms for i, move in enumerate(record.moves) if (first + i) % 2 == colour]


class TimingTotals:
    """The timing of every brain, kept up game by game in memory that does not grow with their number.

    Times per move are counted in whole milliseconds, as views show them.
    """

    def __init__(self) -> None:
        self._times: dict[str, Counter[int]] = {}
        self._slowest: dict[str, float] = {}
        self._starts: dict[str, float] = {}
        self._memory: dict[str, int] = {}

    def add(self, record: GameRecord) -> None:
        for colour, name in ((BLACK, record.plan.black), (WHITE, record.plan.white)):
            times = moves_of(record, colour)
            self._times.setdefault(name, Counter()).update(map(round, times))
            self._slowest[name] = max(self._slowest.get(name, 0.0), *times, 0.0)
            self._memory[name] = max(self._memory.get(name, 0), record.peak_memory[colour])
            start = record.start_ms[colour]
            if start is not None:
                self._starts[name] = max(self._starts.get(name, 0.0), start)

    def of(self, name: str) -> Timing:
        """The timing of one brain over the games added so far."""
        times = self._times.get(name, Counter())
        p50, p95, p99 = (counted_percentile(times, percent) for percent in (50, 95, 99))
        slowest, memory = self._slowest.get(name, 0.0), self._memory.get(name, 0)
        return Timing(times.total(), p50, p95, p99, slowest, self._starts.get(name), memory)


def counted_percentile(counts: Counter[int], percent: float) -> float:
    """The percentile by nearest rank of values that are given with their numbers; 0 if empty."""
    left = max(1, math.ceil(counts.total() * percent / 100))
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return float(value)
    return 0.0


def near_limits(timing: Timing, spec: BrainSpec) -> list[str]:
    """Notes on limits that were exceeded, or nearly reached."""
    found = []
    turn_ms, memory = spec.limits.turn_ms, spec.limits.memory_bytes
    if turn_ms is not None and timing.max_ms > turn_ms:
        found.append(f"slowest move {timing.max_ms:.0f} ms, {timing.max_ms - turn_ms:.0f} ms over the limit per move")
    if memory is not None and timing.peak_memory > NEAR_THE_LIMIT * memory:
        found.append(f"peak memory {timing.peak_memory >> 20} MB of {memory >> 20} MB")
    return found
