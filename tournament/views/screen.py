"""The live screen: progress, standings, running games and the latest results, drawn by rich.

Games only leave a note of what happened. A thread of rich's own looks at the notes four times a second, keeps the
totals and draws, so no clock waits for it.
"""

import threading
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tournament.core.failures import starting_threads
from tournament.core.model import GamePlan, GameRecord
from tournament.event.config import Config
from tournament.event.events import (
    Event,
    EventEnded,
    EventStarted,
    GameDropped,
    GameFinished,
    GameStarted,
    MoveAsked,
    Warned,
)
from tournament.stats.standings import Anchor, standings_of
from tournament.stats.summary import Summary
from tournament.views.text import (
    STANDING_HEADINGS,
    TIMING_HEADINGS,
    ending_text,
    playing_text,
    printable,
    result_text,
    sprt_text,
    standing_cells,
    standings_text,
    timing_cells,
)

REFRESHES_PER_SECOND = 4
MAX_RUNNING = 16  # games that are listed; a farm may play a thousand
WIDE = 130  # columns; from this width on the table also shows times and memory


class RunningGame(NamedTuple):
    """A game and who is thinking in it since when; `left_ms` is None without a limit per game."""

    plan: GamePlan
    ply: int
    colour: int
    left_ms: float | None
    since: float


def shown(text: str) -> Text:
    """The only way for a text to the terminal: nothing in it is markup or controls the screen."""
    return Text("\n".join(printable(line) for line in text.split("\n")))


def clipped(text: str) -> Text:
    """The same, with lines that are cut off at the edge."""
    lines = shown(text)
    lines.no_wrap, lines.overflow = True, "ellipsis"
    return lines


class Notes:
    """What the games report, written by their threads and read by the one that draws."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, RunningGame] = {}
        self._finished: list[GameRecord] = []
        self._status = ""

    def moving(self, game: RunningGame) -> None:
        with self._lock:
            self._running[game.plan.number] = game

    def finished(self, record: GameRecord) -> None:
        with self._lock:
            self._finished.append(record)
            self._running.pop(record.plan.number, None)

    def dropped(self, plan: GamePlan) -> None:
        with self._lock:
            self._running.pop(plan.number, None)

    def say(self, status: str) -> None:
        with self._lock:
            self._status = status

    def take(self) -> tuple[list[RunningGame], list[GameRecord], str]:
        """The running games, those finished since the last call, and the latest message."""
        with self._lock:
            fresh, self._finished = self._finished, []
            return sorted(self._running.values(), key=lambda game: game.plan.number), fresh, self._status


class ScreenView:
    """A live display on a terminal; the final standings remain after it closes."""

    def __init__(self, config: Config, anchor: Anchor | None = None, console: Console | None = None) -> None:
        self._config, self._anchor = config, anchor
        self._console = console or Console()
        self._started = time.monotonic()
        self._total = self._played_before = 0
        self._notes = Notes()
        self._is_open = False
        # The rest belongs to the thread that draws.
        self._summary = Summary()
        self._table: Table | None = None
        self._live = Live(
            console=self._console,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            get_renderable=self._drawn,
        )

    def on_event(self, event: Event, summary: Summary) -> None:
        now = time.monotonic()
        if isinstance(event, EventStarted):
            self._open(event, summary)
        elif isinstance(event, GameStarted):
            self._notes.moving(RunningGame(event.plan, len(event.plan.opening.moves), 0, None, now))
        elif isinstance(event, MoveAsked):
            self._notes.moving(RunningGame(event.plan, event.ply, event.colour, event.left_ms, now))
        elif isinstance(event, GameFinished):
            self._notes.finished(event.record)
        elif isinstance(event, GameDropped):
            self._notes.dropped(event.plan)
        elif isinstance(event, Warned):
            self._notes.say(event.text)
        elif isinstance(event, EventEnded):
            self.close()
            verdict = ending_text(summary.tested.totals, self._config, event.verdict)
            for text in filter(None, (standings_text(summary, self._config, self._anchor), verdict, event.hint)):
                self._console.print(shown(text), soft_wrap=True)

    def _open(self, event: EventStarted, summary: Summary) -> None:
        self._total, self._played_before = event.games, event.played
        self._notes.say(playing_text(event))
        self._summary = deepcopy(summary)
        with starting_threads():
            self._live.start(refresh=True)
        self._is_open = True

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._live.stop()

    # -- drawing -------------------------------------------------------------------------------------------------------

    def _drawn(self) -> Group:
        if not self._total:  # rich asks for the first time before the event has begun
            return Group()
        now = time.monotonic()
        running, fresh, status = self._notes.take()
        for record in fresh:
            self._summary.add(record)
        is_wide = self._console.width >= WIDE
        if fresh or self._table is None or self._table.expand != is_wide:
            self._table = self._standings(is_wide)
        test = sprt_text(self._summary.tested.totals, self._config)
        latest = "\n".join(map(result_text, self._summary.latest))
        return Group(
            self._progress(now),
            self._table,
            *([shown(test)] if test else []),
            games_panel(running, now),
            Panel(clipped(latest or "none yet"), title="latest results"),
            clipped(status),  # last, as the terminal echoes ^C behind it; behind a full line that would begin a new one
        )

    def _progress(self, now: float) -> Table:
        grid = Table.grid(padding=(0, 1))
        played = self._summary.played
        done, missing = played - self._played_before, self._total - played
        left = "" if not done else f"{clock_text((now - self._started) / done * missing)} left"
        bar = ProgressBar(self._total or 1, played, width=24)
        cells = f"{played}/{self._total} games", f"{clock_text(now - self._started)} elapsed", left
        grid.add_row(shown(cells[0]), bar, *map(shown, cells[1:]))
        return grid

    def _standings(self, is_wide: bool) -> Table:
        headings = [*STANDING_HEADINGS, *(TIMING_HEADINGS[2:] if is_wide else ())]
        table = Table(expand=is_wide, padding=(0, 1))
        for i, heading in enumerate(headings):
            table.add_column(heading, justify="left" if i == 1 else "right", no_wrap=True)
        players = replace(self._config.field, anchor=self._anchor)
        for rank, row in enumerate(standings_of(self._summary.totals, players).rows, 1):
            times = timing_cells(row.name, self._summary.timings.of(row.name))[1:] if is_wide else []
            table.add_row(*map(shown, [*standing_cells(row, rank, players.zero), *times]))
        return table


def games_panel(running: Sequence[RunningGame], now: float) -> Panel:
    """The running games, one per line."""
    lines = []
    for plan, ply, colour, left_ms, since in running[:MAX_RUNNING]:
        thinker = (plan.black, plan.white)[colour]
        left = "" if left_ms is None else f", {left_ms / 1000:.0f} s left"
        game = f"{plan.number:>5}  {plan.black} - {plan.white}"
        lines.append(f"{game}, move {ply + 1}: {thinker} {now - since:.1f} s{left}")
    if len(running) > MAX_RUNNING:
        lines.append(f"       and {len(running) - MAX_RUNNING} more")
    return Panel(clipped("\n".join(lines) or "no game is running"), title="games")


def clock_text(seconds: float) -> str:
    """Hours, minutes and seconds."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
