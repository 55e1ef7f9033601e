"""Learning the order of moves: its fit against data whose order is known, what it learns from, and its file."""

import random
from pathlib import Path

import numpy as np
import pytest

from pbrain.core.params import CLASS_STRIDE, CellClass
from pbrain.core.types import Move, Rule
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import FAMILIES, PLACE_SPAN, Order, hand_made, knowledge_for, read_order, read_worth
from pbrain.learn import order_fit
from pbrain.learn.choices import PAIRS, PLACES, Choices, Chooser, joined, place_beside
from pbrain.learn.generate import Conditions, play_game
from pbrain.learn.knowledge_files import order_text
from pbrain.learn.player import engine_for
from pbrain.learn.positions import BOARD_BYTES, CELLS_PER_BYTE, NO_SCORE, UNKNOWN, Positions, decoded
from pbrain.library.native import Library
from tests import naive, snapshot
from tests.self_played import as_arrays

WINNING = (CellClass.FIVE, CellClass.OPEN_FOUR, CellClass.DOUBLE_FOUR)

NO_ORDER = Order([[0] * len(CellClass) for _ in CellClass], [[[0] * PLACE_SPAN for _ in range(PLACE_SPAN)]] * 2)


def random_choices(positions: int, rng: np.random.Generator, terms: int) -> Choices:
    """Positions of two to twelve candidates, each with a random term of the first `terms` of each kind."""
    sizes = rng.integers(2, 13, positions)
    firsts = (0, PAIRS, PAIRS + PLACES)
    rows = np.column_stack([first + rng.integers(0, terms, sizes.sum()) for first in firsts])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Choices(rows, starts, np.array([rng.integers(size) for size in sizes]))


def test_a_gradient_is_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(4)
    choices = random_choices(100, rng, 20)
    values = rng.normal(0, 60, order_fit.TERMS)
    slope = order_fit.gradient(choices, values) / order_fit.SCALE
    for term in (0, 3, 19, PAIRS + 7, PAIRS + PLACES + 11):
        step = np.zeros(order_fit.TERMS)
        step[term] = 0.5
        measured = order_fit.loss(choices, values + step) - order_fit.loss(choices, values - step)
        assert measured == pytest.approx(slope[term], abs=1e-7)
        assert slope[term] != 0


def test_chances_add_up_to_one_in_each_position() -> None:
    rng = np.random.default_rng(5)
    choices = random_choices(30, rng, 20)
    values = rng.normal(0, 60, order_fit.TERMS)
    chances = order_fit.chances_of(choices, values)
    for i in range(choices.size):
        part = choices.part(i, i + 1)
        scores = [sum(values[term] for term in row) / order_fit.SCALE for row in part.terms]
        expected = np.exp(scores) / np.exp(scores).sum()
        assert chances[choices.starts[i] : choices.starts[i + 1]] == pytest.approx(expected)


def test_a_fit_finds_the_order_that_made_the_data() -> None:
    rng = np.random.default_rng(3)
    terms = 12
    choices = random_choices(30_000, rng, terms)
    true = np.zeros(order_fit.TERMS)
    kinds = np.concatenate([first + np.arange(terms) for first in (0, PAIRS)])
    true[kinds] = rng.normal(0, 90, len(kinds))
    noise = rng.gumbel(0, 1, len(choices.terms))  # the largest of scores with such noise is drawn by the softmax
    scores = order_fit.scores_of(choices, true) / order_fit.SCALE + noise
    best = [int(np.argmax(scores[first:last])) for first, last in zip(choices.starts, choices.starts[1:], strict=False)]
    values = order_fit.fitted(choices._replace(best=np.array(best)), np.zeros(order_fit.TERMS))
    for first in (0, PAIRS):
        found, expected = values[first : first + terms], true[first : first + terms]
        assert abs((found - found.mean()) - (expected - expected.mean())).max() < 8
    assert abs(values[PAIRS + PLACES :]).max() < 8


