"""Learns the network: gradient descent on the cross-entropy between its chance to win and the one to be learned.

The network is the kernel's with real numbers. Its output is added to the table's value, as log-odds. The sums
of a batch are computed in PARTS, each by its own thread, and added in the same order on every machine.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numba import njit

from pbrain.core.params import CHANNELS, HIDDEN, THREAT_INDICES
from pbrain.learn.bags import PAIRS, Bags
from pbrain.learn.game_format import Array
from pbrain.learn.whole_file import write_whole

PARTS = 4
BATCH = 2048
RATE = 0.005
LATER_RATE = 0.003  # of a network that has learned before
LAST_RATE = 0.01  # of the first one: it falls like a cosine
WARM_UP = 100  # steps until the rate is whole
MEAN_DECAY, SQUARE_DECAY = 0.9, 0.999
TINY = 1e-8
INPUT_SCALE = np.float32(1 / 16)  # sums of 200 rows become numbers that a hidden layer likes
FIRST_ROWS = 0.02  # the deviation of the random rows that learning begins with
CLASS_BITS, CLASS_MASK = 6, 63


class Weights(NamedTuple):
    """The network in real numbers; `rows` and `threat_rows` by pair and by threat index."""

    rows: Array
    threat_rows: Array
    hidden: Array  # inputs x hidden units
    biases: Array  # of the hidden layer, by the side to move
    output: Array
    output_bias: Array


class Learner:
    """Weights on their way, with Adam's moments; an epoch depends on the seed and its number alone."""

    def __init__(self, seed: int, epochs: int, scale: float, known: Weights | None = None) -> None:
        """It begins with what is known, or with random weights."""
        self.seed, self.epochs, self.scale = seed, epochs, scale
        self.epoch = self.step = 0
        self.is_new = known is None
        self.weights = random_weights(seed) if known is None else Weights(*(array.copy() for array in known))
        self.means = Weights(*map(np.zeros_like, self.weights))
        self.squares = Weights(*map(np.zeros_like, self.weights))

    def learn_epoch(self, bags: Bags, show: Callable[[int, float], None]) -> float:
        """Learn from every position once; `show` hears how many are done and their mean loss, which is returned."""
        order = np.random.default_rng([self.seed, self.epoch]).permutation(bags.size)
        steps = max(1, len(order) // BATCH)
        total, done = 0.0, 0
        with ThreadPoolExecutor(PARTS) as pool:
            for places in np.array_split(order, steps):
                parts = list(
                    pool.map(lambda part: slope(bags, part, self.weights, self.scale), np.array_split(places, PARTS))
                )
                self.step += 1
                self._descend([part.slopes for part in parts], len(places), self.step / (steps * self.epochs))
                total += sum(part.loss for part in parts)
                done += len(places)
                show(done, total / done)
        self.epoch += 1
        return total / done

    def _descend(self, slopes: Sequence[Weights], positions: int, progress: float) -> None:
        """One step of Adam."""
        rate = (RATE if self.is_new else LATER_RATE) * (
            LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * progress)) / 2
        )
        rate *= min(1.0, self.step / WARM_UP)
        mean_share, square_share = 1 - MEAN_DECAY**self.step, 1 - SQUARE_DECAY**self.step
        for column, weights in enumerate(self.weights):
            slope = sum(part[column] for part in slopes[1:]) + slopes[0][column]
            adam_step(
                weights.reshape(-1),
                self.means[column].reshape(-1),
                self.squares[column].reshape(-1),
                (slope / np.float32(positions)).astype(np.float32).reshape(-1),
                np.float32(rate / mean_share),
                np.float32(1 / square_share),
            )

    def save(self, path: Path) -> None:
        """Keep what the next epoch depends on."""
        columns = {
            f"{kind}_{name}": array
            for kind in ("weights", "means", "squares")
            for name, array in getattr(self, kind)._asdict().items()
        }
        file = BytesIO()
        np.savez(file, done=[self.epoch, self.step], **columns)
        write_whole(path, file.getvalue())

    def load(self, path: Path) -> None:
        """Go on where another one was; ValueError with a sentence if the file is damaged."""
        try:
            with path.open("rb") as file, np.load(file) as kept:
                self.epoch, self.step = map(int, kept["done"])
                for kind in ("weights", "means", "squares"):
                    arrays = Weights(*(kept[f"{kind}_{name}"] for name in Weights._fields))
                    setattr(self, kind, arrays)
        except (OSError, LookupError, BadZipFile) as error:
            raise ValueError(f"{path} is damaged: delete it, and the training begins again") from error

    def seen_weights(self) -> Weights:
        """The weights, without the random rows of pairs that never occurred."""
        if not self.is_new:
            return self.weights
        is_seen = self.squares.rows.any(axis=1, keepdims=True)
        return self.weights._replace(rows=np.where(is_seen, self.weights.rows, np.float32(0)))


