"""The live screen: progress, standings, running games and the latest results, drawn by rich."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tournament.config import Config
from tournament.events import Event, EventEnded, EventStarted, GameFinished, GameStarted, MoveAsked, Warned
from tournament.model import GamePlan, GameRecord
from tournament.standings import Anchor, standings, totals_of
from tournament.views import (
    STANDING_HEADINGS,
    TIMING_HEADINGS,
    ending_text,
    result_text,
    sprt_text,
    standing_cells,
    standings_text,
    timing_cells,
)

LATEST = 6
REFRESHES_PER_SECOND = 4
WIDE = 130  # columns; from this width on the table also shows times and memory


class ScreenView:
    """A live display on a terminal; the final standings remain after it closes."""

    def __init__(self, config: Config, anchor: Anchor | None = None, console: Console | None = None) -> None:
        self._config, self._anchor = config, anchor
        self._console = console or Console()
        self._live = Live(console=self._console, refresh_per_second=REFRESHES_PER_SECOND, transient=True)
        self._started = time.monotonic()
        self._total = self._played_before = 0
        self._running: dict[int, tuple[GamePlan, int, int, float | None, float]] = {}
        self._latest: deque[str] = deque(maxlen=LATEST)
        self._is_open = False
        self._status = ""

    def on_event(self, event: Event, records: Sequence[GameRecord]) -> None:
        now = time.monotonic()
        if isinstance(event, EventStarted):
            self._total, self._played_before = event.games, event.played
            self._status = f"{event.concurrency} at a time, results in {event.folder}"
            self._live.start()
            self._is_open = True
        elif isinstance(event, GameStarted):
            self._running[event.plan.number] = (event.plan, len(event.plan.opening.moves), 0, None, now)
        elif isinstance(event, MoveAsked):
            self._running[event.plan.number] = (event.plan, event.ply, event.colour, event.left_ms, now)
        elif isinstance(event, GameFinished):
            self._running.pop(event.record.plan.number, None)
            self._latest.appendleft(result_text(event.record))
        elif isinstance(event, Warned):
            self._status = event.text
        elif isinstance(event, EventEnded):
            self.close()
            self._console.print(
                standings_text(records, self._config, self._anchor), highlight=False, markup=False, soft_wrap=True
            )
            verdict = ending_text(totals_of(records), self._config, event.verdict)
            for line in filter(None, (verdict, event.hint)):
                self._console.print(line, highlight=False, soft_wrap=True)
            return
        # There may be thousands of moves per second; rich only draws the latest update.
        if not isinstance(event, MoveAsked) or self._is_open:
            self._live.update(self._drawn(records, now))

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._live.stop()

    def _drawn(self, records: Sequence[GameRecord], now: float) -> Group:
        test = Text(sprt_text(totals_of(records), self._config))  # an empty line without a test
        return Group(
            self._progress(len(records), now), self._standings(records), test, self._games(now), self._results()
        )

    def _progress(self, played: int, now: float) -> Table:
        grid = Table.grid(padding=(0, 1))
        done = played - self._played_before
        left = "" if not done else f"{clock_text((now - self._started) / done * (self._total - played))} left"
        grid.add_row(
            f"{played}/{self._total} games",
            ProgressBar(self._total or 1, played, width=24),
            f"{clock_text(now - self._started)} elapsed",
            left,
            self._status,
        )
        return grid

    def _standings(self, records: Sequence[GameRecord]) -> Table:
        is_wide = self._console.width >= WIDE
        headings = [*STANDING_HEADINGS, *(TIMING_HEADINGS[2:] if is_wide else ())]
        table = Table(expand=is_wide, padding=(0, 1))
        for i, heading in enumerate(headings):
            table.add_column(heading, justify="left" if i == 1 else "right", no_wrap=True)
        for rank, row in enumerate(standings(records, replace(self._config.field, anchor=self._anchor)).rows, 1):
            times = timing_cells(row.name, records)[1:] if is_wide else []
            table.add_row(*standing_cells(row, rank), *times)
        return table

    def _games(self, now: float) -> Panel:
        lines = []
        for plan, ply, colour, left_ms, since in sorted(self._running.values(), key=lambda game: game[0].number):
            thinker = (plan.black, plan.white)[colour]
            left = "" if left_ms is None else f", {left_ms / 1000:.0f} s left"
            lines.append(
                f"{plan.number:>5}  {plan.black} - {plan.white}, move {ply + 1}: {thinker} {now - since:.1f} s{left}"
            )
        return Panel(Text("\n".join(lines) or "no game is running", no_wrap=True, overflow="ellipsis"), title="games")

    def _results(self) -> Panel:
        return Panel(
            Text("\n".join(self._latest) or "none yet", no_wrap=True, overflow="ellipsis"), title="latest results"
        )


def clock_text(seconds: float) -> str:
    """Hours, minutes and seconds."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
