"""Adam (Kingma and Ba, 2014): gradient descent whose step adapts to each value, with a rate that falls to 0."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

STEPS = 400
BATCHES = 8  # a step uses one batch; the learning rate falls, so that differences between batches even out
MEAN_DECAY, SQUARE_DECAY = 0.9, 0.99  # beta 1 and beta 2


def batches(size: int) -> list[tuple[int, int]]:
    """The first position of each batch, and the one after its last."""
    cuts = [size * i // BATCHES for i in range(BATCHES + 1)]
    return [(first, last) for first, last in pairwise(cuts) if first < last]


def descend(values: Array, slope_at: Callable[[int, Array], Array], rate: float) -> Array:
    """The values after STEPS steps; `slope_at(step, values)` may take one batch of the data after the other."""
    mean, square = np.zeros(len(values)), np.zeros(len(values))
    for step in range(1, STEPS + 1):
        slope = slope_at(step, values)
        mean = MEAN_DECAY * mean + (1 - MEAN_DECAY) * slope
        square = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * slope**2
        now = rate * (1 - step / (STEPS + 1))
        values = values - now * mean / (1 - MEAN_DECAY**step) / (np.sqrt(square / (1 - SQUARE_DECAY**step)) + 1e-9)
    return values
