"""Self-play: positions with their chance to win and their best move, and matches between two tables.

A game depends on its seed alone, so any number of processes plays the same games.

In games of self-play, which contain deliberate mistakes, the chance to win comes from the score of a search. In games
of a match it is the result. Scores have little noise, but see no farther than the search; results know how the game
ends, but only for positions that good play leads to. A table learned from either alone gains nothing.
"""

import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pbrain.core.params import CELLS, CLASS_STRIDE, EMPTY, SHORT_FOURS, SHORT_NODES, STRIDE, WIN_BOUND, CellClass
from pbrain.core.types import Limits, Move, Report, Rule
from pbrain.engine.engine import Engine, IllegalMoveError, cell_at
from pbrain.engine.evaluation import Knowledge, knowledge_for
from pbrain.engine.memory import MIB
from pbrain.engine.timeman import search_limits
from pbrain.learn.fit import PAIRS, chance_of
from pbrain.learn.order_fit import PLACES, places
from pbrain.learn.played import PlayedGame
from pbrain.library.native import Library

Game = TypeVar("Game")
Result = TypeVar("Result")
Terms = np.ndarray[Any, Any]  # the terms of a position's value: indices into the list of values in `fit`

SIZE = 15
MIN_STONES, MAX_STONES = 2, 7  # of an opening
REACH = 3  # the stones of an opening are within this distance of its centre
MAX_OPENING_SCORE = 400  # openings with a larger score are not played
MAX_GAME_MOVES = 60  # after the opening

# A search meets positions that arise from mistakes, and the evaluation must judge them. So one move in four is chosen
# at random among the best moves of the root, and some games continue after a win is proven.
MISTAKE_CHANCE = 0.25
MISTAKE_CHOICES = 8
RESIGN_CHANCE = 0.7  # that a game ends once a win is proven

WINNING = (CellClass.FIVE, CellClass.OPEN_FOUR, CellClass.DOUBLE_FOUR)
FOULS = (CellClass.FORBIDDEN, CellClass.SUSPECT)  # suspect cells that are allowed are few; they are left out as well
MIN_CHOICE_DEPTH = 3  # shallower searches hardly know better than the order
DEAD_TO_BOTH = CellClass.DEAD * CLASS_STRIDE + CellClass.DEAD
GAMES_PER_PORTION = 20
TABLE_BYTES = 4 * MIB  # enough for a few thousand nodes; clearing a larger one would take longer than the search


class Position(NamedTuple):
    """A position as the evaluation sees it from the side to move, and that side's chance to win."""

    terms: Terms
    chance: float


class Choice(NamedTuple):
    """The candidates of a position as the order of moves sees them, three terms each, and which one is the best."""

    terms: Terms
    best: int


class Lesson(NamedTuple):
    """What one game teaches."""

    positions: list[Position]
    choices: list[Choice]


def random_opening(rng: random.Random) -> list[tuple[int, int]]:
    """A few stones close together, anywhere on the board."""
    x, y = (rng.randrange(REACH, SIZE - REACH) for _ in range(2))
    cells = [(x + dx, y + dy) for dx in range(-REACH, REACH + 1) for dy in range(-REACH, REACH + 1)]
    return rng.sample(cells, rng.randint(MIN_STONES, MAX_STONES))


def think(engine: Engine, limits: Limits) -> Report:
    return engine.think(search_limits(limits, engine.now_ns()))


def set_up_opening(engine: Engine, rule: Rule, rng: random.Random, limits: Limits) -> None:
    """Set up a legal opening that the search considers balanced."""
    while True:
        engine.new_game(SIZE, SIZE, rule)
        try:
            for x, y in random_opening(rng):
                if engine.is_forbidden(x, y):
                    raise IllegalMoveError
                engine.play(x, y)
        except IllegalMoveError:
            continue
        if engine.winner is None and abs(think(engine, limits).score) <= MAX_OPENING_SCORE:
            return


def is_judged(engine: Engine, may_win_by_fours: bool = True) -> bool:
    """Whether the evaluation should judge this position: the search itself finds fives, open fours and VCF wins."""
    me = engine.to_move
    if engine.count(1 - me, CellClass.FIVE) or any(engine.count(me, kind) for kind in WINNING):
        return False
    return not (may_win_by_fours and engine.wins_by_fours(SHORT_FOURS, SHORT_NODES))


def terms_of(engine: Engine) -> Terms:
    """The pair of classes of every empty cell that is not dead to both sides, and the threat index."""
    me = engine.to_move
    stones = np.frombuffer(engine.bytes_of("stones"), dtype=np.uint8)
    classes = np.frombuffer(engine.bytes_of("classes"), dtype=np.uint8).reshape(2, CELLS).astype(np.uint16)
    pairs = (classes[me] * CLASS_STRIDE + classes[1 - me])[stones == EMPTY]
    terms: Terms = np.append(pairs[pairs != DEAD_TO_BOTH], np.uint16(PAIRS + engine.threat_index))
    return terms


def is_choice(engine: Engine, report: Report) -> bool:
    """Whether the order of moves matters here: no five or open four decides, and the search knows a move."""
    is_forced = any(engine.count(side, kind) for side in (0, 1) for kind in WINNING)
    return not is_forced and report.score > -WIN_BOUND and report.depth >= MIN_CHOICE_DEPTH