def test_pairs_that_are_never_seen_follow_their_classes() -> None:
    """The best of two moves is always TWO for the mover and ONE for the opponent; TWO for both is never seen."""
    one, two = CellClass.ONE, CellClass.TWO
    pairs = np.tile([one * CLASS_STRIDE + one, two * CLASS_STRIDE + one, one * CLASS_STRIDE + two], (500, 1))
    place = np.full(pairs.size, PAIRS)
    terms = np.column_stack([pairs.ravel(), place, place + PLACES])
    choices = Choices(terms, np.arange(0, pairs.size + 1, 3), np.ones(500, dtype=np.int64))
    prior = order_fit.flat(hand_made(read_worth()).order)
    gained = (order_fit.fitted(choices, prior) - prior)[:PAIRS].reshape(CLASS_STRIDE, CLASS_STRIDE)
    assert gained[two, one] - gained[one, one] > 200
    assert gained[two, two] - gained[one, two] > 200
    gained[np.ix_([one, two], [one, two])] = 0
    assert not gained.any()


def test_too_few_positions_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10 positions, not 9"):
        order_fit.fit(random_choices(9, np.random.default_rng(1), 5), NO_ORDER)


def test_hit_rates_count_best_moves_near_the_front() -> None:
    """The best of twenty candidates is the fifth by its score; and where all are equal, the fifth cell."""
    terms = np.column_stack([np.arange(20), np.full(20, PAIRS), np.full(20, PAIRS)])
    choices = Choices(terms, np.array([0, 20]), np.array([4]))
    falling = NO_ORDER._replace(cells=[[-theirs for theirs in CellClass] for _ in CellClass])
    assert order_fit.hit_rates(choices, falling) == order_fit.hit_rates(choices, NO_ORDER) == [0, 1, 1]
    rising = NO_ORDER._replace(cells=[[int(theirs) for theirs in CellClass] for _ in CellClass])
    assert order_fit.hit_rates(choices, rising) == [0, 0, 1]


def test_places_are_symmetric_and_far_ones_alike() -> None:
    place = place_beside
    assert place(2, 1) == place(-1, 2) == place(1, -2) == 2 * PLACE_SPAN + 1
    assert place(PLACE_SPAN, 0) == place(-3, -PLACE_SPAN) == PLACES - 1
    values = np.zeros(order_fit.TERMS)
    values[PAIRS : PAIRS + PLACES] = 5
    values[PAIRS + place(2, 1)] = 25
    near = order_fit.order_of(values).near
    assert near[0][2][1] == near[0][1][2] == 20
    assert sum(map(sum, near[0])) == 40
    assert not any(map(any, near[1]))


