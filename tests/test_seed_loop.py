"""The seed brains' protocol loop: scripted dialogues, then real processes, their timing and their exit."""

import random
import statistics
import sys
import time
from itertools import count

import pytest

from tests.brain_process import BrainProcess, Game, random_opening
from tests.machine import Witness
from tests.test_seed_lines import quiet_crowd
from tournament.brains import boundary, minimax, threat
from tournament.brains.clock import Clock, Deadline, TimeUpError, thinking_ms
from tournament.brains.loop import Conversation
from tournament.brains.position import OTHER, OWN, Position

BRAINS = {"minimax": minimax.choose, "boundary": boundary.choose, "threat": threat.choose}
EVERY_BRAIN = pytest.mark.parametrize("name", BRAINS)
ENDS_WITHIN_MS = 100
SLOW_BRAIN = """
from tournament.brains import clock, loop
def choose(position, deadline):
    try:
        while True:
            deadline.check()
    except clock.TimeUpError:
        return 0
loop.run("slow", choose)
"""


def time_until(deadline: Deadline) -> float:
    """The milliseconds until a deadline passes."""
    began = time.perf_counter()
    try:
        while True:
            deadline.check()
    except TimeUpError:
        return 1000 * (time.perf_counter() - began)


def first_free(position: Position, _deadline: Deadline) -> int:
    taken = dict(position.stones)
    return next(cell for cell in range(position.cells) if cell not in taken)


