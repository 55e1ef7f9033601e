"""How fast the board is compared with the same loop in C, and how soon the tables of a rule are ready."""

import ctypes
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbrain import bench
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine, prepare_tables
from pbrain.engine.evaluation import knowledge_for
from pbrain.library.native import Library, State, Tables, baselines, host_target

SOURCE = Path(__file__).with_name("kernel_twin.c")
# Slices alternate and the best of each side counts, so that other processes cannot slow down one side only.
SLICES, SLICE_ROUNDS = 60, 20


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The C twin, compiled for the baseline of the native library that this machine loads."""
    if not host_target().endswith("x86_64") or sys.platform != "linux":
        pytest.skip("the C twin is compiled for x86-64 Linux only")
    folder = tmp_path_factory.mktemp("twin")
    zig = [sys.executable, "-m", "ziglang"]
    cpu = f"-mcpu=x86_64_{next(iter(baselines(host_target())))}"
    compiling = [*zig, "cc", "-O3", cpu, "-fPIC", "-c", str(SOURCE), "-o", str(folder / "twin.o")]
    subprocess.run(compiling, check=True, cwd=folder)
    subprocess.run([*zig, "ld.lld", "-shared", "-o", "twin.so", "twin.o"], check=True, cwd=folder)
    twin = ctypes.CDLL(str(folder / "twin.so"))
    for name in ("twin_state_size", "twin_tables_size", "twin_exercise"):
        getattr(twin, name).restype = ctypes.c_uint64
    twin.twin_exercise.argtypes = [ctypes.POINTER(State), ctypes.c_uint64]
    twin.twin_make.argtypes = [ctypes.POINTER(State), ctypes.c_uint32, ctypes.c_uint32]
    twin.twin_undo.argtypes = [ctypes.POINTER(State)]
    return twin


def test_the_twin_in_c_does_the_same_work(library: Library, twin: Any) -> None:
    tables, ours, theirs = Tables(), State(), State()
    assert (twin.twin_state_size(), twin.twin_tables_size()) == (ctypes.sizeof(ours), ctypes.sizeof(tables))
    for rule in Rule:
        prepare_tables(library, tables, rule, knowledge_for(rule))
        for state in (ours, theirs):
            library.clear(state, ctypes.addressof(tables), 20, 20)
        library.scatter(ours, 7, 60)
        for frame in list(ours.frames)[: ours.moves]:
            twin.twin_make(theirs, frame.cell, ours.stones[frame.cell] - 1)
        assert bytes(ours) == bytes(theirs)
        while ours.moves:
            library.undo(ours)
            twin.twin_undo(theirs)
            assert bytes(ours) == bytes(theirs)


def best_slices(state: Any, *exercises: Callable[[Any, int], int]) -> list[float]:
    """The best pairs per second of each, measured in turn."""
    best = [0.0] * len(exercises)
    for _ in range(SLICES):
        for i, exercise in enumerate(exercises):
            begun = time.perf_counter()
            pairs = exercise(state, SLICE_ROUNDS)
            best[i] = max(best[i], pairs / (time.perf_counter() - begun))
    return best


@pytest.mark.timing
def test_the_kernel_is_as_fast_as_c(library: Library, twin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    state, tables = State(), Tables()
    prepare_tables(library, tables, Rule.FREESTYLE, knowledge_for(Rule.FREESTYLE))
    library.clear(state, ctypes.addressof(tables), 20, 20)
    library.scatter(state, 1, bench.BOARD_STONES)
    ours, theirs = best_slices(state, library.exercise, twin.twin_exercise)
    times_c = theirs / ours
    with capsys.disabled():
        print(f"\nmake/undo pairs per second: kernel {ours:,.0f}, C {theirs:,.0f}; the kernel takes {times_c:.2f} x C")
    assert times_c < 1.25


@pytest.mark.timing
def test_tables_are_ready_within_150_ms(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    """What START costs after a change of rule, in the best of three tries."""
    taken = {}
    for rule in Rule:
        other = Rule.EXACT_FIVE if rule != Rule.EXACT_FIVE else Rule.FREESTYLE
        engine = Engine(library)
        tries = []
        for _ in range(3):
            engine.new_game(15, 15, other)
            begun = time.perf_counter()
            engine.new_game(20, 20, rule)
            tries.append(1000 * (time.perf_counter() - begun))
        taken[rule.name] = min(tries)
    with capsys.disabled():
        print("\nnew game with another rule, ms:", {name: round(ms, 1) for name, ms in taken.items()})
    assert max(taken.values()) < 150
