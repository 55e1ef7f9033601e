"""The brain as a process: its start, interruptions and end, its memory, and what it needs of its folder."""

import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.brain_process import MIDDLE_GAME, PATIENCE_S, ROOT, BrainProcess, Game, random_opening
from tests.machine import Witness

# Before, at and after the first iterations, and far into a long one.
INTERRUPTED_AFTER_S = (0.0, 0.01, 0.05, 0.3, 0.6)
ENDS_WITHIN_MS = 100
STOPS_WITHIN_MS = 50
STARTS_WITHIN_MS = 100
STARTS_OF_INTERPRETER = 8  # where the machine is slow at the time: 5.3 to 6.1 were seen
MEMORY_LIMIT = 367_001_600
STOPS = ("INFO timeout_turn 0", "STOP", "YXSTOP")

pytestmark = pytest.mark.usefixtures("library")


def think_for_a_minute(brain: BrainProcess, delay_s: float) -> None:
    """Ask about the middle game and wait a while, in which nothing but messages may be said."""
    game = Game(15, opening=MIDDLE_GAME)
    brain.send("INFO timeout_turn 60000", *game.board_lines())
    time.sleep(delay_s)
    while brain.has_spoken():
        assert brain.read_line().text.startswith("MESSAGE ")


def summary(values: list[float]) -> str:
    return f"median {statistics.median(values):.1f}, largest {max(values):.1f} ms of {len(values)}"


# -- the end -----------------------------------------------------------------------------------------------------------


def send_end(brain: BrainProcess) -> float:
    return brain.send("END")


ENDINGS = {"END": send_end, "end of input": BrainProcess.close_input}


