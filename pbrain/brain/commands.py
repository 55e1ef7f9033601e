"""A manager's line of text becomes a value. Nothing here acts, and nothing after this sees text."""

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple, TypeAlias

from pbrain.core.parameters import INDEX


class Word(Enum):
    """Commands without arguments."""

    RESTART = "RESTART"
    BEGIN = "BEGIN"
    BOARD = "BOARD"
    YXBOARD = "YXBOARD"
    SWAP2BOARD = "SWAP2BOARD"
    DONE = "DONE"
    ABOUT = "ABOUT"
    END = "END"
    STOP = "STOP"
    YXSHOWFORBID = "YXSHOWFORBID"
    YXHASHCLEAR = "YXHASHCLEAR"
    YXSHOWINFO = "YXSHOWINFO"


class Start(NamedTuple):
    width: int
    height: int


class Turn(NamedTuple):
    x: int
    y: int


class Play(NamedTuple):
    x: int
    y: int


class TakeBack(NamedTuple):
    x: int
    y: int


class Stone(NamedTuple):
    """A line of a block; its owner is 1 for us, 2 for the opponent, 3 for nobody, None if the line has none."""

    x: int
    y: int
    owner: int | None


class Key(Enum):
    """The keys of INFO that change anything here."""

    TIMEOUT_TURN = "timeout_turn"
    TIMEOUT_MATCH = "timeout_match"
    TIME_LEFT = "time_left"
    TIME_INCREMENT = "time_increment"
    MAX_MEMORY = "max_memory"
    HASH_SIZE = "hash_size"
    THREAD_NUM = "thread_num"
    RULE = "rule"
    MAX_DEPTH = "max_depth"
    MAX_NODE = "max_node"
    SHOW_DETAIL = "show_detail"


class Info(NamedTuple):
    key: Key
    value: int


class Tune(NamedTuple):
    """INFO with the name of a search parameter."""

    name: str
    value: int


class Useless(NamedTuple):
    """INFO that changes nothing, which whoever sent it should hear."""

    reason: str


class BestMoves(NamedTuple):
    number: int


class Unknown(NamedTuple):
    """A line that is not a command of the protocol."""

    text: str


class Malformed(NamedTuple):
    """A known command with invalid arguments."""

    reason: str


Command: TypeAlias = (
    Word | Start | Turn | Play | TakeBack | Stone | Info | Tune | Useless | BestMoves | Unknown | Malformed
)

MAX_DIGITS = 9
MAX_ECHO = 60  # characters of an unrecognised line that its answer repeats
MAX_VALUE = 1 << 40  # of INFO: more milliseconds, bytes or nodes than anyone has
KEYS = {key.value: key for key in Key}
NO_THREADS = Useless("thread_num needs a number of threads from 1 on; nothing has changed")


def _number(text: str) -> int | None:
    """An optional sign and up to nine digits. By hand: compiling regular expressions takes 1 ms of every start."""
    text = text.strip()
    digits = text[1:] if text[:1] in ("+", "-") else text
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= MAX_DIGITS
    return int(text) if is_number else None


def _numbers(text: str, counts: tuple[int, ...]) -> list[int] | None:
    """Numbers between commas, as many as one of the counts; None for anything else."""
    numbers = [_number(part) for part in text.split(",")]
    whole = [number for number in numbers if number is not None]
    return whole if len(whole) == len(numbers) and len(whole) in counts else None


def _with_numbers(name: str, count: int, needed: str, make: Callable[..., Command]) -> Callable[[str], Command]:
    def parse(rest: str) -> Command:
        numbers = _numbers(rest, (count,))
        return Malformed(f"{name} needs {needed}") if numbers is None else make(*numbers)

    return parse


def _bare(name: str, word: Word) -> Callable[[str], Command]:
    def parse(rest: str) -> Command:
        return Malformed(f"{name} takes no arguments") if rest else word

    return parse


def _info(rest: str) -> Info | Tune | Useless | None:
    """INFO is never answered, so one whose key or value means nothing here is like a blank line."""
    name, _, text = rest.partition(" ")
    name = name.lower()
    try:
        value = max(-MAX_VALUE, min(int(text), MAX_VALUE))
    except ValueError:
        return NO_THREADS if name == Key.THREAD_NUM.value else None
    if name == Key.THREAD_NUM.value and value < 1:
        return NO_THREADS
    if name in KEYS:
        return Info(KEYS[name], value)
    return Tune(name, value) if name in INDEX else None


PARSERS: dict[str, Callable[[str], Command | None]] = {
    **{word.value: _bare(word.value, word) for word in Word},
    "START": _with_numbers("START", 1, "a size, such as 20", lambda size: Start(size, size)),
    "RECTSTART": _with_numbers("RECTSTART", 2, "width,height", Start),
    "TURN": _with_numbers("TURN", 2, "x,y", Turn),
    "PLAY": _with_numbers("PLAY", 2, "x,y", Play),
    "TAKEBACK": _with_numbers("TAKEBACK", 2, "x,y", TakeBack),
    "INFO": _info,
    "END": lambda _: Word.END,
    "YXSTOP": _bare("YXSTOP", Word.STOP),
    "YXNBEST": _with_numbers("YXNBEST", 1, "a number of moves", BestMoves),
}


def parse(line: str) -> Command | None:
    """The command on a line, in upper or lower case and with any line ending; None if there is nothing to do."""
    text = line.strip()
    if not text:
        return None
    word, _, rest = text.partition(" ")
    parser = PARSERS.get(word.upper())
    if parser is not None:
        return parser(rest.strip())
    stone = _numbers(text, (2, 3))
    if stone is not None:
        return Stone(stone[0], stone[1], stone[2] if len(stone) == 3 else None)
    return Unknown("".join(char if char.isprintable() else "?" for char in text[:MAX_ECHO]))


def asks_to_stop(command: Command | None) -> bool:
    """Whether a brain that is thinking must answer at once when it hears this."""
    return command in (Word.STOP, Word.END, Info(Key.TIMEOUT_TURN, 0))
