"""Fixed work with a signature that is the same on every machine, and the speed at which it is done."""

import time
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from pbrain.core.notation import parse_position
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine, cell_at
from pbrain.engine.memory import MIB
from pbrain.library.native import Library

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
TABLE_BYTES = 16 * MIB

BOARD_SIZE = 20
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
    def nodes_per_second(self) -> float:
        return self.nodes / self.seconds


class BoardSpeed(NamedTuple):
    """Make/undo pairs per second: over all the time spent, and in the best slice of each position."""

    pairs: int
    mean: float
    best: float


class Slice(NamedTuple):
    """A stretch of make/undo pairs, and how long it took."""

    pairs: int
    seconds: float


def searches(engine: Engine, depth: int = DEPTH) -> Iterator[Searched]:
    """Each position searched with an empty table."""
    engine.set_table_bytes(TABLE_BYTES)
    for width, height, rule, moves in POSITIONS:
        engine.new_game(width, height, rule)
        for move in parse_position(moves):
            engine.play(*move)
        report = engine.search(depth)
        yield Searched(report.nodes, report.score, cell_at(*report.move))


def run(library: Library, depth: int = DEPTH) -> BenchResult:
    """Every search, timed."""
    engine = Engine(library)
    begun = time.perf_counter()
    results = list(searches(engine, depth))
    seconds = time.perf_counter() - begun
    return BenchResult(sum(result.nodes for result in results), seconds, signature(results))


def signature(results: list[Searched]) -> str:
    """Eight hexadecimal digits that depend on every node count, score and move."""
    return f"{zlib.crc32(repr([tuple(result) for result in results]).encode()):08x}"


def board_speed(library: Library) -> BoardSpeed:
    """Every candidate of random 20x20 freestyle positions, made and undone; the same positions every time."""
    engine = Engine(library)
    positions = []
    for seed in range(BOARD_SEEDS):
        engine.new_game(BOARD_SIZE, BOARD_SIZE, Rule.FREESTYLE)
        engine.scatter(seed, BOARD_STONES)
        rounds = max(1, int(BOARD_SLICE_S / exercised(engine, 1).seconds))
        positions.append([exercised(engine, rounds) for _ in range(BOARD_SLICES)])
    return summary(positions)


def exercised(engine: Engine, rounds: int) -> Slice:
    """Make and undo every candidate so many times."""
    begun = time.perf_counter()
    pairs = engine.exercise(rounds)
    return Slice(pairs, time.perf_counter() - begun)


def summary(positions: list[list[Slice]]) -> BoardSpeed:
    """The speed over all slices, and over the fastest slice of each position."""
    pairs = sum(part.pairs for slices in positions for part in slices)
    seconds = sum(part.seconds for slices in positions for part in slices)
    best = [min(part.seconds / part.pairs for part in slices) for slices in positions]
    return BoardSpeed(pairs, pairs / seconds, len(best) / sum(best))
