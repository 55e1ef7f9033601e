"""Fours and fives in every rule: which cells make them, and every cell that can answer them.

A proof rests on the answers being complete, so each function says why no other cell can help.
"""

from numba import boolean, uint64

from pbrain.kernel import cell_class, line_class, threat
from pbrain.kernel.board import HALF_SHAPE_MASK, first_beyond, line_at, step_of
from pbrain.kernel.constants import BLACK, CARO, DIRECTIONS, EMPTY, ONE, STRIDE, TWO, WHITE, ZERO
from pbrain.kernel.machine import kernel, lowest_bit, row_at_least, tables_at
from pbrain.kernel.patterns import class_of_shape
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.renju import is_forbidden, is_foul
from pbrain.kernel.threats import count_of, first_at_least


@kernel(boolean(STATE), inline=True)
def is_caro(state):
    return uint64(tables_at(state.tables).rule) & CARO != ZERO


@kernel(uint64(STATE, uint64, uint64), inline=True)
def best_line_at(state, colour, cell):
    best = ZERO
    for direction in range(DIRECTIONS):
        line = line_at(state, colour, cell, direction)
        if line > best:
            best = line
    return best


@kernel(uint64(STATE, uint64, uint64), inline=True)
def class_of_move(state, colour, cell):
    """The class of a legal move: a suspect cell that is not forbidden counts as what it makes."""
    kind = uint64(state.classes[colour, cell])
    if kind != cell_class.SUSPECT:
        return kind
    return class_of_shape(uint64(state.shapes[cell]) & HALF_SHAPE_MASK, False)


# -- making them -------------------------------------------------------------------------------------------------------


@kernel(uint64(STATE, uint64, uint64))
def suspect_fours_in_row(state, row, min_line):
    """Renju: the suspect cells of a row that black may play, and where one line becomes `min_line` or more."""
    found = ZERO
    cells = row_at_least(state, BLACK, row, cell_class.SUSPECT) & ~row_at_least(state, BLACK, row, cell_class.DEAD)
    while cells != ZERO:
        bit = cells & (ZERO - cells)
        cells ^= bit
        cell = row * STRIDE + lowest_bit(bit)
        if best_line_at(state, BLACK, cell) >= min_line and not is_forbidden(state, cell):
            found |= bit
    return found


@kernel(boolean(STATE, uint64), inline=True)
def has_suspects(state, colour):
    """Only renju's black ever has any; forbidden cells, which are counted with them, are few without them."""
    return colour == BLACK and count_of(state, BLACK, threat.FOUL) != ZERO


@kernel(uint64(STATE, uint64, uint64), inline=True)
def fours_in_row(state, colour, row):
    """The cells of a row where the colour may make a four or more, as bits."""
    cells = row_at_least(state, colour, row, cell_class.FOUR)
    if has_suspects(state, colour):
        cells |= suspect_fours_in_row(state, row, line_class.FOUR)
    return cells


@kernel(boolean(STATE, uint64, uint64), inline=True)
def makes_four(state, colour, cell):
    """Whether the colour makes a four or more on an empty cell and may do so."""
    if uint64(state.classes[colour, cell]) != cell_class.SUSPECT:
        return uint64(state.classes[colour, cell]) >= cell_class.FOUR
    return best_line_at(state, colour, cell) >= line_class.FOUR and not is_forbidden(state, cell)


@kernel(uint64(STATE))
def suspect_open_four(state):
    for row in range(STRIDE):
        found = suspect_fours_in_row(state, row, line_class.OPEN_FOUR)
        if found != ZERO:
            return row * STRIDE + lowest_bit(found)
    return ZERO


@kernel(boolean(STATE, uint64), inline=True)
def threatens_open_four(state, colour):
    """Unless the opponent prevents it, the colour can make an open four or a double four.

    Either gives two ways to make five that one stone cannot stop. Lines cross only in the stone that makes them, so
    this holds in caro too, where a five can be shut in from its ends. Suspect cells do not count: in renju a white
    stone anywhere may turn one of them into a forbidden point, but no other.
    """
    return count_of(state, colour, threat.OPEN_FOUR) != ZERO


@kernel(boolean(STATE, uint64), inline=True)
def can_open_four(state, colour):
    """The colour, if it is to move, can make an open four or a double four now."""
    if threatens_open_four(state, colour):
        return True
    return has_suspects(state, colour) and suspect_open_four(state) != ZERO


