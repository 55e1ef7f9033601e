"""A brain's process: timestamped output, memory use, and shutdown, including its children."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple

import psutil

from tournament.core.failures import starting_threads
from tournament.core.model import BrainSpec
from tournament.play.cpus import starting_on
from tournament.play.family import MARK, Family, Processes, child
from tournament.play.log import Log
from tournament.play.sampler import SAMPLER

if sys.platform == "win32":
    from tournament.play.windows import Job

TAIL_LINES = 20  # sent and received, reported with a fault
MAX_QUEUED_LINES = 10_000  # the oldest are dropped, so that a flooding brain cannot exhaust the runner's memory
MAX_LINE_LENGTH = 4096
READ_BYTES = 65536
END_WITHIN_S = 1.0  # Piskvork kills a brain 0.7 s after END, GomocupJudge after 0.5 s
LAST_OUTPUT_WITHIN_S = 0.5  # after all processes have ended; longer only if a stranger holds the pipe
OWN_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC)


class Line(NamedTuple):
    """A line of output and when its end was read, in seconds of `time.perf_counter`."""

    text: str
    at: float


class ExitedError(Exception):
    """The process has exited; the text says how."""


class NoStartError(Exception):
    """The command cannot be run; the text says why in one sentence."""


def why_not_started(program: str, error: OSError) -> str:
    """Why the system refuses to run a program; Windows programs get a hint where they cannot run by themselves."""
    if os.name == "posix":
        with suppress(OSError), open(program, "rb") as file:
            if file.read(2) == b"MZ":
                return f"{program} is a Windows program; run it with Wine: 'wine {program}'"
    return f"the command cannot be run: {error}"


class BrainProcess:
    """A running brain; threads read its output, the game's thread sends and waits."""

    def __init__(
        self,
        spec: BrainSpec,
        log: Log | None = None,
        core: int | None = None,
        newline: str = "\r\n",
        merges_stderr: bool = False,
    ) -> None:
        self.spec, self._newline, self._merges_stderr = spec, newline, merges_stderr
        self._log = log
        self._lines: SimpleQueue[Line | None] = SimpleQueue()
        self.lines_received = 0
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.errors: deque[str] = deque(maxlen=TAIL_LINES)
        mark = uuid.uuid4().hex
        self.started_at = time.perf_counter()
        self._popen, self._family = self._start(mark, core)
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._stdin = self._popen.stdin
        self._is_stopped = threading.Event()
        self._ending = threading.RLock()  # a signal handler may interrupt the thread that ends the process
        self._readers: dict[IO[bytes], threading.Thread] = {}
        try:
            with starting_threads():
                self._read(self._popen.stdout, self._read_output)
                if self._popen.stderr is not None:
                    self._read(self._popen.stderr, self._read_errors)
                SAMPLER.add(self._family)
        except OSError:
            self.kill()
            discard(self._popen)
            raise

    def _start(self, mark: str, core: int | None) -> tuple[subprocess.Popen[bytes], Processes]:
        """Start the command in a group of its own: only the runner handles Ctrl-C."""
        command = self.spec.command
        options: dict[str, Any] = {
            **dict.fromkeys(("stdin", "stdout"), subprocess.PIPE),
            "stderr": subprocess.STDOUT if self._merges_stderr else subprocess.PIPE,
            "cwd": self.spec.directory,
            "env": {**os.environ, **dict(self.spec.environment), MARK: mark},
            "bufsize": 0,
        }
        try:
            if sys.platform == "win32":
                job = Job()
                return job.start(command, core, **options), job
            with starting_on(core):
                popen = subprocess.Popen(command, start_new_session=True, **options)
            try:
                return popen, Family(child(popen.pid), mark)
            except OSError:
                discard(popen)
                raise
        except OSError as error:
            if error.errno in OWN_SHORTAGES:  # the runner's problem, which must not cost the brain a game
                raise
            raise NoStartError(why_not_started(command[0], error)) from error

    def _read(self, stream: IO[bytes], reader: Callable[[], None]) -> None:
        thread = threading.Thread(target=reader, daemon=True)
        thread.start()
        self._readers[stream] = thread

    # -- sending and receiving -----------------------------------------------------------------------------------------

    def send(self, *lines: str) -> float:
        """Send lines; returns the time just before, in seconds of `time.perf_counter`."""
        for line in lines:
            self._log_line("<", line)
        if self._log is not None:
            self._log.flush()
        data = "".join(line + self._newline for line in lines).encode("utf-8", "replace")
        began = time.perf_counter()
        try:
            self._stdin.write(data)
        except (OSError, ValueError) as error:  # broken pipe, or closed by `close_input`
            raise ExitedError(self.describe_exit()) from error
        return began

    def receive(self, deadline: float) -> Line | None:
        """The next line of output, or None at the deadline; ExitedError when the output has ended."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.perf_counter()))
        except Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise ExitedError(self.describe_exit())
        return line

    def discard_output(self) -> None:
        """Discard output that arrived before the question."""
        while True:
            try:
                line = self._lines.get_nowait()
            except Empty:
                return
            if line is None:
                self._lines.put(None)
                return

    def close_input(self) -> None:
        """Close the brain's input, as when its manager dies."""
        close(self._stdin)

    def suspend(self) -> None:
        """Let the process stand still; only the one that was started, as GomocupJudge does, not its children."""
        with suppress(psutil.NoSuchProcess):
            psutil.Process(self._popen.pid).suspend()

    def resume(self) -> float:
        """Let a suspended process go on; returns the time just before, in seconds of `time.perf_counter`."""
        at = time.perf_counter()
        with suppress(psutil.NoSuchProcess):
            psutil.Process(self._popen.pid).resume()
        return at

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    @property
    def peak_memory(self) -> int:
        """The most private memory that the brain's processes were seen to use, in bytes."""
        return self._family.peak_memory

    def measure_memory(self) -> int:
        """Measure now, and return the peak in bytes."""
        return self._family.measure()

    def describe_exit(self) -> str:
        """How the process exited, for error messages."""
        try:
            code = self._popen.wait(0.5)
        except subprocess.TimeoutExpired:
            return "output closed, but still running"
        return exit_text(code)

    # -- shutdown ------------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Kill all processes from another thread; the owner gets an ExitedError and cleans up."""
        try:
            self._family.kill()
        finally:  # also if there are no more files to look for the others with
            self._popen.kill()
            self._stop_readers()

    def end(self, within_s: float = END_WITHIN_S, closes_input: bool = False) -> list[str]:
        """Send END, wait, and kill what is left; returns warnings."""
        warnings = []
        self.measure_memory()  # finds the children while their parent lives
        if self.is_alive:
            try:
                self.resume()
                self.send("END")
                if closes_input:
                    self.close_input()
                self._popen.wait(within_s)
            except ExitedError:
                pass
            except subprocess.TimeoutExpired:
                warnings.append(f"ignored END for {within_s:g} s and was killed")
        survivors = self.kill()
        if survivors and not warnings:
            warnings.append(f"left {survivors} child process{'es' if survivors > 1 else ''} behind")
        if self.errors:
            warnings.append(f"wrote to stderr: {self.errors[0]}")
        return warnings

    def kill(self) -> int:
        """Kill the process and all its children; returns how many children were still alive."""
        SAMPLER.remove(self._family)
        try:
            survivors = self._family.kill()
        finally:
            self._popen.kill()
            self._popen.wait()
            self._end_reading()
            close(self._stdin)
        return survivors

    def _end_reading(self) -> None:
        """Let the readers take the last output, then end them."""
        deadline = time.monotonic() + LAST_OUTPUT_WITHIN_S
        for thread in self._readers.values():
            thread.join(max(0.0, deadline - time.monotonic()))
        self._stop_readers()
        for stream, thread in self._readers.items():
            thread.join(LAST_OUTPUT_WITHIN_S)
            if not thread.is_alive():  # otherwise it would go on with another file of the same number
                with self._ending:
                    close(stream)

    def _stop_readers(self) -> None:
        self._is_stopped.set()
        with self._ending:
            for stream, thread in self._readers.items():
                if thread.is_alive() and not stream.closed:
                    wake_reader(stream.fileno())

    # -- threads -------------------------------------------------------------------------------------------------------

    def _read_output(self) -> None:
        assert self._popen.stdout is not None
        rest = b""
        for data, now in chunks(self._popen.stdout.fileno(), self._is_stopped):
            *whole, rest = (rest + data).split(b"\n")
            rest = rest[:MAX_LINE_LENGTH]
            for raw in whole:
                self._on_line(raw, now)
        if rest:
            self._on_line(rest, time.perf_counter())
        self._lines.put(None)

    def _on_line(self, raw: bytes, now: float) -> None:
        text = raw[:MAX_LINE_LENGTH].decode("utf-8", "replace").strip()
        if not text:
            return
        self.lines_received += 1
        self._log_line(">", text)
        if self._lines.qsize() >= MAX_QUEUED_LINES:
            with suppress(Empty):  # the game's thread took it
                self._lines.get_nowait()  # the oldest: the answer comes last
        self._lines.put(Line(text, now))

    def _read_errors(self) -> None:
        assert self._popen.stderr is not None
        for data, _ in chunks(self._popen.stderr.fileno(), self._is_stopped):
            for text in data.decode("utf-8", "replace").splitlines():
                if text.strip() and len(self.errors) < TAIL_LINES:
                    self.errors.append(text.strip()[:MAX_LINE_LENGTH])
                    self._log_line("!", text.strip())

    # -- the log -------------------------------------------------------------------------------------------------------

    def _log_line(self, mark: str, text: str) -> None:
        line = f"{time.perf_counter() - self.started_at:9.3f} {mark} {text}"
        self.tail.append(line)
        if self._log is not None:
            self._log.write(line)


