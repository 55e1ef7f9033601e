"""Openings: formats and their errors, symmetries, drawing by seed, and those that ship."""

import random
import re
from itertools import islice, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tournament.core.model import BLACK, WHITE, Board, Move, Opening
from tournament.core.openings import (
    BOOKS,
    GENERIC,
    OpeningError,
    book_for,
    cell_name,
    drawn,
    duplicates,
    generic_openings,
    images,
    parse_cell,
    parse_openings,
    read_openings,
    shipped_openings,
    shuffled,
    stones_of,
    symmetries,
    turned,
)
from tournament.core.rules import CONTINUOUS, RULE_NAMES, Position, winning_rows

SAMPLES = Path(__file__).with_name("data") / "openings"
BOARD = Board(15, 15)
THREE_OR_BETTER = {"open three", "split three", "four", "two fours", "open four", "five", "overline"}


def parse(text: str, board: Board = BOARD) -> list[tuple[Move, ...]]:
    return [opening.moves for opening in parse_openings(text, board, "some.txt")]


# -- formats -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "name"), [((0, 0), "a1"), ((7, 7), "h8"), ((25, 31), "z32"), ((26, 0), "aa1"), ((31, 9), "af10")]
)
def test_cells_and_their_names(cell: Move, name: str) -> None:
    assert cell_name(cell) == name
    assert parse_cell(name) == parse_cell(name.upper()) == cell


def test_offsets_count_from_the_centre() -> None:
    text = "0,0, 1,-1\n-2,+3,4,4,\r\n"
    assert parse(text) == [((7, 7), (8, 6)), ((5, 10), (11, 11))]
    assert parse("0,0", Board(20, 9)) == [((10, 4),)]


def test_cells_count_from_the_corner() -> None:
    assert parse("h8i9\nH8 i9, j10\n") == [((7, 7), (8, 8)), ((7, 7), (8, 8), (9, 9))]
    assert parse("af32", Board(32, 32)) == [((31, 31),)]


def test_blank_lines_and_comments_count_as_lines_only() -> None:
    text = "# from the cup\n\n0,0 # the centre\n   \n1,1, 2,2\n"
    openings = parse_openings(text, BOARD, "folder/cup.txt")
    assert [opening.name for opening in openings] == ["cup.txt:3", "cup.txt:5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0\n1,2,3\n", "some.txt, line 2: '1,2,3' is not a list of offsets such as 0,0, 1,-1"),
        ("0,0\nh8i9\n", "some.txt, line 2: 'h8i9' is not a list of offsets such as 0,0, 1,-1"),
        ("h8\n\n0,0\n", "some.txt, line 3: '0,0' is not a list of cells such as h8i9"),
        ("h8i", "some.txt, line 1: 'h8i' is not a list of cells such as h8i9"),
        ("?", "some.txt, line 1: '?' is not a list of offsets such as 0,0, 1,-1"),
        ("0,0, 8,0", "some.txt, line 1: stone 2 cannot be placed: 15,7 is not on the 15 x 15 board"),
        ("a0", "some.txt, line 1: stone 1 cannot be placed: 0,-1 is not on the 15 x 15 board"),
        ("h8i9h8", "some.txt, line 1: stone 3 cannot be placed: 7,7 is taken"),
        ("a1a2b1b2c1c2d1d2e1", "some.txt, line 1: stone 9 wins, so no game is left to play"),
        ("a1a2b1b2c1c2d1d2e1o15", "some.txt, line 1: stone 9 wins, so no game is left to play"),
    ],
)
def test_errors_name_file_and_line(text: str, message: str) -> None:
    with pytest.raises(OpeningError) as raised:
        parse(text)
    assert str(raised.value) == message


