"""Charts with a row for each participant, as SVG: values with error bars, bars, or several marks on one line.

A row's name stands above it, so that long names fit on a phone, and its value in words at the other end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pbrain.pages.axis import Axis, axis_over, labels
from pbrain.pages.line_chart import CAP, Level
from pbrain.pages.svg import element, picture

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 360, 10, 16, 50, 24  # above TOP: title, note, names of levels
ROW_HEIGHT = 34
MAX_NAME = 34  # letters that fit beside the value


@dataclass(frozen=True)
class Row:
    """One participant; what it does not have is not drawn."""

    name: str
    text: str  # its value in words
    value: float | None = None  # a dot
    interval: tuple[float, float] | None = None  # an error bar
    bound: tuple[float, int] | None = None  # an arrow from here to the right end (1) or the left end (-1)
    bar: float | None = None  # from the left end
    marks: Sequence[float] = ()  # ascending: a dot, ticks, and a tick with a cap for the last


@dataclass(frozen=True)
class RowChart:
    """Rows over a common axis."""

    title: str
    note: str
    unit: str
    rows: Sequence[Row]
    levels: Sequence[Level] = ()
    widths: Sequence[float] = ()  # values that the axis holds in any case
    is_log: bool = False


def row_chart(chart: RowChart) -> str:
    height = TOP + ROW_HEIGHT * len(chart.rows) + BOTTOM
    axis = axis_over([*widths(chart), *chart.widths], LEFT, WIDTH - RIGHT, chart.is_log)
    parts = [
        element("text", chart.title, class_="title", x=4, y=14),
        element("text", chart.note, x=4, y=30),
        *grid(axis, height, chart.unit),
        *(shape for level in chart.levels for shape in level_shapes(level, axis, height)),
    ]
    for place, row in enumerate(chart.rows):
        parts += row_shapes(row, axis, TOP + ROW_HEIGHT * place)
    values = "; ".join(f"{row.name} {row.text}" for row in chart.rows)
    return picture(WIDTH, height, f"{chart.title}: {chart.note}: {values}", parts)


def widths(chart: RowChart) -> list[float]:
    """All values that the axis must hold; bars begin at 0."""
    values = [level.value for level in chart.levels]
    for row in chart.rows:
        values += [] if row.value is None else [row.value]
        values += row.interval or ()
        values += [] if row.bound is None else [row.bound[0]]
        values += [] if row.bar is None else [0.0, row.bar]
        values += row.marks
    return values or [0.0]


def grid(axis: Axis, height: int, unit: str) -> list[str]:
    places = map(axis.at, axis.ticks)
    return [
        *(element("line", class_="grid", x1=x, x2=x, y1=TOP, y2=height - BOTTOM) for x in places),
        *(element("text", each.text, x=each.x, y=height - 8, text_anchor=each.anchor) for each in labels(axis, unit)),
    ]


def level_shapes(level: Level, axis: Axis, height: int) -> list[str]:
    x = axis.at(level.value)
    line = element("line", class_="level", x1=x, x2=x, y1=TOP, y2=height - BOTTOM)
    anchor = "end" if x > WIDTH / 2 else "start"
    name = element("text", level.name, class_="name", x=x, y=TOP - 2, text_anchor=anchor)
    return [line, name] if level.name else [line]


def row_shapes(row: Row, axis: Axis, top: int) -> list[str]:
    y = float(top + ROW_HEIGHT - 11)
    name = row.name if len(row.name) <= MAX_NAME else f"{row.name[: MAX_NAME - 1]}…"
    parts = [
        element("text", name, x=LEFT, y=top + 13),
        element("text", row.text, class_="value", x=WIDTH - RIGHT, y=top + 13, text_anchor="end"),
    ]
    if row.bar is not None:
        end = axis.at(row.bar)
        parts.append(element("rect", class_="bar", x=axis.first, y=y - 5, width=max(1.0, end - axis.first), height=10))
    if row.interval is not None:
        ends = [axis.at(end) for end in row.interval]
        parts.append(element("line", class_="error", x1=ends[0], x2=ends[1], y1=y, y2=y))
        parts += [element("line", class_="error", x1=x, x2=x, y1=y - CAP, y2=y + CAP) for x in ends]
    if row.bound is not None:
        parts += bound_shapes(*row.bound, axis, y)
    if row.value is not None:
        parts.append(element("circle", class_="dot", cx=axis.at(row.value), cy=y, r=4))
    return [*parts, *mark_shapes(row, axis, y)]


def bound_shapes(value: float, sign: int, axis: Axis, y: float) -> list[str]:
    """The value is at least, or at most, this."""
    x, end = axis.at(value), axis.last + CAP if sign > 0 else axis.first - CAP
    tip = f"{end - sign * 6:.1f},{y - 4:.1f} {end:.1f},{y:.1f} {end - sign * 6:.1f},{y + 4:.1f}"
    return [
        element("line", class_="error", x1=x, x2=x, y1=y - CAP, y2=y + CAP),
        element("line", class_="error", x1=x, x2=end, y1=y, y2=y),
        element("polyline", class_="error tip", points=tip),
    ]


def mark_shapes(row: Row, axis: Axis, y: float) -> list[str]:
    places = [axis.at(value) for value in row.marks]
    if not places:
        return []
    parts = [element("line", class_="error", x1=places[0], x2=places[-1], y1=y, y2=y)]
    parts += [element("line", class_="mark", x1=x, x2=x, y1=y - 6, y2=y + 6) for x in places[1:]]
    parts += [element("line", class_="mark", x1=places[-1] - CAP, x2=places[-1] + CAP, y1=y - 6, y2=y - 6)]
    return [*parts, element("circle", class_="dot", cx=places[0], cy=y, r=4)]
