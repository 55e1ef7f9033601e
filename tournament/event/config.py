"""An event's configuration, from the command line or a TOML file, validated before anything runs."""

import hashlib
import os
import re
import shlex
import shutil
import sys
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tournament.core.adjudication import Adjudication, ScoreRule
from tournament.core.model import Board, BrainSpec, Limits
from tournament.core.openings import SHUFFLED, Order, book_for
from tournament.core.rules import check_board
from tournament.event.schedule import check_games
from tournament.play.managers import MANAGERS, OURS, Manager, refusal
from tournament.play.names import cleaned, name_from_about, name_of, unique_names
from tournament.stats.sprt import Model, Sprt
from tournament.stats.standings import Field

if sys.platform == "win32":
    from tournament.play.windows import split_command
else:
    split_command = shlex.split

UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "": 1000}
MAX_NUMBER = 1e6  # far beyond every Elo
MAX_QUOTED = 80  # characters of a bad value in a message
UNIT_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class ConfigError(Exception):
    """The configuration is invalid; the text says why in one sentence."""


@dataclass(frozen=True)
class Config:
    """Everything that determines which games are played, and how."""

    brains: tuple[BrainSpec, ...]
    board: Board
    games: int  # per pairing
    mode: str  # "round-robin", "knock-out", or "gauntlet": the heads against each of the others
    openings: str | None  # a file, or None for the built-in ones
    openings_digest: str | None  # of that file or built-in book, so that an event keeps its openings; None: generic
    seed: int
    adjudication: Adjudication
    is_swap2: bool = False
    is_pinned: bool = False  # pin the brains of each game to one core
    sprt: Sprt | None = None
    heads: int = 1  # of a gauntlet: the first brains
    order: Order = SHUFFLED  # of the openings
    manager: str = OURS.name  # which the runner plays: the key in MANAGERS

    @property
    def field(self) -> Field:
        """Who takes part, for the standings."""
        names = tuple(spec.name for spec in self.brains)
        return Field(names, names[: self.heads] if self.mode == "gauntlet" else ())

    def as_json(self) -> dict[str, Any]:
        """The configuration as stored in event.json; a resumed event must match it."""
        return asdict(self)


def parse_ms(text: str) -> int | None:
    """`1s`, `500ms`, `2m`, `1` (seconds) → milliseconds; `none` → None."""
    if text == "none":
        return None
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|)", text)
    if found is None:
        raise ConfigError(f"{shortened(text)} is not a time such as 1s, 500ms or 2m")
    return round(float(found[1]) * UNIT_MS[found[2]])


def parse_bytes(text: str) -> int | None:
    """`350M`, `1g`, `367001600` → bytes; `none` → None."""
    if text == "none":
        return None
    found = re.fullmatch(r"(\d{1,18})([kmg]?)b?", text.lower())
    if found is None:
        raise ConfigError(f"{shortened(text)} is not a memory size such as 350M")
    return int(found[1]) * UNIT_BYTES[found[2]]


def parse_board(size: str, rule: int) -> Board:
    """`15` or `20x15` → board."""
    found = re.fullmatch(r"(\d{1,2})(?:x(\d{1,2}))?", size)
    if found is None:
        raise ConfigError(f"{shortened(size)} is not a board size such as 15 or 20x15")
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
    try:
        words = [text] if is_path(text) else split_command(text)
    except ValueError as error:
        raise ConfigError(f"the command {shortened(text)} cannot be split into words: {error}") from error
    if not words:
        raise ConfigError("a brain needs a command")
    if words[0].endswith(".py"):
        words.insert(0, sys.executable)
    program = words[0] if is_path(words[0]) else shutil.which(words[0])
    if program is None:
        raise ConfigError(f"{shortened(words[0])} is neither a file nor a program on PATH")
    path = Path(program)
    return (str(path.absolute() if path.parts[:-1] or path.exists() else path), *words[1:])


def is_path(text: str) -> bool:
    """Whether a file of this name exists; no text is too long or too strange to ask."""
    return os.path.exists(text)  # unlike Path.exists, which raises an error for a name of more than 255 characters


