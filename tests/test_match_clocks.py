"""The time for a whole game: what each brain is told of it, and what it costs to use it up."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner import configuration, play
from tests.scripted_brain import scripted
from tournament.core.model import BrainSpec, GameRecord, Limits, Termination
from tournament.event.config import config_of
from tournament.event.events import MoveAsked
from tournament.play.managers import CLI, JUDGE, MANAGERS, OURS, PISKVORK, UNLIMITED_LEFT_MS, Manager, time_left
from tournament.stats.timing import moves_of

MANAGER = pytest.mark.parametrize("manager", MANAGERS.values(), ids=lambda manager: manager.name)
OUT_OF_TIME = {Termination.TIMEOUT, Termination.STALL}
ROUNDING_MS = 1.0  # the line has whole milliseconds, the record thousandths
LONGEST_START_MS = 8_000


def log_of(folder: Path, name: str) -> str:
    (log,) = (folder / "logs").glob(f"pair-00001-{name}.log")
    return log.read_text()


def told(folder: Path, name: str) -> list[list[int]]:
    """The values of `INFO time_left` that a brain was sent before its moves, game by game."""
    games = re.split(r"< (?:START|RESTART)\b", log_of(folder, name))[1:]
    return [[int(found) for found in re.findall(r"< INFO time_left (-?\d+)", game)] for game in games]


def used(record: GameRecord, name: str) -> list[float]:
    """The times of a brain's moves in a game."""
    return moves_of(record, (record.plan.black, record.plan.white).index(name))


# -- what the brains are told ------------------------------------------------------------------------------------------


CLOCKS = {"ada": {"match": "20s", "increment": "1s"}, "bob": {"match": "9s"}}


@MANAGER
def test_each_brain_is_told_its_own_time_before_every_move(tmp_path: Path, manager: Manager) -> None:
    """In each game anew: the time given, with the increments, without the times of the moves in the record."""
    clocks = {name: {**clock, "tolerance": "1m", "turn": "1m"} for name, clock in CLOCKS.items()}
    if not manager.has_options:
        del clocks["ada"]["increment"]
    scripts = {"ada": {"seconds": 0.03}, "bob": {"seconds": 0.01}}
    brains = [scripted(name, scripts[name], **clocks[name]) for name in clocks]
    records, collector = play(configuration(brains, draw_after=8, manager=manager.name), tmp_path)
    for spec, name in ((config_of({}, brains).brains[i], name) for i, name in enumerate(clocks)):
        limits = spec.limits
        assert limits.match_ms is not None
        for game, record in zip(told(tmp_path, name), records, strict=True):
            times = used(record, name)
            assert len(game) == len(times) == 4
            first = limits.match_ms + limits.increment_ms * (manager is CLI)
            assert first - LONGEST_START_MS * (manager is PISKVORK) <= game[0] <= first
            for i, left in enumerate(game):
                expected = game[0] + i * limits.increment_ms - sum(times[:i])
                assert abs(left - expected) <= ROUNDING_MS, (name, i)
    asked = [event for event in collector.events if isinstance(event, MoveAsked)]
    for event in asked if manager is not PISKVORK else ():  # there, the start is still to come
        name = (event.plan.black, event.plan.white)[event.colour]
        assert round(event.left_ms or 0) in told(tmp_path, name)[event.plan.number - 1], "what the views show"


@MANAGER
def test_without_a_match_clock_the_time_left_is_unlimited(tmp_path: Path, manager: Manager) -> None:
    brains = [scripted("ada"), scripted("bob")]
    records, collector = play(configuration(brains, draw_after=6, manager=manager.name), tmp_path)
    assert {record.termination for record in records} == {Termination.DRAW_ADJUDICATED}
    assert told(tmp_path, "ada") == told(tmp_path, "bob") == [[UNLIMITED_LEFT_MS] * 3] * 2
    assert "INFO timeout_match 0" in log_of(tmp_path, "ada")
    assert {event.left_ms for event in collector.events if isinstance(event, MoveAsked)} == {None}


@given(st.floats(-1e6, 1e9), st.none() | st.integers(1, 10**9))
def test_the_value_is_a_whole_number_and_may_be_negative(left_ms: float, match_ms: int | None) -> None:
    value = time_left(BrainSpec("a", ("a",), limits=Limits(match_ms=match_ms)), left_ms)
    assert value == UNLIMITED_LEFT_MS if match_ms is None else abs(value - left_ms) <= 0.5


