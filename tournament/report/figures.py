"""The report's charts: what the statistics say, as pictures."""

from collections.abc import Callable, Sequence

from pbrain.pages.line_chart import Level, Line, LineChart, line_chart
from pbrain.pages.row_chart import Row, RowChart, row_chart
from pbrain.pages.split_chart import SplitChart, SplitRow, split_chart
from tournament.core.model import BrainSpec
from tournament.report.contents import Contents
from tournament.stats.move_times import MoveTime
from tournament.stats.ratings import Tally
from tournament.stats.sprt import assess
from tournament.stats.standings import Standing
from tournament.views.text import elo_text, scale_text

WIDE_RANGE = 30.0  # from the smallest to the largest time; beyond, the axis is logarithmic
FAR_LIMIT = 4.0  # times the slowest move: a limit so far away would leave no room for the times
MEGABYTE = 1 << 20


def elo_chart(contents: Contents) -> str:
    rows, zero = contents.standings().rows, contents.players.zero
    drawn = [elo_row(row, zero) for row in rows]
    note = f"{scale_text(contents.players)}; bars: 95 %"
    return row_chart(RowChart("Elo", note, "Elo", drawn, [Level(zero)]))


def elo_row(row: Standing, zero: float) -> Row:
    """An Elo with its error bar; for a perfect score an arrow, if its bound says anything."""
    text = elo_text(row, zero)
    if row.elo is None:
        return Row(row.name, text)
    if row.elo_error is not None:
        return Row(row.name, text, row.elo, (row.elo - row.elo_error, row.elo + row.elo_error))
    sign = 1 if row.bound == ">" else -1
    return Row(row.name, text, bound=(row.elo, sign) if sign * (row.elo - zero) > 0 else None)


def time_chart(contents: Contents) -> str:
    timings = {name: contents.summary.timings.of(name) for name in contents.names}
    rows = [
        Row(
            name, f"{each.p50_ms:.0f}, at most {each.max_ms:.0f} ms",
            marks=(each.p50_ms, each.p95_ms, each.p99_ms, each.max_ms),
        )
        for name, each in timings.items()
        if each.moves
    ]  # fmt: skip
    times = [max(1.0, value) for row in rows for value in row.marks]
    is_wide = bool(times) and max(times) > WIDE_RANGE * min(times)
    note = "dot: median; ticks: 95 and 99 %; capped: slowest"
    levels = common_level(contents, lambda spec: spec.limits.turn_ms)
    if not times or (levels and levels[0].value > FAR_LIMIT * max(times)):
        levels = []
    return row_chart(RowChart("Time per move", note, "ms", rows, levels, () if is_wide else (0.0,), is_wide))


def memory_chart(contents: Contents) -> str:
    peaks = {name: contents.summary.timings.of(name).peak_memory >> 20 for name in contents.names}
    rows = [Row(name, f"{peak:.0f} MB", bar=peak) for name, peak in peaks.items()]
    levels = common_level(contents, lambda spec: spec.limits.memory_bytes, MEGABYTE)
    return row_chart(RowChart("Peak memory", "all processes of a brain", "MB", rows, levels))


def common_level(contents: Contents, limit_of: Callable[[BrainSpec], int | None], unit: int = 1) -> list[Level]:
    """The limit as a level, if all brains have the same."""
    limits = {limit_of(spec) for spec in contents.config.brains}
    return [Level(limit / unit, "limit") for limit in limits if limit is not None] if len(limits) == 1 else []


def move_time_charts(contents: Contents) -> list[str]:
    """For each brain, its time per move over the course of a game."""
    courses = {name: contents.move_times.of(name) for name in contents.names}
    slowest = max((time.p95_ms for times in courses.values() for time in times), default=0.0)
    return [move_time_chart(name, times, slowest) for name, times in courses.items() if len(times) > 1]


def move_time_chart(name: str, times: Sequence[MoveTime], slowest: float) -> str:
    xs = [time.move for time in times]
    lines = [
        Line(xs, [time.p50_ms for time in times], "median"),
        Line(xs, [time.p95_ms for time in times], "95 %"),
    ]
    note = "ms per move, over the brain's own moves of a game"
    return line_chart(LineChart(name, note, "moves", lines, heights=(0.0, slowest)))


def sprt_chart(contents: Contents) -> str:
    assert contents.course is not None
    assert contents.config.sprt is not None
    points, test = contents.course.points(), contents.config.sprt
    state = assess(test, (0,) * (5 if test.model.counts_pairs else 3))
    levels = [
        Level(state.upper, f"H1 accepted: {test.elo1:+g} {test.model.unit}"),
        Level(state.lower, f"H0 accepted: {test.elo0:+g} {test.model.unit}"),
    ]
    line = Line([games for games, _ in points], [llr for _, llr in points])
    note = f"{points[-1][1]:.2f} after {points[-1][0]} games"
    return line_chart(LineChart("Log-likelihood ratio", note, "games", [line], levels=levels))


def colour_chart(contents: Contents) -> str:
    whole = contents.colours.all
    rows = [SplitRow("all games", share_text(whole), (whole.wins, whole.draws, whole.losses))]
    favours = [0, 0, 0]
    for tally in contents.colours.openings.values():
        favours[1 + (tally.losses > tally.wins) - (tally.wins > tally.losses)] += 1
    black, even, white = favours
    rows.append(SplitRow("openings", f"{black} for black, {even} even, {white} for white", (black, even, white)))
    parts = ("black", "even", "white")
    return split_chart(SplitChart("Colours", "left: black; thin: drawn or even; right: white", parts, rows))


def share_text(tally: Tally) -> str:
    share = f", black {100 * tally.score / tally.games:.1f} %" if tally.games else ""
    return f"{tally.wins}-{tally.draws}-{tally.losses}{share}"
