"""Candidates for a book: a few stones close together, drawn at random; each number always gives the same one."""

import random

from tournament.core.model import Board, Move, Opening
from tournament.core.openings import below, check_playable

REACH = 2  # a stone lies within this distance of an earlier one
EDGE = 3  # the first stone is at least this far from the edge, where the board is large enough
CENTRAL_SHARE = 0.5  # of the first stones lie in the middle third of the board
ATTEMPTS = 1000  # until a small board has no more room for so many stones


class NoRoomError(ValueError):
    """So many stones cannot be placed on this board without ending the game."""


def candidate(board: Board, seed: int, number: int, stones: tuple[int, int]) -> Opening:
    """The candidate of this number, with at least `stones[0]` and at most `stones[1]` stones."""
    rng = random.Random(f"{seed}:{number}")
    for _ in range(ATTEMPTS):
        moves = drawn_moves(board, rng, below(rng, stones[1] - stones[0] + 1) + stones[0])
        try:
            check_playable(moves, board)
        except ValueError:
            continue
        return Opening(str(number), moves)
    raise NoRoomError(f"no room for {stones[0]} stones on a board of {board.width}x{board.height}")


def drawn_moves(board: Board, rng: random.Random, count: int) -> tuple[Move, ...]:
    """A first stone, and others that each lie near an earlier one; some may be on the same square."""
    is_central = rng.random() < CENTRAL_SHARE
    moves = [(first_place(board.width, rng, is_central), first_place(board.height, rng, is_central))]
    while len(moves) < count:
        x, y = moves[below(rng, len(moves))]
        moves.append((x + below(rng, 2 * REACH + 1) - REACH, y + below(rng, 2 * REACH + 1) - REACH))
    return tuple(moves)


def first_place(size: int, rng: random.Random, is_central: bool) -> int:
    margin = size // 3 if is_central else min(EDGE, (size - 1) // 2)
    return margin + below(rng, size - 2 * margin)
