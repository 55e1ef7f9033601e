"""A protocol compliance check for any brain: numbered steps that pass or fail, with what was observed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tournament.core.model import BrainSpec, Move
from tournament.play.driver import START_WITHIN_S
from tournament.play.managers import MESSAGE_PREFIXES, MOVE
from tournament.play.process import BrainProcess, ExitedError, NoStartError
from tournament.views.text import printable

QUIET_S = 0.3  # no answer within this time counts as silence
ANSWER_WITHIN_S = 5.0
TURN_MS = 300
LATE_AFTER_MS = 1000  # the grace period that managers give
END_WITHIN_MS = 500  # GomocupJudge kills a brain after this
AT_ONCE_MS = 1000
START_MS = 1000
MAX_LINES = 2000
FOUR = ((3, 3), (4, 3), (5, 3), (6, 3))
SCATTERED = ((3, 9), (6, 12), (9, 3), (12, 12))


class FailedError(Exception):
    """The step failed; the text says what was observed."""


@dataclass(frozen=True)
class StepResult:
    number: int
    title: str
    is_passed: bool
    seen: str


class Conversation:
    """A dialogue with one brain, as managers hold it."""

    def __init__(self, spec: BrainSpec) -> None:
        self.process = BrainProcess(spec)
        self.stones: list[Move] = []
        self.size = 0
        self.answered_at = 0.0  # in seconds of `time.perf_counter`

    def send(self, *lines: str) -> float:
        return self.process.send(*lines)

    def line(self, within_s: float | None = None) -> str:
        """The next line that is not a message."""
        within_s = ANSWER_WITHIN_S if within_s is None else within_s
        deadline = time.perf_counter() + within_s
        while True:
            line = self.process.receive(deadline)
            if line is None:
                raise FailedError(f"no answer within {within_s:g} s")
            if not line.text.upper().startswith(MESSAGE_PREFIXES):
                self.answered_at = line.at
                return line.text

    def expect(self, wanted: str, *lines: str, within_s: float | None = None) -> str:
        """The answer, which must start with `wanted`; `OK` must match exactly."""
        self.send(*lines)
        answer = self.line(within_s)
        is_right = answer == "OK" if wanted == "OK" else answer.upper().startswith(wanted)
        if not is_right:
            raise FailedError(f"answered {lines[-1]} with {answer[:80]!r} instead of {wanted}")
        return answer

    def expect_silence(self, *lines: str) -> None:
        self.process.discard_output()
        self.send(*lines)
        line = self.process.receive(time.perf_counter() + QUIET_S)
        if line is not None and not line.text.upper().startswith(MESSAGE_PREFIXES):
            raise FailedError(f"answered {lines[-1]} with {line.text[:80]!r}; no answer was expected")

    def start(self, size: int = 20) -> None:
        self.expect("OK", f"START {size}", within_s=START_WITHIN_S)
        self.size, self.stones = size, []
        self.send(f"INFO timeout_turn {TURN_MS}", "INFO timeout_match 0", "INFO time_left 2147483647", "INFO rule 0")

    def move(self, *lines: str, allowed_ms: float = TURN_MS) -> tuple[Move, float]:
        """The move that answers these lines, and the milliseconds it took."""
        asked = self.send(*lines)
        answer = self.line((allowed_ms + LATE_AFTER_MS) / 1000 + ANSWER_WITHIN_S)
        ms = 1000 * (self.answered_at - asked)
        found = MOVE.fullmatch(answer)
        if found is None:
            raise FailedError(f"answered {lines[-1]} with {answer[:80]!r} instead of x,y")
        move = int(found[1]), int(found[2])
        if not (move[0] < self.size and move[1] < self.size):
            raise FailedError(f"{answer} is not on the board")
        if move in self.stones:
            raise FailedError(f"{answer} is taken")
        if ms > allowed_ms + LATE_AFTER_MS:
            raise FailedError(f"took {ms:.0f} ms; the limit is {allowed_ms:.0f} ms")
        self.stones.append(move)
        return move, ms

    def turn(self, move: Move) -> tuple[Move, float]:
        self.stones.append(move)
        return self.move(f"TURN {move[0]},{move[1]}")

    def free(self) -> Move:
        return next((x, y) for y in range(self.size) for x in range(self.size) if (x, y) not in self.stones)

    def board(self, own: tuple[Move, ...], theirs: tuple[Move, ...], allowed_ms: float = TURN_MS) -> Move:
        self.stones = [*own, *theirs]
        lines = [f"{x},{y},1" for x, y in own] + [f"{x},{y},2" for x, y in theirs]
        return self.move("BOARD", *lines, "DONE", allowed_ms=allowed_ms)[0]


def starts(talk: Conversation) -> str:
    talk.start()
    return "OK"


def starts_quickly(talk: Conversation) -> str:
    talk.start()
    ms = 1000 * (time.perf_counter() - talk.process.started_at)
    if ms > START_MS:
        raise FailedError(
            f"OK after {ms:.0f} ms; some managers count start-up in the first turn, so {START_MS} ms is the limit"
        )
    return f"OK after {ms:.0f} ms"


def is_brief(talk: Conversation) -> str:
    """Managers read every line before the move, and some are slow readers."""
    talk.start()
    for _ in range(4):
        talk.turn(talk.free())
    if talk.process.lines_received > MAX_LINES:
        raise FailedError(f"{talk.process.lines_received} lines for four moves")
    return f"{talk.process.lines_received} lines for four moves"


def says_about(talk: Conversation) -> str:
    return talk.expect("NAME=", "ABOUT").replace("'", '"')[:100]


def begins(talk: Conversation) -> str:
    talk.start()
    move, ms = talk.move("BEGIN")
    return f"{move[0]},{move[1]} after {ms:.0f} ms"


def answers_turns(talk: Conversation) -> str:
    talk.start()
    slowest = max(talk.turn(talk.free())[1] for _ in range(4))
    return f"four turns of {TURN_MS} ms, the slowest {slowest:.0f} ms"


def answers_board(talk: Conversation) -> str:
    talk.start()
    move = talk.board(((7, 7), (9, 9)), ((8, 8), (10, 10)))
    return f"{move[0]},{move[1]}"


def takes_a_five(talk: Conversation) -> str:
    talk.start(15)
    move = talk.board(FOUR, SCATTERED)
    if move not in ((2, 3), (7, 3)):
        raise FailedError(f"played {move[0]},{move[1]} instead of making five")
    return f"{move[0]},{move[1]}"


def blocks_a_five(talk: Conversation) -> str:
    talk.start(15)
    move = talk.board(((2, 3), *SCATTERED[:3]), FOUR)
    if move != (7, 3):
        raise FailedError(f"played {move[0]},{move[1]} instead of blocking the four")
    return f"{move[0]},{move[1]}"


def answers_at_once(talk: Conversation) -> str:
    talk.start(15)
    talk.send("INFO timeout_turn 0")
    _, ms = talk.move("TURN 7,7", allowed_ms=0)
    if ms > AT_ONCE_MS:
        raise FailedError(f"took {ms:.0f} ms with timeout_turn 0")
    return f"after {ms:.0f} ms"


def restarts(talk: Conversation) -> str:
    talk.start(15)
    talk.move("BEGIN")
    talk.expect("OK", "RESTART")
    talk.stones = []
    talk.move("BEGIN")
    return "OK, and the board is empty"


def plays_several_games(talk: Conversation) -> str:
    talk.start(20)
    talk.move("BEGIN")
    talk.start(15)
    talk.turn((14, 14))
    return "a second START in the same process"


def takes_back(talk: Conversation) -> str:
    talk.start(15)
    move, _ = talk.turn((7, 7))
    talk.expect("OK", f"TAKEBACK {move[0]},{move[1]}")
    talk.expect("OK", "TAKEBACK 7,7")
    return "OK twice"


def answers_rectstart(talk: Conversation) -> str:
    talk.send("RECTSTART 20,15")
    answer = talk.line()
    if answer != "OK" and not answer.upper().startswith("ERROR"):
        raise FailedError(f"answered RECTSTART with {answer[:80]!r} instead of OK or ERROR")
    return answer[:60]


def is_silent_about_info(talk: Conversation) -> str:
    talk.start()
    keys = ("timeout_match 100000", "max_memory 367001600", "game_type 1", "folder .", "no_such_key 5")
    for key in keys:
        talk.expect_silence(f"INFO {key}")
    return "no answer to known or unknown keys"


def answers_unknown(talk: Conversation) -> str:
    talk.start()
    answer = talk.expect("UNKNOWN", "XYZZY 1,2")
    talk.move("BEGIN")
    return answer[:60]


def refuses_bad_turns(talk: Conversation) -> str:
    talk.start(15)
    talk.turn((7, 7))
    answer = talk.expect("ERROR", "TURN 99,99")
    talk.expect("ERROR", "TURN 7,7")
    talk.turn(talk.free())
    return answer[:60]


def stays_within_memory(talk: Conversation) -> str:
    limit = talk.process.spec.limits.memory_bytes or 350 << 20
    talk.start()
    talk.send(f"INFO max_memory {limit}")
    for _ in range(4):
        talk.turn(talk.free())
    used = talk.process.measure_memory()
    if used > limit:
        raise FailedError(f"used {used >> 20} MB; the limit is {limit >> 20} MB")
    return f"{used >> 20} MB of {limit >> 20} MB"


def is_silent_on_stderr(talk: Conversation) -> str:
    talk.start()
    for _ in range(4):
        talk.turn(talk.free())
    time.sleep(QUIET_S)
    if talk.process.errors:
        raise FailedError(talk.process.errors[0][:100])
    return "nothing on stderr"


def time_to_end(talk: Conversation, ends: Callable[[], None]) -> float:
    asked_at = time.perf_counter()
    ends()
    while talk.process.is_alive:
        ms = 1000 * (time.perf_counter() - asked_at)
        if ms > 4 * END_WITHIN_MS:
            raise FailedError(f"still running after {ms:.0f} ms")
        time.sleep(0.002)
    ms = 1000 * (time.perf_counter() - asked_at)
    if ms > END_WITHIN_MS:
        raise FailedError(f"took {ms:.0f} ms; the limit is {END_WITHIN_MS} ms")
    return ms


def send_end(talk: Conversation) -> None:
    talk.send("END")


def ends(talk: Conversation) -> str:
    talk.start()
    return f"after {time_to_end(talk, lambda: send_end(talk)):.0f} ms"


def ends_while_thinking(talk: Conversation) -> str:
    talk.start()
    stones = ["7,7,1", "8,8,2", "7,9,1", "8,6,2", "9,7,1", "6,8,2"]
    talk.send("INFO timeout_turn 30000", "INFO time_left 1000000", "BOARD", *stones, "DONE")
    time.sleep(0.2)
    return f"after {time_to_end(talk, lambda: send_end(talk)):.0f} ms"


def ends_with_its_input(talk: Conversation) -> str:
    talk.start()
    return f"after {time_to_end(talk, talk.process.close_input):.0f} ms"


def leaves_no_children(talk: Conversation) -> str:
    talk.start()
    talk.move("BEGIN")
    warnings = [warning for warning in talk.process.end() if "child" in warning]
    if warnings:
        raise FailedError(warnings[0])
    return "no child process left"


Step = tuple[str, Callable[[Conversation], str]]

STEPS: tuple[Step, ...] = (
    ("answers START 20 with OK", starts),
    ("starts within a second", starts_quickly),
    ("answers ABOUT", says_about),
    ("does not answer INFO", is_silent_about_info),
    ("answers BEGIN with a move", begins),
    ("answers TURN in time", answers_turns),
    ("answers BOARD", answers_board),
    ("makes five", takes_a_five),
    ("blocks a four", blocks_a_five),
    ("answers at once with timeout_turn 0", answers_at_once),
    ("answers RESTART with OK", restarts),
    ("plays several games in one process", plays_several_games),
    ("answers TAKEBACK with OK", takes_back),
    ("answers RECTSTART with OK or ERROR", answers_rectstart),
    ("answers an unrecognised line with UNKNOWN and plays on", answers_unknown),
    ("answers an impossible TURN with ERROR and plays on", refuses_bad_turns),
    ("stays within its memory limit", stays_within_memory),
    ("writes nothing to stderr", is_silent_on_stderr),
    ("does not flood its manager with messages", is_brief),
    ("exits on END", ends),
    ("exits on END while thinking", ends_while_thinking),
    ("exits when its input closes", ends_with_its_input),
    ("leaves no child process behind", leaves_no_children),
)


def check(spec: BrainSpec, steps: Sequence[Step] = STEPS) -> Iterator[StepResult]:
    """Run each step in a fresh process, so that a failure does not affect the next step."""
    for number, (title, step) in enumerate(steps, 1):
        try:
            talk = Conversation(spec)
        except NoStartError as error:
            yield StepResult(number, title, False, str(error))
            return
        try:
            is_passed, seen = result_of(step, talk)
        finally:
            talk.process.end()
        yield StepResult(number, title, is_passed, printable(seen))


def result_of(step: Callable[[Conversation], str], talk: Conversation) -> tuple[bool, str]:
    """Whether a step passes, and what was observed."""
    try:
        return True, step(talk)
    except FailedError as failure:
        return False, str(failure)
    except ExitedError as gone:
        return False, f"exited during the step: {gone}"