@given(st.text() | st.text("0123456789,-+ ahoAF#\r\n"))
def test_any_other_text_is_an_error_with_its_line(text: str) -> None:
    """A file that somebody gives by mistake names its first bad line, or holds openings that can be played."""
    openings, message = list[Opening](), ""
    try:
        openings = parse_openings(text, BOARD, "some.txt")
    except OpeningError as error:
        message = str(error)
    assert not message or re.match(r"some\.txt, line \d+: ", message)
    assert all(Position(BOARD, opening.moves).stones.keys() == set(opening.moves) for opening in openings)


CELLS = st.tuples(st.integers(0, 31), st.integers(0, 31))


@given(CELLS)
def test_every_name_of_a_cell_is_read_back(cell: Move) -> None:
    assert parse_cell(cell_name(cell)) == cell


@given(st.lists(CELLS, unique=True, min_size=1, max_size=4), st.sampled_from(["", " ", ", "]), st.integers(5, 32))
def test_openings_are_read_back_in_both_formats(moves: list[Move], separator: str, size: int) -> None:
    board = Board(32, size)
    moves = list(dict.fromkeys((x, y % size) for x, y in moves))
    offsets = ", ".join(f"{x - board.width // 2},{y - board.height // 2}" for x, y in moves)
    assert parse(separator.join(map(cell_name, moves)), board) == parse(offsets, board) == [tuple(moves)]


def test_a_foul_in_an_opening_is_an_error_in_renju_only() -> None:
    text = "h7a1h6c1f8e1g8g1h8"
    assert parse(text)
    with pytest.raises(OpeningError, match="stone 9 is forbidden"):
        parse(text, Board(15, 15, 4))


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    empty, binary = tmp_path / "empty.txt", tmp_path / "binary.txt"
    empty.write_text("# nothing\n")
    binary.write_bytes(b"\xff\xfe\x00")
    for path, message in [(empty, "contains no openings"), (binary, "cannot be read"), (tmp_path, "cannot be read")]:
        with pytest.raises(OpeningError, match=message):
            read_openings(path, BOARD)


