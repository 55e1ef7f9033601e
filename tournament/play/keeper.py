"""Which brains run, so that all of them can be ended at once: games finish, or are abandoned."""

import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress

from tournament.play.driver import Driver


class Keeper:
    """Knows the running brains; every one it holds is killed in the end, whatever happens."""

    def __init__(self) -> None:
        self.is_abandoned = threading.Event()
        self._is_finishing = threading.Event()
        self._drivers: set[Driver] = set()
        self._lock = threading.Lock()

    def finish(self) -> None:
        """Start no more games; let the running ones finish."""
        self._is_finishing.set()

    def abandon(self) -> None:
        """Stop the running games at once; they are not recorded."""
        self._is_finishing.set()
        self.is_abandoned.set()
        with self._lock:
            drivers = list(self._drivers)
        for driver in drivers:
            with suppress(OSError):  # the thread of its game looks for the rest of its processes again
                driver.interrupt()

    @property
    def is_finishing(self) -> bool:
        """Whether no more games are to be started."""
        return self._is_finishing.is_set()

    @contextmanager
    def holding(self, drivers: Collection[Driver]) -> Iterator[None]:
        """Let `abandon` interrupt these brains; in the end they are killed, all of them, whatever happens."""
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
