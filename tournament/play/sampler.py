"""Measures the memory of all running brains from one thread, with one look at the process table for all of them."""

import threading
import time
from contextlib import suppress

from tournament.play.family import Processes, ProcessTable

EVERY_S = 0.25


class Sampler:
    """Samples the families that have been added; its thread begins with the first one and rests without any."""

    def __init__(self, every_s: float = EVERY_S) -> None:
        self._every_s = every_s
        self._families: set[Processes] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, family: Processes) -> None:
        with self._changed:
            self._families.add(family)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="memory sampler", daemon=True)
                thread.start()
                self._thread = thread
            self._changed.notify()

    def remove(self, family: Processes) -> None:
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
