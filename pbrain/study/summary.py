"""The four systems in one table, as the README has it."""

from collections.abc import Iterator

from pbrain.study.estimate import Estimate
from pbrain.study.measured import Measured
from pbrain.study.systems import SYSTEMS
from pbrain.study.words import percent_text, rounded, times_text

HEADINGS = ("system", "depth in 1 s", "nodes per second", "time to depth 4", "score in the round robin")
DEPTH = 4
NOT_REACHED = "-"


def summary_rows(measured: Measured) -> Iterator[tuple[str, ...]]:
    for system in SYSTEMS:
        points, games = measured.score(system.name)
        yield (
            system.name,
            plus_minus(measured.depth_in_a_second(system.name)),
            speed_text(measured.nodes_per_second(system.name)),
            times_text(measured.time(system.name, DEPTH)),
            f"{points:g} of {games}, {percent_text(measured.score_share(system.name))}",
        )


def plus_minus(found: Estimate | None) -> str:
    """`4.3 ±0.5`."""
    if found is None:
        return NOT_REACHED
    error = f" ±{rounded(found.high - found.value)}" if found.is_bounded else ""
    return f"{found.value:.1f}{error}"


def speed_text(found: Estimate | None) -> str:
    """Rounded to two digits: times vary by more."""
    return NOT_REACHED if found is None else f"{float(f'{found.value:.2g}'):,.0f}"


def markdown(measured: Measured) -> str:
    """The table for the README."""
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *summary_rows(measured)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
