"""Learns the evaluation and the order of moves: self-play, two fits, their tables, and matches that measure the gain.

The evaluation can also be learned from the results of recorded matches between versions of the engine.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar
from zlib import crc32

import numpy as np

from pbrain.core.params import CLASS_STRIDE, THREAT_COUNTS, THREAT_INDICES, CellClass
from pbrain.core.types import Rule
from pbrain.engine.evaluation import (
    NEAR,
    THREATS,
    THREATS_PER_LINE,
    Order,
    Values,
    hand_made,
    knowledge_for,
    read_worth,
    threat_counts,
)
from pbrain.learn import fit, order_fit, selfplay
from pbrain.learn.adam import Array
from pbrain.learn.played import PlayedGame
from pbrain.library.native import Library

Game = TypeVar("Game")

CONFIDENCE = 1.96  # 95 %
HEADER = """\
# What an empty cell is worth to the side to move: a row for each class that it has for this side, a column for each
# class that it has for the other side, both in the order of CellClass. Then what threats are worth to it: a row for
# each of the other side's counts of params.THREAT_COUNTS, a column for each of its own. See `python -m pbrain tune`.
"""
ORDER_HEADER = """\
# How soon to try a move: a row for each class that its cell has for the side to move, a column for each class that it
# has for the other side, both in the order of CellClass. Then what is added for its place beside the last move of the
# other side (NEAR 0) and of its own (NEAR 1): a row for each number of columns off, a column for each of rows off.
"""


class Settings(NamedTuple):
    rule: Rule
    games: int
    nodes: int
    seed: int
    data: Path  # where positions are stored; the same settings and the same table in use read them again
    played: list[PlayedGame]  # recorded games, to learn from their results
    values: Path | None  # where to write the evaluation; None leaves it as it is
    order: Path | None  # the same for the order of moves
    match_games: int


class Samples(NamedTuple):
    """What self-play teaches the evaluation, and what it teaches the order of moves."""

    positions: fit.Sample
    choices: order_fit.Choices


def starts_of(lengths: Iterable[int]) -> Array:
    """Where each of several parts begins in the whole, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(list(lengths))])


def sample_of(positions: list[selfplay.Position]) -> fit.Sample:
    return fit.Sample(
        np.concatenate([position.terms for position in positions]),
        starts_of(len(position.terms) for position in positions),
        np.array([position.chance for position in positions]),
    )


def choices_of(choices: list[selfplay.Choice]) -> order_fit.Choices:
    return order_fit.Choices(
        np.concatenate([np.zeros((0, 3), dtype=np.uint16), *(choice.terms for choice in choices)]),
        starts_of(len(choice.terms) for choice in choices),
        np.array([choice.best for choice in choices], dtype=np.int64),
    )


def gathered(portions: Iterator[list[Game]], count: int, tell: Callable[[str], None]) -> list[Game]:
    games: list[Game] = []
    for portion in portions:
        games += portion
        tell(f"game {len(games)} of {count}")
    return games


def collect(library: Library, settings: Settings, tell: Callable[[str], None]) -> Samples:
    """The positions of all games of self-play, read from the file of an earlier run if there is one."""
    played_by = crc32(repr(knowledge_for(settings.rule)).encode())
    name = f"rule{settings.rule}-{settings.games}x{settings.nodes}-{settings.seed}-{played_by:08x}.npz"
    path = settings.data / name
    if not path.exists():
        seeds = [f"{settings.seed}:{i}" for i in range(settings.games)]
        portions = selfplay.lessons(library.path, settings.rule, settings.nodes, seeds)
        lessons = gathered(portions, len(seeds), tell)
        positions = sample_of([position for lesson in lessons for position in lesson.positions])
        choices = choices_of([choice for lesson in lessons for choice in lesson.choices])
        settings.data.mkdir(parents=True, exist_ok=True)
        arrays = {
            f"{kind}_{name}": array
            for kind, sample in (("positions", positions), ("choices", choices))
            for name, array in sample._asdict().items()
        }
        np.savez_compressed(path, **arrays)
    with np.load(path) as kept:
        positions = fit.Sample(*(kept[f"positions_{name}"] for name in fit.Sample._fields))
        choices = order_fit.Choices(*(kept[f"choices_{name}"] for name in order_fit.Choices._fields))
        tell(f"{positions.size} positions and {choices.size} best moves in {path}")
        return Samples(positions, choices)


