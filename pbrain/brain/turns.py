"""Our turns on the manager's clock: when one begins, what time it may take, what it took."""

from pbrain.brain.settings import Settings
from pbrain.core.types import Limits, SearchLimits
from pbrain.engine import timeman
from pbrain.engine.timeman import NS_PER_MS


class TurnTimer:
    """Gives each turn its limits, and learns from how late its answer was.

    `start_cost_ns` is taken off the first turn: managers that start their clock with the process count its start.
    """

    def __init__(self, settings: Settings, start_cost_ns: int) -> None:
        self._settings = settings
        self._start_cost_ns = start_cost_ns
        self._delay_ms = 0.0

    def begin(self, heard_ns: int, own_moves: int) -> SearchLimits:
        """The limits of a search for a question that was heard then."""
        settings = self._settings
        budget = timeman.budget(settings.clock, own_moves, self._delay_ms)
        cost_ns, self._start_cost_ns = self._start_cost_ns, 0
        return timeman.search_limits(Limits(budget, settings.depth, settings.nodes), heard_ns - cost_ns)

    def end(self, limits: SearchLimits, heard_ns: int, now_ns: int) -> None:
        """The answer to a question is ready."""
        if limits.deadline_ns is not None:
            # From when the question was heard: the start of the process is not a delay that will come back.
            late_ns = (now_ns - heard_ns) - (limits.deadline_ns - limits.began_ns)
            self._delay_ms = timeman.remembered_delay(self._delay_ms, late_ns / NS_PER_MS)
        clock = self._settings.clock
        if clock.left_ms is not None:
            left = clock.left_ms - round((now_ns - limits.began_ns) / NS_PER_MS) + clock.increment_ms
            self._settings.clock = clock._replace(left_ms=max(0, left))

    def start_game(self) -> None:
        """A new game has the whole match time again."""
        self._settings.clock = self._settings.clock._replace(left_ms=self._settings.clock.match_ms)
