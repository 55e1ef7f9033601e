"""The board as text. Black is X and moves first; row 1 is at the top, as in Piskvork."""

from collections.abc import Collection, Sequence

from pbrain.core.types import Move

STONES = "XO"
FREE, FORBIDDEN = ".", "!"
INKS = {"X": "1;31", "O": "1;36", FREE: "2", FORBIDDEN: "1;33"}
WINNING_LENGTH = 5


def board_text(
    size: tuple[int, int],
    moves: Sequence[Move],
    marked: Collection[Move] = (),
    forbidden: Collection[Move] = (),
    is_coloured: bool = False,
) -> str:
    """The board after these moves; marked cells are in brackets."""
    width, height = size
    cells = dict.fromkeys(forbidden, FORBIDDEN) | {move: STONES[i % 2] for i, move in enumerate(moves)}
    letters = "    " + " ".join(chr(ord("a") + x) for x in range(width))
    rows = []
    for y in range(height):
        row = f"{y + 1:2} "
        for x in range(width):
            row += _gap(x, y, marked) + _inked(cells.get((x, y), FREE), is_coloured)
        rows.append(f"{row}{_gap(width, y, marked)}{y + 1:2}")
    return "\n".join([letters, *rows, letters])


def _gap(x: int, y: int, marked: Collection[Move]) -> str:
    """What is written left of a cell; a row of marked cells shares one pair of brackets."""
    is_left, is_right = (x - 1, y) in marked, (x, y) in marked
    return " " if is_left == is_right else "[" if is_right else "]"


def _inked(char: str, is_coloured: bool) -> str:
    return f"\x1b[{INKS[char]}m{char}\x1b[0m" if is_coloured else char


def winning_stones(moves: Sequence[Move]) -> set[Move]:
    """The stones of every row of five or more that the last move is part of."""
    own = set(moves[-1::-2])
    return {
        stone
        for direction in ((1, 0), (0, 1), (1, 1), (1, -1))
        if len(row := _row(own, moves[-1], direction)) >= WINNING_LENGTH
        for stone in row
    }


def _row(stones: set[Move], through: Move, direction: Move) -> set[Move]:
    row = {through}
    for sign in (1, -1):
        dx, dy = sign * direction[0], sign * direction[1]
        x, y = through
        while (x := x + dx, y := y + dy) in stones:
            row.add((x, y))
    return row
