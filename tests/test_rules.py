"""What wins, what is forbidden and what a cell is worth, as facts that people can check on a board."""

import random

import pytest

from pbrain.core.params import BLACK, WHITE, CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from tests import notation, snapshot
from tests.naive_renju import RenjuReferee
from tests.rule_facts import RENJU_FACTS, RenjuFact, coloured_cell

EVERYDAY_BOARDS, FULL_BOARDS = 200, 20_000


@pytest.mark.parametrize("fact", RENJU_FACTS, ids=[fact.name for fact in RENJU_FACTS])
def test_renju_facts(engine: Engine, fact: RenjuFact) -> None:
    engine.new_game(15, 15, Rule.RENJU)
    for cell, colour in fact.placed.items():
        engine.play(*cell, colour)
    (x, y), colour = coloured_cell(fact.move)
    is_foul = colour == BLACK and engine.is_forbidden(x, y)
    assert is_foul == (fact.verdict not in ("win", "legal"))
    if not is_foul:
        engine.play(x, y, colour)
        assert engine.winner == (colour if fact.verdict == "win" else None)


def test_gomocups_acceptance_positions(engine: Engine) -> None:
    """Gomocup asks brains for a move in these; here is what the rules must know to find it."""
    for rule in Rule:
        notation.set_up(engine, rule, "h8h9i8i9j8j9k8k9")
        assert {engine.cell_class(BLACK, *cell).name for cell in notation.parse("g8l8")} == {"FIVE"}
    notation.set_up(engine, Rule.EXACT_FIVE, "h8h9i8h10g8h11j13h12g14h14i15")
    assert engine.count(WHITE, CellClass.FIVE) == 0
    assert {engine.cell_class(BLACK, *cell).name for cell in notation.parse("f8j8")} == {"OPEN_FOUR"}
    notation.set_up(engine, Rule.RENJU, "h8h9i7i9h10i6i11i12")
    assert engine.is_forbidden(*notation.parse("g9")[0])
    notation.set_up(engine, Rule.CARO, "h8f8g8f9i8f7j8l8")
    assert engine.count(BLACK, CellClass.FIVE) == 0
    assert {engine.cell_class(WHITE, *cell).name for cell in notation.parse("f6f10")} == {"OPEN_FOUR"}


def random_dense_board(rng: random.Random, engine: Engine) -> dict[tuple[int, int], str]:
    """A board with clusters of stones, more black than white: where forbidden points are."""
    size = rng.choice((9, 11, 15, 15, 15, 19, 22))
    engine.new_game(size, size, Rule.RENJU)
    stones: dict[tuple[int, int], str] = {}
    share = rng.uniform(0.15, 0.6)
    white = rng.uniform(0.1, 0.5)
    for y in range(size):
        for x in range(size):
            if rng.random() < share:
                stone = "O" if rng.random() < white else "X"
                # Black has no five yet and has made no overline: such boards have no forbidden points to ask for.
                if stone == "X" and engine.cell_class(BLACK, x, y) in (CellClass.FIVE, CellClass.FORBIDDEN):
                    continue
                engine.play(x, y, "XO".index(stone))
                stones[x, y] = stone
    return stones


