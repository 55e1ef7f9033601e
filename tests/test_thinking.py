"""The thread that thinks, and the caller who answers in time whatever becomes of it."""

import time
from collections.abc import Callable

import pytest

from pbrain.core.types import Budget, Limits, Report
from pbrain.engine.engine import Engine, NoMoveError
from pbrain.engine.thinking import Thinker
from pbrain.library.native import Library

LATE_S = 0.5


class HeldUpEngine(Engine):
    """The processor is taken from it at the end of its time, as on a machine that has too much to do."""

    def think(
        self, limits: Limits, asked_ns: int, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        report = super().think(limits, asked_ns, on_iteration, lines)
        time.sleep(LATE_S)
        return report


def in_a_game(engine: Engine) -> Engine:
    engine.new_game(15, 15, engine.rule)
    for x, y in ((7, 7), (8, 8), (9, 5), (6, 8)):
        engine.play(x, y)
    engine.allow_thinking()
    return engine


@pytest.mark.parametrize("lines", [1, 3])
def test_answers_in_time_what_was_found_by_then(library: Library, lines: int) -> None:
    engine = in_a_game(HeldUpEngine(library))
    thinker = Thinker(engine)
    heard: list[Report] = []
    began = time.perf_counter()
    report = thinker.think(Limits(Budget(60, 60)), engine.now_ns(), heard.append, lines)
    taken_s = time.perf_counter() - began
    thinker.settle()
    assert taken_s < LATE_S
    assert time.perf_counter() - began > LATE_S
    assert engine.moves == 4
    best = [told for told in heard if told.rank == 1][-1]
    assert report.move == (engine.best_so_far if lines == 1 else best.move)


def test_the_same_move_as_without_a_thread(library: Library) -> None:
    limits = Limits(depth=6)
    alone = in_a_game(Engine(library))
    expected: list[Report] = []
    report = alone.think(limits, alone.now_ns(), expected.append)
    engine = in_a_game(Engine(library))
    heard: list[Report] = []
    thinker = Thinker(engine)
    found = thinker.think(limits, engine.now_ns(), heard.append)
    thinker.settle()
    assert found._replace(elapsed_ms=0.0) == report._replace(elapsed_ms=0.0)
    assert [told._replace(elapsed_ms=0.0) for told in heard] == [told._replace(elapsed_ms=0.0) for told in expected]


def test_what_thinking_raises_is_raised_here(engine: Engine) -> None:
    engine.new_game(15, 15, engine.rule)
    for x in range(5):
        engine.play(x, 0, 0)
    with pytest.raises(NoMoveError, match="decided"):
        Thinker(engine).think(Limits(Budget(60, 60)), engine.now_ns())