@pytest.mark.parametrize("none", ["0", "0s", "0ms", "none"])
def test_no_time_for_the_game_is_no_limit_as_in_the_protocol(tmp_path: Path, none: str) -> None:
    """`INFO timeout_match 0` and `INFO max_memory 0` mean that there is no limit."""
    config = configuration([scripted("ada"), scripted("bob")], match=none, memory="0", draw_after=4)
    assert {spec.limits for spec in config.brains} == {Limits(match_ms=None, memory_bytes=None)}
    records, _ = play(config, tmp_path)
    assert {record.termination for record in records} == {Termination.DRAW_ADJUDICATED}
    assert told(tmp_path, "ada") == [[UNLIMITED_LEFT_MS] * 2] * 2


# -- using it up -------------------------------------------------------------------------------------------------------


def lost_by(record: GameRecord) -> str:
    assert record.winner is not None
    return (record.plan.black, record.plan.white)[1 - record.winner]


@MANAGER
def test_a_brain_loses_when_its_own_time_is_used_up(tmp_path: Path, manager: Manager) -> None:
    """Each move is well within the time per move; the opponent thinks too, and has more time."""
    tolerance_ms = 3000 if manager.counts_start or manager.is_start_tolerated else 300
    clock: dict[str, Any] = {"turn": "1m", "tolerance": f"{tolerance_ms}ms"}
    brains = [
        scripted("short", {"seconds": 0.25}, match="400ms", **clock),
        scripted("long", {"seconds": 0.1}, match="5m", **clock),
    ]
    records, _ = play(configuration(brains, manager=manager.name), tmp_path)
    assert len(records) == 2
    for record in records:
        assert record.termination in OUT_OF_TIME, record.detail
        assert lost_by(record) == "short"
        assert sum(used(record, "short")) <= 400 + tolerance_ms, "the tolerance is for the game, not for each move"


def test_the_time_per_move_holds_beside_the_match_clock(tmp_path: Path) -> None:
    slow = scripted("slow", {"seconds": 1.5}, match="5m", turn="100ms", tolerance="300ms")
    records, _ = play(configuration([slow, scripted("quick", match="5m")]), tmp_path)
    for record in records:
        assert record.termination in OUT_OF_TIME
        assert lost_by(record) == "slow"
        assert re.search("limit (of|is) 100 ms", record.detail)


def test_a_brain_may_live_on_the_tolerance_for_a_while(tmp_path: Path) -> None:
    """Its clock is below zero after the first move; no sentence speaks of a negative limit."""
    slow = scripted("slow", {"seconds": 0.7}, match="100ms", turn="1m", tolerance="2s")
    records, _ = play(configuration([slow, scripted("quick")]), tmp_path)
    for record in records:
        assert record.termination in OUT_OF_TIME
        assert lost_by(record) == "slow"
        assert re.search(
            r"after \d+ ms, (2\d{3} ms over its time for the game|its time for the game was used up)\n", record.detail
        )
    assert all(game[1] < 0 for game in told(tmp_path, "slow")), "the protocol allows it"


@pytest.mark.parametrize("manager", [OURS, JUDGE], ids=lambda manager: manager.name)
def test_swap2_takes_time_from_the_clock(tmp_path: Path, manager: Manager) -> None:
    script = {"swap2": {"0": "9,9 8,9 7,9", "3": "6,9 5,9", "5": "SWAP"}, "swap2_seconds": 0.2}
    clock = {"match": "20s", "turn": "10s"}
    brains = [scripted(name, script, **clock) for name in ("ada", "bob")]
    records, _ = play(configuration(brains, swap2=True, draw_after=4, manager=manager.name), tmp_path)
    assert {record.termination for record in records} == {Termination.DRAW_ADJUDICATED}
    for name in ("ada", "bob"):
        for game, questions in zip(told(tmp_path, name), (2, 1) if name == "ada" else (1, 2), strict=True):
            assert game[0] == 20_000
            assert len(game) == questions + 2
            assert all(before - after >= 200 for before, after in pairwise(game[: questions + 1]))
