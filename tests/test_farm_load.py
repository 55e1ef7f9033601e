"""What a farm costs beside the games themselves; FARM.md has the figures of a thousand workers.

No timing tests: they compare what was measured in turns, or count CPU time.
"""

from pathlib import Path

import pytest

from tests.farm_load import games_saved_per_s, load_of, pair_cost


@pytest.mark.slow
def test_a_pair_costs_little_more_through_dask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cost = pair_cost(tmp_path, pairs=30, rounds=4)
    with capsys.disabled():
        print(f"\n{cost}")
    assert cost.farm < cost.local + 250


@pytest.mark.slow
def test_scheduler_and_runner_serve_many_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load = load_of(tmp_path, workers=100, pair_s=10, rounds=4)
    saved = games_saved_per_s(tmp_path, 3)
    with capsys.disabled():
        print(f"\n{load}\n{saved:.0f} games saved per second")
    assert load.scheduler_cpu / load.pairs_per_s < 0.1
    assert load.runner_cpu / load.pairs_per_s < 0.1
    assert saved > 2 * load.pairs_per_s
