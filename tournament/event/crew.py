"""Threads for long work with brains: one job after the other, until none is left or they are told to stop."""

import threading
from collections.abc import Callable
from contextlib import suppress

from tournament.core.failures import runners_own, starting_threads
from tournament.play.game import Interruption
from tournament.play.held import HeldDrivers


class Crew:
    """Several threads that do the same work, each with the brains that it holds; stopped as `Signals` asks for."""

    def __init__(self, concurrency: int) -> None:
        self._concurrency = concurrency
        self.held = HeldDrivers()
        self.is_finishing, self.is_abandoned = threading.Event(), threading.Event()
        self._failures: list[BaseException] = []

    def run(self, work: Callable[[], None]) -> None:
        """Returns when every thread has done its work; raises again what ended one of them, and with it all others."""
        threads = [threading.Thread(target=self._do, args=(work,), daemon=True) for _ in range(self._concurrency)]
        try:
            with starting_threads():
                for thread in threads:
                    thread.start()
        except OSError as error:
            self._fail(error)
        for thread in threads:
            while thread.is_alive():  # short waits, so that signals are handled meanwhile
                thread.join(0.2)
        if self._failures:
            raise self._failures[0]

    def finish(self) -> None:
        """Begin no more jobs than those that are being done."""
        self.is_finishing.set()

    def abandon(self) -> None:
        """Stop at once; jobs that are being done are done again next time."""
        self.is_finishing.set()
        self.is_abandoned.set()
        self.held.interrupt()

    def _do(self, work: Callable[[], None]) -> None:
        try:
            with suppress(Interruption):
                work()
        except BaseException as error:  # raised again by `run`
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._failures.append(runners_own(error) if isinstance(error, OSError) else error)
        self.abandon()
