"""The numbers of a study, from its samples and games: what figures, claims and tables are made of."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pbrain.study.estimate import Estimate, contrast, geometric_mean, mean, ratio, share
from pbrain.study.games import Game, Turn, turns_of, won_from_afar
from pbrain.study.measure import (
    Comparison,
    SearchSet,
    Study,
    distant_comparison,
    feature_key,
    wide_comparison,
)
from pbrain.study.positions import SIZE, STAGES, stage_of
from pbrain.study.sample import Sample
from pbrain.study.systems import IDEAS

MIN_TURNS = 3  # for a point of a curve over move numbers
CENTRE_RINGS = 3  # cells within this distance of the middle of the board are its centre


class Worth(NamedTuple):
    """What leaving something out costs: factors of time and nodes."""

    time: Estimate
    nodes: Estimate


class Measured:
    """Times are in milliseconds. Typical values are geometric means over positions or moves."""

    def __init__(self, study: Study) -> None:
        self.study, self.plan = study, study.plan
        self.games, self.round_robin, self.deeper = study.games, study.round_robin, study.deeper

    # -- depths --------------------------------------------------------------------------------------------------------

    def depths(self, name: str) -> list[int]:
        return list(self.plan.depths[name])

    def samples(self, name: str, depth: int) -> list[Sample]:
        return self.study.samples(SearchSet(name, depth))

    def time(self, name: str, depth: int) -> Estimate:
        return geometric_mean([sample.ms for sample in self.samples(name, depth)])

    def nodes(self, name: str, depth: int) -> Estimate:
        """At depth 0 nothing is tried, which counts as one node."""
        return geometric_mean([max(1, sample.nodes) for sample in self.samples(name, depth)])

    def growth(self, name: str, depth: int) -> Estimate:
        """The effective branching factor: nodes to this depth over nodes to the depth before."""
        here, before = ([max(1, each.nodes) for each in self.samples(name, d)] for d in (depth, depth - 1))
        return ratio(here, before)

    def branching(self, name: str) -> Estimate:
        """The effective branching factor from depth 1 to the deepest: the root of the ratio of nodes."""
        deepest = max(self.depths(name))
        first, last = ([max(1, each.nodes) for each in self.samples(name, d)] for d in (1, deepest))
        return geometric_mean([(b / a) ** (1 / (deepest - 1)) for a, b in zip(first, last, strict=True)])

    def candidates(self, name: str, stage: str) -> Estimate | None:
        """How many cells a brain considers at the root, in positions of a stage."""
        counts = self._candidates(name, stage)
        return mean(counts) if counts else None

    def reduction_of_cells(self, name: str, stage: str) -> Estimate | None:
        """All cells of the board over those that a brain considers."""
        counts = self._candidates(name, stage)
        return geometric_mean([SIZE * SIZE / count for count in counts]) if counts else None

    def _candidates(self, name: str, stage: str) -> list[int]:
        found = zip(self.study.positions(), self.samples(name, 1), strict=True)
        return [sample.candidates for position, sample in found if stage_of(len(position)) == stage]

    # -- what ideas and features are worth -----------------------------------------------------------------------------

    def pairs(self, name: str, idea: str, stages: Sequence[str] = STAGES) -> list[tuple[Sample, Sample]]:
        """Searches of a brain without an idea, and of the whole one, in positions of some stages."""
        comparison = Comparison(name, self.plan.idea_depths[name], (idea,))
        found = zip(self.study.positions(comparison.positions), self.study.pairs(comparison.key), strict=True)
        return [pair for position, pair in found if stage_of(len(position)) in stages]

    def worth(self, name: str, idea: str, stages: Sequence[str] = STAGES) -> Worth:
        """Of an idea, in its brain."""
        return worth_of(self.pairs(name, idea, stages))

    def worth_of_candidates(self, depth: int) -> Worth:
        """Of boundary's candidates, where no move limit hides them."""
        return worth_of(self.study.pairs(wide_comparison(depth).key))

    def worths(self, name: str) -> dict[str, Worth]:
        return {idea: self.worth(name, idea) for idea in IDEAS[name]}

    def features(self) -> dict[str, Worth]:
        """Of this engine's features; empty if they were not measured."""
        return {name: worth_of(self.study.pairs(feature_key(name))) for name in self.study.variants.names}

    # -- a second ------------------------------------------------------------------------------------------------------

    def depth_in_a_second(self, name: str) -> Estimate | None:
        depths = [sample.depth for sample in self.study.seconds(name)]
        return mean(depths) if depths else None

    def nodes_per_second(self, name: str) -> Estimate | None:
        speeds = [1000 * sample.nodes / sample.ms for sample in self.study.seconds(name) if sample.nodes]
        return geometric_mean(speeds) if speeds else None

    # -- games ---------------------------------------------------------------------------------------------------------

    def time_by_move(self, name: str) -> dict[int, Estimate]:
        """The typical time of a brain's first, second, ... move in games of fixed depth."""
        return by_move(turns_of(self.games, name), lambda turn: turn.ms, geometric_mean)

    def depth_by_move(self, name: str) -> dict[int, Estimate]:
        """The mean depth of the moves that were searched to the end, in the round robin."""
        turns = (turn for turn in turns_of(self.round_robin, name) if turn.depth is not None)
        return by_move(turns, lambda turn: turn.depth or 0, mean)

    def time_by_stage(self, name: str) -> dict[str, Estimate]:
        times: dict[str, list[float]] = defaultdict(list)
        for turn in turns_of(self.games, name):
            times[stage_of(turn.stones)].append(turn.ms)
        return {stage: geometric_mean(times[stage]) for stage in STAGES if times[stage]}

    def stage_contrast(self, name: str, stage: str, other: str) -> Estimate | None:
        """How many times as long a move of one stage takes as one of another."""
        times = [[turn.ms for turn in turns_of(self.games, name) if stage_of(turn.stones) == s] for s in (stage, other)]
        return contrast(*times) if all(times) else None

    def centre_contrast(self, name: str) -> Estimate | None:
        """How many times as long a move in the centre takes as one near the edges."""
        centre: list[float] = []
        edge: list[float] = []
        for turn in turns_of(self.games, name):
            ring = max(abs(turn.move[0] - SIZE // 2), abs(turn.move[1] - SIZE // 2))
            (centre if ring <= CENTRE_RINGS else edge).append(turn.ms)
        return contrast(centre, edge) if centre and edge else None

    def time_map(self, name: str) -> dict[tuple[int, int], float]:
        """The mean time of the moves on each cell, in games of fixed depth."""
        times: dict[tuple[int, int], list[float]] = defaultdict(list)
        for turn in turns_of(self.games, name):
            times[turn.move].append(turn.ms)
        return {cell: sum(values) / len(values) for cell, values in times.items()}

    def move_map(self, name: str) -> dict[tuple[int, int], float]:
        """How often a brain has played on each cell."""
        counts: dict[tuple[int, int], float] = defaultdict(float)
        for game in (*self.games, *self.round_robin):
            for turn in game.turns:
                counts[turn.move] += turn.name == name
        return {cell: count for cell, count in counts.items() if count}

    def move_times(self, name: str) -> list[float]:
        return [turn.ms for turn in turns_of(self.games, name)]

    def score(self, name: str) -> tuple[float, int]:
        """Points and games in the round robin."""
        games = [game for game in self.round_robin if name in game.names]
        return sum(game.score_of(name) for game in games), len(games)

    def score_share(self, name: str) -> Estimate:
        """The share of points; for the interval, pairs of games with colours swapped are the samples."""
        points = [game.score_of(name) for game in self.round_robin if name in game.names]
        return share_of_pairs(points)

    def deeper_share(self) -> Estimate | None:
        points = [game.score_of("depth 4") for game in self.deeper]
        return share_of_pairs(points) if points else None

    def distant_wins(self, games: Sequence[Game]) -> Estimate:
        """The share of decided games that were won by stones far from the loser's."""
        decided = [game for game in games if game.winner is not None]
        return share(sum(map(won_from_afar, decided)), len(decided))

    def wins(self, name: str) -> list[Game]:
        """Of a brain, in all games of the four."""
        games = (*self.games, *self.round_robin)
        return [game for game in games if game.winner is not None and game.names[game.winner] == name]

    def changed_by_monitoring(self) -> tuple[Estimate, Estimate]:
        """The shares of positions in which monitoring distant stones changes boundary's nodes, and its move."""
        pairs = self.study.pairs(distant_comparison().key)
        return (
            share(sum(a.nodes != b.nodes for a, b in pairs), len(pairs)),
            share(sum(a.move != b.move for a, b in pairs), len(pairs)),
        )


def worth_of(pairs: Sequence[tuple[Sample, Sample]]) -> Worth:
    """From searches without something and whole ones."""
    return Worth(
        geometric_mean([without.ms / whole.ms for without, whole in pairs]),
        geometric_mean([max(1, without.nodes) / max(1, whole.nodes) for without, whole in pairs]),
    )


def by_move(
    turns: Iterable[Turn], value: Callable[[Turn], float], estimate: Callable[[Sequence[float]], Estimate]
) -> dict[int, Estimate]:
    """An estimate for each move number that enough games have reached."""
    values: dict[int, list[float]] = defaultdict(list)
    for turn in turns:
        values[turn.number].append(value(turn))
    return {number: estimate(each) for number, each in sorted(values.items()) if len(each) >= MIN_TURNS}


def share_of_pairs(points: Sequence[float]) -> Estimate:
    """The mean of points per game; Wilson's interval if all pairs ended alike, else Student's over pairs."""
    pairs = [sum(points[i : i + 2]) / 2 for i in range(0, len(points), 2)]
    if len(set(pairs)) == 1:
        return share(round(sum(points)), len(points)) if pairs[0] in (0, 1) else Estimate(pairs[0], 0.0, 1.0)
    found = mean(pairs)
    return Estimate(found.value, max(0.0, found.low), min(1.0, found.high))


def reduction(factor: Estimate) -> Estimate:
    """A factor by which something grows when an idea is left out, as the share that the idea saves."""

    def saved(value: float) -> float:
        return 1 - 1 / value if value > 0 else -math.inf

    return Estimate(saved(factor.value), saved(factor.low), saved(factor.high))
