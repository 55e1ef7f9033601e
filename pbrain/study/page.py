"""The study as one HTML file: nothing in it can load or run anything."""

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from pbrain.pages.bundle import FOLDER, content_policy, style_of
from pbrain.study.claims import HOW_JUDGED, Claim, Verdict, all_claims
from pbrain.study.measured import Measured
from pbrain.study.sections import Section, sections
from pbrain.study.summary import HEADINGS, summary_rows
from pbrain.study.systems import SYSTEMS

STYLES = (FOLDER / "palette.css", FOLDER / "chart.css", Path(__file__).with_name("study.css"))
TITLE = "Three documents, three brains and Kaname, measured"
CLAIM_HEADINGS = ("document", "claim", "claimed", "measured", "verdict", "why")


def page(measured: Measured, signature: str) -> str:
    """The whole file."""
    style = style_of(*STYLES)
    parts = sections(measured)
    contents = [
        ("systems", "The four systems"),
        ("claims", "What the documents claim"),
        *((part.key, part.title) for part in parts),
    ]
    links = (f'<a href="#{key}">{escape(title)}</a>' for key, title in contents)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(content_policy("", style))}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(TITLE)}</title><style>{style}</style></head><body>",
            f"<header><h1>{escape(TITLE)}</h1>",
            f"<p>{escape(conditions(measured, signature))}</p></header>",
            f'<nav aria-label="Contents">{" ".join(links)}</nav>',
            "<main>",
            *systems_part(measured),
            *claims_part(all_claims(measured)),
            *(line for part in parts for line in section_part(part)),
            "</main></body></html>",
            "",
        ]
    )


def conditions(measured: Measured, signature: str) -> str:
    """What this study rests on."""
    plan, study = measured.plan, measured.study
    return (
        f"The {plan.name} study, seed {study.seed}, Kaname with the signature {signature}; 15x15, freestyle. "
        f"{len(measured.games)} games at fixed depths, {len(study.positions())} positions from them, "
        f"{len(measured.round_robin)} games of the round robin. Counts follow from the seed. Times are sampled; their "
        "intervals are of 95 %, over positions or moves. Searches are timed by the CPU, games by the clock."
    )


def claims_part(claims: Sequence[Claim]) -> Iterable[str]:
    counts = Counter(claim.verdict for claim in claims)
    summary = ", ".join(f"“{verdict.value}” for {counts[verdict]}" for verdict in Verdict if counts[verdict])
    yield '<section id="claims"><h2>What the documents claim</h2>'
    yield f"<p>{len(claims)} claims can be checked. The verdict is {escape(summary)}.</p>"
    yield f'<p class="note">{escape(HOW_JUDGED)}</p>'
    yield '<div class="wide"><table class="stacked"><thead><tr>'
    yield "".join(f"<th scope=col>{escape(heading)}</th>" for heading in CLAIM_HEADINGS)
    yield "</tr></thead><tbody>"
    for claim in claims:
        words = {"claimed": claim.claimed, "measured": claim.measured, "verdict": claim.verdict.value, "why": claim.why}
        cells = "".join(cell(heading, text) for heading, text in words.items())
        yield f'<tr>{cell("document", claim.document)}<th scope="row">{escape(claim.claim)}</th>{cells}</tr>'
    yield "</tbody></table></div></section>"


def cell(heading: str, text: str) -> str:
    """A cell that on a phone stands below the others, with its heading; an empty one is left out there."""
    shown = f'<span class="differs">{escape(text)}</span>' if text == Verdict.DIFFERS.value else escape(text)
    kind = ' class="verdict"' if heading == "verdict" else ""
    return f'<td{kind} data-heading="{escape(heading)}">{shown}</td>' if text else "<td></td>"


def systems_part(measured: Measured) -> Iterable[str]:
    yield '<section id="systems"><h2>The four systems</h2><dl>'
    for system in SYSTEMS:
        document = f"{system.document}: " if system.document else ""
        yield f"<div><dt>{escape(system.name)}</dt><dd>{escape(document + system.source)}</dd></div>"
    yield '</dl><div class="wide"><table class="stacked"><thead><tr>'
    yield "".join(f"<th scope=col>{escape(heading)}</th>" for heading in HEADINGS)
    yield "</tr></thead><tbody>"
    for name, *texts in summary_rows(measured):
        cells = "".join(cell(heading, text) for heading, text in zip(HEADINGS[1:], texts, strict=True))
        yield f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
    yield "</tbody></table></div></section>"


def section_part(part: Section) -> Iterable[str]:
    yield f'<section id="{part.key}"><h2>{escape(part.title)}</h2>'
    yield from ('<div class="charts">', *part.charts, "</div>") if part.charts else ()
    yield f'<p class="claimed">{escape(part.claimed)}</p>'
    yield "<dl>"
    for name, text in part.measured.items():
        yield f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>"
    yield "</dl>"
    yield f'<p class="note">{escape(part.note)}</p></section>'
