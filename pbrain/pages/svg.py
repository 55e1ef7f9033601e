"""Elements of SVG as text; every word in them is escaped here."""

from collections.abc import Iterable
from html import escape


def element(tag: str, text: str = "", **attributes: object) -> str:
    """An element with a text; attribute names are written with _ for -, and `class_`."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    words = "".join(f' {name}="{escape(shown(value))}"' for name, value in named.items())
    return f"<{tag}{words}>{escape(text)}</{tag}>" if text else f"<{tag}{words}/>"


def shown(value: object) -> str:
    """Pixels to a tenth; everything else as it is."""
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def picture(width: int, height: int, description: str, parts: Iterable[str]) -> str:
    """The picture; screen readers read its description instead."""
    opening = f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(description)}">'
    return "\n".join([opening, *parts, "</svg>"])
