"""The engine as the rest of the program sees it: a game, its rule, and a move for it; coordinates are x, y from 0."""

import ctypes
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pbrain.core.parameters import INDEX, PARAMETERS
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
    CellClass,
)
from pbrain.core.types import Move, Report, Rule, SearchLimits
from pbrain.engine import opening
from pbrain.engine.evaluation import Knowledge, kernel_tables, knowledge_for
from pbrain.engine.memory import Table, table_bytes
from pbrain.engine.smp import Helpers, is_settled, vote
from pbrain.engine.timeman import NS_PER_MS, may_go_on, share_ns
from pbrain.library.native import Library, State, Tables, Worker

UNLIMITED = (1 << 62) - 1
ROOT_FOURS = 40
ROOT_VCF_NODES = 100_000
GUARD_NODES = 2_000  # for the opponent's threat of a VCF, and for each answer to it
# Neither the VCF at the root nor the guard against the opponent's may use more of what is left of time or nodes.
ROOT_VCF_SHARE = GUARD_SHARE = 0.25
ONE_ITERATION_DEPTH = 3  # 2 to 4 ms


class IllegalMoveError(ValueError):
    """The move cannot be played; the game is as it was."""


class NoMoveError(Exception):
    """There is no move to find: the game is over, or the board is full."""


def cell_at(x: int, y: int) -> int:
    return (y + MARGIN) * STRIDE + x + MARGIN


def move_at(cell: int) -> Move:
    return cell % STRIDE - MARGIN, cell // STRIDE - MARGIN


def prepare_tables(library: Library, tables: Tables, rule: Rule, knowledge: Knowledge) -> None:
    """Everything that depends on the rule: patterns (15 ms), the evaluation, the order of moves."""
    library.prepare(tables, rule)
    for field, data in kernel_tables(knowledge).items():
        place = getattr(Tables, field)
        if len(data) != place.size:
            raise ValueError(f"{field} has {len(data)} bytes, not {place.size}")
        ctypes.memmove(ctypes.addressof(tables) + place.offset, data, place.size)


