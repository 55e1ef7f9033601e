"""Views that print an event as plain lines or JSON, and the texts shared by all views."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from enum import Enum
from typing import Any, TextIO

from tournament.events import Event, EventEnded, EventStarted, GameFinished, Warned
from tournament.model import BLACK, BrainSpec, GameRecord
from tournament.standings import Standing, standings
from tournament.timing import near_limits, timing_of

STANDINGS_EVERY = 20  # games, in plain lines


def result_text(record: GameRecord) -> str:
    """The result of a game in one line."""
    plan = record.plan
    moves = f"{len(record.moves)} moves, {record.seconds:.1f} s"
    if record.winner is None:
        return f"{plan.black} - {plan.white}: draw, {record.termination.value} ({moves})"
    winner, loser = (plan.black, plan.white) if record.winner == BLACK else (plan.white, plan.black)
    if record.termination.is_fault:
        return f"{winner} beat {loser}, which {record.termination.value} ({moves})"
    return f"{winner} beat {loser} as {'black' if record.winner == BLACK else 'white'} ({moves})"


def elo_text(row: Standing) -> str:
    return "-" if row.elo_error is None else f"{row.elo:+.0f} ±{row.elo_error:.0f}"


STANDING_HEADINGS = ("#", "brain", "Elo ±95%", "score", "W-D-L", "LOS", "late", "crash", "fault")
TIMING_HEADINGS = ("", "brain", "moves", "p50 ms", "p95", "p99", "max", "start ms", "MB")


def standing_cells(row: Standing, rank: int) -> list[str]:
    """A row of the standings; the last three columns count games lost by timeouts, crashes and other faults."""
    tally = row.tally
    los = "" if row.los_against_next is None else f"{100 * row.los_against_next:.0f}%"
    share = f"{row.score:g}/{row.games}" if row.games else "-"
    games = f"{tally.wins}-{tally.draws}-{tally.losses}"
    faults = [str(count) for count in (row.timeouts, row.crashes, row.other_faults)]
    return [str(rank), row.name, elo_text(row), share, games, los, *faults]


def timing_cells(name: str, records: Sequence[GameRecord]) -> list[str]:
    """A row of the timing table: time per move, slowest start, peak memory."""
    timing = timing_of(name, records)
    start = "" if timing.start_ms is None else f"{timing.start_ms:.0f}"
    times = [f"{ms:.0f}" for ms in (timing.p50_ms, timing.p95_ms, timing.p99_ms, timing.max_ms)]
    return [name, str(timing.moves), *times, start, f"{timing.peak_memory >> 20}"]


def table_text(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with minimal column widths; the second column is left-aligned, the others right-aligned."""
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]
    lines = []
    for row in [headings, *rows]:
        cells = [
            cell.ljust(width) if i == 1 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def standings_text(records: Sequence[GameRecord], brains: Sequence[BrainSpec]) -> str:
    """Standings, crosstable, times and memory, and brains that came close to a limit."""
    table = standings(records, [spec.name for spec in brains])
    rows = [standing_cells(row, rank) for rank, row in enumerate(table.rows, 1)]
    players = [row.name for row in table.rows]
    cross = [
        [str(i + 1), name, *("" if i == j else cell_text(tally) for j, tally in enumerate(table.crosstable[i]))]
        for i, name in enumerate(players)
    ]
    crosstable = table_text(("#", "W-D-L against", *(str(i + 1) for i in range(len(players)))), cross)
    times = table_text(TIMING_HEADINGS, [["", *timing_cells(name, records)] for name in players])
    flags = [f"{spec.name}: {flag}" for spec in brains for flag in near_limits(timing_of(spec.name, records), spec)]
    return "\n\n".join([table_text(STANDING_HEADINGS, rows), crosstable, "\n".join([times, *flags])])


def cell_text(tally: Any) -> str:
    return f"{tally.wins}-{tally.draws}-{tally.losses}" if tally.games else ""


class PlainView:
    """One line per game, with periodic and final standings; for pipes and files."""

    def __init__(self, sink: TextIO, brains: Sequence[BrainSpec]) -> None:
        self._sink = sink
        self._brains = brains
        self._total = 0

    def on_event(self, event: Event, records: Sequence[GameRecord]) -> None:
        if isinstance(event, EventStarted):
            self._total = event.games
            resumed = f", {event.played} already played" if event.played else ""
            self._say(f"{event.games} games{resumed}, {event.concurrency} at a time, results in {event.folder}")
        elif isinstance(event, GameFinished):
            self._say(
                f"game {len(records)}/{self._total} (number {event.record.plan.number}): {result_text(event.record)}"
            )
            for line in event.record.detail.splitlines()[:1] + list(event.record.warnings):
                self._say(f"  {line}")
            if len(records) % STANDINGS_EVERY == 0 and len(records) < self._total:
                self._say(standings_text(records, self._brains))
        elif isinstance(event, Warned):
            self._say(event.text)
        elif isinstance(event, EventEnded):
            self._say(standings_text(records, self._brains))
            for line in (event.verdict, event.hint):
                if line:
                    self._say(line)

    def _say(self, text: str) -> None:
        print(text, file=self._sink, flush=True)

    def close(self) -> None:
        pass


class JsonView:
    """One JSON event per line, including moves, so that a program can follow the games."""

    def __init__(self, sink: TextIO) -> None:
        self._sink = sink

    def on_event(self, event: Event, records: Sequence[GameRecord]) -> None:
        data: dict[str, Any] = {"event": type(event).__name__, **asdict(event)}
        if isinstance(event, GameFinished | EventEnded):
            names = sorted({name for record in records for name in (record.plan.black, record.plan.white)})
            data["standings"] = [asdict(row) for row in standings(records, names).rows]
        print(json.dumps(data, default=plain_value, ensure_ascii=False), file=self._sink, flush=True)

    def close(self) -> None:
        pass


def plain_value(value: object) -> object:
    return value.name if isinstance(value, Enum) else str(value)
