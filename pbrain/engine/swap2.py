"""Swap2: three stones whose position the engine scores as balanced, and the choice of a side."""

from pbrain.core.params import WHITE, WIN
from pbrain.core.types import Move, SearchLimits
from pbrain.engine import timeman
from pbrain.engine.engine import Engine

# White is to move after three stones and after five. The score for the side to move includes the advantage of the
# move itself: up to this, either side is as good.
BALANCED = 60

# Black, white and black stones as offsets from the centre. In searches of 100,000 nodes on 15x15 and 20x20, none of
# them scores more than 140 for either side.
SHAPES: tuple[tuple[Move, Move, Move], ...] = (
    ((0, 0), (1, 1), (-3, 2)),
    ((0, 0), (1, 0), (-3, -3)),
    ((0, 0), (0, -2), (4, -2)),
    ((0, 0), (-1, 3), (-2, -4)),
    ((0, 0), (2, -1), (-2, -4)),
    ((0, 0), (-2, 0), (2, -3)),
    ((0, 0), (-1, 1), (1, 4)),
    ((0, 0), (-3, 2), (-3, 4)),
)


def answer(engine: Engine, stones: list[Move], limits: SearchLimits) -> str:
    """The reply to SWAP2BOARD; the engine thinks on its own board, and its position is restored."""
    before = engine.saved()
    try:
        if not stones:
            return _text(_balanced_three(engine, limits))
        engine.set_position([(x, y, i % 2) for i, (x, y) in enumerate(stones)], to_move=WHITE)
        report = engine.think(limits)
        if report.score < -BALANCED:
            return "SWAP"
        if len(stones) == 3 and report.score <= BALANCED and len(report.line) >= 2:
            return _text(report.line[:2])
        return _text(report.line[:1])
    finally:
        engine.restore(before)


def _balanced_three(engine: Engine, limits: SearchLimits) -> tuple[Move, ...]:
    """Of the shapes that fit, the one whose score is nearest to zero; each gets an equal part of the time."""
    width, height = engine.size
    offers = [
        tuple((width // 2 + dx, height // 2 + dy) for dx, dy in shape)
        for shape in SHAPES
        if all(0 <= width // 2 + dx < width and 0 <= height // 2 + dy < height for dx, dy in shape)
    ]
    if not offers:
        offers = [((0, 0), (width - 1, 0), (0, height - 1))]
    best, least = offers[0], 2 * WIN
    for i, offer in enumerate(offers):
        engine.set_position([(x, y, j % 2) for j, (x, y) in enumerate(offer)], to_move=WHITE)
        report = engine.think(timeman.part_of(limits, i + 1, len(offers)))
        if abs(report.score) < least:
            best, least = offer, abs(report.score)
    return best


def _text(moves: tuple[Move, ...]) -> str:
    return " ".join(f"{x},{y}" for x, y in moves)
