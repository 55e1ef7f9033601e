"""Victory by continuous fours: the attacker plays nothing but fours, so each answer is forced.

At the root every four is tried. Short searches, below it, look at those that can lead somewhere: a four that also
builds something in another direction, in line with the four before it. Most of what wins is found so, for a quarter of
the nodes: of all nodes, searches of fours had taken five out of six in crowded positions.
"""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.core import params
from pbrain.kernel.board import columns_apart, rows_apart, undo
from pbrain.kernel.constants import (
    BLACK,
    CELL_DOUBLE_FOUR,
    CELL_FIVE,
    CELL_FOUR,
    CELL_FOUR_TWO,
    CELL_OPEN_FOUR,
    MARGIN,
    ONE,
    STRIDE,
    TWO,
    ZERO,
)
from pbrain.kernel.features import HAS_VCF_TABLE
from pbrain.kernel.limits import play, should_stop
from pbrain.kernel.machine import kernel, lowest_bit, row_at_least
from pbrain.kernel.moves import collect_blocks, first_at_least, is_caro, is_foul
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.table import AT_LEAST, AT_MOST, EXACT, bound_in, depth_in, move_in, probe, score_in, store
from pbrain.kernel.threats import has_five, has_open_four

LOST_TRACK = np.int64(0)
TABLE_SALT = np.uint64(0x9E3779B97F4A7C15)  # keeps searches of fours apart from others in the same table
LAST_SALT = np.uint64(0xD1B54A32D192ED03)  # and those that follow a four apart from those that follow another
PASS_SALT = np.uint64(0x94D049BB133111EB)  # and those of the side that is not to move apart from the other's

# What the table says of a search of fours: that it won, that it fails with so many, or with any number of them.
WON, FAILS, FAILS_ALWAYS = EXACT, AT_MOST, AT_LEAST
ANYWHERE = np.uint64(1)  # no cell of the board
IN_LINE = np.int64(4)  # a five can hold two stones that are so far apart

SHORT_FOURS = np.uint64(params.SHORT_FOURS)
SHORT_NODES = np.uint64(params.SHORT_NODES)
LINE_END = np.uint64(params.MAX_PLY - 4)


@kernel(uint64(STATE, uint64))
def best_four(state, colour):
    """A cell that makes an open four or else a double four; the colour has no five."""
    cell = first_at_least(state, colour, CELL_OPEN_FOUR)
    return cell if cell != ZERO else first_at_least(state, colour, CELL_DOUBLE_FOUR)


@kernel(boolean(WORKER), inline=True)
def should_give_up(worker):
    """Out of this search's nodes, or of the whole search's limits."""
    return uint64(worker.nodes) >= uint64(worker.vcf_limit) or should_stop(worker)


@kernel(boolean(uint64, uint64), inline=True)
def is_in_line(cell, other):
    """Whether a five could hold stones on both cells."""
    across, down = columns_apart(cell, other), rows_apart(cell, other)
    return across <= IN_LINE and down <= IN_LINE and (across == 0 or down == 0 or across == down)


@kernel(uint64(STATE, uint64), inline=True)
def table_key(state, last):
    return uint64(state.key) ^ TABLE_SALT ^ (last * LAST_SALT)


@kernel(boolean(STATE, uint64, uint64), inline=True)
def is_promising(state, cell, last):
    """Whether to look at a four: a short search's builds something else too, in line with the one before it."""
    if last == ZERO:
        return True
    if uint64(state.classes[state.to_move, cell]) < CELL_FOUR_TWO:
        return False
    return last == ANYWHERE or is_in_line(cell, last)


