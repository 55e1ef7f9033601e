"""Learning the network: bags against the slow twin, gradients against differences, whole numbers against the kernel."""

import math

import numpy as np
import pytest

from pbrain.core.params import CLASS_STRIDE, CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import Knowledge, knowledge_for
from pbrain.learn import quantise
from pbrain.learn.bags import Bagger, Bags, joined
from pbrain.learn.game_format import Games, frame_of, frame_starts, games_in
from pbrain.learn.generate import Conditions, play_game
from pbrain.learn.network_fit import Learner, Weights, best_scale, entropy, mean_loss, slope, table_loss
from pbrain.learn.player import engine_for
from pbrain.learn.positions import UNKNOWN, Positions, decoded
from pbrain.library.native import Library
from tests import naive

SCALE = 500.0


def games_of(library: Library, rule: Rule, count: int) -> Games:
    engine, conditions = engine_for(library.path), Conditions(rule, 100, 1, 0)
    data = b"".join(frame_of(play_game(engine, conditions, number)) for number in range(count))
    return games_in(data, frame_starts(data)[0])


def positions_of(library: Library, rule: Rule, count: int = 3) -> Positions:
    (positions,) = decoded(library, games_of(library, rule, count))
    return positions


def bags_of(library: Library, rule: Rule, positions: Positions) -> Bags:
    return Bagger(library, rule, knowledge_for(rule)).packed(positions)


