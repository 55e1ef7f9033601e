"""Games as bytes: the numpy reader beside a slow one, torn and damaged files, several writers at a time."""

import multiprocessing
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pbrain.core.types import Rule
from pbrain.learn.game_format import (
    MAX_FRAME_BYTES,
    NOBODY,
    Ending,
    FormatError,
    Game,
    Games,
    Turn,
    frame_of,
    frame_starts,
    games_in,
    turns_in,
)
from pbrain.learn.games_folder import SUFFIX, GamesFolder, GamesWriter
from tests.self_played import data_of, random_game, read_slowly


def as_list(games: Games) -> list[Game]:
    """The games of the arrays, one by one."""
    listed = []
    for i, number in enumerate(games.number):
        turns = slice(games.starts[i], games.starts[i + 1])
        columns = (games.cell[turns].tolist(), games.score[turns].tolist(), games.best[turns].tolist())
        opening = games.opening[games.opening_starts[i] : games.opening_starts[i + 1]]
        winner = None if games.winner[i] == NOBODY else int(games.winner[i])
        size = int(games.width[i]), int(games.height[i])
        listed.append(
            Game(
                *(int(number), Rule(games.rule[i]), *size, tuple(opening.tolist())),
                *(tuple(map(Turn, *columns)), winner, Ending(games.ending[i])),
            )
        )
    return listed


def random_games(seed: int, count: int) -> list[Game]:
    rng = random.Random(seed)
    return [random_game(rng, number) for number in range(count)]


def read_fast(data: bytes) -> list[Game]:
    return as_list(games_in(data, frame_starts(data)[0]))


def test_what_is_written_is_read() -> None:
    games = random_games(1, 200)
    data = data_of(games)
    assert read_fast(data) == games == read_slowly(data)
    assert frame_starts(data)[1] == len(data)
    assert [turns_in(frame_of(game)) for game in games] == [len(game.turns) for game in games]


def test_the_largest_numbers_fit() -> None:
    turns = tuple(
        Turn(cell, score, 483 - cell) for cell, score in zip(range(484), [-30_000, 30_000] * 242, strict=True)
    )
    game = Game((1 << 32) - 1, Rule.CARO_EXACT_FIVE, 22, 22, tuple(range(200)), turns, 1, Ending.PROVEN)
    assert read_fast(frame_of(game)) == [game] == read_slowly(frame_of(game))
    assert len(frame_of(game)) <= MAX_FRAME_BYTES


def test_a_game_takes_a_few_bytes_per_position() -> None:
    turns = tuple(Turn(cell, 7, cell) for cell in range(100))
    assert len(frame_of(Game(1, Rule.RENJU, 15, 15, (1, 2, 3), turns, 0, Ending.FIVE))) == 400 + 26
    assert len(frame_of(Game(1, Rule.RENJU, 15, 15, (1, 2, 3), (*turns, Turn(4, 7, 5)), 0, Ending.FIVE))) == 406 + 26


def test_no_games_are_no_arrays() -> None:
    starts, end = frame_starts(b"")
    assert (end, as_list(games_in(b"", starts))) == (0, [])


def small_games(count: int) -> list[Game]:
    return [game._replace(turns=game.turns[:5]) for game in random_games(2, count)]


def test_a_torn_end_loses_the_last_game_alone() -> None:
    games = small_games(3)
    frames = list(map(frame_of, games))
    data = b"".join(frames)
    ends = np.cumsum([0, *map(len, frames)]).tolist()
    for size in range(len(data) + 1):
        torn = data[:size]
        whole = sum(end <= size for end in ends[1:])
        assert frame_starts(torn)[1] == ends[whole]
        assert read_fast(torn) == games[:whole] == read_slowly(torn)


def test_a_changed_byte_is_noticed() -> None:
    games = small_games(3)
    frames = list(map(frame_of, games))
    data = b"".join(frames)
    for at in range(len(frames[0]), len(data)):
        damaged = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        whole = 1 if at < len(frames[0] + frames[1]) else 2
        assert read_fast(damaged) == games[:whole] == read_slowly(damaged)


def test_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / f"a{SUFFIX}").write_bytes(b"K\x02" + frame_of(small_games(1)[0])[2:])
    with pytest.raises(FormatError) as refusal:
        GamesFolder(tmp_path).load()
    path = tmp_path / f"a{SUFFIX}"
    assert str(refusal.value) == f"{path} cannot be read: its games have format version 2; this program reads version 1"


# -- folders -----------------------------------------------------------------------------------------------------------


def write(folder: GamesFolder, games: Sequence[Game]) -> None:
    with folder.writer() as writer:
        for game in games:
            writer.append(frame_of(game))


def test_a_writer_goes_on_where_another_was_killed(tmp_path: Path) -> None:
    games, folder = small_games(6), GamesFolder(tmp_path / "games")
    for cut in range(1, len(frame_of(games[2])) + 1):
        write(folder, games[:3])
        (path,) = folder.path.iterdir()
        path.write_bytes(path.read_bytes()[:-cut])
        assert as_list(folder.load()) == games[:2]
        (part,) = folder.parts()
        assert part.left == len(frame_of(games[2])) - cut
        write(folder, games[3:])
        assert as_list(folder.load()) == [*games[:2], *games[3:]]
        assert [part.left for part in folder.parts()] == [0]
        path.unlink()


def test_games_behind_a_damage_are_not_cut_off(tmp_path: Path) -> None:
    """They may be rescued; what goes on takes another file."""
    games, folder = random_games(3, 200), GamesFolder(tmp_path)
    write(folder, games)
    (path,) = folder.path.iterdir()
    data = bytearray(path.read_bytes())
    data[len(frame_of(games[0])) + 9] ^= 1
    path.write_bytes(data)
    (part,) = folder.parts()
    assert part.left == len(data) - len(frame_of(games[0])) > MAX_FRAME_BYTES
    write(folder, games[1:])
    assert path.read_bytes() == data
    assert as_list(folder.load()) == games


def test_a_number_counts_once_and_numbers_give_the_order(tmp_path: Path) -> None:
    games, folder = small_games(9), GamesFolder(tmp_path)
    with folder.writer() as first, folder.writer() as second:
        for writer, numbers in ((first, (5, 1, 7, 1)), (second, (0, 5, 8, 2))):
            for number in numbers:
                writer.append(frame_of(games[number]))
        assert len(list(tmp_path.iterdir())) == 2
        assert as_list(folder.load()) == [games[number] for number in (0, 1, 2, 5, 7, 8)]


def write_in_a_process(path: Path, seed: int, numbers: list[int]) -> None:
    games = random_games(seed, 1 + max(numbers))
    write(GamesFolder(path), [games[number] for number in numbers])


def test_processes_write_at_a_time_and_others_read_meanwhile(tmp_path: Path) -> None:
    games, folder = random_games(4, 120), GamesFolder(tmp_path)
    spawn = multiprocessing.get_context("spawn")
    shares = [list(range(80)), list(range(40, 120)), list(range(119, -1, -7))]
    writers = [spawn.Process(target=write_in_a_process, args=(tmp_path, 4, share)) for share in shares]
    for process in writers:
        process.start()
    while any(process.is_alive() for process in writers):
        found = as_list(folder.load())
        assert [game for game in games if game in found] == found
    assert [process.exitcode for process in writers] == [0, 0, 0]
    assert as_list(folder.load()) == games


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("only Linux has a device that is always full")
    with device.open("ab", buffering=0) as file, pytest.raises(OSError, match="No space left") as failure:
        GamesWriter(tmp_path / "a", file).append(b"game")
    assert failure.value.filename == str(tmp_path / "a")
