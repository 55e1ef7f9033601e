"""Numbers from samples, with 95 % intervals."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

NORMAL_95 = 1.96
# Student's t for 95 % by degrees of freedom; beyond, the normal distribution is close enough.
STUDENT_95 = (
    math.inf, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
)  # fmt: skip


class Estimate(NamedTuple):
    """A value and its interval; both ends are infinite where one sample says nothing of the spread."""

    value: float
    low: float
    high: float

    @property
    def is_bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)


def student(degrees: int) -> float:
    return STUDENT_95[degrees] if degrees < len(STUDENT_95) else NORMAL_95


def mean(values: Sequence[float]) -> Estimate:
    """The mean with Student's interval."""
    value = statistics.fmean(values)
    if len(values) < 2:
        return Estimate(value, -math.inf, math.inf)
    error = student(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return Estimate(value, value - error, value + error)


def geometric_mean(values: Sequence[float]) -> Estimate:
    """The geometric mean of positive values: what is typical of times and counts that spread over decades."""
    logs = mean([math.log(value) for value in values])
    return Estimate(
        math.exp(logs.value), math.exp(logs.low), math.inf if logs.high == math.inf else math.exp(logs.high)
    )


def ratio(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """The typical ratio of values that belong together."""
    return geometric_mean([a / b for a, b in zip(above, below, strict=True)])


def contrast(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """The ratio of two typical values of samples that do not belong together (Welch's interval on logarithms)."""
    logs = [[math.log(value) for value in values] for values in (above, below)]
    difference = statistics.fmean(logs[0]) - statistics.fmean(logs[1])
    if min(map(len, logs)) < 2:
        return Estimate(math.exp(difference), 0.0, math.inf)
    error = student(min(map(len, logs)) - 1) * math.sqrt(sum(statistics.variance(each) / len(each) for each in logs))
    return Estimate(math.exp(difference), math.exp(difference - error), math.exp(difference + error))


def share(count: int, of: int) -> Estimate:
    """A share with Wilson's interval (Wilson 1927)."""
    if of == 0:
        return Estimate(0.0, 0.0, 1.0)
    z2 = NORMAL_95**2
    middle = (count + z2 / 2) / (of + z2)
    error = NORMAL_95 / (of + z2) * math.sqrt(count * (of - count) / of + z2 / 4)
    return Estimate(count / of, max(0.0, middle - error), min(1.0, middle + error))
