"""A search's nodes are the stones that it places."""

from numba import uint64, void

from pbrain.kernel.board import make
from pbrain.kernel.constants import ONE
from pbrain.kernel.machine import kernel, tables_at
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.table import prefetch


@kernel(void(STATE, WORKER, uint64), inline=True)
def play(state, worker, cell):
    """`make` for the side to move, counted as one node."""
    make(state, cell, uint64(state.to_move))
    worker.nodes += ONE


@kernel(uint64(STATE, uint64), inline=True)
def key_after(state, cell):
    """The key of the position after a move."""
    tables = tables_at(state.tables)
    return uint64(state.key) ^ tables.zobrist[uint64(state.to_move), cell] ^ tables.zobrist_side


@kernel(void(STATE, WORKER, uint64), inline=True)
def play_and_prefetch(state, worker, cell):
    """`play`, which takes about as long as memory needs for the table's entries of the position after it."""
    prefetch(worker, key_after(state, cell))
    play(state, worker, cell)
