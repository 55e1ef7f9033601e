"""The manager's side of the protocol: drives one brain through games."""

import re
import time
from pathlib import Path
from typing import NamedTuple

from tournament.model import Board, BrainSpec, Move, Termination
from tournament.process import BrainProcess, ExitedError, NoStartError

START_WITHIN_S = 10.0  # generous: virus scanners and cold disks delay the first start
ANSWER_GRACE_S = 2.0  # after the grace period for late answers; then the brain counts as stalled
ABOUT_WITHIN_S = 3.0
UNLIMITED_LEFT_MS = 2147483647
MAX_TURN_MS = 24 * 3600 * 1000.0

MOVE = re.compile(r"(\d{1,3}),(\d{1,3})")
MESSAGE_PREFIXES = ("MESSAGE", "DEBUG")


class FaultError(Exception):
    """A fault that loses the game; the text says what happened."""

    def __init__(self, termination: Termination, detail: str) -> None:
        super().__init__(detail)
        self.termination = termination


class Reply(NamedTuple):
    """The text of an answer, the time it took, and the last message before it."""

    text: str
    ms: float
    said: str


class Answer(NamedTuple):
    move: Move
    ms: float
    said: str


class Driver:
    """One brain, for one or more games."""

    def __init__(self, spec: BrainSpec, log: Path | None = None, core: int | None = None) -> None:
        self.spec = spec
        self.log = log
        self._core = core
        self._process: BrainProcess | None = None
        self._left_ms = 0.0
        self._is_interrupted = False
        self.start_ms: float | None = None
        self.peak_memory = 0
        self.warnings: list[str] = []

    # -- starting and ending -------------------------------------------------------------------------------------------

    def start_game(self, board: Board) -> None:
        """Set up an empty board; start the process if it is not running."""
        is_new = self._process is None
        if self._process is None:
            try:
                self._process = BrainProcess(self.spec, self.log, self._core)
            except NoStartError as error:
                raise FaultError(Termination.START_FAILED, str(error)) from error
            if self._is_interrupted:
                self._process.interrupt()
        process = self._process
        process.discard_output()
        is_square = board.width == board.height
        start = f"START {board.width}" if is_square else f"RECTSTART {board.width},{board.height}"
        try:
            process.send(start)
            self._await_ok(process, start)
        except ExitedError as error:
            raise FaultError(Termination.START_FAILED, f"exited before answering {start}: {error}") from error
        if self.start_ms is None:
            self.start_ms = 1000 * (time.perf_counter() - process.started_at)
        if is_new:
            self._sample_memory(process)
        self._left_ms = float(self.spec.limits.match_ms or 0)
        try:
            process.send(*self._info_lines(board))
        except ExitedError as error:
            raise FaultError(Termination.CRASH, str(error)) from error

    def _await_ok(self, process: BrainProcess, start: str) -> None:
        deadline = time.perf_counter() + START_WITHIN_S
        while True:
            line = process.receive(deadline)
            if line is None:
                raise FaultError(Termination.START_FAILED, f"did not answer {start} within {START_WITHIN_S:g} s")
            if line.text == "OK":
                return
            if line.text.upper().startswith("ERROR"):
                raise FaultError(Termination.START_FAILED, f"refused {start}: {line.text}")

    def _info_lines(self, board: Board) -> list[str]:
        limits = self.spec.limits
        lines = [
            f"INFO timeout_match {limits.match_ms or 0}",
            f"INFO max_memory {limits.memory_bytes or 0}",
            "INFO game_type 1",
            f"INFO rule {board.rule}",
        ]
        if limits.turn_ms is not None:
            lines.append(f"INFO timeout_turn {limits.turn_ms}")
        if limits.increment_ms:
            lines.append(f"INFO time_increment {limits.increment_ms}")
        if limits.depth is not None:
            lines.append(f"INFO max_depth {limits.depth}")
        if limits.nodes is not None:
            lines.append(f"INFO max_node {limits.nodes}")
        return lines + [f"INFO {key} {value}" for key, value in self.spec.info]

    def end_game(self) -> None:
        """End the process after a game, unless it is kept alive for the next one."""
        if not self.spec.is_kept_alive:
            self.close()
        elif self._process is not None:
            self._sample_memory(self._process)

    def _sample_memory(self, process: BrainProcess) -> None:
        """A game may be shorter than the time between two samples of the sampler."""
        self.peak_memory = max(self.peak_memory, process.measure_memory())

    def close(self) -> None:
        """End the process with END; keep its peak memory and warnings."""
        if self._process is not None:
            self.warnings += self._process.end()
            self.peak_memory = max(self.peak_memory, self._process.peak_memory)
            self._process = None

    def abandon(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self.peak_memory = max(self.peak_memory, self._process.peak_memory)
            self._process.kill()
            self._process = None

    def interrupt(self) -> None:
        """Kill the process from another thread, also one that is being started; a waiting `ask` fails at once."""
        self._is_interrupted = True
        process = self._process
        if process is not None:
            process.interrupt()

    @property
    def tail(self) -> list[str]:
        """The last lines sent and received."""
        return [] if self._process is None else list(self._process.tail)

    # -- asking --------------------------------------------------------------------------------------------------------

    @property
    def left_ms(self) -> float | None:
        """The time left for the game, None without a limit."""
        return None if self.spec.limits.match_ms is None else self._left_ms

    def ask(self, stones: list[Move], own_colour: int, is_first: bool) -> Answer:
        """Ask for a move with BEGIN, TURN or BOARD."""
        reply = self._ask(question(stones, own_colour, is_first))
        found = MOVE.fullmatch(reply.text)
        if found is None:
            raise FaultError(Termination.ILLEGAL, f"answered {reply.text[:100]!r} instead of a move")
        return Answer((int(found[1]), int(found[2])), reply.ms, reply.said)

    def ask_swap2(self, stones: list[Move]) -> tuple[Move, ...] | None:
        """The stones the brain places in answer to SWAP2BOARD, or None for SWAP."""
        reply = self._ask(["SWAP2BOARD", *(f"{x},{y}" for x, y in stones), "DONE"])
        if reply.text.upper() == "SWAP":
            return None
        found = [MOVE.fullmatch(part) for part in reply.text.split()]
        moves = tuple((int(one[1]), int(one[2])) for one in found if one is not None)
        if len(moves) != len(found) or not moves:
            raise FaultError(Termination.ILLEGAL, f"answered {reply.text[:100]!r} to SWAP2BOARD")
        return moves

    def _ask(self, lines: list[str]) -> Reply:
        """Send a question and wait for the reply; enforce the time and memory limits."""
        assert self._process is not None
        process, limits = self._process, self.spec.limits
        left = UNLIMITED_LEFT_MS if limits.match_ms is None else round(self._left_ms)
        allowed_ms = min(
            float(limits.turn_ms) if limits.turn_ms is not None else MAX_TURN_MS,
            self._left_ms if limits.match_ms is not None else MAX_TURN_MS,
        )
        process.discard_output()
        try:
            asked = process.send(f"INFO time_left {left}", *lines)
            reply = self._await_answer(process, asked, allowed_ms)
        except ExitedError as error:
            raise FaultError(Termination.CRASH, str(error)) from error
        self._left_ms += limits.increment_ms - reply.ms
        self.peak_memory = max(self.peak_memory, process.peak_memory)
        if limits.memory_bytes is not None and process.peak_memory > limits.memory_bytes:
            used_mb, limit_mb = process.peak_memory / (1 << 20), limits.memory_bytes / (1 << 20)
            raise FaultError(Termination.MEMORY, f"used {used_mb:.0f} MB, the limit is {limit_mb:.0f} MB")
        return reply

    def _await_answer(self, process: BrainProcess, asked: float, allowed_ms: float) -> Reply:
        late_after_ms = allowed_ms + self.spec.tolerance_ms
        deadline = asked + late_after_ms / 1000 + ANSWER_GRACE_S
        said = ""
        while True:
            line = process.receive(deadline)
            if line is None:
                waited = 1000 * (time.perf_counter() - asked)
                raise FaultError(
                    Termination.STALL, f"no answer after {waited:.0f} ms, the limit is {allowed_ms:.0f} ms"
                )
            if line.at < asked:  # it was on its way while older output was discarded
                continue
            if line.text.upper().startswith(MESSAGE_PREFIXES):
                said = line.text
                continue
            ms = 1000 * (line.at - asked)
            if ms > late_after_ms:
                raise FaultError(
                    Termination.TIMEOUT,
                    f"after {ms:.0f} ms, {ms - allowed_ms:.0f} ms over the limit of {allowed_ms:.0f} ms",
                )
            return Reply(line.text, ms, said)


def question(stones: list[Move], own_colour: int, is_first: bool) -> list[str]:
    """The lines that ask for a move: BEGIN, TURN, or BOARD for the first move after an opening."""
    if not stones:
        return ["BEGIN"]
    if not is_first or len(stones) == 1:
        return [f"TURN {stones[-1][0]},{stones[-1][1]}"]
    owners = [1 if i % 2 == own_colour else 2 for i in range(len(stones))]
    return ["BOARD", *(f"{x},{y},{owner}" for (x, y), owner in zip(stones, owners, strict=True)), "DONE"]
