"""Games of self-play for tests: random ones, and a slow reader of their format, written from its description."""

import random
import struct
from pathlib import Path
from zlib import crc32

from pbrain.core.types import Rule
from pbrain.learn.game_format import Ending, Game, Games, Turn, frame_of, frame_starts, games_in
from pbrain.learn.games_folder import GamesFolder


def random_game(rng: random.Random, number: int) -> Game:
    """A game of any size and length, without regard to the rule."""
    width, height = rng.randint(5, 22), rng.randint(5, 22)
    cells = rng.sample(range(width * height), rng.randint(0, width * height))
    stones = rng.randint(0, min(9, len(cells)))
    turns = tuple(
        Turn(cell, rng.randint(-30_000, 30_000), cell if rng.random() < 0.7 else rng.randrange(width * height))
        for cell in cells[stones:]
    )
    winner = rng.choice([0, 1, None])
    return Game(
        number, rng.choice(list(Rule)), width, height, tuple(cells[:stones]), turns, winner, rng.choice(list(Ending))
    )


def data_of(games: list[Game]) -> bytes:
    return b"".join(map(frame_of, games))


def as_arrays(games: list[Game]) -> Games:
    data = data_of(games)
    return games_in(data, frame_starts(data)[0])


def read_slowly(data: bytes) -> list[Game]:
    """The whole games at the beginning of a file, byte by byte."""
    games = []
    while len(data) >= 4 and data[:2] == b"K\x01":
        (length,) = struct.unpack("<H", data[2:4])
        frame, data = data[: length + 8], data[length + 8 :]
        if len(frame) < length + 8 or struct.unpack("<I", frame[-4:])[0] != crc32(frame[:-4]):
            break
        games.append(game_of(frame[4:-4]))
    return games


def game_of(payload: bytes) -> Game:
    number, rule, width, height, ending, winner, stones, turns = struct.unpack("<IBBBBBBH", payload[:12])
    words = [word for (word,) in struct.iter_unpack("<H", payload[12:])]
    opening, played, mistakes = words[:stones], words[stones : stones + 2 * turns], words[stones + 2 * turns :]
    read = []
    for i in range(turns):
        cell, score = played[2 * i], played[2 * i + 1]
        is_mistake, cell = divmod(cell, 1 << 15)
        read.append(Turn(cell, score - (score >> 15 << 16), mistakes.pop(0) if is_mistake else cell))
    assert not mistakes
    return Game(
        *(number, Rule(rule), width, height, tuple(opening), tuple(read)),
        *(None if winner == 2 else winner, Ending(ending)),
    )


def games_of(folder: Path) -> GamesFolder:
    return GamesFolder(folder / "generation-000" / "games")


def frames(folder: Path) -> list[bytes]:
    """The games of a folder as bytes, by number."""
    games = [game for part in games_of(folder).parts() for game in read_slowly(part.data)]
    return [frame_of(game) for game in sorted(set(games))]
