"""The first two moves of a game, for which a search would only cost time."""

from collections.abc import Sequence

from pbrain.core.types import Move

# How far from the edge the first stone must lie for a reply beside it, towards the centre, to be the whole answer.
ROOM = 4


def first_move(size: tuple[int, int], history: Sequence[Move]) -> Move | None:
    """The centre, or the cell diagonally beside the opponent's stone that is nearer to the centre; else None."""
    width, height = size
    if not history:
        return width // 2, height // 2
    if len(history) > 1:
        return None
    ((x, y),) = history
    if not (ROOM <= x < width - ROOM and ROOM <= y < height - ROOM):
        return None
    return x + (1 if 2 * x < width else -1), y + (1 if 2 * y < height else -1)
