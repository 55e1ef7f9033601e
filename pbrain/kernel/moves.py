"""Which moves to try, and in which order: forced ones alone, else candidates near stones by their classes."""

import numpy as np
from numba import int32, int64, uint64, void

from pbrain.kernel import cell_class
from pbrain.kernel.board import column_of, row_of
from pbrain.kernel.constants import CLASS_STRIDE, MARGIN, ONE, STRIDE, ZERO
from pbrain.kernel.fours import (
    aims_at_foul,
    class_of_move,
    collect_five_blocks,
    collect_four_blocks,
    fours_in_row,
    has_foul_targets,
    makes_four,
    threatens_open_four,
)
from pbrain.kernel.history import HINTS, hints_for, order_bonus
from pbrain.kernel.machine import kernel, lowest_bit, tables_at
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.renju import is_foul
from pbrain.kernel.threats import has_five

TABLE_MOVE_SCORE = np.int64(1 << 20)  # above all others; with a place beside it, it fits 32 bits
PLACE_AT, LAST_PLACE = np.int32(10), np.int32(1023)
FOUL_SCORE = np.int64(1 << 16)  # above every class: white's four wins at once if black may not block it


@kernel(uint64(STATE, WORKER, uint64, uint64, uint64, uint64, HINTS), inline=True)
def add_move(state, worker, ply, count, cell, table_move, hints):
    """Write a move with its score to order it by, unless it is a foul; how many there are then."""
    me = uint64(state.to_move)
    if is_foul(state, me, cell):
        return count
    kind = class_of_move(state, me, cell)
    pair = kind * CLASS_STRIDE + uint64(state.classes[ONE - me, cell])
    score = int64(tables_at(state.tables).order[pair]) + order_bonus(state, worker, me, ply, cell, hints)
    if kind >= cell_class.FOUR and has_foul_targets(state, me) and aims_at_foul(state, cell):
        score += FOUL_SCORE
    worker.moves[ply, count] = cell
    worker.move_scores[ply, count] = TABLE_MOVE_SCORE if cell == table_move else score
    return count + ONE


@kernel(uint64(STATE, WORKER, uint64, uint64, uint64, uint64, uint64))
def add_row(state, worker, ply, count, row, cells, table_move):
    """`add_move` for the cells of a row that are given as bits."""
    hints = hints_for(state, worker, uint64(state.to_move), ply)
    while cells != ZERO:
        count = add_move(state, worker, ply, count, row * STRIDE + lowest_bit(cells), table_move, hints)
        cells &= cells - ONE
    return count


@kernel(uint64(STATE, WORKER, uint64, uint64))
def generate_five_blocks(state, worker, ply, table_move):
    """Every legal move that can stop the opponent's fives."""
    me = uint64(state.to_move)
    hints = hints_for(state, worker, me, ply)
    count = ZERO
    for i in range(collect_five_blocks(state, worker, ply, ONE - me)):
        count = add_move(state, worker, ply, count, uint64(worker.blocks[ply, i]), table_move, hints)
    return count


@kernel(uint64(STATE, WORKER, uint64, uint64))
def generate_four_blocks(state, worker, ply, table_move):
    """Every legal move that can stop the opponent's open four: blocks, and fours, which must be answered first."""
    me = uint64(state.to_move)
    count = ZERO
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        count = add_row(state, worker, ply, count, row, fours_in_row(state, me, row), table_move)
    hints = hints_for(state, worker, me, ply)
    for i in range(collect_four_blocks(state, worker, ply, ONE - me)):
        cell = uint64(worker.blocks[ply, i])
        if not makes_four(state, me, cell):
            count = add_move(state, worker, ply, count, cell, table_move, hints)
    return count


@kernel(uint64(STATE, WORKER, uint64, uint64))
def generate(state, worker, ply, table_move):
    """Write the moves to try at a ply, with scores to order them by; how many they are.

    Against a five or an open four they are all that can help. Else they are the legal moves near stones:
    `generate_rest` has the others.
    """
    opponent = ONE - uint64(state.to_move)
    if has_five(state, opponent):
        return generate_five_blocks(state, worker, ply, table_move)
    if threatens_open_four(state, opponent):
        return generate_four_blocks(state, worker, ply, table_move)
    count = ZERO
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        cells = uint64(state.near[row]) & uint64(state.empty[row])
        count = add_row(state, worker, ply, count, row, cells, table_move)
    return count


@kernel(uint64(STATE, WORKER, uint64, uint64))
def generate_rest(state, worker, ply, count):
    """Add the legal moves far from all stones to `count` others; how many there are then."""
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        cells = uint64(state.empty[row]) & ~uint64(state.near[row])
        count = add_row(state, worker, ply, count, row, cells, ZERO)
    return count


@kernel(int64(STATE, uint64))
def centre_distance(state, cell):
    """Twice the distance from the middle of the board, in king's moves."""
    across = abs(int64(2) * int64(column_of(cell) - MARGIN) - int64(state.width) + int64(1))
    down = abs(int64(2) * int64(row_of(cell) - MARGIN) - int64(state.height) + int64(1))
    return max(across, down)


@kernel(uint64(STATE, WORKER, uint64))
def generate_all(state, worker, ply):
    """Every legal move, those near the centre first; where none is legal, every empty cell."""
    me = uint64(state.to_move)
    for allows_fouls in range(uint64(2)):
        count = ZERO
        for row in range(MARGIN, MARGIN + uint64(state.height)):
            cells = uint64(state.empty[row])
            while cells != ZERO:
                cell = row * STRIDE + lowest_bit(cells)
                cells &= cells - ONE
                if allows_fouls == ZERO and is_foul(state, me, cell):
                    continue
                worker.moves[ply, count] = cell
                worker.move_scores[ply, count] = -centre_distance(state, cell)
                count += ONE
        if count > ZERO:
            return count
    return ZERO


@kernel(void(WORKER, uint64, uint64, uint64))
def bring_best_forward(worker, ply, first, count):
    """Swap the best-scored move from `first` on into its place: most nodes end before a full sort would pay.

    The largest of scores with their places in one number, earlier places being larger, is found several at a time.
    """
    largest = int32(-1 << 31)
    for i in range(first, count):
        key = int32((int32(worker.move_scores[ply, i]) << PLACE_AT) | (LAST_PLACE - int32(i)))
        largest = max(largest, key)
    best = uint64(LAST_PLACE - (largest & LAST_PLACE))
    move, score = worker.moves[ply, best], worker.move_scores[ply, best]
    worker.moves[ply, best] = worker.moves[ply, first]
    worker.move_scores[ply, best] = worker.move_scores[ply, first]
    worker.moves[ply, first], worker.move_scores[ply, first] = move, score
