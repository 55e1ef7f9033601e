"""One signature: library and jitted functions, every baseline, every run, native and WebAssembly."""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pbrain import bench
from pbrain.core import layout
from pbrain.core.notation import parse_position
from pbrain.core.params import CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import cell_at
from pbrain.engine.evaluation import Values, orders, packed, read_worth, values_for
from pbrain.library import build
from pbrain.library.native import Library, baselines, host_target, library_name
from tests.jitted import DEPTH as JITTED_DEPTH

ROOT = Path(__file__).resolve().parents[1]


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


def test_the_jitted_functions_agree_with_every_index_checked(library: Library) -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    command = [sys.executable, "-m", "tests.jitted"]
    run = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [bench.run(library, JITTED_DEPTH).signature]


def test_webassembly_agrees(library: Library, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine to run WebAssembly in")
    (wasm,) = build.build("wasm32", folder=tmp_path)
    positions = [
        {
            "width": width,
            "height": height,
            "rule": rule,
            "value": base64.b64encode(2 * packed(values_for(rule).cells)).decode(),
            "threats": values_for(rule).threats,
            "cells": [cell_at(x, y) for x, y in parse_position(moves)],
        }
        for width, height, rule, moves in bench.POSITIONS
    ]
    job = {
        "order": base64.b64encode(packed(orders(read_worth()))).decode(),
        "positions": positions,
        "depth": bench.DEPTH,
        "table_bytes": bench.TABLE_BYTES,
    }
    script = Path(__file__).with_name("wasm_search.mjs")
    command = [node, str(script), str(wasm), str(wasm.with_suffix(".json"))]
    run = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
    found_layout, *lines = run.stdout.splitlines()
    assert int(found_layout) == layout.signature()
    assert [tuple(map(int, line.split())) for line in lines] == [tuple(one) for one in bench.searches(library)]


def test_the_signature_follows_the_evaluation(
    library: Library, signature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature that nothing could change would show nothing."""

    def changed(rule: Rule) -> Values:
        cells, threats = values_for(rule)
        return Values([[value + (mine == CellClass.ONE) for value in row] for mine, row in enumerate(cells)], threats)

    monkeypatch.setattr("pbrain.bench.values_for", changed)
    assert bench.run(library).signature != signature


def test_board_speed_counts_pairs(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BOARD_SLICE_S", 0.002)
    speed = bench.board_speed(library)
    assert speed.pairs > 0
    assert 0 < speed.mean <= speed.best
