"""When a search must end: the clock, the count of nodes, the stop word."""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.kernel.constants import ONE, ZERO
from pbrain.kernel.machine import kernel, now_ns, stop_asked
from pbrain.kernel.records import WORKER

# Nodes between two looks at the clock: 64 take about 60 microseconds.
CHECK_EVERY = np.uint64(64)


@kernel(int64())
def clock():
    """The clock that deadlines are on."""
    return now_ns()


@kernel(boolean(WORKER), inline=True)
def is_stopped(worker):
    return uint64(worker.is_stopped) != ZERO


@kernel(boolean(WORKER))
def should_stop(worker):
    nodes = uint64(worker.nodes)
    if nodes >= uint64(worker.next_check):
        limit = uint64(worker.node_limit)
        if nodes >= limit or stop_asked(worker) != ZERO or now_ns() >= worker.deadline_ns:
            worker.is_stopped = ONE
        worker.next_check = nodes + CHECK_EVERY if nodes + CHECK_EVERY < limit else limit
    return is_stopped(worker)
