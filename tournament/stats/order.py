"""Pairs in the order of the schedule: what a sequential test counts."""

from collections.abc import Iterable, Iterator

from tournament.core.model import GameRecord
from tournament.stats.standings import Totals

GAMES_PER_PAIR = 2


class PairsInOrder:
    """The totals of the pairs up to the first one that is not finished, not in the order in which they end.

    So a test is the same for every concurrency and after every interruption.
    """

    def __init__(self, records: Iterable[GameRecord] = ()) -> None:
        self.totals = Totals()
        self._waiting: dict[int, list[GameRecord]] = {}  # by pair
        self._next_pair = 1
        for record in records:
            self.add(record)

    def add(self, record: GameRecord) -> None:
        """Count a game, if it is its turn, and those that have waited for it."""
        for _ in self.after_each_pair(record):
            pass

    def after_each_pair(self, record: GameRecord) -> Iterator[Totals]:
        """Count a game; yields the totals after each pair that it lets count."""
        self._waiting.setdefault(record.plan.pair, []).append(record)
        while len(self._waiting.get(self._next_pair, ())) == GAMES_PER_PAIR:
            for game in self._waiting.pop(self._next_pair):
                self.totals.add(game)
            self._next_pair += 1
            yield self.totals