def test_a_file_from_windows(tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbfh8i9\r\n\r\nh8\r\n")
    assert [opening.name for opening in read_openings(path, BOARD)] == ["windows.txt:1", "windows.txt:3"]


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_files_of_other_programs(path: Path) -> None:
    size = 15 if "15" in path.name or path.suffix == ".csv" else 20
    board = Board(size, size, 4 if "renju" in path.name else 0)
    assert len(read_openings(path, board)) == len(path.read_text().splitlines())


# -- symmetries --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "number"), [(BOARD, 8), (Board(20, 20), 8), (Board(20, 15), 4)])
def test_an_opening_without_symmetry_has_as_many_images_as_the_board(board: Board, number: int) -> None:
    opening = Opening("one", ((7, 7), (8, 9), (3, 4)))
    found = images(opening, board)
    assert found[0] == opening
    assert len(found) == len({image.moves for image in found}) == len({image.name for image in found}) == number
    distance = {(abs(ax - bx), abs(ay - by)) for ax, ay in opening.moves for bx, by in opening.moves}
    for image in found:
        seen = {(abs(ax - bx), abs(ay - by)) for ax, ay in image.moves for bx, by in image.moves}
        assert seen in (distance, {(dy, dx) for dx, dy in distance})


def test_a_symmetric_opening_has_fewer_images() -> None:
    assert [image.moves for image in images(Opening("centre", ((7, 7),)), BOARD)] == [((7, 7),)]
    assert len(images(Opening("row", ((7, 7), (8, 7))), BOARD)) == 4
    assert len(images(Opening("centre", ((7, 7),)), Board(20, 20))) == 4


def test_each_symmetry_can_be_undone_by_one() -> None:
    moves = ((1, 2), (3, 9))
    for symmetry in symmetries(BOARD):
        there = turned(moves, BOARD, symmetry)
        assert sum(turned(there, BOARD, back) == moves for back in symmetries(BOARD)) == 1


def test_duplicates_are_found_under_symmetry_and_in_another_order() -> None:
    first = Opening("first", ((7, 7), (8, 9), (3, 4)))
    other = Opening("other", ((7, 7), (8, 8), (3, 4)))
    rng = random.Random(1)
    for symmetry in symmetries(BOARD):
        moves = turned(first.moves, BOARD, symmetry)
        again = Opening("again", moves if rng.random() < 0.5 else (moves[2], moves[1], moves[0]))
        assert duplicates([first, other, again], BOARD) == [(again, first)]
    assert not duplicates([first, other], BOARD)
    swapped = Opening("colours swapped", ((8, 9), (7, 7)))
    assert not duplicates([Opening("two", ((7, 7), (8, 9))), swapped], BOARD)


# -- drawing -----------------------------------------------------------------------------------------------------------

LETTERS = [Opening(name, ((number, 0), (3, 2))) for number, name in enumerate("abcdefgh")]


def test_drawing_is_fixed_for_ever() -> None:
    """These orders must never change: a resumed tournament would play other openings."""
    assert "".join(opening.name for opening in shuffled(LETTERS, random.Random(1))) == "bgfcdeha"
    names = [opening.name for opening in islice(drawn(LETTERS[:3], BOARD, 7), 9)]
    assert " ".join(names) == "a b c a/1 c/1 b/1 a/2 c/2 b/2"


def test_none_repeats_before_all_were_drawn_and_then_it_is_turned() -> None:
    board = Board(20, 15)
    openings = [Opening(f"{number}", ((number, 1), (9, 5))) for number in range(8)]
    order = list(islice(drawn(openings, board, 3), 40))
    for begin in range(0, 40, 8):
        assert {opening.name.split("/")[0] for opening in order[begin : begin + 8]} == {f"{n}" for n in range(8)}
    positions = {stones_of(opening.moves) for opening in order}
    assert len(positions) == 32
    assert set(order[:8]) == set(openings)
    assert [o.name for o in order[:8]] != [o.name.split("/")[0] for o in order[8:16]]


def test_seeds_differ_and_nothing_to_draw_is_an_error() -> None:
    orders = {tuple(islice(drawn(LETTERS, BOARD, seed), 8)) for seed in range(20)}
    assert len(orders) > 15
    with pytest.raises(OpeningError, match="no openings to draw from"):
        next(drawn([], BOARD, 1))


# -- the openings that ship --------------------------------------------------------------------------------------------

BOARDS_WITH_BOOKS = [
    (Board(15, 15, 0), 500),
    (Board(20, 20, 0), 500),
    (Board(15, 15, 1), 200),
    (Board(15, 15, 4), 200),
    (Board(15, 15, 8), 200),
    (Board(15, 15, 9), 200),
]  # and how many openings each book has at least
BOARD_OF_BOOK = {path: (board, least) for board, least in BOARDS_WITH_BOOKS if (path := book_for(board))}
NEAR_AN_EDGE = 3


def distance_to_edge(opening: Opening, board: Board) -> int:
    return min(min(x, y, board.width - 1 - x, board.height - 1 - y) for x, y in opening.moves)


def test_each_file_is_a_book_for_one_board_or_a_generic_one() -> None:
    assert {*BOARD_OF_BOOK, *(BOOKS / name for name in GENERIC)} == set(BOOKS.glob("*.txt"))
    assert len(BOARD_OF_BOOK) == len(BOARDS_WITH_BOOKS)


def test_a_book_is_chosen_by_rule_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {
        "freestyle-15x15": Board(15, 15, 0),
        "freestyle-20x20": Board(20, 20, 0),
        "freestyle-20x15": Board(20, 15, 0),
        "exactly-five-15x15": Board(15, 15, 1),
        "renju-15x15": Board(15, 15, 4),
        "caro-15x15": Board(15, 15, 8),
        "caro-with-exactly-five-15x15": Board(15, 15, 9),
    }
    monkeypatch.setattr("tournament.core.openings.BOOKS", tmp_path)
    for name in GENERIC:
        (tmp_path / name).write_text("0,0, 1,1, 2,0\n")
    for name, board in names.items():
        assert [opening.name for opening in shipped_openings(board)] == ["centre.txt:1"], "another board's book"
        (tmp_path / f"{name}.txt").write_text("0,0, 1,1\n1,0, 1,1\n")
        continuous = Board(board.width, board.height, board.rule | CONTINUOUS)
        for same in (board, continuous):
            assert [opening.name for opening in shipped_openings(same)] == [f"{name}.txt:1", f"{name}.txt:2"]
    assert shipped_openings(Board(15, 20)) == generic_openings(Board(15, 20))


@pytest.mark.parametrize(("path", "board", "least"), [(path, *of) for path, of in BOARD_OF_BOOK.items()])
def test_a_book_is_large_and_leaves_every_game_open(path: Path, board: Board, least: int) -> None:
    """Each opening can be placed, which `read_openings` checks, and neither side could end the game with one move."""
    openings = shipped_openings(board)
    assert len(openings) == len(path.read_bytes().splitlines()) >= least
    assert not duplicates(openings, board)
    assert {len(opening.moves) for opening in openings} == {3, 4, 5, 6, 7}
    assert sum(distance_to_edge(opening, board) < NEAR_AN_EDGE for opening in openings) >= 10
    cells = list(product(range(board.width), range(board.height)))
    for opening in openings:
        stones = Position(board, opening.moves).stones
        for cell in cells:
            if cell not in stones:
                for colour in (BLACK, WHITE):
                    assert not winning_rows(board, stones, cell, colour), opening


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("size", [(9, 9), (10, 10), (15, 15), (20, 20), (32, 32), (9, 32), (20, 15)])
def test_the_generic_openings_suit_every_board_from_nine_on(size: tuple[int, int], rule: int) -> None:
    board = Board(*size, rule)
    openings = generic_openings(board)
    assert len(openings) == 40
    assert not duplicates(openings, board)
    assert {len(opening.moves) for opening in openings} == {3, 4, 5, 6, 7}
    assert book_for(board) or shipped_openings(board) == openings


@pytest.mark.parametrize("size", [5, 6, 7, 8])
def test_small_boards_have_fewer(size: int) -> None:
    openings = shipped_openings(Board(size, size))
    assert 10 <= len(openings) < 40
    assert not duplicates(openings, Board(size, size))


def test_some_generic_openings_lie_at_an_edge() -> None:
    for board in (BOARD, Board(20, 20)):
        nearest = [min(min(x, y) for x, y in opening.moves) for opening in generic_openings(board)]
        assert sum(distance < NEAR_AN_EDGE for distance in nearest) >= 10


@pytest.mark.parametrize("size", [9, 15, 20])
def test_nobody_has_a_three_in_a_generic_opening(size: int) -> None:
    for opening in generic_openings(Board(size, size)):
        board = naive.empty_board(size, size)
        for number, (x, y) in enumerate(opening.moves):
            board[y][x] = "XO"[number % 2]
        for rule in naive.RULES:
            for x, y in opening.moves:
                kinds = set(naive.cell_lines(board, (x, y), board[y][x], rule))
                assert not kinds & THREE_OR_BETTER, opening


def test_the_books_hold_nothing_but_openings_as_c_gomoku_cli_reads_them() -> None:
    """It takes each line for an opening: of digits, minus, comma and space; or of small letters and digits."""
    boards = {BOOKS / name: Board(9, 9) for name in GENERIC} | {
        path: board for path, (board, _) in BOARD_OF_BOOK.items()
    }
    for path, board in boards.items():
        lines = path.read_bytes().decode("ascii").removesuffix("\n").split("\n")
        assert all(re.fullmatch(r"[-0-9, ]+|([a-z][0-9]{1,2})+", line) for line in lines)
        assert len(read_openings(path, board)) == len(lines)
