"""What is kept of the games of an event: all that views show, in memory that does not grow with their number."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tournament.core.model import GameRecord
from tournament.stats.order import PairsInOrder
from tournament.stats.standings import Totals
from tournament.stats.timing import TimingTotals

LATEST = 6


def result_of(record: GameRecord) -> GameRecord:
    """The game without its moves and texts: a few hundred bytes instead of tens of thousands."""
    return replace(record, moves=(), detail="", warnings=())


@dataclass
class Summary:
    """The games added so far; the games themselves are in the store."""

    played: int = 0
    totals: Totals = field(default_factory=Totals)
    tested: PairsInOrder = field(default_factory=PairsInOrder)  # what a sequential test counts
    timings: TimingTotals = field(default_factory=TimingTotals)
    results: dict[int, GameRecord] | None = None  # by number, for a knock-out, whose schedule depends on them
    latest: deque[GameRecord] = field(default_factory=lambda: deque(maxlen=LATEST))  # the newest first

    def add(self, record: GameRecord) -> None:
        self.played += 1
        self.totals.add(record)
        self.tested.add(result_of(record))
        self.timings.add(record)
        self.latest.appendleft(record)
        if self.results is not None:
            self.results[record.plan.number] = result_of(record)


def summary_of(records: Iterable[GameRecord], is_knockout: bool = False) -> Summary:
    """The summary of these games."""
    summary = Summary(results={} if is_knockout else None)
    for record in records:
        summary.add(record)
    return summary
