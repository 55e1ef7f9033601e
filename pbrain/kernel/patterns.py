"""The pattern tables of a rule, generated from nothing but its definition of a winning line.

A line key is what a colour sees along one line from an empty cell: two bits for each of the `half` neighbours on
either side. Its class says what the line becomes when the colour plays that cell. Adding a stone only sets bits, so
every key that a class depends on is larger than the key itself. One descending pass over the keys therefore finds each
class from classes that are already known: there is no recursion and no list of patterns.
"""

from numba import boolean, uint64, void

from pbrain.core import params
from pbrain.kernel import cell_class, line_class
from pbrain.kernel.constants import (
    BLACK,
    CARO,
    EMPTY,
    EXACT_FIVE,
    FIVE,
    FOUR,
    NIBBLE,
    ONE,
    RENJU,
    THREE,
    TWO,
    WALL,
    WHITE,
    ZERO,
)
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import TABLES


@kernel(boolean(uint64, uint64, uint64, boolean))
def is_winning_run(rule, colour, length, is_shut):
    """The rule's definition of a winning line: a run of `length` stones, shut in by opposing stones or not."""
    if length < FIVE:
        return False
    if length == FIVE:
        return not (rule & CARO != ZERO and is_shut)
    return not (rule & EXACT_FIVE != ZERO or (rule & RENJU != ZERO and colour == BLACK))


@kernel(uint64(uint64, uint64), inline=True)
def neighbour(key, index):
    """The state of the index-th cell of a key, counted from the low end without the cell in the middle."""
    return (key >> (TWO * index)) & THREE


@kernel(boolean(uint64, uint64))
def has_possible_walls(key, half):
    """Walls only ever stand outside: beyond a wall there is nothing but walls."""
    for i in range(half - ONE):
        if neighbour(key, i + ONE) == WALL and neighbour(key, i) != WALL:
            return False
        if neighbour(key, half + i) == WALL and neighbour(key, half + i + ONE) != WALL:
            return False
    return True


@kernel(uint64(uint64, uint64, uint64), inline=True)
def run_below(key, half, own):
    """How many own stones touch the middle on its low side."""
    length = ZERO
    while length < half and neighbour(key, half - ONE - length) == own:
        length += ONE
    return length


@kernel(uint64(uint64, uint64, uint64), inline=True)
def run_above(key, half, own):
    length = ZERO
    while length < half and neighbour(key, half + length) == own:
        length += ONE
    return length


@kernel(uint64(TABLES, uint64, uint64), inline=True)
def known_class(tables, key, colour):
    return (uint64(tables.line_class[key]) >> (FOUR * colour)) & NIBBLE


@kernel(uint64(TABLES, uint64, uint64))
def class_of_key(tables, key, colour):
    """The line class of a key whose larger keys are all known."""
    rule, half = uint64(tables.rule), uint64(tables.half)
    own, other = colour + ONE, TWO - colour
    below, above = run_below(key, half, own), run_above(key, half, own)
    length = below + above + ONE
    is_shut = (
        below < half
        and above < half
        and neighbour(key, half - ONE - below) == other
        and neighbour(key, half + above) == other
    )
    if is_winning_run(rule, colour, length, is_shut):
        return line_class.FIVE
    has_fouls = rule & RENJU != ZERO and colour == BLACK
    if has_fouls and length > FIVE:
        return line_class.OVERLINE

    # What one more own stone makes of the line: how many cells lead to each class.
    fives = first_five = last_five = open_fours = fours = ZERO
    open_threes = split_threes = blocked_threes = open_twos = blocked_twos = ZERO
    for i in range(TWO * half):
        if neighbour(key, i) != EMPTY:
            continue
        after = known_class(tables, key | (own << (TWO * i)), colour)
        if after == line_class.FIVE:
            first_five = i if fives == ZERO else first_five
            last_five = i
            fives += ONE
        open_fours += uint64(after == line_class.OPEN_FOUR)
        fours += uint64(after == line_class.FOUR)
        open_threes += uint64(after == line_class.OPEN_THREE)
        split_threes += uint64(after == line_class.SPLIT_THREE)
        blocked_threes += uint64(after == line_class.BLOCKED_THREE)
        open_twos += uint64(after == line_class.OPEN_TWO or after == line_class.SPLIT_TWO)
        blocked_twos += uint64(after == line_class.BLOCKED_TWO)

    if fives > ZERO:
        # A straight four fills four cells between its two fives; the middle is not a cell of the key.
        if has_fouls and fives == TWO:
            return line_class.OPEN_FOUR if last_five - first_five == FOUR else line_class.TWO_FOURS
        for i in range(TWO * half):
            if neighbour(key, i) != EMPTY:
                continue
            if known_class(tables, key | (other << (TWO * i)), colour) < line_class.FOUR:
                return line_class.FOUR
        return line_class.OPEN_FOUR
    if open_fours > ONE:
        return line_class.OPEN_THREE
    if open_fours == ONE:
        return line_class.SPLIT_THREE
    if fours > ZERO:
        return line_class.BLOCKED_THREE
    if open_threes > ZERO:
        return line_class.OPEN_TWO
    if split_threes > ZERO:
        return line_class.SPLIT_TWO
    if blocked_threes > ZERO:
        return line_class.BLOCKED_TWO
    if open_twos > ZERO:
        return line_class.OPEN_ONE
    if blocked_twos > ZERO:
        return line_class.BLOCKED_ONE
    return line_class.DEAD


