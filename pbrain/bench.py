"""Fixed work with a signature that is the same on every machine, and the speed at which it is done."""

import ctypes
import time
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from pbrain.core.notation import parse_position
from pbrain.core.types import Rule
from pbrain.engine.engine import UNLIMITED, cell_at, prepare_tables
from pbrain.engine.evaluation import values_for
from pbrain.engine.memory import Table
from pbrain.library.native import Library, State, Tables, Worker

# Width, height, rule, moves: every rule, both usual sizes, an edge, a corner, a crowded board and a narrow one.
POSITIONS: tuple[tuple[int, int, Rule, str], ...] = (
    (15, 15, Rule.FREESTYLE, "h8h9i9g7"),
    (15, 15, Rule.FREESTYLE, "c3d4d3e3c5b6e5f6"),
    (20, 20, Rule.FREESTYLE, "k10l11l10m10j11k12i10"),
    (20, 20, Rule.FREESTYLE, "b2c3b4d2c5e3d6f4e7g5"),
    (15, 15, Rule.EXACT_FIVE, "h8i8i9g7j10k11h10h9"),
    (15, 15, Rule.EXACT_FIVE, "n14m13n12l14m11k13"),
    (15, 15, Rule.RENJU, "h8h9j9i8g7i10k8"),
    (15, 15, Rule.RENJU, "h8i9i7g9j8f8g10h6"),
    (15, 15, Rule.CARO, "h8h9i9g8j10i10h7"),
    (20, 20, Rule.CARO_EXACT_FIVE, "j10k11k10l10i9j11h11"),
    (22, 7, Rule.FREESTYLE, "k4l3l4m4j3"),
    (6, 6, Rule.FREESTYLE, "c3d4d3c4e3b3"),
)
DEPTH = 10
TABLE_BYTES = 1 << 24

BOARD_SEEDS = 8
BOARD_STONES = 40
BOARD_SLICE_S = 0.05  # short, so that the best slices fall between whatever else the machine does
BOARD_SLICES = 12


class Searched(NamedTuple):
    """What a search of fixed depth must give on every machine."""

    nodes: int
    score: int
    cell: int


class BenchResult(NamedTuple):
    nodes: int
    seconds: float
    signature: str

    @property
    def nodes_a_second(self) -> float:
        return self.nodes / self.seconds


class BoardSpeed(NamedTuple):
    """Make/undo pairs a second: over all the time spent, and in the best slice of each position."""

    pairs: int
    mean: float
    best: float


def searches(library: Library, depth: int = DEPTH) -> Iterator[Searched]:
    """Each position searched with an empty table."""
    tables, state = Tables(), State()
    for width, height, rule, moves in POSITIONS:
        worker, table = Worker(), Table(TABLE_BYTES)
        prepare_tables(library, tables, rule, values_for(rule))
        library.clear(state, ctypes.addressof(tables), width, height)
        for x, y in parse_position(moves):
            library.make(state, cell_at(x, y), state.to_move)
        worker.table, worker.table_mask = table.address, table.mask
        worker.node_limit = worker.deadline_ns = UNLIMITED
        library.begin_search(state, worker)
        for iteration in range(depth):
            library.iterate(state, worker, iteration + 1, 0)
        table.close()
        yield Searched(worker.nodes, worker.score, worker.root_moves[0])


def run(library: Library, depth: int = DEPTH) -> BenchResult:
    begun = time.perf_counter()
    results = list(searches(library, depth))
    seconds = time.perf_counter() - begun
    return BenchResult(sum(result.nodes for result in results), seconds, signature(results))


def signature(results: list[Searched]) -> str:
    return f"{zlib.crc32(repr([tuple(result) for result in results]).encode()):08x}"


def board_speed(library: Library) -> BoardSpeed:
    """Every candidate of fixed 20x20 freestyle positions, made and undone."""
    state, tables = State(), Tables()
    prepare_tables(library, tables, Rule.FREESTYLE, values_for(Rule.FREESTYLE))
    pairs, seconds, best_seconds_a_pair = 0, 0.0, 0.0
    for seed in range(BOARD_SEEDS):
        library.clear(state, ctypes.addressof(tables), 20, 20)
        library.scatter(state, seed, BOARD_STONES)
        begun = time.perf_counter()
        in_one_round = library.exercise(state, 1)
        rounds = max(1, int(BOARD_SLICE_S / (time.perf_counter() - begun)))
        best = float("inf")
        for _ in range(BOARD_SLICES):
            begun = time.perf_counter()
            library.exercise(state, rounds)
            taken = time.perf_counter() - begun
            pairs, seconds = pairs + rounds * in_one_round, seconds + taken
            best = min(best, taken / (rounds * in_one_round))
        best_seconds_a_pair += best / BOARD_SEEDS
    return BoardSpeed(pairs, pairs / seconds, 1 / best_seconds_a_pair)
