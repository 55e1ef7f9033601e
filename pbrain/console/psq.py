"""Games in the file format of Piskvork."""

from collections.abc import Sequence
from typing import NamedTuple

from pbrain.core.types import Move

HUMAN_LEVEL = 0
# Time per move of Piskvork's levels 1, 2, …
LEVELS_MS = (100, 300, 600, 1000, 1500, 2500, 5000, 10_000, 15_000, 30_000, 60_000)
BLACK_STARTS = 0
NORMAL_END = 0
LINE_END = "\r\n"  # as Piskvork writes it


class TimedMove(NamedTuple):
    """A move and how long it took."""

    move: Move
    taken_ms: float


def level(turn_ms: float) -> int:
    """The highest level whose time per move fits into `turn_ms`, and at least level 1."""
    return max(1, sum(level_ms <= turn_ms for level_ms in LEVELS_MS))


def psq_text(size: tuple[int, int], levels: tuple[int, int], moves: Sequence[TimedMove]) -> str:
    """The contents of a file; `levels` are black's and white's."""
    header = f"Piskvorky {size[0]}x{size[1]}, {levels[0]}:{levels[1]}, {BLACK_STARTS}"
    body = [f"{x + 1},{y + 1},{round(taken_ms)}" for (x, y), taken_ms in moves]
    return "".join(line + LINE_END for line in [header, *body, str(NORMAL_END)])
