"""The incremental state: `make` and `undo` touch only the four lines through a cell.

A line word holds two bits per cell. Rows and both diagonals are indexed along x, columns along y:

    direction       line            position   step to the next cell
    0  row          y               x          1
    1  column       x               y          STRIDE
    2  diagonal     x - y + 31      x          STRIDE + 1
    3  antidiagonal x + y           x          1 - STRIDE
"""

import numpy as np
from numba import int64, uint64, void

from pbrain.core import params
from pbrain.kernel import cell_class
from pbrain.kernel.constants import (
    BLACK,
    CELLS,
    CLASS_STRIDE,
    DIRECTIONS,
    FOUR,
    LINES,
    MARGIN,
    NIBBLE,
    ONE,
    STRIDE,
    TWO,
    WALL,
    WHITE,
    ZERO,
)
from pbrain.kernel.features import SKIPS_UNCHANGED
from pbrain.kernel.machine import kernel, lowest_bit, tables_at
from pbrain.kernel.records import STATE, TABLES

STRIDE_BITS = np.uint64(params.STRIDE.bit_length() - 1)
LAST = np.uint64(params.STRIDE - 1)
NEAR_ROWS = np.uint64(params.NEAR_ROWS)
NEAR_SPAN = np.uint64(params.NEAR_SPAN)

SUMS = np.uint64(2 * params.CHANNELS)

# What an empty cell of each class adds to its colour's word of threats.
UNITS = np.zeros(params.CLASS_STRIDE, np.uint64)
for _threat, _kinds in params.THREAT_CLASSES.items():
    UNITS[list(_kinds)] = 1 << (params.COUNT_BITS * _threat)
WORD_HALF = np.int64(32)

ALL_WALLS = np.uint64(0xFFFFFFFFFFFFFFFF)
EVERY_CELL = np.uint64(0x5555555555555555)  # the low bit of each cell of a line word
HALF_SHAPE = np.uint64(16)  # bits of one colour's four line classes
HALF_SHAPE_MASK = np.uint64(0xFFFF)
ONE_LINE = np.uint64(0x000F000F)  # both colours' classes of direction 0 inside a shape

# An undo entry is one word: cell, black's class, white's class, shape.
ENTRY_BLACK, ENTRY_WHITE, ENTRY_SHAPE = np.uint64(16), np.uint64(24), np.uint64(32)
ENTRY_CELL_MASK, ENTRY_CLASS_MASK = np.uint64(0xFFFF), np.uint64(0xFF)

# The bits that a stone sets in the rows around it: a square of radius 2 inside a star of radius 3.
NEAR_TIP = np.uint64(0b1001001)
NEAR_SQUARE = np.uint64(0b0111110)
NEAR_OWN_ROW = np.uint64(0b1111111)


@kernel(uint64(uint64), inline=True)
def near_bits(row):
    if row == NEAR_ROWS:
        return NEAR_OWN_ROW
    return NEAR_TIP if row == ZERO or row == NEAR_SPAN - ONE else NEAR_SQUARE


@kernel(uint64(uint64), inline=True)
def column_of(cell):
    return cell & LAST


@kernel(uint64(uint64), inline=True)
def row_of(cell):
    return cell >> STRIDE_BITS


@kernel(int64(uint64, uint64), inline=True)
def columns_apart(cell, other):
    return abs(int64(column_of(cell)) - int64(column_of(other)))


@kernel(int64(uint64, uint64), inline=True)
def rows_apart(cell, other):
    return abs(int64(row_of(cell)) - int64(row_of(other)))


@kernel(uint64(uint64, uint64), inline=True)
def line_of(direction, cell):
    if direction == ZERO:
        return row_of(cell)
    if direction == ONE:
        return column_of(cell)
    if direction == TWO:
        return column_of(cell) + LAST - row_of(cell)
    return column_of(cell) + row_of(cell)


@kernel(uint64(uint64, uint64), inline=True)
def position_of(direction, cell):
    return row_of(cell) if direction == ONE else column_of(cell)


@kernel(uint64(uint64), inline=True)
def step_of(direction):
    if direction == ZERO:
        return ONE
    if direction == ONE:
        return STRIDE
    return STRIDE + ONE if direction == TWO else ONE - STRIDE  # wraps, and wraps back when it is added


@kernel(uint64(STATE, uint64, uint64, uint64), inline=True)
def line_at(state, colour, cell, direction):
    """The LineClass of an empty cell for a colour."""
    return (uint64(state.shapes[cell]) >> (HALF_SHAPE * colour + FOUR * direction)) & NIBBLE


@kernel(uint64(STATE, uint64, uint64, uint64), inline=True)
def first_beyond(state, colour, cell, step):
    """The first cell from `cell` on, in one direction, that has no stone of the colour."""
    other = cell + step
    while uint64(state.stones[other]) == colour + ONE:
        other += step
    return other


