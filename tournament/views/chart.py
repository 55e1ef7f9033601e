"""Line charts as one HTML page of small SVGs: no script, no network, for bright and dark screens and for print."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 360, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 44, 24
TICKS = 4
MAX_POINTS = 400  # more than one per pixel shows nothing, and 30 charts of 20,000 would be 10 MB
STYLE = """
:root { color-scheme: light dark; color: #222; background: #fff }
body { font: 14px system-ui, sans-serif; margin: 16px }
main { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)) }
svg { width: 100%; font-size: 11px }
text { fill: currentColor }
.title { font-size: 13px; font-weight: 600 }
.grid { stroke: currentColor; stroke-opacity: 0.15 }
.level { stroke: currentColor; stroke-opacity: 0.6; stroke-dasharray: 4 3 }
.band { fill: currentColor; fill-opacity: 0.1 }
.line { fill: none; stroke: #1660b0; stroke-width: 1.8; stroke-linejoin: round }
@media (prefers-color-scheme: dark) {
  :root { color: #ddd; background: #161616 }
  .line { stroke: #7ab8ff }
}
"""


@dataclass(frozen=True)
class Chart:
    """One line over 0, 1, 2, ...; a dashed level, and a band around it of which `spread` is half the width."""

    title: str
    note: str
    across: str  # what the horizontal axis counts
    ys: Sequence[float]
    level: float
    spread: Sequence[float]


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
        return [number * step for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... that is no smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= least * (1 - 1e-9))


def axis_over(values: Sequence[float], first: float, last: float) -> Axis:
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 1, high + 1
    return Axis(low, high, first, last)


def thinned(count: int) -> list[int]:
    """At most MAX_POINTS of so many places, evenly, with the first and the last."""
    points = min(count, MAX_POINTS)
    return [round(i * (count - 1) / max(1, points - 1)) for i in range(points)]


def svg(chart: Chart) -> str:
    places = thinned(len(chart.ys))
    upper = [chart.level + chart.spread[i] for i in places]
    lower = [chart.level - chart.spread[i] for i in places]
    horizontal = axis_over([0, max(1, places[-1])], LEFT, WIDTH - RIGHT)
    vertical = axis_over([*(chart.ys[i] for i in places), *upper, *lower], HEIGHT - BOTTOM, TOP)

    def points(xs: Sequence[int], ys: Sequence[float]) -> str:
        return " ".join(f"{horizontal.at(x):.1f},{vertical.at(y):.1f}" for x, y in zip(xs, ys, strict=True))

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(f"{chart.title}: {chart.note}")}">',
        f'<text class="title" x="4" y="14">{escape(chart.title)}</text>',
        f'<text x="4" y="30">{escape(chart.note)}</text>',
    ]
    for tick in vertical.ticks:
        y = vertical.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:.6g}</text>')
    for tick in horizontal.ticks:
        unit = f" {chart.across}" if tick == horizontal.ticks[-1] else ""
        anchor = "end" if unit else "middle"
        parts.append(
            f'<text x="{horizontal.at(tick):.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{tick:g}{escape(unit)}</text>'
        )
    y = vertical.at(chart.level)
    parts += [
        f'<polygon class="band" points="{points(places + places[::-1], upper + lower[::-1])}"/>',
        f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<polyline class="line" points="{points(places, [chart.ys[i] for i in places])}"/>',
        "</svg>",
    ]
    return "\n".join(parts)


def page(title: str, legend: str, charts: Sequence[Chart]) -> str:
    """One file with all charts."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f"<h1>{escape(title)}</h1>",
            f"<p>{escape(legend)}</p>",
            "<main>",
            *map(svg, charts),
            "</main></html>",
            "",
        ]
    )
