"""Random openings of self-play: a few stones that the search considers balanced."""

import random
from collections.abc import Callable

from pbrain.core.types import Limits, Move, Rule
from pbrain.engine.engine import Engine, IllegalMoveError
from pbrain.learn.player import think

MIN_STONES, MAX_STONES = 2, 7
REACH = 3  # the stones of a close opening are within this distance of its centre
MAX_OPENING_SCORE = 400  # openings with a larger score are not played

Opening = Callable[[random.Random, int, int], list[Move]]  # of a board of this width and height


def close_opening(rng: random.Random, width: int, height: int) -> list[Move]:
    """A few stones close together, anywhere on the board."""
    x, y = (rng.randrange(REACH, size - REACH) for size in (width, height))
    cells = [(x + dx, y + dy) for dx in range(-REACH, REACH + 1) for dy in range(-REACH, REACH + 1)]
    return rng.sample(cells, rng.randint(MIN_STONES, MAX_STONES))


def far_opening(rng: random.Random, width: int, height: int) -> list[Move]:
    """A few stones anywhere on the board."""
    cells = [(x, y) for x in range(width) for y in range(height)]
    return rng.sample(cells, rng.randint(MIN_STONES, MAX_STONES))


def set_up_opening(
    engine: Engine, rule: Rule, size: tuple[int, int], rng: random.Random, limits: Limits, opening: Opening
) -> None:
    """Set up a legal opening that the search considers balanced."""
    while True:
        engine.new_game(*size, rule)
        try:
            for x, y in opening(rng, *size):
                if engine.is_forbidden(x, y):
                    raise IllegalMoveError
                engine.play(x, y)
        except IllegalMoveError:
            continue
        if engine.winner is None and abs(think(engine, limits).score) <= MAX_OPENING_SCORE:
            return
