"""A manager's line of text becomes a value. Nothing here acts, and nothing after this sees text."""

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple, TypeAlias


class Start(NamedTuple):
    width: int
    height: int


class Restart(NamedTuple):
    pass


class Begin(NamedTuple):
    pass


class Turn(NamedTuple):
    x: int
    y: int


class Play(NamedTuple):
    x: int
    y: int


class TakeBack(NamedTuple):
    x: int
    y: int


class Board(NamedTuple):
    """Opens a block of stones; `is_question` if a move is expected at its end."""

    is_question: bool


class Swap2Board(NamedTuple):
    pass


class Stone(NamedTuple):
    """A line of a block; its owner is 1 for us, 2 for the opponent, 3 for nobody, None if the line has none."""

    x: int
    y: int
    owner: int | None


class Done(NamedTuple):
    pass


class Key(Enum):
    """The keys of INFO that change anything here."""

    TIMEOUT_TURN = "timeout_turn"
    TIMEOUT_MATCH = "timeout_match"
    TIME_LEFT = "time_left"
    TIME_INCREMENT = "time_increment"
    MAX_MEMORY = "max_memory"
    HASH_SIZE = "hash_size"
    RULE = "rule"
    MAX_DEPTH = "max_depth"
    MAX_NODE = "max_node"
    SHOW_DETAIL = "show_detail"


class Info(NamedTuple):
    key: Key
    value: int


class Ignored(NamedTuple):
    """An INFO whose key or value means nothing here; INFO is never answered."""


class About(NamedTuple):
    pass


class End(NamedTuple):
    pass


class Stop(NamedTuple):
    pass


class ShowForbidden(NamedTuple):
    pass


class ClearHash(NamedTuple):
    pass


class BestMoves(NamedTuple):
    number: int


class ShowInfo(NamedTuple):
    pass


class Unknown(NamedTuple):
    """A line that is not a command of the protocol."""

    text: str


class Malformed(NamedTuple):
    """A known command with invalid arguments."""

    reason: str


Command: TypeAlias = (
    Start | Restart | Begin | Turn | Play | TakeBack | Board | Swap2Board | Stone | Done | Info | Ignored | About
    | End | Stop | ShowForbidden | ClearHash | BestMoves | ShowInfo | Unknown | Malformed
)  # fmt: skip

NUMBER = r"\s*([+-]?\d{1,9})\s*"
ONE = re.compile(NUMBER)
TWO = re.compile(NUMBER + "," + NUMBER)
THREE = re.compile(NUMBER + "," + NUMBER + "," + NUMBER)
MAX_ECHO = 60  # characters of an unrecognised line that its answer repeats
MAX_VALUE = 1 << 40  # of INFO: more milliseconds, bytes or nodes than anyone has
KEYS = {key.value: key for key in Key}


def _numbers(pattern: re.Pattern[str], text: str) -> tuple[int, ...] | None:
    found = pattern.fullmatch(text)
    return None if found is None else tuple(int(group) for group in found.groups())


def _with_numbers(
    name: str, pattern: re.Pattern[str], needed: str, make: Callable[..., Command]
) -> Callable[[str], Command]:
    def parse(rest: str) -> Command:
        numbers = _numbers(pattern, rest)
        return Malformed(f"{name} needs {needed}") if numbers is None else make(*numbers)

    return parse


def _bare(name: str, command: Command) -> Callable[[str], Command]:
    def parse(rest: str) -> Command:
        return Malformed(f"{name} takes no arguments") if rest else command

    return parse


def _info(rest: str) -> Command:
    name, _, text = rest.partition(" ")
    key = KEYS.get(name.lower())
    try:
        value = int(text)
    except ValueError:
        return Ignored()
    return Ignored() if key is None else Info(key, max(-MAX_VALUE, min(value, MAX_VALUE)))


PARSERS: dict[str, Callable[[str], Command]] = {
    "START": _with_numbers("START", ONE, "a size, such as 20", lambda size: Start(size, size)),
    "RECTSTART": _with_numbers("RECTSTART", TWO, "width,height", Start),
    "RESTART": _bare("RESTART", Restart()),
    "BEGIN": _bare("BEGIN", Begin()),
    "TURN": _with_numbers("TURN", TWO, "x,y", Turn),
    "PLAY": _with_numbers("PLAY", TWO, "x,y", Play),
    "TAKEBACK": _with_numbers("TAKEBACK", TWO, "x,y", TakeBack),
    "BOARD": _bare("BOARD", Board(is_question=True)),
    "YXBOARD": _bare("YXBOARD", Board(is_question=False)),
    "SWAP2BOARD": _bare("SWAP2BOARD", Swap2Board()),
    "DONE": _bare("DONE", Done()),
    "INFO": _info,
    "ABOUT": _bare("ABOUT", About()),
    "END": lambda _: End(),
    "STOP": _bare("STOP", Stop()),
    "YXSTOP": _bare("YXSTOP", Stop()),
    "YXSHOWFORBID": _bare("YXSHOWFORBID", ShowForbidden()),
    "YXHASHCLEAR": _bare("YXHASHCLEAR", ClearHash()),
    "YXNBEST": _with_numbers("YXNBEST", ONE, "a number of moves", BestMoves),
    "YXSHOWINFO": _bare("YXSHOWINFO", ShowInfo()),
}


def parse(line: str) -> Command | None:
    """The command on a line, in upper or lower case and with any line ending; None for a blank line."""
    text = line.strip()
    if not text:
        return None
    word, _, rest = text.partition(" ")
    parser = PARSERS.get(word.upper())
    if parser is not None:
        return parser(rest.strip())
    stone = _numbers(THREE, text) or _numbers(TWO, text)
    if stone is not None:
        return Stone(stone[0], stone[1], stone[2] if len(stone) == 3 else None)
    return Unknown("".join(char if char.isprintable() else "?" for char in text[:MAX_ECHO]))


def asks_to_stop(command: Command | None) -> bool:
    """Whether a brain that is thinking must answer at once when it hears this."""
    return command == Info(Key.TIMEOUT_TURN, 0) or isinstance(command, Stop | End)