def shortened(value: object) -> str:
    """A value as TOML or Python writes it, short enough for a message."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"


ORDERS = ("random", "sequential")
MODES = ("round-robin", "gauntlet", "knock-out")
BRAIN_KEYS = {
    "name", "command", "directory", "environment", "info", "turn", "match", "increment", "memory", "depth", "nodes",
    "tolerance", "keep_alive",
}  # fmt: skip
EVENT_KEYS = {
    "games",
    "mode",
    "heads",
    "rule",
    "size",
    "openings",
    "seed",
    "order",
    "first",
    "draw_after",
    "resign",
    "draw",
    "swap2",
    "pin",
    "manager",
    *(BRAIN_KEYS - {"name", "command"}),
}


SPRT_KEYS = {"elo0", "elo1", "alpha", "beta", "model"}


# Values of a table, each of the right type or refused with a sentence.


def check_keys(table: dict[str, Any], known: set[str], where: str) -> None:
    unknown = set(table) - known
    if unknown:
        raise ConfigError(
            f"unknown key in {where}: {', '.join(sorted(unknown))}; known keys: {', '.join(sorted(known))}"
        )


def whole(table: dict[str, Any], key: str, default: int, least: int = 0) -> int:
    """A whole number, at least `least`."""
    value = table.get(key, default)
    if type(value) is not int or value < least:
        raise ConfigError(f"{key} must be a whole number of at least {least}, not {shortened(value)}")
    return value


def optional_whole(table: dict[str, Any], key: str) -> int | None:
    """A whole number of at least 1, or None if the key is absent."""
    return None if table.get(key) is None else whole(table, key, 1, 1)


def number(table: dict[str, Any], key: str, default: float) -> float:
    """A finite number."""
    value = table.get(key, default)
    if type(value) not in (int, float) or not abs(value) < MAX_NUMBER:
        raise ConfigError(f"{key} must be a number, not {shortened(value)}")
    return float(value)


def flag(table: dict[str, Any], key: str, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise ConfigError(f"{key} must be true or false, not {shortened(value)}")
    return value


def words_of(value: object, what: str) -> str:
    """A text that may be passed to a process: without line ends and other control characters."""
    if not isinstance(value, str) or not value.isprintable():
        raise ConfigError(f"{what} must be one line of printable text, not {shortened(value)}")
    return value


def pairs_of(table: dict[str, Any], key: str) -> tuple[tuple[str, str], ...]:
    """The keys and values of an inline table, as text."""
    value = table.get(key, {})
    if not isinstance(value, dict) or any(isinstance(each, dict | list) for each in value.values()):
        raise ConfigError(f'{key} must be a table such as {{ name = "value" }}, not {shortened(value)}')
    if any(not name or "=" in name for name in value):
        raise ConfigError(f"a name in {key} must not be empty or contain =: {shortened(value)}")
    return tuple(
        (words_of(name, f"a name in {key}"), words_of(str(each), f"{key} {name}")) for name, each in value.items()
    )


# Tables.


def limits_of(table: dict[str, Any]) -> Limits:
    """The limits; as in the protocol, 0 for the game or the memory means that there is none."""
    return Limits(
        turn_ms=parse_ms(str(table.get("turn", "1s"))),
        match_ms=parse_ms(str(table.get("match", "none"))) or None,
        increment_ms=parse_ms(str(table.get("increment", "0"))) or 0,
        memory_bytes=parse_bytes(str(table.get("memory", "350M"))) or None,
        depth=optional_whole(table, "depth"),
        nodes=optional_whole(table, "nodes"),
    )


def brain_of(table: dict[str, Any], event: dict[str, Any]) -> BrainSpec:
    """A brain from its table; missing keys come from the event's table."""
    check_keys(table, BRAIN_KEYS, "[[brain]]")
    merged = {**event, **table}
    command = merged.get("command", "")
    if isinstance(command, list) and command:
        words = tuple(words_of(word, "a word of a command") for word in command)
    else:
        words = command_of(words_of(command, "command"))
    spec = BrainSpec(
        name=words_of(table.get("name", ""), "name").strip() or name_of(words),
        command=words,
        directory=None if merged.get("directory") is None else words_of(merged["directory"], "directory"),
        environment=pairs_of(merged, "environment"),
        info=pairs_of(merged, "info"),
        limits=limits_of(merged),
        tolerance_ms=parse_ms(str(merged.get("tolerance", "1s"))) or 0,
        is_kept_alive=flag(merged, "keep_alive", True),
    )
    return spec if spec.name else replace(spec, name=name_from_about(spec) or cleaned(Path(words[0]).stem) or "brain")


def sprt_of(table: dict[str, Any]) -> Sprt:
    """A sequential test from its table."""
    check_keys(table, SPRT_KEYS, "[sprt]")
    model = table.get("model", Model.NORMALISED)
    if model not in list(Model):
        raise ConfigError(f"model must be one of {', '.join(Model)}, not {shortened(model)}")
    elo0, elo1 = number(table, "elo0", 0), number(table, "elo1", 10)
    try:
        return Sprt(elo0, elo1, number(table, "alpha", 0.05), number(table, "beta", 0.05), Model(model))
    except ValueError as error:
        raise ConfigError(f"[sprt]: {error}") from error


