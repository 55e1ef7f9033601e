"""A brain's process: timestamped output, memory use, and shutdown, including its children."""

import errno
import os
import signal
import subprocess
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import BinaryIO, NamedTuple

import psutil

from tournament.model import BrainSpec

TAIL_LINES = 20  # sent and received, reported with a fault
MAX_QUEUED_LINES = 10_000  # more are dropped, so that a flooding brain cannot exhaust the runner's memory
MAX_LINE_LENGTH = 4096
READ_BYTES = 65536
MEMORY_EVERY_S = 0.25
END_WITHIN_S = 1.0  # Piskvork kills a brain 0.7 s after END, GomocupJudge after 0.5 s
OWN_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC)


class Line(NamedTuple):
    """A line of output and when it was read, in seconds of `time.perf_counter`."""

    text: str
    at: float


class ExitedError(Exception):
    """The process has exited; the text says how."""


class NoStartError(Exception):
    """The command cannot be run; the text says why in one sentence."""


class BrainProcess:
    """A running brain; a thread reads its output, the game's thread sends and waits."""

    def __init__(self, spec: BrainSpec, log: Path | None = None, core: int | None = None) -> None:
        self.spec = spec
        self.started_at = time.perf_counter()
        self._log = None if log is None else log.open("a", encoding="utf-8", errors="replace")
        self._log_error: OSError | None = None
        self._popen = self._start()
        if core is not None:
            with suppress(psutil.Error, AttributeError):  # already exited, or not supported on macOS
                psutil.Process(self._popen.pid).cpu_affinity([core])
        self._lines: SimpleQueue[Line | None] = SimpleQueue()
        self._queued = 0
        self.lines_received = 0
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.errors: deque[str] = deque(maxlen=TAIL_LINES)
        self.peak_memory = 0
        self._known_children: dict[int, psutil.Process] = {}
        self._is_closing = threading.Event()
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        assert self._popen.stdin is not None
        self._stdin = self._popen.stdin
        self._threads = [
            threading.Thread(target=self._read_output, args=(self._popen.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self._popen.stderr,), daemon=True),
            threading.Thread(target=self._watch_memory, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _start(self) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                self.spec.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.spec.directory,
                env={**os.environ, **dict(self.spec.environment)},
                bufsize=0,
                start_new_session=os.name == "posix",  # only the runner handles Ctrl-C
            )
        except OSError as error:
            self._close_log()
            if error.errno in OWN_SHORTAGES:  # the runner's problem, which must not cost the brain a game
                raise
            raise NoStartError(f"the command cannot be run: {error}") from error

    # -- sending and receiving -----------------------------------------------------------------------------------------

    def send(self, *lines: str) -> float:
        """Send lines; returns the time just after, in seconds of `time.perf_counter`."""
        for line in lines:
            self._log_line("<", line)
        if self._log_error is not None:
            raise self._log_error
        try:
            self._stdin.write("".join(line + "\r\n" for line in lines).encode("utf-8", "replace"))
        except (OSError, ValueError) as error:  # broken pipe, or closed by `close_input`
            raise ExitedError(self.describe_exit()) from error
        return time.perf_counter()

    def receive(self, deadline: float) -> Line | None:
        """The next line of output, or None at the deadline; ExitedError when the output has ended."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.perf_counter()))
        except Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise ExitedError(self.describe_exit())
        self._queued -= 1
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
            self._queued -= 1

    def close_input(self) -> None:
        """Close the brain's input, as when its manager dies."""
        _close(self._stdin)  # type: ignore[arg-type]

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def describe_exit(self) -> str:
        """How the process exited, for error messages."""
        try:
            code = self._popen.wait(0.5)
        except subprocess.TimeoutExpired:
            return "output closed, but still running"
        return exit_text(code)

    def interrupt(self) -> None:
        """Kill the process from another thread; its owner gets an ExitedError and cleans up."""
        self._popen.kill()

    # -- shutdown ------------------------------------------------------------------------------------------------------

    def end(self) -> list[str]:
        """Send END, wait, and kill what is left; returns warnings."""
        warnings = []
        self._remember_children()
        if self.is_alive:
            try:
                self.send("END")
                self._popen.wait(END_WITHIN_S)
            except ExitedError:
                pass
            except subprocess.TimeoutExpired:
                warnings.append(f"ignored END for {END_WITHIN_S:g} s and was killed")
        survivors = self.kill()
        if survivors and not warnings:
            warnings.append(f"left {survivors} child process{'es' if survivors > 1 else ''} behind")
        if self.errors:
            warnings.append(f"wrote to stderr: {self.errors[0]}")
        return warnings

    def kill(self) -> int:
        """Kill the process and all its children; returns how many children were still alive."""
        self._is_closing.set()
        self._remember_children()
        survivors = [child for child in self._known_children.values() if child.is_running()]
        for child in survivors:
            _kill(child)
        if self._popen.poll() is None:
            self._popen.kill()
        self._popen.wait()
        for thread in self._threads:
            thread.join(1.0)
        for stream in (self._stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                _close(stream)  # type: ignore[arg-type]
        self._close_log()
        return len([child for child in survivors if child.pid != self._popen.pid])

    def _remember_children(self) -> None:
        """Record the children while their parent lives; afterwards they cannot be traced to it."""
        try:
            for child in psutil.Process(self._popen.pid).children(recursive=True):
                self._known_children[child.pid] = child
        except psutil.Error:
            pass

    # -- threads -------------------------------------------------------------------------------------------------------

    def _read_output(self, stream: BinaryIO) -> None:
        rest = b""
        while True:
            try:
                data = os.read(stream.fileno(), READ_BYTES)
            except (OSError, ValueError):
                data = b""
            now = time.perf_counter()
            if not data:
                break
            *whole, rest = (rest + data).split(b"\n")
            rest = rest[:MAX_LINE_LENGTH]
            for raw in whole:
                self._on_line(raw, now)
        if rest:
            self._on_line(rest, now)
        self._lines.put(None)

    def _on_line(self, raw: bytes, now: float) -> None:
        text = raw[:MAX_LINE_LENGTH].decode("utf-8", "replace").strip()
        if not text:
            return
        self.lines_received += 1
        self._log_line(">", text)
        if self._queued < MAX_QUEUED_LINES:
            self._queued += 1
            self._lines.put(Line(text, now))

    def _read_errors(self, stream: BinaryIO) -> None:
        while True:
            try:
                data = os.read(stream.fileno(), READ_BYTES)
            except (OSError, ValueError):
                return
            if not data:
                return
            for text in data.decode("utf-8", "replace").splitlines():
                if text.strip() and len(self.errors) < TAIL_LINES:
                    self.errors.append(text.strip()[:MAX_LINE_LENGTH])
                    self._log_line("!", text.strip())

    def _watch_memory(self) -> None:
        while not self._is_closing.wait(MEMORY_EVERY_S):
            self.measure_memory()

    def measure_memory(self) -> int:
        """The peak private memory of the process and its children in bytes, summed as GomocupJudge does."""
        self._remember_children()
        pids = [self._popen.pid, *self._known_children]
        self.peak_memory = max(self.peak_memory, sum(unique_memory(pid) for pid in pids))
        return self.peak_memory

    def _log_line(self, mark: str, text: str) -> None:
        line = f"{time.perf_counter() - self.started_at:9.3f} {mark} {text}"
        self.tail.append(line)
        if self._log is not None:
            try:
                self._log.write(line + "\n")
            except ValueError:  # closed by kill() while a last line arrived
                self._log = None
            except OSError as error:  # `send` raises it in the game's thread
                self._log_error = error

    def _close_log(self) -> None:
        if self._log is not None:
            with suppress(OSError):
                self._log.close()
            self._log = None


def exit_text(code: int) -> str:
    """How a process exited; a negative code is minus the number of a signal, which may have no name."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def unique_memory(pid: int) -> int:
    """The unique set size of a process in bytes; 0 if it has exited."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
            return sum(1024 * int(line.split()[1]) for line in rollup if line.startswith("Private_"))
    except (OSError, ValueError):
        pass
    try:
        return int(psutil.Process(pid).memory_full_info().uss)
    except psutil.Error:
        return 0


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.Error):
        process.kill()


def _close(stream: BinaryIO) -> None:
    with suppress(OSError):
        stream.close()
