"""Openings: Gomocup's two text formats, board symmetries, and seeded random order."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from tournament.core.model import Board, Move, Opening
from tournament.core.rules import RULE_NAMES, Outcome, Position, base_rule

BOOKS = Path(__file__).parents[1] / "books"
GENERIC = ("centre.txt", "edge.txt")  # for boards without a book
COMMENT = "#"

OFFSET = re.compile(r"([+-]?\d+),\s*([+-]?\d+)[,\s]*", re.ASCII)
CELL = re.compile(r"([a-z]{1,2}\d+)[,\s]*", re.ASCII | re.IGNORECASE)

MIRROR_X, MIRROR_Y, TRANSPOSE = 1, 2, 4  # a symmetry is a sum of these; the transposition is applied first

Stones = tuple[tuple[Move, ...], tuple[Move, ...]]  # black's and white's, each sorted


class OpeningError(ValueError):
    """Unusable openings; the text names file and line."""


# -- cell names --------------------------------------------------------------------------------------------------------


def cell_name(move: Move) -> str:
    """`h8`: column letters and row number, a1 at x 0, y 0; aa follows z."""
    x, y = move
    last = chr(ord("a") + x % 26)
    return f"{last if x < 26 else chr(ord('a') + x // 26 - 1) + last}{y + 1}"


def parse_cell(text: str) -> Move:
    """The inverse of `cell_name`, case-insensitive."""
    letters = text.rstrip("0123456789")
    x = 0
    for letter in letters.lower():
        x = 26 * x + ord(letter) - ord("a") + 1
    return x - 1, int(text[len(letters) :]) - 1


# -- the two formats ---------------------------------------------------------------------------------------------------


def split_all(pattern: re.Pattern[str], line: str) -> list[tuple[str, ...]]:
    """The groups of consecutive matches that make up the whole line; empty if they do not."""
    is_whole = re.fullmatch(f"(?:{pattern.pattern})+", line, pattern.flags)
    return [match.groups() for match in pattern.finditer(line)] if is_whole else []


def parse_offsets(line: str) -> list[Move]:
    """`dx,dy, dx,dy` → offsets."""
    pairs = split_all(OFFSET, line)
    if not pairs:
        raise ValueError(f"{line!r} is not a list of offsets such as 0,0, 1,-1")
    return [(int(dx), int(dy)) for dx, dy in pairs]


def parse_cells(line: str) -> list[Move]:
    """`h8i9` → cells; commas and spaces may separate them."""
    cells = split_all(CELL, line)
    if not cells:
        raise ValueError(f"{line!r} is not a list of cells such as h8i9")
    return [parse_cell(cell) for (cell,) in cells]


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """The non-empty lines without comments, with their line numbers from 1."""
    lines = [(number, line.split(COMMENT)[0].strip()) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, line) for number, line in lines if line]


def check_playable(moves: Sequence[Move], board: Board) -> None:
    """Raise ValueError, with the reason, unless the stones can be placed in turn without ending the game."""
    position = Position(board)
    for number, move in enumerate(moves, 1):
        reason = position.why_illegal(move)
        if reason:
            raise ValueError(f"stone {number} cannot be placed: {reason}")
        outcome = position.play(*move)
        if outcome is not Outcome.GOES_ON:
            raise ValueError(f"stone {number} {outcome.value}, so no game is left to play")


def parse_openings(text: str, board: Board, source: str, is_strict: bool = True) -> list[Opening]:
    """The openings of a file, named `file:line`; the first line determines the format.

    An opening that does not fit the board raises OpeningError; without `is_strict` it is skipped.
    """
    lines = numbered_lines(text)
    is_pos = bool(lines) and lines[0][1][0].isalpha()
    left, top = (0, 0) if is_pos else (board.width // 2, board.height // 2)
    openings = []
    for number, line in lines:
        try:
            moves = tuple((left + x, top + y) for x, y in (parse_cells if is_pos else parse_offsets)(line))
            check_playable(moves, board)
        except ValueError as error:
            if is_strict:
                raise OpeningError(f"{source}, line {number}: {error}") from None
            continue
        openings.append(Opening(f"{Path(source).name}:{number}", moves))
    return openings


def read_openings(path: Path, board: Board) -> list[Opening]:
    """The openings of a file; OpeningError if there are none, or if one does not fit the board."""
    try:
        openings = parse_openings(path.read_text(encoding="utf-8-sig"), board, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise OpeningError(f"{path} cannot be read: {error}") from None
    if not openings:
        raise OpeningError(f"{path} contains no openings")
    return openings


# -- the openings that ship --------------------------------------------------------------------------------------------


def book_for(board: Board) -> Path | None:
    """The book of balanced openings for this rule and size, such as `exactly-five-15x15.txt`; None if none ships."""
    rule = RULE_NAMES[base_rule(board.rule)].replace(" ", "-")
    path = BOOKS / f"{rule}-{board.width}x{board.height}.txt"
    return path if path.exists() else None


def shipped_openings(board: Board) -> list[Opening]:
    """The built-in openings: the book for this rule and size, or the generic ones."""
    book = book_for(board)
    return generic_openings(board) if book is None else read_openings(book, board)


def generic_openings(board: Board) -> list[Opening]:
    """The openings for any rule and size that fit the board: all of them from 9 x 9 on, fewer on smaller boards."""
    openings = []
    for name in GENERIC:
        openings += parse_openings((BOOKS / name).read_text(encoding="utf-8"), board, name, is_strict=False)
    repeated = {later.name for later, _ in duplicates(openings, board)}
    return [opening for opening in openings if opening.name not in repeated]


# -- symmetries --------------------------------------------------------------------------------------------------------


def symmetries(board: Board) -> range:
    """The symmetries of a board: 8 for a square, 4 for a rectangle; 0 is the identity."""
    return range(8 if board.width == board.height else 4)


def turned(moves: Sequence[Move], board: Board, symmetry: int) -> tuple[Move, ...]:
    """The moves transformed by a symmetry."""
    exchanged = [(y, x) if symmetry & TRANSPOSE else (x, y) for x, y in moves]
    return tuple(
        (board.width - 1 - x if symmetry & MIRROR_X else x, board.height - 1 - y if symmetry & MIRROR_Y else y)
        for x, y in exchanged
    )


def stones_of(moves: Sequence[Move]) -> Stones:
    """The stones on the board, independent of the order of moves."""
    return tuple(sorted(moves[::2])), tuple(sorted(moves[1::2]))


def images(opening: Opening, board: Board) -> list[Opening]:
    """The opening and its symmetric images, each distinct position once."""
    found: dict[Stones, Opening] = {}
    for symmetry in symmetries(board):
        moves = turned(opening.moves, board, symmetry)
        name = f"{opening.name}/{symmetry}" if symmetry else opening.name
        found.setdefault(stones_of(moves), Opening(name, moves))
    return list(found.values())


def name_without_symmetry(name: str) -> str:
    """The name of the opening in its file, of any of its images."""
    return re.sub(r"/[1-7]$", "", name)


def canonical(opening: Opening, board: Board) -> Stones:
    """The same for all openings that are equal up to symmetry and the order of moves."""
    return min(stones_of(image.moves) for image in images(opening, board))


def duplicates(openings: Sequence[Opening], board: Board) -> list[tuple[Opening, Opening]]:
    """Each opening that equals an earlier one up to symmetry, together with that earlier one."""
    first: dict[Stones, Opening] = {}
    found = []
    for opening in openings:
        earlier = first.setdefault(canonical(opening, board), opening)
        if earlier is not opening:
            found.append((opening, earlier))
    return found


# -- drawing -----------------------------------------------------------------------------------------------------------


def below(rng: random.Random, limit: int) -> int:
    """A number from 0; uses only `random()`, whose sequence Python guarantees across versions."""
    return int(rng.random() * limit)


def shuffled(openings: Sequence[Opening], rng: random.Random) -> list[Opening]:
    """A random order."""
    left, order = list(openings), []
    while left:
        order.append(left.pop(below(rng, len(left))))
    return order


@dataclass(frozen=True)
class Order:
    """In which order the openings are played."""

    is_random: bool = True  # otherwise as in the file
    first: int = 1  # the place, in this order, of the first one to play


SHUFFLED = Order()


def drawn(openings: Sequence[Opening], board: Board, seed: int, order: Order = SHUFFLED) -> Iterator[Opening]:
    """An endless sequence: all openings in their order, then all again in another symmetry and, if random, order."""
    if not openings:
        raise OpeningError("there are no openings to draw from")
    if not 1 <= order.first <= len(openings):
        raise OpeningError(f"there are {len(openings)} openings, so the first one cannot be number {order.first}")
    return islice(endless(openings, board, random.Random(seed), order.is_random), order.first - 1, None)


def endless(openings: Sequence[Opening], board: Board, rng: random.Random, is_random: bool) -> Iterator[Opening]:
    for turn in count():
        for opening in shuffled(openings, rng) if is_random else openings:
            choices = images(opening, board)
            yield choices[turn % len(choices)]