@kernel(uint64(TABLES, uint64, uint64, uint64), inline=True)
def line_classes(tables, word, bit, reach):
    """Both colours' classes of the empty cell at `bit` of a line word, as direction 0 of a shape."""
    seen = word >> (bit - reach)
    low = (ONE << reach) - ONE
    pair = uint64(tables.line_class[(seen & low) | ((seen >> TWO) & (low << reach))])
    return (pair & NIBBLE) | ((pair >> FOUR) << HALF_SHAPE)


@kernel(uint64(uint64, uint64, uint64, uint64), inline=True)
def entry_of(cell, black, white, shape):
    return cell | (black << ENTRY_BLACK) | (white << ENTRY_WHITE) | (shape << ENTRY_SHAPE)


@kernel(void(STATE, int64), inline=True)
def add_value(state, change):
    """Add a sum of words of the table of values: black's half, and white's."""
    white = (change << WORD_HALF) >> WORD_HALF
    state.value[BLACK] += (change - white) >> WORD_HALF
    state.value[WHITE] += white


@kernel(void(STATE, uint64, uint64, uint64))
def clear(state, tables_address, width, height):
    """An empty board of width x height; the tables must be filled."""
    state.tables = tables_address
    tables = tables_at(tables_address)
    state.key = ZERO
    state.moves = state.trail_top = state.summed = ZERO
    state.width, state.height = width, height
    state.to_move = state.winner = ZERO
    state.value[BLACK] = state.value[WHITE] = 0
    state.threats[BLACK] = state.threats[WHITE] = ZERO
    for row in range(STRIDE):
        is_inside = row >= MARGIN and row < MARGIN + height
        state.near[row] = ZERO
        state.empty[row] = ((ONE << width) - ONE) << MARGIN if is_inside else ZERO
    for direction in range(DIRECTIONS):
        for line in range(LINES):
            state.lines[direction, line] = ALL_WALLS
    for cell in range(CELLS):
        state.classes[BLACK, cell] = state.classes[WHITE, cell] = ZERO
        state.shapes[cell] = ZERO
        if (uint64(state.empty[row_of(cell)]) >> column_of(cell)) & ONE == ZERO:
            state.stones[cell] = WALL
            continue
        state.stones[cell] = ZERO
        for direction in range(DIRECTIONS):
            state.lines[direction, line_of(direction, cell)] ^= WALL << (TWO * position_of(direction, cell))

    for i in range(SUMS):
        state.sums[ZERO, i] = 0
    reach = TWO * uint64(tables.half)
    for cell in range(CELLS):
        if uint64(state.stones[cell]) == WALL:
            continue
        shape = ZERO
        for direction in range(DIRECTIONS):
            word = uint64(state.lines[direction, line_of(direction, cell)])
            bit = TWO * position_of(direction, cell)
            shape |= line_classes(tables, word, bit, reach) << (FOUR * direction)
        black = uint64(tables.cell_class[BLACK, shape & HALF_SHAPE_MASK])
        white = uint64(tables.cell_class[WHITE, shape >> HALF_SHAPE])
        state.shapes[cell] = shape
        state.classes[BLACK, cell], state.classes[WHITE, cell] = black, white
        state.threats[BLACK] += UNITS[black]
        state.threats[WHITE] += UNITS[white]
        for i in range(SUMS):
            state.sums[ZERO, i] += tables.rows[black * CLASS_STRIDE + white, i]
        add_value(state, tables.value[black * CLASS_STRIDE + white])


