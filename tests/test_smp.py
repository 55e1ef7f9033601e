"""Two threads on one table: what they find, when they stop, and what they leave as it was."""

import random
import threading
import time
from collections.abc import Iterator
from itertools import islice

import pytest

from pbrain import bench
from pbrain.core.notation import parse_position
from pbrain.core.params import WIN, WIN_BOUND
from pbrain.core.types import Budget, Limits, Move, Report, Rule
from pbrain.engine import memory, smp
from pbrain.engine.engine import Engine
from pbrain.engine.memory import BYTES_PER_THREAD, MIB, table_bytes, threads_within
from pbrain.engine.smp import Helpers, is_settled, vote
from pbrain.engine.timeman import search_limits
from pbrain.library.native import Library, Worker
from tests import snapshot
from tests.test_puzzles import EVERYDAY, puzzles, set_up
from tests.test_search import random_position
from tests.test_soundness import check_rule

OPEN_GAME = "h8h9i9g7"  # not decided within a second
TURN_MS = 20
EVERYDAY_S, FULL_S = 4, 3600


@pytest.fixture
def pair(library: Library) -> Engine:
    """An engine with two threads."""
    engine = Engine(library)
    engine.set_threads(2)
    engine.set_table_bytes(16 * MIB)
    return engine


def put(engine: Engine, moves: str, rule: Rule = Rule.FREESTYLE, size: int = 15) -> None:
    engine.new_game(size, size, rule)
    for move in parse_position(moves):
        engine.play(*move)


def think(engine: Engine, limits: Limits, lines: int = 1) -> Report:
    engine.allow_thinking()
    return engine.think(search_limits(limits, engine.now_ns()), lines=lines)


def helper_threads() -> int:
    return sum("(_run)" in thread.name for thread in threading.enumerate())


# -- the vote ----------------------------------------------------------------------------------------------------------

A, B, C = (7, 7), (8, 8), (9, 9)


def report(depth: int, score: int, move: Move) -> Report:
    return Report(depth, depth, score, 0, 0.0, (move,))


@pytest.mark.parametrize(
    ("reports", "elected"),
    [
        ([(10, 50, A)], 0),
        ([(10, 50, A), (10, 50, B)], 0),  # the main thread's, if nothing speaks for another
        ([(10, 50, A), (11, 50, B)], 1),  # the deeper one
        ([(10, 50, A), (10, 90, B)], 1),  # the better one
        ([(11, 50, A), (10, 90, B)], 1),
        ([(10, 90, A), (12, 10, B)], 0),
        ([(10, 50, A), (12, 50, A)], 1),  # the same move: the deeper report
        ([(10, 50, A), (10, 45, B), (10, 45, B)], 1),  # two against one
        ([(0, 30, A), (3, -20, B)], 1),  # nothing searched is no vote
        ([(10, 50, A), (8, WIN - 9, B)], 1),  # a proof
        ([(12, WIN - 11, A), (8, WIN - 9, B)], 1),  # the shorter win
        ([(10, 9 - WIN, A), (9, -200, B)], 1),
        ([(10, -200, A), (9, 9 - WIN, B)], 0),
        ([(10, 9 - WIN, A), (9, 11 - WIN, B)], 0),
    ],
)
def test_vote(reports: list[tuple[int, int, Move]], elected: int) -> None:
    given = [report(*one) for one in reports]
    assert vote(given) is given[elected]


@pytest.mark.parametrize(
    ("depth", "score", "expected"),
    [(3, 500, False), (3, WIN - 20, True), (3, 20 - WIN, False), (20, 20 - WIN, False), (21, 20 - WIN, True)],
)
def test_a_loss_is_settled_when_it_is_searched_to_its_end(depth: int, score: int, expected: bool) -> None:
    assert is_settled(depth, score) == expected


# -- how many ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "asked", "expected"),
    [
        (None, 1, 1),
        (None, 2, 2),
        (None, 9, 8),
        (None, 0, 1),
        (None, -3, 1),
        (1, 8, 1),
        (memory.RESERVED + 2 * BYTES_PER_THREAD, 8, 2),
        (memory.RESERVED + 6 * BYTES_PER_THREAD, 8, 4),
    ],
)
def test_threads_are_limited_by_cpus_and_memory(
    limit: int | None, asked: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "max_threads", lambda: 8)
    assert threads_within(limit, asked) == expected


def test_each_thread_takes_its_memory_from_the_table() -> None:
    assert table_bytes(None) - table_bytes(None, None, 3) >= 2 * BYTES_PER_THREAD - MIB
    assert table_bytes(None, 16 * MIB, 3) == 16 * MIB


# -- what they find ----------------------------------------------------------------------------------------------------


def won_puzzles() -> Iterator[dict[str, object]]:
    yield from puzzles(EVERYDAY / "vcf_freestyle_15.jsonl")


@pytest.mark.parametrize("count", [8, pytest.param(1_000, marks=pytest.mark.slow)])
def test_two_threads_find_the_same_wins(engine: Engine, pair: Engine, count: int) -> None:
    """With two lines, so that the search has to find what a VCF would."""
    found = 0
    for puzzle in islice(won_puzzles(), count):
        limits = Limits(None, 10, 200_000, is_analysis=True)
        more = limits._replace(nodes=800_000)  # what two threads search depends on chance
        for one in (engine, pair):
            set_up(one, puzzle, Rule.FREESTYLE)
        alone, both = think(engine, limits, 2), think(pair, more, 2)
        if alone.score >= WIN_BOUND:
            found += 1
            assert both.score >= WIN_BOUND, puzzle
    assert found > count // 4


