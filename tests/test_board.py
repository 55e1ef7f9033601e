"""The kernel against its slow twin, on random positions of every rule and many shapes of board."""

import random

import pytest

from pbrain.core.params import CELLS
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine, cell_at
from pbrain.engine.evaluation import threat_counts
from tests import naive, snapshot

SIZES = ((15, 15), (20, 20), (22, 22), (5, 5), (5, 22), (22, 7), (9, 13))
EVERYDAY_POSITIONS, FULL_POSITIONS = 1_500, 100_000


def random_move(engine: Engine, rng: random.Random) -> naive.Cell:
    """Beside other stones three times in four, so that shapes form; else anywhere, corners included."""
    board = snapshot.board(engine)
    empty = [(x, y) for x, y in naive.cells_of(board) if board[y][x] == "."]
    near = sorted(snapshot.candidates(engine))
    return rng.choice(near if near and rng.random() < 0.75 else empty)


def expected_key(engine: Engine) -> int:
    tables, key = engine._tables, 0
    for y, row in enumerate(snapshot.board(engine)):
        for x, stone in enumerate(row):
            if stone != ".":
                key ^= tables.zobrist["XO".index(stone)][cell_at(x, y)]
    return key ^ (tables.zobrist_side if engine.to_move else 0)


def compare_with_twin(engine: Engine, rule: Rule) -> None:
    board = snapshot.board(engine)
    black, white = (naive.classes(board, colour, rule) for colour in "XO")
    assert snapshot.classes(engine, 0) == black
    assert snapshot.classes(engine, 1) == white
    assert snapshot.threats(engine, 0) == naive.counted_threats(black)
    assert snapshot.threats(engine, 1) == naive.counted_threats(white)
    assert engine._state.value[0] == naive.value_of_cells(black, white, rule)
    assert engine._state.value[1] == naive.value_of_cells(white, black, rule)
    mine, theirs = (black, white) if engine.to_move == 0 else (white, black)
    assert tuple(threat_counts(engine.threat_index)) == naive.threats(mine, theirs)
    assert engine.value == naive.evaluation(mine, theirs, rule, engine.to_move)
    assert snapshot.candidates(engine) == {(x, y) for x, y in naive.near_stones(board) if board[y][x] == "."}
    assert engine._state.key == expected_key(engine)


def walk_and_compare(engine: Engine, rule: Rule, size: tuple[int, int], positions: int, seed: int) -> None:
    """Play random games, and compare every position on the way; some stones are taken back, some colours repeat."""
    rng = random.Random(seed)
    compared = 0
    while compared < positions:
        engine.new_game(*size, rule)
        for _ in range(rng.randrange(4, size[0] * size[1] + 1)):
            cell = random_move(engine, rng)
            colour = rng.randrange(2) if rng.random() < 0.1 else engine.to_move
            before = snapshot.state_bytes(engine)
            engine.play(*cell, colour)
            has_won = naive.move_wins(snapshot.board(engine), cell, rule)
            assert engine.winner == (colour if has_won else None)
            compare_with_twin(engine, rule)
            compared += 1
            if has_won or rng.random() < 0.2:
                engine.undo()
                assert snapshot.state_bytes(engine) == before
            if engine.moves == size[0] * size[1] or compared >= positions:
                break
        while engine.moves:
            engine.undo()
        compare_with_twin(engine, rule)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("rule", Rule)
def test_kernel_agrees_with_the_twin(engine: Engine, rule: Rule, size: tuple[int, int]) -> None:
    walk_and_compare(engine, rule, size, EVERYDAY_POSITIONS // (len(SIZES) * len(Rule)) + 1, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("rule", Rule)
def test_kernel_agrees_with_the_twin_in_full(engine: Engine, rule: Rule, size: tuple[int, int]) -> None:
    walk_and_compare(engine, rule, size, FULL_POSITIONS // (len(SIZES) * len(Rule)) + 1, seed=2)


@pytest.mark.parametrize("boards", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", Rule)
def test_classes_depend_on_nothing_beyond_the_sight_of_a_key(engine: Engine, rule: Rule, boards: int) -> None:
    """The twin looking along whole lines finds what the kernel finds with its keys."""
    rng = random.Random(3)
    for _ in range(boards):
        engine.new_game(22, 5, rule)
        for _ in range(rng.randrange(10, 60)):
            engine.play(*random_move(engine, rng), rng.randrange(2))
        for colour in range(2):
            whole = naive.classes(snapshot.board(engine), "XO"[colour], rule, sight=12)
            assert snapshot.classes(engine, colour) == whole


def test_undo_restores_every_byte_to_the_empty_board(engine: Engine) -> None:
    rng = random.Random(4)
    for rule in Rule:
        engine.new_game(15, 15, rule)
        states = [snapshot.state_bytes(engine)]
        for _ in range(225):
            engine.play(*random_move(engine, rng))
            states.append(snapshot.state_bytes(engine))
        assert len(set(states)) == 226
        while engine.moves:
            assert snapshot.state_bytes(engine) == states.pop()
            engine.undo()
        assert [snapshot.state_bytes(engine)] == states


def test_asking_for_forbidden_points_changes_nothing(engine: Engine) -> None:
    rng = random.Random(5)
    engine.new_game(15, 15, Rule.RENJU)
    for _ in range(120):
        engine.play(*random_move(engine, rng))
    before = snapshot.state_bytes(engine)
    board = snapshot.board(engine)
    for x, y in naive.cells_of(board):
        if board[y][x] == ".":
            engine.is_forbidden(x, y)
    assert snapshot.state_bytes(engine) == before


def test_line_words_hold_the_stones(engine: Engine) -> None:
    rng = random.Random(6)
    engine.new_game(22, 9, Rule.FREESTYLE)
    for _ in range(80):
        engine.play(*random_move(engine, rng))
    lines = engine._state.lines
    stones = bytes(engine._state.stones)
    for cell in range(CELLS):
        x, y = cell % 32, cell // 32
        places = ((0, y, x), (1, x, y), (2, x - y + 31, x), (3, x + y, x))
        assert {lines[direction][line] >> (2 * at) & 3 for direction, line, at in places} == {stones[cell]}


def test_a_played_cell_is_taken_for_both(engine: Engine) -> None:
    engine.play(3, 4)
    assert [engine.cell_class(colour, 3, 4).name for colour in (0, 1)] == ["TAKEN", "TAKEN"]
    assert engine.to_move == 1


@pytest.mark.parametrize("size", [(4, 15), (15, 4), (23, 15), (15, 23), (0, 0), (-5, 15)])
def test_impossible_sizes_are_refused_and_change_nothing(engine: Engine, size: tuple[int, int]) -> None:
    engine.play(7, 7)
    before = snapshot.state_bytes(engine)
    with pytest.raises(ValueError, match="5 to 22"):
        engine.new_game(*size, Rule.FREESTYLE)
    assert snapshot.state_bytes(engine) == before


def test_impossible_moves_are_refused_and_change_nothing(engine: Engine) -> None:
    engine.new_game(15, 10, Rule.FREESTYLE)
    with pytest.raises(ValueError, match="no stone"):
        engine.undo()
    engine.play(7, 7)
    before = snapshot.state_bytes(engine)
    for x, y in ((7, 7), (15, 0), (0, 10), (-1, 3), (3, -1)):
        with pytest.raises(ValueError, match=r"taken|not on the board"):
            engine.play(x, y)
    assert snapshot.state_bytes(engine) == before
