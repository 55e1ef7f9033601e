"""Brains in use: killed whatever happens, and from any thread when the games are abandoned."""

import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress

from tournament.play.driver import Driver


class HeldDrivers:
    """The drivers whose games are running."""

    def __init__(self) -> None:
        self._drivers: set[Driver] = set()
        self._lock = threading.Lock()

    @contextmanager
    def holding(self, drivers: Collection[Driver]) -> Iterator[None]:
        """Let `interrupt` reach these brains; in the end they are killed, all of them, whatever happens."""
        with ExitStack() as ending:
            with self._lock:
                self._drivers.update(drivers)
            ending.callback(self._forget, drivers)
            for driver in drivers:
                ending.callback(driver.abandon)
            yield

    def _forget(self, drivers: Collection[Driver]) -> None:
        with self._lock:
            self._drivers.difference_update(drivers)

    def interrupt(self) -> None:
        """Kill their processes; whoever waits for one of them fails at once."""
        with self._lock:
            drivers = list(self._drivers)
        for driver in drivers:
            with suppress(OSError):  # the thread of its game looks for the rest of its processes again
                driver.interrupt()
