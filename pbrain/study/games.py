"""What the games of an event say: times and depths move by move, and what decided them."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbrain.core.types import Move
from pbrain.study.positions import line_through
from pbrain.study.sample import BRAIN_MESSAGE, depth_told

DISTANT = 3  # cells by Manhattan distance, as in document 001
MIN_DISTANT = 2


class Turn(NamedTuple):
    """A move of a brain."""

    name: str
    stones: int  # on the board before it
    number: int  # of the brain's own moves in this game, from 1
    move: Move
    ms: float
    said: str

    @property
    def is_searched(self) -> bool:
        """Whether there was something to search: answers to fours are played at once."""
        return self.said.startswith("MESSAGE depth")

    @property
    def depth(self) -> int | None:
        return depth_told(self.said)

    @property
    def counts(self) -> tuple[int, int] | None:
        """Nodes and candidates, if the brain tells them exactly."""
        found = BRAIN_MESSAGE.fullmatch(self.said)
        return (int(found[3]), int(found[4])) if found else None


class Game(NamedTuple):
    """A finished game; colours are 0 for black and 1 for white."""

    number: int
    names: tuple[str, str]
    opening: tuple[Move, ...]
    turns: tuple[Turn, ...]
    winner: int | None
    ending: str

    @property
    def moves(self) -> list[Move]:
        return [*self.opening, *(turn.move for turn in self.turns)]

    def score_of(self, name: str) -> float:
        """Of a brain that plays in this game."""
        return 0.5 if self.winner is None else float(self.names[self.winner] == name)


def game_from_json(line: bytes) -> Game:
    """A game as the runner writes it."""
    data = json.loads(line)
    plan = data["plan"]
    names = (plan["black"], plan["white"])
    opening = tuple((x, y) for x, y in plan["opening"]["moves"])
    turns = []
    for i, move in enumerate(data["moves"], len(opening)):
        number = (i - len(opening)) // 2 + 1
        turns.append(Turn(names[i % 2], i, number, (move["x"], move["y"]), move["ms"], move["said"]))
    return Game(plan["number"], names, opening, tuple(turns), data["winner"], data["termination"])


def turns_of(games: Sequence[Game], name: str) -> Iterator[Turn]:
    """The moves of a brain that it had to search for."""
    return (turn for game in games for turn in game.turns if turn.name == name and turn.is_searched)


def is_distant(move: Move, others: Sequence[Move]) -> bool:
    """Whether a stone is far from all of the other side's."""
    return all(abs(move[0] - x) + abs(move[1] - y) > DISTANT for x, y in others)


def won_from_afar(game: Game) -> bool:
    """Whether at least two stones of the winning five were far from all stones of the loser when they were placed."""
    if game.winner is None or game.ending != "FIVE":
        return False
    moves = game.moves
    five = line_through(moves[-1], moves[game.winner :: 2])
    placed = [moves.index(stone) for stone in five]
    return sum(is_distant(moves[i], moves[1 - game.winner : i : 2]) for i in placed) >= MIN_DISTANT
