"""Thinking on a thread of its own, so that nobody who waits for a move is held up by the kernel."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from pbrain.core.types import Limits, Report
from pbrain.engine.engine import Engine

POLL_S = 0.1  # Windows hears Ctrl-C only between two waits
GRACE_MS = 2.0  # for the kernel to notice that its time is up and to say so


class Result(NamedTuple):
    """How thinking ended, beside the reports on its way there."""

    value: Report | Exception


class Thinker:
    """`Engine.think` with an answer in time.

    On a machine that has more to do than cores, a thread that computed until its deadline may then wait for its next
    turn: 100 ms were seen. One that slept until the deadline runs at once. So the kernel has a thread to itself, and
    where its answer does not come in time, the best move that it has found by then is the answer.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread: Thread | None = None

    def think(
        self,
        limits: Limits,
        asked_ns: int,
        on_iteration: Callable[[Report], None] = lambda _: None,
        lines: int = 1,
    ) -> Report:
        """As `Engine.think`, all calls on the caller's thread; until `settle`, the engine is not to be touched."""
        engine = self._engine
        heard: SimpleQueue[Report | Result] = SimpleQueue()

        def run() -> None:
            try:
                heard.put(Result(engine.think(limits, asked_ns, heard.put, lines)))
            except Exception as error:
                heard.put(Result(error))

        engine.forget_best()
        self._thread = Thread(target=run, daemon=True)
        self._thread.start()
        late_ns = None if limits.budget is None else asked_ns + int(1e6 * (limits.budget.maximum_ms + GRACE_MS))
        best: Report | None = None
        try:
            while True:
                left_s = POLL_S if late_ns is None else (late_ns - engine.now_ns()) / 1e9
                try:
                    news = heard.get(timeout=max(0.0, min(left_s, POLL_S)))
                except Empty:
                    move = engine.best_so_far
                    if left_s >= POLL_S or move is None:
                        continue
                    engine.stop()
                    if best is not None and (lines > 1 or best.move == move):
                        return best
                    return Report(0, 0, 0, 0, (engine.now_ns() - asked_ns) / 1e6, (move,))
                if isinstance(news, Report):
                    best = news if news.rank == 1 else best
                    on_iteration(news)
                elif isinstance(news.value, Report):
                    return news.value
                else:
                    raise news.value
        except BaseException:
            engine.stop()
            self.settle()
            raise

    def settle(self) -> None:
        """Wait until the kernel has noticed that it was told to stop."""
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
    """`Engine.think` from now on, ended by Ctrl-C with the best so far; to be called on the main thread."""
    thinker = Thinker(engine)
    engine.allow_thinking()
    with interrupts_call(engine.stop):
        report = thinker.think(limits, engine.now_ns(), on_iteration, lines)
        thinker.settle()
    return report
