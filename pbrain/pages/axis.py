"""From data to pixels, linear or logarithmic, with ticks at round numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

TICKS, MIN_TICKS = 4, 3
LETTER = 6.6  # pixels of an average letter of 11 pixels
STEPS = (1, 2, 5, 10, 20)
DECADES_WITH_STEPS = 2  # a logarithmic axis of more decades has ticks at powers of ten only


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high`, both positive if logarithmic, at pixels from `first` to `last`."""

    low: float
    high: float
    first: float
    last: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value; values beyond the ends are at the ends."""
        low, high, inside = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, inside = math.log(low), math.log(high), math.log(inside)
        return self.first + (inside - low) / (high - low) * (self.last - self.first)

    @property
    def ticks(self) -> list[float]:
        """Round numbers inside the range, about TICKS of them."""
        return log_ticks(self.low, self.high) if self.is_log else linear_ticks(self.low, self.high)


def linear_ticks(low: float, high: float) -> list[float]:
    """Multiples of a round step; of the next smaller one where there would be too few."""
    for ticks in (TICKS, 2 * TICKS):
        step = round_step((high - low) / ticks)
        found = [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
        if len(found) >= MIN_TICKS:
            break
    return found


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, of which there may be too many; 1, 2, 5, 10 where there would be too few."""
    decades = math.log10(high / low)
    factors = STEPS[:3] if decades < DECADES_WITH_STEPS else STEPS[:1]
    every = max(1, math.ceil(decades / (2 * TICKS)))
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [factor * 10.0**power for power in powers if power % every == 0 for factor in factors]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... that is no smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in STEPS if factor * power >= least * (1 - 1e-9))


def axis_over(values: Sequence[float], first: float, last: float, is_log: bool = False) -> Axis:
    """The axis on which all these values fit; on a logarithmic one, those that are not positive are at its low end."""
    shown = [value for value in values if value > 0] if is_log else values
    low, high = min(shown, default=1.0), max(shown, default=1.0)
    if low == high:
        low, high = (low / 2, high * 2) if is_log else (low - 1, high + 1)
    return Axis(low, high, first, last, is_log)


class Label(NamedTuple):
    """A text below an axis."""

    x: float
    text: str
    anchor: str


def labels(axis: Axis, unit: str) -> list[Label]:
    """The ticks of a horizontal axis in words. The last one has the unit; those that it would cover are left out."""
    ticks = axis.ticks
    if not ticks:
        return []
    last = Label(axis.at(ticks[-1]), f"{number_text(ticks[-1])} {unit}", "end")
    begins = last.x - LETTER * (len(last.text) + 1)
    others = [Label(axis.at(tick), number_text(tick), "middle") for tick in ticks[:-1]]
    return [*(each for each in others if each.x + LETTER * len(each.text) / 2 < begins), last]


def number_text(value: float) -> str:
    """`250`, `20k`, `1.5M`."""
    for size, unit in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (size if unit == 'M' else 1e3):.6g}{unit}"
    return f"{value:.6g}"
