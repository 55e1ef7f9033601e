"""The manager's side of the protocol: drives one brain through games."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tournament.core.adjudication import telling
from tournament.core.model import Board, BrainSpec, Move, Termination
from tournament.play.log import Log
from tournament.play.managers import MOVE, OURS, SWAP2, Manager, info_lines, is_message, question, start_line, time_left
from tournament.play.process import BrainProcess, ExitedError, NoStartError

START_WITHIN_S = 10.0  # generous: virus scanners and cold disks delay the first start
ANSWER_GRACE_S = 2.0  # after the grace period for late answers; then the brain counts as stalled
ABOUT_WITHIN_S = 3.0
MAX_TURN_MS = 24 * 3600 * 1000.0
COMMENT_PREFIXES = ("MESSAGE", "DEBUG", "UNKNOWN", "ERROR", "SUGGEST")  # never the answer to ABOUT


class FaultError(Exception):
    """A fault that loses the game; the text says what happened."""

    def __init__(self, termination: Termination, detail: str) -> None:
        super().__init__(detail)
        self.termination = termination


class SideFaultError(FaultError):
    """A fault of one side of a game."""

    def __init__(self, colour: int, fault: FaultError) -> None:
        super().__init__(fault.termination, str(fault))
        self.colour = colour


@contextmanager
def blamed_on(colour: int) -> Iterator[None]:
    """Every fault herein is one of this side."""
    try:
        yield
    except FaultError as fault:
        raise SideFaultError(colour, fault) from fault


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

    def __init__(
        self, spec: BrainSpec, log: Log | None = None, core: int | None = None, manager: Manager = OURS
    ) -> None:
        self.spec, self.manager = spec, manager
        self.log = log
        self._core = core
        self._process: BrainProcess | None = None
        self._board: Board | None = None  # to be set up
        self._folder: TemporaryDirectory[str] | None = None
        self._left_ms = 0.0
        self._is_interrupted = False
        self._has_chattered = False  # in this game
        self.start_ms: float | None = None
        self.peak_memory = 0
        self.warnings: list[str] = []

    # -- starting and ending -------------------------------------------------------------------------------------------

    def start_game(self, board: Board) -> None:
        """Set up an empty board; a lazy manager does so only when the brain is to move."""
        limits = self.spec.limits
        if self.log is not None:
            self.log.begin_game()
        self._board, self._has_chattered = board, False
        self._left_ms = float(limits.match_ms or 0) + limits.increment_ms * self.manager.adds_increment_first
        if not self.manager.is_lazy:
            self._begin(board)

    def try_start(self, board: Board) -> None:
        """Start the brain as for a game, and make sure that it says something."""
        self.start_game(board)
        if self._process is None:
            self._begin(board)
        process = self._process
        assert process is not None
        if not self.manager.awaits_ok:
            process.resume()
            try:
                line = process.receive(time.perf_counter() + START_WITHIN_S)
            except ExitedError as error:
                raise FaultError(Termination.START_FAILED, f"exited before it said anything: {error}") from error
            if line is None:
                raise FaultError(Termination.START_FAILED, f"said nothing within {START_WITHIN_S:g} s")

    def _begin(self, board: Board) -> None:
        """Set up the board in the brain's process, which is started if it is not running."""
        self._board, manager, began = None, self.manager, time.perf_counter()
        is_new = self._process is None
        process = self._running_process()
        try:
            self._say_start(process, start_line(manager, board, is_new), is_new)
        except FaultError:
            if is_new or not manager.restarts:
                raise
            self.close()  # one that cannot restart is started again
            self._begin(board)
            return
        now = time.perf_counter()
        self._left_ms -= 1000 * (now - began) * manager.counts_start
        if manager.awaits_ok and is_new:  # otherwise it runs already, or has only begun to start
            self.start_ms = self.start_ms or 1000 * (now - process.started_at)
            if is_new:
                self._sample_memory(process)
        try:
            process.send(*info_lines(manager, board, self.spec, self._left_ms, self._data_folder))
        except ExitedError as error:
            raise FaultError(Termination.CRASH, str(error)) from error
        if manager.is_suspended:
            process.suspend()

    def _say_start(self, process: BrainProcess, start: str, is_new: bool) -> None:
        try:
            if is_new and self.manager.asks_about:
                process.send("ABOUT")
                self._await_about(process)
            process.send(start)
            if self.manager.awaits_ok:
                self._await_ok(process, start)
        except ExitedError as error:
            raise FaultError(Termination.START_FAILED, f"exited before answering {start}: {error}") from error

    def _running_process(self) -> BrainProcess:
        """The brain's process, without output of an earlier game that is not to be read."""
        if self._process is None:
            try:
                self._process = BrainProcess(
                    self._spec_to_run(), self.log, self._core, self.manager.newline, self.manager.merges_stderr
                )
            except NoStartError as error:
                raise FaultError(Termination.START_FAILED, str(error)) from error
            if self._is_interrupted:
                self._process.interrupt()
        elif self.manager.discards_output:
            self._process.discard_output()
        return self._process

    def _spec_to_run(self) -> BrainSpec:
        """The brain with the folders that the manager gives it."""
        if "folder" in self.manager.keys and self._folder is None:
            self._folder = TemporaryDirectory(prefix="kaname-", ignore_cleanup_errors=True)
            Path(self._folder.name, "data").mkdir()
        if self._folder is None or not self.manager.has_temporary_directory or self.spec.directory is not None:
            return self.spec
        command = tuple(os.path.abspath(word) if os.path.isfile(word) else word for word in self.spec.command)
        return replace(self.spec, directory=self._folder.name, command=command)

    @property
    def _data_folder(self) -> Path | None:
        """Where the brain may keep files."""
        return None if self._folder is None else Path(self._folder.name, "data")

    @property
    def _start_within_s(self) -> float:
        if self.manager.is_start_tolerated:
            return self.spec.tolerance_ms / 1000
        if self.manager.counts_start and self.spec.limits.match_ms is not None:
            return max(0.0, self._left_ms + self.spec.tolerance_ms) / 1000
        return START_WITHIN_S

    def _await_about(self, process: BrainProcess) -> list[str]:
        """What the brain says before its answer to ABOUT."""
        within_s = self._start_within_s
        comments: list[str] = []
        deadline = time.perf_counter() + within_s
        while (line := process.receive(deadline)) is not None:
            if not line.text.upper().startswith(COMMENT_PREFIXES):
                return comments
            comments.append(line.text)
        raise FaultError(Termination.START_FAILED, f"did not answer ABOUT within {within_s:g} s")

    def _await_ok(self, process: BrainProcess, start: str) -> None:
        within_s = self._start_within_s
        deadline = time.perf_counter() + within_s
        while (line := process.receive(deadline)) is not None:
            text = line.text
            if text == "OK" or (self.manager.wants_ok_first and text.upper() == "OK"):
                return
            if text.upper().startswith(("ERROR", "UNKNOWN")):
                raise FaultError(Termination.START_FAILED, f"refused {start}: {text}")
            if self.manager.wants_ok_first and not is_message(self.manager, text):
                raise FaultError(Termination.START_FAILED, f"answered {start} with {text[:100]!r} instead of OK")
        raise FaultError(Termination.START_FAILED, f"did not answer {start} within {within_s:g} s")

    def comments_on(self, *lines: str) -> list[str]:
        """What the brain says to lines that ask for no answer; the one to ABOUT tells that it has read them."""
        assert self._process is not None
        try:
            self._process.send(*lines, "ABOUT")
            return self._await_about(self._process)
        except ExitedError as error:
            raise FaultError(Termination.CRASH, str(error)) from error

    def end_game(self) -> None:
        """End the process after a game, unless it is kept alive for the next one."""
        if not self.spec.is_kept_alive or self.manager.has_process_per_game:
            self.close()
        elif self._process is not None:
            self._sample_memory(self._process)
        if self.log is not None:
            self.log.end_game()

    def _sample_memory(self, process: BrainProcess) -> None:
        """A game may be shorter than the time between two samples of the sampler."""
        self.peak_memory = max(self.peak_memory, process.measure_memory())

    def close(self) -> None:
        """End the process with END; keep its peak memory and warnings."""
        if self._process is not None:
            within_s = self.manager.end_within_s
            within_s = self.spec.tolerance_ms / 1000 if within_s is None else within_s
            self.warnings += self._process.end(within_s, self.manager.closes_input)
            self.peak_memory = max(self.peak_memory, self._process.peak_memory)
            self._process = None
            if self.log is not None:
                self.log.write_out()

    def abandon(self) -> None:
        """Kill the process, remove its folder, and close its log; a failure to write that is told by `end_game`."""
        if self._process is not None:
            self.peak_memory = max(self.peak_memory, self._process.peak_memory)
            self._process.kill()
            self._process = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        if self.log is not None:
            with suppress(OSError):
                self.log.end_game()
            self.log.close()

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
        pattern = self.manager.move
        reply = self._ask(question(self.manager, stones, own_colour, is_first), pattern)
        found = pattern.fullmatch(reply.text)
        if found is None:
            raise FaultError(Termination.ILLEGAL, f"answered {reply.text[:100]!r} instead of a move")
        return Answer((int(found[1]), int(found[2])), reply.ms, reply.said)

    def ask_swap2(self, stones: list[Move]) -> tuple[Move, ...] | None:
        """The stones the brain places in answer to SWAP2BOARD, or None for SWAP."""
        reply = self._ask(["SWAP2BOARD", *(f"{x},{y}" for x, y in stones), "DONE"], SWAP2)
        if reply.text.upper() == "SWAP":
            return None
        if SWAP2.fullmatch(reply.text) is None:
            raise FaultError(Termination.ILLEGAL, f"answered {reply.text[:100]!r} to SWAP2BOARD")
        found = [MOVE.fullmatch(part) for part in reply.text.split()]
        return tuple((int(one[1]), int(one[2])) for one in found if one is not None)

    def _ask(self, lines: list[str], pattern: re.Pattern[str]) -> Reply:
        """Send a question and wait for the reply; enforce the limits. A brain that was not started is started now."""
        has_told_time = False
        if self._board is not None:
            self._begin(self._board)
            has_told_time = "time_left" in self.manager.keys
        assert self._process is not None
        process, limits = self._process, self.spec.limits
        allowed_ms = min(
            float(limits.turn_ms) if limits.turn_ms is not None else MAX_TURN_MS,
            self._left_ms if limits.match_ms is not None else MAX_TURN_MS,
        )
        if self.manager.discards_output:
            process.discard_output()
        if not has_told_time:
            lines = [f"INFO time_left {time_left(self.spec, self._left_ms)}", *lines]
        try:
            asked = process.send(*lines)
            if self.manager.is_suspended:
                asked = process.resume()
            reply = self._await_answer(process, asked, allowed_ms, pattern)
        except ExitedError as error:
            raise FaultError(Termination.CRASH, str(error)) from error
        self._left_ms += limits.increment_ms - reply.ms
        if self.manager.is_suspended:
            process.suspend()
        self._check_space(process)
        return reply

    def _check_space(self, process: BrainProcess) -> None:
        """Enforce the limits of memory and of the brain's folder."""
        self.peak_memory = max(self.peak_memory, process.peak_memory)
        memory = self.spec.limits.memory_bytes if self.manager.has_memory_limit else None
        folder, kept = self._data_folder, 0
        if self.manager.folder_bytes is not None and folder is not None:
            kept = size_of(folder)
        for what, used, limit in (
            ("used", process.peak_memory, memory),
            ("keeps files of", kept, self.manager.folder_bytes),
        ):
            if limit is not None and used > limit:
                used_mb, limit_mb = used / (1 << 20), limit / (1 << 20)
                raise FaultError(Termination.MEMORY, f"{what} {used_mb:.0f} MB, the limit is {limit_mb:.0f} MB")

    def _await_answer(self, process: BrainProcess, asked: float, allowed_ms: float, pattern: re.Pattern[str]) -> Reply:
        manager = self.manager
        late_after_ms, stop_after_ms = (allowed_ms + self.spec.tolerance_ms / part for part in (1, 2))
        deadline = asked + late_after_ms / 1000 + ANSWER_GRACE_S
        said = skipped = stopped = ""
        while (line := process.receive(deadline)) is not None:
            if manager.discards_output and line.at < asked:  # it was on its way while older output was discarded
                continue
            ms = max(0.0, 1000 * (line.at - asked))
            if is_message(manager, line.text):
                said = telling(said, line.text)
            elif manager.answers_suggestions and line.text.upper().startswith("SUGGEST "):
                process.send(f"PLAY {line.text[8:].strip()}")
            elif manager.skips_lines and pattern.fullmatch(line.text) is None:
                skipped = repr(line.text[:100]) if is_chatter(line.text) else skipped
            elif ms > late_after_ms or stopped:
                limit = f"the limit of {allowed_ms:.0f} ms" if allowed_ms >= 0 else "its time for the game"
                over = f"{ms - allowed_ms:.0f} ms over {limit}"
                raise FaultError(Termination.TIMEOUT, f"after {ms:.0f} ms, {over}{stopped}")
            else:
                self._warn_of_chatter(skipped)
                return Reply(line.text, ms, said)
            if manager.stops_late and ms > stop_after_ms and not stopped:
                process.send("YXSTOP")
                stopped = ", stopped with YXSTOP"
        waited = 1000 * (time.perf_counter() - asked)
        limit = f"the limit is {allowed_ms:.0f} ms" if allowed_ms >= 0 else "its time for the game was used up"
        instead = f"; it said {skipped} instead" if skipped else ""
        raise FaultError(Termination.STALL, f"no answer after {waited:.0f} ms, {limit}{stopped}{instead}")

    def _warn_of_chatter(self, skipped: str) -> None:
        """Once per game, tell what a brain said before its move that other managers might not forgive."""
        if skipped and not self._has_chattered:
            self._has_chattered = True
            self.warnings.append(f"said {skipped} before its move, which is no message")


def is_chatter(text: str) -> bool:
    """Whether the protocol does not know such a line before a move; not every manager awaits OK first."""
    return text != "OK" and not is_message(OURS, text)


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder; a brain may remove some meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total
