"""Every claim of the documents that can be checked: what was claimed, what was measured, and whether they agree."""

import math
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from pbrain.study.estimate import Estimate, geometric_mean, share
from pbrain.study.measured import Measured, reduction
from pbrain.study.positions import SIZE
from pbrain.study.systems import BOUNDARY, MINIMAX, THREAT
from pbrain.study.words import count_text, factor_text, percent, percent_text, rounded, time_text, times_text

OTHER_MACHINE = 2.0
CELLS = SIZE * SIZE
SECOND_MS, MINUTE_MS = 1000.0, 60_000.0
HOW_JUDGED = (
    "The documents measured on other machines, so a time agrees if it is within a factor of two of the claim. Any "
    "other number agrees if it is in the range that was claimed; it is uncertain if only its 95 % interval "
    "reaches there."
)
LINES_REMEMBERED = (
    "The brain looks up what a stone changes along a line that it has met before; the printed code compares every "
    "pattern with every cell again."
)


class Verdict(Enum):
    """How a claim compares with what was measured."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNCERTAIN = "uncertain"
    NOT_MEASURED = "not measured"


class Claim(NamedTuple):
    """One line of the table."""

    document: str
    claim: str
    claimed: str
    measured: str
    verdict: Verdict
    why: str = ""


def is_true(fact: bool) -> Verdict:
    return Verdict.AGREES if fact else Verdict.DIFFERS


def within(found: Estimate, low: float, high: float) -> Verdict:
    """Whether an estimate is in a range."""
    if low <= found.value <= high:
        return Verdict.AGREES
    reaches = found.is_bounded and found.low <= high and low <= found.high
    return Verdict.UNCERTAIN if reaches else Verdict.DIFFERS


def above(found: Estimate, limit: float) -> Verdict:
    """Whether an estimate is above a limit with its whole interval."""
    low, high = (found.low, found.high) if found.is_bounded else (found.value, found.value)
    return Verdict.AGREES if low > limit else Verdict.DIFFERS if high <= limit else Verdict.UNCERTAIN


def near(found: Estimate, low_s: float, high_s: float) -> Verdict:
    """Whether a time is within a factor of two of a claimed range."""
    return is_true(low_s / OTHER_MACHINE <= found.value / SECOND_MS <= high_s * OTHER_MACHINE)


def unless_agreed(verdict: Verdict, why: str) -> str:
    """The reason for a difference, where there is one."""
    return "" if verdict is Verdict.AGREES else why


def all_claims(measured: Measured) -> list[Claim]:
    return [*claims_of_000(measured), *claims_of_001(measured), *claims_of_002(measured)]


# -- 000: minimax ------------------------------------------------------------------------------------------------------


def claims_of_000(measured: Measured) -> Iterator[Claim]:
    times = [sample.ms for sample in measured.samples(MINIMAX, 3)]
    in_time = share(sum(ms <= 2 * SECOND_MS for ms in times), len(times))
    yield Claim(
        "000", "searches to depth 3 within 2 s", "always",
        f"{times_text(geometric_mean(times))}, {percent(in_time.value)} within 2 s, longest {time_text(max(times))}",
        is_true(in_time.value == 1), "" if in_time.value == 1 else "Its code stops after 2 s with what it has.",
    )  # fmt: skip
    depth = measured.plan.idea_depths[MINIMAX]
    pruned = measured.worth(MINIMAX, "pruning").nodes
    yield Claim(
        "000", f"alpha-beta reduces the search dramatically (depth {depth})", "dramatically",
        f"{factor_text(pruned)} as many nodes without it", above(pruned, 2.0), "Twice as many nodes are dramatic here.",
    )  # fmt: skip
    wide = measured.worth(MINIMAX, "candidates").nodes
    yield Claim(
        "000", f"cells within two of a stone keep the branching factor manageable (depth {depth})", "fewer nodes",
        f"{factor_text(wide)} as many nodes with all cells", above(wide, 1.0),
    )  # fmt: skip


# -- 001: boundary -----------------------------------------------------------------------------------------------------


def claims_of_001(measured: Measured) -> Iterator[Claim]:
    yield from times_of_001(measured)
    yield from cells_of_001(measured)
    yield from ideas_of_001(measured)
    yield from games_of_001(measured)
    yield from arithmetic_of_001(measured)


def times_of_001(measured: Measured) -> Iterator[Claim]:
    claimed = {1: (0.24, 0.24), 2: (1.65, 1.65), 3: (24.57, 24.57), 4: (1.0, 3.0), 5: (30.0, math.inf)}
    contradiction = "By the document's own numbers depth 3 takes longer than depth 4, which has “all optimizations”. "
    for depth, (low, high) in claimed.items():
        found = measured.time(BOUNDARY, depth)
        text = f"{low:g} s" if low == high else f"{low:g} to {high:g} s" if math.isfinite(high) else f"over {low:g} s"
        verdict = near(found, low, high)
        why = (contradiction if depth == 3 else "") + unless_agreed(verdict, LINES_REMEMBERED)
        yield Claim("001", f"time to depth {depth}", text, times_text(found), verdict, why)
    typical = geometric_mean(measured.move_times(BOUNDARY))
    verdict = near(typical, 0.5, 2.0)
    yield Claim(
        "001", "typical time of a move in games at depth 4", "0.5 to 2 s", times_text(typical), verdict,
        unless_agreed(verdict, LINES_REMEMBERED),
    )  # fmt: skip
    deeper = measured.time(BOUNDARY, 5)
    verdict = above(deeper, 5 * SECOND_MS)
    yield Claim(
        "001", "depths beyond 4 are impractical", "impractical", f"depth 5 in {times_text(deeper)}", verdict,
        "More than five seconds are impractical here. " + unless_agreed(verdict, LINES_REMEMBERED),
    )  # fmt: skip


def cells_of_001(measured: Measured) -> Iterator[Claim]:
    cells, fewer = measured.candidates(BOUNDARY, "middle"), measured.reduction_of_cells(BOUNDARY, "middle")
    if cells is not None and fewer is not None:
        yield Claim(
            "001", "cells of the boundary in the middle game", "20 to 30", count_text(cells), within(cells, 20, 30),
            "10 to 24 stones on the board.",
        )  # fmt: skip
        yield Claim(
            "001", "branching factor smaller than with all 225 cells", "7 to 11 times", factor_text(fewer),
            within(fewer, 7, 11), "Of the cells to choose from; the 13 moves that are tried are fewer still.",
        )  # fmt: skip
    for depth in measured.plan.wide_depths:
        faster = measured.worth_of_candidates(depth).time
        low, high = (factor ** (depth / 4) for factor in (300, 1000))
        verdict = within(faster, low, high)
        yield Claim(
            "001", f"search faster by the boundary, without a move limit (depth {depth})",
            f"300 to 1,000 times at depth 4: {rounded(low)} to {rounded(high)} at depth {depth}", factor_text(faster),
            verdict, "The claim is scaled to this depth by its root. "
            + unless_agreed(verdict, "It counts all moves, but alpha-beta cuts most of the additional ones off."),
        )  # fmt: skip


def ideas_of_001(measured: Measured) -> Iterator[Claim]:
    table = reduction(measured.worth(BOUNDARY, "table", ("middle", "late")).time)
    verdict = within(table, 0.3, 0.5)
    yield Claim(
        "001", "time saved by the table, middle and late game", "30 to 50 %", percent_text(table), verdict,
        unless_agreed(
            verdict, "In four plies few positions repeat, and most repetitions are cut off before they are met."
        ),
    )  # fmt: skip
    ordering = reduction(measured.worth(BOUNDARY, "ordering").nodes)
    yield Claim(
        "001", "nodes saved by ordering", "40 to 60 %; in theory 50 to 75 %", percent_text(ordering),
        within(ordering, 0.4, 0.75),
        f"Against the same 13 moves in the order of their cells.{' It saves more.' if ordering.value > 0.75 else ''}",
    )  # fmt: skip
    incremental = reduction(measured.worth(BOUNDARY, "incremental").time)
    yield Claim(
        "001", "evaluation time saved by incremental evaluation", "about 99 %", percent_text(incremental),
        within(incremental, 0.985, 1.0), "Of all time; what is not evaluation takes as long either way.",
    )  # fmt: skip
    candidates = measured.worth(BOUNDARY, "candidates").time
    verdict = above(candidates, OTHER_MACHINE)
    yield Claim(
        "001", "the boundary makes the search with its move limit faster", "much faster",
        f"{factor_text(candidates)} as long without it", verdict,
        unless_agreed(verdict, "13 moves are tried at each node either way, and the best 13 are near stones."),
    )  # fmt: skip
    distant = measured.worth(BOUNDARY, "distant").time
    yield Claim(
        "001", "monitoring distant stones costs little", "minimal", f"{factor_text(distant)} as long without it",
        within(distant, 0.9, 1.1),
    )  # fmt: skip


def games_of_001(measured: Measured) -> Iterator[Claim]:
    rise = measured.stage_contrast(BOUNDARY, "middle", "early")
    if rise is not None:
        yield Claim(
            "001", "moves of the middle game take longer than early ones", "longer",
            f"{factor_text(rise)} as long", above(rise, 1.0),
        )  # fmt: skip
    fall = measured.stage_contrast(BOUNDARY, "middle", "late")
    if fall is not None:
        verdict = above(fall, 1.0)
        yield Claim(
            "001", "moves of the middle game may take slightly longer than late ones", "slightly longer",
            f"{factor_text(fall)} as long", verdict,
            unless_agreed(verdict, "Games end long before the board is full, so there are not fewer cells to try."),
        )  # fmt: skip
    centre = measured.centre_contrast(BOUNDARY)
    if centre is not None:
        yield Claim(
            "001", "moves near the centre take longer than those near the edges", "longer",
            f"{factor_text(centre)} as long", above(centre, 1.0),
            "Centre: within three cells of the middle of the board.",
        )  # fmt: skip


def arithmetic_of_001(measured: Measured) -> Iterator[Claim]:
    yield Claim(
        "001", "nodes of plain minimax at depth 3, 225 to the power of 3", "11.4 billion", f"{CELLS**3:,}",
        is_true(round(CELLS**3 / 1e9, 1) == 11.4), "11.4 million: the document is off by a factor of a thousand.",
    )  # fmt: skip
    yield Claim(
        "001", "nodes of plain minimax at depth 4, 225 to the power of 4", "2.56 trillion", f"{CELLS**4:,}",
        is_true(round(CELLS**4 / 1e12, 2) == 2.56), "2.56 billion: the document is off by a factor of a thousand.",
    )  # fmt: skip
    nodes = measured.nodes(BOUNDARY, 4)
    yield Claim(
        "001", "nodes at depth 4 with ideal pruning", "894", count_text(nodes), within(nodes, 447, 1788),
        "Within a factor of two. The document has 894 for depth 3 as well; its formula gives 400 for depth 4.",
    )  # fmt: skip
    slow = [without for without, _ in measured.pairs(BOUNDARY, "incremental")]
    per_node = geometric_mean([sample.ms / sample.nodes for sample in slow])
    naive_ms = CELLS**4 * per_node.value
    yield Claim(
        "001", "time of a move at depth 4 without any optimisation", "over 20 minutes",
        f"{time_text(naive_ms)}, estimated", is_true(naive_ms > 20 * MINUTE_MS),
        f"225 to the power of 4 stones, at the {time_text(per_node.value)} that a stone takes without incremental "
        "evaluation.",
    )  # fmt: skip


# -- 002: threat -------------------------------------------------------------------------------------------------------


def claims_of_002(measured: Measured) -> Iterator[Claim]:
    two, zero = measured.time(THREAT, 2), measured.time(THREAT, 0)
    verdict = near(two, 2.0, 2.0)
    yield Claim(
        "002", "time of a move at depth 2", "about 2 s", times_text(two), verdict,
        unless_agreed(
            verdict,
            "The document walks over the cells of an array for each score; the brain looks up lines that it has met.",
        ),
    )  # fmt: skip
    yield Claim(
        "002", "time of a move at depth 0", "less than 0.5 s", times_text(zero), is_true(zero.value < SECOND_MS / 2)
    )
    times = measured.move_times(THREAT)
    in_time = share(sum(ms < 5 * SECOND_MS for ms in times), len(times))
    yield Claim(
        "002", "five seconds suffice for a move at depth 2", "usually",
        f"{percent(in_time.value)} of {len(times)} moves, longest {time_text(max(times))}",
        is_true(in_time.value > 0.9), "Usually: in nine of ten moves.",
    )  # fmt: skip
    along = measured.worth(THREAT, "incremental").time
    yield Claim(
        "002", "updating one direction only reduces the time", "less time", f"{factor_text(along)} as long without it",
        above(along, 1.0),
    )  # fmt: skip
    deeper = measured.deeper_share()
    claim = ("002", "at depth 4 it is not much smarter than at depth 2", "not much")
    if deeper is None:
        yield Claim(*claim, "only the full study plays this match", Verdict.NOT_MEASURED)
    else:
        score = f"depth 4 scores {percent_text(deeper)} in {len(measured.deeper)} games"
        yield Claim(*claim, score, within(deeper, 0.0, 0.75), "75 % would be much smarter.")
