"""An event's configuration, from the command line or a TOML file, validated before anything runs."""

import hashlib
import re
import shlex
import shutil
import sys
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tournament.model import Board, BrainSpec, Limits
from tournament.rules import check_board
from tournament.schedule import check_games

if sys.platform == "win32":
    from tournament.windows import split_command
else:
    split_command = shlex.split

UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "": 1000}
UNIT_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class ConfigError(Exception):
    """The configuration is invalid; the text says why in one sentence."""


@dataclass(frozen=True)
class SprtGoal:
    """The hypotheses of an SPRT, in normalised Elo, and its error rates."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05


@dataclass(frozen=True)
class Config:
    """Everything that determines which games are played, and how."""

    brains: tuple[BrainSpec, ...]
    board: Board
    games: int  # per pairing
    mode: str  # "round-robin", or "gauntlet": the first brain against each of the others
    openings: str | None  # a file, or None for the built-in set
    openings_digest: str | None  # of that file, so that an event is not resumed with other openings
    seed: int
    draw_after: int | None
    is_swap2: bool = False
    is_pinned: bool = False  # pin the brains of each game to one core
    sprt: SprtGoal | None = None

    def as_json(self) -> dict[str, Any]:
        """The configuration as stored in event.json; a resumed event must match it."""
        return asdict(self)


def parse_ms(text: str) -> int | None:
    """`1s`, `500ms`, `2m`, `1` (seconds) → milliseconds; `none` → None."""
    if text == "none":
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|)", text)
    if found is None:
        raise ConfigError(f"{text!r} is not a time such as 1s, 500ms or 2m")
    return round(float(found[1]) * UNIT_MS[found[2]])


def parse_bytes(text: str) -> int | None:
    """`350M`, `1g`, `367001600` → bytes; `none` → None."""
    if text == "none":
        return None
    found = re.fullmatch(r"(\d+)([kmg]?)b?", text.lower())
    if found is None:
        raise ConfigError(f"{text!r} is not a memory size such as 350M")
    return int(found[1]) * UNIT_BYTES[found[2]]


def parse_board(size: str, rule: int) -> Board:
    """`15` or `20x15` → board."""
    found = re.fullmatch(r"(\d{1,2})(?:x(\d{1,2}))?", size)
    if found is None:
        raise ConfigError(f"{size!r} is not a board size such as 15 or 20x15")
    width = int(found[1])
    height = int(found[2] or width)
    board = Board(width, height, rule)
    try:
        check_board(board)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return board


def command_of(text: str) -> tuple[str, ...]:
    """Split a command line; Python files run with this interpreter."""
    words = [text] if Path(text).exists() else split_command(text)
    if not words:
        raise ConfigError("a brain needs a command")
    if words[0].endswith(".py"):
        words.insert(0, sys.executable)
    program = words[0] if Path(words[0]).exists() else shutil.which(words[0])
    if program is None:
        raise ConfigError(f"{words[0]} is neither a file nor a program on PATH")
    path = Path(program)
    return (str(path.absolute() if path.parts[:-1] or path.exists() else path), *words[1:])


def name_of(command: tuple[str, ...]) -> str:
    """The default name of a brain: its file name without `pbrain-` and `.exe`."""
    named = [word for word in command if not word.startswith("-")]
    is_python = Path(named[0]).name.startswith("python") and len(named) > 1
    word = named[1] if is_python else named[0]
    if "-m" in command[:-1] and is_python:
        word = command[command.index("-m") + 1].rpartition(".")[2]
    stem = Path(word).name
    for ending in (".exe", ".py"):
        stem = stem.removesuffix(ending)
    return stem.removeprefix("pbrain-") or stem


def unique_names(brains: list[BrainSpec]) -> tuple[BrainSpec, ...]:
    """Number the repeated names."""
    named: list[BrainSpec] = []
    for brain in brains:
        taken = {other.name for other in named}
        name, number = brain.name, 2
        while name in taken:
            name, number = f"{brain.name}-{number}", number + 1
        named.append(replace(brain, name=name))
    return tuple(named)


BRAIN_KEYS = {
    "name", "command", "directory", "environment", "info", "turn", "match", "increment", "memory", "depth", "nodes",
    "tolerance", "keep_alive",
}  # fmt: skip
EVENT_KEYS = {
    "games",
    "mode",
    "rule",
    "size",
    "openings",
    "seed",
    "draw_after",
    "swap2",
    "pin",
    *(BRAIN_KEYS - {"name", "command"}),
}


def limits_of(table: dict[str, Any]) -> Limits:
    return Limits(
        turn_ms=parse_ms(str(table.get("turn", "1s"))),
        match_ms=parse_ms(str(table.get("match", "none"))),
        increment_ms=parse_ms(str(table.get("increment", "0"))) or 0,
        memory_bytes=parse_bytes(str(table.get("memory", "350M"))),
        depth=table.get("depth"),
        nodes=table.get("nodes"),
    )


def brain_of(table: dict[str, Any], event: dict[str, Any]) -> BrainSpec:
    """A brain from its table; missing keys come from the event's table."""
    unknown = set(table) - BRAIN_KEYS
    if unknown:
        raise ConfigError(
            f"unknown key in [[brain]]: {', '.join(sorted(unknown))}; known keys: {', '.join(sorted(BRAIN_KEYS))}"
        )
    merged = {**event, **table}
    command = merged.get("command", "")
    words = tuple(command) if isinstance(command, list) else command_of(str(command))
    return BrainSpec(
        name=str(table.get("name") or name_of(words)),
        command=words,
        directory=merged.get("directory"),
        environment=tuple((str(key), str(value)) for key, value in merged.get("environment", {}).items()),
        info=tuple((str(key), str(value)) for key, value in merged.get("info", {}).items()),
        limits=limits_of(merged),
        tolerance_ms=parse_ms(str(merged.get("tolerance", "1s"))) or 0,
        is_kept_alive=bool(merged.get("keep_alive", True)),
    )