@kernel(void(TABLES))
def fill_line_classes(tables):
    half = uint64(tables.half)
    keys = ONE << (FOUR * half)
    for i in range(keys):
        key = keys - ONE - i
        if has_possible_walls(key, half):
            black = class_of_key(tables, key, BLACK)
            tables.line_class[key] = black
            # White's class is stored after black's is known; each reads its own nibble of larger keys only.
            tables.line_class[key] = black | (class_of_key(tables, key, WHITE) << FOUR)
        else:
            tables.line_class[key] = ZERO


@kernel(uint64(uint64, uint64), inline=True)
def best_of(one, other):
    return one if one > other else other


@kernel(uint64(uint64, boolean))
def class_of_shape(shape, has_fouls):
    """The cell class of four line classes, four bits each: the best of them, refined by the second best."""
    best = second = ZERO
    fours = threes = twos = overlines = ZERO
    for direction in range(FOUR):
        line = (shape >> (FOUR * direction)) & NIBBLE
        if line > best:
            second = best
            best = line
        elif line > second:
            second = line
        fours += uint64(line == line_class.FOUR or line == line_class.OPEN_FOUR) + TWO * uint64(
            line == line_class.TWO_FOURS
        )
        threes += uint64(line == line_class.SPLIT_THREE or line == line_class.OPEN_THREE)
        twos += uint64(line == line_class.SPLIT_TWO or line == line_class.OPEN_TWO)
        overlines += uint64(line == line_class.OVERLINE)

    if best == line_class.FIVE:
        return cell_class.FIVE
    if has_fouls:
        if overlines > ZERO or fours >= TWO:
            return cell_class.FORBIDDEN
        if threes >= TWO:
            return cell_class.SUSPECT
    if best == line_class.OPEN_FOUR:
        return cell_class.OPEN_FOUR
    if fours >= TWO:
        return cell_class.DOUBLE_FOUR
    # How good the second line is, in steps: a half two, a two, a half three.
    step = (
        uint64(second >= line_class.BLOCKED_TWO)
        + uint64(second >= line_class.SPLIT_TWO)
        + uint64(second >= line_class.BLOCKED_THREE)
    )
    if best == line_class.FOUR:
        if threes > ZERO:
            return cell_class.FOUR_THREE
        return cell_class.FOUR + best_of(step, ONE) - ONE
    if threes >= TWO:
        return cell_class.DOUBLE_THREE
    if best == line_class.OPEN_THREE:
        return cell_class.THREE + step
    if best == line_class.SPLIT_THREE:
        return cell_class.SPLIT_THREE + step
    if best == line_class.BLOCKED_THREE:
        return cell_class.HALF_THREE + step
    if twos >= THREE:
        return cell_class.TRIPLE_TWO
    if twos == TWO:
        return cell_class.TWO_TWO if second == line_class.OPEN_TWO else cell_class.SPLIT_TWO_TWO
    # Lower classes have other steps: an open one, a half two.
    step = uint64(second >= line_class.OPEN_ONE) + uint64(second >= line_class.BLOCKED_TWO)
    if best == line_class.OPEN_TWO:
        return cell_class.TWO + step
    if best == line_class.SPLIT_TWO:
        return cell_class.SPLIT_TWO + step
    if best == line_class.BLOCKED_TWO:
        return cell_class.HALF_TWO + step
    if best == line_class.OPEN_ONE:
        return cell_class.ONE + uint64(second == line_class.OPEN_ONE)
    return cell_class.ONE_BLOCKED if best == line_class.BLOCKED_ONE else cell_class.DEAD


@kernel(void(TABLES))
def fill_cell_classes(tables):
    for colour in range(TWO):
        has_fouls = uint64(tables.rule) & RENJU != ZERO and colour == BLACK
        for shape in range(uint64(1 << 16)):
            tables.cell_class[colour, shape] = class_of_shape(shape, has_fouls)


@kernel(uint64(uint64), inline=True)
def scrambled(counter):
    """splitmix64's finaliser: the same numbers on every machine (Steele, Lea and Flood 2014, figure 15)."""
    word = counter * uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@kernel(void(TABLES))
def fill_zobrist(tables):
    counter = ONE
    for colour in range(TWO):
        for cell in range(uint64(params.CELLS)):
            tables.zobrist[colour, cell] = scrambled(counter)
            counter += ONE
    tables.zobrist_side = scrambled(counter)


@kernel(void(TABLES, uint64))
def prepare(tables, rule):
    """Fill every table that follows from the rule; the evaluation's values are data and come from outside."""
    tables.rule = rule
    tables.half = params.HALF_FREESTYLE if rule == ZERO else params.HALF_WITH_ENDS
    fill_line_classes(tables)
    fill_cell_classes(tables)
    fill_zobrist(tables)
