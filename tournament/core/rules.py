"""The referee: slow, obvious, shares no code with any brain, and decides what each move does."""

from collections.abc import Iterable, Mapping
from enum import Enum

from tournament.core.model import BLACK, WHITE, Board, Move

EXACT_FIVE, CONTINUOUS, RENJU, CARO = 1, 2, 4, 8  # the bits of the protocol's rule
RULE_NAMES = {0: "freestyle", 1: "exactly five", 4: "renju", 8: "caro", 9: "caro with exactly five"}
MIN_SIZE, MAX_SIZE = 5, 32
FIVE = 5

Stones = Mapping[Move, int]  # cell → BLACK or WHITE
Step = tuple[int, int]

STEPS: tuple[Step, ...] = ((1, 0), (0, 1), (1, 1), (1, -1))


class IllegalMoveError(ValueError):
    """The move is off the board or on an occupied cell."""


class Outcome(Enum):
    """The effect of a legal move on the game."""

    WINS = "wins"
    FOUL = "is forbidden"
    FULL = "fills the board"
    NO_MOVE = "leaves black only forbidden points"
    GOES_ON = "leaves the game open"


class Foul(Enum):
    """Why a point is forbidden to black in renju."""

    OVERLINE = "an overline"
    DOUBLE_FOUR = "a double four"
    DOUBLE_THREE = "a double three"


def base_rule(mask: int) -> int:
    """The rule without the continuous-game bit, which does not affect a single game; ValueError if unknown."""
    rule = mask & ~CONTINUOUS
    if rule not in RULE_NAMES:
        known = ", ".join(f"{number} ({name})" for number, name in RULE_NAMES.items())
        raise ValueError(f"unknown rule {mask}; the rules are {known}")
    return rule


def check_board(board: Board) -> None:
    """Raise ValueError, with the reason in one sentence, for an unsupported size or rule."""
    if not (MIN_SIZE <= board.width <= MAX_SIZE and MIN_SIZE <= board.height <= MAX_SIZE):
        size = f"{board.width} x {board.height}"
        raise ValueError(f"a board must have {MIN_SIZE} to {MAX_SIZE} cells in each direction, not {size}")
    base_rule(board.rule)


def is_on_board(board: Board, cell: Move) -> bool:
    """Whether the cell is on the board."""
    return 0 <= cell[0] < board.width and 0 <= cell[1] < board.height


# -- winning lines -----------------------------------------------------------------------------------------------------


def cells_along(cell: Move, step: Step, first: int, length: int) -> list[Move]:
    """`length` cells in a line, starting `first` steps from `cell`; some may be off the board."""
    return [(cell[0] + i * step[0], cell[1] + i * step[1]) for i in range(first, first + length)]


def row_through(stones: Stones, cell: Move, step: Step, colour: int) -> list[Move]:
    """The unbroken row of a colour through `cell`, which counts as that colour, in the order of the step."""
    first, last = 0, 0
    while stones.get((cell[0] + (first - 1) * step[0], cell[1] + (first - 1) * step[1])) == colour:
        first -= 1
    while stones.get((cell[0] + (last + 1) * step[0], cell[1] + (last + 1) * step[1])) == colour:
        last += 1
    return cells_along(cell, step, first, last - first + 1)


def overline_wins(rule: int, colour: int) -> bool:
    """Whether more than five in a row also wins."""
    return colour == WHITE if rule & RENJU else not rule & EXACT_FIVE


def is_blocked_at_both_ends(stones: Stones, row: list[Move], step: Step, colour: int) -> bool:
    """Whether both ends of a row are blocked by opposing stones; the edge of the board does not block."""
    before, after = cells_along(row[0], step, -1, 1)[0], cells_along(row[-1], step, 1, 1)[0]
    return stones.get(before) == stones.get(after) == 1 - colour


def winning_rows(board: Board, stones: Stones, cell: Move, colour: int) -> list[list[Move]]:
    """The winning rows through `cell` with a stone of `colour` on it, whether already placed or not."""
    rule, found = base_rule(board.rule), []
    for step in STEPS:
        row = row_through(stones, cell, step, colour)
        is_five = len(row) == FIVE and not (rule & CARO and is_blocked_at_both_ends(stones, row, step, colour))
        if is_five or (len(row) > FIVE and overline_wins(rule, colour)):
            found.append(row)
    return found


# -- forbidden points --------------------------------------------------------------------------------------------------


def fours_along(board: Board, stones: Stones, cell: Move, step: Step) -> set[frozenset[Move]]:
    """Black's fours in a line that contain the stone on `cell`, each as its set of stones; one more makes exactly five.

    A straight four counts once, although two cells complete it. Fours that share only some stones count as two.
    """
    found = set()
    for first in range(-4, 1):
        before, *five, after = cells_along(cell, step, first - 1, FIVE + 2)
        black = [point for point in five if stones.get(point) == BLACK]
        free = [point for point in five if point not in stones and is_on_board(board, point)]
        if len(black) == 4 and len(free) == 1 and BLACK not in (stones.get(before), stones.get(after)):
            found.add(frozenset(black))
    return found


