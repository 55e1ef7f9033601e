"""One HTML file with nothing but charts and a sentence."""

from collections.abc import Sequence
from html import escape

from pbrain.pages.bundle import FOLDER, style_of


def chart_page(title: str, legend: str, charts: Sequence[str]) -> str:
    style = f"{style_of(FOLDER / 'palette.css', FOLDER / 'chart.css')}main {{ margin: 16px }}"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{style}</style>",
            "<main>",
            f"<h1>{escape(title)}</h1>",
            f"<p>{escape(legend)}</p>",
            '<div class="charts">',
            *charts,
            "</div></main></html>",
            "",
        ]
    )
