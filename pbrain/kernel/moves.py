"""Which moves to try, and in which order: forced ones alone, else candidates near stones by their classes."""

import numpy as np
from numba import boolean, int64, uint64, void

from pbrain.kernel.board import HALF_SHAPE, column_of, row_of, step_of
from pbrain.kernel.constants import (
    BLACK,
    CARO,
    CELL_FIVE,
    CELL_FORBIDDEN,
    CELL_FOUR,
    CELL_SUSPECT,
    CLASS_STRIDE,
    DIRECTIONS,
    EMPTY,
    FOUR,
    LINE_FIVE,
    MARGIN,
    MAX_BLOCKS,
    NIBBLE,
    ONE,
    STRIDE,
    TWO,
    ZERO,
)
from pbrain.kernel.history import recommendation
from pbrain.kernel.machine import kernel, lowest_bit, row_at_least, tables_at
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.renju import is_forbidden
from pbrain.kernel.threats import has_five, has_open_four

TABLE_MOVE_SCORE = np.int64(1 << 24)


@kernel(uint64(STATE, uint64, uint64))
def first_at_least(state, colour, least):
    """A cell whose class for the colour is `least` or more, or zero."""
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        found = row_at_least(state, colour, row, least)
        if found != ZERO:
            return row * STRIDE + lowest_bit(found)
    return ZERO


@kernel(boolean(STATE, uint64, uint64), inline=True)
def is_foul(state, cell, colour):
    """Whether the rule keeps a colour from an empty cell; cheap wherever the cell's class settles it."""
    kind = uint64(state.classes[colour, cell])
    return kind == CELL_FORBIDDEN or (kind == CELL_SUSPECT and is_forbidden(state, cell))


@kernel(boolean(STATE), inline=True)
def is_caro(state):
    return uint64(tables_at(state.tables).rule) & CARO != ZERO


@kernel(uint64(STATE, uint64), inline=True)
def cells_to_try(state, row):
    """The cells of a row that are worth a move where no five must be blocked, as bits."""
    me = uint64(state.to_move)
    you = ONE - me
    if has_open_four(state, you) and not is_caro(state):
        # An open three must be met where the other side would make a four, or by fours of one's own. In caro it
        # can also be met from farther off, by what will shut the line in.
        return row_at_least(state, you, row, CELL_FOUR) | row_at_least(state, me, row, CELL_FOUR)
    return uint64(state.near[row]) & uint64(state.empty[row])


@kernel(uint64(STATE, WORKER, uint64, uint64))
def collect_blocks(state, worker, ply, attacker):
    """Write to `blocks` every cell that may stop the attacker's fives; how many they are.

    They are the cells where a five would be made and, in caro, the ends of the line that it would make.
    """
    count = ZERO
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        cells = row_at_least(state, attacker, row, CELL_FIVE)
        while cells != ZERO and count < MAX_BLOCKS:
            cell = row * STRIDE + lowest_bit(cells)
            cells &= cells - ONE
            worker.blocks[ply, count] = cell
            count += ONE
            if not is_caro(state):
                continue
            shape = uint64(state.shapes[cell]) >> (HALF_SHAPE * attacker)
            for direction in range(DIRECTIONS):
                if (shape >> (FOUR * direction)) & NIBBLE != LINE_FIVE:
                    continue
                step = step_of(direction)
                for _side in range(TWO):
                    end = cell + step
                    while uint64(state.stones[end]) == attacker + ONE:
                        end += step
                    step = ZERO - step
                    if uint64(state.stones[end]) == EMPTY and count < MAX_BLOCKS:
                        worker.blocks[ply, count] = end
                        count += ONE
    return count


@kernel(uint64(STATE, WORKER, uint64, uint64, uint64, uint64), inline=True)
def add_move(state, worker, ply, count, cell, table_move):
    """Write a move with its score to order it by, unless it is a foul; how many there are then."""
    me = uint64(state.to_move)
    if me == BLACK and is_foul(state, cell, me):
        return count
    pair = uint64(state.classes[me, cell]) * CLASS_STRIDE + uint64(state.classes[ONE - me, cell])
    score = int64(tables_at(state.tables).order[pair]) + recommendation(worker, me, ply, cell)
    worker.moves[ply, count] = cell
    worker.move_scores[ply, count] = TABLE_MOVE_SCORE if cell == table_move else score
    return count + ONE


@kernel(uint64(STATE, WORKER, uint64, uint64))
def generate(state, worker, ply, table_move):
    """Write the moves to try at a ply, with scores to order them by; how many they are."""
    you = ONE - uint64(state.to_move)
    count = ZERO
    if has_five(state, you):
        for i in range(collect_blocks(state, worker, ply, you)):
            count = add_move(state, worker, ply, count, uint64(worker.blocks[ply, i]), table_move)
        return count
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        cells = cells_to_try(state, row)
        while cells != ZERO:
            cell = row * STRIDE + lowest_bit(cells)
            cells &= cells - ONE
            count = add_move(state, worker, ply, count, cell, table_move)
    return count


@kernel(int64(STATE, uint64))
def centre_distance(state, cell):
    """Twice the distance from the middle of the board, in king's moves."""
    across = int64(2) * int64(column_of(cell) - MARGIN) - int64(state.width) + int64(1)
    down = int64(2) * int64(row_of(cell) - MARGIN) - int64(state.height) + int64(1)
    across = -across if across < 0 else across
    down = -down if down < 0 else down
    return across if across > down else down


@kernel(uint64(STATE, WORKER, uint64))
def generate_anything(state, worker, ply):
    """Every empty cell that is allowed; where none is, every empty cell."""
    me = uint64(state.to_move)
    for is_any_allowed in range(uint64(2)):
        count = ZERO
        for row in range(MARGIN, MARGIN + uint64(state.height)):
            cells = uint64(state.empty[row])
            while cells != ZERO:
                cell = row * STRIDE + lowest_bit(cells)
                cells &= cells - ONE
                if is_any_allowed == ZERO and me == BLACK and is_foul(state, cell, me):
                    continue
                worker.moves[ply, count] = cell
                worker.move_scores[ply, count] = -centre_distance(state, cell)
                count += ONE
        if count > ZERO:
            return count
    return ZERO


@kernel(void(WORKER, uint64, uint64, uint64))
def bring_best_forward(worker, ply, first, count):
    """Swap the best-scored move from `first` on into its place: most nodes end before a full sort would pay."""
    best = first
    for i in range(first + ONE, count):
        if worker.move_scores[ply, i] > worker.move_scores[ply, best]:
            best = i
    move, score = worker.moves[ply, best], worker.move_scores[ply, best]
    worker.moves[ply, best] = worker.moves[ply, first]
    worker.move_scores[ply, best] = worker.move_scores[ply, first]
    worker.moves[ply, first], worker.move_scores[ply, first] = move, score