@kernel(int64(STATE, WORKER, uint64, uint64, uint64))
def vcf(state, worker, ply, fours, last):
    """In how many plies the side to move wins by at most `fours` fours, or zero; the line goes to `vcf_line`.

    `last` is a short search's four before this one, or ANYWHERE; zero at the root, where every four is tried and the
    whole line is written, instead of trusting the table for the rest.

    A defender's own five must be blocked by a four of the attacker's, and a defender that may not block has lost.
    Where several answers must be tried, in caro, the line is the one of the answer that was tried last.
    """
    me = uint64(state.to_move)
    you = ONE - me
    if has_five(state, me):
        worker.vcf_line[ply] = first_at_least(state, me, CELL_FIVE)
        worker.vcf_length = ply + ONE
        return int64(1)
    only = ZERO
    if has_five(state, you):
        if uint64(state.counts[you, CELL_FIVE]) > ONE:
            return LOST_TRACK
        only = first_at_least(state, you, CELL_FIVE)
        if uint64(state.classes[me, only]) < CELL_FOUR:
            return LOST_TRACK
    if ply >= LINE_END or should_give_up(worker):
        return LOST_TRACK
    if fours == ZERO:
        worker.is_vcf_cut = ONE
        return LOST_TRACK
    if only == ZERO and has_open_four(state, me):
        worker.vcf_line[ply] = best_four(state, me)
        worker.vcf_length = ply + ONE
        return int64(3)
    key = table_key(state, last)
    if HAS_VCF_TABLE:
        data = probe(worker, key)
        if data != ZERO:
            if bound_in(data) == FAILS_ALWAYS:
                return LOST_TRACK
            if bound_in(data) == FAILS:
                if depth_in(data) >= int64(fours):
                    worker.is_vcf_cut = ONE
                    return LOST_TRACK
            elif last != ZERO:
                return score_in(data, int64(0))
            elif score_in(data, int64(0)) <= int64(TWO * fours + ONE):
                only = move_in(data)
    was_cut = uint64(worker.is_vcf_cut)
    worker.is_vcf_cut = ZERO
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        cells = row_at_least(state, me, row, CELL_FOUR)
        while cells != ZERO:
            cell = row * STRIDE + lowest_bit(cells)
            cells &= cells - ONE
            if only != ZERO and cell != only:
                continue
            if only == ZERO and not is_promising(state, cell, last):
                continue
            play(state, worker, cell, me)
            plies = int64(3)
            worker.vcf_length = ply + ONE
            # Two fives cannot be blocked at once, but for caro's, where one stone may shut both in.
            if uint64(state.counts[me, CELL_FIVE]) == ONE or is_caro(state):
                for i in range(collect_blocks(state, worker, ply, me)):
                    block = uint64(worker.blocks[ply, i])
                    if you == BLACK and is_foul(state, block, you):
                        continue
                    play(state, worker, block, you)
                    rest = vcf(state, worker, ply + TWO, fours - ONE, cell if last != ZERO else ZERO)
                    undo(state)
                    if rest == 0:
                        plies = LOST_TRACK
                        break
                    plies = rest + int64(2) if rest + int64(2) > plies else plies
                    worker.vcf_line[ply + ONE] = block
            undo(state)
            if plies > 0:
                worker.is_vcf_cut |= was_cut
                worker.vcf_line[ply] = cell
                if HAS_VCF_TABLE:
                    store(worker, key, cell, plies, int64(fours), WON, int64(0))
                return plies
            if should_give_up(worker):
                return LOST_TRACK
    if HAS_VCF_TABLE:
        result = FAILS_ALWAYS if uint64(worker.is_vcf_cut) == ZERO else FAILS
        store(worker, key, ZERO, LOST_TRACK, int64(fours), result, int64(0))
    worker.is_vcf_cut |= was_cut
    return LOST_TRACK


@kernel(int64(STATE, WORKER, uint64, uint64))
def find_vcf(state, worker, fours, nodes):
    """`vcf` within a number of nodes of its own, with the whole line, and with as few fours as will do."""
    worker.vcf_limit = uint64(worker.nodes) + nodes
    for most in range(ONE, fours + ONE):
        worker.is_vcf_cut = ZERO
        plies = vcf(state, worker, ZERO, most, ZERO)
        if plies > 0 or uint64(worker.is_vcf_cut) == ZERO or should_give_up(worker):
            return plies
    return LOST_TRACK


@kernel(int64(STATE, WORKER, uint64, uint64))
def find_threatened_vcf(state, worker, fours, nodes):
    """`find_vcf` of the other side, if it were its turn."""
    state.to_move = ONE - uint64(state.to_move)
    state.key ^= PASS_SALT
    plies = find_vcf(state, worker, fours, nodes)
    state.key ^= PASS_SALT
    state.to_move = ONE - uint64(state.to_move)
    return plies


@kernel(int64(STATE, WORKER))
def short_vcf(state, worker):
    """`vcf` as far as a node of the search may look; what took all its nodes is not tried again."""
    if first_at_least(state, uint64(state.to_move), CELL_FOUR_TWO) == ZERO:
        return LOST_TRACK
    worker.vcf_limit = uint64(worker.nodes) + SHORT_NODES
    plies = vcf(state, worker, ZERO, SHORT_FOURS, ANYWHERE)
    if HAS_VCF_TABLE and plies == 0 and uint64(worker.nodes) >= uint64(worker.vcf_limit):
        store(worker, table_key(state, ANYWHERE), ZERO, LOST_TRACK, int64(SHORT_FOURS), FAILS, int64(0))
    return plies
