"""Plays a game of self-play that depends on its conditions and its number alone: the same on every machine.

A search meets positions that arise from mistakes, and the evaluation must judge them. So some moves are deliberate
mistakes. They are frequent at the beginning and rare later: most games end with a clean tail, whose positions may learn
from the result as well as from the scores of their searches.
"""

import random
from functools import partial
from typing import NamedTuple

from pbrain.core.params import CellClass
from pbrain.core.types import Limits, Move, Rule
from pbrain.engine.engine import Engine
from pbrain.learn.game_format import Ending, Game, Turn, checksum_of, frame_of
from pbrain.learn.openings import close_opening, far_opening, set_up_opening
from pbrain.learn.player import think

# The chance of each board: those that tournaments play. One game in ten is on any other size, rectangles included, so
# that edges are seen at every distance.
TOURNAMENT_SIZES = {Rule.FREESTYLE: {15: 0.45, 20: 0.45}}
OTHER_RULES_SIZES = {15: 0.75, 20: 0.15}
MIN_OTHER_SIZE, MAX_OTHER_SIZE = 10, 22  # smaller boards have hardly room for a game

FAR_CHANCE = 0.03  # of an opening with its stones anywhere: searches meet stones far apart, games of close ones do not
MAX_MOVES = 90  # after the opening; longer games are nearly always drawn

EARLY_MOVES = 10  # after the opening
EARLY_MISTAKE_CHANCE = 0.3  # so early, mistakes make games differ, and leave enough of them to learn a result from
LATE_MISTAKE_CHANCE = 0.06
MISTAKE_CHOICES = 8  # a mistake is one of this many best root moves: worse ones teach nothing about good play
RESIGN_CHANCE = 0.7  # that a game ends once a win is proven; some go on, to show how wins are played out

SIGNATURE_NODES = 200  # per move of the game that tells engines apart: 30 ms


class Conditions(NamedTuple):
    """What a game depends on beside its number."""

    rule: Rule
    nodes: int  # per move
    seed: int
    generation: int


def sizes_for(rule: Rule) -> dict[int, float]:
    """The chance of each square board; any other board has the rest."""
    return TOURNAMENT_SIZES.get(rule, OTHER_RULES_SIZES)


def board_size(rule: Rule, rng: random.Random) -> tuple[int, int]:
    drawn = rng.random()
    for size, chance in sizes_for(rule).items():
        if drawn < chance:
            return size, size
        drawn -= chance
    width, height = (rng.randint(MIN_OTHER_SIZE, MAX_OTHER_SIZE) for _ in range(2))
    return width, height


def ending_of(engine: Engine) -> Ending | None:
    """How the game has ended on the board; None if it goes on."""
    if engine.winner is not None:
        return Ending.FIVE
    return Ending.FULL if engine.is_full else None


def limits_for(engine: Engine, nodes: int) -> Limits:
    """A score is wanted even where only one move is any good, but not where a five must be blocked.

    Such a position is never learned from, and its score is the static one.
    """
    me = engine.to_move
    must_block = engine.count(1 - me, CellClass.FIVE) > 0 and engine.count(me, CellClass.FIVE) == 0
    return Limits(nodes=nodes, is_analysis=not must_block)


def played(engine: Engine, best: Move, moves: int, rng: random.Random) -> Move:
    """The best move, or a deliberate mistake, which may turn out to be the best move after all."""
    chance = EARLY_MISTAKE_CHANCE if moves < EARLY_MOVES else LATE_MISTAKE_CHANCE
    return rng.choice(engine.root_moves[:MISTAKE_CHOICES]) if rng.random() < chance else best


def play_game(engine: Engine, conditions: Conditions, number: int) -> Game:
    rule, nodes, seed, generation = conditions
    rng = random.Random(f"{seed}:{generation}:{number}")
    width, height = board_size(rule, rng)
    opening = far_opening if rng.random() < FAR_CHANCE else close_opening
    engine.allow_thinking()
    set_up_opening(engine, rule, (width, height), rng, Limits(nodes=nodes), opening)

    def cell_of(move: Move) -> int:
        return move[1] * width + move[0]

    stones = tuple(map(cell_of, engine.history))
    game = partial(Game, number, rule, width, height, stones)
    turns: list[Turn] = []
    while len(turns) < MAX_MOVES and ending_of(engine) is None:
        report = think(engine, limits_for(engine, nodes))
        if engine.is_forbidden(*report.move):
            return game(tuple(turns), None, Ending.NO_MOVE)
        if report.win_in is not None and rng.random() < RESIGN_CHANCE:
            turns.append(Turn(cell_of(report.move), report.score, cell_of(report.move)))
            winner = engine.to_move if report.score > 0 else 1 - engine.to_move
            return game(tuple(turns), winner, Ending.PROVEN)
        move = played(engine, report.move, len(turns), rng)
        turns.append(Turn(cell_of(move), report.score, cell_of(report.move)))
        engine.play(*move)
    ending = ending_of(engine)
    return game(tuple(turns), engine.winner, Ending.LONG if ending is None else ending)


def signature(engine: Engine, rule: Rule) -> str:
    """Eight hexadecimal digits of a short game: engines that play differently have different ones."""
    game = frame_of(play_game(engine, Conditions(rule, SIGNATURE_NODES, 0, 0), 0))
    return f"{checksum_of(game):08x}"
