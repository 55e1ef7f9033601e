"""Games played by dask workers are those that are played here, whichever worker dies."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pbrain import cli
from pbrain.core.types import Rule
from pbrain.learn.game_format import frame_of
from pbrain.learn.generate import Conditions, play_game
from pbrain.learn.player import engine_for
from pbrain.library.native import Library
from tests.farm import dask_scheduler, dask_worker, free_port
from tests.self_played import frames, games_of

ROOT = Path(__file__).resolve().parents[1]
GAMES, NODES, SEED = 24, 400, 5


def learn(folder: Path, port: int) -> list[str]:
    options = ["--games", str(GAMES), "--nodes", str(NODES), "--seed", str(SEED)]
    options += ["--generations", "1", "--epochs", "1", "--match", "8"]
    return ["learn", str(folder), *options, "--workers", f"dask://127.0.0.1:{port}"]


def test_a_killed_worker_loses_nothing(library: Library, tmp_path: Path) -> None:
    port = free_port()
    scratch = tmp_path / "dask"
    with (
        dask_scheduler(port, scratch),
        dask_worker(port, scratch) as killed,
        dask_worker(port, scratch) as other,
    ):
        words = [sys.executable, "-m", "pbrain", *learn(tmp_path, port)]
        run = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while len(frames(tmp_path)) < 3:
            assert run.poll() is None, run.communicate()
            time.sleep(0.01)
        killed.kill()
        _, errors = run.communicate()
        assert (run.returncode, errors) == (0, "")
        assert other.poll() is None
    engine = engine_for(library.path)
    conditions = Conditions(Rule.FREESTYLE, NODES, SEED, 0)
    assert frames(tmp_path) == [frame_of(play_game(engine, conditions, number)) for number in range(GAMES)]
    assert [len(part.starts) for part in games_of(tmp_path).parts()] == [GAMES], "no game is counted twice"


def test_a_scheduler_that_does_not_answer_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbrain.learn.cluster.CONNECTS_WITHIN_S", 1)
    port = free_port()
    with pytest.raises(SystemExit):
        cli.main(learn(tmp_path, port))
    assert capsys.readouterr().err == f"pbrain learn: error: no dask scheduler answers at tcp://127.0.0.1:{port}\n"
    assert frames(tmp_path) == []
