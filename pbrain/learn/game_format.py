"""A game of self-play as bytes: 4 per position, 2 more for a mistake, about 30 per game.

Numbers are little-endian, a cell is y * width + x. A file holds one frame per game, nothing else:
    2 bytes   b"K" and the version of the format, 1
    u16       the number of bytes of the payload
    payload   u32 number of the game within its generation; u8 rule, width, height, Ending; u8 winner (0 black, 1 white,
              2 nobody), u8 stones of the opening; u16 turns; then u16 cell of each stone of the opening, black first;
              u16 cell and i16 score of each turn; u16 best move of each turn that was a deliberate mistake
    u32       CRC-32 of all bytes of the frame before it
A turn is a position and the move played there. Its score is the search's, from the side to move: WIN - n is a win that
is proven in n plies. A mistake has MISTAKE added to its cell. A PROVEN game was decided by its last search.
A reader stops at the first frame that is not whole. A writer that goes on with a file first cuts it off there.
"""

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from pbrain.core.types import Rule

Array = np.ndarray[Any, Any]

VERSION = 1
MARK = b"K%c" % VERSION
START = struct.Struct("<2sH")  # of a frame
FACTS = struct.Struct("<I6BH")  # what a payload begins with
CHECKSUM = struct.Struct("<I")
WORD = np.dtype("<u2")  # the size of every frame is a multiple of this
START_WORDS = START.size // WORD.itemsize
FIRST_CELL = START_WORDS + FACTS.size // WORD.itemsize  # of the opening, counted in words of the frame
MAX_FRAME_BYTES = START.size + 0xFFFF + CHECKSUM.size
MISTAKE = 1 << 15
NOBODY = 2
NO_STARTS = np.zeros(0, dtype=np.int64)


class Ending(IntEnum):
    """How a game ended."""

    FIVE = 0
    FULL = 1
    NO_MOVE = 2  # black has only forbidden points left: a draw
    LONG = 3  # undecided when it had as many moves as it may have
    PROVEN = 4  # the last search proved a win or a loss


class FormatError(ValueError):
    """A file holds something else than games of this format."""


class Turn(NamedTuple):
    """The move played in a position, what the search says of the position, and the search's best move."""

    cell: int
    score: int
    best: int

    @property
    def is_mistake(self) -> bool:
        return self.cell != self.best


class Game(NamedTuple):
    number: int
    rule: Rule
    width: int
    height: int
    opening: tuple[int, ...]
    turns: tuple[Turn, ...]
    winner: int | None
    ending: Ending


class Games(NamedTuple):
    """Games as arrays; the turns of game i are starts[i] : starts[i + 1], its opening likewise by opening_starts."""

    number: Array
    rule: Array
    width: Array
    height: Array
    ending: Array
    winner: Array  # 0, 1 or NOBODY
    opening_starts: Array
    opening: Array
    starts: Array
    cell: Array
    score: Array
    best: Array  # the same as `cell`, but for mistakes

    @property
    def turns(self) -> int:
        return len(self.cell)


def frame_of(game: Game) -> bytes:
    """The bytes of a game."""
    winner = NOBODY if game.winner is None else game.winner
    facts = FACTS.pack(
        *(game.number, game.rule, game.width, game.height, game.ending),
        *(winner, len(game.opening), len(game.turns)),
    )
    opening = struct.pack(f"<{len(game.opening)}H", *game.opening)
    turns = b"".join(struct.pack("<Hh", turn.cell | MISTAKE * turn.is_mistake, turn.score) for turn in game.turns)
    mistakes = b"".join(struct.pack("<H", turn.best) for turn in game.turns if turn.is_mistake)
    payload = facts + opening + turns + mistakes
    frame = START.pack(MARK, len(payload)) + payload
    return frame + CHECKSUM.pack(crc32(frame))


def checksum_of(frame: bytes) -> int:
    return int(CHECKSUM.unpack_from(frame, len(frame) - CHECKSUM.size)[0])


def turns_in(frame: bytes) -> int:
    """How many turns the game of a frame has."""
    return int(FACTS.unpack_from(frame, START.size)[-1])


def frame_starts(data: bytes) -> tuple[Array, int]:
    """Where each whole frame begins, and where the last of them ends; a microsecond per game."""
    if len(data) >= len(MARK) and data[:1] == MARK[:1] and data[: len(MARK)] != MARK:
        raise FormatError(f"its games have format version {data[1]}; this program reads version {VERSION}")
    view, size = memoryview(data), len(data)
    starts, at = [], 0
    while at + START.size <= size:
        mark, length = START.unpack_from(data, at)
        end = at + START.size + length
        if mark != MARK or end + CHECKSUM.size > size or CHECKSUM.unpack_from(data, end)[0] != crc32(view[at:end]):
            break
        starts.append(at)
        at = end + CHECKSUM.size
    return np.array(starts, dtype=np.int64), at


def game_numbers(data: bytes, starts: Array) -> Array:
    """The numbers of the games whose frames begin there."""
    low, high = (np.frombuffer(data, WORD, len(data) // 2)[starts // 2 + START_WORDS + i] for i in range(2))
    numbers: Array = low.astype(np.int64) | high.astype(np.int64) << 16
    return numbers


def games_in(data: bytes, starts: Array) -> Games:
    """The games whose frames begin there, in the order of these starts."""
    words = np.frombuffer(data, WORD, len(data) // 2)
    at = starts // 2
    facts = words[at[:, None] + np.arange(START_WORDS + 2, FIRST_CELL)].astype(np.int64)
    sizes, ends, sides, turns = facts[:, 0], facts[:, 1], facts[:, 2], facts[:, 3]
    stones = sides >> 8
    first_turn = at + FIRST_CELL + stones
    turn_words = runs(first_turn, turns, 2)
    cell, score = words[turn_words], words[turn_words + 1].view("<i2")
    is_mistake = cell >= MISTAKE
    cell = cell & ~np.uint16(MISTAKE)
    best = cell.copy()
    turn_starts = starts_of(turns)
    mistakes = np.diff(np.concatenate([[0], np.cumsum(is_mistake)])[turn_starts])
    best[is_mistake] = words[runs(first_turn + 2 * turns, mistakes)]
    return Games(
        number=game_numbers(data, starts),
        rule=sizes & 255,
        width=sizes >> 8,
        height=ends & 255,
        ending=ends >> 8,
        winner=sides & 255,
        opening_starts=starts_of(stones),
        opening=words[runs(at + FIRST_CELL, stones)],
        starts=turn_starts,
        cell=cell,
        score=score,
        best=best,
    )


def starts_of(lengths: Array | Sequence[int]) -> Array:
    """Where each of several parts begins in the whole, and where the last one ends."""
    return np.concatenate([NO_STARTS, [0], np.cumsum(lengths, dtype=np.int64)])


def runs(firsts: Array, lengths: Array, step: int = 1) -> Array:
    """first, first + step, first + 2 * step … for each first, as many as its length says."""
    before = starts_of(lengths)
    indices: Array = np.repeat(firsts - step * before[:-1], lengths) + step * np.arange(before[-1])
    return indices
