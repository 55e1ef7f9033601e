"""Games between the four systems: the match runner plays them, and its folder keeps them."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pbrain.core.types import Move
from pbrain.study.games import Game, game_from_json
from pbrain.study.positions import SIZE

GAMES_FILE = "games.jsonl"
FIXED_DEPTH_TURN = "1000s"
TOLERANCE = "60s"  # a machine that is busy must not decide games


class EventError(Exception):
    """The games could not be played; the text is one sentence."""


class Entrant(NamedTuple):
    """A brain of an event; `depth` is sent as INFO max_depth."""

    name: str
    command: Sequence[str]
    depth: int | None = None


class Event(NamedTuple):
    """A round robin: how many games of each pairing, and the time per move; without openings, those that ship."""

    name: str
    entrants: Sequence[Entrant]
    games: int
    turn: str
    seed: int
    openings: Sequence[Sequence[Move]] = ()  # offsets from the centre

    @property
    def planned(self) -> int:
        """How many games there will be."""
        return self.games * len(self.entrants) * (len(self.entrants) - 1) // 2

    @property
    def book(self) -> str:
        """The openings in Gomocup's offset format."""
        return "".join(f"{', '.join(f'{x},{y}' for x, y in opening)}\n" for opening in self.openings)

    def toml(self, book: Path) -> str:
        """The configuration as the runner reads it; JSON's texts and lists are TOML's."""
        lines = [
            "[event]",
            f"games = {self.games}",
            f'turn = "{self.turn}"',
            f'size = "{SIZE}"',
            f"seed = {self.seed}",
            f'tolerance = "{TOLERANCE}"',
            *([f"openings = {json.dumps(str(book))}"] if self.openings else []),
        ]
        for entrant in self.entrants:
            lines += ["", "[[brain]]", f"name = {json.dumps(entrant.name)}"]
            lines += [f"command = {json.dumps(list(entrant.command))}"]
            lines += [] if entrant.depth is None else [f"depth = {entrant.depth}"]
        return "\n".join([*lines, ""])


def read_games(folder: Path) -> list[Game]:
    """The finished games of an event, in the order of the schedule; a torn last line is no game yet."""
    path = folder / GAMES_FILE
    if not path.exists():
        return []
    text = path.read_bytes()
    lines = text[: text.rfind(b"\n") + 1].splitlines()
    try:
        games = {game.number: game for game in map(game_from_json, lines)}
    except (ValueError, KeyError, TypeError) as error:
        raise EventError(f"{path} holds a line that is no game") from error
    return [games[number] for number in sorted(games)]


def play(event: Event, folder: Path, on_game: Callable[[int], None]) -> list[Game]:
    """Play the games that the folder does not hold yet; `on_game` hears how many there are."""
    own, settings = folder / event.name, folder / f"{event.name}.toml"
    if len(read_games(own)) < event.planned:
        book = folder / f"{event.name}.openings.txt"
        if event.openings:
            book.write_text(event.book, encoding="ascii")
        settings.write_text(event.toml(book), encoding="utf-8")
        words = [sys.executable, "-m", "tournament", "run", str(settings), "--out", str(own), "--json", "--log", "none"]
        run(words, lambda: on_game(len(read_games(own))))
    games = read_games(own)
    if len(games) < event.planned:
        raise EventError(f"{own} has {len(games)} of {event.planned} games: the runner was interrupted")
    return games


def run(words: Sequence[str], on_line: Callable[[], None]) -> None:
    """Run the match runner to its end."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        for line in process.stdout:
            if '"game' in line:
                on_line()
        problem = process.stderr.read().strip()
    finally:
        process.wait()  # Ctrl-C has reached it too: it finishes its running game first
        process.stdout.close()
        process.stderr.close()
    if process.returncode != 0:
        raise EventError(problem.splitlines()[-1] if problem else f"the match runner ended with {process.returncode}")
