"""The table's size under the manager's limits, and its pages."""

import ctypes
import mmap
import sys
import threading
import time
from pathlib import Path

import pytest

from pbrain.core.notation import parse_position
from pbrain.core.types import Limits, Rule
from pbrain.engine.engine import Engine
from pbrain.engine.memory import HUGE_PAGE, MIB, THREADS_SPACE, Table, prepare_pages, table_bytes
from pbrain.engine.timeman import search_limits
from pbrain.library.native import Library


@pytest.mark.parametrize(
    ("limit", "asked", "expected_mib"),
    [
        (None, None, 286),
        (350 * MIB, None, 286),
        (367_001_600, None, 286),
        (1024 * MIB, None, 960),
        (128 * MIB, None, 64),
        (70 * MIB + 1, None, 6),
        (10 * MIB, None, 1),
        (1, None, 1),
        (None, 512 * MIB, 512),
        (None, 3 * MIB, 3),
        (None, 1, 1),
        (1 << 50, None, 4096),
        (None, 1 << 50, 4096),
        (350 * MIB, 4096 * MIB, 286),
        (350 * MIB, 16 * MIB, 16),
    ],
)
def test_table_bytes(limit: int | None, asked: int | None, expected_mib: int) -> None:
    assert table_bytes(limit, asked) == expected_mib * MIB


