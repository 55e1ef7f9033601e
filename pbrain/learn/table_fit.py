"""Logistic regression: the values of cells and threats that best predict who wins.

The value of a position is a sum of terms. Each term is an index into one list of values: the values of pairs of classes
(one term per cell), then those of threat indices (one term). Value / SCALE is the log-odds that the side to move wins.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from pbrain.core.params import CLASS_STRIDE, THREAT_INDICES, CellClass
from pbrain.engine.evaluation import Values
from pbrain.learn import adam
from pbrain.learn.bags import PAIRS, Bags
from pbrain.learn.game_format import Array

SCALE = 560.0
TERMS = PAIRS + THREAT_INDICES
RATE = 4.0  # Adam's learning rate, in units of the table
PULL = 3e-5  # regularisation of rare terms: pairs towards the sum of their classes, threats towards 0
PARTS = 4  # of a batch, each for a thread of its own; they are added in the same order on every machine
DEAD_TO_BOTH = CellClass.DEAD * CLASS_STRIDE + CellClass.DEAD  # is worth nothing: there are hundreds of such cells


def values_of(bags: Bags, values: Array) -> Array:
    """The value of every position."""
    found = np.empty(bags.size)
    _sum_terms(bags.starts, bags.pairs, bags.counts, bags.threats, 0, bags.size, values, found)
    return found


def gradient(bags: Bags, first: int, last: int, values: Array) -> Array:
    """The gradient of the mean loss of some positions in each term's value, times SCALE."""
    cuts = [first + (last - first) * i // PARTS for i in range(PARTS + 1)]

    def part(i: int) -> Array:
        by_term = np.zeros(TERMS)
        _add_gradient(tuple(bags), cuts[i], cuts[i + 1], values, by_term)
        return by_term

    with ThreadPoolExecutor(PARTS) as pool:
        by_term: Array = np.sum(list(pool.map(part, range(PARTS))), axis=0) / (last - first)
    by_term[DEAD_TO_BOTH] = 0
    return by_term


def summed_by_class(by_pair: Array) -> Array:
    """The gradient of pairs if the two classes of a cell add up independently."""
    square = by_pair.reshape(CLASS_STRIDE, CLASS_STRIDE)
    both: Array = square.sum(axis=1, keepdims=True) + square.sum(axis=0, keepdims=True)
    return both.ravel()


def descend(bags: Bags, prior: Array, is_additive: bool) -> Array:
    """Adam, over the batches in turn.

    If `is_additive`, a pair stays the sum of its classes and threats are worth nothing; else each term is free, but
    pulled back to the prior.
    """
    batches = adam.batches(bags.size)

    def slope_at(step: int, values: Array) -> Array:
        slope = gradient(bags, *batches[step % len(batches)], values)
        if is_additive:
            return np.concatenate([summed_by_class(slope[:PAIRS]), np.zeros(THREAT_INDICES)])
        pulled: Array = slope + PULL * (values - prior) / SCALE
        return pulled

    return adam.descend(prior.astype(float), slope_at, RATE)


def fit(bags: Bags, prior: Values) -> Values:
    """Fit single classes first, then pairs and threats."""
    return table_of(descend(bags, descend(bags, flat(prior), is_additive=True), is_additive=False))


def table_of(values: Array) -> Values:
    """The fitted values, rounded, as a table; pairs that no empty cell can have are worth 0."""
    whole = np.rint(values).astype(int)
    square = whole[:PAIRS].reshape(CLASS_STRIDE, CLASS_STRIDE)
    dead = (CellClass.DEAD, CellClass.DEAD)
    cells = [
        [
            0 if CellClass.TAKEN in (mine, theirs) or (mine, theirs) == dead else int(square[mine, theirs])
            for theirs in CellClass
        ]
        for mine in CellClass
    ]
    return Values(cells, whole[PAIRS:].tolist())


def flat(table: Values) -> Array:
    square = np.zeros((CLASS_STRIDE, CLASS_STRIDE))
    square[: len(table.cells), : len(table.cells)] = table.cells
    return np.concatenate([square.ravel(), table.threats])


@njit(nogil=True)  # not cached: numba would not notice that a constant of another module has changed
def _sum_terms(starts, pairs, counts, threats, first, last, values, found):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        total = values[PAIRS + np.int64(threats[i])]
        for j in range(starts[i], starts[i + 1]):
            total += counts[j] * values[pairs[j]]
        found[i - first] = total


@njit(nogil=True)
def _add_gradient(bags, first, last, values, by_term):  # type: ignore[no-untyped-def]
    starts, pairs, counts, threats, _, _, goal = bags
    found = np.empty(last - first)
    _sum_terms(starts, pairs, counts, threats, first, last, values, found)
    for i in range(first, last):
        error = 1 / (1 + np.exp(-found[i - first] / SCALE)) - goal[i]
        by_term[PAIRS + np.int64(threats[i])] += error
        for j in range(starts[i], starts[i + 1]):
            by_term[pairs[j]] += counts[j] * error
