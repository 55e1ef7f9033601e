"""The brain's clock against the manager's: turns on a loaded machine, a whole match, and suspended processes."""

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from tests.brain_process import BRAIN, ECHO, MIDDLE_GAME, Answer, BrainProcess, Game, percentile, random_opening
from tests.machine import Witness, on_cores
from tests.test_managers import drivers_of
from tournament.core.model import Board, BrainSpec, Limits
from tournament.play.managers import JUDGE, info_lines, start_line

OVERRUN_MS = 20
ONE_ITERATION_MS = 50
ECHO_GAME = 100  # moves, fewer than fill half of the smallest board

pytestmark = pytest.mark.usefixtures("library")


# -- turns on a loaded machine -----------------------------------------------------------------------------------------


@contextmanager
def two_busy_loops() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def answers_to_a_simple_opponent(brain: BrainProcess, size: int, rng: random.Random) -> Iterator[Answer]:
    """The moves of game after game, each begun by either side; a decided one takes no time and is not played on."""
    assert brain.ask(f"START {size}").text == "OK"
    while True:
        game = Game(size, opening=random_opening(rng, size, rng.randrange(2)))
        question = game.turn_line() if game.moves else "BEGIN"
        while not game.is_over:
            answer = brain.ask(question)
            game.play_answer(answer.text)
            yield answer
            if game.is_over or any(" win in " in text for text in answer.messages):
                break
            game.play(game.reply(rng))
            question = game.turn_line()
            if game.winner:
                assert brain.ask(question).text == "ERROR the game is decided"
        assert brain.ask("RESTART").text == "OK"


def answers_of_an_echo(echo: BrainProcess) -> Iterator[Answer]:
    while True:
        echo.start(15)
        for i in range(ECHO_GAME):
            yield echo.ask(f"TURN {i % 15},{14 - i // 15}")


