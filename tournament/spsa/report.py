"""What has come of it: a table, the final values as a file of parameters, charts, a match that confirms them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pbrain.pages.chart_page import chart_page
from pbrain.pages.line_chart import Band, Level, Line, LineChart, line_chart
from tournament.core.model import BrainSpec
from tournament.event.store import write_whole
from tournament.spsa.course import Course
from tournament.spsa.gains import chance_steps
from tournament.spsa.parameters import Parameter, parameters_text
from tournament.spsa.tuner import TuningRequest
from tournament.views.text import table_text

HEADINGS = ("", "parameter", "before", "after", "range", "step", "moved")
DEVIATIONS = 2  # of chance; more than that happens to one in twenty parameters without any effect
CONFIRMING_ELO = (0, 5)


def tuned(course: Course) -> tuple[Parameter, ...]:
    """The parameters with their final values as start."""
    values = zip(course.parameters, course.latest, strict=True)
    return tuple(replace(each, start=round(value)) for each, value in values)


def steps_moved(course: Course) -> list[float]:
    """How far each value has moved, in steps."""
    return [(value - each.start) / each.step for each, value in zip(course.parameters, course.latest, strict=True)]


def table(course: Course) -> str:
    """The parameters before and after, and how far they would have moved by chance."""
    rows = [
        [
            "",
            each.name,
            str(each.start),
            str(after.start),
            f"{each.low}..{each.high}",
            f"{each.step:g}",
            f"{steps:+.2f}",
        ]
        for each, after, steps in zip(course.parameters, tuned(course), steps_moved(course), strict=True)
    ]
    chance = DEVIATIONS * chance_steps(course.schedule, course.played)[-1]
    note = f"(moved: in steps; a parameter without any effect stays within ±{chance:.2f} in 19 of 20 runs)"
    stuck = [after.name for after in tuned(course) if after.start in (after.low, after.high)]
    return "\n".join(
        [table_text(HEADINGS, rows), note, *([f"(at the end of its range: {', '.join(stuck)})"] if stuck else [])]
    )


def plot(course: Course, brain: str) -> str:
    """A chart of each parameter over the pairs."""
    history, chance = course.history, chance_steps(course.schedule, course.played)
    xs, charts = range(len(history)), []
    for i, (before, after) in enumerate(zip(course.parameters, tuned(course), strict=True)):
        note = f"{before.start} → {after.start}, range {before.low} to {before.high}, step {before.step:g}"
        spread = [DEVIATIONS * each * before.step for each in chance]
        band = Band(xs, [before.start - each for each in spread], [before.start + each for each in spread])
        line = Line(xs, [values[i] for values in history])
        charts.append(line_chart(LineChart(before.name, note, "pairs", [line], [band], [Level(before.start)])))
    legend = (
        f"{len(course)} of {course.schedule.iterations} pairs of games. Dashed: the start. Shaded: where a parameter "
        "without any effect would be in 19 of 20 runs."
    )
    return chart_page(f"SPSA of {brain}", legend, charts)


def confirming_match(request: TuningRequest, after: Sequence[Parameter]) -> str:
    """A file for `tournament sprt`: the tuned brain against the one at the start, with the limits of the tuning."""
    board, (elo0, elo1) = request.board, CONFIRMING_ELO
    lines = [
        "[event]",
        f'size = "{board.width}x{board.height}"',
        f"rule = {board.rule}",
        f"seed = {request.seed + 1}",
        *([] if request.openings is None else [f"openings = {toml(request.openings)}"]),
        *limits_lines(request.spec),
        "",
        "[sprt]",
        f"elo0 = {elo0}",
        f"elo1 = {elo1}",
    ]
    for name, parameters in (("tuned", after), ("start", request.parameters)):
        info = [*request.spec.info, *((each.name, str(each.start)) for each in parameters)]
        values = ", ".join(f"{toml(key)} = {toml(value)}" for key, value in info)
        command = ", ".join(map(toml, request.spec.command))
        lines += ["", "[[brain]]", f'name = "{name}"', f"command = [{command}]", f"info = {{ {values} }}"]
    return "\n".join([*lines, ""])


def limits_lines(spec: BrainSpec) -> list[str]:
    limits = spec.limits
    return [
        f'turn = "{"none" if limits.turn_ms is None else f"{limits.turn_ms}ms"}"',
        f'memory = "{"none" if limits.memory_bytes is None else limits.memory_bytes}"',
        f'tolerance = "{spec.tolerance_ms}ms"',
        f"keep_alive = {'true' if spec.is_kept_alive else 'false'}",
        *([] if limits.depth is None else [f"depth = {limits.depth}"]),
        *([] if limits.nodes is None else [f"nodes = {limits.nodes}"]),
    ]


def toml(text: str) -> str:
    """A string in TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


def write_files(request: TuningRequest, course: Course, folder: Path) -> None:
    after = tuned(course)
    write_whole(folder / "parameters.txt", parameters_text(after))
    write_whole(folder / "plot.html", plot(course, request.spec.name))
    write_whole(folder / "confirm.toml", confirming_match(request, after))
