"""Standings: game records to table rows, for every view and report."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tournament.core.model import BLACK, WHITE, GameRecord, Termination
from tournament.stats.ratings import (
    Estimate,
    Ratings,
    Results,
    Tally,
    match_elo,
    match_los,
    perfect_score_bound,
    rate,
)
from tournament.stats.sprt import Sprt, SprtState, assess

PAIR_SCORES = 5  # 0, 1/2, 1, 3/2, 2


@dataclass(frozen=True)
class Anchor:
    """A brain whose Elo is given."""

    name: str
    elo: float


@dataclass(frozen=True)
class Field:
    """Who takes part, and how the strengths are shown."""

    names: tuple[str, ...] = ()  # on one scale, brains that have played are added
    heads: tuple[str, ...] = ()  # of a gauntlet: the brains that play each of the others
    anchor: Anchor | None = None

    @property
    def is_match(self) -> bool:
        """Whether Elos are differences to the opponents; otherwise all are on one scale, around the mean or anchor."""
        is_gauntlet = bool(self.heads) and (self.anchor is None or self.heads == (self.anchor.name,))
        return len(self.names) == 2 or is_gauntlet

    @property
    def zero(self) -> float:
        """The Elo of the anchor; without one 0, which is that of equal opponents or of the mean."""
        return 0.0 if self.anchor is None else self.anchor.elo


EVERYONE = Field()


@dataclass(frozen=True)
class Standing:
    """One brain's row."""

    name: str
    tally: Tally
    elo: float | None  # None before the first result
    elo_error: float | None  # half of the 95 % interval; None without games, and for a bound
    bound: str  # ">" or "<": every game was won or lost, and `elo` is the end of the 95 % interval; otherwise empty
    los: float | None  # in a match or gauntlet against all opponents, otherwise against the next row; None if unknown
    faults: tuple[tuple[Termination, int], ...]  # games lost by each kind of fault, in the order of Termination

    @property
    def games(self) -> int:
        return self.tally.games

    @property
    def score(self) -> float:
        return self.tally.score


@dataclass(frozen=True)
class Standings:
    """Rows from the strongest down, in a gauntlet after its heads, and the crosstable in the same order."""

    rows: tuple[Standing, ...]
    crosstable: tuple[tuple[Tally, ...], ...]


# Totals: all that the standings need of the games, in memory that does not grow with their number.


@dataclass
class Totals:
    """Results, pairs and faults of the games added so far."""

    results: dict[tuple[str, str], Tally] = field(default_factory=dict)  # by black and white, black's results
    pairs: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # pairs by the first brain's score
    faults: Counter[tuple[str, Termination]] = field(default_factory=Counter)
    half_pairs: dict[tuple[int, frozenset[str]], GameRecord] = field(default_factory=dict)  # one game is missing

    def add(self, record: GameRecord) -> None:
        """Count a game; interrupted games and games of a brain against itself do not count."""
        black, white = record.plan.black, record.plan.white
        if not is_finished(record):
            return
        fault = fault_of(record)
        if fault is not None:
            self.faults[fault] += 1
        if black != white:
            self.results[black, white] = self.results.get((black, white), Tally()) + tally_of_black(record)
            self._add_to_pair(record)

    def _add_to_pair(self, record: GameRecord) -> None:
        first, second = record.plan.black, record.plan.white
        key = record.plan.pair, frozenset((first, second))
        other = self.half_pairs.pop(key, None)
        if other is None:
            self.half_pairs[key] = record
            return
        score = other.score_of_black if other.plan.black == first else 1 - other.score_of_black
        twice = round(2 * (score + record.score_of_black))
        self.pairs.setdefault((first, second), [0] * PAIR_SCORES)[twice] += 1
        self.pairs.setdefault((second, first), [0] * PAIR_SCORES)[-1 - twice] += 1

    def head_to_head(self, first: str, second: str) -> Tally:
        """The first brain's results against the second, with both colours."""
        return head_to_head(self.results, first, second)

    def pair_counts(self, name: str, opponents: Iterable[str]) -> tuple[int, ...]:
        """The pentanomial counts: complete pairs in which the brain scored 0, 1/2, 1, 3/2 and 2 against these."""
        counts = [self.pairs.get((name, opponent), [0] * PAIR_SCORES) for opponent in opponents]
        return tuple(sum(column) for column in zip([0] * PAIR_SCORES, *counts, strict=True))


def totals_of(records: Iterable[GameRecord]) -> Totals:
    """The totals of these games."""
    totals = Totals()
    for record in records:
        totals.add(record)
    return totals


def sprt_state(totals: Totals, test: Sprt | None, players: Field) -> SprtState | None:
    """The state of the sequential test between the two brains; None without a test."""
    return None if test is None else assess(test, tested_counts(totals, test, players))


def tested_counts(totals: Totals, test: Sprt, players: Field) -> tuple[int, ...]:
    """What the sequential test between the two brains counts."""
    first, second = players.names
    is_paired = test.model.counts_pairs
    return totals.pair_counts(first, [second]) if is_paired else totals.head_to_head(first, second).counts


def tally_of_black(record: GameRecord) -> Tally:
    """One game as a tally, from black's point of view."""
    return Tally(int(record.winner == BLACK), int(record.winner is None), int(record.winner == WHITE))


