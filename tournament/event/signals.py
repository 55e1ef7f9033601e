"""Ctrl-C finishes the running games; a second one, or a signal to end, abandons them and kills the brains."""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Protocol

from tournament.core.failures import RunnerError


class Stoppable(Protocol):
    """Work with games."""

    def finish(self) -> None:
        """Start no more games; let the running ones finish."""

    def abandon(self) -> None:
        """Stop the running games at once; they are not recorded."""


class Signals:
    """While a `with` block runs, signals reach the work in it; `tell` hears what is done about them."""

    def __init__(self, work: Stoppable, tell: Callable[[str], None]) -> None:
        self._work, self._tell = work, tell
        self._interrupts = 0
        self._is_done = False
        self._before: dict[signal.Signals, Any] = {}
        self.ended_by: signal.Signals | None = None

    def __enter__(self) -> "Signals":
        if threading.current_thread() is threading.main_thread():
            for number in handled_signals():
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def work_is_done(self) -> None:
        """From now on there is nothing to stop: signals are noted, and the views and the report are completed."""
        self._is_done = True

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            self._interrupts += 1
        else:
            self.ended_by = signal.Signals(number)
        if self._is_done:
            return
        if self.ended_by is None and self._interrupts == 1:
            act, text = self._work.finish, "finishing the running games; press Ctrl-C again to abandon them"
        else:
            act, text = self._work.abandon, "abandoning the running games"
        # In another thread: the interrupted one may hold a lock that is needed.
        threading.Thread(target=self._act, args=(act, text), daemon=True).start()

    def _act(self, act: Callable[[], None], text: str) -> None:
        act()
        with suppress(RunnerError):  # the terminal is gone, hence the signal
            self._tell(text)


def handled_signals() -> list[signal.Signals]:
    """The signals that end a run on this system; who started the runner with nohup wants SIGHUP to be ignored.

    SIGBREAK is Windows' Ctrl-Break, and what a closing console window sends.
    """
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    numbers = [signal.Signals[name] for name in names]
    return [number for number in numbers if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN]
