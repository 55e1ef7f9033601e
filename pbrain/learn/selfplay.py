"""Games of the engine against itself: positions with the chance to win in them, and matches of two tables.

A game follows from its seed alone, so that any number of processes plays the same games.

The chance in a position is what a search says where the game was played for that, with mistakes, and the result where
it was a game of a match. Searches say it without noise, but see no farther than they search; results know how it ends,
but only of positions that good play leads to. A table learned from either alone was no better than the one before.
"""

import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pbrain.core.params import CELLS, CLASS_STRIDE, EMPTY, SHORT_FOURS, SHORT_NODES, WIN_BOUND, CellClass
from pbrain.core.types import Limits, Rule
from pbrain.engine.engine import Engine, IllegalMoveError
from pbrain.engine.evaluation import Values, values_for
from pbrain.engine.memory import MIB
from pbrain.engine.timeman import search_limits
from pbrain.learn.fit import PAIRS, chance_of
from pbrain.learn.played import PlayedGame
from pbrain.library.native import Library

Game = TypeVar("Game")
Result = TypeVar("Result")
Terms = np.ndarray[Any, Any]  # what a position's value is the sum of: places in `fit`'s list of values

SIZE = 15
FEWEST_STONES, MOST_STONES = 2, 7  # of an opening
REACH = 3  # they lie within so many cells of one of them
BALANCED = 400  # openings that the search values at more are not played
MOST_MOVES = 60

# What positions a search meets, and an evaluation must judge, comes from mistakes: one move in four is any of the
# root's best, and some games go on after they are decided.
MISTAKES = 0.25
MISTAKES_AMONG = 8
ENDS_WHEN_DECIDED = 0.7

WINNING = (CellClass.FIVE, CellClass.OPEN_FOUR, CellClass.DOUBLE_FOUR)
DEAD_TO_BOTH = CellClass.DEAD * CLASS_STRIDE + CellClass.DEAD
GAMES_A_PORTION = 20
TABLE_BYTES = 4 * MIB  # enough for a few thousand nodes; a larger one takes longer to clear than to use


class Position(NamedTuple):
    """A position as the evaluation sees it from the side to move, and that side's chance to win."""

    terms: Terms
    chance: float


def random_opening(rng: random.Random) -> list[tuple[int, int]]:
    """A few stones near each other, anywhere on the board."""
    x, y = (rng.randrange(REACH, SIZE - REACH) for _ in range(2))
    cells = [(x + dx, y + dy) for dx in range(-REACH, REACH + 1) for dy in range(-REACH, REACH + 1)]
    return rng.sample(cells, rng.randint(FEWEST_STONES, MOST_STONES))


def set_up_opening(engine: Engine, rule: Rule, rng: random.Random, limits: Limits) -> None:
    """An opening that is allowed and, as far as the search can tell, not decided."""
    while True:
        engine.new_game(SIZE, SIZE, rule)
        try:
            for x, y in random_opening(rng):
                if engine.is_forbidden(x, y):
                    raise IllegalMoveError
                engine.play(x, y)
        except IllegalMoveError:
            continue
        if engine.winner is None and abs(engine.think(search_limits(limits, engine.now_ns())).score) <= BALANCED:
            return


def is_judged(engine: Engine, may_win_by_fours: bool = True) -> bool:
    """Whether the evaluation is to judge here: fives, open fours and wins by fours are the search's to find."""
    me = engine.to_move
    if engine.count(1 - me, CellClass.FIVE) or any(engine.count(me, kind) for kind in WINNING):
        return False
    return not (may_win_by_fours and engine.wins_by_fours(SHORT_FOURS, SHORT_NODES))


def terms_of(engine: Engine) -> Terms:
    """The pair of each empty cell that is alive for someone, and the threats."""
    me = engine.to_move
    stones = np.frombuffer(engine.bytes_of("stones"), dtype=np.uint8)
    classes = np.frombuffer(engine.bytes_of("classes"), dtype=np.uint8).reshape(2, CELLS).astype(np.uint16)
    pairs = (classes[me] * CLASS_STRIDE + classes[1 - me])[stones == EMPTY]
    terms: Terms = np.append(pairs[pairs != DEAD_TO_BOTH], np.uint16(PAIRS + engine.threat_index))
    return terms


