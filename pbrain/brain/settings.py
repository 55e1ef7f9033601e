"""What INFO has set: the manager's clock, limits of the search, memory, the rule, and what to say."""

from collections.abc import Callable

from pbrain.brain.commands import Info, Key
from pbrain.core.types import CONTINUOUS, Clock, Rule
from pbrain.engine.memory import table_bytes, threads_within

UNLIMITED_LEFT_MS = 2147483647
REALTIME_DETAILS = (1, 3)  # values of show_detail


class Settings:
    """The values of INFO, the protocol's zeros translated to None."""

    def __init__(self, rule: Rule) -> None:
        self.clock = Clock()
        self.depth: int | None = None
        self.nodes: int | None = None
        self.rule = rule
        self.is_continuous = False
        self.is_gui = False  # a command or key that only Yixin-Board and similar programs send was seen
        self.shows_realtime = False
        self._memory: int | None = None
        self._hash: int | None = None
        self._threads = 1

    @property
    def threads(self) -> int:
        return threads_within(self._memory, self._threads)

    @property
    def table_bytes(self) -> int:
        return table_bytes(self._memory, self._hash, self.threads)

    def set(self, info: Info) -> None:
        SETTERS[info.key](self, info.value)

    def _set_turn(self, ms: int) -> None:
        self.clock = self.clock._replace(turn_ms=max(0, ms))

    def _set_match(self, ms: int) -> None:
        self.clock = self.clock._replace(match_ms=_positive(ms), left_ms=_positive(ms))

    def _set_left(self, ms: int) -> None:
        self.clock = self.clock._replace(left_ms=None if ms >= UNLIMITED_LEFT_MS else max(0, ms))

    def _set_increment(self, ms: int) -> None:
        self.clock = self.clock._replace(increment_ms=max(0, ms))

    def _set_memory(self, limit: int) -> None:
        self._memory = _positive(limit)

    def _set_hash(self, kilobytes: int) -> None:
        self._hash = _positive(1024 * kilobytes)

    def _set_threads(self, number: int) -> None:
        self._threads = number

    def _set_rule(self, mask: int) -> None:
        """A number that stands for no rule changes nothing."""
        if self.is_gui and mask == CONTINUOUS:
            mask = Rule.RENJU
        try:
            self.rule = Rule.from_mask(mask)
        except ValueError:
            return
        self.is_continuous = bool(mask & CONTINUOUS)

    def _set_depth(self, depth: int) -> None:
        self.depth = _positive(depth)

    def _set_nodes(self, nodes: int) -> None:
        self.nodes = _positive(nodes)

    def _set_detail(self, detail: int) -> None:
        self.is_gui = True
        self.shows_realtime = detail in REALTIME_DETAILS


SETTERS: dict[Key, Callable[[Settings, int], None]] = {
    Key.TIMEOUT_TURN: Settings._set_turn,
    Key.TIMEOUT_MATCH: Settings._set_match,
    Key.TIME_LEFT: Settings._set_left,
    Key.TIME_INCREMENT: Settings._set_increment,
    Key.MAX_MEMORY: Settings._set_memory,
    Key.HASH_SIZE: Settings._set_hash,
    Key.THREAD_NUM: Settings._set_threads,
    Key.RULE: Settings._set_rule,
    Key.MAX_DEPTH: Settings._set_depth,
    Key.MAX_NODE: Settings._set_nodes,
    Key.SHOW_DETAIL: Settings._set_detail,
}


def _positive(value: int) -> int | None:
    return value if value > 0 else None