def compare_forbidden_points(engine: Engine, boards: int, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    seen = {"cells": 0, "overline": 0, "double-four": 0, "double-three": 0, "false double-three": 0}
    for _ in range(boards):
        stones = random_dense_board(rng, engine)
        width, height = engine.size
        referee = RenjuReferee(width, height, stones)
        for y in range(height):
            for x in range(width):
                if (x, y) in stones:
                    continue
                foul = referee.foul((x, y))
                assert engine.is_forbidden(x, y) == (foul is not None), (snapshot.board(engine), x, y, foul)
                seen["cells"] += 1
                if foul:
                    seen[foul] += 1
                elif engine.cell_class(BLACK, x, y) == CellClass.SUSPECT:
                    seen["false double-three"] += 1
    return seen


def test_forbidden_points_agree_with_the_second_implementation(engine: Engine) -> None:
    seen = compare_forbidden_points(engine, EVERYDAY_BOARDS, seed=1)
    assert all(seen.values()), seen


@pytest.mark.slow
def test_forbidden_points_agree_with_the_second_implementation_in_full(engine: Engine) -> None:
    seen = compare_forbidden_points(engine, FULL_BOARDS, seed=2)
    print(seen)
    assert all(seen.values()), seen


def classes_of(engine: Engine, picture: str, rule: Rule, colour: int = BLACK) -> dict[str, str]:
    """The classes of the cells that a picture names with lower-case letters."""
    notation.draw(engine, rule, picture)
    rows = [row.split() for row in picture.strip().splitlines()]
    marked = {char: (x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char.islower()}
    return {char: engine.cell_class(colour, *cell).name for char, cell in sorted(marked.items())}


ONE_LINE = ". . . . . . . . . . . . . . ."


def one_line(line: str) -> str:
    return "\n".join([*[ONE_LINE] * 5, line, *[ONE_LINE] * 5])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # rules in the order freestyle, exactly five, renju, caro, caro with exactly five
        (". . . X X X X a . . . . . . .", ["FIVE"] * 5),
        (". . O X X X X a O . . . . . .", ["FIVE", "FIVE", "FIVE", "other", "other"]),
        ("a X X X X O . . . . . . . . .", ["FIVE"] * 5),  # the edge does not shut a line in
        (". . X X X a X X . . . . . . .", ["FIVE", "other", "FORBIDDEN", "FIVE", "other"]),
        (". O X X X a X X O . . . . . .", ["FIVE", "other", "FORBIDDEN", "FIVE", "other"]),
        (". . . X X X a . . . . . . . .", ["OPEN_FOUR"] * 5),
        # Blocked at one end, the four has one way to five left: in caro the answer at the other end shuts it in.
        (". O . X X X a . . . . . . . .", ["OPEN_FOUR", "OPEN_FOUR", "OPEN_FOUR", "FOUR", "FOUR"]),
        (". X . X X X a . . . . . . . .", ["OPEN_FOUR", "FOUR", "FOUR", "OPEN_FOUR", "FOUR"]),
        (". O X X X a . . . . . . . . .", ["FOUR", "FOUR", "FOUR", "FOUR", "FOUR"]),
        (". X . X a X . X . . . . . . .", ["OPEN_FOUR", "OPEN_FOUR", "FORBIDDEN", "OPEN_FOUR", "OPEN_FOUR"]),
    ],
)
def test_lines_under_each_rule(engine: Engine, line: str, expected: list[str]) -> None:
    found = [classes_of(engine, one_line(line), rule)["a"] for rule in Rule]
    known = {"FIVE", "OPEN_FOUR", "FOUR", "FORBIDDEN"}
    assert [name if name in known else "other" for name in found] == expected


def test_threats_combine_into_cell_classes(engine: Engine) -> None:
    picture = """
        . . . . . . . . . . . . .
        . . . . . . . . . . . . .
        . . . . . X . . . . . . .
        . . . . . X . . . . . . .
        . . . . . X . . . . . . .
        . . X X X a . . . . . . .
        . . . . . . . . . . . . .
        . . . . . . . . . X . . .
        . . . . . . . . . X . . .
        . . . . . . . X X b . . .
        . . . . . . . . . . . . .
        . . . . . . . . . . . . .
        . . . . . . . . . . . . .
    """
    assert classes_of(engine, picture, Rule.FREESTYLE) == {"a": "OPEN_FOUR", "b": "DOUBLE_THREE"}
    assert classes_of(engine, picture, Rule.RENJU) == {"a": "FORBIDDEN", "b": "SUSPECT"}
    # White has two open lines left through each, both diagonals.
    assert classes_of(engine, picture, Rule.RENJU, WHITE) == {"a": "ONE_ONE", "b": "ONE_ONE"}


def test_the_rule_masks_of_the_protocol() -> None:
    assert [Rule.from_mask(mask) for mask in (0, 1, 2, 3, 4, 8, 9)] == [
        Rule.FREESTYLE,
        Rule.EXACT_FIVE,
        Rule.FREESTYLE,
        Rule.EXACT_FIVE,
        Rule.RENJU,
        Rule.CARO,
        Rule.CARO_EXACT_FIVE,
    ]
    for mask in (5, 12, 16, -1):
        with pytest.raises(ValueError, match="not a valid Rule"):
            Rule.from_mask(mask)