def words_of(table: Table) -> "ctypes.Array[ctypes.c_uint64]":
    return (ctypes.c_uint64 * (table.size // 8)).from_address(table.address)


def test_a_table_is_zeroed_writable_and_given_back() -> None:
    table = Table(MIB)
    assert table.clusters == MIB // 64
    words = words_of(table)
    assert not any(words)
    words[-1] = 1
    assert words[-1] == 1
    table.close()


def test_a_table_that_the_system_refuses_is_halved_until_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    real, refused = mmap.mmap, []

    def meagre(fileno: int, length: int, **options: int) -> mmap.mmap:
        if length > 8 * MIB + THREADS_SPACE:
            refused.append(length - THREADS_SPACE)
            raise OSError("no memory")
        return real(fileno, length, **options)

    monkeypatch.setattr(mmap, "mmap", meagre)
    table = Table(20 * MIB)
    assert refused == [20 * MIB, 10 * MIB]
    assert (table.size, table.clusters) == (5 * MIB, 5 * MIB // 64)
    table.close()


# -- pages -------------------------------------------------------------------------------------------------------------


def wait_for_preparation() -> None:
    while any(thread._target is prepare_pages for thread in threading.enumerate()):  # type: ignore[attr-defined]
        time.sleep(0.005)


def resident_bytes(table: Table) -> int:
    """How much of the mapping that holds the table is memory."""
    resident = 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split()[0]
        if "-" in first and ":" not in first:
            begin, end = (int(part, 16) for part in first.split("-"))
        elif first == "Rss:" and begin < table.address + table.size and end > table.address:
            resident += 1024 * int(line.split()[1])
    return resident


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
def test_pages_are_provided_and_keep_what_they_hold(library: Library) -> None:
    table = Table(9 * MIB)
    words = words_of(table)
    step = 999  # words: some in each page
    for i in range(0, len(words), step):
        words[i] = i
    before = bytes(words)
    table.prepare(library.touch)
    wait_for_preparation()
    assert resident_bytes(table) >= table.size
    assert bytes(words) == before
    table.close()


@linux
def test_no_page_is_touched_before_a_lower_limit_may_have_come(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbrain.engine.memory.PREPARES_AFTER_S", 60.0)  # however long this test takes
    table = Table(64 * MIB)
    table.prepare(library.touch)
    time.sleep(0.2)  # enough to touch them all
    touched = resident_bytes(table)
    table.close()
    assert touched <= HUGE_PAGE
    wait_for_preparation()


def test_a_search_gets_small_pages_at_once_and_huge_ones_later(monkeypatch: pytest.MonkeyPatch) -> None:
    provided = []

    def provide(table: Table, offset: int, _touch: object, is_huge: bool) -> None:
        provided.append((offset // HUGE_PAGE, is_huge, table._is_idle.is_set()))

    monkeypatch.setattr(Table, "provide", provide)
    monkeypatch.setattr(sys, "platform", "linux")
    table = Table(6 * MIB)
    with table.in_use():
        table.prepare(lambda _address, _size: None)
        while len(provided) < 3:
            time.sleep(0.001)
        time.sleep(0.05)
        assert provided == [(page, False, False) for page in range(3)]
    wait_for_preparation()
    assert provided[3:] == [(page, True, True) for page in range(3)]


def test_a_table_can_be_closed_or_lost_while_its_pages_are_prepared() -> None:
    touched = []

    def touch(_address: int, _size: int) -> None:
        touched.append(1)
        time.sleep(0.01)

    for is_closed in (True, False):
        table = Table(256 * MIB)
        table.prepare(touch)
        while not touched:
            time.sleep(0.001)
        if is_closed:
            table.close()
        del table
        wait_for_preparation()
        assert len(touched) < 100
        touched.clear()


def test_a_system_without_more_threads_leaves_the_pages_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    table = Table(2 * MIB)
    table.prepare(lambda _address, _size: None)
    table.close()


def test_nobody_waits_to_prepare_a_table_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbrain.engine.memory.PREPARES_AFTER_S", 60.0)  # closing ends it at once
    touched: list[int] = []
    for _ in range(20):
        table = Table(4 * MIB)
        table.prepare(lambda _address, size: touched.append(size))
        table.close()
        wait_for_preparation()
    assert not touched


def test_a_table_that_nothing_was_searched_with_is_kept(library: Library) -> None:
    engine = Engine(library)
    engine.set_table_bytes(4 * MIB)
    engine.prepare_table()
    prepared = engine._table
    engine.new_game(15, 15, Rule.FREESTYLE)
    assert engine._table is prepared
    engine.search(2)
    engine.new_game(15, 15, Rule.FREESTYLE)
    assert engine._table is None
    engine.prepare_table()
    engine.set_table_bytes(5 * MIB)
    assert engine._table is None
    wait_for_preparation()


def test_after_any_number_of_searches_a_new_game_knows_nothing(library: Library) -> None:
    """The age of a table's entries begins again after 255 searches."""
    engine = Engine(library)
    engine.set_table_bytes(MIB)
    for move in parse_position("h8h9i9g7"):
        engine.play(*move)
    for _ in range(255):
        engine.search(1)
    engine.search(6)
    assert any(engine._worker.history[0])
    engine.new_game(15, 15, Rule.FREESTYLE)
    assert engine._table is None
    assert not any(engine._worker.history[0])


def first_search_s(library: Library, is_prepared: bool) -> float:
    """The CPU time of the first 200,000 nodes of a game."""
    engine = Engine(library)
    for move in parse_position("h8h9i9g7"):
        engine.play(*move)
    if is_prepared:
        engine.prepare_table()
        wait_for_preparation()
    begun_s = time.thread_time()
    engine.think(search_limits(Limits(nodes=200_000), engine.now_ns()))
    taken_s = time.thread_time() - begun_s
    engine.clear_table()
    return taken_s


@linux
def test_the_first_search_need_not_wait_for_pages(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    tries = [(first_search_s(library, True), first_search_s(library, False)) for _ in range(3)]
    prepared_s, unprepared_s = (min(taken) for taken in zip(*tries, strict=True))
    with capsys.disabled():
        told = f"{1000 * prepared_s:.0f} ms of CPU time, {1000 * unprepared_s:.0f} ms if no page is prepared"
        print(f"\nthe first 200,000 nodes of a game: {told}")
    assert prepared_s < 0.85 * unprepared_s
