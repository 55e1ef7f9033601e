"""Slow, obvious twins of the kernel, written from the rules and not from the kernel.

A board is a list of rows of characters: "." empty, "X" black, "O" white. A line is a string seen by one colour:
"o" own stone, "x" opposing stone, "." empty, "#" outside the board.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import pbrain
from tests.naive_network import network_value, parts_of

FREESTYLE, EXACT_FIVE, RENJU, CARO, CARO_EXACT_FIVE = 0, 1, 4, 8, 9
RULES = (FREESTYLE, EXACT_FIVE, RENJU, CARO, CARO_EXACT_FIVE)
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
SIGHT = 5

Board = list[list[str]]
Cell = tuple[int, int]

LINE_KINDS = [
    "dead",
    "overline",
    "blocked one",
    "open one",
    "blocked two",
    "split two",
    "open two",
    "blocked three",
    "split three",
    "open three",
    "four",
    "two fours",
    "open four",
    "five",
]


# -- one line ----------------------------------------------------------------------------------------------------------


def run_through(line: str, at: int) -> tuple[int, int]:
    """First and last index of the unbroken own stones around `at`."""
    first = at - (len(line[:at]) - len(line[:at].rstrip("o")))
    last = at + (len(line[at + 1 :]) - len(line[at + 1 :].lstrip("o")))
    return first, last


def char_at(line: str, i: int) -> str:
    return line[i] if 0 <= i < len(line) else "#"


def put(line: str, i: int, char: str) -> str:
    return line[:i] + char + line[i + 1 :]


@cache
def wins(line: str, at: int, rule: int, colour: str) -> bool:
    """Whether the own stone at `at` stands in a winning line."""
    first, last = run_through(line, at)
    length = last - first + 1
    overline_wins = rule in (FREESTYLE, CARO) or (rule == RENJU and colour == "O")
    if length > 5:
        return overline_wins
    if length < 5:
        return False
    return not (rule in (CARO, CARO_EXACT_FIVE) and char_at(line, first - 1) == char_at(line, last + 1) == "x")


def winning_cells(line: str, at: int, rule: int, colour: str) -> list[int]:
    """Empty cells where one more own stone wins with the stone at `at`."""
    found = []
    for i in [i for i, char in enumerate(line) if char == "."]:
        after = put(line, i, "o")
        first, last = run_through(after, i)
        if first <= at <= last and wins(after, i, rule, colour):
            found.append(i)
    return found


@cache
def line_kind(line: str, at: int, rule: int, colour: str) -> str:
    """What the line is worth to the own stone at `at`."""
    if wins(line, at, rule, colour):
        return "five"
    first, last = run_through(line, at)
    has_fouls = rule == RENJU and colour == "X"
    if has_fouls and last - first + 1 > 5:
        return "overline"
    empties = [i for i, char in enumerate(line) if char == "."]
    wins_at = winning_cells(line, at, rule, colour)
    if wins_at:
        if has_fouls and len(wins_at) == 2:
            return "open four" if last - first + 1 == 4 else "two fours"
        is_open = all(winning_cells(put(line, i, "x"), at, rule, colour) for i in empties)
        return "open four" if is_open else "four"
    # A line of five that holds `at` reaches no farther than four cells.
    after = Counter(line_kind(put(line, i, "o"), at, rule, colour) for i in empties if abs(i - at) < 5)
    if after["open four"]:
        return "open three" if after["open four"] > 1 else "split three"
    for kind, needs in (
        ("blocked three", ("four",)),
        ("open two", ("open three",)),
        ("split two", ("split three",)),
        ("blocked two", ("blocked three",)),
        ("open one", ("open two", "split two")),
        ("blocked one", ("blocked two",)),
    ):
        if any(after[need] for need in needs):
            return kind
    return "dead"


# -- one cell ----------------------------------------------------------------------------------------------------------


def seen_line(board: Board, cell: Cell, direction: Cell, colour: str, sight: int) -> str:
    """The line around an empty cell after `colour` has played there."""
    (x, y), (dx, dy) = cell, direction
    chars = []
    for i in range(-sight, sight + 1):
        cx, cy = x + i * dx, y + i * dy
        if not (0 <= cy < len(board) and 0 <= cx < len(board[0])):
            chars.append("#")
        elif i == 0 or board[cy][cx] == colour:
            chars.append("o")
        else:
            chars.append("." if board[cy][cx] == "." else "x")
    return "".join(chars)


def cell_lines(board: Board, cell: Cell, colour: str, rule: int, sight: int = SIGHT) -> list[str]:
    return [line_kind(seen_line(board, cell, d, colour, sight), sight, rule, colour) for d in DIRECTIONS]


THREES, TWOS = ("open three", "split three"), ("open two", "split two")


@cache
def cell_class(lines: tuple[str, ...], has_fouls: bool) -> str:
    """The class of a cell from what its four lines become, in any order."""
    number = Counter(lines)
    ordered = sorted(lines, key=LINE_KINDS.index, reverse=True)
    best, second = ordered[0], ordered[1]
    fours = number["four"] + number["open four"] + 2 * number["two fours"]
    threes = sum(number[kind] for kind in THREES)
    twos = sum(number[kind] for kind in TWOS)
    if number["five"]:
        return "FIVE"
    if has_fouls and (number["overline"] or fours > 1):
        return "FORBIDDEN"
    if has_fouls and threes > 1:
        return "SUSPECT"
    if number["open four"]:
        return "OPEN_FOUR"
    if fours > 1:
        return "DOUBLE_FOUR"
    if fours and threes:
        return "FOUR_THREE"
    if threes > 1:
        return "DOUBLE_THREE"
    beside = (
        "_HALF_THREE"
        if second == "blocked three"
        else "_TWO"
        if second in TWOS
        else "_HALF_TWO"
        if second == "blocked two"
        else ""
    )
    if fours:
        return "FOUR" + beside.replace("_HALF_TWO", "")
    for kind, name in (("open three", "THREE"), ("split three", "SPLIT_THREE"), ("blocked three", "HALF_THREE")):
        if best == kind:
            return name + beside
    if twos > 2:
        return "TRIPLE_TWO"
    if twos == 2:
        return "TWO_TWO" if number["open two"] == 2 else "SPLIT_TWO_TWO"
    beside = {"blocked two": "_HALF_TWO", "open one": "_ONE"}.get(second, "")
    for kind, name in (
        ("open two", "TWO"),
        ("split two", "SPLIT_TWO"),
        ("blocked two", "HALF_TWO"),
        ("open one", "ONE"),
        ("blocked one", "ONE_BLOCKED"),
    ):
        if best == kind:
            return name + (beside if name != "ONE_BLOCKED" else "")
    return "DEAD"


# -- the position ------------------------------------------------------------------------------------------------------


def empty_board(width: int, height: int) -> Board:
    return [["."] * width for _ in range(height)]


def cells_of(board: Board) -> Iterator[Cell]:
    return ((x, y) for y in range(len(board)) for x in range(len(board[0])))


def move_wins(board: Board, cell: Cell, rule: int) -> bool:
    """Whether the stone on `cell` stands in a winning line."""
    sight = max(len(board), len(board[0]))
    colour = board[cell[1]][cell[0]]
    return any(wins(seen_line(board, cell, d, colour, sight), sight, rule, colour) for d in DIRECTIONS)


def classes(board: Board, colour: str, rule: int, sight: int = SIGHT) -> dict[Cell, str]:
    """The class of each empty cell for a colour."""
    has_fouls = rule == RENJU and colour == "X"
    return {
        (x, y): cell_class(tuple(cell_lines(board, (x, y), colour, rule, sight)), has_fouls)
        for x, y in cells_of(board)
        if board[y][x] == "."
    }


def near_stones(board: Board) -> set[Cell]:
    """Cells in a square of radius 2, or in a straight line at distance 3, of any stone."""
    offsets = [(dx, dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    offsets += [(3 * dx, 3 * dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    inside = set(cells_of(board))
    stones = [(x, y) for x, y in inside if board[y][x] != "."]
    return {(x + dx, y + dy) for x, y in stones for dx, dy in offsets} & inside


FAMILIES = {FREESTYLE: "freestyle", EXACT_FIVE: "exact_five", RENJU: "renju", CARO: "caro", CARO_EXACT_FIVE: "caro"}


def learned(rule: int, kind: str = "") -> list[list[str]]:
    """The lines of the rule's values, or of its order of moves (`_order`), in words."""
    path = Path(pbrain.__file__).parent / "engine" / "values" / f"{FAMILIES[rule]}{kind}.tsv"
    return [line.split() for line in path.read_text().splitlines() if line and line[0] != "#"]


