"""The event's folder.

`games.jsonl` is the single source of truth: one line per finished game, on disk before any listener sees it.
`event.json` holds the configuration of the event, and is there from its first game on. `verdict.txt` is there once a
test has decided. `event.lock` keeps a second run away. Everything else is derived, `report.html` for one.
"""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tournament.core.failures import RunnerError, reason_of
from tournament.core.model import Board, GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.event.lock import FolderLock, LockedError
from tournament.play.log import EVERYTHING, Logging
from tournament.play.log_folder import LogFolder


class StoreError(Exception):
    """The folder cannot be used; the text says why in one sentence."""


def to_json(record: GameRecord) -> str:
    """A game as one line of ASCII, so that no text of a brain looks like the end of a line to any reader."""
    plan = record.plan
    opening = {"name": plan.opening.name, "moves": plan.opening.moves}
    values = {
        **vars(record),
        "plan": {**vars(plan), "opening": opening},
        "board": vars(record.board),
        "moves": [vars(move) for move in record.moves],  # ten times as quick as dataclasses.asdict
        "termination": record.termination.name,
    }
    return json.dumps(values)


def from_json(line: str | bytes) -> GameRecord:
    """The game of a line; ValueError, LookupError or TypeError if the line is not a game."""
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


class GameReader:
    """Reads games.jsonl, also while it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = self._bytes = 0  # read so far
        self._seen: set[int] = set()

    def fresh(self) -> Iterator[GameRecord]:
        """The games since the last call, each number once; an unfinished last line is left for the next."""
        if not self._path.exists():
            return
        with self._path.open("rb") as lines:
            lines.seek(self._bytes)
            for line in lines:
                if not line.endswith(b"\n"):
                    return
                self._lines, self._bytes = self._lines + 1, self._bytes + len(line)
                try:
                    record = from_json(line)
                except (ValueError, LookupError, TypeError) as error:
                    raise StoreError(f"{self._path}, line {self._lines}: not a game record: {error!r}") from error
                if record.plan.number not in self._seen:
                    self._seen.add(record.plan.number)
                    yield record


class Store:
    """An event's folder. Anyone may read it; who writes holds its lock."""

    def __init__(self, folder: Path, logging: Logging = EVERYTHING) -> None:
        self.folder = folder
        self._logging = logging
        self.games_path = folder / "games.jsonl"
        self.event_path = folder / "event.json"
        self.verdict_path = folder / "verdict.txt"
        self.report_path = folder / "report.html"
        self.logs = folder / "logs"
        self._games: IO[bytes] | None = None  # games.jsonl, while this run plays
        self._failure: RunnerError | None = None

    @property
    def exists(self) -> bool:
        """Whether an event began here; False, where Path.exists raises an error, if the folder cannot be entered."""
        return os.path.exists(self.event_path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out; in the end games.jsonl is closed."""
        with locked_folder(self.folder, "event.lock"):
            try:
                yield
            finally:
                self._close_games()

    # -- the event -----------------------------------------------------------------------------------------------------

    def configuration(self) -> dict[str, Any]:
        """The configuration in event.json; StoreError if it cannot be read."""
        try:
            found = json.loads(self.event_path.read_bytes())
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.event_path} cannot be read: {error}") from error
        if not isinstance(found, dict):
            raise StoreError(f"{self.event_path} is not the configuration of an event")
        return completed(found)

    def resume(self, configuration: dict[str, Any]) -> None:
        """Make the folder ready for more games of this event; StoreError if it holds another one."""
        if not self.exists:
            if self.games_path.exists():
                raise StoreError(f"{self.games_path} exists, but its event.json is missing; choose another folder")
            return
        before, after = self.configuration(), json.loads(json.dumps(configuration))
        changes = differences(before, after)
        if changes and not is_longer(before, after):
            changed = "\n".join(f"  {change}" for change in changes)
            raise StoreError(f"{self.folder} holds an event with a different configuration:\n{changed}")
        cut_torn_line(self.games_path)

    def begin(self, configuration: dict[str, Any]) -> None:
        """Write the configuration; the first game of this run is about to be played."""
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            write_whole(self.event_path, json.dumps(configuration, indent=1, sort_keys=True) + "\n")
        except OSError as error:
            with suppress(OSError):  # not empty
                self.logs.rmdir()
            raise RunnerError(f"{self.event_path} cannot be written: {reason_of(error)}") from error
        try:
            self._open_games()
        except OSError as error:
            raise RunnerError(f"{self.games_path} cannot be written: {reason_of(error)}") from error

    # -- games ---------------------------------------------------------------------------------------------------------

    def games(self) -> Iterator[GameRecord]:
        """All games in the order they ended, each number once, one after the other: together they may need much memory.

        An unfinished last line is ignored.
        """
        return GameReader(self.games_path).fresh()

    def load(self) -> list[GameRecord]:
        """All games at once."""
        return list(self.games())

    def append(self, record: GameRecord) -> None:
        """Append a game; it is on disk when this returns. RunnerError if it cannot be saved, and then for good.

        A line after one that failed might continue a torn line, so the event must stop at the first failure.
        """
        if self._failure is not None:
            raise self._failure
        line = (to_json(record) + "\n").encode("ascii")
        try:
            games = self._open_games()
            if not os.fstat(games.fileno()).st_nlink:
                raise FileNotFoundError(errno.ENOENT, "the file has been removed")
            append_line(games, line)
        except OSError as error:
            reason = reason_of(error)
            self._failure = RunnerError(f"game {record.plan.number} cannot be saved in {self.games_path}: {reason}")
            raise self._failure from error

    def _open_games(self) -> IO[bytes]:
        """The file, open from `begin` to the end of the run: a game is saved also when no more files can be opened."""
        if self._games is None:
            self._games = self.games_path.open("ab", buffering=0)
            sync_folder(self.folder)
        return self._games

    def _close_games(self) -> None:
        if self._games is not None:
            with suppress(OSError):
                self._games.close()
            self._games = None

    # -- the verdict ---------------------------------------------------------------------------------------------------

    def verdict(self) -> str | None:
        """The verdict of the event's test, None while undecided."""
        return self.verdict_path.read_text(encoding="utf-8").strip() if self.verdict_path.exists() else None

    def decide(self, verdict: str) -> None:
        """Keep the verdict; further games do not change it."""
        try:
            write_whole(self.verdict_path, verdict + "\n")
        except OSError as error:
            self._failure = RunnerError(f"{self.verdict_path} cannot be written: {reason_of(error)}")
            raise self._failure from error

    # -- logs ----------------------------------------------------------------------------------------------------------

    @property
    def log_folder(self) -> LogFolder:
        """The logs of this event, for whoever plays its games on this machine."""
        return LogFolder(str(self.logs), self._logging)

    def add_log(self, name: str, data: bytes) -> None:
        """Add what was logged on another machine; a pair that was played twice has both dialogues in its file."""
        path = self.logs / name
        try:
            with path.open("ab") as file:
                file.write(data)
        except OSError as error:
            raise RunnerError(f"{path} cannot be written: {reason_of(error)}") from error


@contextmanager
def locked_folder(folder: Path, name: str) -> Iterator[None]:
    """Keep other runs out. Folders that were made for this and are still empty at the end are removed."""
    made = [path for path in (folder, *folder.parents) if not os.path.exists(path)]
    lock = FolderLock(folder / name)
    try:
        try:
            lock.acquire()
        except LockedError as error:
            raise StoreError(f"{folder} is in use by another run, PID {error}") from error
        except OSError as error:
            raise StoreError(f"{folder} cannot be used: {reason_of(error)}") from error
        yield
    finally:
        lock.release()
        for path in made:
            with suppress(OSError):  # not empty
                path.rmdir()


def append_line(file: IO[bytes], line: bytes) -> None:
    """Append a line, which is on disk when this returns; after a failure the file is as before, if that can be had."""
    whole = os.fstat(file.fileno()).st_size
    try:
        write_all(file.fileno(), line)
    except OSError:
        with suppress(OSError):  # else `cut_torn_line` removes what was written
            file.truncate(whole)
        raise


def cut_torn_line(path: Path) -> None:
    """Remove a line that a crash or a full disk left unfinished."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = 0
        for line in file:
            end += len(line) if line.endswith(b"\n") else 0
        if end < file.seek(0, os.SEEK_END):
            file.truncate(end)
            os.fsync(file.fileno())


def write_all(descriptor: int, data: bytes) -> None:
    """Write and sync; a full disk takes a part of the data first, and fails at the next part."""
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Replace a file atomically; after a failure the file is as before."""
    temporary = path.with_name(path.name + ".new")
    try:
        with temporary.open("wb", buffering=0) as file:
            write_all(file.fileno(), text.encode("utf-8", "backslashreplace"))
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names of new files durable; Windows does so by itself, and some network folders cannot."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        with suppress(OSError):
            os.fsync(descriptor)
        os.close(descriptor)


def completed(configuration: dict[str, Any]) -> dict[str, Any]:
    """The configuration with what every event had before one could choose it; such files say nothing of it."""
    whole = {"heads": 1, "order": {"is_random": True, "first": 1}, **configuration}
    if "draw_after" in whole:
        whole["adjudication"] = {"draw_after": whole.pop("draw_after"), "resign": None, "draw": None}
    if isinstance(whole.get("sprt"), dict):
        whole["sprt"] = {"model": "normalised", **whole["sprt"]}
    return whole


def is_longer(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether the configurations differ in the number of games alone, and more games only go on with the schedule.

    In a knock-out, they would change who plays the next round.
    """
    fewer, more = before.get("games"), after.get("games")
    is_more = isinstance(fewer, int) and isinstance(more, int) and fewer < more
    return is_more and after.get("mode") != "knock-out" and not differences({**before, "games": more}, after)


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
