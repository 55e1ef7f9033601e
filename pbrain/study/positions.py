"""Positions of played games, chosen by a seed: early, middle and late."""

import random
from collections.abc import Iterable, Sequence

from pbrain.core.types import Move

SIZE = 15
STAGES = ("early", "middle", "late")
STAGE_STARTS = (0, 10, 25)  # stones on the board from which on a stage lasts
MIN_STONES = 4
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))

OPENINGS = 50
REACH = 2  # of the opening stones around the first

Position = tuple[Move, ...]  # stones in the order of play, black first


def central_openings(seed: int) -> list[list[Move]]:
    """Openings as offsets: the first stone in the centre, as the documents have it, two more near it."""
    rng = random.Random(seed)
    near = [(x, y) for x in range(-REACH, REACH + 1) for y in range(-REACH, REACH + 1) if (x, y) != (0, 0)]
    return [[(0, 0), *rng.sample(near, 2)] for _ in range(OPENINGS)]


def stage_of(stones: int) -> str:
    return STAGES[sum(stones >= start for start in STAGE_STARTS) - 1]


def line_through(move: Move, stones: Iterable[Move]) -> list[Move]:
    """The longest line of these stones through a move, the move included."""
    own = {*stones, move}
    longest: list[Move] = []
    for dx, dy in DIRECTIONS:
        line = [move]
        for sign in (1, -1):
            x, y = move[0] + sign * dx, move[1] + sign * dy
            while (x, y) in own:
                line.append((x, y))
                x, y = x + sign * dx, y + sign * dy
        longest = max(longest, line, key=len)
    return longest


def is_quiet(position: Position) -> bool:
    """Whether neither side can make five at once: brains answer fives without a search."""
    taken = set(position)
    empty = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) not in taken]
    return not any(len(line_through(cell, stones)) >= 5 for stones in (position[::2], position[1::2]) for cell in empty)


def quiet_positions(games: Sequence[Sequence[Move]]) -> list[Position]:
    """All different quiet positions of these games, in their order, before the last move of each."""
    prefixes = (tuple(game[:count]) for game in games for count in range(MIN_STONES, len(game)))
    unique: dict[frozenset[tuple[Move, int]], Position] = {}
    for position in prefixes:
        unique.setdefault(frozenset((move, i % 2) for i, move in enumerate(position)), position)
    return [position for position in unique.values() if is_quiet(position)]


def choose(positions: Sequence[Position], per_stage: int, seed: int) -> list[Position]:
    """So many positions of each stage, or all that there are."""
    rng = random.Random(seed)
    chosen = []
    for stage in STAGES:
        of_stage = [position for position in positions if stage_of(len(position)) == stage]
        chosen += rng.sample(of_stage, min(per_stage, len(of_stage)))
    return chosen
