"""The live screen: what it shows, what it lets through to the terminal, and that no game waits for it."""

import io
import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.brain_process import percentile
from tests.runner import configuration, fake, local_run
from tournament.core.model import Board, GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.event.config import Config
from tournament.event.events import EventEnded, EventStarted, GameDropped, GameFinished, GameStarted, MoveAsked, Warned
from tournament.event.store import Store
from tournament.stats import standings
from tournament.stats.summary import Summary, summary_of
from tournament.stats.timing import Timing, TimingTotals, moves_of
from tournament.views import screen
from tournament.views.screen import ScreenView

TIMES = st.floats(0, 3000).map(lambda ms: round(ms, 3))


def game(number: int = 1, black: str = "a", white: str = "b", **options: object) -> GameRecord:
    plan = GamePlan(number, (number + 1) // 2, black, white, Opening("o", ((0, 0),)))
    moves = (PlayedMove(1, 1, 3.25), PlayedMove(2, 2, 7.5), PlayedMove(3, 3, 4.75))
    values: dict[str, object] = {"moves": moves, "winner": 0, "termination": Termination.FIVE, **options}
    return GameRecord(plan, Board(), **values)  # type: ignore[arg-type]


def config_of(names: tuple[str, ...]) -> Config:
    """A configuration with any names, as folders of events may hold them."""
    config = configuration([fake("none"), fake("none")])
    return replace(config, brains=tuple(replace(config.brains[0], name=name) for name in names))


def terminal(sink: io.StringIO, width: int) -> Console:
    """Without colours, so that every one of them would be a brain's."""
    return Console(file=sink, force_terminal=True, color_system=None, width=width, height=40)


def view_of(names: tuple[str, ...], width: int) -> tuple[ScreenView, io.StringIO]:
    sink = io.StringIO()
    return ScreenView(config_of(names), None, terminal(sink, width)), sink


def shown_at(width: int, names: tuple[str, ...], records: list[GameRecord], status: str = "") -> str:
    """What reaches a terminal from the beginning to the end of an event."""
    view, sink = view_of(names, width)
    view.on_event(EventStarted("e", "folder", names, 10, 0, 2), Summary())
    for i, record in enumerate(records):
        view.on_event(GameStarted(record.plan), summary_of(records[:i]))
        view.on_event(MoveAsked(record.plan, 3, 1, 5000.0), summary_of(records[:i]))
        view.on_event(Warned(status), summary_of(records[:i]))
        view._live.refresh()
        view.on_event(GameFinished(record), summary_of(records[: i + 1]))
    view._live.refresh()
    view.on_event(EventEnded(False, "verdict", "hint"), summary_of(records))
    return sink.getvalue()


def test_a_farm_lists_some_of_its_games_and_none_that_is_lost() -> None:
    view, sink = view_of(("a", "b"), 80)
    view.on_event(EventStarted("e", "folder", ("a", "b"), 100, 0, 40), Summary())
    for number in range(1, 41):
        view.on_event(GameStarted(game(number).plan), Summary())
    view.on_event(GameDropped(game(1).plan), Summary())
    with view._live._lock:  # a picture from before the loss may still be drawn
        sink.truncate(0)
        view._live.refresh()
        text = sink.getvalue()
    view.close()
    assert "    1  a - b" not in text
    assert "    2  a - b" in text
    assert f"and {39 - screen.MAX_RUNNING} more" in text


@pytest.mark.parametrize("width", [80, 200])
def test_the_screen_shows_games_standings_and_results(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "time", SimpleNamespace(monotonic=lambda: 100.0))  # however long this test takes
    text = shown_at(width, ("a", "b"), [game(), game(2, "b", "a", winner=None, termination=Termination.DRAW_FULL)])
    for part in ("1/10 games", "2/10 games", "1.5/2", "1-1-0", "    2  b - a, move 4: a 0.0 s, 5 s left"):
        assert part in text
    for part in ("a beat b as black (3 moves, 0.0 s)", "b - a: draw, the board is full", "verdict", "hint"):
        assert part in text
    lines = without_rich(text).split("\n")
    framed = [line for line in lines if line[:1] in "│┃╭╰┏└├"]
    assert framed
    assert max(map(len, framed)) <= width
    assert any("p99" in line and "Elo" in line for line in lines) == (width == 200)


def test_a_resumed_event_shows_its_standings_at_once() -> None:
    view, sink = view_of(("a", "b"), 80)
    view.on_event(EventStarted("e", "folder", ("a", "b"), 10, 2, 2), summary_of([game(1), game(2)]))
    view.close()
    assert "2/10 games" in sink.getvalue()
    assert "2-0-0" in sink.getvalue()


HOSTILE = [
    "x[/b]",
    "[red]y[/red]",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "a\rb",
    "\x9b31m",
    "\u202eevil",
    "[link=file:///]z",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_brain_cannot_style_the_screen_or_end_the_run(name: str) -> None:
    record = game(1, name, "b", winner=1, termination=Termination.CRASH, detail=name, warnings=(name,))
    text = shown_at(200, (name, "b"), [record], status=name)
    plain = without_rich(text)
    for char in "\x1b\x07\x9b\u202e":
        assert char not in plain
    if name.isprintable():
        assert f"b beat {name}" in plain
        assert re.search(rf"│ +2 │ {re.escape(name)} +│", plain), "markup is shown as it is written"


@given(st.text(min_size=1, max_size=20), st.text(max_size=40), st.sampled_from([80, 200]))
def test_no_text_controls_the_terminal(name: str, status: str, width: int) -> None:
    record = game(1, name, "b", detail=status, warnings=(status,))
    plain = without_rich(shown_at(width, (name, "b"), [record], status))
    assert all(char.isprintable() or char == "\n" for char in plain)


def without_rich(text: str) -> str:
    """What is left without the sequences of rich's own: it moves the cursor, erases lines and hides the cursor."""
    return re.sub(r"\x1b\[(1A|2K|\?25[lh])|\r", "", text)


# -- what happens on the threads of the games --------------------------------------------------------------------------


def test_the_threads_of_the_games_draw_and_count_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 2,000 games played, a move costs as much as with none."""
    drawing: set[str] = set()
    for module, name in ((screen, "standings_of"), (screen, "result_text"), (standings.Totals, "add")):
        original = getattr(module, name)

        def noted(*arguments: object, original: object = original) -> object:
            drawing.add(threading.current_thread().name)
            return original(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(module, name, noted)
    view, _ = view_of(("a", "b"), 200)
    summary = summary_of(game(number) for number in range(1, 2001))
    view.on_event(EventStarted("e", "folder", ("a", "b"), 4000, 2000, 2), summary)
    drawing.clear()

    def play() -> None:
        for number in range(2001, 2101):
            record = game(number)
            for event in (GameStarted(record.plan), MoveAsked(record.plan, 3, 1, None), GameFinished(record)):
                view.on_event(event, summary)
        time.sleep(1.0)

    playing = threading.Thread(target=play, name="a game")
    playing.start()
    playing.join()
    deadline = time.monotonic() + 60
    while not drawing and time.monotonic() < deadline:
        time.sleep(0.05)
    assert drawing, "somebody draws"
    assert "a game" not in drawing
    view.close()


def test_totals_are_computed_once_per_finished_game(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = 0

    def counted(totals: standings.Totals, players: standings.Field) -> standings.Standings:
        nonlocal computed
        computed += 1
        return standings.standings_of(totals, players)

    monkeypatch.setattr(screen, "standings_of", counted)
    view, _ = view_of(("a", "b"), 200)
    view.on_event(EventStarted("e", "folder", ("a", "b"), 10, 0, 2), Summary())
    for _ in range(5):
        view._live.refresh()
    assert computed == 1
    view.on_event(GameFinished(game()), Summary())
    for _ in range(5):
        view._live.refresh()
    view.close()
    assert computed == 2


def timing_of(name: str, records: list[GameRecord]) -> Timing:
    """The timing of one brain over all its games, from all of them at once."""
    times: list[float] = []
    starts: list[float] = []
    memory = 0
    for record in records:
        for colour, player in ((0, record.plan.black), (1, record.plan.white)):
            if player == name:
                times += moves_of(record, colour)
                memory = max(memory, record.peak_memory[colour])
                start = record.start_ms[colour]
                starts += [] if start is None else [start]
    return Timing(
        len(times),
        percentile(times, 50),
        percentile(times, 95),
        percentile(times, 99),
        max(times, default=0.0),
        max(starts, default=None),
        memory,
    )


@given(st.lists(st.tuples(st.lists(TIMES, max_size=9), st.booleans(), st.none() | TIMES, st.integers(0, 1 << 30))))
def test_timing_kept_game_by_game_is_that_of_all_games(
    games: list[tuple[list[float], bool, float | None, int]],
) -> None:
    records = [
        game(
            i,
            *(("a", "b") if is_black else ("b", "a")),
            moves=tuple(PlayedMove(0, 0, ms) for ms in times),
            start_ms=(start, None),
            peak_memory=(memory, 1),
        )
        for i, (times, is_black, start, memory) in enumerate(games)
    ]
    totals = TimingTotals()
    for record in records:
        totals.add(record)
    for name in ("a", "b"):
        exact, kept = timing_of(name, records), totals.of(name)
        assert (kept.moves, kept.start_ms, kept.max_ms) == (exact.moves, exact.start_ms, exact.max_ms)
        assert kept.peak_memory == exact.peak_memory
        assert [kept.p50_ms, kept.p95_ms, kept.p99_ms] == [
            float(round(ms)) for ms in (exact.p50_ms, exact.p95_ms, exact.p99_ms)
        ]


def test_a_real_event_on_the_screen(tmp_path: Path) -> None:
    names = ("x[/b]", "\x1b[31mred")
    config = config_of(names)
    sink = io.StringIO()
    view = ScreenView(config, None, terminal(sink, 100))
    assert local_run(config, Store(tmp_path), 1, [view]).play("the same command")
    plain = without_rich(sink.getvalue())
    assert "\x1b" not in plain
    assert "2/2 games" in plain or "1/2 games" in plain
    assert "x[/b] beat" in plain or "beat x[/b]" in plain
