"""The engine as the rest of the program sees it: a game, its rules, and a move for it; coordinates are x, y from 0."""

import ctypes
from collections.abc import Callable

from pbrain.core.params import (
    BLACK,
    BLACK_STONE,
    EMPTY,
    MARGIN,
    MAX_DEPTH,
    MAX_SIZE,
    MIN_SIZE,
    STRIDE,
    WHITE,
    WIN,
    WIN_BOUND,
    CellClass,
)
from pbrain.core.types import Limits, Move, Report, Rule
from pbrain.engine import opening
from pbrain.engine.evaluation import Values, orders, packed, read_worth, values_for
from pbrain.engine.memory import Table, table_bytes
from pbrain.engine.timeman import has_time_for_another
from pbrain.library.native import Library, State, Tables, Worker

UNLIMITED = (1 << 62) - 1
ROOT_FOURS = 40
ROOT_VCF_NODES = 100_000
GUARD_NODES = 2_000  # for what the other side threatens, and for each answer to it
ONE_ITERATION_DEPTH = 3  # 2 to 4 ms


class IllegalMoveError(ValueError):
    """The move cannot be played; the game is as it was."""


class NoMoveError(Exception):
    """There is no move to find: the game is over, or the board is full."""


def cell_at(x: int, y: int) -> int:
    return (y + MARGIN) * STRIDE + x + MARGIN


def move_at(cell: int) -> Move:
    return cell % STRIDE - MARGIN, cell // STRIDE - MARGIN


def prepare_tables(library: Library, tables: Tables, rule: Rule, values: Values) -> None:
    """Everything that a rule decides: patterns (15 ms), the evaluation, the order of moves."""
    library.prepare(tables, rule)
    ctypes.memmove(tables.value, 2 * packed(values.cells), ctypes.sizeof(tables.value))
    tables.threat_value[:] = values.threats
    ctypes.memmove(tables.order, packed(orders(read_worth())), ctypes.sizeof(tables.order))


