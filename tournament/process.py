"""A brain's process: its lines with the time they came, its memory, and its end, children included."""

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

TAIL_LINES = 20  # of both directions, told with a fault
MOST_LINES_WAITING = 10_000  # a brain that floods its output loses lines, not the runner its memory
LONGEST_LINE = 4096
READ_BYTES = 65536
MEMORY_EVERY_S = 0.25
END_WITHIN_S = 1.0  # Piskvork kills a brain 0.7 s after END, Judge after 0.5 s


class Line(NamedTuple):
    """A line of output and when it was read, in seconds of `time.perf_counter`."""

    text: str
    at: float


class ExitedError(Exception):
    """The process is gone; the text says how it ended."""


class BrainProcess:
    """A running brain. One thread reads its output; the one that owns the game sends and waits."""

    def __init__(self, spec: BrainSpec, log: Path | None = None, core: int | None = None) -> None:
        self.spec = spec
        self.started_at = time.perf_counter()
        environment = {**os.environ, **dict(spec.environment)}
        self._popen = subprocess.Popen(
            spec.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=spec.directory,
            env=environment,
            bufsize=0,
            start_new_session=os.name == "posix",  # Ctrl-C is the runner's to handle
        )
        if core is not None:
            with suppress(psutil.Error, AttributeError):  # gone already, or no such call on macOS
                psutil.Process(self._popen.pid).cpu_affinity([core])
        self._lines: SimpleQueue[Line | None] = SimpleQueue()
        self._waiting = 0
        self.heard_lines = 0
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.errors: deque[str] = deque(maxlen=TAIL_LINES)
        self.peak_memory = 0
        self._known_children: dict[int, psutil.Process] = {}
        self._log = None if log is None else log.open("a", encoding="utf-8", errors="replace")
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

    # -- talking -------------------------------------------------------------------------------------------------------

    def send(self, *lines: str) -> float:
        """Send lines; when the last was on its way, in seconds of `time.perf_counter`."""
        for line in lines:
            self._note("<", line)
        try:
            self._stdin.write("".join(line + "\r\n" for line in lines).encode("utf-8", "replace"))
        except (OSError, ValueError) as error:  # the pipe is broken, or its input was closed here
            raise ExitedError(self.describe_exit()) from error
        return time.perf_counter()

    def receive(self, deadline: float) -> Line | None:
        """The next line of output, or None when none came before the deadline; ExitedError when none can."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.perf_counter()))
        except Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise ExitedError(self.describe_exit())
        self._waiting -= 1
        return line

    def forget_output(self) -> None:
        """Drop what was written before anything was asked."""
        while True:
            try:
                line = self._lines.get_nowait()
            except Empty:
                return
            if line is None:
                self._lines.put(None)
                return
            self._waiting -= 1

    def close_input(self) -> None:
        """What a brain hears when its manager is gone."""
        _close(self._stdin)  # type: ignore[arg-type]

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def describe_exit(self) -> str:
        """How the process ended, in words."""
        try:
            code = self._popen.wait(0.5)
        except subprocess.TimeoutExpired:
            return "it closed its output but runs on"
        if code < 0:
            return f"it was ended by signal {signal.Signals(-code).name}"
        return f"it ended with exit code {code}"

    def interrupt(self) -> None:
        """End the process from another thread; the owner hears of it as of any end, and clears up."""
        self._popen.kill()

    # -- its end -------------------------------------------------------------------------------------------------------

    def end(self) -> list[str]:
        """Say END, wait, and kill what is left; what deserves a warning."""
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
        """End the process and all its children at once; how many children were still alive."""
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
        if self._log is not None:
            self._log.close()
            self._log = None
        return len([child for child in survivors if child.pid != self._popen.pid])

    def _remember_children(self) -> None:
        """Children must be known before their parent is gone: then nobody can tell whose they were."""
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
            rest = rest[:LONGEST_LINE]
            for raw in whole:
                self._hear(raw, now)
        if rest:
            self._hear(rest, now)
        self._lines.put(None)

    def _hear(self, raw: bytes, now: float) -> None:
        text = raw[:LONGEST_LINE].decode("utf-8", "replace").strip()
        if not text:
            return
        self.heard_lines += 1
        self._note(">", text)
        if self._waiting < MOST_LINES_WAITING:
            self._waiting += 1
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
                    self.errors.append(text.strip()[:LONGEST_LINE])
                    self._note("!", text.strip())

    def _watch_memory(self) -> None:
        while not self._is_closing.wait(MEMORY_EVERY_S):
            self.measure_memory()

    def measure_memory(self) -> int:
        """The memory that the process and its children have for themselves, in bytes, as GomocupJudge sums it."""
        self._remember_children()
        pids = [self._popen.pid, *self._known_children]
        self.peak_memory = max(self.peak_memory, sum(unique_memory(pid) for pid in pids))
        return self.peak_memory

    def _note(self, mark: str, text: str) -> None:
        line = f"{time.perf_counter() - self.started_at:9.3f} {mark} {text}"
        self.tail.append(line)
        if self._log is not None:
            try:
                self._log.write(line + "\n")
            except ValueError:  # closed by kill() while a last line came in
                self._log = None


def unique_memory(pid: int) -> int:
    """The unique set size of one process in bytes; nothing for one that is gone."""
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
