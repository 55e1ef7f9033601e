"""Time and memory use of brains, computed from game records."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournament.model import BLACK, WHITE, BrainSpec, GameRecord

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


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of the values do not exceed (nearest rank); 0 if empty."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def moves_of(record: GameRecord, colour: int) -> list[float]:
    """The times of one side's moves; the opening's length determines who moved first."""
    first = len(record.plan.opening.moves) % 2
    return [move.ms for i, move in enumerate(record.moves) if (first + i) % 2 == colour]


def timing_of(name: str, records: Iterable[GameRecord]) -> Timing:
    """The timing of one brain over all its games."""
    times: list[float] = []
    starts: list[float] = []
    memory = 0
    for record in records:
        for colour, player in ((BLACK, record.plan.black), (WHITE, record.plan.white)):
            if player == name:
                times += moves_of(record, colour)
                memory = max(memory, record.peak_memory[colour])
                start = record.start_ms[colour]
                starts += [] if start is None else [start]
    return Timing(
        len(times),
        percentile(times, 50),
        percentile(times, 95),
        percentile(times, 99),
        max(times, default=0.0),
        max(starts, default=None),
        memory,
    )


def near_limits(timing: Timing, spec: BrainSpec) -> list[str]:
    """Notes on limits that were exceeded, or nearly reached."""
    found = []
    turn_ms, memory = spec.limits.turn_ms, spec.limits.memory_bytes
    if turn_ms is not None and timing.max_ms > turn_ms:
        found.append(f"slowest move {timing.max_ms:.0f} ms, {timing.max_ms - turn_ms:.0f} ms over the limit per move")
    if memory is not None and timing.peak_memory > NEAR_THE_LIMIT * memory:
        found.append(f"peak memory {timing.peak_memory >> 20} MB of {memory >> 20} MB")
    return found
