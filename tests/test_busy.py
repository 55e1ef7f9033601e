"""Moves that threads are searching: the record against a slow twin, and what a search makes of it."""

import ctypes
import random
from typing import Any

import numpy as np
import pytest

from pbrain import bench
from pbrain.core.notation import parse_position
from pbrain.core.params import BUSY_CLUSTERS, BUSY_MIN_PLIES, BUSY_WAYS
from pbrain.core.types import Limits, Rule
from pbrain.engine.engine import UNLIMITED, Engine
from pbrain.engine.memory import MIB
from pbrain.engine.timeman import search_limits
from pbrain.library.native import Busy, Worker

OPEN_GAME = "h8h9i9g7"  # not decided at DEPTH
DEPTH = BUSY_MIN_PLIES + 4
UNSEARCHED = -12_345  # a score that no search finds


class Twin:
    """A list of BUSY_WAYS moves, zeros among them, for each remainder of their keys."""

    def __init__(self) -> None:
        self.clusters = [[0] * BUSY_WAYS for _ in range(BUSY_CLUSTERS)]

    def begin(self, move: int) -> None:
        cluster = self.clusters[move % BUSY_CLUSTERS]
        for i, known in enumerate(cluster):
            if known in (0, move):
                cluster[i] = move
                return
        cluster[0] = move

    def end(self, move: int) -> None:
        cluster = self.clusters[move % BUSY_CLUSTERS]
        cluster[:] = [0 if known == move else known for known in cluster]

    def is_busy(self, move: int) -> bool:
        return move in self.clusters[move % BUSY_CLUSTERS]


@pytest.fixture(scope="module")
def kernel_busy() -> Any:
    from pbrain.kernel import busy

    return busy


@pytest.fixture
def sharing(engine: Engine) -> tuple[Engine, Any]:
    """An engine with one thread that believes itself to be one of several, and what these tell each other."""
    busy = Busy()
    engine._worker.busy = ctypes.addressof(busy)
    return engine, busy


def put(engine: Engine, moves: str) -> None:
    engine.set_table_bytes(16 * MIB)
    engine.new_game(15, 15, Rule.FREESTYLE)
    for move in parse_position(moves):
        engine.play(*move)


def is_empty(busy: Any) -> bool:
    return not any(bytes(busy))


def test_it_knows_the_moves_that_its_twin_knows(kernel_busy: Any) -> None:
    from pbrain.kernel.records import WORKER_DTYPE

    busy, worker, twin, rng = Busy(), Worker(), Twin(), random.Random(5)
    worker.busy = ctypes.addressof(busy)
    record = np.frombuffer(worker, WORKER_DTYPE)[0]
    # A few clusters, so that some overflow.
    moves = [rng.getrandbits(50) * BUSY_CLUSTERS + rng.randrange(3) for _ in range(20)]
    found = 0
    for _ in range(3_000):
        move = rng.choice(moves)
        if rng.random() < 0.6:
            kernel_busy.begin_move(record, np.uint64(move))
            twin.begin(move)
        else:
            kernel_busy.end_move(record, np.uint64(move))
            twin.end(move)
        asked = rng.choice(moves)
        found += twin.is_busy(asked)
        assert kernel_busy.is_busy(record, np.uint64(asked)) == twin.is_busy(asked)
    assert 500 < found < 2_500
    assert [list(cluster) for cluster in busy.moves] == twin.clusters


def test_a_thread_does_not_wait_for_itself(sharing: tuple[Engine, Any], library: Any) -> None:
    """It searches what a thread that is alone does, and leaves no move behind."""
    engine, busy = sharing
    assert list(bench.searches(engine)) == list(bench.searches(Engine(library)))
    assert is_empty(busy)


@pytest.mark.parametrize("nodes", [50, 5_000, 20_000])
def test_a_stopped_search_leaves_no_move_behind(sharing: tuple[Engine, Any], nodes: int) -> None:
    engine, busy = sharing
    put(engine, OPEN_GAME)
    engine.think(search_limits(Limits(None, None, nodes), engine.now_ns()))
    assert is_empty(busy)


def searched_root_moves(engine: Engine, depth: int, nodes: int) -> list[bool]:
    """Which root moves an iteration has searched after some nodes, all but the first being marked before."""
    worker = engine._worker
    for place in range(1, worker.root_count):
        worker.root_scores[place] = UNSEARCHED
    first = list(worker.root_moves[: worker.root_count])
    worker.node_limit, worker.next_check, worker.is_stopped = worker.nodes + nodes, 0, 0
    engine._library.iterate(engine._state, worker, depth, 0)
    done = {
        move
        for move, score in zip(worker.root_moves, worker.root_scores[: worker.root_count], strict=False)
        if score != UNSEARCHED
    }
    return [move in done for move in first]


def test_a_busy_root_move_is_searched_last(sharing: tuple[Engine, Any]) -> None:
    engine, busy = sharing
    put(engine, OPEN_GAME)
    engine.think(search_limits(Limits(None, DEPTH - 1), engine.now_ns()))
    worker, tables, state = engine._worker, engine._tables, engine._state
    cell = worker.root_moves[1]
    key = state.key ^ tables.zobrist[engine.to_move][cell] ^ tables.zobrist_side
    busy.moves[key % BUSY_CLUSTERS][0] = key
    done: list[bool] = []
    while sum(done) < 4:  # an iteration goes on from what the one before has stored
        done = searched_root_moves(engine, DEPTH, 500)
    assert not done[1]
    assert done[2]
    assert all(searched_root_moves(engine, DEPTH, UNLIMITED - worker.nodes))
    assert is_empty(busy)
