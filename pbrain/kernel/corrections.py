"""Correction history: what searches find beyond the static score, where the threats of both sides are the same.

The evaluation has one number for each combination of threats, learned over many games. In the position at hand the
same threats may be worth more or less, and results of the search say so.
"""

import numpy as np
from numba import boolean, int64, uint64, void

from pbrain.kernel import features
from pbrain.kernel.constants import MAX_STATIC
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import WORKER
from pbrain.kernel.tuning import parameter

correction_weight = parameter("correction_weight")

PARTS_AT = np.int64(4)  # a mean is kept in sixteenths
WEIGHT_AT = np.int64(8)  # and so is the weight in 256ths
MAX_DIFFERENCE = np.int64(1000)
MAX_DEPTH = np.int64(16)


@kernel(int64(WORKER, uint64, uint64, int64), inline=True)
def corrected(worker, colour, threats, static):
    """The static score with a part of what searches found beyond it."""
    if not features.HAS_CORRECTIONS:
        return max(-MAX_STATIC, min(static, MAX_STATIC))
    more = int64(worker.corrections[colour, threats]) * correction_weight(worker) >> (PARTS_AT + WEIGHT_AT)
    return max(-MAX_STATIC, min(static + more, MAX_STATIC))


@kernel(boolean(int64, int64, int64, int64), inline=True)
def is_news(static, score, alpha, beta):
    """Whether a score says that the static one is too low or too high: a bound may say nothing."""
    return (score < beta or score > static) and (score > alpha or score < static)


@kernel(void(WORKER, uint64, uint64, int64, int64), inline=True)
def correct(worker, colour, threats, difference, depth):
    """A running mean in which a deeper result counts for more."""
    before = int64(worker.corrections[colour, threats])
    cut = max(-MAX_DIFFERENCE, min(difference, MAX_DIFFERENCE)) << PARTS_AT
    worker.corrections[colour, threats] = before + ((cut - before) * min(depth, MAX_DEPTH) >> WEIGHT_AT)
