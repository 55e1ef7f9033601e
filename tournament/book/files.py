"""A book as a file in Gomocup's offset format, which every manager reads: no comments, LF."""

from collections.abc import Sequence

from tournament.core.model import Board, Opening


def offset_line(opening: Opening, board: Board) -> str:
    """`0,0, 1,-1`: offsets from the centre, black first."""
    left, top = board.width // 2, board.height // 2
    return ", ".join(f"{x - left},{y - top}" for x, y in opening.moves)


def book_text(openings: Sequence[Opening], board: Board) -> str:
    return "".join(f"{offset_line(opening, board)}\n" for opening in openings)
