"""The measurements of a study, one after the other; what a folder already holds is not measured again."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from pbrain.library.native import Library
from pbrain.study.events import FIXED_DEPTH_TURN, Entrant, Event, play
from pbrain.study.games import Game
from pbrain.study.ours import OurEngine
from pbrain.study.plan import Plan
from pbrain.study.positions import Position, central_openings, choose, quiet_positions
from pbrain.study.process import Brain
from pbrain.study.sample import Sample
from pbrain.study.store import Store
from pbrain.study.systems import BOUNDARY, IDEAS, KANAME, SYSTEMS, THREAT, command
from pbrain.study.variants import Variants

SECOND_MS = 1000
MAX_SECOND_DEPTH = 12
DISTANT_DEPTH = 2
MOVE_LIMIT, CANDIDATES, DISTANT = "move-limit", "candidates", "distant"
ALL, FEW, ONE, MANY = "all", "few", "one per stage", "many"  # sets of positions


class CountError(Exception):
    """Two searches that must be the same were not."""


class SearchSet(NamedTuple):
    """Searches of fixed depth by a system."""

    name: str
    depth: int

    @property
    def key(self) -> str:
        return f"{self.name} to depth {self.depth}"


class Comparison(NamedTuple):
    """A brain without some ideas beside the same brain with all but those of `base`."""

    name: str
    depth: int
    without: tuple[str, ...]
    base: tuple[str, ...] = ()
    positions: str = FEW

    @property
    def key(self) -> str:
        beside = f"without {','.join(self.base)}" if self.base else "whole"
        return f"{self.name} to depth {self.depth} without {','.join(self.without)}, beside {beside}, {self.positions}"


def search_sets(plan: Plan) -> list[SearchSet]:
    return [SearchSet(name, depth) for name, depths in plan.depths.items() for depth in depths]


def comparisons(plan: Plan) -> list[Comparison]:
    ideas = [Comparison(name, depth, (idea,)) for name, depth in plan.idea_depths.items() for idea in IDEAS[name]]
    return [*ideas, *(wide_comparison(depth) for depth in plan.wide_depths), distant_comparison()]


def wide_comparison(depth: int) -> Comparison:
    """Boundary's candidates, where no move limit hides what they are worth."""
    return Comparison(BOUNDARY, depth, (MOVE_LIMIT, CANDIDATES), (MOVE_LIMIT,), ONE)


def distant_comparison() -> Comparison:
    """In many positions, because distant stones are rare."""
    return Comparison(BOUNDARY, DISTANT_DEPTH, (DISTANT,), (), MANY)


def second_key(name: str) -> str:
    return f"{name} for a second"


def feature_key(feature: str) -> str:
    return f"{KANAME} without {feature}, beside whole"


def fixed_depth_games(plan: Plan, seed: int) -> Event:
    """The games whose moves depend on the seed alone."""
    entrants = [
        Entrant(each.name, command(each.name, each.depth), each.depth if each.name == KANAME else None)
        for each in SYSTEMS
    ]
    return Event("games", entrants, plan.games, FIXED_DEPTH_TURN, seed, central_openings(seed))


def round_robin(plan: Plan, seed: int) -> Event:
    entrants = [Entrant(each.name, command(each.name)) for each in SYSTEMS]
    return Event("round-robin", entrants, plan.round_robin_games, f"{plan.turn_ms}ms", seed)


def deeper_match(plan: Plan, seed: int) -> Event:
    entrants = [Entrant(f"depth {depth}", command(THREAT, depth)) for depth in (4, 2)]
    return Event("deeper", entrants, plan.deeper_games, FIXED_DEPTH_TURN, seed, central_openings(seed))


class Progress(NamedTuple):
    """How far a study is."""

    done: int
    planned: int
    doing: str


