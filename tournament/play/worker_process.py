"""The runner's side of a process that plays games: it is started, told what to do, listened to and ended here."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from tournament.core.failures import RunnerError
from tournament.play.messages import (
    Asked,
    Began,
    Channel,
    Command,
    Done,
    Ended,
    Failed,
    GameReport,
    Memory,
    PairJob,
    Play,
    Table,
    Unwatch,
    Watch,
)
from tournament.play.process import exit_text
from tournament.play.sampler import SAMPLER, ReportedFamily

# Modules are found where the runner has found them; brains inherit the environment, so nothing is said in there.
START = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from tournament.play.worker import main
main()
"""
END_WITHIN_S = 10.0  # the brains of an abandoned game are killed within seconds


class WorkerProcess:
    """A worker from the beginning to the end of the `with` block; any thread may tell it something."""

    def __init__(self, table: Table) -> None:
        # Out of reach of Ctrl-C: the runner says what is to be done.
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        command = [sys.executable, "-c", START]
        self._popen: subprocess.Popen[bytes] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._channel = Channel(self._popen.stdout, self._popen.stdin)
        self._families: dict[str, ReportedFamily] = {}  # by mark
        self._send([os.path.abspath(path) for path in sys.path])
        self._send(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The worker abandons what it still plays when the channel is closed."""
        self._channel.close()
        try:
            self._popen.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        for family in self._families.values():  # of a worker that was killed
            SAMPLER.remove(family)
            family.kill()

    def tell(self, command: Command) -> None:
        """A worker that has ended needs no commands; whoever plays with it will find out."""
        with suppress(OSError, ValueError):
            self._send(command)

    def play(self, job: PairJob) -> Iterator[GameReport]:
        """What happens in the games of a pair; RunnerError if the worker cannot go on."""
        self.tell(Play(job))
        while True:
            match report := self._receive():
                case Began() | Asked() | Ended():
                    yield report
                case Done():
                    return
                case Failed(error):
                    raise error
                case Watch(root, mark):
                    family = self._families[mark] = ReportedFamily(root, mark, self._tell_memory)
                    SAMPLER.add(family)
                case Unwatch(mark):
                    SAMPLER.remove(self._families.pop(mark))

    def _receive(self) -> Any:
        try:
            return self._channel.receive()
        except (EOFError, OSError) as error:
            raise RunnerError(f"a process that plays games has ended: {exit_text(self._popen.wait())}") from error

    def _tell_memory(self, mark: str, peak: int) -> None:
        self.tell(Memory(mark, peak))

    def _send(self, message: object) -> None:
        self._channel.send(message)