def chunks(handle: int, is_stopped: threading.Event) -> Iterator[tuple[bytes, float]]:
    """What arrives in a pipe, and when it was read, until its end or until `wake_reader` finds the reader stopped."""
    while True:
        try:
            data = os.read(handle, READ_BYTES)
        except OSError:
            return
        now = time.perf_counter()
        if not data or is_stopped.is_set():
            return
        yield data, now


def wake_reader(handle: int) -> None:
    """End a thread's wait for a pipe that a process which was not found may hold open for ever.

    Linux lets a pipe's reader write into it as well. Waiting with `poll` instead would let the thread wait for the
    interpreter twice per answer, on the brain's clock.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            end = os.open(f"/proc/self/fd/{handle}", os.O_WRONLY | os.O_NONBLOCK)
            try:
                os.write(end, b"\n")
            finally:
                os.close(end)


def exit_text(code: int) -> str:
    """How a process ended; a negative code is the number of a signal, which may have no name."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def discard(popen: subprocess.Popen[bytes]) -> None:
    """End a process that has only just been started."""
    popen.kill()
    popen.wait()
    for stream in (popen.stdin, popen.stdout, popen.stderr):
        if stream is not None:
            close(stream)


def close(stream: IO[bytes]) -> None:
    with suppress(OSError):
        stream.close()
