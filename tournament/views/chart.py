"""Line charts as SVG text: no script, no network, readable in print, in dark mode and without colour."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 28, 36
TICKS = 5
STYLE = """
svg { font: 12px system-ui, sans-serif; color: #222; background: #fff; display: block; margin-bottom: 12px }
.line { fill: none; stroke: currentColor; stroke-width: 1.5 }
.grid { stroke: currentColor; stroke-opacity: 0.2 }
text { fill: currentColor }
.title { font-weight: 600 }
@media (prefers-color-scheme: dark) { svg { color: #ddd; background: #161616 } }
"""


@dataclass(frozen=True)
class Axis:
    """From data to pixels."""

    low: float
    high: float
    first: float  # the pixel of `low`
    last: float

    def at(self, value: float) -> float:
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)

    @property
    def ticks(self) -> list[float]:
        """Round numbers inside the range, about TICKS of them."""
        step = round_step((self.high - self.low) / TICKS)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... that is no smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def axis_over(values: Sequence[float], first: float, last: float) -> Axis:
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 1, high + 1
    return Axis(low, high, first, last)


def line_chart(title: str, xs: Sequence[float], ys: Sequence[float], across: str) -> str:
    """One line with its axes; `across` names the horizontal one."""
    horizontal = axis_over(xs, LEFT, WIDTH - RIGHT)
    vertical = axis_over(ys, HEIGHT - BOTTOM, TOP)
    points = " ".join(f"{horizontal.at(x):.1f},{vertical.at(y):.1f}" for x, y in zip(xs, ys, strict=True))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<text class="title" x="{LEFT}" y="16">{escape(title)}</text>',
    ]
    for tick in vertical.ticks:
        y = vertical.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:,g}</text>')
    for tick in horizontal.ticks:
        x = horizontal.at(tick)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{tick:,g}</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{escape(across)}</text>')
    parts.append(f'<polyline class="line" points="{points}"/></svg>')
    return "\n".join(parts)


def page(title: str, charts: Sequence[str]) -> str:
    """One file with all charts."""
    head = f'<!doctype html><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return "\n".join([head, f"<h1>{escape(title)}</h1>", *charts, ""])
