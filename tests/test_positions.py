"""Positions to learn from, beside those of a slow replay with the engine."""

import random
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

from pbrain.core.params import SHORT_FOURS, SHORT_NODES, WIN_BOUND, CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from pbrain.learn import positions
from pbrain.learn.game_format import Ending, Game, Turn
from pbrain.learn.generate import Conditions, play_game
from pbrain.learn.player import engine_for
from pbrain.learn.positions import DRAWN, LOST, NO_CELL, UNKNOWN, WON, Positions, decoded
from pbrain.library.native import Library
from tests.self_played import as_arrays, random_game

WINNING = (CellClass.FIVE, CellClass.OPEN_FOUR, CellClass.DOUBLE_FOUR)


class Seen(NamedTuple):
    """One position."""

    stones: tuple[int, ...]  # by cell
    width: int
    height: int
    side: int
    score: int
    result: int
    best: int
    game: int
    last: int
    own: int


def is_judged(engine: Engine, may_win_by_fours: bool) -> bool:
    """Whether the evaluation should judge this position: the search itself finds fives, open fours and VCF wins."""
    me = engine.to_move
    if engine.count(1 - me, CellClass.FIVE) or any(engine.count(me, kind) for kind in WINNING):
        return False
    return not (may_win_by_fours and engine.wins_by_fours(SHORT_FOURS, SHORT_NODES))


def seen_slowly(engine: Engine, game: Game) -> list[Seen]:
    seen = []
    engine.new_game(game.width, game.height, game.rule)
    for cell in game.opening:
        engine.play(cell % game.width, cell // game.width)
    for i, turn in enumerate(game.turns):
        side = engine.to_move
        if is_judged(engine, may_win_by_fours=turn.score >= WIN_BOUND):
            stones = tuple(engine.stone(x, y) for y in range(game.height) for x in range(game.width))
            result = DRAWN if game.winner is None else WON if game.winner == side else LOST
            if game.ending is Ending.LONG or any(later.is_mistake for later in game.turns[i:]):
                result = UNKNOWN
            moves = [NO_CELL, NO_CELL, *(y * game.width + x for x, y in engine.history)]
            numbers = (side, turn.score, result, turn.best, game.number, moves[-1], moves[-2])
            seen.append(Seen(stones, game.width, game.height, *numbers))
        engine.play(turn.cell % game.width, turn.cell // game.width)
    return seen


def seen_fast(chunk: Positions) -> list[Seen]:
    cells = np.stack([chunk.board >> 2 * i & 3 for i in range(4)], axis=2).reshape(len(chunk.board), -1)
    seen = []
    for i in range(len(cells)):
        width, height = int(chunk.width[i]), int(chunk.height[i])
        assert not cells[i, width * height :].any()
        numbers = (int(column[i]) for column in chunk[3:])
        seen.append(Seen(tuple(cells[i, : width * height].tolist()), width, height, *numbers))
    return seen


def all_fast(library: Library, games: list[Game]) -> list[Seen]:
    return [seen for chunk in decoded(library, as_arrays(games)) for seen in seen_fast(chunk)]


@pytest.mark.parametrize("rule", list(Rule))
def test_positions_are_those_of_a_slow_replay(rule: Rule, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some games go on after a proof, so that VCF wins, fives and open fours are met."""
    monkeypatch.setattr("pbrain.learn.generate.RESIGN_CHANCE", 0.1)
    engine = engine_for(library.path)
    games = [play_game(engine, Conditions(rule, 100, 7, 0), number) for number in range(8)]
    games.append(games[0]._replace(ending=Ending.LONG, winner=None))
    games.append(games[1]._replace(ending=Ending.FULL, winner=None))
    expected = [seen for game in games for seen in seen_slowly(engine, game)]
    assert all_fast(library, games) == expected
    assert 0.3 < len(expected) / sum(len(game.turns) for game in games) < 0.98
    assert set(Counter(seen.result for seen in expected)) >= {WON, LOST, UNKNOWN}
    # Nothing depends on the games before, or on how many are decoded at a time.
    monkeypatch.setattr(positions, "CHUNK_TURNS", 30)
    assert len(list(decoded(library, as_arrays(games)))) > 3
    assert all_fast(library, games) == expected
    assert all_fast(library, games[5:]) == [seen for seen in expected if seen.game >= 5] + all_fast(library, games[8:])


@pytest.mark.parametrize("rule", [Rule.FREESTYLE, Rule.RENJU])
def test_any_stones_on_any_board_are_read(rule: Rule, library: Library) -> None:
    rng, engine = random.Random(8), engine_for(library.path)
    games = [random_game(rng, number)._replace(rule=rule) for number in range(12)]
    assert all_fast(library, games) == [seen for game in games for seen in seen_slowly(engine, game)]


def test_no_games_have_no_positions(library: Library) -> None:
    assert list(decoded(library, as_arrays([]))) == []


def game_with(turn: Turn, width: int = 15, rule: Rule = Rule.FREESTYLE) -> Game:
    return Game(3, rule, width, 15, (1, 2), (turn,), None, Ending.LONG)


def test_what_is_no_game_is_refused(library: Library) -> None:
    for game in (game_with(Turn(225, 0, 225)), game_with(Turn(3, 0, 3), width=23)):
        with pytest.raises(ValueError, match="game 3 has a move that is not on its board"):
            list(decoded(library, as_arrays([game])))
    two = [game_with(Turn(5, 0, 5), rule=rule) for rule in (Rule.FREESTYLE, Rule.RENJU)]
    with pytest.raises(ValueError, match="games of one rule are decoded, not of rules 0, 4"):
        list(decoded(library, as_arrays(two)))