@kernel(void(STATE, uint64, uint64))
def make(state, cell, colour):
    """Place a stone on an empty cell; then the other colour is to move."""
    tables = tables_at(state.tables)
    stone = colour + ONE
    column, row = column_of(cell), row_of(cell)

    # Step 1. Remember what no cell's undo entry restores.
    frame = state.frames[state.moves]
    frame.threats[BLACK], frame.threats[WHITE] = state.threats[BLACK], state.threats[WHITE]
    frame.trail_top = state.trail_top
    frame.value[BLACK], frame.value[WHITE] = state.value[BLACK], state.value[WHITE]
    frame.summed = state.summed
    frame.cell = cell
    frame.to_move, frame.winner = state.to_move, state.winner

    # Step 2. The cell leaves the threats and the evaluation of the empty ones. Both are summed in registers: counting
    # each class in memory, and back in `undo`, takes 1.35 times as long.
    black, white = uint64(state.classes[BLACK, cell]), uint64(state.classes[WHITE, cell])
    if uint64(state.classes[colour, cell]) == cell_class.FIVE:
        state.winner = stone
    value = -int64(tables.value[black * CLASS_STRIDE + white])
    black_threats = uint64(state.threats[BLACK]) - UNITS[black]
    white_threats = uint64(state.threats[WHITE]) - UNITS[white]
    top = uint64(state.trail_top)
    state.trail[top] = entry_of(cell, black, white, uint64(state.shapes[cell]))
    top += ONE
    state.classes[BLACK, cell] = state.classes[WHITE, cell] = ZERO
    state.stones[cell] = stone

    # Step 3. Cells around it become candidates.
    state.empty[row] ^= ONE << column
    for i in range(NEAR_SPAN):
        near = uint64(state.near[row + i - NEAR_ROWS])
        frame.near[i] = near
        state.near[row + i - NEAR_ROWS] = near | (near_bits(i) << (column - NEAR_ROWS))

    # Step 4. The empty cells of the four lines, as far as a winning line through the stone reaches.
    half = uint64(tables.half)
    reach = TWO * half
    span = EVERY_CELL & ((ONE << (TWO * reach + TWO)) - ONE)
    for direction in range(DIRECTIONS):
        line, position, step = line_of(direction, cell), position_of(direction, cell), step_of(direction)
        word = uint64(state.lines[direction, line]) | (stone << (TWO * position))
        state.lines[direction, line] = word
        shift = FOUR * direction
        mask = ONE_LINE << shift
        first = cell - position * step
        window = ~(word | (word >> ONE)) & (span << (TWO * (position - half)))
        while window != ZERO:
            bit = lowest_bit(window)
            window &= window - ONE
            other = first + (bit >> ONE) * step
            changed = line_classes(tables, word, bit, reach) << shift
            shape = uint64(state.shapes[other])
            if SKIPS_UNCHANGED and shape & mask == changed:
                continue
            black, white = uint64(state.classes[BLACK, other]), uint64(state.classes[WHITE, other])
            state.trail[top] = entry_of(other, black, white, shape)
            top += ONE
            shape = (shape & ~mask) | changed
            state.shapes[other] = shape
            new_black = uint64(tables.cell_class[BLACK, shape & HALF_SHAPE_MASK])
            new_white = uint64(tables.cell_class[WHITE, shape >> HALF_SHAPE])
            # Both classes often stay what they were. To look for that costs 2.3 ±1.6 % of a search: the branch is
            # mispredicted too often.
            value += tables.value[new_black * CLASS_STRIDE + new_white] - tables.value[black * CLASS_STRIDE + white]
            black_threats += UNITS[new_black] - UNITS[black]
            white_threats += UNITS[new_white] - UNITS[white]
            state.classes[BLACK, other] = new_black
            state.classes[WHITE, other] = new_white

    # Step 5. What a stone changes once.
    add_value(state, value)
    state.threats[BLACK], state.threats[WHITE] = black_threats, white_threats
    state.trail_top = top
    state.moves += ONE
    state.key ^= tables.zobrist[colour, cell]
    if uint64(state.to_move) == colour:
        state.to_move = ONE - colour
        state.key ^= tables.zobrist_side


@kernel(void(STATE))
def undo(state):
    """Take the last stone back and restore every byte of the position; the undo stacks keep what lies above it."""
    tables = tables_at(state.tables)
    state.moves -= ONE
    frame = state.frames[state.moves]
    cell = uint64(frame.cell)
    stone = uint64(state.stones[cell])
    column, row = column_of(cell), row_of(cell)

    state.key ^= tables.zobrist[stone - ONE, cell]
    if state.to_move != frame.to_move:
        state.key ^= tables.zobrist_side
    state.to_move, state.winner = frame.to_move, frame.winner
    state.summed = frame.summed
    state.threats[BLACK], state.threats[WHITE] = frame.threats[BLACK], frame.threats[WHITE]
    state.value[BLACK], state.value[WHITE] = frame.value[BLACK], frame.value[WHITE]
    state.stones[cell] = ZERO
    state.empty[row] ^= ONE << column
    for i in range(NEAR_SPAN):
        state.near[row + i - NEAR_ROWS] = frame.near[i]
    for direction in range(DIRECTIONS):
        state.lines[direction, line_of(direction, cell)] ^= stone << (TWO * position_of(direction, cell))

    # The stone's own entry lies at the bottom and is restored last.
    bottom, top = uint64(frame.trail_top), uint64(state.trail_top)
    state.trail_top = bottom
    while top > bottom:
        top -= ONE
        entry = uint64(state.trail[top])
        other = entry & ENTRY_CELL_MASK
        state.classes[BLACK, other] = (entry >> ENTRY_BLACK) & ENTRY_CLASS_MASK
        state.classes[WHITE, other] = (entry >> ENTRY_WHITE) & ENTRY_CLASS_MASK
        state.shapes[other] = entry >> ENTRY_SHAPE
