"""Learning the evaluation: the fit against data whose values are known, and a whole small run."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from pbrain import cli
from pbrain.core.params import CLASS_STRIDE, THREAT_INDICES, CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import (
    FAMILIES,
    hand_made,
    knowledge_for,
    read_order,
    read_values,
    read_worth,
    threat_counts,
)
from pbrain.learn import fit, played, selfplay, tune
from pbrain.library.native import Library
from tests import naive, runner, snapshot

RULE_OF_EACH_FAMILY = list({family: rule for rule, family in reversed(FAMILIES.items())}.values())


def test_the_terms_of_a_position_add_up_to_its_value(engine: Engine) -> None:
    rng = random.Random(5)
    values = tune.flat(knowledge_for(Rule.FREESTYLE).values)
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
    sample = fit.Sample(rows.ravel(), np.arange(0, rows.size + 1, 7), fit.win_chance(true[rows].sum(axis=1)))
    found = fit.fit(sample, np.zeros(fit.TERMS))
    assert abs(found.values[pairs] - true[pairs]).max() < 12
    assert found.held_out_loss == pytest.approx(fit.loss(sample, true), abs=0.02)


def test_a_gradient_is_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(4)
    sample = fit.Sample(rng.integers(0, 50, 600), np.arange(0, 601, 6), rng.random(100))
    values = rng.normal(0, 100, fit.TERMS)
    slope = fit.gradient(sample, values) / fit.SCALE
    for pair in range(0, 50, 7):
        step = np.zeros(fit.TERMS)
        step[pair] = 0.5
        measured = fit.loss(sample, values + step) - fit.loss(sample, values - step)
        assert measured == pytest.approx(slope[pair], abs=1e-7)


def test_interleaved_samples_keep_their_positions() -> None:
    """Every part of the whole holds its share of each."""
    rng = np.random.default_rng(6)
    samples = []
    for size, mark in ((50, 0.0), (23, 1.0)):
        lengths = rng.integers(1, 5, size)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        samples.append(fit.Sample(rng.integers(0, 99, starts[-1]), starts, np.full(size, mark)))
    whole = fit.interleaved(samples, 10)
    assert whole.part(0, 36).chances.sum() == pytest.approx(23 / 2, abs=2)
    for sample, mark in zip(samples, (0.0, 1.0), strict=True):
        kept = [whole.part(i, i + 1).terms.tolist() for i in range(whole.size) if whole.chances[i] == mark]
        assert kept == [sample.part(i, i + 1).terms.tolist() for i in range(sample.size)]


def recorded(moves: str, winner: int | None, rule: int = 0, termination: str = "FIVE") -> str:
    """A game as the runner writes it, its first two moves being the opening."""
    cells = [(ord(name[0]) - ord("a"), int(name[1:])) for name in moves.split()]
    return json.dumps(
        {
            "plan": {"opening": {"moves": cells[:2]}},
            "board": {"width": 15, "height": 15, "rule": rule},
            "moves": [{"x": x, "y": y, "ms": 1.0} for x, y in cells[2:]],
            "winner": winner,
            "termination": termination,
        }
    )


WON_BY_BLACK = "h7 a0 h8 b0 g7 c1 i9 d3 h9 e5 h10 a9 h6"


def test_recorded_games_teach_their_results(engine: Engine, tmp_path: Path) -> None:
    lines = [recorded(WON_BY_BLACK, 0), recorded(WON_BY_BLACK, 0), recorded(WON_BY_BLACK, 0, rule=4)]
    lines.append(recorded(WON_BY_BLACK, 1, termination="TIMEOUT"))
    (tmp_path / "games.jsonl").write_text("\n".join(lines) + "\n")
    (game,) = played.read_games([tmp_path], Rule.FREESTYLE)
    positions = selfplay.positions_of(engine, Rule.FREESTYLE, game)
    # Black has a VCF from its fifth move on, and white must block a five in the end: nothing to judge in those.
    assert [position.chance for position in positions] == [1, 0, 1, 0, 1, 0, 0]
    engine.new_game(15, 15, Rule.FREESTYLE)
    for x, y in game.opening:
        engine.play(x, y)
    assert positions[0].terms.tolist() == selfplay.terms_of(engine).tolist()


def test_a_run_learns_from_recorded_games_too(library: Library, tmp_path: Path) -> None:
    game = played.read_line(recorded(WON_BY_BLACK, 0), Rule.FREESTYLE)
    assert game is not None
    texts = []
    for number, games in enumerate(([], [game])):
        output = tmp_path / f"{number}.tsv"
        settings = tune.Settings(Rule.FREESTYLE, 4, 200, 7, tmp_path / "data", games, output, None, match_games=0)
        tune.run(library, settings, lambda _: None)
        texts.append(output.read_text())
    assert texts[0] != texts[1]


def test_the_runner_writes_what_is_learned_from(tmp_path: Path) -> None:
    records, _ = runner.play(runner.configuration([runner.fake("none"), runner.fake("none", name="other")]), tmp_path)
    games = played.read_games([tmp_path], Rule.FREESTYLE)
    assert {(game.moves, game.winner) for game in games} == {
        (tuple((move.x, move.y) for move in record.moves), record.winner)
        for record in records
        if record.termination.name == "FIVE"
    }
    assert games


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "is not the folder of an event: it has no games.jsonl"),
        ("{}\n", "games.jsonl, line 1: not a game (KeyError('board'))"),
        ("nonsense\n", "games.jsonl, line 1: not a game"),
        (recorded(WON_BY_BLACK, 0, rule=4), "no game of rule 0 was decided on the board in"),
    ],
)
def test_what_is_no_event_is_refused(
    text: str | None, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "games.jsonl").write_text(text)
    arguments = ["--data", str(tmp_path / "data"), "--values", str(tmp_path / "x.tsv"), "--events", str(tmp_path)]
    with pytest.raises(SystemExit) as refusal:
        cli.main(["tune", *arguments])
    assert refusal.value.code == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "x.tsv").exists()


def test_a_small_run_is_the_same_each_time(library: Library, tmp_path: Path) -> None:
    told: list[str] = []
    outputs = []
    for name in ("first", "second"):
        values, order = (tmp_path / f"{name}{kind}.tsv" for kind in ("", "_order"))
        settings = tune.Settings(Rule.EXACT_FIVE, 6, 200, 7, tmp_path / name, [], values, order, match_games=4)
        tune.run(library, settings, told.append)
        outputs.append((values.read_text(), order.read_text()))
    assert outputs[0] == outputs[1]
    assert len(read_values(tmp_path / "first.tsv").cells) == len(CellClass)
    assert read_order(tmp_path / "first_order.tsv") != hand_made(read_worth()).order
    assert told[len(told) // 2 - 1] == told[-1]
    assert "of 4 games" in told[-1]
    rates = [line for line in told[: len(told) // 2] if line.startswith("  ")]
    assert [line.split(":")[0].strip() for line in rates] == ["made by hand", "in use", "learned"]


@pytest.mark.parametrize("learned", ["values", "order"])
def test_only_what_has_a_file_is_learned(library: Library, tmp_path: Path, learned: str) -> None:
    output = tmp_path / "table.tsv"
    values, order = (output if name == learned else None for name in ("values", "order"))
    settings = tune.Settings(Rule.CARO, 6, 400, 7, tmp_path / "data", [], values, order, match_games=0)
    tune.run(library, settings, lambda _: None)
    assert {path.name for path in tmp_path.iterdir()} == {"data", "table.tsv"}
    assert (read_values if learned == "values" else read_order)(output)


def test_a_table_survives_being_written(tmp_path: Path) -> None:
    threats = [(7 * index) % 5 - 2 for index in range(THREAT_INDICES)]
    table = tune.table_of(tune.flat(hand_made(read_worth()).values._replace(threats=threats)))
    assert table.threats == threats
    (tmp_path / "table.tsv").write_text(tune.text_of(table))
    assert read_values(tmp_path / "table.tsv") == table


def test_equal_tables_gain_nothing(library: Library) -> None:
    tables = knowledge_for(Rule.FREESTYLE)
    pairs = selfplay.match(library.path, tables, tables, Rule.FREESTYLE, 100, ["a", "b", "c", "d"])
    assert pairs == [1.0] * 4


NODES_PER_MOVE = 3_000


@pytest.mark.parametrize(
    ("rule", "games"),
    [(Rule.FREESTYLE, 80)] + [pytest.param(rule, 400, marks=pytest.mark.slow) for rule in RULE_OF_EACH_FAMILY],
)
def test_the_learned_values_beat_those_made_by_hand(
    library: Library, rule: Rule, games: int, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = [f"learned {i}" for i in range(games // 2)]
    tables = knowledge_for(rule), hand_made(read_worth())
    pairs = selfplay.match(library.path, *tables, rule, NODES_PER_MOVE, seeds)
    with capsys.disabled():
        print(f"\n{rule.name}, learned against made by hand, {NODES_PER_MOVE} nodes per move: {tune.verdict(pairs)}")
    gained, error = tune.gain(pairs)
    assert gained > error


def test_a_verdict_has_an_error_bar() -> None:
    assert tune.verdict([2.0, 1.0, 1.5, 0.5] * 25) == "125 of 200 games, +89 ±41 Elo"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--games", "0"], "--games and --nodes must be at least 1"),
        (["--match", "2"], "--match must be 0, or at least 4 to have an error bar"),
        (["--values", "nowhere/table.tsv"], "nowhere/table.tsv cannot be written: there is no folder nowhere"),
        (["--order", "nowhere/order.tsv"], "nowhere/order.tsv cannot be written: there is no folder nowhere"),
        (["--rule", "5"], "is not a rule"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_game_is_played(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["tune", "--data", str(tmp_path / "data"), "--values", str(tmp_path / "table.tsv"), *options]
    with pytest.raises(SystemExit) as refusal:
        cli.main(arguments)
    said = capsys.readouterr()
    assert (refusal.value.code, said.out) == (2, "")
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_to_write_must_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["tune", "--data", str(tmp_path)])
    assert "what is to be learned? --values FILE.tsv, --order FILE.tsv, or both" in capsys.readouterr().err
