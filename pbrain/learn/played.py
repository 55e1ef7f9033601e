"""Reads games of the match runner to learn from: `games.jsonl` in the folder of an event."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pbrain.core.types import Move, Rule
from pbrain.learn.game_format import Ending, Game, Games, Turn, frame_of, frame_starts, games_in
from pbrain.learn.positions import NO_SCORE

GAMES_FILE = "games.jsonl"
# Games that a clock or a fault decided say nothing about positions.
DECIDED_ON_THE_BOARD = ("FIVE", "DRAW_FULL", "DRAW_NO_MOVE")


class PlayedGame(NamedTuple):
    width: int
    height: int
    opening: tuple[Move, ...]
    moves: tuple[Move, ...]
    winner: int | None


def read_line(line: str, rule: Rule) -> PlayedGame | None:
    """A game, or None if it has another rule or was not decided on the board."""
    game = json.loads(line)
    board = game["board"]
    if board["rule"] != rule or game["termination"] not in DECIDED_ON_THE_BOARD:
        return None
    opening = tuple((x, y) for x, y in game["plan"]["opening"]["moves"])
    moves = tuple((move["x"], move["y"]) for move in game["moves"])
    return PlayedGame(board["width"], board["height"], opening, moves, game["winner"])


def read_event(folder: Path, rule: Rule) -> Iterator[PlayedGame]:
    path = folder / GAMES_FILE
    if not path.is_file():
        raise ValueError(f"{folder} is not the folder of an event: it has no {GAMES_FILE}")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            game = read_line(line, rule)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: not a game ({error!r})") from error
        if game is not None:
            yield game


def read_games(folders: list[Path], rule: Rule) -> list[PlayedGame]:
    """All games of a rule in these events; identical games count once."""
    games = list(dict.fromkeys(game for folder in folders for game in read_event(folder, rule)))
    if folders and not games:
        raise ValueError(f"no game of rule {rule} was decided on the board in {', '.join(map(str, folders))}")
    return games


def as_games(games: list[PlayedGame], rule: Rule) -> Games:
    """Recorded games as those of self-play, but without scores."""
    data = b"".join(frame_of(as_game(number, game, rule)) for number, game in enumerate(games))
    return games_in(data, frame_starts(data)[0])


def as_game(number: int, game: PlayedGame, rule: Rule) -> Game:
    opening, moves = ([y * game.width + x for x, y in part] for part in (game.opening, game.moves))
    turns = tuple(Turn(cell, NO_SCORE, cell) for cell in moves)
    ending = Ending.FULL if game.winner is None else Ending.FIVE
    return Game(number, rule, game.width, game.height, tuple(opening), turns, game.winner, ending)
