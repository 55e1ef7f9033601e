"""Self-play: each game follows from its number, is legal, and ends as it says; runs are killed and resumed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from pbrain import cli
from pbrain.core.params import WIN_BOUND
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from pbrain.learn import generate
from pbrain.learn.game_format import Ending, Game, frame_of
from pbrain.learn.generate import Conditions, board_size, play_game, signature
from pbrain.learn.player import Player, engine_for
from pbrain.learn.self_play import played_frame
from pbrain.learn.workers import WorkersError
from pbrain.library.native import Library
from tests.self_played import data_of, frames, games_of, read_slowly

ROOT = Path(__file__).resolve().parents[1]
QUICK = Conditions(Rule.FREESTYLE, 60, 5, 0)
GAMES, NODES = 10, 60
TRAINING = ("--generations", "1", "--epochs", "1", "--match", "0")  # the least that follows the games


@pytest.fixture
def player(library: Library) -> Engine:
    return engine_for(library.path)


# -- one game ----------------------------------------------------------------------------------------------------------


def test_no_game_leaves_a_trace_in_the_next(library: Library, player: Engine) -> None:
    alone = [frame_of(play_game(engine_for(library.path), QUICK, number)) for number in range(4)]
    for rule in (Rule.RENJU, Rule.FREESTYLE):
        play_game(player, QUICK._replace(rule=rule), 9)
    assert [frame_of(play_game(player, QUICK, number)) for number in (3, 2, 1, 0)] == alone[::-1]


def test_games_differ_by_each_of_their_conditions(player: Engine) -> None:
    changes: list[dict[str, Any]] = [{}, {"seed": 6}, {"generation": 1}, {"nodes": 200}, {"rule": Rule.RENJU}]
    games = [play_game(player, QUICK._replace(**change), 1) for change in changes]
    games.append(play_game(player, QUICK, 2))
    assert len({(game.opening, game.turns) for game in games}) == len(games)


def test_the_signature_tells_engines_apart(library: Library, player: Engine) -> None:
    assert signature(player, Rule.FREESTYLE) == signature(engine_for(library.path), Rule.FREESTYLE)
    assert signature(player, Rule.FREESTYLE) != signature(player, Rule.EXACT_FIVE)


def test_an_engine_that_plays_differently_plays_no_game(library: Library, player: Engine) -> None:
    right = signature(player, QUICK.rule)
    assert played_frame(Player(library.path, None), right, QUICK, 1) == frame_of(play_game(player, QUICK, 1))
    with pytest.raises(WorkersError, match="plays differently: install the same version there"):
        played_frame(Player(library.path, None), "00000000", QUICK, 1)


def replay(engine: Engine, game: Game) -> None:
    """Check that a game is legal and ends as it says."""

    def play(cell: int) -> None:
        move = cell % game.width, cell // game.width
        assert engine.winner is None
        assert not engine.is_forbidden(*move)
        engine.play(*move)

    engine.new_game(game.width, game.height, game.rule)
    for cell in game.opening:
        play(cell)
    *turns, last = game.turns
    for turn in turns:
        play(turn.cell)
    side = engine.to_move
    if game.ending is Ending.PROVEN:
        assert abs(last.score) >= WIN_BOUND
        assert not last.is_mistake
        assert game.winner == (side if last.score > 0 else 1 - side)
    play(last.cell)
    if game.ending is Ending.FIVE:
        assert game.winner == engine.winner == side
    elif game.ending is not Ending.PROVEN:
        assert game.winner is engine.winner is None
    assert engine.is_full == (game.ending is Ending.FULL)


@pytest.mark.parametrize("rule", list(Rule))
def test_games_are_legal_and_end_as_they_say(rule: Rule, player: Engine) -> None:
    games = [play_game(player, Conditions(rule, 100, 3, 0), number) for number in range(8)]
    for game in games:
        replay(player, game)
    turns = [turn for game in games for turn in game.turns]
    assert 0 < sum(turn.is_mistake for turn in turns) < len(turns) / 3
    assert read_slowly(data_of(games)) == games


def test_games_end_in_every_way(player: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short games are undecided; those that go on in spite of a proof end with five; a tiny board fills up."""
    monkeypatch.setattr(generate, "RESIGN_CHANCE", 0.0)
    assert play_game(player, QUICK, 1).ending is Ending.FIVE
    monkeypatch.setattr(generate, "MAX_MOVES", 3)
    game = play_game(player, QUICK, 1)
    assert (game.ending, game.winner, len(game.turns)) == (Ending.LONG, None, 3)
    monkeypatch.setattr(generate, "MAX_MOVES", 90)
    monkeypatch.setattr(generate, "board_size", lambda *_: (7, 7))
    games = [play_game(player, Conditions(Rule.CARO_EXACT_FIVE, 60, 1, 0), number) for number in range(3)]
    assert Ending.FULL in {game.ending for game in games}
    for game in games:
        replay(player, game)