def collect_played(library: Library, settings: Settings, tell: Callable[[str], None]) -> fit.Sample:
    """The positions of all recorded games."""
    portions = selfplay.positions_played(library.path, settings.rule, settings.played)
    games = gathered(portions, len(settings.played), tell)
    return sample_of([position for game in games for position in game])


def table_of(values: Array) -> Values:
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


def flat(table: Values) -> Array:
    square = np.zeros((CLASS_STRIDE, CLASS_STRIDE))
    square[: len(table.cells), : len(table.cells)] = table.cells
    return np.concatenate([square.ravel(), table.threats])


def text_of(table: Values) -> str:
    rows: list[list[str | int]] = [[kind.name, *table.cells[kind]] for kind in CellClass]
    for first in range(0, THREAT_INDICES, THREATS_PER_LINE):
        theirs = [count for count, what in zip(threat_counts(first), THREAT_COUNTS, strict=True) if not what.is_mine]
        rows.append([THREATS, *theirs, *table.threats[first : first + THREATS_PER_LINE]])
    return HEADER + lines_of(rows)


def text_of_order(order: Order) -> str:
    rows: list[list[str | int]] = [[kind.name, *order.cells[kind]] for kind in CellClass]
    for whose, table in enumerate(order.near):
        rows += [[NEAR, whose, columns, *row] for columns, row in enumerate(table)]
    return ORDER_HEADER + lines_of(rows)


def learned_by(settings: Settings) -> str:
    """A comment: what learns the same order again, as long as the tables that play the games are the same."""
    games = f"--games {settings.games} --nodes {settings.nodes} --seed {settings.seed}"
    return f"# Learned by `python -m pbrain tune --rule {settings.rule} {games} --order FILE.tsv --data FOLDER`.\n"


def lines_of(rows: list[list[str | int]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


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


def learn_values(library: Library, settings: Settings, sample: fit.Sample, tell: Callable[[str], None]) -> Values:
    samples = [sample]
    if settings.played:
        # Self-play counts twice: with less weight the table is poor in positions that good play does not lead to.
        samples += [*samples, collect_played(library, settings, tell)]
    found = fit.fit(fit.interleaved(samples), flat(hand_made(read_worth()).values))
    tell(f"evaluation: loss {found.loss:.4f}, on held-out positions {found.held_out_loss:.4f}")
    return table_of(found.values)


def learn_order(settings: Settings, choices: order_fit.Choices, tell: Callable[[str], None]) -> Order:
    in_use, by_hand = knowledge_for(settings.rule).order, hand_made(read_worth()).order
    found = order_fit.fit(choices, by_hand)
    first = "/".join(map(str, order_fit.FIRST))
    tell(f"order: best moves among the first {first}, in {found.held_out.size} held-out positions")
    for name, order in (("made by hand", by_hand), ("in use", in_use), ("learned", found.order)):
        rates = "/".join(f"{100 * rate:.1f}" for rate in order_fit.hit_rates(found.held_out, order))
        tell(f"  {name}: {rates} %")
    return found.order


def run(library: Library, settings: Settings, tell: Callable[[str], None]) -> None:
    """Learn what a file is named for; the rest stays as it is."""
    in_use = knowledge_for(settings.rule)
    samples = collect(library, settings, tell)
    learned = in_use
    if settings.values is not None:
        learned = learned._replace(values=learn_values(library, settings, samples.positions, tell))
        settings.values.write_text(text_of(learned.values), encoding="ascii")
        tell(f"wrote {settings.values}")
    if settings.order is not None:
        learned = learned._replace(order=learn_order(settings, samples.choices, tell))
        settings.order.write_text(learned_by(settings) + text_of_order(learned.order), encoding="ascii")
        tell(f"wrote {settings.order}")
    seeds = [f"match {settings.seed}:{i}" for i in range(settings.match_games // 2)]
    if seeds:
        for name, other in (("in use", in_use), ("made by hand", hand_made(read_worth()))):
            pairs = selfplay.match(library.path, learned, other, settings.rule, settings.nodes, seeds)
            tell(f"against the tables {name}, {settings.nodes} nodes per move: {verdict(pairs)}")
