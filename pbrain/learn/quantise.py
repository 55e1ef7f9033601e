"""From real numbers to the kernel's whole ones and back, and what that costs.

All scales are powers of two. The kernel keeps the high half of each product of an input and a weight, rounded down.
That costs half a unit per input, and the biases of the hidden layer make up for it.
"""

import math

import numpy as np

from pbrain.core.params import CHANNELS, CLASS_STRIDE, MAX_ROW, OUTPUT_SHIFT
from pbrain.engine.network import CLASSES, Network
from pbrain.learn.bags import Bags
from pbrain.learn.game_format import Array
from pbrain.learn.network_fit import INPUT_SCALE, Weights

MAX_NUMBER = 32_767
MAX_ROW_SCALE, MAX_WEIGHT_SCALE = 512, 16_384
PRODUCT_BITS = 16
MAX_OUTPUT_SUM = 65_535  # of all output weights: then their products with the hidden units fit 32 bits


def power_below(number: float, largest: int) -> int:
    """The largest power of two that is not above the number, nor above `largest`."""
    return min(largest, 1 << max(0, math.floor(math.log2(number)))) if number >= 1 else 1


def rounded(numbers: Array, bound: int = MAX_NUMBER) -> Array:
    whole: Array = np.clip(np.rint(numbers), -bound, bound).astype("<i2")
    return whole


def hidden_scale_of(row_scale: int, weight_scale: int) -> np.float32:
    return np.float32(row_scale * weight_scale / (1 << PRODUCT_BITS) / float(INPUT_SCALE))


def quantised(weights: Weights, scale: float, about: dict[str, str]) -> Network:
    """The network in whole numbers; ValueError if its output is too large for them."""
    row_scale = power_below(MAX_ROW / max(float(np.abs(weights.rows).max()), 1e-6), MAX_ROW_SCALE)
    weight_scale = power_below(MAX_NUMBER / max(float(np.abs(weights.hidden).max()), 1e-6), MAX_WEIGHT_SCALE)
    hidden_scale = hidden_scale_of(row_scale, weight_scale)
    output = np.rint(weights.output * (scale * (1 << OUTPUT_SHIFT) / hidden_scale))
    if np.abs(output).sum() > MAX_OUTPUT_SUM:
        raise ValueError(f"the output weights sum up to {np.abs(output).sum():.0f}, more than {MAX_OUTPUT_SUM}")
    bias = round(float(weights.output_bias[0]) * scale * (1 << OUTPUT_SHIFT))
    square = weights.rows.reshape(CLASS_STRIDE, CLASS_STRIDE, CHANNELS)[:CLASSES, :CLASSES]
    parts = {
        "rows": rounded(square * row_scale, MAX_ROW),
        "threat_rows": rounded(weights.threat_rows * row_scale),
        "hidden_weights": rounded(weights.hidden * weight_scale),
        "hidden_biases": rounded(weights.biases * hidden_scale + CHANNELS),
        "output_weights": rounded(output),
        "output_bias": np.array([bias], "<i4"),
    }
    return Network({name: part.tobytes() for name, part in parts.items()}, about)


def spread(rows: Array) -> Array:
    """A network's rows by the classes' numbers, which leave room up to CLASS_STRIDE."""
    square = np.zeros((CLASS_STRIDE, CLASS_STRIDE, CHANNELS), rows.dtype)
    square[:CLASSES, :CLASSES] = rows.reshape(CLASSES, CLASSES, CHANNELS)
    return square


def unquantised(network: Network, scale: float) -> Weights:
    """Weights of which the network is the whole numbers; the scales, which only divide the work, are the largest."""
    numbers = {name: np.frombuffer(part, "<i2").astype(np.float32) for name, part in network.parts.items()}
    hidden_scale = hidden_scale_of(MAX_ROW_SCALE, MAX_WEIGHT_SCALE)
    output_scale = np.float32(scale * (1 << OUTPUT_SHIFT))
    return Weights(
        rows=spread(numbers["rows"]).reshape(-1, CHANNELS) / MAX_ROW_SCALE,
        threat_rows=numbers["threat_rows"].reshape(-1, CHANNELS) / MAX_ROW_SCALE,
        hidden=numbers["hidden_weights"].reshape(2 * CHANNELS, -1) / MAX_WEIGHT_SCALE,
        biases=(numbers["hidden_biases"].reshape(2, -1) - CHANNELS) / hidden_scale,
        output=numbers["output_weights"] * hidden_scale / output_scale,
        output_bias=np.frombuffer(network.parts["output_bias"], "<i4").astype(np.float32) / output_scale,
    )


def whole_values(bags: Bags, network: Network) -> Array:
    """What the kernel computes for the network alone, for all positions at once."""
    numbers = {name: np.frombuffer(part, "<i2").astype(np.int64) for name, part in network.parts.items()}
    rows = spread(numbers["rows"])
    mine, theirs = np.divmod(bags.pairs.astype(np.int64), CLASS_STRIDE)
    counts = bags.counts.astype(np.int64)[:, None]
    views = [np.add.reduceat(counts * rows[pair], bags.starts[:-1]) for pair in ((mine, theirs), (theirs, mine))]
    views[0] += numbers["threat_rows"].reshape(-1, CHANNELS)[bags.threats]
    inputs = np.clip(np.hstack(views), -MAX_NUMBER - 1, MAX_NUMBER)
    hidden = numbers["hidden_biases"].reshape(2, -1)[bags.side]
    for i, weights in enumerate(numbers["hidden_weights"].reshape(inputs.shape[1], -1)):
        hidden = np.clip(hidden + (inputs[:, i, None] * weights >> PRODUCT_BITS), -MAX_NUMBER - 1, MAX_NUMBER)
    bias = int(np.frombuffer(network.parts["output_bias"], "<i4")[0])
    values: Array = (np.maximum(hidden, 0) @ numbers["output_weights"] + bias) >> OUTPUT_SHIFT
    return values


def real_values(bags: Bags, weights: Weights, scale: float) -> Array:
    """The same with real numbers."""
    mine, theirs = np.divmod(bags.pairs.astype(np.int64), CLASS_STRIDE)
    counts = bags.counts.astype(np.float32)[:, None]
    swapped = theirs * CLASS_STRIDE + mine
    views = [np.add.reduceat(counts * weights.rows[pair], bags.starts[:-1]) for pair in (bags.pairs, swapped)]
    views[0] += weights.threat_rows[bags.threats]
    hidden = np.hstack(views) * INPUT_SCALE @ weights.hidden + weights.biases[bags.side]
    values: Array = scale * (np.maximum(hidden, 0) @ weights.output + weights.output_bias[0])
    return values
