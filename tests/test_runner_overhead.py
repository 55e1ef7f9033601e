"""What the runner itself costs: from one brain's answer to the other brain's input."""

import gc
import io
import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from tests.runner import configuration, play
from tournament.core.model import GameRecord, PlayedMove, Termination
from tournament.event.config import Config
from tournament.event.event import Run, plan_games
from tournament.event.events import Event, MoveAsked
from tournament.event.store import Store, to_json
from tournament.stats.summary import Summary
from tournament.stats.timing import percentile
from tournament.views.screen import ScreenView

NAMES = ("one", "two")
MANY = 2000  # games that the event already has
BRAIN = Path(__file__).with_name("stopwatch_brain.py")


def gaps_ms(folder: Path) -> list[float]:
    """For each answer, when the next input of the other brain was read; files of a game's two brains interleave."""
    times = [
        [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
        for path in sorted(folder.glob("*.txt"))
    ]
    gaps = []
    for brain in times:
        for other in times:
            if brain is other:
                continue
            heard = sorted(one[0] for one in other)
            for (_, answered), (next_heard, _) in pairwise(brain):
                between = [one for one in heard if answered < one < next_heard]
                # The partner hears exactly once between an answer and the next question; other games hear at random.
                if len(between) == 1 and is_partner(brain, other):
                    gaps.append((between[0] - answered) / 1e6)
    return gaps


def is_partner(brain: list[tuple[int, ...]], other: list[tuple[int, ...]]) -> bool:
    """Two brains of one game never think at the same time, and take turns."""
    merged = sorted([(*one, 0) for one in brain] + [(*one, 1) for one in other])
    turns = [one[2] for one in merged]
    changes = sum(a != b for a, b in pairwise(turns))
    return changes > 0.95 * (len(turns) - 1)


def measured(folder: Path, games: int) -> tuple[int, float, float, float]:
    folder.mkdir()
    brains = [{"name": name, "command": [sys.executable, "-I", "-S", str(BRAIN), str(folder)]} for name in NAMES]
    records, _ = play(configuration(brains, games=games, size="20", turn="5s"), folder / "event", concurrency=2)
    assert len(records) == games
    gaps = gaps_ms(folder)
    return len(gaps), percentile(gaps, 50), percentile(gaps, 99), max(gaps)


@pytest.mark.timing
def test_the_runner_hands_moves_on_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The median; what is rarer than that is the machine's as much as the runner's, and is asked of the full run."""
    count, p50, p99, worst = measured(tmp_path / "times", 6)
    with capsys.disabled():
        print(f"\nanswer to next input over {count} moves: p50 {p50:.2f}, p99 {p99:.2f}, max {worst:.2f} ms")
    assert count > 100
    assert p50 <= 1.0


@pytest.mark.slow
@pytest.mark.timing
def test_the_runner_hands_moves_on_at_once_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count, p50, p99, worst = measured(tmp_path / "times", 40)
    with capsys.disabled():
        print(f"\nanswer to next input over {count} moves: p50 {p50:.2f}, p99 {p99:.2f}, max {worst:.2f} ms")
    assert count > 1000
    assert p50 <= 1.0
    assert p99 <= 5.0


def with_many_games(folder: Path, games: int) -> Config:
    """An event with this many games to play, after many that are in its folder already."""
    brains = [{"name": name, "command": [sys.executable, "-I", "-S", str(BRAIN), str(folder.parent)]} for name in NAMES]
    config = configuration(brains, games=MANY + games, size="20", turn="5s")
    store = Store(folder)
    store.logs.mkdir(parents=True)
    store.event_path.write_text(json.dumps(config.as_json()), encoding="utf-8")
    moves = tuple(PlayedMove(i % 20, i // 20, 1.5 + i) for i in range(60))
    records = [
        GameRecord(plan, config.board, moves, plan.number % 2, Termination.FIVE) for plan in plan_games(config)[:MANY]
    ]
    store.games_path.write_text("".join(to_json(record) + "\n" for record in records), encoding="utf-8")
    return config


@pytest.mark.timing
def test_clocks_are_undisturbed_with_the_screen_on_and_many_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four games at once: what is measured of brains that answer at once is the runner's and the machine's own.

    Each of the four has one pair, so that all brains start together and none takes time from a game beside it.
    """
    config = with_many_games(tmp_path / "event", 8)
    sink = io.StringIO()
    view = ScreenView(config, None, Console(file=sink, force_terminal=True, width=200, height=50))
    store = Store(tmp_path / "event")
    assert Run(config, store, 4, [view]).play("the same command")
    times = [move.ms for record in store.load()[MANY:] for move in record.moves]
    gaps = gaps_ms(tmp_path)
    answer, overhead = percentile(times, 99), percentile(gaps, 50)
    with capsys.disabled():
        print(
            f"\n{len(times)} answers: p50 {percentile(times, 50):.2f}, p99 {answer:.2f}, max {max(times):.2f} ms; "
            f"answer to next input: p50 {overhead:.2f}, p99 {percentile(gaps, 99):.2f} ms"
        )
    assert "2008/2008 games" in sink.getvalue()
    assert len(times) > 2000
    assert min(times) > 0
    assert answer < 2.0
    assert overhead < 1.0


class Watcher:
    """Notes what could hold up the clocks, whenever a brain is asked."""

    def __init__(self) -> None:
        self.tracked: list[int] = []
        self.intervals: set[float] = set()

    def on_event(self, event: Event, _summary: Summary) -> None:
        if isinstance(event, MoveAsked) and event.ply % 50 == 0:
            self.tracked.append(len(gc.get_objects()))
            self.intervals.add(sys.getswitchinterval())

    def close(self) -> None:
        pass


def test_nothing_large_is_left_for_the_garbage_collector_while_games_run(tmp_path: Path) -> None:
    """It stops all threads for as long as it looks; games that are over are none of its business."""
    config, before = with_many_games(tmp_path / "event", 4), sys.getswitchinterval()
    watcher = Watcher()
    assert Run(config, Store(tmp_path / "event"), 2, [watcher]).play("the same command")
    assert len(watcher.tracked) > 10
    assert max(watcher.tracked) < 20_000, f"{MANY} games are more than {60 * MANY} objects"
    assert max(watcher.intervals) < 0.001
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() == 0