@kernel(uint64(STATE, uint64))
def winning_four(state, colour):
    """A cell that makes an open four or else a double four, where there is one; the colour has no five."""
    if not threatens_open_four(state, colour):
        return suspect_open_four(state)
    cell = first_at_least(state, colour, cell_class.OPEN_FOUR)
    return cell if cell != ZERO else first_at_least(state, colour, cell_class.DOUBLE_FOUR)


@kernel(boolean(STATE, uint64), inline=True)
def has_two_fives(state, colour):
    """Two cells make five, and one stone cannot take both; in caro, one may shut both in."""
    return count_of(state, colour, threat.FIVE) > ONE and not is_caro(state)


# -- answering them ----------------------------------------------------------------------------------------------------


@kernel(boolean(STATE, uint64), inline=True)
def has_foul_targets(state, colour):
    """Renju: white may make fours that black is not allowed to block."""
    return colour == WHITE and count_of(state, BLACK, threat.FOUL) != ZERO


@kernel(boolean(STATE, uint64), inline=True)
def may_be_foul(state, cell):
    kind = uint64(state.classes[BLACK, cell])
    return kind == cell_class.FORBIDDEN or kind == cell_class.SUSPECT


@kernel(boolean(STATE, uint64))
def aims_at_foul(state, cell):
    """Renju: whether black would have to block white's four at a point that is forbidden, or may be."""
    for direction in range(DIRECTIONS):
        if line_at(state, WHITE, cell, direction) < line_class.FOUR:
            continue
        step = step_of(direction)
        if may_be_foul(state, first_beyond(state, WHITE, cell, step)):
            return True
        if may_be_foul(state, first_beyond(state, WHITE, cell, ZERO - step)):
            return True
    return False


@kernel(uint64(STATE, WORKER, uint64, uint64, uint64), inline=True)
def add_block(state, worker, ply, count, cell):
    if uint64(state.stones[cell]) != EMPTY:
        return count
    worker.blocks[ply, count] = cell
    return count + ONE


@kernel(uint64(STATE, WORKER, uint64, uint64))
def collect_five_blocks(state, worker, ply, attacker):
    """Write to `blocks` every cell that can stop the attacker's fives, each once; how many they are.

    Whatever stops all fives stops the first one found: by taking its cell or, in caro, by shutting in a line that it
    makes, from one of that line's ends.
    """
    five = first_at_least(state, attacker, cell_class.FIVE)
    count = add_block(state, worker, ply, ZERO, five)
    if not is_caro(state):
        return count
    for direction in range(DIRECTIONS):
        if line_at(state, attacker, five, direction) != line_class.FIVE:
            continue
        step = step_of(direction)
        count = add_block(state, worker, ply, count, first_beyond(state, attacker, five, step))
        count = add_block(state, worker, ply, count, first_beyond(state, attacker, five, ZERO - step))
    return count


@kernel(uint64(STATE, WORKER, uint64, uint64))
def collect_four_blocks(state, worker, ply, attacker):
    """Write to `blocks` every cell that can stop the attacker's open or double four without making a four; how many.

    Whatever stops all of them stops the first one found. So it takes the attacker's cell, or lies on a line that
    becomes a four there. On such a line, each way to make five fills the first gap on one side: only gaps matter. In
    caro a five can be shut in as well, and any cell that the line's class depends on may do so.
    """
    cell = winning_four(state, attacker)
    count = add_block(state, worker, ply, ZERO, cell)
    for direction in range(DIRECTIONS):
        if line_at(state, attacker, cell, direction) < line_class.FOUR:
            continue
        step = step_of(direction)
        for _side in range(TWO):
            if is_caro(state):
                other = cell
                for _distance in range(uint64(tables_at(state.tables).half)):
                    other += step
                    count = add_block(state, worker, ply, count, other)
            else:
                count = add_block(state, worker, ply, count, first_beyond(state, attacker, cell, step))
            step = ZERO - step
    return count


@kernel(boolean(STATE, uint64, uint64), inline=True)
def is_legal(state, colour, cell):
    return uint64(state.stones[cell]) == EMPTY and not is_foul(state, colour, cell)
