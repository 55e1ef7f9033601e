"""Matches between two players: pairs, error bars, and the shipped knowledge against the one made by hand."""

from pathlib import Path

import pytest

from pbrain.core.types import Rule
from pbrain.engine.evaluation import FAMILIES, FOLDER, Knowledge, hand_made, knowledge_for, network_path, read_worth
from pbrain.learn.knowledge_files import packed_knowledge
from pbrain.learn.matches import (
    Gain,
    Pairing,
    PairResult,
    append_pair,
    gain,
    gain_text,
    play_match,
    read_pairs,
    verdict,
)
from pbrain.learn.player import Player
from pbrain.learn.workers import local_workers
from pbrain.library.native import Library

RULE_OF_EACH_FAMILY = list({family: rule for rule, family in reversed(FAMILIES.items())}.values())
WITH_NETWORK = [rule for rule in RULE_OF_EACH_FAMILY if network_path(FOLDER, FAMILIES[rule]).exists()]
NODES_PER_MOVE = 3_000
PROCESSES = 2


def match(
    library: Library, rule: Rule, first: Knowledge, second: Knowledge, games: int, nodes: int = NODES_PER_MOVE
) -> list[float]:
    players = [Player(library.path, packed_knowledge(knowledge)) for knowledge in (first, second)]
    pairing = Pairing(players[0], players[1], rule, nodes, 1)
    return play_match(pairing, games // 2, local_workers(PROCESSES, library.path), None, lambda _: None)


def test_equal_players_gain_nothing(library: Library) -> None:
    shipped = knowledge_for(Rule.FREESTYLE)
    assert match(library, Rule.FREESTYLE, shipped, shipped, 8, nodes=100) == [1.0] * 4


def test_a_match_goes_on_where_it_was(library: Library, tmp_path: Path) -> None:
    """Pairs that are there are not played again, whatever else the file holds."""
    path = tmp_path / "pairs.jsonl"
    player = Player(library.path, None)
    pairing, workers = Pairing(player, player, Rule.FREESTYLE, 60, 1), local_workers(1, library.path)
    append_pair(path, PairResult(1, 2.0))
    path.write_bytes(b"nonsense\n" + path.read_bytes() + b'{"number": 0, "sco')
    told: list[list[float]] = []
    assert play_match(pairing, 3, workers, path, told.append) == [1.0, 2.0, 1.0]
    assert [len(scores) for scores in told] == [2, 3]
    assert read_pairs(path) == {0: 1.0, 1: 2.0, 2: 1.0}
    assert play_match(pairing, 2, workers, path, told.append) == [1.0, 2.0]
    assert len(told) == 2


def test_a_verdict_has_an_error_bar() -> None:
    assert verdict([2.0, 1.0, 1.5, 0.5] * 25) == "125 of 200 games, +89 ±41 Elo"


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ([2.0] * 10, "more than +277 Elo"),
        ([0.0] * 10, "less than -277 Elo"),
        ([2.0] * 2, "more than -72 Elo"),
        ([0.0] * 2, "less than +72 Elo"),
        ([1.0] * 4, "+0 ±0 Elo"),
    ],
)
def test_a_perfect_score_has_a_bound(pairs: list[float], text: str) -> None:
    """All of 20 games: a score of 83 % would win them all once in forty times."""
    assert gain_text(gain(pairs)) == text
    assert gain(pairs).is_loss == (sum(pairs) < len(pairs))


def beats(name: str, rule: Rule, pairs: list[float], capsys: pytest.CaptureFixture[str]) -> bool:
    with capsys.disabled():
        print(f"\n{rule.name}, {name}, {NODES_PER_MOVE} nodes per move: {verdict(pairs)}")
    found: Gain = gain(pairs)
    return found.elo > found.error


@pytest.mark.parametrize(
    ("rule", "games"),
    [(Rule.FREESTYLE, 80)] + [pytest.param(rule, 400, marks=pytest.mark.slow) for rule in RULE_OF_EACH_FAMILY],
)
def test_the_learned_values_beat_those_made_by_hand(
    library: Library, rule: Rule, games: int, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = match(library, rule, knowledge_for(rule)._replace(network=None), hand_made(read_worth()), games)
    assert beats("learned tables against those made by hand", rule, pairs, capsys)


@pytest.mark.parametrize(
    ("rule", "games"),
    [(Rule.FREESTYLE, 80)] + [pytest.param(rule, 400, marks=pytest.mark.slow) for rule in WITH_NETWORK],
)
def test_the_network_beats_the_tables_alone(
    library: Library, rule: Rule, games: int, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = knowledge_for(rule)
    pairs = match(library, rule, whole, whole._replace(network=None), games)
    assert beats("network against tables alone", rule, pairs, capsys)
