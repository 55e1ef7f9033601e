"""Keeps Python from holding up the threads that take the time of answers."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_EVERY_S = 0.0002


@contextmanager
def short_pauses() -> Iterator[None]:
    """While games run, a thread that has read an answer takes the time at once.

    Python lets a busy thread, such as the one that draws the screen, run for 5 ms before another one gets its turn.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_EVERY_S)
    settle()
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        gc.unfreeze()


def settle() -> None:
    """Collect garbage now, between games, and never look again at what is left.

    Otherwise a collection sooner or later looks at all games in memory: with 2,000 of them everything stops for 100 ms.
    """
    gc.collect()
    gc.freeze()
