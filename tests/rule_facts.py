"""Decisions of the rules that people can check on a board, for the engine and for the runner's referee.

The first twelve renju decisions are facts of qpiskvork's tests (Joker2770/qpiskvork, renju_rules_test.cpp); the
acceptance positions are those of Gomocup (Gomocup/GomocupJudge, test_zip_rules.py).
"""

from typing import NamedTuple

from tests.naive import Cell


class RenjuFact(NamedTuple):
    """Stones and a move on a 15x15 board, x and y from 0; stones are black unless W stands before them."""

    name: str
    stones: str
    move: str
    verdict: str  # win, legal, or the name of the foul

    @property
    def placed(self) -> dict[Cell, int]:
        return dict(coloured_cell(stone) for stone in self.stones.split())


def coloured_cell(text: str) -> tuple[Cell, int]:
    """`W3,5` is a white stone on 3,5; black is 0, white is 1."""
    x, y = map(int, text.lstrip("W").split(","))
    return (x, y), int(text.startswith("W"))


RENJU_FACTS = [
    RenjuFact("double three of five stones", "5,7 6,7 7,5 7,6", "7,7", "double-three"),
    RenjuFact("double three, a stone elsewhere", "0,0 5,7 6,7 7,5 7,6", "7,7", "double-three"),
    RenjuFact("double four", "4,7 5,7 6,7 7,4 7,5 7,6", "7,7", "double-four"),
    RenjuFact("double four, stones elsewhere", "0,0 1,0 4,7 5,7 6,7 7,4 7,5 7,6", "7,7", "double-four"),
    RenjuFact(
        "a four that could only become an overline, and a real one",
        "0,0 1,0 2,0 5,0 6,0 7,0 3,1 3,2 3,3",
        "3,0",
        "legal",
    ),
    RenjuFact("a false three (9.3 a)", "3,7 5,7 7,7 8,5 8,6", "8,7", "legal"),
    RenjuFact("four and three", "4,7 5,7 6,7 7,5 7,6", "7,7", "legal"),
    RenjuFact("four and two threes", "4,7 5,7 6,7 7,5 7,6 5,5 6,6", "7,7", "double-three"),
    RenjuFact("overline", "0,0 1,0 2,0 4,0 5,0 6,0", "3,0", "overline"),
    RenjuFact("five", "4,0 5,0 6,0 7,0", "3,0", "win"),
    RenjuFact("white's overline", "W0,5 W1,5 W2,5 W4,5 W5,5 W6,5", "W3,5", "win"),
    RenjuFact("white's double three", "W5,7 W6,7 W7,5 W7,6", "W7,7", "legal"),
    # Two fours in one line: X_XXX_X, XX_XX_XX and XXX_X_XXX, the last stone in the middle.
    RenjuFact("two fours in one line, 1-3-1", "3,7 5,7 7,7 9,7", "6,7", "double-four"),
    RenjuFact("two fours in one line, 2-2-2", "2,7 3,7 5,7 8,7 9,7", "6,7", "double-four"),
    RenjuFact("two fours in one line, 3-1-3", "2,7 3,7 4,7 8,7 9,7 10,7", "6,7", "double-four"),
    RenjuFact("a straight four is one four", "4,7 5,7 6,7", "7,7", "legal"),
    RenjuFact("a five in spite of an overline", "4,7 5,7 6,7 7,7 8,1 8,2 8,3 8,4 8,5 8,6", "8,7", "win"),
    RenjuFact("a three shut in by white is none", "5,7 6,7 7,5 7,6 W4,7 W9,7", "7,7", "legal"),
]

# Name, rules, position, moves: all rules win at once, and each of the others is decided by what only its rule says.
ACCEPTANCE_POSITIONS = [
    ("all five", (0, 1, 4, 8), "h8h9i8i9j8j9k8k9", ("g8", "l8")),
    ("exactly five", (1,), "h8h9i8h10g8h11j13h12g14h14i15", ("f8", "j8")),
    ("renju", (4,), "h8h9i7i9h10i6i11i12", ("g9",)),
    ("caro", (8,), "h8f8g8f9i8f7j8l8", ("f5", "f6", "f10", "f11")),
]