class Talk:
    """A dialogue with a brain that plays the first free cell; records the positions it was given."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.shown: list[Position] = []
        self.conversation = Conversation("test", self._choose, self.written.append)

    def _choose(self, position: Position, deadline: Deadline) -> int:
        self.shown.append(position)
        return first_free(position, deadline)

    def send(self, *lines: str) -> list[str]:
        self.written.clear()
        for line in lines:
            self.conversation.act(self.conversation.hear(line))
        return list(self.written)


@pytest.fixture
def talk() -> Talk:
    return Talk()


# -- dialogues ---------------------------------------------------------------------------------------------------------


def test_a_game(talk: Talk) -> None:
    assert talk.send("START 15") == ["OK"]
    assert talk.send("BEGIN") == ["0,0"]
    assert talk.send("TURN 7,8") == ["1,0"]
    assert talk.send("turn 2,0\r\n") == ["3,0"]
    assert talk.shown[-1] == Position(15, 15, 0, ((0, OWN), (8 * 15 + 7, OTHER), (1, OWN), (2, OTHER)))
    assert talk.send("RESTART", "BEGIN") == ["OK", "0,0"]


@pytest.mark.parametrize("size", [5, 15, 20, 22, 32])
def test_sizes(talk: Talk, size: int) -> None:
    assert talk.send(f"START {size}", f"TURN {size - 1},{size - 1}") == ["OK", "0,0"]
    assert talk.shown[-1].cells == size * size


@pytest.mark.parametrize(
    "line", ["START 4", "START 33", "START -20", "START", "START x", "RECTSTART 5", "RECTSTART 4,9"]
)
def test_sizes_that_are_refused(talk: Talk, line: str) -> None:
    talk.send("START 15", "BEGIN")
    (answer,) = talk.send(line)
    assert answer.startswith("ERROR ")
    talk.send("TURN 14,14")
    assert (talk.shown[-1].width, len(talk.shown[-1].stones)) == (15, 2)


def test_an_impossible_size_names_one_that_is_possible(talk: Talk) -> None:
    assert "20" in talk.send("START 100")[0]


def test_rectangles(talk: Talk) -> None:
    assert talk.send("RECTSTART 12,7", "TURN 11,6") == ["OK", "0,0"]
    assert talk.shown[-1] == Position(12, 7, 0, ((83, OTHER),))
    assert talk.send("TURN 6,11")[0].startswith("ERROR ")


@pytest.mark.parametrize("lines", [["BEGIN"], ["TURN 19,19"], ["BOARD", "19,19,2", "DONE"]])
def test_without_start_the_board_is_20_by_20(talk: Talk, lines: list[str]) -> None:
    assert talk.send(*lines) == ["0,0"]
    assert talk.shown[-1].cells == 400


@pytest.mark.parametrize("turn", ["TURN", "TURN 3", "TURN a,b", "TURN 0,0", "TURN 15,0", "TURN 0,-1", "TURN 1,1,1"])
def test_turns_that_are_refused(talk: Talk, turn: str) -> None:
    talk.send("START 15", "BEGIN")
    (answer,) = talk.send(turn)
    assert answer.startswith("ERROR ")
    talk.send("TURN 3,3")
    assert len(talk.shown[-1].stones) == 2


def test_begin_wants_an_empty_board(talk: Talk) -> None:
    assert talk.send("START 15", "BEGIN", "BEGIN")[2].startswith("ERROR ")


def test_board(talk: Talk) -> None:
    assert talk.send("START 15", "BEGIN", "BOARD", "1,0,1", "2, 0, 2", "3,0,3", "DONE") == ["OK", "0,0", "0,0"]
    assert talk.shown[-1].stones == ((1, OWN), (2, OTHER), (3, "#"))
    assert talk.send("BOARD", "DONE") == ["0,0"]
    assert not talk.shown[-1].stones
    assert talk.send("TURN 1,0") == ["2,0"]


@pytest.mark.parametrize("line", ["1,0", "1,0,4", "15,0,1", "2,2,1", "hello", "BEGIN", "TURN 5,5"])
def test_boards_that_are_refused(talk: Talk, line: str) -> None:
    talk.send("START 15", "BEGIN")
    (answer,) = talk.send("BOARD", "2,2,2", line, "DONE")
    assert answer.startswith("ERROR ")
    talk.send("TURN 3,3")
    assert talk.shown[-1].stones == ((0, OWN), (48, OTHER))


def test_a_board_is_left_by_start(talk: Talk) -> None:
    assert talk.send("START 15", "BOARD", "2,2,2", "INFO rule 1", "START 9", "BEGIN") == ["OK", "OK", "0,0"]
    assert talk.shown[-1] == Position(9, 9, 1, ())


def test_take_back(talk: Talk) -> None:
    talk.send("START 15", "BEGIN", "TURN 7,7")
    assert talk.send("TAKEBACK 7,7")[0].startswith("ERROR ")
    assert talk.send("TAKEBACK 1,0", "TAKEBACK 7,7") == ["OK", "OK"]
    assert talk.send("TURN 8,8") == ["1,0"]
    assert talk.shown[-1].stones == ((0, OWN), (8 * 15 + 8, OTHER))
    assert talk.send("RESTART", "TAKEBACK 0,0")[1].startswith("ERROR ")
    assert talk.send("TAKEBACK")[0].startswith("ERROR ")


@pytest.mark.parametrize("line", ["", "  ", "INFO", "INFO timeout_turn", "INFO evaluate 3,3", "INFO folder /tmp/x"])
def test_lines_that_are_not_answered(talk: Talk, line: str) -> None:
    assert talk.send(line, "STOP", "YXSTOP", "INFO rule x", "INFO time_left -5", "INFO max_memory 0") == []


def test_strange_lines(talk: Talk) -> None:
    assert talk.send("Hello world", "DONE", "3,3,1", "\x01") == [
        "UNKNOWN Hello world",
        "UNKNOWN DONE",
        "UNKNOWN 3,3,1",
        "UNKNOWN ?",
    ]


def test_about(talk: Talk) -> None:
    (answer,) = talk.send("ABOUT")
    assert answer.startswith('name="test", version="')


def test_rule_is_told(talk: Talk) -> None:
    talk.send("INFO rule 4", "START 15", "BEGIN")
    assert talk.shown[-1].rule == 4


def test_end(talk: Talk) -> None:
    assert talk.send("END") == []
    assert talk.conversation.has_ended


def test_a_full_board_is_an_error(talk: Talk) -> None:
    stones = [f"{x},{y},{1 + (x + 2 * y) // 2 % 2}" for y in range(5) for x in range(5)]
    (answer,) = talk.send("INFO rule 0", "START 5", "BOARD", *stones, "DONE")[1:]
    assert answer == "ERROR the board is full"
    assert talk.send("BOARD", *stones[:-2], "DONE") == ["3,4"]
    assert talk.send("TURN 4,4") == ["ERROR the board is full"]
    assert talk.send("TAKEBACK 3,4", "TURN 4,4") == ["OK", "3,4"]


def test_a_decided_board_is_an_error(talk: Talk) -> None:
    five = [f"{x},3,2" for x in range(5)]
    assert talk.send("START 15", "BOARD", *five, "DONE") == ["OK", "ERROR the game is decided"]
    assert talk.send("BOARD", *five[:4], "DONE", "TURN 4,3") == ["0,0", "ERROR the game is decided"]


# -- time --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clock", "expected_ms"),
    [
        (Clock(), 30_000 - 115),
        (Clock(turn_ms=1000), 935),
        (Clock(turn_ms=100), 80),
        (Clock(turn_ms=50), 0),
        (Clock(turn_ms=0), 0),
        (Clock(turn_ms=5000, match_ms=120_000, left_ms=40_000), 2000),
        (Clock(turn_ms=5000, match_ms=120_000, left_ms=200), 10),
        (Clock(turn_ms=5000, match_ms=120_000, left_ms=0), 0),
    ],
)
def test_thinking_time(clock: Clock, expected_ms: float) -> None:
    assert thinking_ms(clock) == expected_ms


def test_clock_of_a_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time left is the manager's last value, reduced by the brain's own moves since."""
    looks = count()  # each look at the clock takes 0.1 ms
    monkeypatch.setattr("time.perf_counter", lambda: next(looks) / 10_000)
    written: list[str] = []
    limits: list[float] = []

    def spend(position: Position, deadline: Deadline) -> int:
        limits.append(time_until(deadline))
        return first_free(position, deadline)

    talk = Conversation("test", spend, written.append)
    for line in ("INFO timeout_turn 900", "INFO timeout_match 2000", "START 15", "BEGIN", "TURN 7,7"):
        talk.act(talk.hear(line))
    for line in ("INFO time_left 1000", "TURN 8,8", "INFO time_left 2147483647", "INFO timeout_turn 100", "TURN 9,9"):
        talk.act(talk.hear(line))
    assert written == ["OK", "0,0", "1,0", "2,0", "3,0"]
    assert limits == [pytest.approx(ms, abs=20) for ms in (100, 95, 50, 80)]
    assert limits[1] < limits[0]


