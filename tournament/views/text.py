"""The texts that all views share: results, standings, faults, a sequential test in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import repeat

from tournament.core.model import BLACK, GameRecord, Opening, Termination
from tournament.event.config import Config
from tournament.event.events import EventStarted
from tournament.event.knockout import knockout
from tournament.play.managers import MANAGERS, OURS
from tournament.stats.ratings import Tally
from tournament.stats.sprt import state_text, verdict_text
from tournament.stats.standings import (
    Anchor,
    Field,
    Standing,
    Totals,
    sprt_state,
    standings_of,
)
from tournament.stats.summary import Summary
from tournament.stats.timing import Timing, near_limits

NO_OPENING = Opening("", ())


def result_text(record: GameRecord) -> str:
    """The result of a game in one line."""
    plan = record.plan
    moves = f"{len(record.moves)} moves, {record.seconds:.1f} s"
    if record.winner is None:
        return f"{plan.black} - {plan.white}: draw, {record.termination.value} ({moves})"
    winner, loser = (plan.black, plan.white) if record.winner == BLACK else (plan.white, plan.black)
    if record.termination.is_fault or record.termination is Termination.RESIGNED:
        return f"{winner} beat {loser}, which {record.termination.value} ({moves})"
    return f"{winner} beat {loser} as {'black' if record.winner == BLACK else 'white'} ({moves})"


def playing_text(event: EventStarted) -> str:
    """How the games are played, and where their results go."""
    manager = "" if event.manager == OURS.name else f"as {MANAGERS[event.manager].title} plays them, "
    pace = f"{event.concurrency} at a time, " if event.concurrency else ""  # a farm with nothing to play is not asked
    return f"{pace}{manager}results in {event.folder}"


# -- texts -------------------------------------------------------------------------------------------------------------


STANDING_HEADINGS = ("#", "brain", "Elo ±95%", "score", "W-D-L", "LOS", "faults")
TIMING_HEADINGS = ("", "brain", "moves", "p50 ms", "p95", "p99", "max", "start ms", "MB")
FAULT_NAMES = {
    Termination.START_FAILED: "start",
    Termination.TIMEOUT: "late",
    Termination.CRASH: "crash",
    Termination.STALL: "stall",
    Termination.ILLEGAL: "illegal",
    Termination.FOUL: "foul",
    Termination.MEMORY: "memory",
}


def elo_text(row: Standing, zero: float = 0.0) -> str:
    """`+42 ±21`; `-` without a result; `all won, > +479` for a perfect score.

    After few games the bound of a perfect score does not even reach the zero of the scale. It would look like weakness.
    """
    if row.elo is None:
        return "-"
    if row.elo_error is not None:
        return f"{row.elo:+.0f} ±{row.elo_error:.0f}"
    words, beyond = ("all won", row.elo - zero) if row.bound == ">" else ("all lost", zero - row.elo)
    return f"{words}, {row.bound} {row.elo:+.0f}" if beyond > 0 else words


def scale_text(players: Field) -> str:
    """What the column Elo holds."""
    if players.anchor is not None:
        scale = f"Elo with {players.anchor.name} at {players.anchor.elo:+g}"
    else:
        scale = "Elo difference to the opponents" if players.is_match else "Elo around the mean"
    return f"{scale}, errors from pairs"


def standing_cells(row: Standing, rank: int, zero: float = 0.0) -> list[str]:
    """A row of the standings, with Elos around `zero`; the last column counts the games lost by each kind of fault."""
    tally = row.tally
    los = "" if row.los is None else f"{100 * row.los:.0f}%"
    points = f"{row.score:g}/{row.games}" if row.games else "-"
    games = f"{tally.wins}-{tally.draws}-{tally.losses}"
    faults = ", ".join(f"{count} {FAULT_NAMES[kind]}" for kind, count in row.faults)
    return [str(rank), row.name, elo_text(row, zero), points, games, los, faults]


def sprt_text(totals: Totals, config: Config) -> str:
    """The state of the sequential test in one line, from the pairs in order; empty if the event has none."""
    state = sprt_state(totals, config.sprt, config.field)
    return "" if state is None else f"SPRT: {state_text(state)}"


def ending_text(totals: Totals, config: Config, verdict: str) -> str:
    """The verdict of the sequential test, or that it is undecided; empty if the event has none."""
    state = sprt_state(totals, config.sprt, config.field)
    if verdict or state is None:
        return verdict
    return f"{sprt_text(totals, config)}\n{verdict_text(state, *config.field.names)}"


def timing_cells(name: str, timing: Timing) -> list[str]:
    """A row of the timing table: time per move, slowest start, peak memory."""
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


def standings_text(summary: Summary, config: Config, anchor: Anchor | None = None) -> str:
    """Standings, crosstable, times and memory, and brains that came close to a limit."""
    brains, players = config.brains, replace(config.field, anchor=anchor)
    table = standings_of(summary.totals, players)
    rows = [standing_cells(row, rank, players.zero) for rank, row in enumerate(table.rows, 1)]
    names = [row.name for row in table.rows]
    cross = [
        [str(i + 1), name, *("" if i == j else cell_text(tally) for j, tally in enumerate(table.crosstable[i]))]
        for i, name in enumerate(names)
    ]
    crosstable = table_text(("#", "W-D-L against", *(str(i + 1) for i in range(len(names)))), cross)
    times = table_text(TIMING_HEADINGS, [["", *timing_cells(name, summary.timings.of(name))] for name in names])
    flags = [f"{spec.name}: {flag}" for spec in brains for flag in near_limits(summary.timings.of(spec.name), spec)]
    first = f"{table_text(STANDING_HEADINGS, rows)}\n({scale_text(players)})"
    bracket = [] if summary.results is None else [bracket_text(summary.results, config)]
    return "\n\n".join([first, crosstable, *bracket, "\n".join([times, *flags])])


def bracket_text(played: Mapping[int, GameRecord], config: Config) -> str:
    """The rounds of a knock-out with their scores, and the winner."""
    bracket = knockout(config.field.names, config.games, repeat(NO_OPENING), played)
    lines = []
    for number, matches in enumerate(bracket.rounds, 1):
        for match in matches:
            ahead = "" if match.winner is None else f", {match.winner} goes on"
            scores = f"{match.scores[0]:g}-{match.scores[1]:g}"
            lines.append(f"round {number}: {match.first} - {match.second} {scores}{ahead}")
    return "\n".join([*lines, f"winner: {bracket.winner}"] if bracket.winner else lines)


def cell_text(tally: Tally) -> str:
    return f"{tally.wins}-{tally.draws}-{tally.losses}" if tally.games else ""


def printable(text: str) -> str:
    """The text with control characters and lone surrogates replaced, so that it cannot control a terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