@cache
def pair_table(rule: int, kind: str = "") -> dict[tuple[str, str], int]:
    """(class for the side to move, class for the other side) -> value of the cell, or how soon to try it."""
    rows = [row for row in learned(rule, kind) if row[0] not in ("THREATS", "NEAR")]
    names = [row[0] for row in rows]
    return {(row[0], theirs): int(value) for row in rows for theirs, value in zip(names, row[1:], strict=True)}


def value_of_cells(mine: dict[Cell, str], theirs: dict[Cell, str], rule: int) -> int:
    """What all empty cells are worth to the side to move, from their classes for it and for the other side."""
    return sum(pair_table(rule)[name, theirs[cell]] for cell, name in mine.items())


WINNING_FOURS = {"DOUBLE_FOUR", "OPEN_FOUR"}
PLAIN_FOURS = {"FOUR", "FOUR_TWO", "FOUR_HALF_THREE"}
PLAIN_THREES = {"THREE", "THREE_HALF_TWO", "THREE_TWO", "THREE_HALF_THREE"}
THREATS_OF_OTHER = ((WINNING_FOURS, 1), ({"FOUR_THREE"}, 1), (PLAIN_FOURS, 3), ({"DOUBLE_THREE"}, 1), (PLAIN_THREES, 1))
THREATS_OF_MOVER = (({"FOUR_THREE"}, 1), (PLAIN_FOURS, 3), ({"DOUBLE_THREE"}, 1), (PLAIN_THREES, 3))


