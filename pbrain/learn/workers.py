"""Workers that play games: processes of this machine, which end with the process that started them, or a cluster's."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

MAX_WAITING = 256  # tasks handed out: enough for workers never to wait


class WorkersError(ValueError):
    """The workers cannot go on; the message is one sentence. Finished games are stored, and the rest can be resumed."""


class Workers(NamedTuple):
    executor: Callable[[], AbstractContextManager[Executor]]
    library: Path | None  # the native library that they load; None for that of their own installation


def local_workers(processes: int, library: Path) -> Workers:
    """As many processes of this machine."""
    return Workers(partial(local_pool, processes), library)


@contextmanager
def local_pool(processes: int) -> Iterator[Executor]:
    """Processes that are started afresh, so that no lock or thread of this one is copied."""
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _end_with_parent)
    try:
        yield pool
    except BrokenExecutor as error:
        raise WorkersError("one of its processes was killed; the same command goes on with the rest") from error
    finally:
        pool.shutdown(cancel_futures=True)


def results(executor: Executor, task: Callable[[Work], Result], works: Iterable[Work]) -> Iterator[Result]:
    """The result of the task for each piece of work, as soon as it is there; closing the executor cancels the rest."""
    left = iter(works)
    with _interrupts_held():
        waiting = {executor.submit(task, work) for work in islice(left, MAX_WAITING)}
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        waiting.update(executor.submit(task, work) for work in islice(left, len(done)))
        for future in done:
            yield future.result()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches this process later, and the processes that it starts meanwhile never: they end with it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """End this process when its parent has ended, also by a kill."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait_for_end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()
