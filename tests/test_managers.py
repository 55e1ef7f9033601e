"""Whole games as GomocupJudge, c-gomoku-cli and Piskvork play them, line by line."""

import random
from pathlib import Path
from typing import Protocol

import pytest

from tests.brain_process import Answer, BrainProcess, Game, random_opening
from tests.naive import RENJU, RULES

MEMORY_LIMIT = 367_001_600
UNLIMITED_LEFT_MS = 2147483647
TOLERANCE_MS = 1000
PISKVORK_DRAW = 25  # free squares
JUDGE_KILLS_AFTER_MS, PISKVORK_KILLS_AFTER_MS = 500, 700

pytestmark = pytest.mark.usefixtures("library")


class Manager(Protocol):
    """One side of a game as a manager plays it."""

    brain: BrainProcess

    def move(self, game: Game) -> Answer:
        """Ask for the next move; what is answered has not been played yet."""

    def end(self) -> None:
        """End the brain."""


class Judge:
    """Sends everything without waiting, and suspends the process whenever it is not its turn."""

    newline = "\r\n"

    def __init__(self, brain: BrainProcess, size: int, rule: int, turn_ms: int, match_ms: int, folder: Path) -> None:
        self.brain = brain
        self.turn_ms, self.match_ms = turn_ms, match_ms
        self.answers: list[Answer] = []
        brain.send(
            f"START {size}",
            f"INFO timeout_turn {turn_ms}",
            f"INFO timeout_match {match_ms}",
            f"INFO max_memory {MEMORY_LIMIT}",
            "INFO game_type 3",
            f"INFO rule {rule}",
            f"INFO folder {folder}",
        )
        brain.suspend()

    @property
    def left_ms(self) -> float:
        return self.match_ms - sum(answer.taken_ms for answer in self.answers)

    def move(self, game: Game) -> Answer:
        limit_ms = min(self.turn_ms, self.left_ms)
        self.brain.send(f"INFO time_left {int(self.left_ms)}")
        self.brain.send(*([game.turn_line()] if self.answers else game.board_lines()))
        resumed_at = self.brain.resume()
        if not self.answers:
            assert self.brain.answer(resumed_at).text == "OK"
        answer = self.brain.answer(resumed_at)
        self.brain.suspend()
        self.answers.append(answer)
        assert answer.taken_ms < limit_ms + TOLERANCE_MS
        return answer

    def end(self) -> None:
        self.brain.resume()
        assert self.brain.end_after(self.brain.send("END")) < JUDGE_KILLS_AFTER_MS


class CommandLine:
    """c-gomoku-cli: START for each game in one process; no limit for the match, so the time left is unlimited."""

    newline = "\n"

    def __init__(self, brain: BrainProcess) -> None:
        self.brain = brain
        assert brain.ask("ABOUT").text.startswith('name="')

    def start(self, size: int, rule: int, turn_ms: int) -> None:
        self._turn_ms, self._can_use_turn = turn_ms, False
        assert self.brain.ask(f"START {size}").text == "OK"
        self.brain.send(
            f"INFO rule {rule}",
            f"INFO timeout_turn {turn_ms}",
            "INFO timeout_match 0",
            f"INFO max_memory {MEMORY_LIMIT}",
            "INFO thread_num 1",
        )

    def move(self, game: Game) -> Answer:
        self.brain.send(f"INFO time_left {UNLIMITED_LEFT_MS}")
        question = game.board_lines() if game.moves else ["BEGIN"]
        answer = self.brain.ask(*([game.turn_line()] if self._can_use_turn else question))
        self._can_use_turn = True
        assert answer.taken_ms < self._turn_ms + TOLERANCE_MS
        return answer

    def end(self) -> None:
        assert self.brain.end_after(self.brain.send("END")) < TOLERANCE_MS


