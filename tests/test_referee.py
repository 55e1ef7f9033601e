"""The runner's referee: facts that people can check, and agreement with three other implementations of the rules."""

import random
from collections import Counter

import pytest

from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from tests import naive, notation
from tests.naive_renju import RenjuReferee
from tests.rule_facts import ACCEPTANCE_POSITIONS, RENJU_FACTS, RenjuFact, coloured_cell
from tournament.core.model import BLACK, WHITE, Board, Move
from tournament.core.rules import RULE_NAMES, Foul, IllegalMoveError, Outcome, Position, foul, winning_rows

FREESTYLE, EXACT_FIVE, RENJU, CARO, CARO_EXACT_FIVE = RULE_NAMES
ENGINE_MAX_SIZE = 22

Stones = dict[Move, int]


# -- facts -------------------------------------------------------------------------------------------------------------


def read_picture(picture: str) -> tuple[Board, Stones, Move]:
    """A renju board as large as its picture, its stones, X black and O white, and the cell of `a`."""
    rows = picture.split()
    cells = {(x, y): char for y, row in enumerate(rows) for x, char in enumerate(row)}
    stones = {cell: "XO".index(char) for cell, char in cells.items() if char in "XO"}
    return Board(len(rows[0]), len(rows), RENJU), stones, next(cell for cell, char in cells.items() if char == "a")


@pytest.mark.parametrize(
    ("line", "wins_under"),
    [
        ("..XXXXa...", tuple(RULE_NAMES)),
        ("aXXXXO....", tuple(RULE_NAMES)),  # the edge does not shut a row in
        ("....OXXXXa", tuple(RULE_NAMES)),
        (".OXXXXaO..", (FREESTYLE, EXACT_FIVE, RENJU)),
        (".OXXXXa.O.", tuple(RULE_NAMES)),
        ("..XXXaXX..", (FREESTYLE, CARO)),
        (".OXXXaXXO.", (FREESTYLE, CARO)),
        ("aXXXXXXXXX", (FREESTYLE, CARO)),
        ("..XXXa.XX.", ()),
    ],
)
def test_what_wins_under_each_rule(line: str, wins_under: tuple[int, ...]) -> None:
    _, stones, cell = read_picture(line)
    boards = [Board(len(line), 5, rule) for rule in RULE_NAMES]
    assert tuple(board.rule for board in boards if winning_rows(board, stones, cell, BLACK)) == wins_under


def test_an_overline_in_renju_is_blacks_foul_and_whites_win() -> None:
    board, stones, cell = read_picture("..XXXaXX..")
    assert foul(board, stones, cell) is Foul.OVERLINE
    assert not winning_rows(board, stones, cell, BLACK)
    whites = dict.fromkeys(stones, WHITE)
    assert winning_rows(board, whites, cell, WHITE) == [[(x, 0) for x in range(2, 8)]]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("...X.XaX.X....", Foul.DOUBLE_FOUR),
        ("..XX.Xa.XX....", Foul.DOUBLE_FOUR),
        ("..XXX.a.XXX...", Foul.DOUBLE_FOUR),
        ("..XXX.a.XXXX..", None),  # to the right is no four: one more stone makes six
        ("....XXXa......", None),  # a straight four is one
        ("...OXXXa......", None),
        ("....X.Xa.X....", None),  # no four at all
    ],
)
def test_fours_in_one_line(line: str, expected: Foul | None) -> None:
    assert foul(*read_picture(line)) is expected


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        ("......... ....X.... ....X.... ..XXa.... ......... ......... .........", Foul.DOUBLE_THREE),
        ("......... ....X.... ....X.... .OXXa.... ......... ......... .........", None),
        ("......... ....X.... ....X.... .O.XXaO.. ......... ......... .........", None),
        # With the row of six around it, the gap in the column is an overline: the column is no three.
        ("......... ....X.... ....X.... ......... ..XXa.... ......... .........", Foul.DOUBLE_THREE),
        ("......... ....X.... ....X.... .XXX.XXX. ..XXa.... ......... .........", None),
    ],
)
def test_double_threes(picture: str, expected: Foul | None) -> None:
    assert foul(*read_picture(picture)) is expected


def test_a_five_wins_whatever_else_it_makes() -> None:
    board, stones, cell = read_picture(".XXXXa.... .....X.... .....X.... .....X.... .....X.... .....X.... ..........")
    assert foul(board, stones, cell) is None
    assert winning_rows(board, stones, cell, BLACK) == [[(x, 0) for x in range(1, 6)]]


