"""Heat maps of a board as SVG: the larger a cell's value, the darker its square, so that no meaning is in hue."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbrain.pages.axis import number_text
from pbrain.pages.svg import element, picture

WIDTH = 360
LEFT, TOP, BOTTOM = 30, 42, 44
MAX_SQUARE = 20.0
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHADES = 5  # in the legend
SHADE_WIDTH = 26
LEAST = 0.12  # opacity of the smallest value: a cell that has one is never blank


@dataclass(frozen=True)
class HeatMap:
    """Values of cells (x, y) of a square board; cells without a value are blank."""

    title: str
    note: str
    unit: str
    size: int
    values: Mapping[tuple[int, int], float]


def heat_map(chart: HeatMap) -> str:
    square = min(MAX_SQUARE, (WIDTH - LEFT) / chart.size)
    side = square * chart.size
    height = round(TOP + side + BOTTOM)
    largest = max(chart.values.values(), default=0.0)
    parts = [
        element("text", chart.title, class_="title", x=4, y=14),
        element("text", chart.note, x=4, y=30),
        element("rect", class_="frame", x=LEFT, y=TOP, width=side, height=side),
        *names(chart.size, square),
    ]
    for (x, y), value in sorted(chart.values.items()):
        left, top = LEFT + x * square, TOP + y * square
        opacity = shade(value, largest)
        parts.append(element("rect", class_="heat", x=left, y=top, width=square, height=square, fill_opacity=opacity))
    parts += legend(largest, chart.unit, height - 16.0)
    return picture(WIDTH, height, described(chart, largest), parts)


def shade(value: float, largest: float) -> str:
    """The opacity of a value."""
    return f"{LEAST + (1 - LEAST) * value / largest:.2f}" if largest else f"{LEAST:.2f}"


def described(chart: HeatMap, largest: float) -> str:
    """For who cannot see it: how many cells have a value, and where the largest is."""
    text = f"{chart.title}: {chart.note}: {len(chart.values)} of {chart.size**2} cells"
    if not chart.values:
        return text
    x, y = max(chart.values, key=lambda cell: chart.values[cell])
    return f"{text}, the largest value {number_text(round(largest, 1))} {chart.unit} at {LETTERS[x]}{y + 1}"


def names(size: int, square: float) -> list[str]:
    """Every other letter and number at the edges."""
    parts = []
    for i in range(0, size, 2):
        middle = (i + 0.5) * square
        below = TOP + size * square + 12
        parts.append(element("text", LETTERS[i], class_="name", x=LEFT + middle, y=below, text_anchor="middle"))
        parts.append(element("text", str(i + 1), class_="name", x=LEFT - 5, y=TOP + middle + 4, text_anchor="end"))
    return parts


def legend(largest: float, unit: str, y: float) -> list[str]:
    """Samples of shades, with the value of the darkest."""
    parts = [element("text", "0", class_="name", x=LEFT, y=y + 10)]
    for i in range(SHADES):
        share = (i + 1) / SHADES
        x = LEFT + 12 + i * SHADE_WIDTH
        parts.append(
            element(
                "rect", class_="heat", x=float(x), y=y, width=SHADE_WIDTH, height=12, fill_opacity=shade(share, 1.0)
            )
        )
    end = LEFT + 18 + SHADES * SHADE_WIDTH
    parts.append(element("text", f"{number_text(float(f'{largest:.3g}'))} {unit}", class_="name", x=end, y=y + 10))
    return parts