@pytest.mark.parametrize("stop", ["STOP", "YXSTOP", "INFO timeout_turn 0", "END"])
def test_a_stop_ends_the_thinking_that_it_follows(stop: str) -> None:
    stopped: list[bool] = []

    def is_stopped(position: Position, deadline: Deadline) -> int:
        try:
            deadline.check()
            stopped.append(False)
        except TimeUpError:
            stopped.append(True)
        return first_free(position, deadline)

    talk = Conversation("test", is_stopped, lambda _: None)
    lines = [talk.hear(line) for line in ("START 15", stop, "INFO timeout_turn 1000", "BEGIN")]
    for heard in lines:
        talk.act(heard)
    question = talk.hear("TURN 9,9")
    talk.hear(stop)
    talk.act(question)
    assert stopped == [False, True]


# -- the brains in a conversation --------------------------------------------------------------------------------------


@EVERY_BRAIN
@pytest.mark.parametrize("rule", [0, 1, 4, 8])
@pytest.mark.parametrize("size", [5, 9, 22])
def test_moves_are_legal(name: str, rule: int, size: int) -> None:
    """Play a simple opponent until one side has five or a dozen moves are made."""
    rng = random.Random(rule)
    game = Game(size, opening=random_opening(rng, size, 2))
    written: list[str] = []
    talk = Conversation(name, BRAINS[name], written.append)
    for line in (f"INFO rule {rule}", "INFO timeout_turn 50", f"START {size}", *game.board_lines()):
        talk.act(talk.hear(line))
    for _ in range(12):
        game.play_answer(written[-1])
        if game.is_over:
            break
        game.play(game.reply(rng))
        if game.is_over:
            break
        talk.act(talk.hear(game.turn_line()))


