"""Recorded games of the match runner, to learn from their results."""

import json
from pathlib import Path

import pytest

from pbrain import cli
from pbrain.core.types import Rule
from pbrain.learn import played
from pbrain.learn.bags import goal_of
from pbrain.learn.played import as_games
from pbrain.learn.positions import decoded
from pbrain.library.native import Library
from tests import runner


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


def test_recorded_games_teach_their_results(library: Library, tmp_path: Path) -> None:
    lines = [recorded(WON_BY_BLACK, 0), recorded(WON_BY_BLACK, 0), recorded(WON_BY_BLACK, 0, rule=4)]
    lines.append(recorded(WON_BY_BLACK, 1, termination="TIMEOUT"))
    (tmp_path / "games.jsonl").write_text("\n".join(lines) + "\n")
    games = played.read_games([tmp_path], Rule.FREESTYLE)
    assert len(games) == 1
    (positions,) = decoded(library, as_games(games, Rule.FREESTYLE))
    # Black has a VCF from its fifth move on, and white must block a five in the end: nothing to judge in those.
    assert goal_of(positions).tolist() == [1, 0, 1, 0, 1, 0, 0]


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
    with pytest.raises(SystemExit) as refusal:
        cli.main(["learn", str(tmp_path / "learning"), "--events", str(tmp_path)])
    assert refusal.value.code == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "learning").exists()
