"""Measures the memory of all running brains from one thread, with one look at the process table for all of them.

The processes that play games leave this to the runner, and are told what it finds.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from tournament.play.family import Family, Member, Processes, ProcessTable

EVERY_S = 0.25

Handler = Callable[[Processes], None]


class ReportedFamily(Family):
    """A brain that another process has started, and that process is told of every new peak."""

    def __init__(self, root: Member, mark: str, report: Callable[[str, int], None]) -> None:
        super().__init__(root, mark)
        self._report = report

    def measure(self, table: ProcessTable | None = None) -> int:
        before = self.peak_memory
        if super().measure(table) > before:
            self._report(self.mark, self.peak_memory)
        return self.peak_memory


class Sampler:
    """Samples the families that have been added; its thread begins with the first one and rests without any."""

    def __init__(self, every_s: float = EVERY_S) -> None:
        self._every_s = every_s
        self._families: set[Processes] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._elsewhere: tuple[Handler, Handler] | None = None

    def hand_over(self, add: Handler, remove: Handler) -> None:
        """From now on somebody else measures the families."""
        self._elsewhere = add, remove

    def add(self, family: Processes) -> None:
        if self._elsewhere is not None:
            self._elsewhere[0](family)
            return
        with self._changed:
            self._families.add(family)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="memory sampler", daemon=True)
                thread.start()
                self._thread = thread
            self._changed.notify()

    def remove(self, family: Processes) -> None:
        if self._elsewhere is not None:
            self._elsewhere[1](family)
            return
        with self._changed:
            self._families.discard(family)

    def _run(self) -> None:
        while True:
            time.sleep(self._every_s)
            with self._changed:
                while not self._families:
                    self._changed.wait()
                families = list(self._families)
            with suppress(OSError):  # the runner is short of file handles: this sample is missing, no game is lost
                table = ProcessTable()
                for family in families:
                    family.measure(table)


SAMPLER = Sampler()
