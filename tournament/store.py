"""The event's folder.

`games.jsonl` is the single source of truth: one line per finished game, on disk before any listener sees it.
`event.json` holds the configuration of the event. Everything else is derived.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tournament.model import Board, GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.names import file_name


class StoreError(Exception):
    """The folder cannot be used; the text says why in one sentence."""


def to_json(record: GameRecord) -> str:
    """A game as one line."""
    return json.dumps({**asdict(record), "termination": record.termination.name}, ensure_ascii=False)


def from_json(line: str) -> GameRecord:
    """The game of a line; ValueError, KeyError or TypeError if the line is not a game."""
    data = json.loads(line)
    plan = data["plan"]
    opening = Opening(plan["opening"]["name"], tuple((x, y) for x, y in plan["opening"]["moves"]))
    return GameRecord(
        plan=GamePlan(plan["number"], plan["pair"], plan["black"], plan["white"], opening),
        board=Board(**data["board"]),
        moves=tuple(PlayedMove(**move) for move in data["moves"]),
        winner=data["winner"],
        termination=Termination[data["termination"]],
        detail=data["detail"],
        warnings=tuple(data["warnings"]),
        started_at=data["started_at"],
        seconds=data["seconds"],
        start_ms=(data["start_ms"][0], data["start_ms"][1]),
        peak_memory=(data["peak_memory"][0], data["peak_memory"][1]),
    )


class Store:
    """An event's folder, opened for one run at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.games_path = folder / "games.jsonl"
        self.event_path = folder / "event.json"
        self.logs = folder / "logs"

    @property
    def exists(self) -> bool:
        return self.event_path.exists()

    def open(self, configuration: dict[str, Any]) -> list[GameRecord]:
        """Start or resume the event and return its games so far; StoreError if the configuration differs."""
        self.logs.mkdir(parents=True, exist_ok=True)
        if not self.exists:
            if self.games_path.exists():
                raise StoreError(f"{self.games_path} exists, but its event.json is missing; choose another folder")
            write_whole(self.event_path, json.dumps(configuration, indent=1, sort_keys=True) + "\n")
            return []
        before = json.loads(self.event_path.read_text(encoding="utf-8"))
        changes = differences(before, json.loads(json.dumps(configuration)))
        if changes:
            changed = "\n".join(f"  {change}" for change in changes)
            raise StoreError(f"{self.folder} holds an event with a different configuration:\n{changed}")
        return self.load(repair=True)

    def load(self, repair: bool = False) -> list[GameRecord]:
        """All games in the order they ended; a truncated last line is ignored, and removed if `repair`."""
        if not self.games_path.exists():
            return []
        content = self.games_path.read_bytes()
        whole, newline, rest = content.rpartition(b"\n")
        if rest and repair:
            with self.games_path.open("r+b") as games:
                games.truncate(len(whole) + len(newline))
                os.fsync(games.fileno())
        records = []
        for number, line in enumerate(whole.decode("utf-8").splitlines(), 1):
            try:
                records.append(from_json(line))
            except (ValueError, KeyError, TypeError) as error:
                raise StoreError(f"{self.games_path}, line {number}: not a game record: {error!r}") from error
        return records

    def append(self, record: GameRecord) -> None:
        """Append a game; it is on disk when this returns."""
        with self.games_path.open("ab") as games:
            games.write((to_json(record) + "\n").encode("utf-8"))
            games.flush()
            os.fsync(games.fileno())

    def log_path(self, pair: int, brain: str) -> Path:
        return self.logs / f"pair-{pair:05d}-{file_name(brain)}.log"


def write_whole(path: Path, text: str) -> None:
    """Replace a file atomically."""
    temporary = path.with_name(path.name + ".new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def differences(before: Any, after: Any, where: str = "") -> list[str]:
    """The differences between two configurations, one line each."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted(before.keys() | after.keys())
        lines = (differences(before.get(key), after.get(key), f"{where}.{key}" if where else key) for key in keys)
        return [line for part in lines for line in part]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [line for i, (one, other) in pairs for line in differences(one, other, f"{where}[{i}]")]
    return [] if before == after else [f"{where}: {before!r} before, {after!r} now"]