def positions_of(engine: Engine, rule: Rule, game: PlayedGame) -> list[Position]:
    """What its side to move made of each position of a game that was played."""
    engine.new_game(game.width, game.height, rule)
    engine.allow_thinking()
    for x, y in game.opening:
        engine.play(x, y)
    positions = []
    for x, y in game.moves:
        if is_judged(engine):
            chance = 0.5 if game.winner is None else float(game.winner == engine.to_move)
            positions.append(Position(terms_of(engine), chance))
        engine.play(x, y)
    return positions


def play_for_positions(engine: Engine, rule: Rule, nodes: int, seed: str) -> list[Position]:
    rng, limits = random.Random(seed), Limits(nodes=nodes)
    engine.allow_thinking()
    set_up_opening(engine, rule, rng, limits)
    positions = []
    for _ in range(MOST_MOVES):
        if engine.winner is not None or engine.is_full:
            break
        report = engine.think(search_limits(limits, engine.now_ns()))
        choices = engine.root_moves[:MISTAKES_AMONG]
        if is_judged(engine, may_win_by_fours=report.score >= WIN_BOUND):
            positions.append(Position(terms_of(engine), chance_of(report.score)))
        if abs(report.score) >= WIN_BOUND and rng.random() < ENDS_WHEN_DECIDED:
            break
        engine.play(*(rng.choice(choices) if rng.random() < MISTAKES else report.move))
    return positions


def play_a_pair(first: Engine, second: Engine, rule: Rule, nodes: int, seed: str) -> float:
    """What the first scored in two games from one opening, the colours swapped: 0 to 2."""
    limits = Limits(nodes=nodes)
    score = 0.0
    for sides in ((first, second), (second, first)):
        rng = random.Random(seed)
        first.allow_thinking()
        set_up_opening(first, rule, rng, limits)
        moves = first.history
        for engine in sides:
            engine.new_game(SIZE, SIZE, rule)
            engine.allow_thinking()
            for x, y in moves:
                engine.play(x, y)
        while first.winner is None and not first.is_full:
            x, y = sides[first.to_move].think(search_limits(limits, first.now_ns())).move
            for engine in sides:
                engine.play(x, y)
        score += 0.5 if first.winner is None else float(sides[first.winner] is first)
    return score


def in_portions(task: Callable[[list[Game]], Result], games: list[Game]) -> Iterator[Result]:
    """The task's results for some games at a time, in order, from a process for each core."""
    portions = [games[i : i + GAMES_A_PORTION] for i in range(0, len(games), GAMES_A_PORTION)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(task, portions)


def engine_for(library: Path, values_for: Callable[[Rule], Values] = values_for) -> Engine:
    engine = Engine(Library(library), values_for)
    engine.set_table_bytes(TABLE_BYTES)
    return engine


def _positions(library: Path, rule: Rule, nodes: int, seeds: list[str]) -> list[list[Position]]:
    engine = engine_for(library)
    return [play_for_positions(engine, rule, nodes, seed) for seed in seeds]


def _positions_of(library: Path, rule: Rule, games: list[PlayedGame]) -> list[list[Position]]:
    engine = engine_for(library)
    return [positions_of(engine, rule, game) for game in games]


def _same(values: Values, _rule: Rule) -> Values:
    return values


def _pairs(library: Path, tables: tuple[Values, Values], rule: Rule, nodes: int, seeds: list[str]) -> list[float]:
    first, second = (engine_for(library, partial(_same, values)) for values in tables)
    return [play_a_pair(first, second, rule, nodes, seed) for seed in seeds]


def positions(library: Path, rule: Rule, nodes: int, seeds: list[str]) -> Iterator[list[list[Position]]]:
    """The positions of each game, some games at a time."""
    yield from in_portions(partial(_positions, library, rule, nodes), seeds)


def positions_played(library: Path, rule: Rule, games: list[PlayedGame]) -> Iterator[list[list[Position]]]:
    """The positions of games that were played, some games at a time."""
    yield from in_portions(partial(_positions_of, library, rule), games)


def match(library: Path, new: Values, old: Values, rule: Rule, nodes: int, seeds: list[str]) -> list[float]:
    """What the new table scored in each pair of games."""
    return [
        score for portion in in_portions(partial(_pairs, library, (new, old), rule, nodes), seeds) for score in portion
    ]
