"""Several threads search the same position to the same depth, with one transposition table.

What one stores the others find, and a move that one is searching the others try last (kernel/busy.py). Whoever is done
ends the iteration of the others, and they go on from its result: how large an iteration becomes is to a great part
chance.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import Any

from pbrain.core.params import WIN, WIN_BOUND
from pbrain.core.types import Report
from pbrain.library.native import Busy, Library, State, Worker

VOTE_BASE = 20  # a score in which the vote of the thread with the worst score counts
RESULT = ("root_moves", "root_scores", "root_count", "score", "line", "line_length", "has_line")


def is_settled(depth: int, score: int) -> bool:
    """Whether a result is proven, and a deeper iteration would find nothing better."""
    return score >= WIN_BOUND or (score <= -WIN_BOUND and depth > WIN + score)


def vote(reports: Sequence[Report]) -> Report:
    """The report to believe, the first being the main thread's.

    The shortest proven win; otherwise the deepest report of the move with the most votes. A thread's vote weighs more
    the deeper it has searched, and the better its score compares with the others'.
    """
    best = max(reports, key=lambda report: report.score)
    if best.score >= WIN_BOUND:
        return best
    worst = min(report.score for report in reports)
    votes = dict.fromkeys((report.move for report in reports), 0)
    for report in reports:
        votes[report.move] += report.depth * (report.score - worst + VOTE_BASE)
    return max(reports, key=lambda report: (votes[report.move], report.depth))


class Searcher:
    """A thread's state and worker, and the depth that it searches at the moment."""

    def __init__(self, state: Any, worker: Any) -> None:
        self.state, self.worker = state, worker
        self.depth = 0  # none

    def take_over(self, state: Any, worker: Any, library: Library) -> None:
        """Be ready for the search that the main thread has begun, with its root moves and within its time."""
        ctypes.memmove(ctypes.addressof(self.state), ctypes.addressof(state), ctypes.sizeof(state))
        own = self.worker
        for field in ("parameters", "table", "table_clusters", "busy", "deadline_ns"):
            setattr(own, field, getattr(worker, field))
        own.stop, own.node_limit = 0, worker.node_limit - worker.nodes
        library.begin_search(self.state, own)
        own.age = worker.age
        for field in ("root_moves", "root_scores", "root_count", "root_total"):
            setattr(own, field, getattr(worker, field))


class Helpers:
    """All threads but the main one; without any, an iteration is the kernel's and nothing else."""

    def __init__(self, library: Library, count: int) -> None:
        self._library = library
        self._all: list[Searcher] = []
        with suppress(MemoryError):  # the system refuses: those that there are will do
            for _ in range(count):
                self._all.append(Searcher(State(), Worker()))
        self._main: Searcher | None = None  # while the helpers search
        self._lock = Lock()
        self._done = 0  # the depth of the deepest finished iteration
        self._result: dict[str, Any] = {}  # its RESULT
        self._deadline_ns = 0
        self._busy = Busy()

    def __len__(self) -> int:
        return len(self._all)

    @property
    def nodes(self) -> int:
        return sum(helper.worker.nodes for helper in self._all)

    @property
    def found(self) -> Iterator[tuple[int, int, list[int]]]:
        """Depth, score and line of what each helper has found in the iteration in which it was stopped.

        Only a whole iteration proves a loss: there may be moves that it has not tried.
        """
        for helper in self._all:
            worker = helper.worker
            if helper.depth and worker.has_line and worker.score > -WIN_BOUND:
                yield helper.depth, worker.score, worker.line[: worker.line_length]

    def forget(self) -> None:
        """What was found and counted in the last search."""
        for helper in self._all:
            helper.depth = helper.worker.nodes = 0

    @contextmanager
    def searching(self, state: Any, worker: Any, last: int) -> Iterator[None]:
        """While the main thread iterates up to a depth; what is left of the nodes is shared among all."""
        if not self._all:
            yield
            return
        ctypes.memset(ctypes.addressof(self._busy), 0, ctypes.sizeof(self._busy))
        worker.busy = ctypes.addressof(self._busy)
        share = max(0, worker.node_limit - worker.nodes) // (1 + len(self._all))
        worker.node_limit, worker.next_check = worker.nodes + share, 0
        self._main, self._done, self._deadline_ns = Searcher(state, worker), 0, worker.deadline_ns
        threads: list[Thread] = []
        for helper in self._all:
            helper.take_over(state, worker, self._library)
            threads.append(Thread(target=self._run, args=(helper, last), daemon=True))
        try:
            with suppress(RuntimeError):  # the system has no more threads: the search goes on with those that run
                for thread in threads:
                    thread.start()
            yield
        finally:
            for helper in self._all:
                helper.worker.stop = 1
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            self._main = None
            worker.busy = 0

    def iterate(self, state: Any, worker: Any, depth: int, skipped: int) -> None:
        """The kernel's `iterate` on the main thread; a helper that is done with this depth before it ends it."""
        if self._main is None or skipped > 0:
            self._library.iterate(state, worker, depth, skipped)
        else:
            self._search(self._main, depth)

    def _run(self, helper: Searcher, last: int) -> None:
        """One iteration after the other, until it is stopped or the result is proven."""
        while self._done < last:
            self._search(helper, self._done + 1)
            if helper.worker.is_stopped or is_settled(self._done, helper.worker.score):
                return

    def _search(self, searcher: Searcher, depth: int) -> None:
        """One iteration, or the result of the thread that has finished it first."""
        worker = searcher.worker
        with self._lock:
            if self._done >= depth:
                self._adopt(worker)
                return
            searcher.depth, worker.deadline_ns = depth, self._deadline_ns
        self._library.iterate(searcher.state, worker, depth, 0)
        with self._lock:
            if self._done >= depth:
                self._adopt(worker)
            elif not worker.is_stopped:
                self._done, self._result = depth, {field: _copied(getattr(worker, field)) for field in RESULT}
                for other in self._all if self._main is None else (self._main, *self._all):
                    if other is not searcher and 0 < other.depth <= depth:
                        other.worker.deadline_ns = 0  # ends its iteration
            else:
                return
            searcher.depth = 0

    def _adopt(self, worker: Any) -> None:
        """Go on from another thread's result; if there is another reason to stop, the next iteration will see it."""
        for field, value in self._result.items():
            setattr(worker, field, value)
        worker.is_stopped = worker.next_check = 0
        worker.deadline_ns = self._deadline_ns


def _copied(value: Any) -> Any:
    """A number as it is, an array as one of its own."""
    return value if isinstance(value, int) else type(value).from_buffer_copy(value)