def ending_times(end: Callable[[BrainProcess], float], rounds: int, witness: Witness) -> list[float]:
    taken = []
    for delay_s in INTERRUPTED_AFTER_S * rounds:
        with BrainProcess() as brain:
            brain.start(15)
            think_for_a_minute(brain, delay_s)
            asked_at = end(brain)
            taken.append(witness.net_ms(asked_at, brain.end_after(asked_at)))
    return taken


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_ends_in_the_middle_of_a_search(
    name: str, rounds: int, witness: Witness, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = ending_times(ENDINGS[name], rounds, witness)
    with capsys.disabled():
        print(f"\n{name} in a search: {summary(taken)}")
    assert max(taken) <= ENDS_WITHIN_MS


@pytest.mark.timing
@pytest.mark.parametrize("name", ENDINGS)
def test_ends_before_start(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """ABOUT is answered first, so that what is measured is not the interpreter's start."""
    taken = []
    for _ in range(3):
        with BrainProcess() as brain:
            assert brain.ask("ABOUT").text.startswith('name="')
            taken.append(brain.end_after(ENDINGS[name](brain)))
    with capsys.disabled():
        print(f"\n{name} before START: {summary(taken)}")
    assert statistics.median(taken) <= ENDS_WITHIN_MS


@pytest.mark.parametrize("name", ENDINGS)
def test_ends_though_nothing_else_was_sent(name: str) -> None:
    with BrainProcess() as brain:
        brain.end_after(ENDINGS[name](brain))


def test_ends_while_a_board_comes_in(witness: Witness) -> None:
    with BrainProcess() as brain:
        brain.start(15)
        brain.send("BOARD", "7,7,1", "8,8,2")
        asked_at = brain.send("END")
        assert witness.net_ms(asked_at, brain.end_after(asked_at)) <= ENDS_WITHIN_MS


# -- a move at once ----------------------------------------------------------------------------------------------------


def stopping_times(stop: str, rounds: int, witness: Witness) -> list[float]:
    taken = []
    with BrainProcess() as brain:
        for delay_s in INTERRUPTED_AFTER_S * rounds:
            brain.start(15)
            think_for_a_minute(brain, delay_s)
            answer = brain.ask(stop)
            Game(15, opening=MIDDLE_GAME).play_answer(answer.text)
            taken.append(witness.net_ms(answer.asked_at, answer.taken_ms))
    return taken


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("rounds", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_moves_when_stopped(stop: str, rounds: int, witness: Witness, capsys: pytest.CaptureFixture[str]) -> None:
    taken = stopping_times(stop, rounds, witness)
    with capsys.disabled():
        print(f"\n{stop} in a search: {summary(taken)}")
    assert max(taken) <= STOPS_WITHIN_MS


@pytest.mark.parametrize("stop", STOPS[1:])
def test_a_stop_before_the_question_has_no_effect(stop: str) -> None:
    with BrainProcess() as brain:
        brain.start(15, "timeout_turn 3000")  # of which the interpreter's start is taken
        brain.send(stop)
        answer = brain.ask(*Game(15, opening=MIDDLE_GAME).board_lines())
        assert answer.taken_ms > 100
        assert len(answer.messages) > 1


# -- the start ---------------------------------------------------------------------------------------------------------


def starting_times(tries: int) -> tuple[list[float], list[float]]:
    """Milliseconds from nothing to OK, and of an interpreter that does nothing, measured in turn."""
    ours, bare = [], []
    for _ in range(tries):
        with BrainProcess() as brain:
            brain.send("START 20")
            line = brain.read_line()
            assert line.text == "OK"
            ours.append(1000 * (line.at - brain.started_at))
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append(1000 * (time.perf_counter() - begun))
    return ours, bare


@pytest.mark.timing
def test_starts_little_slower_than_the_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    ours, bare = starting_times(20)
    with capsys.disabled():
        print(f"\nstart to OK: {summary(ours)}; python -c pass: {summary(bare)}")
    assert statistics.median(ours) <= max(STARTS_WITHIN_MS, STARTS_OF_INTERPRETER * statistics.median(bare))


@pytest.mark.slow
@pytest.mark.timing
def test_starts_within_100_ms(capsys: pytest.CaptureFixture[str]) -> None:
    ours, bare = starting_times(20)
    with capsys.disabled():
        print(f"\nstart to OK: {summary(ours)}; python -c pass: {summary(bare)}")
    assert statistics.median(ours) <= STARTS_WITHIN_MS


# -- signals and failures ----------------------------------------------------------------------------------------------


class Ended(NamedTuple):
    """What a process wrote after its input was sent, and how it ended."""

    lines: list[str]
    stderr: str
    code: int


def run_to_its_end(code: str, *lines: str, arguments: tuple[str, ...] = ()) -> Ended:
    """Run Python code with these lines as input, which stays open: the process must end by itself."""
    command, pipe = [sys.executable, "-c", code, *arguments], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            with suppress(BrokenPipeError):  # it may end before it reads
                os.write(process.stdin.fileno(), "".join(f"{line}\n" for line in lines).encode())
            process.wait(PATIENCE_S)
        finally:
            process.kill()
        return Ended(process.stdout.read().splitlines(), process.stderr.read(), process.returncode)


BROKEN = """
import threading
from pbrain.brain import commands, protocol, start
from pbrain.engine import engine

def fail(*arguments, **options):
    raise ZeroDivisionError("this\\nfailed")

{}
start.run_brain(None)
"""
FAILURES = {
    "the reader thread": "commands.parse = fail",
    "the main thread": "protocol.Brain.act = fail",
    "a message about an iteration": "protocol.report_text = fail",
    "the search": "engine.Engine._search_lines = fail",
    # The main thread waits, or it might answer between the line and the end.
    "a thread in the background": (
        "start.start_cost_ns = lambda: threading.Thread(target=fail).start() or threading.Event().wait() or 0"
    ),
    "the start": "start.start_cost_ns = fail",
    "a destructor": "start.start_cost_ns = lambda: int(not type('Dying', (), {'__del__': fail})())",
}


@pytest.mark.parametrize("place", FAILURES)
def test_an_unexpected_failure_is_one_error_line_and_the_end(place: str) -> None:
    # A turn so long that the start, which is taken off it, leaves time for a search on any machine.
    asked = "INFO timeout_turn 20000", "PLAY 7,7", "PLAY 8,8", "TURN 3,3"
    ended = run_to_its_end(BROKEN.format(FAILURES[place]), *asked)
    assert ended.stderr == ""
    assert ended.code == 1
    errors = [line for line in ended.lines if line.startswith("ERROR ")]
    (error,) = errors
    assert error.startswith("ERROR internal failure: ZeroDivisionError in <string>, line ")
    assert error.endswith(": this failed")
    assert ended.lines[-1] == error


def test_an_incomplete_installation_is_one_error_line() -> None:
    code = "import sys; sys.modules['pbrain.engine.engine'] = None; import pbrain.__main__"
    ended = run_to_its_end(code, "START 15")
    assert (ended.stderr, ended.code) == ("", 1)
    assert [line.split(":")[0] for line in ended.lines] == ["ERROR internal failure"]


def test_a_library_that_cannot_be_loaded_is_one_error_line(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pbrain.brain.start import run_brain; run_brain(Path(sys.argv[1]))"
    )
    ended = run_to_its_end(code, "START 15", arguments=(str(tmp_path / "none.so"),))
    assert (ended.stderr, ended.code) == ("", 1)
    assert len(ended.lines) == 1
    assert ended.lines[0].startswith("ERROR ")
    assert "none.so cannot be loaded" in ended.lines[0]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_thinking", [False, True])
def test_a_signal_ends_it_silently_and_at_once(number: signal.Signals, is_thinking: bool, witness: Witness) -> None:
    with BrainProcess() as brain:
        brain.start(15)
        if is_thinking:
            think_for_a_minute(brain, 0.3)
        sent_at = time.perf_counter()
        brain._process.send_signal(number)
        code = brain._process.wait(PATIENCE_S)
        taken_ms = 1000 * (time.perf_counter() - sent_at)
    assert code == -number  # a shell must see that the signal ended it
    assert witness.net_ms(sent_at, taken_ms) <= ENDS_WITHIN_MS


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
def test_a_brain_in_the_background_ignores_sigint() -> None:
    command = f"trap '' INT; exec {sys.executable} -m pbrain"
    with BrainProcess(["sh", "-c", command]) as brain:
        brain.start(15)
        brain._process.send_signal(signal.SIGINT)
        assert brain.ask("ABOUT").text.startswith('name="')


# -- memory ------------------------------------------------------------------------------------------------------------


def peak_bytes(turn_ms: int, moves: int, threads: int) -> int:
    """The most memory of its own that a brain held after any of so many moves.

    Games begin by BOARD, because START would empty the table; the opponent is another brain, for long games.
    """
    rng = random.Random(5)
    peak = 0
    with BrainProcess() as brain, BrainProcess() as opponent:
        brain.start(20, f"max_memory {MEMORY_LIMIT}", f"thread_num {threads}", f"timeout_turn {turn_ms}")
        opponent.start(20, "timeout_turn 50")
        game = Game(20, opening=random_opening(rng, 20))
        for _ in range(moves):
            if game.is_over:
                game = Game(20, opening=random_opening(rng, 20))
            game.play_answer(brain.ask(*game.board_lines()).text)
            peak = max(peak, brain.unique_bytes())
            if not game.is_over:
                game.play_answer(opponent.ask(*game.board_lines()).text)
    return peak


@pytest.mark.posix("Windows has no resource limits")
@pytest.mark.parametrize("limit_mib", [150, 250, 350, 390, 400, 450])
def test_plays_in_a_limited_address_space(limit_mib: int) -> None:
    """Whatever the table leaves of it: threads need some, too."""
    limited = f"ulimit -v {1024 * limit_mib} && exec '{sys.executable}' -m pbrain"
    with BrainProcess(["sh", "-c", limited]) as brain:
        for _ in range(2):
            brain.start(15, "thread_num 2", "timeout_turn 100")
            assert "," in brain.ask("TURN 7,7").text


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("turn_ms", "moves"), [(100, 30), pytest.param(1000, 60, marks=pytest.mark.slow)])
def test_stays_below_the_memory_limit(
    turn_ms: int, moves: int, threads: int, capsys: pytest.CaptureFixture[str]
) -> None:
    peak = peak_bytes(turn_ms, moves, threads)
    with capsys.disabled():
        told = f"peak USS in {moves} moves of {turn_ms} ms, threads {threads}"
        print(f"\n{told}: {peak / 2**20:.0f} MiB of {MEMORY_LIMIT / 2**20:.0f}")
    assert peak < MEMORY_LIMIT


# -- the folder --------------------------------------------------------------------------------------------------------


def test_two_brains_in_one_folder(tmp_path: Path) -> None:
    with BrainProcess(folder=tmp_path) as one, BrainProcess(folder=tmp_path) as other:
        games = {one: Game(15, opening=MIDDLE_GAME), other: Game(20, opening=MIDDLE_GAME)}
        for brain, game in games.items():
            brain.start(game.size, "timeout_turn 300", f"folder {tmp_path}")
        for _ in range(3):
            asked_at = {brain: brain.send(*game.board_lines()) for brain, game in games.items()}
            for brain, game in games.items():
                game.play_answer(brain.answer(asked_at[brain]).text)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def unwritable_folder(tmp_path: Path) -> Iterator[Path]:
    """A read-only folder; the superuser can write anywhere but in the kernel's own."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield Path("/proc")
        return
    tmp_path.chmod(0o555)
    yield tmp_path
    tmp_path.chmod(0o755)


def test_plays_in_an_unwritable_folder(unwritable_folder: Path) -> None:
    with pytest.raises(OSError, match="written"):
        (unwritable_folder / "written").write_text("")
    with BrainProcess(folder=unwritable_folder) as brain:
        game = Game(15, opening=MIDDLE_GAME)
        brain.start(15, "timeout_turn 200")
        game.play_answer(brain.ask(*game.board_lines()).text)
