"""Softmax regression: the order of moves in which the best move of a search comes as early as it can.

Each candidate of a position has three terms: its pair of classes, its place beside the opponent's last move, and its
place beside the mover's own. Each term is an index into one list of values. The sum of the three values / SCALE is the
logarithm of the odds that the candidate is the best move.
"""

import numpy as np

from pbrain.core.params import CLASS_STRIDE, CellClass
from pbrain.engine.evaluation import PLACE_SPAN, Order
from pbrain.learn import adam
from pbrain.learn.adam import Array
from pbrain.learn.choices import PAIRS, PLACES, Choices
from pbrain.learn.table_fit import summed_by_class

SCALE = 60.0  # the same odds as those that killers and history are tuned for
CLASSES = len(CellClass)
TERMS = PAIRS + 2 * PLACES
RATE = 4.0  # Adam's learning rate, in units of the order
PULL = 0.7  # of rare terms towards their prior, as much as this many positions count
MIN_POSITIONS = 10  # fewer teach nothing
FIRST = (4, 8, 16)  # how many moves from the front are looked at


def scores_of(choices: Choices, values: Array) -> Array:
    return values[choices.terms[:, 0]] + values[choices.terms[:, 1]] + values[choices.terms[:, 2]]


def chances_of(choices: Choices, values: Array) -> Array:
    """Each candidate's chance to be the best move of its position."""
    scores = scores_of(choices, values) / SCALE
    raised = np.exp(scores - choices.of_each(np.maximum.reduceat(scores, choices.starts[:-1])))
    chances: Array = raised / choices.of_each(np.add.reduceat(raised, choices.starts[:-1]))
    return chances


def loss(choices: Choices, values: Array) -> float:
    """Mean cross-entropy."""
    return float(-np.mean(np.log(chances_of(choices, values)[choices.best_rows])))


def gradient(choices: Choices, values: Array) -> Array:
    """The gradient of the loss in each term's value, times SCALE."""
    error = chances_of(choices, values)
    error[choices.best_rows] -= 1
    by_term: Array = np.bincount(choices.terms.ravel(), weights=np.repeat(error, 3), minlength=TERMS)
    return by_term / choices.size


def hit_rates(choices: Choices, order: Order) -> list[float]:
    """The share of positions whose best move is among the first 4, 8 and 16; equal moves follow the order of cells."""
    scores, rows = scores_of(choices, flat(order)), np.arange(len(choices.terms))
    best = choices.of_each(scores[choices.best_rows])
    comes_before = (scores > best) | (scores == best) & (rows < choices.of_each(choices.best_rows))
    ranks = np.add.reduceat(comes_before.astype(int), choices.starts[:-1])
    return [float(np.mean(ranks < first)) for first in FIRST]


def flat(order: Order) -> Array:
    """The values of all terms."""
    square = np.zeros((CLASS_STRIDE, CLASS_STRIDE))
    square[:CLASSES, :CLASSES] = order.cells
    near = [np.append(np.array(table).ravel(), 0) for table in order.near]
    return np.concatenate([square.ravel(), *near])


def order_of(values: Array) -> Order:
    """The values, rounded; places beside a last move count from those that are far away."""
    square = np.rint(values[:PAIRS]).astype(int).reshape(CLASS_STRIDE, CLASS_STRIDE)[:CLASSES, :CLASSES]
    near = []
    for table in np.split(values[PAIRS:], 2):
        half = np.rint(table[:-1] - table[-1]).astype(int).reshape(PLACE_SPAN, PLACE_SPAN)
        near.append((np.tril(half) + np.tril(half, -1).T).tolist())
    return Order(square.tolist(), near)


def descend(choices: Choices, prior: Array, is_additive: bool) -> Array:
    """Adam, over the batches in turn.

    If `is_additive`, a pair differs from the prior by the sum of what its classes do; else each term is free, but
    pulled back to the prior.
    """
    batches = [choices.part(*batch) for batch in adam.batches(choices.size)]

    def slope_at(step: int, values: Array) -> Array:
        slope = gradient(batches[step % len(batches)], values)
        if is_additive:
            return np.concatenate([summed_by_class(slope[:PAIRS]), slope[PAIRS:]])
        pulled: Array = slope + PULL / choices.size * (values - prior) / SCALE
        return pulled

    return adam.descend(prior.astype(float), slope_at, RATE)


def fitted(choices: Choices, prior: Array) -> Array:
    """Fit single classes first, then pairs: a pair that is never seen follows its classes.

    Classes that are never seen keep the prior. Those are the fives and open fours, which only forced moves meet.
    """
    by_class = descend(choices, prior, is_additive=True)
    by_class[:PAIRS] = np.where(has_seen_classes(choices), by_class[:PAIRS], prior[:PAIRS])
    return descend(choices, by_class, is_additive=False)


def has_seen_classes(choices: Choices) -> Array:
    """For each pair, whether both its classes occur, each on its own side."""
    is_seen = np.bincount(choices.terms[:, 0], minlength=PAIRS).reshape(CLASS_STRIDE, CLASS_STRIDE) > 0
    found: Array = np.outer(is_seen.any(axis=1), is_seen.any(axis=0))
    return found.ravel()


def fit(choices: Choices, prior: Order) -> Order:
    if choices.size < MIN_POSITIONS:
        raise ValueError(
            f"an order is learned from at least {MIN_POSITIONS} positions, not {choices.size}: play more games"
        )
    return order_of(fitted(choices, flat(prior)))