def config_of(event: dict[str, Any], brains: list[dict[str, Any]], sprt: SprtGoal | None = None) -> Config:
    """A configuration from TOML tables."""
    unknown = set(event) - EVENT_KEYS
    if unknown:
        raise ConfigError(
            f"unknown key in [event]: {', '.join(sorted(unknown))}; known keys: {', '.join(sorted(EVENT_KEYS))}"
        )
    specs = unique_names([brain_of(table, event) for table in brains])
    if len(specs) < 2:
        raise ConfigError("an event needs at least two brains")
    mode = str(event.get("mode", "round-robin"))
    if mode not in ("round-robin", "gauntlet"):
        raise ConfigError(f"unknown mode {mode!r}; the modes are round-robin and gauntlet")
    games = int(event.get("games", 2))
    check_games(games)
    openings = event.get("openings")
    if openings is not None and not Path(openings).is_file():
        raise ConfigError(f"openings file {openings} not found")
    return Config(
        brains=specs,
        board=parse_board(str(event.get("size", "15")), int(event.get("rule", 0))),
        games=games,
        mode=mode,
        openings=None if openings is None else str(Path(openings).absolute()),
        openings_digest=None if openings is None else hashlib.sha256(Path(openings).read_bytes()).hexdigest(),
        seed=int(event.get("seed", 1)),
        draw_after=event.get("draw_after"),
        is_swap2=bool(event.get("swap2", False)),
        is_pinned=bool(event.get("pin", False)),
        sprt=sprt,
    )


def read_toml(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The event table and the brain tables of a TOML file."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    unknown = set(tables) - {"event", "brain"}
    if unknown:
        raise ConfigError(f"unknown table in {path}: {', '.join(sorted(unknown))}; known tables: [event] and [[brain]]")
    return tables.get("event", {}), tables.get("brain", [])