def position_of(engine: Engine, best: Move, score: int = 0) -> Positions:
    """The engine's position as one to learn from; black has moved first."""
    width, height = engine.size
    board = np.zeros(BOARD_BYTES, np.uint8)
    for y in range(height):
        for x in range(width):
            cell = y * width + x
            board[cell // CELLS_PER_BYTE] |= engine.stone(x, y) << 2 * (cell % CELLS_PER_BYTE)
    last, own = (y * width + x for x, y in engine.history[-1:-3:-1])
    numbers = (width, height, engine.to_move, score, UNKNOWN, best[1] * width + best[0], 0, last, own)
    return Positions(board[None], *(np.array([number]) for number in numbers))


@pytest.mark.parametrize("rule", [Rule.FREESTYLE, Rule.RENJU])
def test_choices_are_the_twins(engine: Engine, library: Library, rule: Rule) -> None:
    rng, chooser = random.Random(5), Chooser(library, rule)
    values = order_fit.flat(knowledge_for(rule).order)
    engine.new_game(15, 15, rule)
    found = 0
    for moves in range(24):
        candidates = sorted(snapshot.candidates(engine)) or [(7, 7)]
        legal = [move for move in candidates if not engine.is_forbidden(*move)]
        best = rng.choice(legal)
        is_forced = any(engine.count(side, kind) for side in (0, 1) for kind in WINNING)
        if moves >= 2:
            board, names = snapshot.board(engine), "XO"
            mine, theirs = (naive.classes(board, names[side], rule) for side in (engine.to_move, 1 - engine.to_move))
            known = [
                (x, y) for y, x in sorted((y, x) for x, y in candidates) if mine[x, y] not in ("FORBIDDEN", "SUSPECT")
            ]
            choices = chooser.packed(position_of(engine, best))
            assert choices.size == int(best in known and not is_forced)
            if choices.size:
                found += 1
                assert known[int(choices.best[0])] == best
                pairs = [CellClass[mine[cell]] * CLASS_STRIDE + CellClass[theirs[cell]] for cell in known]
                assert choices.terms[:, 0].tolist() == pairs
                beside = [naive.nearness(cell, engine.history, rule) for cell in known]
                assert (values[choices.terms[:, 1]] + values[choices.terms[:, 2]]).tolist() == beside
        if engine.cell_class(engine.to_move, *best) != CellClass.FIVE:
            engine.play(*best)
    assert found > 5


def test_forced_positions_teach_no_order(engine: Engine, library: Library) -> None:
    """An open three of either side, a four, and a lost search."""
    chooser = Chooser(library, Rule.FREESTYLE)
    for moves, is_choice in (
        ([(7, 7), (0, 0), (8, 8), (0, 2)], True),
        ([(7, 7), (0, 0), (8, 8), (0, 2), (9, 9)], False),
        ([(7, 7), (0, 0), (8, 8), (0, 2), (9, 9), (14, 0)], False),
        ([(7, 7), (6, 6), (8, 8), (0, 2), (9, 9), (14, 0), (10, 10)], False),
    ):
        engine.new_game(15, 15, Rule.FREESTYLE)
        for x, y in moves:
            engine.play(x, y)
        assert chooser.packed(position_of(engine, (6, 8))).size == is_choice
        assert chooser.packed(position_of(engine, (6, 8), score=-29_990)).size == 0
        assert chooser.packed(position_of(engine, (6, 8), score=NO_SCORE)).size == 0


def test_parts_are_joined(engine: Engine, library: Library) -> None:
    chooser = Chooser(library, Rule.FREESTYLE)
    engine.new_game(15, 15, Rule.FREESTYLE)
    parts = []
    for x, y in [(7, 7), (8, 8), (6, 8), (9, 7)]:
        engine.play(x, y)
        if len(engine.history) > 1:
            parts.append(chooser.packed(position_of(engine, (8, 7))))
    whole = joined(parts)
    for i, part in enumerate(parts):
        assert all(np.array_equal(a, b) for a, b in zip(whole.part(i, i + 1), part, strict=True))


def test_an_order_survives_being_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    order = order_fit.order_of(rng.normal(0, 100, order_fit.TERMS))
    (tmp_path / "order.tsv").write_text(order_text(order))
    assert read_order(tmp_path / "order.tsv") == order
    assert order_fit.order_of(order_fit.flat(order)) == order


@pytest.mark.parametrize(
    ("line", "replacement", "complaint"),
    [
        ("ONE\t", "", "order.tsv has no line for ONE"),
        ("ONE\t", "ONE\t1\t2\n", "order.tsv has 2 numbers for ONE, not 39"),
        ("NEAR\t1\t3", "", "order.tsv must have a line NEAR 1 3 with 8 numbers"),
        ("NEAR\t0\t7", "NEAR\t0\t7\t5\n", "order.tsv must have a line NEAR 0 7 with 8 numbers"),
    ],
)
def test_an_order_that_is_not_whole_is_refused(line: str, replacement: str, complaint: str, tmp_path: Path) -> None:
    lines = order_text(hand_made(read_worth()).order).splitlines(keepends=True)
    (tmp_path / "order.tsv").write_text("".join(replacement if one.startswith(line) else one for one in lines))
    with pytest.raises(ValueError, match=complaint):
        read_order(tmp_path / "order.tsv")


@pytest.mark.parametrize("rule", list({family: rule for rule, family in reversed(FAMILIES.items())}.values()))
def test_the_learned_order_foresees_more_best_moves_than_the_one_made_by_hand(library: Library, rule: Rule) -> None:
    """In games that it was not learned from."""
    player, conditions = engine_for(library.path), Conditions(rule, 1_000, 77, 0)
    games = as_arrays([play_game(player, conditions, number) for number in range(12)])
    chooser = Chooser(library, rule)
    choices = joined([chooser.packed(positions) for positions in decoded(library, games)])
    learned, by_hand = (
        order_fit.hit_rates(choices, order) for order in (knowledge_for(rule).order, hand_made(read_worth()).order)
    )
    assert sum(learned) > sum(by_hand)
