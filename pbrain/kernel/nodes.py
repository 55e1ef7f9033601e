"""A search's nodes are the stones that it places."""

from numba import uint64, void

from pbrain.kernel.board import make
from pbrain.kernel.constants import ONE
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import STATE, WORKER


@kernel(void(STATE, WORKER, uint64), inline=True)
def play(state, worker, cell):
    """`make` for the side to move, counted as one node."""
    make(state, cell, uint64(state.to_move))
    worker.nodes += ONE
