"""The page of an event: the statistics as sections, the games as data, all in one file."""

from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pbrain.pages.bundle import FOLDER, content_policy, script_json, script_of, style_of
from tournament.core.model import Termination
from tournament.core.rules import base_rule
from tournament.report import figures
from tournament.report.contents import MAX_WARNINGS, Contents
from tournament.stats.timing import near_limits
from tournament.views.schedule import settings
from tournament.views.text import (
    STANDING_HEADINGS,
    TIMING_HEADINGS,
    bracket_text,
    cell_text,
    scale_text,
    sprt_text,
    standing_cells,
    timing_cells,
)

HERE = Path(__file__).parent
MAX_OPENINGS = 60  # rows of the table; the list of games filters by any
STYLES = (FOLDER / "palette.css", FOLDER / "chart.css", FOLDER / "board.css", FOLDER / "curve.css", HERE / "report.css")
COLOURS = ((0, "black"), (1, "white"))  # what filters.js filters by
RESULTS = (
    ("won", "won by the brain"),
    ("lost", "lost by the brain"),
    ("drawn", "drawn"),
    ("black", "black won"),
    ("white", "white won"),
)


@cache
def environment() -> Environment:
    loader = FileSystemLoader(HERE / "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def script() -> str:
    return script_of(HERE / "report.js")


@cache
def style() -> str:
    return style_of(*STYLES)


class Life(Enum):
    """Whether a page asks a server for what is new, and whether that one knows of moves or of finished games alone."""

    NONE = "a file"
    GAMES = "of another process"
    MOVES = "of this process"


def page(contents: Contents, life: Life = Life.NONE, engine_page: str | None = None) -> str:
    """The whole file; `engine_page` is where the page of `python -m pbrain web` is, which can open its games."""
    is_live = life is not Life.NONE
    return environment().get_template("page.html").render(
        title=contents.name,
        policy=content_policy(script(), style(), connects=is_live),
        style=Markup(style()),
        script=Markup(script()),
        sections={name: Markup(text) for name, text in sections(contents).items()},
        data=Markup(script_json(data_of(contents, life, engine_page))),
        games=Markup("\n".join(contents.games)),
        is_live=is_live,
        selects=(("Colour", "colour", COLOURS), ("Result", "result", RESULTS)),
    )  # fmt: skip


def data_of(contents: Contents, life: Life, engine_page: str | None) -> dict[str, Any]:
    """What the script needs at once."""
    board = contents.config.board
    return {
        "brains": contents.names,
        "size": [board.width, board.height],
        "rule": base_rule(board.rule),
        "enginePage": engine_page,
        "endings": {kind.name: kind.value for kind in Termination},
        "faults": [kind.name for kind in Termination if kind.is_fault],
        "rows": contents.rows,
        "isLive": life is not Life.NONE,
        "isPlaying": life is Life.MOVES,
    }


def sections(contents: Contents) -> dict[str, str]:
    """The parts of the page that change with the games, as HTML, by the id of their place."""
    makers = {
        "heading": heading,
        "standings": standings,
        "crosstable": crosstable,
        "test": test,
        "times": times,
        "openings": openings,
        "endings": endings,
    }
    return {name: environment().get_template(f"{name}.html").render(make(contents)) for name, make in makers.items()}


def heading(contents: Contents) -> dict[str, Any]:
    """What was played."""
    lines = [line.partition(": ") for line in settings(contents.config)]
    return {
        "title": contents.name,
        "played": contents.summary.played,
        "planned": contents.planned,
        "verdict": contents.verdict,
        "settings": [(topic, text) for topic, _, text in lines],
        "brains": [(spec.name, " ".join(spec.command), spec.info) for spec in contents.config.brains],
    }


def standings(contents: Contents) -> dict[str, Any]:
    rows, players = contents.standings().rows, contents.players
    bracket = "" if contents.summary.results is None else bracket_text(contents.summary.results, contents.config)
    return {
        "headings": STANDING_HEADINGS,
        "rows": [standing_cells(row, rank, players.zero) for rank, row in enumerate(rows, 1)],
        "scale": scale_text(players),
        "compared": "its opponents" if players.is_match else "the next one",
        "bracket": bracket.splitlines(),
        "chart": Markup(figures.elo_chart(contents)),
    }


def crosstable(contents: Contents) -> dict[str, Any]:
    table, places = contents.standings(), {name: place for place, name in enumerate(contents.names)}
    order = [row.name for row in table.rows]
    return {
        "names": [(name, places[name]) for name in order],
        "cells": [
            [
                None
                if row == column
                else (cell_text(tally), f"{100 * tally.score / tally.games:.0f} %" if tally.games else "")
                for column, tally in enumerate(tallies)
            ]
            for row, tallies in enumerate(table.crosstable)
        ],
    }


def test(contents: Contents) -> dict[str, Any]:
    if contents.course is None:
        return {"state": "", "chart": "", "verdict": None}
    state = sprt_text(contents.summary.tested.totals, contents.config)
    return {"state": state, "chart": Markup(figures.sprt_chart(contents)), "verdict": contents.verdict}


def times(contents: Contents) -> dict[str, Any]:
    timings = contents.summary.timings
    return {
        "headings": TIMING_HEADINGS[1:],
        "rows": [timing_cells(name, timings.of(name)) for name in contents.names],
        "flags": [
            f"{spec.name}: {flag}"
            for spec in contents.config.brains
            for flag in near_limits(timings.of(spec.name), spec)
        ],
        "charts": [Markup(figures.time_chart(contents)), Markup(figures.memory_chart(contents))],
        "by_move": list(map(Markup, figures.move_time_charts(contents))),
    }


def openings(contents: Contents) -> dict[str, Any]:
    splits = contents.colours.one_sided()
    return {
        "chart": Markup(figures.colour_chart(contents)),
        "rows": [
            (name, tally.games, cell_text(tally), f"{100 * tally.score / tally.games:.0f} %")
            for name, tally in splits[:MAX_OPENINGS]
        ],
        "others": max(0, len(splits) - MAX_OPENINGS),
    }


def endings(contents: Contents) -> dict[str, Any]:
    def lost_by(kind: Termination) -> str:
        counts = [(contents.losers[kind, name], name) for name in contents.names]
        return ", ".join(f"{name} {count}" for count, name in sorted(counts, key=lambda each: -each[0]) if count)

    kinds = [kind for kind in Termination if contents.endings[kind]]
    faults = sum(contents.endings[kind] for kind in kinds if kind.is_fault)
    return {
        "rows": [(kind.name, kind.value, contents.endings[kind], lost_by(kind), kind.is_fault) for kind in kinds],
        "evidence": contents.evidence,
        "unseen": faults - len(contents.evidence),
        "warnings": contents.warnings.most_common(MAX_WARNINGS),
    }