def test_openings_may_be_far_apart(player: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "FAR_CHANCE", 1.0)
    monkeypatch.setattr(generate, "MAX_MOVES", 1)
    games = [play_game(player, QUICK, number) for number in range(5)]
    columns = [[cell % game.width for cell in game.opening] for game in games]
    assert max(max(found) - min(found) for found in columns) > 6


@pytest.mark.parametrize(("rule", "shares"), [(Rule.FREESTYLE, (0.45, 0.45)), (Rule.RENJU, (0.75, 0.15))])
def test_boards_have_their_shares(rule: Rule, shares: tuple[float, float]) -> None:
    rng = random.Random(1)
    sizes = Counter(board_size(rule, rng) for _ in range(5000))
    assert [sizes[size, size] / 5000 for size in (15, 20)] == pytest.approx(shares, abs=0.02)
    assert {min(width, height) for width, height in sizes} == set(range(10, 23))
    assert sum(count for (width, height), count in sizes.items() if width != height) > 300


# -- whole runs --------------------------------------------------------------------------------------------------------


def command(folder: Path, *more: str, games: int = GAMES) -> list[str]:
    options = ["--games", str(games), "--nodes", str(NODES), "--seed", "5", "--processes", "1", *TRAINING, *more]
    return [sys.executable, "-m", "pbrain", "learn", str(folder), *options]


def start(folder: Path, games: int = GAMES, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command(folder, games=games), cwd=ROOT, stdout=pipe, stderr=pipe, text=True, preexec_fn=before
    )


@pytest.fixture
def expected(library: Library) -> list[bytes]:
    engine = engine_for(library.path)
    return [frame_of(play_game(engine, QUICK, number)) for number in range(GAMES)]


