"""A page about a learning: what each generation lost on held-out positions, and its matches with error bars."""

from collections.abc import Sequence

from pbrain.learn.learning import Outcome
from pbrain.learn.matches import Gain, gain_text
from pbrain.learn.order_fit import FIRST
from pbrain.learn.training import rates_text
from pbrain.pages.chart_page import chart_page
from pbrain.pages.line_chart import Level, Line, LineChart, line_chart

LEAST_LOSS = 1e-4  # the axis is logarithmic


def learning_page(title: str, outcomes: Sequence[Outcome]) -> str:
    charts = [line_chart(chart) for chart in (losses_chart(outcomes), *elo_charts(outcomes), order_chart(outcomes))]
    last = outcomes[-1].losses
    legend = (
        f"{len(outcomes)} generations. The last one learned from {last.positions:,} positions and was judged by "
        f"{last.held_out:,} others. Error bars are 95 % intervals."
    )
    return chart_page(title, legend, charts)


def losses_chart(outcomes: Sequence[Outcome]) -> LineChart:
    xs = [outcome.generation for outcome in outcomes]
    table, network = (
        [max(LEAST_LOSS, getattr(outcome.losses, name)) for outcome in outcomes] for name in ("table", "whole")
    )
    note = f"cross-entropy less the labels' own; last network {network[-1]:.4f}"
    lines = [Line(xs, table, "table"), Line(xs, network, "network")]
    return LineChart("Held-out loss", note, "generation", lines, is_log=True)


def elo_charts(outcomes: Sequence[Outcome]) -> list[LineChart]:
    """Against the knowledge that played a generation's games, and against the first; none where no match was played."""
    charts = []
    for title, name in (("Elo against the previous best", "previous"), ("Elo against the start", "first")):
        found: list[tuple[int, Gain]] = [
            (outcome.generation, gain) for outcome in outcomes if (gain := getattr(outcome, name)) is not None
        ]
        if found:
            xs, gains = zip(*found, strict=True)
            ends = [None if gain.end else (gain.elo - gain.error, gain.elo + gain.error) for gain in gains]
            line = Line(xs, [gain.elo for gain in gains], intervals=ends)
            note = f"the last one: {gain_text(gains[-1])}"
            charts.append(LineChart(title, note, "generation", [line], levels=[Level(0)]))
    return charts


def order_chart(outcomes: Sequence[Outcome]) -> LineChart:
    xs = [outcome.generation for outcome in outcomes]
    lines = [
        Line(xs, [100 * outcome.losses.order[place] for outcome in outcomes], f"first {first}")
        for place, first in enumerate(FIRST)
    ]
    note = f"% of held-out positions; last order {rates_text(outcomes[-1].losses.order)}"
    return LineChart("Best move among the first", note, "generation", lines, heights=[100])