def score_rule(event: dict[str, Any], key: str) -> ScoreRule | None:
    """`3:500`: after three moves in a row with such a score; None if the key is absent."""
    if event.get(key) is None:
        return None
    found = re.fullmatch(r"([1-9]\d{0,3}):(\d{1,9}(?:\.\d{1,9})?)", str(event[key]), re.ASCII)
    if found is None:
        raise ConfigError(f"{key} must be MOVES:SCORE such as 3:500, not {shortened(event[key])}")
    return ScoreRule(int(found[1]), float(found[2]))


def order_of(event: dict[str, Any]) -> Order:
    order = event.get("order", "random")
    if order not in ORDERS:
        raise ConfigError(f"order must be {' or '.join(ORDERS)}, not {shortened(order)}")
    return Order(order == "random", whole(event, "first", 1, 1))


def manager_of(event: dict[str, Any]) -> Manager:
    name = event.get("manager", OURS.name)
    if name not in list(MANAGERS):
        raise ConfigError(f"manager must be one of {', '.join(MANAGERS)}, not {shortened(name)}")
    return MANAGERS[name]


def check_manager(config: Config) -> None:
    reason = refusal(MANAGERS[config.manager], config.board, config.brains, config.is_swap2)
    if reason is not None:
        raise ConfigError(reason)


def check_brains(count: int, heads: int, mode: str, is_sprt: bool) -> None:
    if count < 2:
        raise ConfigError("an event needs at least two brains")
    if is_sprt and count != 2:
        raise ConfigError(f"an SPRT compares two brains, not {count}")
    if is_sprt and mode == "knock-out":
        raise ConfigError("an SPRT is a match, not a knock-out")
    if heads >= count:
        raise ConfigError(f"a gauntlet of {count} brains has at most {count - 1} heads, not {heads}")


def config_of(event: dict[str, Any], brains: list[dict[str, Any]], sprt: dict[str, Any] | None = None) -> Config:
    """A configuration from TOML tables."""
    check_keys(event, EVENT_KEYS, "[event]")
    mode = event.get("mode", "round-robin")
    if mode not in MODES:
        raise ConfigError(f"unknown mode {shortened(mode)}; the modes are {', '.join(MODES)}")
    manager = manager_of(event)
    event = {"tolerance": manager.tolerance, **event}
    specs = unique_names([brain_of(table, event) for table in brains])
    heads = whole(event, "heads", 1, 1)
    check_brains(len(specs), heads, mode, is_sprt=sprt is not None)
    games = whole(event, "games", 2)
    check_games(games)
    openings = None if event.get("openings") is None else Path(words_of(event["openings"], "openings"))
    if openings is not None and not os.path.isfile(openings):
        raise ConfigError(f"openings file {openings} not found")
    is_swap2 = flag(event, "swap2", False)
    if is_swap2 and openings is not None:
        raise ConfigError("with Swap2 the brains place the first stones themselves, so openings cannot be given")
    board = parse_board(str(event.get("size", "15")), whole(event, "rule", 0))
    file = openings or book_for(board)
    config = Config(
        brains=specs,
        board=board,
        games=games,
        mode=mode,
        openings=None if openings is None else str(openings.absolute()),
        openings_digest=None if file is None else hashlib.sha256(file.read_bytes()).hexdigest(),
        seed=whole(event, "seed", 1),
        adjudication=Adjudication(
            optional_whole(event, "draw_after"), score_rule(event, "resign"), score_rule(event, "draw")
        ),
        is_swap2=is_swap2,
        is_pinned=flag(event, "pin", False),
        sprt=None if sprt is None else sprt_of(sprt),
        heads=heads,
        order=order_of(event),
        manager=manager.name,
    )
    check_manager(config)
    return config


Tables = tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any] | None]  # [event], [[brain]], [sprt]


def read_toml(path: Path) -> Tables:
    """The event table, the brain tables and the table of the sequential test, if there is one, of a TOML file."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    unknown = set(tables) - {"event", "brain", "sprt"}
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ConfigError(f"unknown table in {path}: {names}; known tables: [event], [[brain]] and [sprt]")
    event, brains, sprt = tables.get("event", {}), tables.get("brain", []), tables.get("sprt")
    if not isinstance(event, dict) or not isinstance(sprt, dict | None):
        raise ConfigError(f"{path}: event and sprt must be tables, [event] and [sprt]")
    if not isinstance(brains, list) or not all(isinstance(brain, dict) for brain in brains):
        raise ConfigError(f"{path}: each brain must be a table, [[brain]]")
    return event, brains, sprt