class Engine:
    """One game at a time on one native state. While it thinks, only `stop` and `best_so_far` are for other threads."""

    def __init__(self, library: Library, values_for: Callable[[Rule], Values] = values_for) -> None:
        self._library = library
        self._values_for = values_for
        self._state, self._worker, self._tables = State(), Worker(), Tables()
        self._rule: Rule | None = None
        self._table_bytes = table_bytes(None)
        self._table: Table | None = None
        self._history: list[Move] = []
        self.new_game(20, 20, Rule.FREESTYLE)

    # -- the game ------------------------------------------------------------------------------------------------------

    def new_game(self, width: int, height: int, rule: Rule) -> None:
        """An empty board and an empty table; pattern tables are made anew (15 ms) only when the rule changes."""
        if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
            raise ValueError(f"a board has {MIN_SIZE} to {MAX_SIZE} cells in each direction, not {width} x {height}")
        if rule != self._rule:
            prepare_tables(self._library, self._tables, rule, self._values_for(rule))
            self._rule = rule
        self._library.clear(self._state, ctypes.addressof(self._tables), width, height)
        self._history = []
        self.clear_table()

    @property
    def stones(self) -> list[tuple[int, int, int]]:
        """The stones as (x, y, colour), in the order in which they were placed."""
        return [(x, y, self.stone(x, y) - 1) for x, y in self._history]

    def set_position(self, stones: list[tuple[int, int, int]], to_move: int) -> None:
        """Replace the position by stones (x, y, colour), in any order; if one is illegal, nothing has changed."""
        before, mover = self.stones, self.to_move
        self._take_back_all()
        try:
            for x, y, colour in stones:
                self.play(x, y, colour)
        except IllegalMoveError:
            self._take_back_all()
            for x, y, colour in before:
                self.play(x, y, colour)
            self.to_move = mover
            raise
        if self.winner is not None and not self._has_winning_line(stones):
            self.ignore_winner()
        self.to_move = to_move

    def _has_winning_line(self, stones: list[tuple[int, int, int]]) -> bool:
        """Whether the position is won whatever the order of its stones.

        A line that won while stones were placed may be longer, or shut in, at the end: each stone in turn is taken
        off and asked what it would make with all others there. (Up to 40,000 stones, 15 ms, and hardly ever.)
        """
        for last in stones:
            self._take_back_all()
            for x, y, colour in stones:
                if (x, y) != last[:2]:
                    self.play(x, y, colour)
            wins = self.cell_class(last[2], *last[:2]) == CellClass.FIVE
            self.play(*last)
            if wins:
                return True
        return False

    def ignore_winner(self) -> None:
        """Play on as if no line had been made."""
        self._state.winner = EMPTY

    def _take_back_all(self) -> None:
        while self._history:
            self.undo()

    @property
    def rule(self) -> Rule:
        assert self._rule is not None
        return self._rule

    @property
    def size(self) -> tuple[int, int]:
        return self._state.width, self._state.height

    @property
    def to_move(self) -> int:
        return int(self._state.to_move)

    @to_move.setter
    def to_move(self, colour: int) -> None:
        if colour != self._state.to_move:
            self._state.to_move = colour
            self._state.key ^= self._tables.zobrist_side

    @property
    def moves(self) -> int:
        """How many stones are on the board."""
        return len(self._history)

    @property
    def history(self) -> tuple[Move, ...]:
        """The stones in the order in which they were placed."""
        return tuple(self._history)

    @property
    def is_full(self) -> bool:
        width, height = self.size
        return self.moves == width * height

    @property
    def winner(self) -> int | None:
        """The colour that has made a winning line."""
        stone = self._state.winner
        return None if stone == EMPTY else BLACK if stone == BLACK_STONE else WHITE

    @property
    def value(self) -> int:
        """The static evaluation for the side to move."""
        return int(self._library.evaluate(self._state))

    @property
    def threat_index(self) -> int:
        """What both sides threaten, as `params.THREAT_COUNTS` has it."""
        return int(self._library.threat_index(self._state))

    def stone(self, x: int, y: int) -> int:
        return int(self._state.stones[self._on_board(x, y)])

    def cell_class(self, colour: int, x: int, y: int) -> CellClass:
        return CellClass(self._state.classes[colour][self._on_board(x, y)])

    def count(self, colour: int, kind: CellClass) -> int:
        """How many empty cells are of a class for a colour."""
        return int(self._state.counts[colour][kind])

    def is_forbidden(self, x: int, y: int) -> bool:
        """Whether renju's rules keep black from this empty cell; no other rule forbids anything."""
        return bool(self._library.is_forbidden(self._state, self._on_board(x, y)))

    def forbidden_points(self) -> list[Move]:
        """Every cell that black may not play."""
        width, height = self.size
        cells = [(x, y) for y in range(height) for x in range(width)]
        return [cell for cell in cells if self.stone(*cell) == EMPTY and self.is_forbidden(*cell)]

    def play(self, x: int, y: int, colour: int | None = None) -> None:
        """Place a stone of the side to move, or of the colour given."""
        cell = self._on_board(x, y)
        if self._state.stones[cell] != EMPTY:
            raise IllegalMoveError(f"{x},{y} is taken")
        self._library.make(self._state, cell, self.to_move if colour is None else colour)
        self._history.append((x, y))

    def undo(self) -> None:
        if not self._history:
            raise IllegalMoveError("there is no stone to take back")
        self._library.undo(self._state)
        self._history.pop()

    def _on_board(self, x: int, y: int) -> int:
        if not (0 <= x < self._state.width and 0 <= y < self._state.height):
            raise IllegalMoveError(f"{x},{y} is not on the board of {self._state.width} x {self._state.height}")
        return cell_at(x, y)

    # -- for bench and learning ----------------------------------------------------------------------------------------

    def search(self, depth: int) -> Report:
        """Alpha-beta to a fixed depth and nothing else, so that the same nodes are searched on every machine."""
        self._provide_table()
        worker = self._worker
        worker.stop, worker.node_limit, worker.deadline_ns = 0, UNLIMITED, UNLIMITED
        began_ns = self.now_ns()
        self._library.begin_search(self._state, worker)
        for iteration in range(1, depth + 1):
            self._library.iterate(self._state, worker, iteration, 0)
        line = tuple(move_at(cell) for cell in worker.line[: worker.line_length])
        elapsed_ms = (self.now_ns() - began_ns) / 1e6
        return Report(depth, max(depth, worker.selective_depth), worker.score, worker.nodes, elapsed_ms, line)

    def scatter(self, seed: int, stones: int) -> None:
        """Play up to so many random moves, none of which wins; most are near other stones."""
        self._library.scatter(self._state, seed, stones)
        self._history = [move_at(frame.cell) for frame in self._state.frames[: self._state.moves]]

    def exercise(self, rounds: int) -> int:
        """Make and undo every candidate move so many times; how many pairs that was."""
        return int(self._library.exercise(self._state, rounds))

    def wins_by_fours(self, fours: int, nodes: int) -> bool:
        """Whether the side to move wins by so many fours in a row, found within so many nodes."""
        self._provide_table()
        self._worker.node_limit = self._worker.deadline_ns = UNLIMITED
        self._library.begin_search(self._state, self._worker)
        return bool(self._library.root_vcf(self._state, self._worker, fours, nodes) > 0)

    @property
    def root_moves(self) -> list[Move]:
        """Every move that the last search looked at, the best first."""
        return [move_at(cell) for cell in self._worker.root_moves[: self._worker.root_count]]

    def bytes_of(self, field: str) -> bytes:
        """A field of the native state, as it lies in memory."""
        return bytes(getattr(self._state, field))

    # -- the table -----------------------------------------------------------------------------------------------------

    @property
    def table_bytes(self) -> int:
        return self._table_bytes

    def set_table_bytes(self, size: int) -> None:
        """Resize the transposition table; what it knew is lost."""
        if size != self._table_bytes:
            self._table_bytes = size
            self.clear_table()

    def clear_table(self) -> None:
        """Forget what was searched. The memory is asked for again at the next search, zeroed by the system."""
        if self._table is not None:
            self._table.close()
            self._table = None
        if self._worker.age:  # else nothing was searched, and clearing would only make pages real
            for learned in (
                self._worker.history,
                self._worker.continuation,
                self._worker.killers,
                self._worker.counter_moves,
            ):
                ctypes.memset(learned, 0, ctypes.sizeof(learned))
        self._worker.age = 0

    def _provide_table(self) -> None:
        if self._table is None:
            self._table = Table(self._table_bytes)
            self._worker.table, self._worker.table_mask = self._table.address, self._table.mask

    # -- thinking ------------------------------------------------------------------------------------------------------

    def now_ns(self) -> int:
        """The kernel's clock."""
        return int(self._library.now_ns())

    def stop(self) -> None:
        """End the search that is running, or that the next `think` would run unless it is told otherwise."""
        self._worker.stop = 1

    def allow_thinking(self) -> None:
        """Take back an earlier `stop`."""
        self._worker.stop = 0

    @property
    def best_so_far(self) -> Move | None:
        """The best move found yet by the search that is running; may be asked from another thread."""
        cell = self._worker.line[0]
        return move_at(cell) if cell else None

    def forget_best(self) -> None:
        self._worker.line[0] = 0

    def think(
        self,
        limits: Limits,
        asked_ns: int,
        on_iteration: Callable[[Report], None] = lambda _: None,
        lines: int = 1,
    ) -> Report:
        """The best move found within the limits, counted from `asked_ns`; the position stays as it is.

        `on_iteration` hears of each finished iteration, for each of the `lines` best moves.
        """
        if self.winner is not None:
            raise NoMoveError("the game is decided")
        if self.is_full:
            raise NoMoveError("the board is full")
        worker, library = self._worker, self._library
        budget = limits.budget
        worker.deadline_ns = UNLIMITED if budget is None else asked_ns + int(1e6 * budget.maximum_ms)
        worker.node_limit = UNLIMITED if limits.nodes is None else limits.nodes
        library.begin_search(self._state, worker)

        def elapsed_ms() -> float:
            return (self.now_ns() - asked_ns) / 1e6

        def report(depth: int, score: int, line: list[int], rank: int = 1) -> Report:
            moves = tuple(move_at(cell) for cell in line)
            selective_depth = max(depth, worker.selective_depth)
            return Report(depth, selective_depth, score, worker.nodes, elapsed_ms(), moves, rank)

        best = report(0, self.value, [worker.root_moves[0]])
        if not limits.is_analysis:
            first = opening.first_move(self.size, self._history)
            if first is not None:
                return best._replace(line=(first,))
            if worker.root_count == 1:
                return best
        if budget is not None and budget.maximum_ms <= 0:
            return best
        self._provide_table()
        is_one_iteration = budget is not None and budget.optimum_ms <= 0
        if not is_one_iteration and lines == 1:
            plies = library.root_vcf(self._state, worker, ROOT_FOURS, ROOT_VCF_NODES)
            if plies > 0:
                best = report(plies, WIN - plies, worker.line[: worker.line_length])
                on_iteration(best)
                return best
            library.guard_root(self._state, worker, ROOT_FOURS, GUARD_NODES)
            best = report(0, self.value, [worker.root_moves[0]])
            if worker.root_count == 1 and not limits.is_analysis:
                return best
        lines = min(lines, worker.root_count)
        depths = [ONE_ITERATION_DEPTH] if is_one_iteration else range(1, min(limits.depth or MAX_DEPTH, MAX_DEPTH) + 1)
        for depth in depths:
            for rank in range(lines):
                library.iterate(self._state, worker, depth, rank)
                if worker.has_line:
                    found = report(depth, worker.score, worker.line[: worker.line_length], rank + 1)
                    best = found if rank == 0 else best
                    if not worker.is_stopped:
                        on_iteration(found)
                if worker.is_stopped:
                    return best._replace(nodes=worker.nodes, elapsed_ms=elapsed_ms())
            if best.score >= WIN_BOUND or (best.score <= -WIN_BOUND and depth > WIN + best.score):
                break
            if budget is not None and not has_time_for_another(budget, elapsed_ms()):
                break
        return best
