"""The games of a generation: played by any number of workers, each game once, whatever is killed meanwhile.

settings.json   what they depend on
games/          the games
"""

import platform
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pbrain.learn.game_format import Array, Games, frame_of, turns_in
from pbrain.learn.games_folder import GamesFolder
from pbrain.learn.generate import Conditions, play_game, signature, sizes_for
from pbrain.learn.player import Player, engine_of, own_engine
from pbrain.learn.settings_file import agree_on
from pbrain.learn.workers import Workers, WorkersError, results

_thread = threading.local()  # which player of this thread has been checked


class Progress(NamedTuple):
    """How far the games of a generation are."""

    games: int
    all_games: int
    positions: int
    positions_per_second: float  # in this run
    seconds_left: float | None  # None as long as no game of this run is finished


class SelfPlay:
    def __init__(self, folder: Path, conditions: Conditions) -> None:
        self.folder = folder
        self.games = GamesFolder(self.folder / "games")
        self._conditions = conditions

    def play(
        self,
        player: Player,
        games: int,
        workers: Workers,
        tell: Callable[[str], None],
        show: Callable[[Progress], None],
    ) -> None:
        """Play the games that are missing; `tell` hears of what cannot be read, `show` of each game."""
        engine = signature(engine_of(player), self._conditions.rule)
        agree_on(self.folder / "settings.json", self._settings(engine))
        task = partial(played_frame, player._replace(library=workers.library), engine, self._conditions)
        for part in self.games.parts():
            if part.left:
                tell(f"{part.path}: the last {part.left} bytes are no whole games; these are played again")
        known = self.games.load()
        missing = missing_numbers(known, games)
        count = Count(games, games - len(missing), known.turns)
        show(count.progress)
        if not len(missing):
            return
        with self.games.writer() as writer, workers.executor() as executor:
            for frame in results(executor, task, map(int, missing)):
                writer.append(frame)
                count.add(turns_in(frame))
                show(count.progress)

    def _settings(self, engine: str) -> dict[str, Any]:
        rule, nodes, seed, generation = self._conditions
        return {
            "rule": int(rule),
            "nodes": nodes,
            "seed": seed,
            "generation": generation,
            "sizes": {str(size): chance for size, chance in sizes_for(rule).items()},
            "engine": engine,
        }


class Count:
    """What has been played, and how fast it goes in this run."""

    def __init__(self, all_games: int, games: int, positions: int) -> None:
        self._all_games = all_games
        self._games = self._games_before = games
        self._positions = self._positions_before = positions
        self._began_at = time.monotonic()

    def add(self, positions: int) -> None:
        """One more game."""
        self._games += 1
        self._positions += positions

    @property
    def progress(self) -> Progress:
        seconds, games = time.monotonic() - self._began_at, self._games - self._games_before
        rate = (self._positions - self._positions_before) / seconds if games else 0.0
        left = seconds / games * (self._all_games - self._games) if games else None
        return Progress(self._games, self._all_games, self._positions, rate, left)


def missing_numbers(known: Games, games: int) -> Array:
    is_missing = np.ones(games, dtype=bool)
    is_missing[known.number[known.number < games]] = False
    return np.flatnonzero(is_missing)


def played_frame(player: Player, expected: str, conditions: Conditions, number: int) -> bytes:
    """A game, played by this thread's engine, whose signature must be the expected one."""
    engine = own_engine(player)
    key = player, expected, conditions.rule
    if getattr(_thread, "checked", None) != key:
        if signature(engine, conditions.rule) != expected:
            raise WorkersError(f"the engine on {platform.node()} plays differently: install the same version there")
        _thread.checked = key
    return frame_of(play_game(engine, conditions, number))