def board_of(positions: Positions, i: int) -> naive.Board:
    width, height = int(positions.width[i]), int(positions.height[i])
    cells = [".XO"[positions.board[i][c // 4] >> 2 * (c % 4) & 3] for c in range(width * height)]
    return [cells[y * width : (y + 1) * width] for y in range(height)]


@pytest.mark.parametrize("rule", list(Rule))
def test_a_bag_has_the_pairs_of_all_empty_cells(library: Library, rule: Rule) -> None:
    positions = positions_of(library, rule)
    bags = bags_of(library, rule, positions)
    assert bags.size == len(positions.score) > 20
    for i in range(0, bags.size, 3):
        black, white = (naive.classes(board_of(positions, i), colour, rule) for colour in "XO")
        mine, theirs = (black, white) if positions.side[i] == 0 else (white, black)
        expected: dict[int, int] = {}
        for cell, name in mine.items():
            pair = CellClass[name] * CLASS_STRIDE + CellClass[theirs[cell]]
            expected[pair] = expected.get(pair, 0) + 1
        part = slice(bags.starts[i], bags.starts[i + 1])
        assert dict(zip(bags.pairs[part].tolist(), bags.counts[part].tolist(), strict=True)) == expected
        assert bags.value[i] == max(-3000, min(naive.table_value(mine, theirs, rule), 3000))


def test_a_goal_is_the_scores_chance_and_in_part_the_result(library: Library) -> None:
    positions = positions_of(library, Rule.FREESTYLE)
    goal = bags_of(library, Rule.FREESTYLE, positions).goal
    for score, result, found in zip(positions.score.tolist(), positions.result.tolist(), goal.tolist(), strict=True):
        chance = 1 / (1 + math.exp(-max(-3000, min(score, 3000)) / 700))
        expected = chance if result == UNKNOWN else 0.7 * chance + 0.3 * (result + 1) / 2
        assert found == pytest.approx(expected, abs=1e-5)


def random_weights(seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    weights = Learner(seed, 1, SCALE).weights
    return Weights(*((weight + rng.normal(0, 0.1, weight.shape)).astype(np.float32) for weight in weights))


def test_the_slope_is_that_of_the_loss(library: Library) -> None:
    """Each weight in turn is moved a little, and the loss follows its slope; rectified units may be in between."""
    bags, weights = bags_of(library, Rule.RENJU, positions_of(library, Rule.RENJU)), random_weights(1)
    places = np.arange(bags.size)
    slopes = slope(bags, places, weights, SCALE).slopes
    rng, step = np.random.default_rng(2), 1e-2
    for weight, of_weight in zip(weights, slopes, strict=True):
        flat, of_flat = weight.reshape(-1), of_weight.reshape(-1)
        steepest = np.argsort(-np.abs(of_flat))[:5]
        for i in {*steepest.tolist(), *rng.integers(len(flat), size=3).tolist()}:
            was, losses = flat[i], []
            for moved in (was + step, was - step):
                flat[i] = moved
                losses.append(bags.size * mean_loss(bags, weights, SCALE))
            flat[i] = was
            assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(of_flat[i], rel=0.05, abs=0.05)


def learned(bags: Bags, seed: int, epochs: int = 3) -> Learner:
    learner = Learner(seed, epochs, SCALE)
    for _ in range(epochs):
        learner.learn_epoch(bags, lambda _done, _loss: None)
    return learner


def test_learning_lowers_the_loss_and_the_seed_decides_it(library: Library) -> None:
    bags = bags_of(library, Rule.FREESTYLE, positions_of(library, Rule.FREESTYLE, 20))
    many = joined([bags] * 200)
    first, again, other = learned(many, 1), learned(many, 1), learned(many, 2)
    before = table_loss(bags.goal, bags.value, SCALE)
    assert entropy(bags.goal) < mean_loss(bags, first.weights, SCALE) < before - 0.01
    assert all(np.array_equal(a, b) for a, b in zip(first.weights, again.weights, strict=True))
    assert not np.array_equal(first.weights.rows, other.weights.rows)


def test_pairs_that_never_occur_count_for_nothing(library: Library) -> None:
    bags = bags_of(library, Rule.FREESTYLE, positions_of(library, Rule.FREESTYLE))
    rows = learned(bags, 1, 1).seen_weights().rows
    swapped = bags.pairs % CLASS_STRIDE * CLASS_STRIDE + bags.pairs // CLASS_STRIDE
    is_seen = np.isin(np.arange(len(rows)), np.concatenate([bags.pairs, swapped]))
    assert rows[is_seen].any(axis=1).all()
    assert not rows[~is_seen].any()


def test_a_network_that_is_known_goes_on_from_there(library: Library) -> None:
    bags = bags_of(library, Rule.FREESTYLE, positions_of(library, Rule.FREESTYLE, 20))
    network = quantise.quantised(learned(joined([bags] * 200), 1).seen_weights(), SCALE, {})
    known = quantise.unquantised(network, SCALE)
    whole, real = quantise.whole_values(bags, network), quantise.real_values(bags, known, SCALE)
    assert abs(np.mean(whole - real)) < 3
    assert np.abs(whole - real).max() < 20
    assert quantise.quantised(known, SCALE, {}) == network, "nothing is lost on the way back"
    learner = Learner(1, 1, SCALE, known)
    before = mean_loss(bags, learner.weights, SCALE)
    learner.learn_epoch(joined([bags] * 200), lambda _done, _loss: None)
    assert mean_loss(bags, learner.weights, SCALE) < before
    assert quantise.unquantised(network, SCALE).rows.tobytes() == known.rows.tobytes(), "what is known stays as it is"
    never = ~learner.squares.rows.any(axis=1)
    assert np.array_equal(learner.seen_weights().rows[never], known.rows[never]), "what these games do not show"


def test_the_scale_is_where_the_table_predicts_best() -> None:
    value = np.random.default_rng(1).normal(0, 800, 20_000)
    assert best_scale(1 / (1 + np.exp(-value / 640)), value) == pytest.approx(640, abs=10)


def test_whole_numbers_say_what_the_kernel_says(library: Library) -> None:
    rule = Rule.FREESTYLE
    positions = positions_of(library, rule, 20)
    bags = bags_of(library, rule, positions)
    weights = learned(joined([bags] * 200), 1).seen_weights()
    network = quantise.quantised(weights, SCALE, {})
    whole, real = quantise.whole_values(bags, network), quantise.real_values(bags, weights, SCALE)
    assert np.abs(whole - real).max() < 20
    assert abs(np.mean(whole - real)) < 3
    assert np.std(real) > 20

    def knowledge(rule: Rule) -> Knowledge:
        return knowledge_for(rule)._replace(network=network)

    engine = Engine(library, knowledge)
    for i in range(0, bags.size, 5):
        engine.new_game(int(positions.width[i]), int(positions.height[i]), rule)
        for colour in (positions.side[i], 1 - positions.side[i]):
            for y, row in enumerate(board_of(positions, i)):
                for x, stone in enumerate(row):
                    if stone == "XO"[colour]:
                        engine.play(x, y, int(colour))
        assert engine.to_move == positions.side[i]
        plain = Engine(library, lambda rule: knowledge_for(rule)._replace(network=None))
        plain.new_game(*engine.size, rule)
        plain.set_position(engine.stones, engine.to_move)
        assert engine.value == plain.value + whole[i]


def test_an_output_that_is_too_large_is_refused() -> None:
    weights = random_weights(1)
    with pytest.raises(ValueError, match="the output weights sum up to"):
        quantise.quantised(weights._replace(output=weights.output * 1e6), SCALE, {})
