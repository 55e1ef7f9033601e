"""What counts as the host's doing when time is measured."""

from types import SimpleNamespace

import pytest

from tests.machine import Witness, common, stolen, stolen_share


def test_pauses_count_where_every_core_has_them() -> None:
    assert common([[(0.0, 2.0), (3.0, 4.0)], [(1.0, 3.5)]]) == [(1.0, 2.0), (3.0, 3.5)]


@pytest.mark.parametrize(
    ("began_at", "ended_at", "share"),
    [(1.0, 3.0, 0.2), (1.5, 2.5, 0.2), (0.0, 1.0, 0.0), (0.0, 3.0, 0.4 / 3), (1.0, 4.0, 0.0)],
)
def test_stolen_time_is_that_of_the_core_that_lost_most(began_at: float, ended_at: float, share: float) -> None:
    """Between the counts around a time; where one of them is missing, nothing is excused."""
    counts = [(0.0, {0: 7.0, 1: 5.0}), (1.0, {0: 7.0, 1: 5.0}), (3.0, {0: 7.1, 1: 5.4})]
    assert stolen_share(counts, began_at, ended_at) == pytest.approx(share)


def test_a_core_that_the_host_takes_disturbs(monkeypatch: pytest.MonkeyPatch) -> None:
    witness = Witness()
    taken = iter([{0: 0.0}, {0: 0.5}, {0: 0.5}])
    monkeypatch.setattr("tests.machine.stolen", lambda: next(taken))
    monkeypatch.setattr("tests.machine.STOLEN_EVERY_S", 600.0)
    clock = SimpleNamespace(perf_counter=iter([0.0, 2.0, 4.0]).__next__, sleep=lambda _: None)
    monkeypatch.setattr("tests.machine.time", clock)
    with witness:
        assert witness.is_disturbed(0.0, 2.0)
        assert not witness.is_disturbed(2.0, 4.0)


def test_the_kernel_counts_each_core() -> None:
    first, second = stolen(), stolen()
    assert first.keys() == second.keys()
    assert all(second[core] >= first[core] for core in first)