def wait_for_games(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    while len(frames(folder)) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_a_run_is_killed_and_resumed(tmp_path: Path, expected: list[bytes]) -> None:
    for count in (2, 5):
        process = start(tmp_path)
        wait_for_games(tmp_path, count, process)
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate()
        _, alive = psutil.wait_procs(children, timeout=60)
        assert not alive
        done = len(frames(tmp_path))
    (path,) = games_of(tmp_path).path.iterdir()
    path.write_bytes(path.read_bytes()[:-3])
    process = start(tmp_path)
    said, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    torn, first, *_, last = said.splitlines()
    assert torn.endswith("bytes are no whole games; these are played again")
    assert first.startswith(f"generation 0: {done - 1} of {GAMES} games")
    assert last.startswith("charts: ")
    assert frames(tmp_path) == expected
    assert games_of(tmp_path).load().number.tolist() == list(range(GAMES))


def test_a_killed_player_ends_a_run_with_one_sentence(tmp_path: Path) -> None:
    process = start(tmp_path, games=10_000)
    wait_for_games(tmp_path, 1, process)
    (player,) = (child for child in psutil.Process(process.pid).children() if "spawn_main" in " ".join(child.cmdline()))
    player.kill()
    _, errors = process.communicate()
    assert (process.returncode, errors) == (
        2,
        "pbrain learn: error: one of its processes was killed; the same command goes on with the rest\n",
    )


@pytest.mark.posix("Windows sends Ctrl-C to the tests as well")
def test_an_interrupt_ends_a_run_with_one_sentence(tmp_path: Path, expected: list[bytes]) -> None:
    process = start(tmp_path, games=10_000)
    wait_for_games(tmp_path, 1, process)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate()
    assert (process.returncode, errors) == (130, "")
    assert said.splitlines()[-1] == (
        f"interrupted: what was done is in {tmp_path}, and the same command goes on with it"
    )
    numbers = {frame: int.from_bytes(frame[4:8], "little") for frame in frames(tmp_path)}
    # Games that end at the same time are kept in any order, so some between them may be missing.
    assert {frame for frame, number in numbers.items() if number < GAMES} <= set(expected)


@pytest.mark.posix("Windows limits no file's size")
def test_a_full_disk_loses_nothing_that_was_written(tmp_path: Path, expected: list[bytes]) -> None:
    import resource

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    process = start(tmp_path, before=limit_files)
    _, errors = process.communicate()
    (path,) = games_of(tmp_path).path.iterdir()
    assert errors == f"pbrain learn: error: {path} cannot be used: the disk is full\n"
    assert 0 < len(frames(tmp_path)) < GAMES
    assert subprocess.run(command(tmp_path), cwd=ROOT, stdout=subprocess.DEVNULL).returncode == 0
    assert frames(tmp_path) == expected


def run_here(*arguments: str) -> None:
    cli.main(["learn", *arguments])


def test_a_second_run_at_a_time_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    process = start(tmp_path, games=10_000)
    wait_for_games(tmp_path, 1, process)
    with pytest.raises(SystemExit):
        run_here(*command(tmp_path, games=10_000)[4:])
    assert capsys.readouterr().err == f"pbrain learn: error: another run learns in {tmp_path}\n"
    assert process.poll() is None
    process.kill()
    process.communicate()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--nodes", "90"], "was begun with nodes [60], not [90]: use those, or another folder"),
        (["--seed", "6"], "was begun with seed 5, not 6: use those"),
        (["--rule", "1"], "was begun with rule 0, not 1"),
        (["--games", "2"], "was begun with games 1, not 2"),
    ],
)
def test_a_run_with_other_settings_is_refused(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run_here(*command(tmp_path, games=1)[4:])
    assert capsys.readouterr().err == "pbrain learn: error: there are too few games to learn from: play more\n"
    before = frames(tmp_path)
    with pytest.raises(SystemExit) as refusal:
        run_here(*command(tmp_path, *options, games=1)[4:])
    said = capsys.readouterr()
    assert (refusal.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert complaint in said.err
    assert frames(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--match", "2"], "--match must be 0, or at least 4 to have an error bar"),
        (["--generations", "0"], "a number of generations is a whole number from 1 to 999"),
        (["--nodes", "100,"], "a number of nodes is a whole number from 1 to"),
        (["--games", "0"], "a number of games is a whole number from 1 to"),
        (["--nodes", "x"], "a number of nodes is a whole number from 1 to"),
        (["--processes", "9999"], "a number of processes is a whole number from 1 to"),
        (["--rule", "5"], "is not a rule"),
        (["--workers", "here"], "'here' is not the address of a scheduler such as dask://192.168.1.10:8786"),
        (["--workers", "dask://a:1", "--processes", "1"], "choose one of them"),
    ],
)
def test_what_cannot_be_played_is_refused(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run_here(str(tmp_path / "run"), *options)
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit):
        run_here(str(tmp_path / "file"), "--games", "1", "--nodes", "60")
    assert "cannot be used: File exists" in capsys.readouterr().err


def test_damaged_settings_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "generation-000" / "settings.json"
    path.parent.mkdir()
    path.write_text("[")
    with pytest.raises(SystemExit):
        run_here(str(tmp_path), "--games", "1", "--nodes", "60")
    assert capsys.readouterr().err == f"pbrain learn: error: {path} is damaged: it holds no settings\n"
    assert os.listdir(tmp_path / "generation-000") == ["settings.json"]