class Engine:
    """One game at a time on one native state. While it thinks, other threads may only use `stop` and `best_so_far`."""

    def __init__(self, library: Library, knowledge_for: Callable[[Rule], Knowledge] = knowledge_for) -> None:
        self._library = library
        self._knowledge_for = knowledge_for
        self._state, self._worker, self._tables = State(), Worker(), Tables()
        self._worker.parameters[:] = [parameter.value for parameter in PARAMETERS]
        self._helpers = Helpers(library, 0)
        self._rule: Rule | None = None
        self._table_bytes = table_bytes(None)
        self._table: Table | None = None
        self._best: Report | None = None  # the newest report on the best line of the search
        self._lines = 1
        self.new_game(20, 20, Rule.FREESTYLE)

    def set_parameter(self, name: str, value: int) -> bool:
        """Change a parameter of the search, within its range; False if the library has it as a constant."""
        _, _, low, high = PARAMETERS[INDEX[name]]
        self._worker.parameters[INDEX[name]] = max(low, min(value, high))
        return bool(self._library.is_tunable())

    # -- the game ------------------------------------------------------------------------------------------------------

    def new_game(self, width: int, height: int, rule: Rule) -> None:
        """An empty board and an empty table; pattern tables are rebuilt (15 ms) only when the rule changes."""
        if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
            raise ValueError(f"a board has {MIN_SIZE} to {MAX_SIZE} cells in each direction, not {width} x {height}")
        if rule != self._rule:
            prepare_tables(self._library, self._tables, rule, self._knowledge_for(rule))
            self._rule = rule
        self._library.clear(self._state, ctypes.addressof(self._tables), width, height)
        self.clear_table()

    @property
    def stones(self) -> list[tuple[int, int, int]]:
        """The stones as (x, y, colour), in the order in which they were placed."""
        return [(x, y, self.stone(x, y) - 1) for x, y in self.history]

    def set_position(self, stones: list[tuple[int, int, int]], to_move: int) -> None:
        """Replace the position by stones (x, y, colour), in any order; if one is illegal, nothing has changed."""
        before = self.saved()
        try:
            self._place_all(stones)
        except IllegalMoveError:
            self.restore(before)
            raise
        if self.winner is not None and not self._has_winning_line(stones):
            self.ignore_winner()
        self.to_move = to_move

    def saved(self) -> bytes:
        """The position, for `restore`; a copy takes 20 microseconds."""
        return bytes(self._state)

    def restore(self, position: bytes) -> None:
        """Go back to a saved position of the same game, byte by byte."""
        ctypes.memmove(ctypes.addressof(self._state), position, len(position))

    def take_back(self) -> None:
        """Take the newest stone off the board; then it is the turn of its colour, or of black on an empty board.

        `undo` would restore the turn of the moment before the stone was placed. Where a position was set up with
        several stones of one colour in a row, that is a matter of their order alone.
        """
        if not self.moves:
            raise IllegalMoveError("there is no stone to take back")
        *stones, (_, _, colour) = self.stones
        self.set_position(stones, colour if stones else BLACK)

    def _place_all(self, stones: list[tuple[int, int, int]]) -> None:
        while self.moves:
            self.undo()
        for x, y, colour in stones:
            self.play(x, y, colour)

    def _has_winning_line(self, stones: list[tuple[int, int, int]]) -> bool:
        """Whether the position is won in whatever order its stones were placed.

        A line that won while stones were placed may be longer, or blocked, at the end. So each stone in turn is taken
        off, to see what it would make with all others there. (Up to 40,000 stones, 15 ms, and hardly ever.)
        """
        position = self.saved()
        try:
            for last in stones:
                self._place_all([stone for stone in stones if stone != last])
                if self.cell_class(last[2], *last[:2]) == CellClass.FIVE:
                    return True
            return False
        finally:
            self.restore(position)

    def ignore_winner(self) -> None:
        """Play on as if no line had been made."""
        self._state.winner = EMPTY

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
        return int(self._state.moves)

    @property
    def history(self) -> tuple[Move, ...]:
        """The stones in the order in which they were placed."""
        return tuple(move_at(frame.cell) for frame in self._state.frames[: self.moves])

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
        """What both sides threaten, encoded as in `params.THREAT_COUNTS`."""
        return int(self._library.threat_index(self._state))

    def stone(self, x: int, y: int) -> int:
        return int(self._state.stones[self._on_board(x, y)])

    def cell_class(self, colour: int, x: int, y: int) -> CellClass:
        return CellClass(self._state.classes[colour][self._on_board(x, y)])

    def count(self, colour: int, kind: CellClass) -> int:
        """How many empty cells are of a class for a colour."""
        return bytes(self._state.classes[colour]).count(kind)

    def is_forbidden(self, x: int, y: int) -> bool:
        """Whether renju forbids this empty cell to black; no other rule forbids anything."""
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

    def undo(self) -> None:
        """Restore the position, and the turn, of the moment before the last `play`."""
        if not self.moves:
            raise IllegalMoveError("there is no stone to take back")
        self._library.undo(self._state)

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
        elapsed_ms = (self.now_ns() - began_ns) / NS_PER_MS
        return Report(depth, max(depth, worker.selective_depth), worker.score, worker.nodes, elapsed_ms, line)

    def scatter(self, seed: int, stones: int) -> None:
        """Play up to so many random moves, none of which wins; most are near other stones."""
        self._library.scatter(self._state, seed, stones)

    def exercise(self, rounds: int) -> int:
        """Make and undo every candidate move so many times; how many pairs that was."""
        return int(self._library.exercise(self._state, rounds))

    def wins_by_fours(self, fours: int, nodes: int) -> bool:
        """Whether the side to move has a VCF of at most so many fours, found within so many nodes."""
        self._provide_table()
        self._worker.node_limit = self._worker.deadline_ns = UNLIMITED
        self._library.begin_search(self._state, self._worker)
        return bool(self._library.root_vcf(self._state, self._worker, fours, nodes) > 0)

    @property
    def root_moves(self) -> list[Move]:
        """Every root move of the last search, the best first."""
        return [move_at(cell) for cell in self._worker.root_moves[: self._worker.root_count]]

    def bytes_of(self, field: str) -> bytes:
        """A field of the native state, byte by byte."""
        return bytes(getattr(self._state, field))

    # -- the table -----------------------------------------------------------------------------------------------------

    @property
    def table_bytes(self) -> int:
        return self._table_bytes

    def set_table_bytes(self, size: int) -> None:
        """Resize the transposition table, which empties it."""
        if size != self._table_bytes:
            self._table_bytes = size
            self.clear_table()
            self._drop_table()

    def set_threads(self, count: int) -> None:
        """How many threads search from now on."""
        if count != 1 + len(self._helpers):
            self._helpers = Helpers(self._library, count - 1)

    def clear_table(self) -> None:
        """Forget what was searched: the system is asked for zeroed memory again."""
        worker = self._worker
        if not worker.age:  # nothing was searched: the table is still empty, and its pages may be ready
            return
        self._drop_table()
        for learned in (worker.history, worker.continuation, worker.killers, worker.counter_moves, worker.corrections):
            ctypes.memset(learned, 0, ctypes.sizeof(learned))
        self._helpers = Helpers(self._library, len(self._helpers))
        worker.age = 0

    def prepare_table(self) -> None:
        """Have the next search's table ready, off this thread: the search is at full speed from its beginning."""
        if self._table is None:
            self._provide_table().prepare(self._library.touch)

    def _drop_table(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None

    def _provide_table(self) -> Table:
        if self._table is None:
            self._table = table = Table(self._table_bytes)
            self._worker.table, self._worker.table_clusters = table.address, table.clusters
        return self._table

    # -- thinking ------------------------------------------------------------------------------------------------------

    def now_ns(self) -> int:
        """The kernel's clock."""
        return int(self._library.now_ns())

    def stop(self) -> None:
        """End the search that is running; if none is, the next one ends at once unless `allow_thinking` comes first."""
        self._worker.stop = 1

    def allow_thinking(self) -> None:
        """Cancel an earlier `stop`."""
        self._worker.stop = 0

    @property
    def best_so_far(self) -> Report | None:
        """The best move found so far by the search that is running; may be asked from another thread."""
        best, move = self._best, move_at(self._worker.line[0])
        if best is None or self._lines > 1 or best.move == move or not self._worker.has_line:
            return best
        return best._replace(depth=0, selective_depth=0, score=0, line=(move,))  # better, in an unfinished iteration

    def forget_best(self) -> None:
        self._best = None

    def think(
        self, limits: SearchLimits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        """The best move found within the limits; the position stays as it is.

        `on_iteration` hears of each finished iteration, for each of the `lines` best moves.
        """
        if self.winner is not None:
            raise NoMoveError("the game is decided")
        if self.is_full:
            raise NoMoveError("the board is full")
        worker, self._lines = self._worker, lines
        self._set_limits(limits.deadline_ns, limits.nodes)
        self._library.begin_search(self._state, worker)
        self._helpers.forget()
        best = self._note_first_root_move(limits)
        if not limits.is_analysis:
            first = opening.first_move(self.size, self.history)
            if first is not None:
                return self._note(best._replace(line=(first,)))
            if worker.root_count == 1:
                return best
        if limits.deadline_ns is not None and self.now_ns() >= limits.deadline_ns:
            return best
        with self._provide_table().in_use():
            return self._search(limits, best, on_iteration)

    def _search(self, limits: SearchLimits, best: Report, on_iteration: Callable[[Report], None]) -> Report:
        """What is best after the VCF, the guard and all iterations."""
        worker = self._worker
        is_one_iteration = limits.last_start_ns is not None and limits.last_start_ns <= limits.began_ns
        if not is_one_iteration and self._lines == 1:
            win = self._find_vcf(limits)
            if win is not None:
                on_iteration(win)
                return win
            best = self._guard(limits)
            if worker.root_count == 1 and not limits.is_analysis:
                return best
        if is_one_iteration:
            return self._iterate(limits, [ONE_ITERATION_DEPTH], best, on_iteration)
        deepest = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        with self._helpers.searching(self._state, worker, deepest):
            best = self._iterate(limits, range(1, deepest + 1), best, on_iteration)
        return self._elect(limits, best, on_iteration)

    def _iterate(
        self, limits: SearchLimits, depths: Iterable[int], best: Report, on_iteration: Callable[[Report], None]
    ) -> Report:
        """What is best after one iteration after the other."""
        iterations = []
        for depth in depths:
            best = self._search_lines(limits, depth, best, on_iteration)
            iterations.append(best)
            if self._worker.is_stopped:
                return best._replace(nodes=self._nodes, elapsed_ms=self._elapsed_ms(limits))
            if is_settled(depth, best.score):
                break
            if not may_go_on(limits, iterations, self.now_ns()):
                break
        return best

    def _elect(self, limits: SearchLimits, best: Report, on_iteration: Callable[[Report], None]) -> Report:
        """What is best by the vote of all threads."""
        if self._lines > 1:
            return best
        elected = vote([best, *(self._report(limits, *found) for found in self._helpers.found)])
        if elected.move != best.move:
            on_iteration(self._note(elected))
        return elected._replace(nodes=self._nodes)

    def _set_limits(self, deadline_ns: int | None, nodes: int | None) -> None:
        """When the kernel stops from now on; if it had already stopped, it goes on."""
        worker = self._worker
        worker.deadline_ns = UNLIMITED if deadline_ns is None else deadline_ns
        worker.node_limit = UNLIMITED if nodes is None else nodes
        worker.is_stopped = worker.next_check = 0

    @contextmanager
    def _share(self, limits: SearchLimits, share: float) -> Iterator[None]:
        """Let the kernel use no more than a share of what is left of the limits."""
        used = self._worker.nodes
        nodes = None if limits.nodes is None else used + int(share * max(0, limits.nodes - used))
        self._set_limits(share_ns(limits, self.now_ns(), share), nodes)
        yield
        self._set_limits(limits.deadline_ns, limits.nodes)

    @property
    def _nodes(self) -> int:
        """Of all threads."""
        return int(self._worker.nodes) + self._helpers.nodes

    def _elapsed_ms(self, limits: SearchLimits) -> float:
        return (self.now_ns() - limits.began_ns) / NS_PER_MS

    def _report(self, limits: SearchLimits, depth: int, score: int, line: list[int]) -> Report:
        """What the search has found up to now."""
        moves, selective_depth = tuple(move_at(cell) for cell in line), max(depth, self._worker.selective_depth)
        return Report(depth, selective_depth, score, self._nodes, self._elapsed_ms(limits), moves)

    def _note(self, best: Report) -> Report:
        """Let other threads know what is best."""
        self._best = best
        return best

    def _note_first_root_move(self, limits: SearchLimits) -> Report:
        """What is best before anything is searched."""
        return self._note(self._report(limits, 0, self.value, [self._worker.root_moves[0]]))

    def _find_vcf(self, limits: SearchLimits) -> Report | None:
        """A win by continuous fours, or None if none was found."""
        worker = self._worker
        with self._share(limits, ROOT_VCF_SHARE):
            plies = self._library.root_vcf(self._state, worker, ROOT_FOURS, ROOT_VCF_NODES)
        if plies == 0:
            return None
        return self._note(self._report(limits, plies, WIN - plies, worker.line[: worker.line_length]))

    def _guard(self, limits: SearchLimits) -> Report:
        """Leave out root moves that lose to a VCF of the opponent."""
        with self._share(limits, GUARD_SHARE):
            self._library.guard_root(self._state, self._worker, ROOT_FOURS, GUARD_NODES)
        return self._note_first_root_move(limits)

    def _search_lines(
        self, limits: SearchLimits, depth: int, best: Report, on_iteration: Callable[[Report], None]
    ) -> Report:
        """One iteration for each line, the moves of better lines being left out; what is best then."""
        worker = self._worker
        lines: list[Report] = []
        for rank in range(min(self._lines, worker.root_count)):
            self._helpers.iterate(self._state, worker, depth, rank)
            if worker.has_line:
                found = self._report(limits, depth, worker.score, worker.line[: worker.line_length])
                best = self._note(found) if rank == 0 or found.score > best.score else best
                lines.append(found)
            if worker.is_stopped:
                return best
        for rank, place in enumerate(self._sort_lines([line.score for line in lines]), 1):
            on_iteration(lines[place]._replace(rank=rank))
        return best

    def _sort_lines(self, scores: list[int]) -> list[int]:
        """Sort the first root moves by these scores; their old places. A line may turn out better than those before."""
        worker = self._worker
        places = sorted(range(len(scores)), key=lambda place: -scores[place])
        moves = list(worker.root_moves[: len(places)])
        known = list(worker.root_scores[: len(places)])
        for rank, place in enumerate(places):
            worker.root_moves[rank], worker.root_scores[rank] = moves[place], known[place]
        return places