def is_finished(record: GameRecord) -> bool:
    """Whether the game counts, that is, was not interrupted."""
    return record.termination is not Termination.INTERRUPTED


def fault_of(record: GameRecord) -> tuple[str, Termination] | None:
    """The loser and its fault; None if the game was decided on the board."""
    if record.winner is None or not record.termination.is_fault:
        return None
    return (record.plan.white if record.winner == BLACK else record.plan.black), record.termination


def head_to_head(results: Results, first: str, second: str) -> Tally:
    """The first brain's results against the second, with both colours."""
    return results.get((first, second), Tally()) + results.get((second, first), Tally()).reversed


# Rows.


def standings(records: Iterable[GameRecord], players: Field = EVERYONE) -> Standings:
    """The standings after these games."""
    return standings_of(totals_of(records), players)


def standings_of(totals: Totals, players: Field) -> Standings:
    """The standings of a match or gauntlet by differences; of a round robin on one scale."""
    rows = match_rows(totals, players) if players.is_match else scale_rows(totals, players)
    order = [row.name for row in rows]
    cells = tuple(tuple(totals.head_to_head(row, column) for column in order) for row in order)
    return Standings(tuple(rows), cells)


def match_rows(totals: Totals, players: Field) -> list[Standing]:
    """Elo differences to the opponents, from pairs; an anchor shifts them, as all others have played it alone."""
    shift = players.zero
    rows = []
    for name in players.names:
        opponents = [other for other in players.names if totals.head_to_head(name, other).games and other != name]
        tally = sum((totals.head_to_head(name, other) for other in opponents), Tally())
        counts = totals.pair_counts(name, opponents)
        shown = perfect_score(tally, [(shift, tally.games)]) or estimated(match_elo(counts), shift)
        if players.anchor is not None and players.anchor.name == name:
            shown = (shift, 0.0, "")
        los = match_los(counts) if any(counts) else None
        rows.append(Standing(name, tally, *shown, los, faults_of(totals, name)))
    return sorted(rows, key=lambda row: (not row.games, row.name not in players.heads, -share(row.tally), row.name))


def scale_rows(totals: Totals, players: Field) -> list[Standing]:
    """Elos around the anchor; without one, around the mean of the brains that have no perfect score."""
    anchor = players.anchor
    names = dict.fromkeys([*players.names, *(name for pair in totals.results for name in pair)])
    tallies = {name: sum((totals.head_to_head(name, other) for other in names), Tally()) for name in names}
    measured = [name for name, tally in tallies.items() if tally.games and not is_perfect(tally)]
    reference = measured if anchor is None else [anchor.name]
    ratings = rate(totals.results, names, offset=players.zero, reference=reference, pairs=totals.pairs)
    order = sorted(names, key=lambda name: (not tallies[name].games, -ratings.elo(name), name))
    rows = [scale_row(totals, ratings, name, is_anchor=[name] == reference and anchor is not None) for name in order]
    below: list[str | None] = [*order, None]
    return [replace(row, los=los_against(ratings, row.name, below[i + 1])) for i, row in enumerate(rows)]


def scale_row(totals: Totals, ratings: Ratings, name: str, is_anchor: bool) -> Standing:
    """A row of the scale, without the likelihood of superiority."""
    tallies = {other: totals.head_to_head(name, other) for other in ratings.names if other != name}
    tally = sum(tallies.values(), Tally())
    met = [(ratings.elo(other), seen.games) for other, seen in tallies.items() if seen.games]
    shown = None if is_anchor else perfect_score(tally, met)
    shown = shown or estimated(Estimate(ratings.elo(name), ratings.error(name)))
    return Standing(name, tally, *shown, None, faults_of(totals, name))


Shown = tuple[float | None, float | None, str]  # Elo, error, bound


def estimated(estimate: Estimate, shift: float = 0.0) -> Shown:
    """The Elo and its error; neither without games."""
    return (estimate.elo + shift, estimate.error, "") if math.isfinite(estimate.error) else (None, None, "")


def perfect_score(tally: Tally, opponents: Sequence[tuple[float, int]]) -> Shown | None:
    """The bound on the Elo of a brain that won every game, or lost every game; otherwise None."""
    if not is_perfect(tally):
        return None
    if tally.wins:
        return perfect_score_bound(opponents), None, ">"
    return -perfect_score_bound([(-elo, games) for elo, games in opponents]), None, "<"


def is_perfect(tally: Tally) -> bool:
    """Whether every game was won, or every game lost."""
    return bool(tally.games) and tally.games in (tally.wins, tally.losses)


def share(tally: Tally) -> float:
    return tally.score / tally.games if tally.games else 0.0


def los_against(ratings: Ratings, name: str, other: str | None) -> float | None:
    """The likelihood that the brain is stronger than the other; None where no chain of games connects the two."""
    if other is None or not math.isfinite(ratings.difference(name, other).error):
        return None
    return ratings.los(name, other)


def faults_of(totals: Totals, name: str) -> tuple[tuple[Termination, int], ...]:
    """The games that a brain lost by each kind of fault."""
    return tuple((kind, totals.faults[name, kind]) for kind in Termination if totals.faults[name, kind])
