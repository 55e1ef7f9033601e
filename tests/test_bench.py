"""The bench signature is the same for library and jitted functions, every baseline and every run."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pbrain import bench
from pbrain.core.params import CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import Knowledge, knowledge_for
from pbrain.library.native import Library, baselines, host_target, library_name

ROOT = Path(__file__).resolve().parents[1]
JITTED_DEPTH = 4  # checking every index is slow


@pytest.fixture(scope="module")
def signature(library: Library) -> str:
    return bench.run(library).signature


def test_two_runs_agree(library: Library, signature: str) -> None:
    assert bench.run(library).signature == signature


def test_every_rule_is_searched() -> None:
    assert {rule for _, _, rule, _ in bench.POSITIONS} == set(Rule)


def test_every_baseline_of_this_machine_agrees(library: Library, signature: str) -> None:
    names = [library_name(host_target(), baseline) for baseline in baselines(host_target())]
    assert library.path.name == names[0]
    signatures = {name: bench.run(Library(library.path.with_name(name))).signature for name in names}
    assert signatures == dict.fromkeys(names, signature)


@pytest.mark.slow
def test_the_jitted_functions_agree_with_every_index_checked(library: Library) -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    command = [sys.executable, "-m", "tests.jitted", str(JITTED_DEPTH)]
    run = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [bench.run(library, JITTED_DEPTH).signature]


def with_other_values(rule: Rule) -> Knowledge:
    knowledge = knowledge_for(rule)
    values = knowledge.values
    cells = [[value + (mine == CellClass.ONE) for value in row] for mine, row in enumerate(values.cells)]
    return knowledge._replace(values=values._replace(cells=cells))


def with_another_order(rule: Rule) -> Knowledge:
    knowledge = knowledge_for(rule)
    return knowledge._replace(order=knowledge.order._replace(near=knowledge.order.near[::-1]))


@pytest.mark.parametrize("changed", [with_other_values, with_another_order])
def test_the_signature_follows_what_was_learned(
    library: Library, signature: str, changed: Callable[[Rule], Knowledge]
) -> None:
    """A signature that nothing could change would show nothing."""
    assert bench.signature(list(bench.searches(Engine(library, knowledge_for)))) == signature
    assert bench.signature(list(bench.searches(Engine(library, changed)))) != signature


def test_a_search_leaves_no_trace_in_the_next(library: Library, signature: str) -> None:
    """Two runs on one engine: whatever the first one learned is forgotten."""
    engine = Engine(library)
    assert list(bench.searches(engine)) == list(bench.searches(engine))
    engine.stop()
    assert bench.signature(list(bench.searches(engine))) == signature


def test_scattered_stones_can_be_taken_back(engine: Engine) -> None:
    empty = engine.bytes_of("stones")
    engine.scatter(3, 40)
    assert len(set(engine.history)) == engine.moves == 40
    assert engine.winner is None
    stones = engine.bytes_of("stones")
    assert engine.exercise(2) == 2 * engine.exercise(1) > 0
    assert engine.bytes_of("stones") == stones
    while engine.moves:
        engine.undo()
    assert engine.bytes_of("stones") == empty


def test_board_speed_counts_pairs(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BOARD_SLICE_S", 0.002)
    speed = bench.board_speed(library)
    assert speed.pairs > 0
    assert 0 < speed.mean <= speed.best


def test_board_speed_is_the_mean_of_all_slices_and_of_the_best() -> None:
    slices = [[bench.Slice(100, 1.0), bench.Slice(100, 0.5)], [bench.Slice(300, 1.0), bench.Slice(300, 1.5)]]
    speed = bench.summary(slices)
    assert (speed.pairs, speed.mean) == (800, 200.0)
    assert speed.best == pytest.approx(2 / (1 / 200 + 1 / 300))
