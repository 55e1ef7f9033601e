"""Positions as people write them."""

import re

from pbrain.core.types import Rule
from pbrain.engine.engine import Engine


def parse(position: str) -> list[tuple[int, int]]:
    """`h8i9` → cells; a1 is x 0, y 0."""
    return [(ord(column) - ord("a"), int(row) - 1) for column, row in re.findall(r"([a-z])(\d+)", position)]


def set_up(engine: Engine, rule: Rule, position: str, size: int = 15) -> None:
    engine.new_game(size, size, rule)
    for cell in parse(position):
        engine.play(*cell)


def draw(engine: Engine, rule: Rule, picture: str) -> None:
    """A board as large as a picture of it: X black, O white, anything else between spaces empty."""
    rows = [row.split() for row in picture.strip().splitlines()]
    engine.new_game(len(rows[0]), len(rows), rule)
    for y, row in enumerate(rows):
        for x, char in enumerate(row):
            if char in "XO":
                engine.play(x, y, "XO".index(char))
