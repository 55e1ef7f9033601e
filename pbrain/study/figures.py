"""The figures of a study as SVG."""

from collections.abc import Callable, Mapping

from pbrain.pages.heat_map import HeatMap, heat_map
from pbrain.pages.line_chart import Level, Line, LineChart, line_chart
from pbrain.pages.row_chart import Row, RowChart, row_chart
from pbrain.study.estimate import Estimate
from pbrain.study.measured import Measured, Worth
from pbrain.study.positions import SIZE
from pbrain.study.systems import BRAINS, NAMES
from pbrain.study.words import percent, rounded, time_text

BARS = "bars: 95 %"
WIDE_RANGE = 3.0  # from the smallest to the largest factor; beyond, the axis is logarithmic


def curve(name: str, found: Mapping[int, Estimate]) -> Line:
    """Estimates over numbers, with error bars."""
    return Line(list(found), [each.value for each in found.values()], name, [bar(each) for each in found.values()])


def bar(found: Estimate) -> tuple[float, float] | None:
    return (found.low, found.high) if found.is_bounded else None


def row(name: str, text: str, found: Estimate) -> Row:
    return Row(name, text, found.value, bar(found))


def over_depth(measured: Measured, title: str, unit: str, value: Callable[[str, int], Estimate]) -> str:
    lines = [curve(name, {depth: value(name, depth) for depth in measured.depths(name)}) for name in NAMES]
    return line_chart(LineChart(title, f"{unit}, typical position; {BARS}", "depth", lines, is_log=True))


def time_over_depth(measured: Measured) -> str:
    return over_depth(measured, "Time against depth", "ms", measured.time)


def nodes_over_depth(measured: Measured) -> str:
    return over_depth(measured, "Nodes against depth", "stones tried", measured.nodes)


def branching(measured: Measured) -> str:
    rows = [row(name, rounded(found.value), found) for name in NAMES for found in [measured.branching(name)]]
    chart = RowChart("Effective branching factor", f"growth of nodes per ply; {BARS}", "per ply", rows, widths=(1.0,))
    return row_chart(chart)


def in_a_second(measured: Measured) -> list[str]:
    """The depth reached, and the speed."""
    depths = {name: measured.depth_in_a_second(name) for name in NAMES}
    speeds = {name: measured.nodes_per_second(name) for name in NAMES}
    deep = [row(name, rounded(found.value), found) for name, found in depths.items() if found]
    fast = [row(name, f"{rounded(found.value)} per second", found) for name, found in speeds.items() if found]
    return [
        row_chart(RowChart("Depth in one second", f"deepest search that ended; {BARS}", "plies", deep, widths=(0.0,))),
        row_chart(RowChart("Nodes per second", f"stones tried; {BARS}", "per second", fast, is_log=True)),
    ]


def time_over_game(measured: Measured) -> list[str]:
    """A chart for each system, all of the same height."""
    courses = {name: measured.time_by_move(name) for name in NAMES}
    values = [each.value for course in courses.values() for each in course.values()]
    shown = {name: course for name, course in courses.items() if len(course) > 1}
    return [
        line_chart(
            LineChart(
                name,
                f"ms per move at fixed depth; {BARS}",
                "own moves",
                [curve("", course)],
                heights=values,
                is_log=True,
            )
        )
        for name, course in shown.items()
    ]


def depth_over_game(measured: Measured) -> str:
    courses = {name: measured.depth_by_move(name) for name in NAMES}
    lines = [curve(name, course) for name, course in courses.items() if course]
    note = f"mean depth, {measured.plan.turn_text} per move; {BARS}"
    return line_chart(LineChart("Depth over the game", note, "own moves", lines, heights=(0.0,)))


def stages(measured: Measured) -> str:
    rows = [
        row(f"{name}, {stage}", time_text(found.value), found)
        for name in NAMES
        for stage, found in measured.time_by_stage(name).items()
    ]
    return row_chart(RowChart("Time by stage of the game", f"per move at fixed depth; {BARS}", "ms", rows, is_log=True))


def heat_maps(measured: Measured) -> list[str]:
    times = [
        heat_map(HeatMap(f"{name}: thinking time", "mean per move, by the cell played", "ms", SIZE, values))
        for name in NAMES
        for values in [measured.time_map(name)]
    ]
    moves = [
        heat_map(HeatMap(f"{name}: moves", "how often each cell was played", "moves", SIZE, measured.move_map(name)))
        for name in NAMES
    ]
    return times + moves


def worth_chart(title: str, note: str, worths: Mapping[str, Worth]) -> str:
    rows = [
        row(name, f"time {rounded(worth.time.value)}x, nodes {rounded(worth.nodes.value)}x", worth.time)
        for name, worth in worths.items()
    ]
    ends = [end for worth in worths.values() for end in (bar(worth.time) or (worth.time.value,))]
    is_wide = max(ends) > WIDE_RANGE * min(ends)
    return row_chart(RowChart(title, note, "times as long", rows, [Level(1.0, "as before")], is_log=is_wide))


def ideas(measured: Measured) -> list[str]:
    """What each brain takes longer without one of its ideas."""
    charts = [
        worth_chart(
            f"{name} without an idea",
            f"time to depth {measured.plan.idea_depths[name]}; {BARS}",
            measured.worths(name),
        )
        for name in BRAINS
    ]
    wide = {f"candidates, depth {depth}": measured.worth_of_candidates(depth) for depth in measured.plan.wide_depths}
    return [*charts, worth_chart("boundary, no move limit", f"time without candidates; {BARS}", wide)]


def features(measured: Measured) -> list[str]:
    found = measured.features()
    note = f"time to depth {measured.plan.feature_depth}; {BARS}"
    return [worth_chart("kaname without a feature", note, found)] if found else []


def distant(measured: Measured) -> str:
    nodes, move = measured.changed_by_monitoring()
    shares = {
        "games of fixed depth won from afar": measured.distant_wins(measured.games),
        "round robin games won from afar": measured.distant_wins(measured.round_robin),
        "monitoring changes the search": nodes,
        "monitoring changes the move": move,
    }
    rows = [row(name, percent(found.value), percent_row(found)) for name, found in shares.items()]
    return row_chart(RowChart("Distant threats", BARS, "%", rows, widths=(0.0,)))


def percent_row(found: Estimate) -> Estimate:
    return Estimate(100 * found.value, 100 * found.low, 100 * found.high)


def scores(measured: Measured) -> str:
    rows = []
    for name in NAMES:
        points, games = measured.score(name)
        rows.append(row(name, f"{points:g} of {games}", percent_row(measured.score_share(name))))
    note = f"{measured.plan.turn_text} per move; {BARS}"
    return row_chart(RowChart("Score in the round robin", note, "%", rows, [Level(50.0)], widths=(0.0, 100.0)))