def random_weights(seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    return Weights(
        rng.normal(0, FIRST_ROWS, (PAIRS, CHANNELS)).astype(np.float32),
        np.zeros((THREAT_INDICES, CHANNELS), np.float32),
        rng.normal(0, math.sqrt(1 / (2 * CHANNELS)), (2 * CHANNELS, HIDDEN)).astype(np.float32),
        np.zeros((2, HIDDEN), np.float32),
        rng.normal(0, 0.05, HIDDEN).astype(np.float32),
        np.zeros(1, np.float32),
    )


class Part(NamedTuple):
    loss: float  # summed over the positions
    slopes: Weights


def slope(bags: Bags, places: Array, weights: Weights, scale: float) -> Part:
    """The loss of some positions, and its gradient in every weight."""
    slopes = Weights(*map(np.zeros_like, weights))
    return Part(_pass(tuple(bags), places, tuple(weights), np.float32(scale), tuple(slopes), True), slopes)


def mean_loss(bags: Bags, weights: Weights, scale: float) -> float:
    """The mean cross-entropy of all positions."""
    none = Weights(*(np.zeros((0,) * weight.ndim, np.float32) for weight in weights))

    def loss(places: Array) -> float:
        return float(_pass(tuple(bags), places, tuple(weights), np.float32(scale), tuple(none), False))

    with ThreadPoolExecutor(PARTS) as pool:
        return sum(pool.map(loss, np.array_split(np.arange(bags.size), PARTS))) / bags.size


def entropy(goal: Array) -> float:
    """The loss of an evaluation that says just what is to be learned; what others lose more is their excess."""
    return table_loss(goal, np.log(np.clip(goal, 1e-6, 1 - 1e-6) / np.clip(1 - goal, 1e-6, 1 - 1e-6)), 1.0)


def table_loss(goal: Array, value: Array, scale: float) -> float:
    """The mean cross-entropy of the table alone."""
    odds = value.astype(float) / scale
    return float(np.mean(np.logaddexp(0, odds) - goal * odds))


def best_scale(goal: Array, value: Array) -> float:
    """The value that multiplies the odds by e, where the table predicts best."""
    return float(min(range(300, 1500, 10), key=lambda scale: table_loss(goal, value, scale)))


@njit(nogil=True)  # not cached: numba would not notice that a constant of another module has changed
def adam_step(weights, means, squares, slopes, rate, square_scale):  # type: ignore[no-untyped-def]
    keep, more = np.float32(MEAN_DECAY), np.float32(1 - MEAN_DECAY)
    keep_square, more_square = np.float32(SQUARE_DECAY), np.float32(1 - SQUARE_DECAY)
    for i in range(len(weights)):
        means[i] = keep * means[i] + more * slopes[i]
        squares[i] = keep_square * squares[i] + more_square * slopes[i] * slopes[i]
        weights[i] -= rate * means[i] / (np.sqrt(squares[i] * square_scale) + np.float32(TINY))


@njit(nogil=True)
def _pass(bags, places, weights, scale, slopes, learns):  # type: ignore[no-untyped-def]
    """The summed loss of some positions; if it `learns`, the gradient is added to `slopes`."""
    starts, pairs, counts, threats, side, value, goal = bags
    rows, threat_rows, hidden_weights, biases, output, output_bias = weights
    row_slopes, threat_slopes, hidden_slopes, bias_slopes, output_slopes, output_bias_slopes = slopes
    inputs, downs = np.empty(2 * CHANNELS, np.float32), np.empty(2 * CHANNELS, np.float32)
    hidden = np.empty(HIDDEN, np.float32)
    total = 0.0
    for place in places:
        begin, end = starts[place], starts[place + 1]
        for k in range(CHANNELS):
            inputs[k] = threat_rows[threats[place], k]
            inputs[CHANNELS + k] = np.float32(0)
        for j in range(begin, end):
            pair = np.int64(pairs[j])
            swapped = (pair & CLASS_MASK) << CLASS_BITS | pair >> CLASS_BITS
            count = np.float32(counts[j])
            for k in range(CHANNELS):
                inputs[k] += count * rows[pair, k]
                inputs[CHANNELS + k] += count * rows[swapped, k]
        for h in range(HIDDEN):
            hidden[h] = biases[side[place], h]
        for i in range(2 * CHANNELS):
            inputs[i] *= INPUT_SCALE
            for h in range(HIDDEN):
                hidden[h] += inputs[i] * hidden_weights[i, h]
        odds = output_bias[0] + np.float32(value[place]) / scale
        for h in range(HIDDEN):
            if hidden[h] > 0:
                odds += hidden[h] * output[h]
        total += max(odds, np.float32(0)) - goal[place] * odds + math.log1p(math.exp(-abs(odds)))
        if not learns:
            continue
        error = np.float32(1 / (1 + math.exp(-odds))) - goal[place]
        output_bias_slopes[0] += error
        for h in range(HIDDEN):
            above = hidden[h] > 0
            output_slopes[h] += error * hidden[h] if above else np.float32(0)
            hidden[h] = error * output[h] if above else np.float32(0)
            bias_slopes[side[place], h] += hidden[h]
        for i in range(2 * CHANNELS):
            down = np.float32(0)
            for h in range(HIDDEN):
                down += hidden[h] * hidden_weights[i, h]
                hidden_slopes[i, h] += inputs[i] * hidden[h]
            downs[i] = down * INPUT_SCALE
        for k in range(CHANNELS):
            threat_slopes[threats[place], k] += downs[k]
        for j in range(begin, end):
            pair = np.int64(pairs[j])
            swapped = (pair & CLASS_MASK) << CLASS_BITS | pair >> CLASS_BITS
            count = np.float32(counts[j])
            for k in range(CHANNELS):
                row_slopes[pair, k] += count * downs[k]
                row_slopes[swapped, k] += count * downs[CHANNELS + k]
    return total
