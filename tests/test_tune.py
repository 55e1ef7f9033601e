"""Learning the evaluation: the fit against data whose values are known, and a whole small run."""

import random
from pathlib import Path

import numpy as np
import pytest

from pbrain import cli, fit, selfplay, tune
from pbrain.engine import Engine
from pbrain.evaluation import hand_made, read_values, read_worth, threat_counts, values_for
from pbrain.native import Library
from pbrain.params import CLASS_STRIDE, THREAT_INDICES, CellClass
from pbrain.types import Rule
from tests import naive, snapshot


def test_the_terms_of_a_position_add_up_to_its_value(engine: Engine) -> None:
    rng = random.Random(5)
    values = tune.flat(values_for(Rule.FREESTYLE))
    engine.new_game(15, 15, Rule.FREESTYLE)
    for _ in range(20):
        engine.play(*rng.choice(sorted(snapshot.candidates(engine)) or [(7, 7)]))
        board, names = snapshot.board(engine), "XO"
        mine, theirs = (naive.classes(board, names[side], 0) for side in (engine.to_move, 1 - engine.to_move))
        found = selfplay.terms_of(engine)
        expected = [CellClass[mine[cell]] * CLASS_STRIDE + CellClass[theirs[cell]] for cell in mine]
        assert sorted(found[:-1]) == sorted(pair for pair in expected if pair != selfplay.DEAD_TO_BOTH)
        assert threat_counts(int(found[-1]) - fit.PAIRS) == list(naive.threats(mine, theirs))
        assert values[found].sum() == engine.value


def test_a_fit_finds_the_values_that_made_the_data() -> None:
    rng = np.random.default_rng(3)
    true = np.zeros(fit.TERMS)
    kinds = [CellClass.ONE, CellClass.TWO, CellClass.THREE, CellClass.FOUR]
    pairs = [mine * CLASS_STRIDE + theirs for mine in kinds for theirs in kinds]
    true[pairs] = rng.integers(-200, 200, len(pairs))
    threats = fit.PAIRS + np.array([0, 5, 900])
    true[threats] = (0, 150, -150)
    rows = np.hstack([rng.choice(pairs, (20_000, 6)), rng.choice(threats, (20_000, 1))])
    sample = fit.Sample(rows.ravel(), np.arange(0, rows.size + 1, 7), true[rows].sum(axis=1))
    found = fit.fit(sample, np.zeros(fit.TERMS))
    assert abs(found.values[pairs] - true[pairs]).max() < 12
    assert found.held_out_loss == pytest.approx(fit.loss(sample, true), abs=0.02)


def test_a_gradient_is_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(4)
    sample = fit.Sample(rng.integers(0, 50, 600), np.arange(0, 601, 6), rng.integers(-900, 900, 100))
    values = rng.normal(0, 100, fit.TERMS)
    slope = fit.gradient(sample, sample.targets, values) / fit.SCALE
    for pair in range(0, 50, 7):
        step = np.zeros(fit.TERMS)
        step[pair] = 0.5
        measured = fit.loss(sample, values + step) - fit.loss(sample, values - step)
        assert measured == pytest.approx(slope[pair], abs=1e-7)


def test_a_small_run_is_the_same_each_time(library: Library, tmp_path: Path) -> None:
    told: list[str] = []
    outputs = []
    for name in ("first", "second"):
        output = tmp_path / f"{name}.tsv"
        settings = tune.Settings(Rule.EXACT_FIVE, 6, 200, 7, tmp_path / name, output, match_games=4)
        tune.run(library, settings, told.append)
        outputs.append(output.read_text())
    assert outputs[0] == outputs[1]
    assert len(read_values(tmp_path / "first.tsv").cells) == len(CellClass)
    assert told[len(told) // 2 - 1] == told[-1]
    assert "of 4 games" in told[-1]


def test_a_table_survives_being_written(tmp_path: Path) -> None:
    threats = [(7 * index) % 5 - 2 for index in range(THREAT_INDICES)]
    table = tune.table_of(tune.flat(hand_made(read_worth())._replace(threats=threats)))
    assert table.threats == threats
    (tmp_path / "table.tsv").write_text(tune.text_of(table))
    assert read_values(tmp_path / "table.tsv") == table


def test_equal_tables_gain_nothing(library: Library) -> None:
    table = values_for(Rule.FREESTYLE)
    pairs = selfplay.match(library.path, table, table, Rule.FREESTYLE, 100, ["a", "b", "c", "d"])
    assert pairs == [1.0] * 4


def test_a_verdict_has_an_error_bar() -> None:
    assert tune.verdict([2.0, 1.0, 1.5, 0.5] * 25) == "125 of 200 games, +89 ±41 Elo"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--games", "0"], "games and nodes are numbers from 1 on"),
        (["--match", "2"], "a match has 4 games or more, in pairs; 0 is none"),
        (["--output", "nowhere/table.tsv"], "there is no folder nowhere to write table.tsv to"),
        (["--rule", "5"], "is not a rule"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_game_is_played(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["tune", "--data", str(tmp_path / "data"), "--output", str(tmp_path / "table.tsv"), *options]
    with pytest.raises(SystemExit) as refusal:
        cli.main(arguments)
    said = capsys.readouterr()
    assert (refusal.value.code, said.out) == (2, "")
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
