"""Whole runs of `python -m pbrain learn`: generations, kills, the same seed, other folders, and what comes of it."""

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from pbrain import cli
from pbrain.core.types import Rule
from pbrain.engine.evaluation import hand_made, knowledge_for, no_knowledge, read_worth
from pbrain.learn.command import DEFAULTS, QUICK, outcome_text
from pbrain.learn.knowledge_files import packed_knowledge, unpacked_knowledge, write_knowledge
from pbrain.learn.learning import Outcome
from pbrain.learn.learning_page import learning_page
from pbrain.learn.matches import Gain, gain, read_pairs, verdict
from pbrain.learn.network_fit import Learner
from pbrain.learn.training import Losses
from pbrain.library.native import Library
from tests.self_played import frames
from tests.test_matches import match

ROOT = Path(__file__).resolve().parents[1]
SMALL = ("--generations", "2", "--games", "30", "--nodes", "60", "--epochs", "2", "--match", "4", "--from", "zero")


def words(folder: Path, *more: str) -> list[str]:
    return ["learn", str(folder), *SMALL, "--processes", "1", *more]


def files_of(folder: Path) -> dict[str, bytes]:
    """What a run leaves, but for its games, whose order of writing may differ."""
    kept = {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return {str(path): data for path, data in kept.items() if "games" not in path.parts and path.suffix != ".html"}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("learned")
    cli.main(words(folder))
    return folder


def start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pbrain", *words(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_when(folder: Path, is_reached: Callable[[], bool]) -> None:
    """Start a run, and kill it with all its processes once something is there."""
    process = start(folder)
    while not is_reached():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive


def test_a_run_that_is_killed_at_every_step_learns_the_same(learned: Path, tmp_path: Path) -> None:
    """In its games, after an epoch, before its match, in its match, in the games of the next generation."""
    first, second = (tmp_path / f"generation-00{number}" for number in range(2))
    kill_when(tmp_path, lambda: len(frames(tmp_path)) > 4)
    # The losses replace the network, which is there for moments only.
    kill_when(tmp_path, lambda: (first / "network.npz").exists() or (first / "losses.json").exists())
    kill_when(tmp_path, (first / "losses.json").exists)
    kill_when(tmp_path, (first / "previous.jsonl").exists)
    kill_when(tmp_path, (second / "settings.json").exists)
    cli.main(words(tmp_path))
    assert files_of(tmp_path) == files_of(learned)
    assert frames(tmp_path) == frames(learned)


def test_another_seed_learns_something_else(learned: Path, tmp_path: Path) -> None:
    cli.main([*words(tmp_path, "--seed", "2"), "--generations", "1", "--match", "0"])
    name = "generation-000/values/freestyle.network"
    assert files_of(tmp_path)[name] != files_of(learned)[name]


def test_a_finished_run_shows_what_it_has_and_more_generations_extend_it(
    learned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(learned, folder)
    cli.main(words(folder))
    before = files_of(folder)
    said = capsys.readouterr().out
    assert files_of(folder) == before == files_of(learned)
    assert [line.split(":")[0] for line in said.splitlines() if "held-out" in line] == ["generation 0", "generation 1"]
    assert "Elo against the previous best" in said
    cli.main([*words(folder), "--generations", "3"])
    after = files_of(folder)
    assert {name: after[name] for name in before} == before
    assert "generation-002/values/freestyle.network" in after


def test_what_was_learned_says_how(learned: Path) -> None:
    network = knowledge_for(Rule.FREESTYLE, learned / "generation-001" / "values").network
    assert network is not None
    losses = json.loads((learned / "generation-001" / "losses.json").read_text())
    pairs = read_pairs(learned / "generation-000" / "previous.jsonl").values()
    has_played = sum(pairs) >= len(pairs)  # the network of generation 0 has not lost its match
    begun = "the network that played these games" if has_played else "random weights"
    assert network.about["began with"] == begun
    assert network.about["learned from"].startswith(f"{losses['positions']} positions, generation 1, games of")
    assert network.about["held-out excess"].startswith(f"table {losses['table']:.4f}, network {losses['whole']:.4f}")
    assert network.about["match"].endswith("against the player of its games, 4 games of 60 nodes per move")
    assert network.about["command"] == (
        "python -m pbrain learn FOLDER --rule 0 --games 30 --nodes 60 --epochs 2 --from zero --seed 1 --generations 2"
    )


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("losses.json", "losses.json is damaged: delete it, and the generation is trained again"),
        ("values/freestyle.network", "freestyle.network is not a network"),
        ("values/freestyle.tsv", "freestyle.tsv"),
    ],
)
def test_a_damaged_file_is_told_and_nothing_is_lost(
    learned: Path, tmp_path: Path, name: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(learned, folder)
    path = folder / "generation-000" / name
    path.write_bytes(path.read_bytes()[:20])
    before = files_of(folder)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        cli.main(words(folder))
    errors = capsys.readouterr().err
    assert complaint in errors
    assert errors.count("\n") == 1
    assert files_of(folder) == before


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    Learner(1, 1, 500.0).save(path)
    Learner(2, 1, 500.0).load(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"network.npz is damaged: delete it, and the training begins again"):
        Learner(1, 1, 500.0).load(path)


def test_knowledge_survives_being_packed_and_written(tmp_path: Path) -> None:
    for knowledge in (knowledge_for(Rule.FREESTYLE), hand_made(read_worth()), no_knowledge()):
        assert unpacked_knowledge(packed_knowledge(knowledge)) == knowledge
    shipped = knowledge_for(Rule.FREESTYLE)
    write_knowledge(tmp_path, Rule.FREESTYLE, shipped)
    read = knowledge_for(Rule.FREESTYLE, tmp_path)
    assert read[:2] == shipped[:2]
    assert read.network is not None
    assert shipped.network is not None
    assert read.network.parts == shipped.network.parts


# -- what is shown -----------------------------------------------------------------------------------------------------


def outcome(generation: int, previous: Gain | None) -> Outcome:
    rates = [0.5, 0.75, 0.9]
    return Outcome(generation, Losses(900, 100, 0.5, 0.06, 0.05, 0.04, 0.041, 3.0, rates, rates), previous, None)


def test_a_generation_in_one_line() -> None:
    assert outcome_text(outcome(2, Gain(31.4, 20.2))) == (
        "generation 2: 900 positions; held-out excess 0.0500 by the table, 0.0410 with the network; "
        "best move among the first 4/8/16 in 50.0/75.0/90.0 %; +31 ±20 Elo against the previous best"
    )


def test_the_page_has_a_chart_for_what_was_measured() -> None:
    with_match = learning_page("<Learning>", [outcome(0, Gain(10.0, 5.0)), outcome(1, Gain(300.0, 0.0, "more"))])
    assert "&lt;Learning&gt;" in with_match
    assert "the last one: more than +300 Elo" in with_match
    assert with_match.count("<svg") == 3
    assert learning_page("x", [outcome(0, None)]).count("<svg") == 2


def test_every_option_has_a_default() -> None:
    assert set(DEFAULTS) == set(QUICK)


# -- the whole way -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_quick_run_from_nothing_beats_the_table_made_by_hand(
    library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is killed twice at random moments. 200 games of 3,000 nodes."""
    rng = random.Random(1)
    command = [sys.executable, "-m", "pbrain", "learn", str(tmp_path), "--quick"]
    for _ in range(2):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(10, 40))
        process.kill()
        process.wait()
    assert subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL).returncode == 0
    last = max(path for path in tmp_path.glob("generation-*"))
    pairs = match(library, Rule.FREESTYLE, knowledge_for(Rule.FREESTYLE, last / "values"), hand_made(read_worth()), 200)
    with capsys.disabled():
        print(f"\nlearn --quick against the table made by hand, 3,000 nodes per move: {verdict(pairs)}")
    gained = gain(pairs)
    assert gained.elo > gained.error
