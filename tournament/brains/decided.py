"""Whether a game is decided under the manager's rule."""

import re

from tournament.brains.lines import Lines
from tournament.brains.position import OPPOSITE, OTHER, OWN, RENJU, Position

EXACT_FIVE, CONTINUOUS, CARO = 1, 2, 8  # bits of the protocol's rule
RUNS = re.compile(f"{OWN}{{5,}}|{OTHER}{{5,}}")


def has_winner(position: Position) -> bool:
    """Whether either side has a winning line; a continuous game has no winner."""
    if position.rule & CONTINUOUS:
        return False
    lines = Lines(position, sight=1)
    return any(is_winning(run, position) for text in lines.texts for run in RUNS.finditer(text))


def is_winning(run: re.Match[str], position: Position) -> bool:
    """Whether a run of five or more wins: overlines, and in caro fives blocked at both ends, may not."""
    colour = run[0][0]
    if len(run[0]) > 5:
        is_black = (colour == OWN) == position.is_black
        return not (position.rule & EXACT_FIVE or (position.rule & RENJU and is_black))
    ends = run.string[run.start() - 1] + run.string[run.end()]
    return not (position.rule & CARO and ends == 2 * OPPOSITE[colour])
