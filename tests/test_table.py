"""The transposition table against a slow twin: clusters as lists of entries."""

import ctypes
import random
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from pbrain.core.params import WIN, WIN_BOUND
from pbrain.library.native import Worker

CLUSTERS = 5  # not a power of two
EXACT, LOWER_BOUND, UPPER_BOUND = 1, 2, 3
NOTHING = 0


@pytest.fixture(scope="module")
def table() -> Any:
    """The kernel's module; importing it compiles what it has, in about 3 s."""
    from pbrain.kernel import table

    return table


@dataclass
class Entry:
    key: int
    move: int
    score: int  # from the node's point of view
    depth: int
    bound: int
    age: int


@dataclass
class Twin:
    age: int = 1
    clusters: list[list[Entry | None]] = field(default_factory=lambda: [[None] * 4 for _ in range(CLUSTERS)])

    def cluster(self, key: int) -> list[Entry | None]:
        return self.clusters[CLUSTERS * (key // 2**32) // 2**32]

    def probe(self, key: int) -> Entry | None:
        for entry in self.cluster(key):
            if entry is not None and entry.key == key:
                entry.age = self.age
                return entry
        return None

    def worth(self, entry: Entry | None) -> float:
        if entry is None:
            return -1e9
        return entry.depth - 8 * ((self.age - entry.age) % 256)

    def store(self, new: Entry) -> None:
        cluster = self.cluster(new.key)
        keys = [entry.key if entry is not None else None for entry in cluster]
        if new.key not in keys:
            cluster[cluster.index(min(cluster, key=self.worth))] = new
            return
        place = keys.index(new.key)
        old = cluster[place]
        assert old is not None
        cluster[place] = replace(new, move=old.move) if new.move == NOTHING else new


@dataclass
class Native:
    """The kernel's table of CLUSTERS, in memory of its own."""

    functions: Any
    worker: Any = field(default_factory=Worker)
    memory: Any = field(default_factory=lambda: (ctypes.c_uint64 * (8 * CLUSTERS))())

    def __post_init__(self) -> None:
        from pbrain.kernel.records import WORKER_DTYPE

        self.worker.table, self.worker.table_clusters = ctypes.addressof(self.memory), CLUSTERS
        self.record = np.frombuffer(self.worker, WORKER_DTYPE)[0]

    def store(self, entry: Entry, ply: int) -> None:
        self.worker.age = entry.age
        key, move, bound = np.uint64(entry.key), np.uint64(entry.move), np.uint64(entry.bound)
        score = entry.score - ply if entry.score > WIN_BOUND else entry.score
        score = entry.score + ply if entry.score < -WIN_BOUND else score
        depth = np.int64(entry.depth)
        self.functions.store(self.record, key, move, np.int64(score), depth, bound, np.int64(ply))

    def probe(self, key: int, age: int) -> tuple[int, int, int, int] | None:
        self.worker.age = age
        data = np.uint64(self.functions.probe(self.record, np.uint64(key)))
        if data == 0:
            return None
        read = self.functions
        score = int(read.score_in(data, np.int64(0)))
        return int(read.move_in(data)), score, int(read.depth_in(data)), int(read.bound_in(data))


def random_entry(rng: random.Random, keys: list[int], age: int) -> Entry:
    key = rng.choice(keys)
    depth, bound = rng.randrange(30), rng.choice([EXACT, LOWER_BOUND, UPPER_BOUND])
    score = rng.choice([0, -31, 2_000, WIN - 40, 40 - WIN])
    return Entry(key, rng.choice([0, 165, 700]), score, depth, bound, age)


@pytest.mark.parametrize("rounds", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_it_keeps_what_its_twin_keeps(table: Any, rounds: int) -> None:
    rng = random.Random(rounds)
    keys = [rng.getrandbits(64) for _ in range(40)]
    twin, native = Twin(), Native(table)
    hits = 0
    for _ in range(rounds):
        if rng.random() < 0.02:
            twin.age = twin.age % 255 + 1
        entry = random_entry(rng, keys, twin.age)
        native.store(entry, rng.randrange(20))
        twin.store(entry)
        key = rng.choice(keys)
        expected = twin.probe(key)
        hits += expected is not None
        found = native.probe(key, twin.age)
        if expected is None:
            assert found is None
        else:
            assert found == (expected.move, expected.score, expected.depth, expected.bound)
    assert rounds // 5 < hits < rounds


def test_every_cluster_of_any_number_is_used_alike(table: Any) -> None:
    rng = random.Random(1)
    native = Native(table)
    counts = [0] * CLUSTERS
    for _ in range(5_000):
        place = int(table.cluster_of(native.record, np.uint64(rng.getrandbits(64)))) - native.worker.table
        assert place % 64 == 0
        counts[place // 64] += 1
    assert all(abs(count - 1_000) < 150 for count in counts)


def test_an_entry_torn_between_two_threads_is_not_found(table: Any) -> None:
    native = Native(table)
    entry = Entry(0x0123_4567_89AB_CDEF, 165, 40, 9, EXACT, 1)
    native.store(entry, 0)
    assert native.probe(entry.key, 1) is not None
    (word,) = [i for i, data in enumerate(native.memory) if data and i % 2]
    native.memory[word] ^= 1 << 40
    assert native.probe(entry.key, 1) is None


def test_touching_changes_nothing(table: Any) -> None:
    memory = (ctypes.c_uint64 * 2048)(*range(2048))
    table.touch(np.uint64(ctypes.addressof(memory)), np.uint64(ctypes.sizeof(memory)))
    assert list(memory) == list(range(2048))
