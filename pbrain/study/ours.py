"""This engine's searches, counted and timed."""

import time

from pbrain.core.types import Budget, Limits, Report, Rule
from pbrain.engine.engine import Engine
from pbrain.engine.memory import MIB
from pbrain.engine.timeman import search_limits
from pbrain.library.native import Library
from pbrain.study.positions import SIZE, Position
from pbrain.study.sample import MIN_MS, Sample

TABLE_BYTES = 64 * MIB


class OurEngine:
    """An engine that forgets everything before each search."""

    def __init__(self, library: Library) -> None:
        self._engine = Engine(library)
        self._engine.set_table_bytes(TABLE_BYTES)

    def _set_up(self, position: Position) -> None:
        self._engine.new_game(SIZE, SIZE, Rule.FREESTYLE)
        for x, y in position:
            self._engine.play(x, y)

    def to_depth(self, position: Position, depth: int) -> Sample:
        """Iterative deepening to a fixed depth: the same nodes on every machine."""
        self._set_up(position)
        began = time.thread_time()
        report = self._engine.search(depth)
        ms = max(MIN_MS, 1000 * (time.thread_time() - began))
        return Sample(depth, report.nodes, 0, ms, True, report.move)

    def for_a_time(self, position: Position, cpu_ms: float, turn_ms: float) -> Sample | None:
        """The last iteration that ends in so much CPU time; None if the position is solved, when depth says nothing."""
        self._set_up(position)
        finished: list[Sample] = []
        began = time.thread_time()

        def note(report: Report) -> None:
            ms = max(MIN_MS, 1000 * (time.thread_time() - began))
            finished.append(Sample(report.depth, report.nodes, 0, ms, True, report.move))
            if ms > cpu_ms:
                self._engine.stop()

        self._engine.allow_thinking()
        limits = search_limits(Limits(Budget(turn_ms, turn_ms), is_analysis=True), self._engine.now_ns())
        report = self._engine.think(limits, note)
        in_time = [sample for sample in finished if sample.ms <= cpu_ms]
        return in_time[-1] if in_time and report.win_in is None else None
