"""Logistic regression: the values of cells and threats that best predict who wins.

The value of a position is a sum of terms. Each term is an index into one list of values: the values of pairs of classes
(one term per cell), then those of threat indices (one term). Value / SCALE is the log-odds that the side to move wins.
"""

import math
from typing import NamedTuple

import numpy as np

from pbrain.core.params import CLASS_STRIDE, THREAT_INDICES
from pbrain.learn import adam
from pbrain.learn.adam import Array

SCALE = 560.0
SEARCH_SCALE = 700.0  # the same for scores of a search, which are too confident: this scale predicts results best
MAX_SCORE = 3000  # larger scores of a search are cut off; a proven win is certain enough at this one
PAIRS = CLASS_STRIDE * CLASS_STRIDE
TERMS = PAIRS + THREAT_INDICES
RATE = 4.0  # Adam's learning rate, in units of the table
PULL = 3e-5  # regularisation of rare terms: pairs towards the sum of their classes, threats towards 0


class Sample(NamedTuple):
    """Positions as flat arrays: the terms of position i are terms[starts[i] : starts[i + 1]]."""

    terms: Array
    starts: Array
    chances: Array

    def part(self, first: int, last: int) -> "Sample":
        starts = self.starts[first : last + 1]
        return Sample(self.terms[starts[0] : starts[-1]], starts - starts[0], self.chances[first:last])

    @property
    def size(self) -> int:
        return len(self.chances)


def interleaved(samples: list[Sample], pieces: int = 100) -> Sample:
    """Pieces of each sample in turn, so that any part of the whole has its share of every sample."""
    parts = [
        sample.part(sample.size * i // pieces, sample.size * (i + 1) // pieces)
        for i in range(pieces)
        for sample in samples
    ]
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    return Sample(
        np.concatenate([part.terms for part in parts]).astype(np.int64),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.chances for part in parts]),
    )


class Fit(NamedTuple):
    values: Array  # of each term
    loss: float
    held_out_loss: float


def win_chance(value: Array) -> Array:
    chance: Array = 1 / (1 + np.exp(-value / SCALE))
    return chance


def chance_of(score: int) -> float:
    """The chance to win that the score of a search implies."""
    sure = max(-MAX_SCORE, min(MAX_SCORE, score))
    return 1 / (1 + math.exp(-sure / SEARCH_SCALE))


def values_of(sample: Sample, values: Array) -> Array:
    totals: Array = np.add.reduceat(values[sample.terms], sample.starts[:-1])
    return totals


def loss(sample: Sample, values: Array) -> float:
    """Mean cross-entropy."""
    chance = np.clip(win_chance(values_of(sample, values)), 1e-6, 1 - 1e-6)
    return float(-np.mean(sample.chances * np.log(chance) + (1 - sample.chances) * np.log(1 - chance)))


def gradient(sample: Sample, values: Array) -> Array:
    """The gradient of the loss in each term's value, times SCALE."""
    error = (win_chance(values_of(sample, values)) - sample.chances) / sample.size
    by_term: Array = np.bincount(sample.terms, weights=np.repeat(error, np.diff(sample.starts)), minlength=TERMS)
    return by_term


def summed_by_class(by_pair: Array) -> Array:
    """The gradient of pairs if the two classes of a cell add up independently."""
    square = by_pair.reshape(CLASS_STRIDE, CLASS_STRIDE)
    both: Array = square.sum(axis=1, keepdims=True) + square.sum(axis=0, keepdims=True)
    return both.ravel()


def additive(by_term: Array) -> Array:
    """The gradient if the two classes of a cell add up independently and threats are worth nothing."""
    return np.concatenate([summed_by_class(by_term[:PAIRS]), np.zeros(THREAT_INDICES)])


def descend(sample: Sample, prior: Array, is_additive: bool) -> Array:
    """Adam, over the batches in turn.

    If `is_additive`, a pair stays the sum of its classes; else each term is free, but pulled back to the prior.
    """
    batches = [sample.part(*batch) for batch in adam.batches(sample.size)]

    def slope_at(step: int, values: Array) -> Array:
        slope = gradient(batches[step % len(batches)], values)
        return additive(slope) if is_additive else slope + PULL * (values - prior) / SCALE

    return adam.descend(prior.astype(float), slope_at, RATE)


def fit(sample: Sample, prior: Array) -> Fit:
    """Fit single classes first, then pairs and threats; a tenth of the positions is held out."""
    cut = sample.size * 9 // 10
    seen, held_out = sample.part(0, cut), sample.part(cut, sample.size)
    values = descend(seen, descend(seen, prior, is_additive=True), is_additive=False)
    return Fit(values, loss(seen, values), loss(held_out, values))