def test_only_black_only_in_renju_has_fouls() -> None:
    board, stones, cell = read_picture("......... ....X.... ....X.... ..XXa.... ......... ......... .........")
    for rule in RULE_NAMES:
        expected = Foul.DOUBLE_THREE if rule == RENJU else None
        assert foul(Board(board.width, board.height, rule), stones, cell) is expected
    position = Position(board)
    for move in [(0, 0), (4, 1), (2, 0), (4, 2), (8, 6), (2, 3), (8, 0), (3, 3), (0, 6)]:
        position.play(*move)
    assert position.to_move == WHITE
    assert position.outcome_of((4, 3)) is Outcome.GOES_ON


@pytest.mark.parametrize("mask", [0, 1, 4, 8, 9])
def test_a_continuous_game_is_judged_as_any_other(mask: int) -> None:
    for line in ("..XXXXa...", ".OXXXXaO..", "..XXXaXX.."):
        _, stones, cell = read_picture(line)
        plain, continuous = (winning_rows(Board(10, 5, rule), stones, cell, BLACK) for rule in (mask, mask | 2))
        assert plain == continuous


@pytest.mark.parametrize("board", [Board(4, 15), Board(15, 33), Board(15, 15, 5), Board(15, 15, 12), Board(15, 15, -1)])
def test_boards_and_rules_that_do_not_exist(board: Board) -> None:
    with pytest.raises(ValueError, match=r"a board must have 5 to 32 cells|unknown rule"):
        Position(board)


# -- a game ------------------------------------------------------------------------------------------------------------


def test_a_game_is_won_and_its_line_known() -> None:
    position = Position(Board(15, 15), notation.parse("h8a1i8a2j8a3k8a4"))
    assert position.to_move == BLACK
    assert position.outcome_of((11, 7)) is Outcome.WINS
    line = tuple(notation.parse("h8i8j8k8l8"))
    assert position.winning_line((11, 7)) == line
    assert position.play(11, 7) is Outcome.WINS
    assert position.winning_line((9, 7)) == line


def test_two_rows_at_once_share_a_cell() -> None:
    moves = notation.parse("a5a15b5c15c5e15d5g15e1i15e2k15e3m15e4o15")
    assert len(Position(Board(15, 15), moves).winning_line((4, 4))) == 9


def test_moves_that_cannot_be_made_change_nothing() -> None:
    position = Position(Board(7, 5), [(3, 3)])
    for move, reason in [
        ((3, 3), "3,3 is taken"),
        ((7, 0), "7,0 is not on"),
        ((0, -1), "0,-1 is not on the 7 x 5 board"),
    ]:
        assert reason in (position.why_illegal(move) or "")
        with pytest.raises(IllegalMoveError, match=reason):
            position.play(*move)
    assert position.why_illegal((6, 4)) is None
    assert (position.stones, position.to_move) == ({(3, 3): BLACK}, WHITE)


def test_the_last_cell_fills_the_board() -> None:
    cells = [(x, y) for y in range(5) for x in range(5)]
    # Pairs of columns change hands each row: nobody gets three in a row.
    black = [(x, y) for x, y in cells if (x + 2 * y) % 4 < 2]
    white = [cell for cell in cells if cell not in black]
    order = [cell for pair in zip(black, white, strict=False) for cell in pair] + black[len(white) :]
    position = Position(Board(5, 5), order[:-1])
    assert len(order) == 25
    assert position.play(*order[-1]) is Outcome.FULL


@pytest.mark.parametrize(
    ("first_row", "expected"),
    [("XXX.XXO", Outcome.NO_MOVE), ("XXX.XOO", Outcome.GOES_ON), ("XOX.XXO", Outcome.GOES_ON)],
    ids=["six", "five", "three"],
)
def test_black_with_only_forbidden_points_has_a_draw(first_row: str, expected: Outcome) -> None:
    """One cell is left for black, and white's last move is in a corner."""
    rows = (first_row, "OOXXOOX", "XXOOXXO", "OOXXOOX", "XXOOXX.")
    position = Position(Board(7, 5, RENJU))
    position.stones = {
        (x, y): "XO".index(char) for y, row in enumerate(rows) for x, char in enumerate(row) if char != "."
    }
    assert position.to_move == WHITE
    assert position.outcome_of((6, 4)) is expected


# -- agreement ---------------------------------------------------------------------------------------------------------


def random_stones(rng: random.Random, width: int, height: int) -> Stones:
    """Stones of which black or white has more, on some of the cells or nearly all."""
    share, white = rng.uniform(0.2, 0.95), rng.uniform(0.1, 0.9)
    cells = [(x, y) for y in range(height) for x in range(width)]
    return {cell: int(rng.random() < white) for cell in cells if rng.random() < share}