def straight_four_points(board: Board, stones: Stones, cell: Move, step: Step) -> list[Move]:
    """The points where one more black stone makes a straight four that contains the stone on `cell`."""
    found = []
    for first in range(-3, 1):
        beyond, end, *four, other_end, other_beyond = cells_along(cell, step, first - 2, 8)
        free = [point for point in (end, *four, other_end) if point not in stones and is_on_board(board, point)]
        has_both_ends = end in free and other_end in free
        is_three = has_both_ends and len(free) == 3 and sum(stones.get(point) == BLACK for point in four) == 3
        if is_three and BLACK not in (stones.get(beyond), stones.get(other_beyond)):
            found.append(free[1])
    return found


def is_three_along(board: Board, stones: Stones, cell: Move, step: Step) -> bool:
    """Whether the black stone on `cell` is in a three: one legal move that is not a five makes a straight four."""
    return any(
        not winning_rows(board, stones, point, BLACK) and foul(board, stones, point) is None
        for point in straight_four_points(board, stones, cell, step)
    )


def foul(board: Board, stones: Stones, cell: Move) -> Foul | None:
    """Why renju forbids an empty cell to black, or None; recursive, since a three needs a legal next move."""
    if not base_rule(board.rule) & RENJU or winning_rows(board, stones, cell, BLACK):
        return None
    if any(len(row_through(stones, cell, step, BLACK)) > FIVE for step in STEPS):
        return Foul.OVERLINE
    after = {**stones, cell: BLACK}
    if sum(len(fours_along(board, after, cell, step)) for step in STEPS) > 1:
        return Foul.DOUBLE_FOUR
    if sum(is_three_along(board, after, cell, step) for step in STEPS) > 1:
        return Foul.DOUBLE_THREE
    return None


# -- the game ----------------------------------------------------------------------------------------------------------


class Position:
    """The position of a game in progress; colours alternate, black first."""

    def __init__(self, board: Board, moves: Iterable[Move] = ()) -> None:
        check_board(board)
        self.board = board
        self.stones: dict[Move, int] = {}
        for x, y in moves:
            self.play(x, y)

    @property
    def to_move(self) -> int:
        """The colour whose turn it is."""
        return WHITE if len(self.stones) % 2 else BLACK

    def why_illegal(self, move: Move) -> str | None:
        """Why a move is illegal, or None; a forbidden point is a foul, not an illegal move."""
        if not is_on_board(self.board, move):
            return f"{move[0]},{move[1]} is not on the {self.board.width} x {self.board.height} board"
        return f"{move[0]},{move[1]} is taken" if move in self.stones else None

    def foul_of(self, move: Move) -> Foul | None:
        """Why the move is a foul, or None; IllegalMoveError if it is illegal."""
        self._check(move)
        return foul(self.board, self.stones, move) if self.to_move == BLACK else None

    def outcome_of(self, move: Move) -> Outcome:
        """The outcome of a move by the side to move; IllegalMoveError if it is illegal."""
        self._check(move)
        if winning_rows(self.board, self.stones, move, self.to_move):
            return Outcome.WINS
        if self.foul_of(move):
            return Outcome.FOUL
        if len(self.stones) + 1 == self.board.width * self.board.height:
            return Outcome.FULL
        return Outcome.GOES_ON if self.to_move == BLACK or self._has_black_answer(move) else Outcome.NO_MOVE

    def _has_black_answer(self, move: Move) -> bool:
        """Whether black has a move that is not forbidden after this one of white's; the first empty cell mostly is."""
        after = {**self.stones, move: WHITE}
        cells = ((x, y) for y in range(self.board.height) for x in range(self.board.width))
        return any(cell not in after and foul(self.board, after, cell) is None for cell in cells)

    def winning_line(self, move: Move) -> tuple[Move, ...]:
        """The cells, each once, of the winning rows through a stone or through a move by the side to move."""
        colour = self.stones.get(move, self.to_move)
        rows = winning_rows(self.board, self.stones, move, colour)
        return tuple(dict.fromkeys(cell for row in rows for cell in row))

    def play(self, x: int, y: int) -> Outcome:
        """Make a move, even a foul, and return its outcome; an IllegalMoveError leaves the position unchanged."""
        outcome = self.outcome_of((x, y))
        self.stones[x, y] = self.to_move
        return outcome

    def _check(self, move: Move) -> None:
        reason = self.why_illegal(move)
        if reason:
            raise IllegalMoveError(reason)
