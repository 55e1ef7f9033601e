"""Line charts as SVG: lines with error bars, a band, dashed levels, linear or logarithmic. No script, no network."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbrain.pages.axis import LETTER, Axis, axis_over, labels, number_text
from pbrain.pages.svg import element, picture

WIDTH, HEIGHT = 360, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 44, 24
LEGEND_HEIGHT = 16
MAX_POINTS = 400  # more than one per pixel shows nothing, and 30 charts of 20,000 would be 10 MB
CAP = 3  # pixels that the end of an error bar reaches to each side
SAMPLE = 18  # pixels of a line's sample in the legend


@dataclass(frozen=True)
class Line:
    """Values over `xs`; `intervals` are the ends of error bars, None where a value has none."""

    xs: Sequence[float]
    ys: Sequence[float]
    name: str = ""
    intervals: Sequence[tuple[float, float] | None] = ()


@dataclass(frozen=True)
class Band:
    """The region between two lines."""

    xs: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]
    name: str = ""


@dataclass(frozen=True)
class Level:
    """A dashed line at a value; its name is written on it."""

    value: float
    name: str = ""


@dataclass(frozen=True)
class LineChart:
    """Lines over a common horizontal axis, which counts `across`. Lines differ in dashes, not in colour alone."""

    title: str
    note: str
    across: str
    lines: Sequence[Line]
    bands: Sequence[Band] = ()
    levels: Sequence[Level] = ()
    heights: Sequence[float] = ()  # values that the vertical axis holds in any case, to compare charts
    is_log: bool = False  # vertically
    is_log_across: bool = False


def thinned(count: int) -> list[int]:
    """At most MAX_POINTS of so many places, evenly, with the first and the last."""
    points = min(count, MAX_POINTS)
    return [round(i * (count - 1) / max(1, points - 1)) for i in range(points)]


def line_chart(chart: LineChart) -> str:
    drawn: list[Line | Band] = [*chart.lines, *chart.bands]
    has_legend = any(part.name for part in drawn)
    top = TOP + LEGEND_HEIGHT * has_legend
    height = HEIGHT + LEGEND_HEIGHT * has_legend
    xs = [x for part in drawn for x in part.xs] or [0.0]
    start = [] if chart.is_log_across else [min(xs), max(*xs, min(xs) + 1)]
    across = axis_over([*xs, *start], LEFT, WIDTH - RIGHT, chart.is_log_across)
    up = axis_over([*heights(chart), *chart.heights], height - BOTTOM, top, chart.is_log)
    parts = [
        element("text", chart.title, class_="title", x=4, y=14),
        element("text", chart.note, x=4, y=30),
        *(legend(chart) if has_legend else ()),
        *grid(across, up, height, chart.across),
        *(band_shape(band, across, up) for band in chart.bands),
        *(shape for level in chart.levels for shape in level_shapes(level, up)),
    ]
    for place, line in enumerate(chart.lines):
        parts += line_shapes(line, place, across, up)
    return picture(WIDTH, height, f"{chart.title}: {chart.note}", parts)


def heights(chart: LineChart) -> list[float]:
    """All values that the vertical axis must hold."""
    values = [level.value for level in chart.levels]
    for line in chart.lines:
        values += line.ys
        values += [end for interval in line.intervals if interval is not None for end in interval]
    for band in chart.bands:
        values += [*band.lower, *band.upper]
    return values or [0.0]


def grid(across: Axis, up: Axis, height: int, unit: str) -> list[str]:
    parts = []
    for tick in up.ticks:
        y = up.at(tick)
        parts.append(element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        parts.append(element("text", number_text(tick), x=LEFT - 6, y=y + 4, text_anchor="end"))
    below = [
        element("text", label.text, x=label.x, y=height - 8, text_anchor=label.anchor) for label in labels(across, unit)
    ]
    return parts + below


def legend(chart: LineChart) -> list[str]:
    """A sample and a name of each line and band, in one row."""
    parts, x = [], 4.0
    for place, line in enumerate(chart.lines):
        if line.name:
            parts.append(element("line", class_=f"line line-{place}", x1=x, x2=x + SAMPLE, y1=42, y2=42))
            x = named(parts, line.name, x)
    for band in chart.bands:
        if band.name:
            parts.append(element("rect", class_="band", x=x, y=37, width=SAMPLE, height=10))
            x = named(parts, band.name, x)
    return parts


def named(parts: list[str], name: str, x: float) -> float:
    """Write a name behind its sample; returns where the next one begins."""
    parts.append(element("text", name, x=x + SAMPLE + 4, y=46))
    return x + SAMPLE + 14 + LETTER * len(name)


def band_shape(band: Band, across: Axis, up: Axis) -> str:
    places = thinned(len(band.xs))
    there = [(band.xs[i], band.upper[i]) for i in places]
    back = [(band.xs[i], band.lower[i]) for i in reversed(places)]
    return element("polygon", class_="band", points=points(there + back, across, up))


def level_shapes(level: Level, up: Axis) -> list[str]:
    y = up.at(level.value)
    line = element("line", class_="level", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
    below = y + 11 if y - 4 < up.last + 6 else y - 4  # the name of a level at the top stays in the picture
    name = element("text", level.name, class_="name", x=WIDTH - RIGHT - 2, y=below, text_anchor="end")
    return [line, name] if level.name else [line]


def line_shapes(line: Line, place: int, across: Axis, up: Axis) -> list[str]:
    places = thinned(len(line.xs))
    shown = [(line.xs[i], line.ys[i]) for i in places]
    parts = [element("polyline", class_=f"line line-{place}", points=points(shown, across, up))]
    for i in places if line.intervals else ():
        x, interval = across.at(line.xs[i]), line.intervals[i]
        parts += [] if interval is None else bar_shapes(x, up.at(interval[0]), up.at(interval[1]))
        parts.append(element("circle", class_=f"dot dot-{place}" if place else "dot", cx=x, cy=up.at(line.ys[i]), r=3))
    return parts


def bar_shapes(x: float, low: float, high: float) -> list[str]:
    """An error bar with a cap at each end."""
    caps = [element("line", class_="error", x1=x - CAP, x2=x + CAP, y1=end, y2=end) for end in (low, high)]
    return [element("line", class_="error", x1=x, x2=x, y1=low, y2=high), *caps]


def points(places: Sequence[tuple[float, float]], across: Axis, up: Axis) -> str:
    return " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in places)