def as_naive(stones: Stones, width: int, height: int) -> naive.Board:
    board = naive.empty_board(width, height)
    for (x, y), colour in stones.items():
        board[y][x] = "XO"[colour]
    return board


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_winning_rows_agree_with_the_naive_twin(rule: int) -> None:
    rng = random.Random(100 + rule)
    seen: Counter[bool] = Counter()
    for _ in range(1000):
        board = Board(rng.randint(5, 32), rng.randint(5, 32), rule)
        stones = random_stones(rng, board.width, board.height)
        twin = as_naive(stones, board.width, board.height)
        for cell in rng.sample(sorted(stones), min(len(stones), 4)):
            wins = bool(winning_rows(board, stones, cell, stones[cell]))
            assert wins == naive.move_wins(twin, cell, rule), (twin, cell)
            seen[wins] += 1
    assert min(seen[True], seen[False]) > 300, seen


def fouls_of_twin(board: Board, stones: Stones) -> dict[Move, str | None]:
    """What the renju twin says of each empty cell."""
    twin = RenjuReferee(board.width, board.height, {cell: "XO"[colour] for cell, colour in stones.items()})
    cells = [(x, y) for y in range(board.height) for x in range(board.width)]
    return {cell: twin.foul(cell) for cell in cells if cell not in stones}


def name_of(found: Foul | None) -> str | None:
    return found and found.name.lower().replace("_", "-")


def test_fouls_agree_with_the_renju_twin() -> None:
    rng = random.Random(4)
    seen: Counter[str | None] = Counter()
    for _ in range(150):
        board = Board(rng.randint(5, 19), rng.randint(5, 19), RENJU)
        share, white = rng.uniform(0.15, 0.6), rng.uniform(0.1, 0.5)
        cells = [(x, y) for y in range(board.height) for x in range(board.width)]
        stones = {cell: int(rng.random() < white) for cell in cells if rng.random() < share}
        for cell, expected in fouls_of_twin(board, stones).items():
            assert name_of(foul(board, stones, cell)) == expected, (stones, cell)
            seen[expected] += 1
    assert min(seen["overline"], seen["double-four"], seen["double-three"]) > 50, seen


def near_moves(rng: random.Random, position: Position) -> list[Move]:
    """Some empty cells, most of them near the stones, where lines grow."""
    cells = [(x, y) for x in range(position.board.width) for y in range(position.board.height)]
    empty = [cell for cell in cells if cell not in position.stones]
    near = [(x, y) for x, y in empty if any(abs(x - a) < 2 and abs(y - b) < 2 for a, b in position.stones)]
    return [rng.choice(near if near and rng.random() < 0.9 else empty) for _ in range(4)]


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_games_agree_with_the_engine(engine: Engine, rule: int) -> None:
    """Random games to their end, a foul included; of four moves the one that does something is played."""
    rng = random.Random(200 + rule)
    seen: Counter[Outcome] = Counter()
    for _ in range(60):
        board = Board(rng.randint(5, ENGINE_MAX_SIZE), rng.randint(5, ENGINE_MAX_SIZE), rule)
        if rng.random() < 0.3:
            board = Board(5, 5, rule)
        position, outcome = Position(board), Outcome.GOES_ON
        engine.new_game(board.width, board.height, Rule(rule))
        while outcome is Outcome.GOES_ON:
            colour, moves = position.to_move, near_moves(rng, position)
            outcomes = {move: position.outcome_of(move) for move in moves}
            if colour == BLACK:
                for move in moves:
                    assert engine.is_forbidden(*move) == (outcomes[move] is Outcome.FOUL), (position.stones, move)
            move = max(moves, key=lambda move: outcomes[move] is not Outcome.GOES_ON)
            outcome = position.play(*move)
            engine.play(*move)
            if outcome is not Outcome.FOUL:
                assert (engine.winner == colour) == (outcome is Outcome.WINS), (position.stones, move)
                assert engine.is_full or outcome is not Outcome.FULL
        seen[outcome] += 1
    assert seen[Outcome.WINS] > 5, seen
    assert (seen[Outcome.FOUL] > 0) == (rule == RENJU), seen


@pytest.mark.parametrize("fact", RENJU_FACTS, ids=[fact.name for fact in RENJU_FACTS])
def test_renju_facts(fact: RenjuFact) -> None:
    board = Board(15, 15, RENJU)
    cell, colour = coloured_cell(fact.move)
    if winning_rows(board, fact.placed, cell, colour):
        verdict = "win"
    else:
        verdict = (name_of(foul(board, fact.placed, cell)) if colour == BLACK else None) or "legal"
    assert verdict == fact.verdict


@pytest.mark.parametrize(("name", "rules", "stones", "moves"), ACCEPTANCE_POSITIONS)
def test_gomocups_acceptance_positions(name: str, rules: tuple[int, ...], stones: str, moves: tuple[str, ...]) -> None:
    expected = {"all five": Outcome.WINS, "renju": Outcome.FOUL}.get(name, Outcome.GOES_ON)
    for rule in rules:
        position = Position(Board(15, 15, rule), notation.parse(stones))
        assert {position.outcome_of(*notation.parse(move)) for move in moves} == {expected}
