"""An event as plain lines, for pipes and files."""

from typing import TextIO

from tournament.core.model import GameRecord
from tournament.event.config import Config
from tournament.event.events import Event, EventEnded, EventStarted, GameFinished, Warned
from tournament.stats.standings import Anchor
from tournament.stats.summary import Summary
from tournament.views.text import ending_text, playing_text, printable, result_text, sprt_text, standings_text

STANDINGS_EVERY = 20  # games


class PlainView:
    """One line per game, with periodic and final standings; for pipes and files."""

    def __init__(self, sink: TextIO, config: Config, anchor: Anchor | None = None) -> None:
        self._sink = sink
        self._config, self._anchor = config, anchor
        self._total = 0

    def on_event(self, event: Event, summary: Summary) -> None:
        if isinstance(event, EventStarted):
            self._total = event.games
            resumed = f", {event.played} already played" if event.played else ""
            self._say(f"{event.games} games{resumed}, {playing_text(event)}")
        elif isinstance(event, GameFinished):
            self._say_game(event.record, summary)
            if summary.played % STANDINGS_EVERY == 0 and summary.played < self._total:
                self._say(standings_text(summary, self._config, self._anchor))
        elif isinstance(event, Warned):
            self._say(event.text)
        elif isinstance(event, EventEnded):
            self._say(standings_text(summary, self._config, self._anchor))
            self._say(ending_text(summary.tested.totals, self._config, event.verdict))
            self._say(event.hint)

    def _say_game(self, record: GameRecord, summary: Summary) -> None:
        self._say(f"game {summary.played}/{self._total} (number {record.plan.number}): {result_text(record)}")
        details = [*record.detail.splitlines()[:1], *record.warnings, sprt_text(summary.tested.totals, self._config)]
        for line in filter(None, details):
            self._say(f"  {line}")

    def _say(self, text: str) -> None:
        """Print lines of text, if there are any; what brains said cannot control the terminal."""
        if text:
            print("\n".join(printable(line) for line in text.split("\n")), file=self._sink, flush=True)

    def close(self) -> None:
        pass