# -- processes ---------------------------------------------------------------------------------------------------------


def process_of(name: str) -> BrainProcess:
    return BrainProcess((sys.executable, "-m", f"tournament.brains.{name}"))


def board_lines(position: Position) -> list[str]:
    owners = {OWN: 1, OTHER: 2}
    stones = [f"{c % position.width},{c // position.width},{owners[stone]}" for c, stone in position.stones]
    return ["BOARD", *stones, "DONE"]


@EVERY_BRAIN
def test_a_real_game(name: str, witness: Witness) -> None:
    with process_of(name) as brain:
        assert brain.ask("ABOUT").text.startswith(f'name="{name}"')
        brain.start(15, "timeout_turn 300", "rule 1")
        assert brain.ask("BEGIN").text == "7,7"
        game = Game(15, 1, [(7, 7)])
        rng = random.Random(1)
        for _ in range(4):
            game.play(game.reply(rng))
            game.play_answer(brain.ask(game.turn_line()).text)
        assert brain.ask("RESTART").text == "OK"
        assert brain.ask("nonsense").text == "UNKNOWN nonsense"
        asked_at = brain.send("END")
        assert witness.net_ms(asked_at, brain.end_after(asked_at)) <= ENDS_WITHIN_MS


PATIENT_BRAIN = """
from tournament.brains import loop, threat
loop.EXIT_WITHIN_S = 20
loop.run_with("threat", threat.choose, threat.SETTINGS, threat.IDEAS, min_depth=0)
"""


def test_quick_answers_before_the_end_of_input_are_given() -> None:
    with BrainProcess((sys.executable, "-c", PATIENT_BRAIN)) as brain:
        brain.send("START 15", "BEGIN")
        closed_at = brain.close_input()
        assert [brain.read_line().text for _ in range(2)] == ["OK", "7,7"]
        brain.end_after(closed_at)


def test_ends_and_stops_in_the_middle_of_thinking(witness: Witness) -> None:
    ended: list[float] = []
    for end in (lambda brain: brain.send("END"), BrainProcess.close_input) * 2:
        with BrainProcess((sys.executable, "-c", SLOW_BRAIN)) as brain:
            brain.start(15, "timeout_turn 60000")
            brain.send("BEGIN")
            time.sleep(0.1)
            assert brain.ask("YXSTOP").text == "0,0"
            brain.send("TURN 7,7")
            time.sleep(0.1)
            assert not brain.has_spoken()
            asked_at = end(brain)
            ended.append(witness.net_ms(asked_at, brain.end_after(asked_at)))
    assert max(ended) <= ENDS_WITHIN_MS


@EVERY_BRAIN
@pytest.mark.parametrize("turn_ms", [50, 100, 1000])
def test_never_late(name: str, turn_ms: int, witness: Witness, capsys: pytest.CaptureFixture[str]) -> None:
    """Crowded boards without forced moves; the first is also the first question to the process."""
    taken = []
    with process_of(name) as brain:
        for size in (20, 15):
            for share in (0.2, 0.4):
                position = quiet_crowd(size, size, share)
                brain.start(size, f"timeout_turn {turn_ms}")
                answer = brain.ask(*board_lines(position))
                x, y = (int(number) for number in answer.text.split(","))
                assert 0 <= x < size
                assert y * size + x not in dict(position.stones)
                taken.append(witness.net_ms(answer.asked_at, answer.taken_ms))
    with capsys.disabled():
        print(f"\n{name} at {turn_ms} ms: median {statistics.median(taken):.0f}, largest {max(taken):.0f} ms")
    assert max(taken) <= turn_ms