def measure_turns(turn_ms: int, count: int, witness: Witness, capsys: pytest.CaptureFixture[str]) -> None:
    """No move is later than the limit, 20 ms and the echo's worst together, but for pauses of the host."""
    rng = random.Random(turn_ms)
    answers: list[Answer] = []
    echoes: list[Answer] = []
    with on_cores(witness.cores[:2]), two_busy_loops():
        for size in (15, 20):
            with BrainProcess() as brain, BrainProcess(ECHO) as echo:
                brain.send(f"INFO timeout_turn {turn_ms}")
                pairs = zip(answers_to_a_simple_opponent(brain, size, rng), answers_of_an_echo(echo), strict=False)
                for answer, echoed in islice(pairs, count // 2):
                    answers.append(answer)
                    echoes.append(echoed)
        taken, echo_taken = [answer.taken_ms for answer in answers], [echoed.taken_ms for echoed in echoes]
        allowed = turn_ms + OVERRUN_MS + max(echo_taken)
        late = [answer for answer in answers if answer.taken_ms > allowed]
        net_of_late = [witness.net_ms(answer.asked_at, answer.taken_ms) for answer in late]
    with capsys.disabled():
        print(
            f"\n{len(taken)} moves of {turn_ms} ms beside two busy loops: {spread(taken)}; echo: {spread(echo_taken)}"
        )
        for answer, net in zip(late, net_of_late, strict=True):
            print(f"later than {allowed:.1f} ms: {answer.taken_ms:.1f} ms, {net:.1f} without the host's pauses")
    assert all(net <= allowed for net in net_of_late)
    if turn_ms <= ONE_ITERATION_MS:
        iterations = [sum(text.startswith("MESSAGE depth") for text in answer.messages) for answer in answers]
        assert max(iterations) <= 1


def spread(values: list[float]) -> str:
    return f"p50 {percentile(values, 50):.1f}, p99 {percentile(values, 99):.1f}, max {max(values):.1f} ms"


@pytest.mark.parametrize(("turn_ms", "count"), [(500, 4), (20, 40), (50, 30), (100, 40)])
def test_no_turn_overruns(turn_ms: int, count: int, witness: Witness, capsys: pytest.CaptureFixture[str]) -> None:
    measure_turns(turn_ms, count, witness, capsys)


@pytest.mark.slow
@pytest.mark.parametrize(("turn_ms", "count"), [(20, 800), (100, 800), (500, 300), (1000, 100)])
def test_none_of_2000_turns_overruns(
    turn_ms: int, count: int, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    measure_turns(turn_ms, count, witness, capsys)


# -- a whole match -----------------------------------------------------------------------------------------------------


def play_by_the_clock(
    turn_ms: int, match_ms: int, seed: int, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    """A game of the brain against itself in which neither clock runs out, nor most of it goes into few moves."""
    game = Game(20, opening=random_opening(random.Random(seed), 20))
    taken: tuple[list[float], list[float]] = ([], [])
    with drivers_of(JUDGE, turn_ms, match_ms) as drivers:
        for driver in drivers:
            driver.start_game(Board(20, 20))
        while not game.is_over:
            colour = len(game.moves) % 2
            asked_at = time.perf_counter()
            answer = drivers[colour].ask(game.moves, colour, is_first=not taken[colour])
            game.play(answer.move)
            taken[colour].append(witness.net_ms(asked_at, answer.ms))
        lefts = [driver.left_ms or 0.0 for driver in drivers]
    for name, times, left_ms in zip(("black", "white"), taken, lefts, strict=True):
        with capsys.disabled():
            print(
                f"\nclock of {match_ms} ms, game {seed}, {name}: {len(times)} moves, {left_ms:.0f} ms left, "
                f"median {statistics.median(times):.0f}, largest {max(times):.0f} ms",
                end="",
            )
        assert left_ms > 0
        assert max(times) <= match_ms / 10
        left = [match_ms - sum(times[:i]) for i in range(len(times))]
        assert all(ms <= OVERRUN_MS + before / 3 for ms, before in zip(times, left, strict=True))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_a_short_clock_never_runs_out(seed: int, witness: Witness, capsys: pytest.CaptureFixture[str]) -> None:
    play_by_the_clock(100, 2_400, seed, witness, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_the_clock_of_fast_games_never_runs_out(
    seed: int, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    play_by_the_clock(5_000, 120_000, seed, witness, capsys)


# -- suspended processes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn_ms", [300, 1000])
@pytest.mark.parametrize("has_started", [False, True])
def test_suspended_before_its_first_move(
    turn_ms: int, has_started: bool, tmp_path: Path, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    """Suspended as soon as it was told the settings, or a little later; the board comes while it is suspended."""
    game = Game(15, opening=MIDDLE_GAME)
    spec = BrainSpec("kaname", BRAIN, limits=Limits(turn_ms, 60_000))
    with BrainProcess(newline=JUDGE.newline) as brain:
        board = Board(15, 15)
        brain.send(start_line(JUDGE, board, is_new=True), *info_lines(JUDGE, board, spec, 60_000, tmp_path))
        brain.suspend()
        if has_started:
            brain.resume()
            time.sleep(0.3)
            brain.suspend()
        brain.send("INFO time_left 60000", *game.board_lines())
        time.sleep(1.5 * turn_ms / 1000)  # longer than the turn, which must be whole all the same
        resumed_at = brain.resume()
        assert brain.read_line().text == "OK"
        answer = brain.answer(resumed_at)
        with capsys.disabled():
            print(f"\nresumed {'after' if has_started else 'in'} its start, {turn_ms} ms: {answer.taken_ms:.0f} ms")
        game.play_answer(answer.text)
        assert witness.net_ms(resumed_at, answer.taken_ms) <= turn_ms


@pytest.mark.parametrize(("turn_ms", "moves"), [(100, 3), (1000, 1), pytest.param(1000, 10, marks=pytest.mark.slow)])
def test_suspended_while_the_opponent_thinks(
    turn_ms: int, moves: int, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    """A game goes on as if nothing had happened, and the pause is not taken from the brain's time."""
    rng = random.Random(turn_ms)
    game = Game(15, opening=MIDDLE_GAME)
    taken: list[float] = []
    with BrainProcess() as brain:
        brain.start(15, f"timeout_turn {turn_ms}")
        game.play_answer(brain.ask(*game.board_lines()).text)
        while not game.is_over and len(taken) < moves:
            brain.suspend()
            game.play(game.reply(rng))
            brain.send(game.turn_line())
            time.sleep(1.5 * turn_ms / 1000)
            answer = brain.answer(brain.resume())
            game.play_answer(answer.text)
            taken.append(witness.net_ms(answer.asked_at, answer.taken_ms))
    with capsys.disabled():
        print(f"\nresumed after the opponent's turn, {turn_ms} ms:", [round(ms) for ms in taken])
    assert max(taken) <= turn_ms


@pytest.mark.parametrize(("turn_ms", "pauses"), [(300, 3), (1000, 1), pytest.param(1000, 10, marks=pytest.mark.slow)])
def test_a_pause_is_no_delay_to_fear(
    turn_ms: int, pauses: int, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    """Suspended the moment its move is read, as Judge does it, a brain still takes the time that it has.

    Only what the host held it up by is a delay, and it may be feared.
    """
    answers: list[Answer] = []
    with BrainProcess() as brain:
        brain.start(15, f"timeout_turn {turn_ms}")
        question = Game(15, opening=MIDDLE_GAME).board_lines()
        brain.ask(*question)
        for _ in range(pauses):
            brain.suspend()
            brain.send(*question)
            time.sleep(0.3)
            answers.append(brain.answer(brain.resume()))
    with capsys.disabled():
        print(f"\nthe same question after pauses, {turn_ms} ms:", [round(answer.taken_ms) for answer in answers])
    net = [witness.net_ms(answer.asked_at, answer.taken_ms) for answer in answers]
    host_pause = max(answer.taken_ms - ms for answer, ms in zip(answers, net, strict=True))
    assert max(net) <= turn_ms
    assert min(answer.taken_ms for answer in answers) >= 0.75 * turn_ms - host_pause


@pytest.mark.timing
def test_the_start_is_no_delay_to_fear() -> None:
    """After a first turn that the interpreter's start used up, short turns are searched all the same."""
    with BrainProcess() as brain:
        brain.start(15, "timeout_turn 50")
        question = Game(15, opening=MIDDLE_GAME).board_lines()
        brain.ask(*question)
        iterations = [len(brain.ask(*question).messages) for _ in range(8)]
    assert iterations == [1] * 8
