"""Standings: game records to table rows, for every view and report."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from tournament.model import BLACK, WHITE, GameRecord, Termination
from tournament.ratings import DEFAULT_PRIOR, Ratings, Results, Tally, rate

PAIR_SCORES = 5  # 0, 1/2, 1, 3/2, 2


@dataclass(frozen=True)
class Standing:
    """One brain's row."""

    name: str
    tally: Tally
    elo: float
    elo_error: float | None  # half of the 95 % interval; None without games
    los_against_next: float | None  # None in the last row, and where no chain of games connects the two
    faults: tuple[tuple[Termination, int], ...]  # games lost by each kind of fault, in the order of Termination

    @property
    def games(self) -> int:
        return self.tally.games

    @property
    def score(self) -> float:
        return self.tally.score

    @property
    def timeouts(self) -> int:
        return dict(self.faults).get(Termination.TIMEOUT, 0)

    @property
    def crashes(self) -> int:
        return dict(self.faults).get(Termination.CRASH, 0)

    @property
    def other_faults(self) -> int:
        return sum(count for _, count in self.faults) - self.timeouts - self.crashes


@dataclass(frozen=True)
class Standings:
    """Rows from the strongest down, and the crosstable in the same order."""

    rows: tuple[Standing, ...]
    crosstable: tuple[tuple[Tally, ...], ...]


def standings(
    records: Iterable[GameRecord],
    names: Iterable[str] = (),
    *,
    prior: float = DEFAULT_PRIOR,
    offset: float = 0.0,
    anchor: str | None = None,
) -> Standings:
    """The standings after these games; `names` adds brains that have not played yet."""
    finished = [record for record in records if is_finished(record)]
    results = results_of_black(finished)
    ratings = rate(results, names, prior=prior, offset=offset, anchor=anchor)
    tallies = {
        name: sum((head_to_head(results, name, other) for other in ratings.names), Tally()) for name in ratings.names
    }
    order = sorted(ratings.names, key=lambda name: (not tallies[name].games, -ratings.elo(name), name))
    faults = Counter(fault for record in finished if (fault := fault_of(record)))
    below = dict(pairwise(order))
    return Standings(
        tuple(standing(name, below.get(name), tallies[name], ratings, faults) for name in order),
        tuple(tuple(head_to_head(results, row, column) for column in order) for row in order),
    )


def standing(
    name: str, below: str | None, tally: Tally, ratings: Ratings, faults: Counter[tuple[str, Termination]]
) -> Standing:
    """The row of one brain; `below` is the next brain in the table."""
    error = ratings.error(name)
    is_comparable = below is not None and math.isfinite(ratings.difference(name, below).error)
    return Standing(
        name,
        tally,
        ratings.elo(name),
        error if math.isfinite(error) else None,
        ratings.los(name, below) if below is not None and is_comparable else None,
        tuple((kind, faults[name, kind]) for kind in Termination if faults[name, kind]),
    )


def is_finished(record: GameRecord) -> bool:
    """Whether the game counts, that is, was not interrupted."""
    return record.termination is not Termination.INTERRUPTED


def results_of_black(records: Iterable[GameRecord]) -> dict[tuple[str, str], Tally]:
    """Results by (black, white), from black's point of view; games of a brain against itself are ignored."""
    results: dict[tuple[str, str], Tally] = {}
    for record in records:
        colours = record.plan.black, record.plan.white
        if record.plan.black != record.plan.white:
            tally = Tally(int(record.winner == BLACK), int(record.winner is None), int(record.winner == WHITE))
            results[colours] = results.get(colours, Tally()) + tally
    return results


def head_to_head(results: Results, first: str, second: str) -> Tally:
    """The first brain's results against the second, with both colours."""
    return results.get((first, second), Tally()) + results.get((second, first), Tally()).reversed


def fault_of(record: GameRecord) -> tuple[str, Termination] | None:
    """The loser and its fault; None if the game was decided on the board."""
    if record.winner is None or not record.termination.is_fault:
        return None
    return (record.plan.white if record.winner == BLACK else record.plan.black), record.termination


def pair_counts(records: Iterable[GameRecord], first: str, second: str) -> tuple[int, ...]:
    """The pentanomial counts: pairs in which the first brain scored 0, 1/2, 1, 3/2 and 2; only complete pairs count."""
    scores: dict[int, list[float]] = {}
    for record in records:
        plan = record.plan
        if is_finished(record) and {plan.black, plan.white} == {first, second}:
            score = record.score_of_black if plan.black == first else 1 - record.score_of_black
            scores.setdefault(plan.pair, []).append(score)
    seen = Counter(round(2 * sum(pair)) for pair in scores.values() if len(pair) == 2)
    return tuple(seen[twice] for twice in range(PAIR_SCORES))
