"""The network: what the table of values, which is a sum over cells, cannot say.

Each empty cell has a row of numbers for its pair of classes. The rows of all cells are added, once from each side's
view, and the threats have a row too. A hidden layer reads both sums, the side to move's first. Its output is added to
the table's value.

Only an evaluation brings the sums up to date. It starts from the newest position of the line whose sums are known, most
often one move ago, and the undo entries since then say which cells have changed. VCF, which evaluates nothing, costs
nothing.
"""

import numpy as np
from numba import int64, uint64, void

from pbrain.core import params
from pbrain.kernel.board import ENTRY_BLACK, ENTRY_CELL_MASK, ENTRY_CLASS_MASK, ENTRY_WHITE
from pbrain.kernel.constants import BLACK, CLASS_STRIDE, ONE, WHITE
from pbrain.kernel.machine import kernel, tables_at
from pbrain.kernel.records import STATE, TABLES
from pbrain.kernel.vectors import add_change, begin_change, change_row, network_output, scale_inputs

CHANNELS = np.uint64(params.CHANNELS)
HIDDEN = np.uint64(params.HIDDEN)
PORTION = np.uint64(32_767 // (2 * params.MAX_ROW))  # so many changes of a cell surely fit 16 bits
OUTPUT_SHIFT = np.int64(params.OUTPUT_SHIFT)


@kernel(void(STATE, TABLES, uint64), inline=True)
def count_entry(state, tables, entry):
    """A cell goes from the classes that an undo entry has to those of now."""
    cell = entry & ENTRY_CELL_MASK
    old_black, old_white = (entry >> ENTRY_BLACK) & ENTRY_CLASS_MASK, (entry >> ENTRY_WHITE) & ENTRY_CLASS_MASK
    black, white = uint64(state.classes[BLACK, cell]), uint64(state.classes[WHITE, cell])
    if black == old_black and white == old_white:
        return
    change_row(state, tables, old_black * CLASS_STRIDE + old_white, black * CLASS_STRIDE + white)


@kernel(void(STATE))
def sum_up(state):
    """Bring the sums up to date."""
    known, moves = uint64(state.summed), uint64(state.moves)
    if known == moves:
        return
    tables = tables_at(state.tables)
    frame = state.frames[known]
    i, top = uint64(frame.trail_top), uint64(state.trail_top)
    source = known
    is_one_move = known + ONE == moves  # then no cell has two entries
    state.stamp += ONE
    stamp = uint64(state.stamp)
    while i < top:
        begin_change(state)
        end = min(i + PORTION, top)
        while i < end:
            entry = uint64(state.trail[i])
            i += ONE
            if not is_one_move:
                cell = entry & ENTRY_CELL_MASK
                if uint64(state.stamps[cell]) == stamp:
                    continue
                state.stamps[cell] = stamp
            count_entry(state, tables, entry)
        add_change(state, source, moves)
        source = moves
    state.summed = moves


@kernel(int64(STATE, uint64))
def network_value(state, threats):
    """What the network adds to the value of the table, for the side to move."""
    sum_up(state)
    tables = tables_at(state.tables)
    scale_inputs(state, tables, uint64(state.moves), threats)
    return (int64(tables.output_bias) + network_output(state, tables)) >> OUTPUT_SHIFT
