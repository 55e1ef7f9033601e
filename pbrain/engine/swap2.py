"""Swap2: three stones that the engine itself judges balanced, and which side to take of those it is offered."""

from pbrain.core.params import WHITE, WIN
from pbrain.core.types import Budget, Limits, Move
from pbrain.engine.engine import Engine

# White is to move after three stones, and after five. A search's value of the side to move carries the advantage of
# the move itself; below this, either side is as good.
BALANCED = 60

# Shapes of three stones around the centre, black, white, black, as offsets: far enough apart that no side is winning.
SHAPES: tuple[tuple[Move, Move, Move], ...] = (
    ((0, 0), (1, -1), (3, 2)),
    ((0, 0), (0, -1), (3, 1)),
    ((0, 0), (1, 1), (-3, 2)),
    ((0, 0), (3, 0), (1, 3)),
    ((0, 0), (2, 3), (-3, 1)),
    ((0, 0), (-1, 3), (3, 3)),
    ((0, 0), (3, -2), (-2, -3)),
    ((0, 0), (4, 1), (2, -3)),
)


def answer(engine: Engine, stones: list[Move], limits: Limits, asked_ns: int) -> str:
    """The reply to SWAP2BOARD; the engine's board is used for thinking and is as before afterwards."""
    before, mover = engine.stones, engine.to_move
    try:
        if not stones:
            return _text(_balanced_three(engine, limits, asked_ns))
        engine.set_position([(x, y, i % 2) for i, (x, y) in enumerate(stones)], to_move=WHITE)
        report = engine.think(limits, asked_ns)
        if report.score < -BALANCED:
            return "SWAP"
        if len(stones) == 3 and report.score <= BALANCED and len(report.line) >= 2:
            return _text(report.line[:2])
        return _text(report.line[:1])
    finally:
        engine.set_position(before, mover)


def _balanced_three(engine: Engine, limits: Limits, asked_ns: int) -> tuple[Move, ...]:
    """Of the shapes that fit, the one whose value is nearest to nothing; each gets an equal part of the time."""
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
        report = engine.think(_part_of(limits, i + 1, len(offers)), asked_ns)
        if abs(report.score) < least:
            best, least = offer, abs(report.score)
    return best


def _part_of(limits: Limits, part: int, parts: int) -> Limits:
    if limits.budget is None:
        return limits
    optimum, maximum = limits.budget
    return limits._replace(budget=Budget(optimum * part / parts, maximum * part / parts))


def _text(moves: tuple[Move, ...]) -> str:
    return " ".join(f"{x},{y}" for x, y in moves)
