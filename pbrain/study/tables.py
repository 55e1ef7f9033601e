"""The numbers of a study as CSV files, one for each kind of measurement."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pbrain.core.notation import cell_name
from pbrain.study.claims import all_claims
from pbrain.study.estimate import Estimate
from pbrain.study.measure import comparisons, search_sets
from pbrain.study.measured import Measured, Worth
from pbrain.study.positions import Position, stage_of
from pbrain.study.sample import Sample
from pbrain.study.summary import HEADINGS, summary_rows
from pbrain.study.systems import BOUNDARY, BRAINS, NAMES

Cells = Sequence[object]
INTERVAL = ("low", "high")  # the ends of a 95 % interval


def write_tables(measured: Measured, folder: Path) -> list[Path]:
    """One file each; what has no measurements has a heading alone."""
    tables: dict[str, tuple[Cells, Iterable[Cells]]] = {
        "searches": (
            ("system", "depth", "without", "stage", "position", "nodes", "candidates", "move", "ms"),
            searches(measured),
        ),
        "depths": (
            ("system", "depth", "ms", *INTERVAL, "nodes", *INTERVAL, "branching factor", *INTERVAL), depths(measured),
        ),
        "seconds": (("system", "depth", "nodes", "ms"), seconds(measured)),
        "moves": (
            ("event", "game", "system", "own move", "stones", "move", "ms", "depth", "nodes", "candidates"),
            moves(measured),
        ),
        "ideas": (("system", "without", "depth", "time", *INTERVAL, "nodes", *INTERVAL), ideas(measured)),
        "features": (("without", "time", *INTERVAL, "nodes", *INTERVAL), features(measured)),
        "claims": (("document", "claim", "claimed", "measured", "verdict", "why"), claims(measured)),
        "systems": (HEADINGS, summary_rows(measured)),
    }  # fmt: skip
    return [write_table(folder / f"{name}.csv", *table) for name, table in tables.items()]


def write_table(path: Path, heading: Cells, rows: Iterable[Cells]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        writer.writerows(rows)
    return path


def searches(measured: Measured) -> Iterator[Cells]:
    """Every search of fixed depth."""
    study = measured.study
    for chosen in search_sets(measured.plan):
        for position, sample in zip(study.positions(), study.samples(chosen), strict=True):
            yield search_cells(chosen.name, chosen.depth, "", position, sample)
    for compared in comparisons(measured.plan):
        found = zip(study.positions(compared.positions), study.pairs(compared.key), strict=True)
        for position, (without, whole) in found:
            for left_out, sample in ((compared.without, without), (compared.base, whole)):
                yield search_cells(compared.name, compared.depth, " ".join(left_out), position, sample)


def search_cells(name: str, depth: int, without: str, position: Position, sample: Sample) -> Cells:
    moves = "".join(map(cell_name, position))
    told = (sample.nodes, sample.candidates or "", cell_name(sample.move), f"{sample.ms:.3f}")
    return name, depth, without, stage_of(len(position)), moves, *told


def depths(measured: Measured) -> Iterator[Cells]:
    for name in NAMES:
        for depth in measured.depths(name):
            growth = measured.growth(name, depth) if depth - 1 in measured.depths(name) else None
            found = (measured.time(name, depth), measured.nodes(name, depth))
            yield (
                name,
                depth,
                *(number for each in found for number in numbers(each)),
                *(numbers(growth) if growth else ("", "", "")),
            )


def numbers(found: Estimate) -> tuple[str, str, str]:
    ends = (f"{found.low:.4g}", f"{found.high:.4g}") if found.is_bounded else ("", "")
    return f"{found.value:.4g}", *ends


def seconds(measured: Measured) -> Iterator[Cells]:
    for name in NAMES:
        for sample in measured.study.seconds(name):
            yield name, sample.depth, sample.nodes, f"{sample.ms:.1f}"


def moves(measured: Measured) -> Iterator[Cells]:
    """Every move of every game."""
    for event, games in (("games", measured.games), ("round-robin", measured.round_robin), ("deeper", measured.deeper)):
        for game in games:
            for turn in game.turns:
                counts = turn.counts or ("", "")
                depth = "" if turn.depth is None else turn.depth
                where = (turn.number, turn.stones, cell_name(turn.move))
                yield event, game.number, turn.name, *where, f"{turn.ms:.3f}", depth, *counts


def ideas(measured: Measured) -> Iterator[Cells]:
    for name in BRAINS:
        for idea, worth in measured.worths(name).items():
            yield name, idea, measured.plan.idea_depths[name], *worth_numbers(worth)
    for depth in measured.plan.wide_depths:
        yield BOUNDARY, "candidates, no move limit", depth, *worth_numbers(measured.worth_of_candidates(depth))


def worth_numbers(worth: Worth) -> tuple[str, ...]:
    return *numbers(worth.time), *numbers(worth.nodes)


def features(measured: Measured) -> Iterator[Cells]:
    for name, worth in measured.features().items():
        yield name, *worth_numbers(worth)


def claims(measured: Measured) -> Iterator[Cells]:
    for claim in all_claims(measured):
        yield claim.document, claim.claim, claim.claimed, claim.measured, claim.verdict.value, claim.why
