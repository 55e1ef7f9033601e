"""The first two moves of a game, which need no search."""

from collections.abc import Sequence

from pbrain.core.types import Move

# From this far off the edge, a diagonal reply towards the centre is right; nearer to it, a search has to find one.
ROOM = 4


def first_move(size: tuple[int, int], history: Sequence[Move]) -> Move | None:
    """The centre, or the cell diagonally next to the first stone on the side of the centre; None for later moves."""
    width, height = size
    if not history:
        return width // 2, height // 2
    if len(history) > 1:
        return None
    ((x, y),) = history
    if not (ROOM <= x < width - ROOM and ROOM <= y < height - ROOM):
        return None
    return x + (1 if 2 * x < width else -1), y + (1 if 2 * y < height else -1)