class Piskvork:
    """RESTART for another game; a first move by BEGIN, TURN or BOARD, as there are no, one or more stones."""

    newline = "\r\n"

    def __init__(self, brain: BrainProcess, folder: Path) -> None:
        self.brain = brain
        self._folder = folder
        self._has_started = False

    def start(self, size: int, rule: int, turn_ms: int, match_ms: int) -> None:
        self._turn_ms, self._left_ms, self._must_send_board = turn_ms, float(match_ms), True
        answer = self.brain.ask("RESTART" if self._has_started else f"START {size}")
        assert answer.text == "OK"
        self._has_started = True
        self.brain.send(
            f"INFO max_memory {MEMORY_LIMIT}",
            f"INFO timeout_match {match_ms}",
            f"INFO timeout_turn {turn_ms}",
            "INFO game_type 1",
            f"INFO rule {rule}",
            f"INFO time_left {match_ms}",
            f"INFO folder {self._folder}",
        )

    def move(self, game: Game) -> Answer:
        limit_ms = min(self._turn_ms, self._left_ms)
        if not self._must_send_board:
            self.brain.send(f"INFO time_left {int(self._left_ms)}")
            question = [game.turn_line()]
        elif len(game.moves) < 2:
            question = [game.turn_line()] if game.moves else ["BEGIN"]
        else:
            question = game.board_lines()
        self._must_send_board = False
        answer = self.brain.ask(*question)
        self._left_ms -= answer.taken_ms
        assert answer.taken_ms < limit_ms + TOLERANCE_MS
        return answer

    def end(self) -> None:
        sent_at = self.brain.send("END")
        self.brain.close_input()
        assert self.brain.end_after(sent_at) < PISKVORK_KILLS_AFTER_MS


def play(game: Game, black: Manager, white: Manager, free_at_draw: int = 0) -> None:
    """Play a game to its end: every answer is a legal move, or the game's checks fail."""
    while not game.is_over and game.free > free_at_draw:
        game.play_answer((black if game.mover == "X" else white).move(game).text)


def size_for(rule: int) -> int:
    return 15 if rule else 20


def seeds(everyday: int, full: int) -> list[object]:
    """Numbers of games; those beyond the everyday ones are slow."""
    return [*range(everyday), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(everyday, full))]


@pytest.mark.parametrize("seed", seeds(1, 6))
@pytest.mark.parametrize("rule", RULES)
def test_gomocup_judge(rule: int, seed: int, tmp_path: Path) -> None:
    """A process is started when it is to move for the first time."""
    size, turn_ms = size_for(rule), 100 if seed else 50
    game = Game(size, rule, random_opening(random.Random(seed), size))
    with BrainProcess(newline=Judge.newline) as second:
        white = Judge(second, size, rule, turn_ms, 10_000, tmp_path)
        game.play_answer(white.move(game).text)
        with BrainProcess(newline=Judge.newline) as first:
            black = Judge(first, size, rule, turn_ms, 10_000, tmp_path)
            play(game, black, white, free_at_draw=25 if rule == RENJU else 0)
            black.end()
        white.end()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", seeds(1, 6))
@pytest.mark.parametrize("rule", RULES)
def test_command_line(rule: int, seed: int) -> None:
    """Three games in the same two processes: from nothing, from an opening, and from it with colours changed."""
    size, turn_ms = size_for(rule), 100 if seed else 50
    opening = random_opening(random.Random(seed), size)
    with BrainProcess() as first, BrainProcess() as second:
        sides = CommandLine(first), CommandLine(second)
        for stones, (black, white) in (([], sides), (opening, sides), (opening, sides[::-1])):
            for side in sides:
                side.start(size, rule, turn_ms)
            play(Game(size, rule, stones), black, white)
        for side in sides:
            side.end()


@pytest.mark.parametrize("seed", seeds(1, 6))
@pytest.mark.parametrize("rule", RULES)
def test_piskvork(rule: int, seed: int, tmp_path: Path) -> None:
    """Two games, one from nothing and one from an opening, in a folder that is not the program's."""
    size, turn_ms = size_for(rule), 100 if seed else 50
    data = tmp_path / "data"
    data.mkdir()
    with (
        BrainProcess(folder=tmp_path, newline=Piskvork.newline) as first,
        BrainProcess(folder=tmp_path, newline=Piskvork.newline) as second,
    ):
        sides = Piskvork(first, data), Piskvork(second, data)
        for stones in ([], random_opening(random.Random(seed), size)):
            for side in sides:
                side.start(size, rule, turn_ms, 10_000)
            play(Game(size, rule, stones), *sides, free_at_draw=PISKVORK_DRAW)
        for side in sides:
            side.end()
    assert [path.name for path in tmp_path.rglob("*")] == ["data"]


@pytest.mark.parametrize("is_black", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_against_a_simple_opponent(rule: int, is_black: bool) -> None:
    """Games that a brain would not play against itself; it must win one of them."""
    rng = random.Random(rule)
    with BrainProcess() as brain:
        side = CommandLine(brain)
        winners = []
        for _ in range(2):
            side.start(15, rule, 50)
            game = Game(15, rule, [] if is_black else random_opening(rng, 15, 1))
            while not game.is_over:
                if (game.mover == "X") == is_black:
                    game.play_answer(side.move(game).text)
                else:
                    game.play(game.reply(rng))
            winners.append(game.winner)
        side.end()
    assert ("X" if is_black else "O") in winners