def test_a_helper_searches_and_counts(pair: Engine) -> None:
    put(pair, OPEN_GAME)
    before = snapshot.state_bytes(pair)
    reports: list[Report] = []
    pair.allow_thinking()
    result = pair.think(search_limits(Limits(None, 11), pair.now_ns()), reports.append)
    assert snapshot.state_bytes(pair) == before
    assert pair._helpers.nodes > 0
    assert result.nodes > pair._worker.nodes
    assert [one.nodes for one in reports] == sorted(one.nodes for one in reports)


@pytest.mark.parametrize("nodes", [1, 1_000, 50_000])
def test_all_threads_share_the_nodes(pair: Engine, nodes: int) -> None:
    put(pair, OPEN_GAME)
    result = think(pair, Limits(None, None, nodes))
    assert result.nodes == pair._worker.nodes + pair._helpers.nodes
    assert result.nodes <= nodes + 2  # each may place a stone before it looks at the limit


def test_one_thread_is_as_it_was(library: Library, pair: Engine) -> None:
    """After two threads, one finds what one has always found."""
    put(pair, OPEN_GAME)
    think(pair, Limits(None, 8))
    pair.set_threads(1)
    assert list(bench.searches(pair, 7)) == list(bench.searches(Engine(library), 7))
    limits = Limits(None, 9, 30_000)
    found = []
    for engine in (pair, Engine(library)):
        engine.set_table_bytes(16 * MIB)
        put(engine, OPEN_GAME)
        found.append(think(engine, limits)._replace(elapsed_ms=0))
    assert found[0] == found[1]


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("count", [40, pytest.param(5_000, marks=pytest.mark.slow)])
def test_proofs_of_two_threads_are_true(pair: Engine, rule: Rule, count: int) -> None:
    findings = check_rule(pair, rule, count, seed=2_000_000)
    assert not findings.faults, "\n".join(findings.faults)


# -- when they stop ----------------------------------------------------------------------------------------------------


def test_all_stop_when_told(pair: Engine) -> None:
    put(pair, OPEN_GAME)
    for delay_s in (0.0, 0.01, 0.1, 0.2):
        timer = threading.Timer(delay_s, pair.stop)
        pair.allow_thinking()
        timer.start()
        begun = time.perf_counter()
        pair.think(search_limits(Limits(), pair.now_ns()))
        taken_s = time.perf_counter() - begun
        assert helper_threads() == 0
        assert taken_s < delay_s + 1
        timer.join()


def test_all_stop_in_time(pair: Engine) -> None:
    put(pair, OPEN_GAME)
    result = think(pair, Limits(Budget(200, 200)))
    assert helper_threads() == 0
    assert 100 < result.elapsed_ms < 1000
    assert pair._helpers.nodes > 0


def test_a_failure_of_the_main_thread_stops_the_helpers(pair: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Report:
        time.sleep(0.02)
        raise ZeroDivisionError

    put(pair, OPEN_GAME)
    monkeypatch.setattr(Engine, "_search_lines", fail)
    with pytest.raises(ZeroDivisionError):
        think(pair, Limits())
    assert helper_threads() == 0


def test_a_failure_of_a_helper_is_told_and_holds_nobody_up(pair: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The brain ends with an ERROR line then (`failures.become_error_lines`); any other program goes on."""
    told = []

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    put(pair, OPEN_GAME)
    monkeypatch.setattr(threading, "excepthook", lambda uncaught: told.append(uncaught.exc_type))
    monkeypatch.setattr(Helpers, "_run", fail)
    assert think(pair, Limits(None, 6)).depth == 6
    assert helper_threads() == 0
    assert told == [ZeroDivisionError]


@pytest.mark.parametrize("running", [0, 1])
def test_a_system_without_more_threads_leaves_those_that_run(
    library: Library, running: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[threading.Thread] = []

    def start(thread: threading.Thread) -> None:
        if len(started) == running:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        real_start(thread)

    engine = Engine(library)
    engine.set_threads(3)
    put(engine, OPEN_GAME)
    real_start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", start)
    assert think(engine, Limits(None, 8)).depth >= 8
    assert len(started) == running
    assert helper_threads() == 0


def test_memory_for_fewer_threads_is_enough_for_those(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Worker] = []

    def worker() -> Worker:
        if len(made) == 2:
            raise MemoryError
        made.append(Worker())
        return made[-1]

    engine = Engine(library)
    monkeypatch.setattr(smp, "Worker", worker)
    engine.set_threads(8)
    assert len(engine._helpers) == 2
    put(engine, OPEN_GAME)
    assert think(engine, Limits(None, 6)).depth == 6


# -- for as long as it takes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn_ms", "seconds"), [(TURN_MS, EVERYDAY_S), pytest.param(50, FULL_S, marks=pytest.mark.slow)]
)
def test_self_play(pair: Engine, turn_ms: int, seconds: int) -> None:
    """Fast games by all rules: each move is legal, and thinking leaves the position as it was."""
    rng = random.Random(seconds)
    ends_at = time.monotonic() + seconds
    moves, least = 0, 5 * seconds  # however slow the machine is
    while time.monotonic() < ends_at or moves < least:
        rule, size = rng.choice(list(Rule)), rng.choice([9, 15, 20])
        if not random_position(pair, rule, (size, size), rng.randrange(3, 9), rng):
            continue
        while pair.winner is None and not pair.is_full and (time.monotonic() < ends_at or moves < least):
            before = snapshot.state_bytes(pair)
            result = think(pair, Limits(Budget(turn_ms, turn_ms)))
            assert snapshot.state_bytes(pair) == before
            assert not (pair.to_move == 0 and pair.is_forbidden(*result.move))
            pair.play(*result.move)
            moves += 1
