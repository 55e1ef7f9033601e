"""How far the search looks, against slow twins: the next move, move limits, reductions, and the correction history."""

import math
import random
from typing import Any

import numpy as np
import pytest

from pbrain.core.parameters import INDEX, PARAMETERS
from pbrain.core.params import MAX_MOVES, MAX_STATIC, PLY
from pbrain.library.native import Worker

VALUE = {name: PARAMETERS[index].value for name, index in INDEX.items()}
ROUNDS = 2_000


@pytest.fixture(scope="module")
def kernel() -> Any:
    """The kernel's modules; importing them compiles what they have, in a few seconds."""
    from pbrain.kernel import corrections, moves, selectivity

    return {**vars(corrections), **vars(moves), **vars(selectivity)}


@pytest.fixture
def worker() -> Any:
    from pbrain.kernel.records import WORKER_DTYPE

    return np.frombuffer(Worker(), WORKER_DTYPE)[0]


def number(value: int) -> np.int64:
    return np.int64(value)


def count(value: int) -> np.uint64:
    return np.uint64(value)


def test_the_next_move_is_the_first_of_the_best(kernel: Any, worker: Any) -> None:
    rng = random.Random(3)
    table_score = int(kernel["TABLE_MOVE_SCORE"])
    for _ in range(ROUNDS // 10):
        size = rng.choice([1, 2, 7, 8, 9, 90, MAX_MOVES])
        scores = [rng.choice([rng.randrange(-70_000, 70_000), rng.randrange(3), table_score]) for _ in range(size)]
        pairs = list(zip(scores, range(size), strict=True))
        for place, (score, move) in enumerate(pairs):
            worker["move_scores"][5, place], worker["moves"][5, place] = score, move
        for first in range(min(size, 12)):
            kernel["bring_best_forward"](worker, count(5), count(first), count(size))
            best = max(range(first, size), key=lambda place: (pairs[place][0], -place))
            pairs[first], pairs[best] = pairs[best], pairs[first]
            found = zip(worker["move_scores"][5, :size].tolist(), worker["moves"][5, :size].tolist(), strict=True)
            assert list(found) == pairs


@pytest.mark.parametrize("is_improving", [True, False])
def test_the_move_limit(kernel: Any, worker: Any, is_improving: bool) -> None:
    for depth in range(60):
        limit = min(VALUE["move_limit_base"] + VALUE["move_limit_two_plies"] * depth // 2, VALUE["max_move_limit"])
        expected = limit if is_improving else limit * VALUE["worsening_percent"] // 100
        assert kernel["move_limit"](worker, number(depth), is_improving) == expected


def eight_logs(value: int) -> int:
    """Eight times the binary logarithm, straight between powers of two, rounded down."""
    whole = int(math.log2(value))
    return math.floor(8 * (whole + value / (1 << whole) - 1))


def test_a_reduction_grows_with_depth_and_place(kernel: Any, worker: Any) -> None:
    for depth in range(1, 50):
        for index in range(80):
            expected = PLY * eight_logs(depth) * eight_logs(index + 1) // VALUE["reduction_divisor"]
            assert kernel["base_reduction"](worker, number(depth), count(index)) == expected


def test_what_changes_a_reduction(kernel: Any, worker: Any) -> None:
    rng = random.Random(1)
    for _ in range(ROUNDS):
        depth, index, history = rng.randrange(3, 40), rng.randrange(2, 60), rng.randrange(-32_000, 32_000)
        is_pv, is_urgent, is_threatened = (rng.random() < 0.5 for _ in range(3))
        base = int(kernel["base_reduction"](worker, number(depth), count(index)))
        less = max(VALUE["pv_reduction"] * is_pv, VALUE["urgent_reduction"] * is_urgent)
        whole = base - PLY * history // VALUE["reduction_history"] - less
        expected = whole // 2 if is_threatened else whole
        arguments = (worker, number(depth), count(index), number(history), is_pv, is_urgent, is_threatened)
        assert kernel["late_move_reduction"](*arguments) == expected
        new_depth = rng.randrange(1, 40 * PLY)
        kept = new_depth - int(kernel["clamped_reduction"](number(expected), number(new_depth)))
        assert kept == min(new_depth, max(new_depth - expected, min(PLY, new_depth)))


def test_internal_reductions(kernel: Any, worker: Any) -> None:
    for depth in range(40):
        no_move = VALUE["no_move_reduction"] if depth >= VALUE["internal_depth"] else 0
        assert kernel["internal_reduction"](worker, number(depth), count(0), count(0), False) == no_move
        for known in range(40):
            data, move = count(165 | known << 12), count(165)
            stale = min(max(0, depth - known) * VALUE["stale_reduction"], VALUE["max_stale_reduction"])
            assert kernel["internal_reduction"](worker, number(depth), data, move, True) == stale
            assert kernel["internal_reduction"](worker, number(depth), data, move, False) == 0


def test_corrections_follow_what_searches_find(kernel: Any, worker: Any) -> None:
    rng = random.Random(2)
    means = {(colour, threats): 0 for colour in range(2) for threats in (0, 17, 4095)}
    for _ in range(ROUNDS):
        colour, threats = place = rng.choice(list(means))
        difference, depth = rng.randrange(-3_000, 3_000), rng.randrange(40)
        kernel["correct"](worker, count(colour), count(threats), number(difference), number(depth))
        cut = 16 * max(-1_000, min(difference, 1_000))
        means[place] += (cut - means[place]) * min(depth, 16) // 256
        static = rng.randrange(-MAX_STATIC, MAX_STATIC)
        more = means[place] * VALUE["correction_weight"] // (16 * 256)
        expected = max(-MAX_STATIC, min(static + more, MAX_STATIC))
        assert kernel["corrected"](worker, count(colour), count(threats), number(static)) == expected


@pytest.mark.parametrize(
    ("static", "score", "is_news"),
    [(50, 60, True), (50, 200, True), (250, 200, False), (50, -10, True), (-50, -10, False)],
    ids=["exact", "better than a lower bound", "above it", "worse than an upper bound", "below it"],
)
def test_a_bound_on_the_wrong_side_is_no_news(kernel: Any, static: int, score: int, is_news: bool) -> None:
    """The window is from 0 to 200."""
    assert bool(kernel["is_news"](number(static), number(score), number(0), number(200))) is is_news
