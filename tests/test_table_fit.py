"""Learning the table of values: its fit against data whose values are known, and its file."""

import random
from pathlib import Path

import numpy as np
import pytest

from pbrain.core.params import CLASS_STRIDE, THREAT_INDICES, CellClass
from pbrain.core.types import Rule
from pbrain.engine.evaluation import hand_made, knowledge_for, read_values, read_worth
from pbrain.learn import table_fit
from pbrain.learn.bags import PAIRS, Bags
from pbrain.learn.game_format import Array
from pbrain.learn.knowledge_files import values_text
from pbrain.learn.table_fit import SCALE, TERMS
from pbrain.library.native import Library
from tests.test_network_fit import bags_of, positions_of

KINDS = [CellClass.ONE, CellClass.TWO, CellClass.THREE, CellClass.FOUR]
SOME_PAIRS = [mine * CLASS_STRIDE + theirs for mine in KINDS for theirs in KINDS]


def random_bags(size: int, rng: np.random.Generator, true: Array, threats: list[int]) -> Bags:
    """Positions of four pairs, each once or twice, whose goals are the chances that `true` values give them."""
    pairs = np.concatenate([rng.choice(SOME_PAIRS, 4, replace=False) for _ in range(size)]).astype(np.uint16)
    counts = rng.integers(1, 3, 4 * size).astype(np.uint16)
    threat = rng.choice(threats, size).astype(np.uint16)
    total = (true[pairs] * counts).reshape(size, 4).sum(axis=1) + true[PAIRS + threat.astype(int)]
    goal = (1 / (1 + np.exp(-total / SCALE))).astype(np.float32)
    starts = np.arange(0, 4 * size + 1, 4)
    return Bags(starts, pairs, counts, threat, np.zeros(size, np.uint8), np.zeros(size, np.float32), goal)


def true_values(rng: np.random.Generator) -> Array:
    true = np.zeros(TERMS)
    true[SOME_PAIRS] = rng.integers(-200, 200, len(SOME_PAIRS))
    true[PAIRS + 5], true[PAIRS + 900] = 150, -150
    return true


def test_a_fit_finds_the_values_that_made_the_data() -> None:
    rng = np.random.default_rng(3)
    true = true_values(rng)
    bags = random_bags(20_000, rng, true, [0, 5, 900])
    found = table_fit.flat(table_fit.fit(bags, table_fit.table_of(np.zeros(TERMS))))
    assert abs(found[SOME_PAIRS] - true[SOME_PAIRS]).max() < 12
    assert abs(found[[PAIRS + 5, PAIRS + 900]] - (150, -150)).max() < 12


def loss(bags: Bags, values: Array) -> float:
    odds = table_fit.values_of(bags, values) / SCALE
    return float(np.mean(np.logaddexp(0, odds) - bags.goal * odds))


def test_a_gradient_is_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(4)
    bags = random_bags(101, rng, true_values(rng), [0, 5])
    values = rng.normal(0, 100, TERMS)
    slope = table_fit.gradient(bags, 0, bags.size, values) / SCALE
    for term in (*SOME_PAIRS[::3], PAIRS, PAIRS + 5):
        step = np.zeros(TERMS)
        step[term] = 0.5
        measured = loss(bags, values + step) - loss(bags, values - step)
        assert measured == pytest.approx(slope[term], abs=1e-7)
        assert slope[term] != 0


@pytest.mark.parametrize("rule", [Rule.FREESTYLE, Rule.RENJU])
def test_the_value_of_a_bag_is_that_of_the_kernel(library: Library, rule: Rule) -> None:
    bags = bags_of(library, rule, positions_of(library, rule))
    values = table_fit.values_of(bags, table_fit.flat(knowledge_for(rule).values))
    assert np.clip(values, -3000, 3000).tolist() == bags.value.tolist()


def test_dead_cells_are_worth_nothing() -> None:
    rng = random.Random(1)
    table = table_fit.table_of(np.array([rng.randint(1, 9) for _ in range(TERMS)]))
    assert table.cells[CellClass.DEAD][CellClass.DEAD] == 0
    assert not any(table.cells[CellClass.TAKEN])
    assert table.cells[CellClass.DEAD][CellClass.ONE] > 0


def test_a_table_survives_being_written(tmp_path: Path) -> None:
    threats = [(7 * index) % 5 - 2 for index in range(THREAT_INDICES)]
    table = table_fit.table_of(table_fit.flat(hand_made(read_worth()).values._replace(threats=threats)))
    assert table.threats == threats
    (tmp_path / "table.tsv").write_text(values_text(table))
    assert read_values(tmp_path / "table.tsv") == table
