"""The numbers as users read them: differences, bounds, anchors and the sequential test, in every view."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.runner import FAKE, OPENINGS, configuration, fake, play
from tests.test_runner_commands import tournament
from tests.test_standings import match_of
from tournament.core.model import BLACK, Board, GamePlan, GameRecord, Opening, Termination
from tournament.event.config import Config, config_of
from tournament.event.events import EventEnded, EventStarted, GameFinished
from tournament.stats.standings import Anchor
from tournament.stats.summary import summary_of
from tournament.views.json_lines import JsonView
from tournament.views.plain import PlainView
from tournament.views.screen import ScreenView
from tournament.views.text import FAULT_NAMES, printable, standings_text

NAMES = ("new", "old")


def config_for(names: tuple[str, ...] = NAMES, sprt: dict[str, Any] | None = None, **event: Any) -> Config:
    return config_of(event, [{"name": name, "command": ["true"]} for name in names], sprt)


def first_table(text: str) -> dict[str, list[str]]:
    """The rows of the standings by name; cells are separated by two spaces or more."""
    lines = text.split("\n\n")[0].splitlines()[1:-1]
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]
    return {row[1]: row[2:] for row in rows}


def test_two_brains_print_their_difference() -> None:
    text = standings_text(summary_of(match_of("new", "old", (19, 0, 160, 0, 21))), config_for())
    assert first_table(text) == {
        "new": ["+3 ±22", "202/400", "202-0-198", "62%"],
        "old": ["-3 ±22", "198/400", "198-0-202", "38%"],
    }
    assert "(Elo difference to the opponents, errors from pairs)" in text


@pytest.mark.parametrize(
    ("pairs", "won", "lost"), [(30, "all won, > +479", "all lost, < -479"), (2, "all won", "all lost")]
)
def test_a_perfect_score_prints_words_and_a_bound_that_tells_something(pairs: int, won: str, lost: str) -> None:
    """Four games: the interval begins at -73, which reads like weakness."""
    games = match_of("new", "old", (0, 0, 0, 0, pairs))
    table = first_table(standings_text(summary_of(games), config_for()))
    assert (table["new"][0], table["old"][0]) == (won, lost)
    anchored = first_table(standings_text(summary_of(games), config_for(), Anchor("old", 1000.0)))
    assert anchored["new"][0] == won.replace("+479", "+1479")


def test_a_short_round_robin_prints_words() -> None:
    """Two games per pairing and one winner of all: its interval begins below the mean of the others."""
    order = ("best", "second", "third", "last")
    pairings = [(one, other) for i, one in enumerate(order) for other in order[i + 1 :]]
    games = [game for i, names in enumerate(pairings) for game in match_of(*names, (0, 0, 0, 0, 1), i)]
    assert [row[0] for row in first_table(standings_text(summary_of(games), config_for(order))).values()][::3] == [
        "all won",
        "all lost",
    ]
    sink = io.StringIO()
    view = ScreenView(config_for(order), None, Console(file=sink, force_terminal=True, width=80, height=40))
    view.on_event(EventStarted("e", "e", order, 12, 12, 1), summary_of(games))
    view.close()
    assert " all won " in sink.getvalue()
    assert "> -" not in sink.getvalue()


def test_a_round_robin_prints_elo_around_the_mean_or_an_anchor() -> None:
    games = match_of("a", "b", (1, 0, 8, 0, 1), 0) + match_of("b", "c", (0, 1, 7, 1, 1), 50)
    config = config_for(("a", "b", "c"))
    assert "(Elo around the mean, errors from pairs)" in standings_text(summary_of(games), config)
    text = standings_text(summary_of(games), config, Anchor("c", 1600.0))
    assert first_table(text)["c"][0] == "+1600 ±0"
    assert "(Elo with c at +1600, errors from pairs)" in text


@pytest.mark.parametrize("kind", list(FAULT_NAMES))
def test_every_kind_of_fault_is_counted_by_itself(kind: Termination) -> None:
    game = GameRecord(GamePlan(1, 1, "new", "old", Opening("", ())), Board(), (), BLACK, kind)
    assert first_table(standings_text(summary_of([game]), config_for()))["old"][-1] == f"1 {FAULT_NAMES[kind]}"
    sink = io.StringIO()
    view = JsonView(sink, config_for())
    view.on_event(GameFinished(game), summary_of([game]))
    rows = {row["name"]: row["faults"] for row in json.loads(sink.getvalue())["standings"]}
    assert rows == {name: {each.name: int(each is kind and name == "old") for each in FAULT_NAMES} for name in NAMES}


def test_every_fault_has_a_name() -> None:
    assert set(FAULT_NAMES) == {kind for kind in Termination if kind.is_fault}


# The sequential test.

LIVE = "SPRT: LLR 0.25 (-2.94, 2.94) <0, 50> normalised Elo, Ptnml(0-2) 0, 0, 1, 0, 1"


def shown_by(view: PlainView | JsonView | ScreenView, games: list[GameRecord], verdict: str = "") -> None:
    view.on_event(EventStarted("e", "e", NAMES, 100, 0, 1), summary_of([]))
    for number, game in enumerate(games, 1):
        view.on_event(GameFinished(game), summary_of(games[:number]))
    view.on_event(EventEnded(not verdict, verdict, "hint"), summary_of(games))
    view.close()


def test_an_undecided_test_is_shown_live_and_at_the_end_in_plain_lines() -> None:
    sink = io.StringIO()
    shown_by(PlainView(sink, config_for(sprt={"elo1": 50})), match_of("new", "old", (0, 0, 1, 0, 1), 1))
    lines = sink.getvalue().splitlines()
    assert [line for line in lines if "LLR" in line][-3:] == [
        f"  {LIVE}",
        LIVE,
        "undecided: LLR 0.25 is between -2.94 and 2.94",
    ]


@pytest.mark.parametrize("kind", [PlainView, JsonView, ScreenView])
def test_pairs_after_a_missing_one_are_not_shown_as_counted(kind: type[PlainView | JsonView | ScreenView]) -> None:
    """The verdict counts pairs in the order of the schedule, and so does every LLR that a view shows."""
    sink = io.StringIO()
    output: Any = Console(file=sink, force_terminal=True, width=80, height=60)
    config = config_for(sprt={"elo1": 50})
    view: Any = ScreenView(config, None, output) if kind is ScreenView else kind(sink, config)  # type: ignore[arg-type]
    shown_by(view, match_of("new", "old", (0, 0, 0, 0, 30), start=2))
    text = sink.getvalue()
    assert "accepted" not in text
    assert ('"counts": [0, 0, 0, 0, 0]' if kind is JsonView else "LLR 0.00") in text
    assert ('"counts": [0, 0, 0, 0, 30]' if kind is JsonView else "0, 0, 30") not in text


def test_an_undecided_test_is_shown_live_and_at_the_end_in_json() -> None:
    sink = io.StringIO()
    shown_by(JsonView(sink, config_for(sprt={"elo1": 50})), match_of("new", "old", (0, 0, 1, 0, 1), 1))
    events = [json.loads(line) for line in sink.getvalue().splitlines()]
    states = [event["sprt"] for event in events if event["event"] in ("GameFinished", "EventEnded")]
    assert len(states) == 5
    assert round(states[-1]["llr"], 2) == 0.25
    assert [round(states[-1][key], 2) for key in ("lower", "upper")] == [-2.94, 2.94]
    assert states[-1]["counts"] == [0, 0, 1, 0, 1]
    assert states[-1]["test"] == {"elo0": 0, "elo1": 50, "alpha": 0.05, "beta": 0.05, "model": "normalised"}
    assert events[-1]["verdict"] == ""


def test_an_undecided_test_is_shown_live_and_at_the_end_on_the_screen() -> None:
    sink = io.StringIO()
    console = Console(file=sink, force_terminal=True, width=80, height=60)
    shown_by(ScreenView(config_for(sprt={"elo1": 50}), None, console), match_of("new", "old", (0, 0, 1, 0, 1), 1))
    assert sink.getvalue().count(LIVE) >= 2, "live, and at the end"
    assert "undecided: LLR 0.25 is between -2.94 and 2.94" in sink.getvalue()


def test_without_a_sequential_test_nothing_is_said_of_it() -> None:
    sink = io.StringIO()
    shown_by(PlainView(sink, config_for()), match_of("new", "old", (0, 0, 1, 0, 1), 1))
    assert "LLR" not in sink.getvalue()
    assert "SPRT" not in sink.getvalue()


@pytest.mark.parametrize("model", ["normalised", "logistic", "trinomial"])
def test_the_model_is_selectable(model: str, tmp_path: Path) -> None:
    brains = [f"{FAKE} none", f"{FAKE} occupied"]
    options = ["--size", "10", "--openings", str(OPENINGS), "--elo1", "400", "--games", "20", "--plain"]
    run = tournament("sprt", *brains, *options, "--model", model, "--out", str(tmp_path))
    assert (run.returncode, run.stderr) == (0, "")
    assert f"<0, 400> {'normalised Elo' if model == 'normalised' else 'Elo'}, " in run.stdout
    assert ("L-D-W 0, 0, " in run.stdout) == (model == "trinomial")
    again = tournament("standings", str(tmp_path))
    assert again.returncode == 0
    assert "SPRT: LLR " in again.stdout


def test_an_anchor_must_be_one_of_the_brains(tmp_path: Path) -> None:
    play(configuration([fake("none"), fake("occupied")]), tmp_path)
    shown = tournament("standings", str(tmp_path), "--anchor", "occupied=1500.5")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "(Elo with occupied at +1500.5, errors from pairs)" in shown.stdout
    for text in ("nobody=3", "none", "none=", "none=x", "=3"):
        refused = tournament("standings", str(tmp_path), "--anchor", text)
        assert refused.returncode == 2
        assert refused.stderr == (
            f"tournament: --anchor needs NAME=ELO such as none=1600, not {text}; the names are none, occupied\n"
        )


# What brains say cannot control the terminal.


@given(st.text())
def test_what_is_printed_is_printable(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) == len(text)
    assert text.isprintable() == (shown == text)
    shown.encode("utf-8")


@given(st.text(), st.text())
def test_messages_of_brains_cannot_control_the_terminal(detail: str, warning: str) -> None:
    plan = GamePlan(1, 1, "new", "old", Opening("", ()))
    game = GameRecord(plan, Board(), (), BLACK, Termination.CRASH, detail, (warning,))
    plain, lines = io.StringIO(), io.StringIO()
    shown_by(PlainView(plain, config_for()), [game])
    assert all(line.isprintable() for line in plain.getvalue().split("\n"))
    shown_by(JsonView(lines, config_for()), [game])
    assert lines.getvalue().isascii()
    assert len(lines.getvalue().splitlines()) == 3