def choice_of(engine: Engine, best: Move) -> Choice | None:
    """The candidates, and the best move among them; None if it is none of them."""
    me = engine.to_move
    rows = [np.frombuffer(engine.bytes_of(field), dtype=np.uint32) for field in ("near", "empty")]
    is_candidate = np.unpackbits((rows[0] & rows[1]).astype("<u4").view(np.uint8), bitorder="little")
    classes = np.frombuffer(engine.bytes_of("classes"), dtype=np.uint8).reshape(2, CELLS).astype(np.uint16)
    cells = np.flatnonzero(is_candidate & ~np.isin(classes[me], FOULS))
    (found,) = np.nonzero(cells == cell_at(*best))
    if len(found) == 0:
        return None
    opponents, own = (cell_at(*move) for move in (engine.history[-1], engine.history[-2]))
    beside = [places(cells % STRIDE - last % STRIDE, cells // STRIDE - last // STRIDE) for last in (opponents, own)]
    pairs = classes[me] * CLASS_STRIDE + classes[1 - me]
    terms = np.column_stack([pairs[cells], PAIRS + beside[0], PAIRS + PLACES + beside[1]]).astype(np.uint16)
    return Choice(terms, int(found[0]))


def positions_of(engine: Engine, rule: Rule, game: PlayedGame) -> list[Position]:
    """The positions of a recorded game, with the result for the side to move."""
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


def play_to_learn(engine: Engine, rule: Rule, nodes: int, seed: str) -> Lesson:
    """Play a game of self-play with mistakes; its positions, with the chance and the move that the search found."""
    rng, limits = random.Random(seed), Limits(nodes=nodes)
    engine.allow_thinking()
    set_up_opening(engine, rule, rng, limits)
    positions, choices = [], []
    for _ in range(MAX_GAME_MOVES):
        if engine.winner is not None or engine.is_full:
            break
        report = think(engine, limits)
        good_moves = engine.root_moves[:MISTAKE_CHOICES]
        if is_judged(engine, may_win_by_fours=report.score >= WIN_BOUND):
            positions.append(Position(terms_of(engine), chance_of(report.score)))
        choice = choice_of(engine, report.move) if is_choice(engine, report) else None
        if choice is not None:
            choices.append(choice)
        if abs(report.score) >= WIN_BOUND and rng.random() < RESIGN_CHANCE:
            break
        engine.play(*(rng.choice(good_moves) if rng.random() < MISTAKE_CHANCE else report.move))
    return Lesson(positions, choices)


def play_a_pair(first: Engine, second: Engine, rule: Rule, nodes: int, seed: str) -> float:
    """The score of the first engine, 0 to 2, in two games from one opening with colours swapped."""
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
            x, y = think(sides[first.to_move], limits).move
            for engine in sides:
                engine.play(x, y)
        score += 0.5 if first.winner is None else float(sides[first.winner] is first)
    return score


def in_portions(task: Callable[[list[Game]], Result], games: list[Game]) -> Iterator[Result]:
    """The results of the task for one portion of the games after another, in order; one process per core."""
    portions = [games[i : i + GAMES_PER_PORTION] for i in range(0, len(games), GAMES_PER_PORTION)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(task, portions)


def engine_for(library: Path, knowledge_for: Callable[[Rule], Knowledge] = knowledge_for) -> Engine:
    engine = Engine(Library(library), knowledge_for)
    engine.set_table_bytes(TABLE_BYTES)
    return engine


def _lessons(library: Path, rule: Rule, nodes: int, seeds: list[str]) -> list[Lesson]:
    engine = engine_for(library)
    return [play_to_learn(engine, rule, nodes, seed) for seed in seeds]


def _positions_of(library: Path, rule: Rule, games: list[PlayedGame]) -> list[list[Position]]:
    engine = engine_for(library)
    return [positions_of(engine, rule, game) for game in games]


def _same(knowledge: Knowledge, _rule: Rule) -> Knowledge:
    return knowledge


def _pairs(library: Path, sides: tuple[Knowledge, Knowledge], rule: Rule, nodes: int, seeds: list[str]) -> list[float]:
    first, second = (engine_for(library, partial(_same, knowledge)) for knowledge in sides)
    return [play_a_pair(first, second, rule, nodes, seed) for seed in seeds]


def lessons(library: Path, rule: Rule, nodes: int, seeds: list[str]) -> Iterator[list[Lesson]]:
    """The lesson of each game of self-play, one portion of the games at a time."""
    yield from in_portions(partial(_lessons, library, rule, nodes), seeds)


def positions_played(library: Path, rule: Rule, games: list[PlayedGame]) -> Iterator[list[list[Position]]]:
    """The positions of each recorded game, one portion of the games at a time."""
    yield from in_portions(partial(_positions_of, library, rule), games)


def match(library: Path, new: Knowledge, old: Knowledge, rule: Rule, nodes: int, seeds: list[str]) -> list[float]:
    """The score of the new tables in each pair of games."""
    return [
        score for portion in in_portions(partial(_pairs, library, (new, old), rule, nodes), seeds) for score in portion
    ]
