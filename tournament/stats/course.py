"""The course of a sequential test: its log-likelihood ratio after each pair, in the order of the schedule."""

from tournament.core.model import GameRecord
from tournament.stats.order import GAMES_PER_PAIR, PairsInOrder
from tournament.stats.sprt import Sprt, assess
from tournament.stats.standings import Field, tested_counts
from tournament.stats.summary import result_of

MAX_POINTS = 200  # a ratio takes about a millisecond


class SprtCourse:
    """Keeps the counts after each pair, and the ratios that were asked for."""

    def __init__(self, test: Sprt, players: Field) -> None:
        self._test, self._players = test, players
        self._order = PairsInOrder()
        self._counts: list[tuple[int, ...]] = []
        self._known: dict[int, float] = {}  # by pair

    def add(self, record: GameRecord) -> None:
        for totals in self._order.after_each_pair(result_of(record)):
            self._counts.append(tested_counts(totals, self._test, self._players))

    def points(self) -> list[tuple[int, float]]:
        """Games and ratio, beginning with (0, 0); of many pairs, every second, fourth, eighth, ... and the last.

        So most of the points of a longer course are those of a shorter one, which are known.
        """
        pairs, step = len(self._counts), 1
        while pairs / step > MAX_POINTS:
            step *= 2
        places = sorted({*range(step, pairs + 1, step), pairs} - {0})
        return [(0, 0.0), *((GAMES_PER_PAIR * place, self._ratio_after(place)) for place in places)]

    def _ratio_after(self, pair: int) -> float:
        if pair not in self._known:
            self._known[pair] = assess(self._test, self._counts[pair - 1]).llr
        return self._known[pair]
