"""Thinking on a thread of its own, so that the kernel never keeps the caller waiting."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from pbrain.core.types import Limits, Report, SearchLimits
from pbrain.engine.engine import Engine
from pbrain.engine.timeman import search_limits

POLL_S = 0.1  # Windows notices Ctrl-C only between two waits
GRACE_S = 0.002  # for the kernel to notice that its time is up and to say so


class Result(NamedTuple):
    """How thinking ended, as opposed to the reports before that."""

    value: Report | Exception


class Thinker:
    """`Engine.think` with an answer in time.

    On a machine with more busy threads than cores, a thread that has computed until its deadline may then wait for its
    next turn: 100 ms were seen. A thread that has slept until the deadline runs at once. So the kernel has a thread to
    itself, and if its answer does not come in time, the answer is the best move that it has found by then.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread: Thread | None = None

    def think(
        self, limits: SearchLimits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        """As `Engine.think`, with every call on the caller's thread; the engine is in use until `settle`."""
        engine = self._engine
        heard: SimpleQueue[Report | Result] = SimpleQueue()

        def run() -> None:
            try:
                heard.put(Result(engine.think(limits, heard.put, lines)))
            except Exception as error:
                heard.put(Result(error))

        engine.forget_best()
        self._thread = Thread(target=run, daemon=True)
        self._thread.start()
        try:
            return self._answer(limits, heard, on_iteration)
        except BaseException:
            engine.stop()
            self.settle()
            raise

    def _answer(
        self, limits: SearchLimits, heard: "SimpleQueue[Report | Result]", on_iteration: Callable[[Report], None]
    ) -> Report:
        """The result if it comes in time, else the best so far."""
        while True:
            left_s = self._left_s(limits)
            best = self._engine.best_so_far if left_s <= 0 else None
            # When time is up before the search has listed its moves, there is no answer yet: look again soon.
            wait_s = min(left_s, POLL_S) if left_s > 0 else GRACE_S if best is None else 0.0
            try:
                news = heard.get(timeout=wait_s)
            except Empty:
                if best is None:
                    continue
                self._engine.stop()
                return best
            if isinstance(news, Report):
                on_iteration(news)
            elif isinstance(news.value, Report):
                return news.value
            else:
                raise news.value

    def _left_s(self, limits: SearchLimits) -> float:
        """Seconds until the answer is due."""
        if limits.deadline_ns is None:
            return POLL_S
        return (limits.deadline_ns - self._engine.now_ns()) / 1e9 + GRACE_S

    def settle(self) -> None:
        """Wait until the kernel has noticed that it should stop."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None


@contextmanager
def interrupts_call(action: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C does this instead of raising KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: action())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def think(
    engine: Engine, limits: Limits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
) -> Report:
    """`Engine.think` from now on; Ctrl-C ends it with the best so far. To be called on the main thread."""
    thinker = Thinker(engine)
    engine.allow_thinking()
    with interrupts_call(engine.stop):
        report = thinker.think(search_limits(limits, engine.now_ns()), on_iteration, lines)
        thinker.settle()
    return report
