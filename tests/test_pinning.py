"""Pinning: each game has a CPU of its own, for all processes of both brains."""

import json
import os
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import scripted_brain
from tests.runner import Collector, configuration, local_run, play
from tests.scripted_brain import scripted
from tests.test_runner_commands import tournament
from tournament.core.model import Termination
from tournament.event.store import Store
from tournament.play.cpus import starting_on, usable_cpus
from tournament.play.managers import MANAGERS, Manager

pytestmark = pytest.mark.posix("Windows pins with job objects")

CPUS = usable_cpus()  # before any test could change them by mistake

# Logs the CPUs that the brain may use, a thread of it, and a child in a session of its own; then plays.
PROBE = """
import json, os, runpy, subprocess, sys, threading, time
name, folder, brain = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
began, seen = time.monotonic(), [sorted(os.sched_getaffinity(0))]
child = subprocess.Popen(
    [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)), flush=True); input()"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
)
seen.append(json.loads(child.stdout.readline()))
thread = threading.Thread(target=lambda: seen.append(sorted(os.sched_getaffinity(0))))
thread.start()
thread.join()
def tell():
    with open(os.path.join(folder, f"{os.getpid()}.json"), "w") as file:
        json.dump([name, began, time.monotonic(), seen], file)
tell()  # now, too: who ends too slowly is killed
runpy.run_path(brain, run_name="__main__")
tell()
child.communicate(b"go\\n")
"""


class Lived(NamedTuple):
    """A process of a brain, from when to when it ran, and on which CPUs."""

    name: str
    began: float
    ended: float
    seen: list[list[int]]


@pytest.fixture
def probes(tmp_path: Path) -> list[dict[str, Any]]:
    """Two brains that tell what they run on."""
    (tmp_path / "seen").mkdir()
    path = tmp_path / "probe.py"
    path.write_text(PROBE)
    words = [str(tmp_path / "seen"), scripted_brain.__file__, json.dumps({"seconds": 0.02})]
    return [{"name": name, "command": [sys.executable, str(path), name, *words]} for name in ("ada", "bob")]


def lives(tmp_path: Path) -> list[Lived]:
    """The processes that played; the first of each brain was the preflight's."""
    found = [Lived(*json.loads(path.read_text())) for path in (tmp_path / "seen").iterdir()]
    found.sort(key=lambda one: one.began)
    assert {one.name for one in found[:2]} == {"ada", "bob"}
    return found[2:]


@pytest.mark.parametrize("manager", MANAGERS.values(), ids=lambda manager: manager.name)
@pytest.mark.parametrize("is_kept_alive", [True, False])
def test_all_processes_of_both_brains_run_on_the_same_cpu(
    tmp_path: Path, probes: list[dict[str, Any]], manager: Manager, is_kept_alive: bool
) -> None:
    config = configuration(
        probes, pin=True, keep_alive=is_kept_alive, draw_after=4, manager=manager.name, turn="10s", tolerance="5s"
    )
    records, _ = play(config, tmp_path / "event")
    assert {record.termination for record in records} == {Termination.DRAW_ADJUDICATED}, records[0].detail
    played = lives(tmp_path)
    assert len(played) == (2 if is_kept_alive and not manager.has_process_per_game else 4)
    assert {tuple(map(tuple, one.seen)) for one in played} == {((CPUS[0],),) * 3}


def test_games_at_the_same_time_never_share_a_cpu(tmp_path: Path, probes: list[dict[str, Any]]) -> None:
    at_a_time = min(4, len(CPUS))
    config = configuration(probes, pin=True, games=4 * at_a_time, draw_after=10, turn="10s")
    records, _ = play(config, tmp_path / "event", concurrency=at_a_time)
    assert len(records) == 4 * at_a_time
    by_cpu: dict[int, list[Lived]] = defaultdict(list)
    for one in lives(tmp_path):
        ((cpu,),) = {tuple(cpus) for cpus in one.seen}
        by_cpu[cpu].append(one)
    assert sorted(by_cpu) == CPUS[:at_a_time]
    for processes in by_cpu.values():
        for name in ("ada", "bob"):  # each game has one of each
            games = [one for one in processes if one.name == name]
            assert all(before.ended < after.began for before, after in pairwise(games))


def test_only_cpus_that_the_runner_may_use(tmp_path: Path, probes: list[dict[str, Any]]) -> None:
    last = CPUS[-1]
    brains = [" ".join(f"'{word}'" for word in probe["command"]) for probe in probes]
    with starting_on(last):
        run = tournament("run", *brains, "--pin", "--draw-after", "4", "--plain", "--out", str(tmp_path / "event"))
    assert (run.returncode, run.stderr) == (0, "")
    assert {tuple(map(tuple, one.seen)) for one in lives(tmp_path)} == {((last,),) * 3}


def test_without_pinning_brains_use_what_the_runner_may_use(tmp_path: Path, probes: list[dict[str, Any]]) -> None:
    play(configuration(probes, draw_after=4, turn="10s"), tmp_path / "event")
    assert {tuple(map(tuple, one.seen)) for one in lives(tmp_path)} == {(tuple(CPUS),) * 3}


def test_the_runner_itself_is_not_pinned(tmp_path: Path) -> None:
    """Its threads for the games, which send the events, may run on any CPU: they take the times."""
    seen: set[frozenset[int]] = set()

    class Watching(Collector):
        def on_event(self, *arguments: Any, **options: Any) -> None:
            super().on_event(*arguments, **options)
            seen.add(frozenset(os.sched_getaffinity(0)))

    config = configuration([scripted("ada"), scripted("bob")], pin=True, draw_after=4)
    assert local_run(config, Store(tmp_path), 1, [Watching()]).play("the same command")
    assert seen == {frozenset(CPUS)}


def test_more_games_at_a_time_than_cpus_are_refused(tmp_path: Path) -> None:
    cpus = len(CPUS)
    words = ["run", "true", "true", "--out", str(tmp_path / "event"), "--concurrency", str(cpus + 1)]
    sentence = f"tournament: pinning needs a CPU for each game: {cpus + 1} at a time, but only {cpus} may be used\n"
    for more in ([], ["--dry-run"]):
        run = tournament(*words, "--pin", *more)
        assert (run.returncode, run.stderr) == (2, sentence)
    assert list(tmp_path.iterdir()) == []
    assert tournament(*words, "--dry-run").returncode == 0, "without pinning, they are not"
