"""What `--dry-run` prints: every setting that a user may have got wrong, and how long the event may take."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.runner import FAKE, OPENINGS
from tests.test_runner_commands import tournament
from tournament.core.model import Limits
from tournament.event.config import Config, config_of
from tournament.event.event import expected_games, openings_of, plan_games
from tournament.views.schedule import MAX_ROWS, duration_text, playing_plan_text, schedule_text, side_ms


def config_for(count: int = 2, sprt: dict[str, Any] | None = None, **event: Any) -> Config:
    return config_of(event, [{"name": name, "command": ["true"]} for name in "abcdef"[:count]], sprt)


def lines_of(config: Config) -> list[str]:
    return schedule_text(config, plan_games(config), expected_games(config), len(openings_of(config))).splitlines()


def test_every_setting_has_a_line() -> None:
    config = config_for(
        3, manager="judge", turn="5s", match="2m", rule=4, openings=str(OPENINGS), order="sequential", first=2
    )
    rows, settings = lines_of(config)[:6], lines_of(config)[6:]
    assert rows[5].split()[:6] == ["6", "pair", "3", "c", "-", "b"]
    assert settings == [
        "event: round-robin, 3 brains, 2 games per pairing",
        "board: 15x15, rule 4 (renju)",
        "manager: judge, that is, GomocupJudge",
        f"openings: {len(openings_of(config))} of {OPENINGS}, in the order of the file, from number 2 on; "
        "each is played twice, with colours swapped",
        "limits: 5 s per move, 120 s per game, 1 s tolerance, 350 MB",
    ]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({}, "manager: ours, that is, this runner"),
        ({"mode": "gauntlet", "heads": 2}, "event: gauntlet of 2 against the others, 3 brains, 2 games per pairing"),
        ({"mode": "knock-out"}, "  ...and the rounds that follow from the results"),
        ({"swap2": True}, "openings: chosen by the brains, Swap2"),
        ({"seed": 7}, "openings: 510 of the built-in set, in random order with seed 7; "),
        ({"size": 9}, "openings: 40 of the built-in set, in random order with seed 1; "),
        ({"turn": "none", "increment": "50ms"}, "limits: no time limit per move, 0.05 s more after each move, "),
        ({"memory": "none", "depth": 4, "nodes": 9}, "1 s tolerance, no memory limit, depth 4, 9 nodes per move"),
        ({"draw_after": 99, "resign": "3:5"}, "a draw after 99 moves, a brain resigns after 3 moves at -5 or worse"),
        ({"draw": "4:20"}, "adjudication: a draw after 4 moves of both sides within 20 of 0"),
    ],
)  # fmt: skip
def test_settings(event: dict[str, Any], line: str) -> None:
    assert line in "\n".join(lines_of(config_for(3, **event)))


def test_brains_with_different_limits_have_a_line_each() -> None:
    config = config_of({}, [{"name": "a", "command": ["true"]}, {"name": "b", "command": ["true"], "turn": "2s"}])
    assert lines_of(config)[-2:] == [
        "limits of a: 1 s per move, 1 s tolerance, 350 MB",
        "limits of b: 2 s per move, 1 s tolerance, 350 MB",
    ]
    assert "at most about 4 minutes" in playing_plan_text(config, plan_games(config), 2, 1, "")  # 2 * (35 + 70) s


def test_a_long_schedule_is_cut() -> None:
    lines = lines_of(config_for(2, {"elo1": 5}, games=20_000))
    assert lines[MAX_ROWS] == "  ...and 19900 more"
    assert lines[MAX_ROWS + 1] == "event: SPRT of 0 against 5 normalised Elo, 20000 games unless it decides"


@pytest.mark.parametrize(
    ("limits", "ms"),
    [
        (Limits(1000), 35_000),
        (Limits(1000, 10_000), 10_000),
        (Limits(5000, 10_000, 100), 13_500),
        (Limits(None, 10_000), 10_000),
        (Limits(None), None),
    ],
)
def test_the_time_of_a_side(limits: Limits, ms: float | None) -> None:
    assert side_ms(limits) == ms


def test_durations() -> None:
    texts = [duration_text(seconds) for seconds in (0.4, 90, 119, 120, 7199, 7200, 172_800)]
    assert texts == ["0 seconds", "90 seconds", "119 seconds", "2 minutes", "120 minutes", "2 hours", "2 days"]
    config = config_for(turn="none")
    assert playing_plan_text(config, plan_games(config), 2, 1, "why") == (
        "2 games, 1 at a time (why), of unknown duration as a brain has no time limit"
    )


def test_the_command_plays_nothing(tmp_path: Path) -> None:
    brain = f"{sys.executable} {FAKE} none"
    run = tournament("run", brain, brain, "--dry-run", "--concurrency", "2", "--out", str(tmp_path / "event"))
    assert (run.returncode, run.stderr) == (0, "")
    assert "manager: ours, that is, this runner\n" in run.stdout
    assert run.stdout.endswith(
        f"2 at a time (as requested), at most about 70 seconds, results in {tmp_path / 'event'}\n"
    )
    assert list(tmp_path.iterdir()) == []