class Study:
    """Everything that is measured, in a folder."""

    def __init__(self, folder: Path, plan: Plan, seed: int, library: Library, show: Callable[[Progress], None]) -> None:
        self.plan, self.seed = plan, seed
        self.store = Store(folder)
        self._folder, self._library, self._show = folder, library, show
        self.variants = Variants(folder / "variants", plan.has_features)
        self.games: list[Game] = []
        self.round_robin: list[Game] = []
        self.deeper: list[Game] = []
        self._done = 0
        self._planned = (
            len(search_sets(plan))
            + len(comparisons(plan))
            + len(SYSTEMS)
            + 2 * len(self.variants.names)
            + sum(each.planned for each in self._events)
        )

    @property
    def _events(self) -> list[Event]:
        events = [fixed_depth_games(self.plan, self.seed), round_robin(self.plan, self.seed)]
        return [*events, deeper_match(self.plan, self.seed)] if self.plan.deeper_games else events

    def run(self) -> None:
        """Measure what is not measured yet; Ctrl-C loses no more than the measurement that is under way."""
        first, *others = self._events
        self.games = self._play(first)
        for searches in search_sets(self.plan):
            self._measure(searches.key, partial(self._search, searches))
        for comparison in comparisons(self.plan):
            self._measure(comparison.key, partial(self._compare, comparison))
        for system in SYSTEMS:
            self._measure(second_key(system.name), partial(self._think_a_second, system.name))
        played = [self._play(event) for event in others]
        self.round_robin, self.deeper = played[0], played[1] if len(played) > 1 else []
        if self.variants.names:
            self._build_variants()
        for feature in self.variants.names:
            self._measure(feature_key(feature), partial(self._try_feature, feature))
        self._show(Progress(self._planned, self._planned, "everything is measured"))

    # -- how far -------------------------------------------------------------------------------------------------------

    def _measure(self, key: str, measure: Callable[[], object]) -> None:
        self._show(Progress(self._done, self._planned, key))
        if key not in self.store:
            self.store.put(key, measure())
        self._done += 1

    def _build_variants(self) -> None:
        """Before any of them is measured, so that nothing is compiled beside a clock."""
        planned = len(self.variants.names)
        missing = [feature for feature in self.variants.names if feature_key(feature) not in self.store]

        def show(ready: int) -> None:
            self._show(Progress(self._done + ready, self._planned, f"builds without a feature: {ready} of {planned}"))

        show(planned - len(missing))
        for count, _ in enumerate(self.variants.build(missing), 1):
            show(planned - len(missing) + count)
        self._done += planned

    def _play(self, event: Event) -> list[Game]:
        before = self._done

        def show(games: int) -> None:
            self._show(Progress(before + games, self._planned, f"{event.name}: {games} of {event.planned} games"))

        show(0)
        games = play(event, self._folder, show)
        show(len(games))
        self._done = before + event.planned
        return games

    # -- positions -----------------------------------------------------------------------------------------------------

    def positions(self, which: str = ALL) -> list[Position]:
        """A set of positions, of the games of fixed depth."""
        plan = self.plan
        per_stage = {ALL: plan.positions, FEW: plan.few_positions, ONE: 1, MANY: plan.many_positions}[which]
        return choose(self._quiet_positions, per_stage, self.seed)

    @cached_property
    def _quiet_positions(self) -> list[Position]:
        return quiet_positions([game.moves for game in self.games])

    # -- searches ------------------------------------------------------------------------------------------------------

    def samples(self, searches: SearchSet) -> list[Sample]:
        """The samples of searches of fixed depth, in the order of the positions."""
        return [Sample.from_json(values) for values in self.store[searches.key]]

    def seconds(self, name: str) -> list[Sample]:
        return [Sample.from_json(values) for values in self.store[second_key(name)] if values is not None]

    def pairs(self, key: str) -> list[tuple[Sample, Sample]]:
        """What a comparison has found: without something, and the whole."""
        return [(Sample.from_json(without), Sample.from_json(whole)) for without, whole in self.store[key]]

    def _search(self, searches: SearchSet) -> list[Sample]:
        name, depth = searches
        if name == KANAME:
            engine = OurEngine(self._library)
            return warm_searches(lambda position: engine.to_depth(position, depth), self.positions())
        with Brain(command(name, depth)) as brain:
            return warm_searches(brain.search, self.positions())

    def _compare(self, comparison: Comparison) -> list[list[Sample]]:
        name, depth, without, base, which = comparison
        rounds = 1 if which == ONE else self.plan.rounds
        with Brain(command(name, depth, without)) as one, Brain(command(name, depth, base)) as other:
            return paired_searches(one.search, other.search, self.positions(which), rounds)

    def _think_a_second(self, name: str) -> list[Sample | None]:
        """For each position, the deepest search that ends within a second of CPU time."""
        positions = choose(self.positions(), self.plan.second_positions, self.seed)
        if name == KANAME:
            engine = OurEngine(self._library)
            return [engine.for_a_time(position, SECOND_MS, self.plan.second_turn_ms) for position in positions]
        deepest: list[Sample | None] = [None] * len(positions)
        left = list(range(len(positions)))
        for depth in range(1, MAX_SECOND_DEPTH + 1):
            with Brain(command(name, depth), self.plan.second_turn_ms) as brain:
                found = {place: brain.search(positions[place]) for place in left}
            left = [place for place in left if found[place].is_complete and found[place].ms <= SECOND_MS]
            for place in left:
                deepest[place] = found[place]
        return deepest

    def _try_feature(self, feature: str) -> list[list[Sample]]:
        depth = self.plan.feature_depth
        one, other = OurEngine(self.variants.library(feature)), OurEngine(self._library)
        return paired_searches(
            lambda position: one.to_depth(position, depth),
            lambda position: other.to_depth(position, depth),
            self.positions(),
            self.plan.rounds,
        )


Search = Callable[[Position], Sample]


def fastest(samples: Sequence[Sample]) -> Sample:
    """The search that nothing has disturbed; all of them must have the same counts."""
    for sample in samples[1:]:
        if sample.counts != samples[0].counts:
            raise CountError(f"the same search gave {samples[0].counts} and {sample.counts}")
    return min(samples, key=lambda sample: sample.ms)


def warm_searches(search: Search, positions: Sequence[Position]) -> list[Sample]:
    """A search of each position, after one of the first to warm up."""
    warming = search(positions[0])
    found = [search(position) for position in positions]
    return [fastest([found[0], warming]), *found[1:]]


def paired_searches(without: Search, whole: Search, positions: Sequence[Position], rounds: int) -> list[list[Sample]]:
    """Both searches of each position in turn, so that whatever else the machine does disturbs them alike."""
    for search in (without, whole):
        search(positions[0])  # to warm up
    pairs = []
    for position in positions:
        found = [(without(position), whole(position)) for _ in range(rounds)]
        pairs.append([fastest(samples) for samples in zip(*found, strict=True)])
    return pairs
