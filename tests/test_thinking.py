"""The thread that thinks, and the caller, who answers in time whatever that thread does."""

import time
from collections.abc import Callable

import pytest

from pbrain.core.notation import parse_position
from pbrain.core.types import Budget, Limits, Report, SearchLimits
from pbrain.engine.engine import Engine, NoMoveError
from pbrain.engine.thinking import Thinker
from pbrain.engine.timeman import search_limits
from pbrain.library.native import Library

LATE_S = 2.0
SIXTY_MS = Limits(Budget(60, 60))
DONE_IN_TIME = Limits(Budget(500, 500), nodes=2000)  # a few ms, so that only the report comes late


class HeldUpEngine(Engine):
    """Loses its core once it has found its move, as on an overloaded machine."""

    found: Report | None = None

    def think(
        self, limits: SearchLimits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        self.found = super().think(limits, on_iteration, lines)
        time.sleep(LATE_S)
        return self.found


def in_a_game(engine: Engine) -> Engine:
    engine.new_game(15, 15, engine.rule)
    for x, y in ((7, 7), (8, 8), (9, 5), (6, 8)):
        engine.play(x, y)
    engine.allow_thinking()
    return engine


@pytest.mark.parametrize("lines", [1, 3])
def test_answers_in_time_what_was_found_by_then(library: Library, lines: int) -> None:
    engine = HeldUpEngine(library)
    in_a_game(engine)
    thinker = Thinker(engine)
    began = time.perf_counter()
    report = thinker.think(search_limits(DONE_IN_TIME, engine.now_ns()), lines=lines)
    taken_s = time.perf_counter() - began
    thinker.settle()
    assert taken_s < LATE_S
    assert time.perf_counter() - began > LATE_S
    assert engine.moves == 4
    assert engine.found is not None
    assert report.move == engine.found.move


def test_the_same_move_as_without_a_thread(library: Library) -> None:
    limits = Limits(depth=6)
    alone = in_a_game(Engine(library))
    expected: list[Report] = []
    report = alone.think(search_limits(limits, alone.now_ns()), expected.append)
    engine = in_a_game(Engine(library))
    heard: list[Report] = []
    thinker = Thinker(engine)
    found = thinker.think(search_limits(limits, engine.now_ns()), heard.append)
    thinker.settle()
    assert found._replace(elapsed_ms=0.0) == report._replace(elapsed_ms=0.0)
    assert [told._replace(elapsed_ms=0.0) for told in heard] == [told._replace(elapsed_ms=0.0) for told in expected]


def test_what_thinking_raises_is_raised_here(engine: Engine) -> None:
    engine.new_game(15, 15, engine.rule)
    for x in range(5):
        engine.play(x, 0, 0)
    with pytest.raises(NoMoveError, match="decided"):
        Thinker(engine).think(search_limits(SIXTY_MS, engine.now_ns()))


class SlowToBegin(Engine):
    """Gets no core until long after its deadline, so that there is no move to answer with."""

    def think(
        self, limits: SearchLimits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        time.sleep(LATE_S)
        return super().think(limits, on_iteration, lines)


def test_waiting_for_the_first_move_takes_no_cpu_time(library: Library) -> None:
    engine = in_a_game(SlowToBegin(library))
    thinker = Thinker(engine)
    began, cpu_began = time.perf_counter(), time.thread_time()
    thinker.think(search_limits(Limits(Budget(0, 0)), engine.now_ns()))
    cpu_s, taken_s = time.thread_time() - cpu_began, time.perf_counter() - began
    thinker.settle()
    assert taken_s >= LATE_S
    assert cpu_s < LATE_S / 5


@pytest.mark.parametrize("lines", [1, 3])
def test_the_best_so_far_is_the_newest_report_of_the_best_line(library: Library, lines: int) -> None:
    engine = in_a_game(Engine(library))
    known = []

    def ask(_: Report) -> None:
        known.append(engine.best_so_far)

    report = engine.think(search_limits(Limits(depth=5), engine.now_ns()), ask, lines)
    assert [best.depth for best in known if best is not None] == [depth for depth in range(1, 6) for _ in range(lines)]
    assert known[-1] == engine.best_so_far == report
    engine.forget_best()
    assert engine.best_so_far is None


# No win by fours here takes less than 100,000 nodes to rule out.
MANY_FOURS = (
    "b10b6l2f5o14g12h7e2b11j13d10j10n2d4a5n8g14o6o8a12a7o15i13d15i2a9i5j3b4d11l4c6b7g2c7i8e1n4o1b9e14a3a1c5h10k5d1j4"
    "i14l8b14f15a8d7g13b8c12m8k10m5"
)


@pytest.mark.parametrize("limits", [Limits(nodes=4000), pytest.param(SIXTY_MS, marks=pytest.mark.timing)])
def test_the_vcf_at_the_root_leaves_most_of_the_budget_to_the_search(engine: Engine, limits: Limits) -> None:
    results = []
    for _ in range(2):
        engine.new_game(15, 15, engine.rule)
        for move in parse_position(MANY_FOURS):
            engine.play(*move)
        engine.allow_thinking()
        heard: list[Report] = []
        report = engine.think(search_limits(limits, engine.now_ns()), heard.append)
        assert [told.depth for told in heard][:1] == [1]
        results.append(report._replace(elapsed_ms=0.0))
    if limits.nodes is not None:
        assert results[0] == results[1]
        assert results[0].nodes <= limits.nodes + 4


def test_a_stop_in_the_vcf_at_the_root_ends_the_search(engine: Engine) -> None:
    engine.new_game(15, 15, engine.rule)
    for move in parse_position(MANY_FOURS):
        engine.play(*move)
    engine.stop()
    report = engine.think(search_limits(Limits(Budget(60_000, 60_000)), engine.now_ns()))
    assert (report.depth, report.nodes < 10) == (0, True)