COUNTED_THREATS = {
    "THREE": PLAIN_THREES,
    "DOUBLE_THREE": {"DOUBLE_THREE"},
    "FOUR": PLAIN_FOURS,
    "FOUR_THREE": {"FOUR_THREE"},
    "OPEN_FOUR": WINNING_FOURS,
    "FIVE": {"FIVE"},
    "FOUL": {"FORBIDDEN", "SUSPECT"},
}


def counted_threats(classes: dict[Cell, str]) -> dict[str, int]:
    """How many cells of one colour are each of the threats that the kernel counts."""
    return {threat: sum(name in kinds for name in classes.values()) for threat, kinds in COUNTED_THREATS.items()}


@cache
def threat_table(rule: int) -> dict[tuple[int, ...], int]:
    """How many of each threat there are -> value."""
    rows = [[int(number) for number in row[1:]] for row in learned(rule) if row[0] == "THREATS"]
    of_mover = list(product(*(range(most + 1) for _, most in THREATS_OF_MOVER)))
    theirs = len(THREATS_OF_OTHER)
    return {(*row[:theirs], *mine): worth for row in rows for mine, worth in zip(of_mover, row[theirs:], strict=True)}


def threats(mine: dict[Cell, str], theirs: dict[Cell, str]) -> tuple[int, ...]:
    """How many of each threat the other side has, then the side to move."""
    counts = [min(most, sum(name in kinds for name in theirs.values())) for kinds, most in THREATS_OF_OTHER]
    counts += [min(most, sum(name in kinds for name in mine.values())) for kinds, most in THREATS_OF_MOVER]
    return tuple(counts)


def table_value(mine: dict[Cell, str], theirs: dict[Cell, str], rule: int) -> int:
    """What the tables say for the side to move, from the classes of all empty cells for it and for the other side."""
    return value_of_cells(mine, theirs, rule) + threat_table(rule)[threats(mine, theirs)]


@cache
def network_parts(rule: int) -> dict[str, bytes]:
    path = Path(pbrain.__file__).parent / "engine" / "values" / f"{FAMILIES[rule]}.network"
    return parts_of(path.read_bytes())


def evaluation(mine: dict[Cell, str], theirs: dict[Cell, str], rule: int, to_move: int) -> int:
    """The value for the side to move (0 black, 1 white): what the tables say, and what a network adds."""
    network = network_value(mine, theirs, threats(mine, theirs), to_move, network_parts(rule))
    return table_value(mine, theirs, rule) + network


# -- the order of moves ------------------------------------------------------------------------------------------------


@cache
def near_table(rule: int) -> dict[tuple[int, int, int], int]:
    """(0: the other side's last move, 1: the mover's own; columns off, rows off) -> how much sooner to try it."""
    rows = [[int(number) for number in row[1:]] for row in learned(rule, "_order") if row[0] == "NEAR"]
    return {(row[0], row[1], rows_off): score for row in rows for rows_off, score in enumerate(row[2:])}


def nearness(cell: Cell, played: Sequence[Cell], rule: int) -> int:
    """How much sooner to try a cell for its place beside the last two moves."""
    if len(played) < 2:
        return 0
    total = 0
    for whose, (x, y) in enumerate((played[-1], played[-2])):
        total += near_table(rule).get((whose, abs(cell[0] - x), abs(cell[1] - y)), 0)
    return total


def order_score(board: Board, cell: Cell, colour: str, rule: int) -> int:
    """How soon to try a legal move, by what it makes and what it takes away."""
    theirs = "O" if colour == "X" else "X"
    mine = cell_class(tuple(cell_lines(board, cell, colour, rule)), False)
    takes = cell_class(tuple(cell_lines(board, cell, theirs, rule)), rule == RENJU and theirs == "X")
    return pair_table(rule, "_order")[mine, takes]
