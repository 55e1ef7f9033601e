"""A whole and its three parts as stacked bars, in SVG: black on the left, thin in between, white on the right."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbrain.pages.row_chart import LEFT, MAX_NAME, RIGHT, ROW_HEIGHT, WIDTH
from pbrain.pages.svg import element, picture

HEIGHTS = (12, 5, 11)  # of the parts
TOP, BOTTOM = 40, 8


@dataclass(frozen=True)
class SplitRow:
    name: str
    text: str
    counts: tuple[int, int, int]


@dataclass(frozen=True)
class SplitChart:
    title: str
    note: str
    parts: tuple[str, str, str]  # what the three are
    rows: Sequence[SplitRow]


def split_chart(chart: SplitChart) -> str:
    height = TOP + ROW_HEIGHT * len(chart.rows) + BOTTOM
    parts = [
        element("text", chart.title, class_="title", x=4, y=14),
        element("text", chart.note, x=4, y=30),
    ]
    for place, row in enumerate(chart.rows):
        parts += row_shapes(row, TOP + ROW_HEIGHT * place)
    values = "; ".join(
        f"{row.name}: {', '.join(f'{count} {part}' for count, part in zip(row.counts, chart.parts, strict=True))}"
        for row in chart.rows
    )
    return picture(WIDTH, height, f"{chart.title}: {values}", parts)


def row_shapes(row: SplitRow, top: int) -> list[str]:
    name = row.name if len(row.name) <= MAX_NAME else f"{row.name[: MAX_NAME - 1]}…"
    parts = [
        element("text", name, x=LEFT, y=top + 13),
        element("text", row.text, class_="value", x=WIDTH - RIGHT, y=top + 13, text_anchor="end"),
    ]
    y, x, whole = top + ROW_HEIGHT - 10, float(LEFT), sum(row.counts)
    for place, count in enumerate(row.counts):
        width = (WIDTH - LEFT - RIGHT) * count / whole if whole else 0.0
        high = HEIGHTS[place]
        if count:
            parts.append(
                element("rect", class_=f"part part-{place}", x=x, y=y - high / 2, width=max(width, 1.0), height=high)
            )
        x += width
    return parts
