"""Time per move over the course of a game: percentiles for each brain and move number."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from tournament.core.model import BLACK, WHITE, GameRecord
from tournament.stats.timing import counted_percentile, moves_of

MIN_SHARE = 0.1  # of a brain's games; the few games that last longer say little


class MoveTime(NamedTuple):
    """The times of a brain's moves of one number, in milliseconds."""

    move: int  # from 1: the brain's own moves
    p50_ms: float
    p95_ms: float


class MoveTimes:
    """Times in whole milliseconds by brain and move number."""

    def __init__(self) -> None:
        self._times: defaultdict[str, defaultdict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))

    def add(self, record: GameRecord) -> None:
        for colour, name in ((BLACK, record.plan.black), (WHITE, record.plan.white)):
            for number, ms in enumerate(moves_of(record, colour), 1):
                self._times[name][number][round(ms)] += 1

    def of(self, name: str) -> list[MoveTime]:
        """The move numbers that at least a tenth of the games have reached."""
        times: Mapping[int, Counter[int]] = self._times.get(name, {})
        most = max((counts.total() for counts in times.values()), default=0)
        return [
            MoveTime(number, counted_percentile(counts, 50), counted_percentile(counts, 95))
            for number, counts in sorted(times.items())
            if counts.total() >= MIN_SHARE * most
        ]
