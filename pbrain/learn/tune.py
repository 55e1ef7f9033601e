"""Learns the table of the evaluation: self-play, a fit, the table, and matches that measure the gain.

It can also learn from the results of recorded matches between versions of the engine.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from pbrain.core.params import CLASS_STRIDE, THREAT_COUNTS, THREAT_INDICES, CellClass
from pbrain.core.types import Rule
from pbrain.engine.evaluation import (
    THREATS,
    THREATS_PER_LINE,
    Values,
    hand_made,
    read_worth,
    threat_counts,
    values_for,
)
from pbrain.learn import fit, selfplay
from pbrain.learn.played import PlayedGame
from pbrain.library.native import Library

CONFIDENCE = 1.96  # 95 %
HEADER = """\
# What an empty cell is worth to the side to move: a row for each class that it has for this side, a column for each
# class that it has for the other side, both in the order of CellClass. Then what threats are worth to it: a row for
# each of the other side's counts of params.THREAT_COUNTS, a column for each of its own. See `python -m pbrain tune`.
"""


class Settings(NamedTuple):
    rule: Rule
    games: int
    nodes: int
    seed: int
    data: Path  # where positions are stored; the same settings and the same table in use read them again
    played: list[PlayedGame]  # recorded games, to learn from their results
    output: Path
    match_games: int


def sample_of(games: Iterable[list[selfplay.Position]]) -> fit.Sample:
    positions = [position for game in games for position in game]
    return fit.Sample(
        np.concatenate([position.terms for position in positions]),
        np.concatenate([[0], np.cumsum([len(position.terms) for position in positions])]),
        np.array([position.chance for position in positions]),
    )


def gathered(
    portions: Iterator[list[list[selfplay.Position]]], count: int, tell: Callable[[str], None]
) -> list[list[selfplay.Position]]:
    games: list[list[selfplay.Position]] = []
    for portion in portions:
        games += portion
        tell(f"game {len(games)} of {count}, {sum(map(len, games))} positions")
    return games


def collect(library: Library, settings: Settings, tell: Callable[[str], None]) -> fit.Sample:
    """The positions of all games of self-play, read from the file of an earlier run if there is one."""
    played_by = crc32(text_of(values_for(settings.rule)).encode())
    name = f"rule{settings.rule}-{settings.games}x{settings.nodes}-{settings.seed}-{played_by:08x}.npz"
    path = settings.data / name
    if not path.exists():
        seeds = [f"{settings.seed}:{i}" for i in range(settings.games)]
        portions = selfplay.positions(library.path, settings.rule, settings.nodes, seeds)
        sample = sample_of(gathered(portions, len(seeds), tell))
        settings.data.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, terms=sample.terms, starts=sample.starts, chances=sample.chances)
    with np.load(path) as kept:
        tell(f"{len(kept['chances'])} positions in {path}")
        return fit.Sample(kept["terms"], kept["starts"], kept["chances"])


def collect_played(library: Library, settings: Settings, tell: Callable[[str], None]) -> fit.Sample:
    """The positions of all recorded games."""
    portions = selfplay.positions_played(library.path, settings.rule, settings.played)
    return sample_of(gathered(portions, len(settings.played), tell))


def table_of(values: fit.Array) -> Values:
    """The fitted values, rounded, as a table; pairs that no empty cell can have are worth 0."""
    whole = np.rint(values).astype(int)
    square = whole[: fit.PAIRS].reshape(CLASS_STRIDE, CLASS_STRIDE)
    dead = (CellClass.DEAD, CellClass.DEAD)
    cells = [
        [
            0 if CellClass.TAKEN in (mine, theirs) or (mine, theirs) == dead else int(square[mine, theirs])
            for theirs in CellClass
        ]
        for mine in CellClass
    ]
    return Values(cells, whole[fit.PAIRS :].tolist())


def flat(table: Values) -> fit.Array:
    square = np.zeros((CLASS_STRIDE, CLASS_STRIDE))
    square[: len(table.cells), : len(table.cells)] = table.cells
    return np.concatenate([square.ravel(), table.threats])


def text_of(table: Values) -> str:
    rows: list[list[str | int]] = [[kind.name, *table.cells[kind]] for kind in CellClass]
    for first in range(0, THREAT_INDICES, THREATS_PER_LINE):
        theirs = [count for count, what in zip(threat_counts(first), THREAT_COUNTS, strict=True) if not what.is_mine]
        rows.append([THREATS, *theirs, *table.threats[first : first + THREATS_PER_LINE]])
    return HEADER + "".join("\t".join(map(str, row)) + "\n" for row in rows)


def elo(share: float) -> float:
    share = min(max(share, 1e-3), 1 - 1e-3)
    return 400 * math.log10(share / (1 - share))


def gain(pairs: list[float]) -> tuple[float, float]:
    """The Elo gain of a match and its error, from pairs of games: the two games of a pair are not independent."""
    share = statistics.fmean(pairs) / 2
    error = CONFIDENCE * statistics.stdev(pairs) / 2 / math.sqrt(len(pairs))
    return elo(share), (elo(share + error) - elo(share - error)) / 2


def verdict(pairs: list[float]) -> str:
    gained, error = gain(pairs)
    return f"{sum(pairs):g} of {2 * len(pairs)} games, {gained:+.0f} ±{error:.0f} Elo"


def run(library: Library, settings: Settings, tell: Callable[[str], None]) -> None:
    in_use = values_for(settings.rule)
    samples = [collect(library, settings, tell)]
    if settings.played:
        # Self-play counts twice: with less weight the table is poor in positions that good play does not lead to.
        samples += [*samples, collect_played(library, settings, tell)]
    sample = fit.interleaved(samples)
    found = fit.fit(sample, flat(hand_made(read_worth())))
    tell(f"loss {found.loss:.4f}, on held-out positions {found.held_out_loss:.4f}")
    table = table_of(found.values)
    settings.output.write_text(text_of(table), encoding="ascii")
    tell(f"wrote {settings.output}")
    seeds = [f"match {settings.seed}:{i}" for i in range(settings.match_games // 2)]
    if seeds:
        for name, other in (("in use", in_use), ("made by hand", hand_made(read_worth()))):
            pairs = selfplay.match(library.path, table, other, settings.rule, settings.nodes, seeds)
            tell(f"against the table {name}, {settings.nodes} nodes per move: {verdict(pairs)}")
