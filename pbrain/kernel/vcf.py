"""VCF, victory by continuous fours: the attacker plays nothing but fours, so each answer is forced.

At the root every four is tried. A short VCF, inside the search, tries the fours that can lead somewhere: a four that
also builds something in another direction, in line with the four before it. That finds most wins for a quarter of the
nodes.
"""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.core import params
from pbrain.kernel import cell_class, features, threat
from pbrain.kernel.board import columns_apart, rows_apart, undo
from pbrain.kernel.constants import MARGIN, ONE, STRIDE, TWO, ZERO
from pbrain.kernel.fours import (
    aims_at_foul,
    can_open_four,
    collect_five_blocks,
    fours_in_row,
    has_foul_targets,
    has_suspects,
    has_two_fives,
    makes_four,
    winning_four,
)
from pbrain.kernel.limits import should_stop
from pbrain.kernel.machine import kernel, lowest_bit
from pbrain.kernel.nodes import play
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.renju import is_foul
from pbrain.kernel.table import EXACT, LOWER_BOUND, UPPER_BOUND, bound_in, depth_in, move_in, probe, score_in, store
from pbrain.kernel.threats import count_of, first_at_least, has_five

NO_WIN = np.int64(0)

# One table serves all. These keep VCF apart from the search, a short VCF apart from a whole one and by its last four,
# and a VCF of the side that is not to move apart from the mover's.
VCF_SALT = np.uint64(0x9E3779B97F4A7C15)
SHORT_SALT = np.uint64(0xBF58476D1CE4E5B9)
LAST_SALT = np.uint64(0xD1B54A32D192ED03)
PASS_SALT = np.uint64(0x94D049BB133111EB)

# What the table says of a VCF: it wins; it fails with so many fours; it fails with any number of them.
WINS, FAILS, FAILS_ALWAYS = EXACT, UPPER_BOUND, LOWER_BOUND
IN_LINE = np.int64(4)  # a five can hold two stones that are so far apart

SHORT_FOURS = np.uint64(params.SHORT_FOURS)
SHORT_NODES = np.uint64(params.SHORT_NODES)
LAST_FOUR_PLY = np.uint64(params.MAX_PLY - 4)


@kernel(boolean(WORKER), inline=True)
def should_give_up(worker):
    """Out of this VCF's nodes, or of the whole search's limits."""
    return uint64(worker.nodes) >= uint64(worker.vcf_limit) or should_stop(worker)


@kernel(boolean(uint64, uint64), inline=True)
def is_in_line(cell, other):
    """Whether a five could hold stones on both cells."""
    across, down = columns_apart(cell, other), rows_apart(cell, other)
    return across <= IN_LINE and down <= IN_LINE and (across == 0 or down == 0 or across == down)


@kernel(uint64(STATE, boolean, uint64), inline=True)
def table_key(state, is_short, last):
    salt = VCF_SALT ^ SHORT_SALT if is_short else VCF_SALT
    return uint64(state.key) ^ salt ^ (last * LAST_SALT)


@kernel(boolean(STATE, uint64, uint64), inline=True)
def is_promising(state, cell, last):
    """Whether a short VCF tries a four: it builds something else too, in line with the last four if there was one.

    In renju, white's also if black may not be allowed to block it.
    """
    me = uint64(state.to_move)
    if has_foul_targets(state, me) and aims_at_foul(state, cell):
        return True
    kind = uint64(state.classes[me, cell])
    if kind < cell_class.FOUR_TWO and kind != cell_class.SUSPECT:  # suspect: two threes beside the four
        return False
    return last == ZERO or is_in_line(cell, last)


@kernel(uint64(STATE, WORKER, boolean, uint64, uint64), inline=True)
def known_result(state, worker, is_short, last, fours):
    """What the table knows that settles a VCF of so many fours, or zero."""
    data = probe(worker, table_key(state, is_short, last)) if features.HAS_VCF_TABLE else ZERO
    if data == ZERO or bound_in(data) == FAILS_ALWAYS:
        return data
    if bound_in(data) == FAILS:
        return data if depth_in(data) >= int64(fours) else ZERO
    return data if is_short or score_in(data, int64(0)) <= int64(TWO * fours + ONE) else ZERO


@kernel(int64(STATE, WORKER, uint64, uint64, boolean, uint64))
def vcf(state, worker, ply, fours, is_short, last):
    """In how many plies the side to move wins by at most `fours` fours, or zero; the line goes to `vcf_line`.

    `last` is the attacker's four before this one, or zero; only a short VCF looks at it. A whole VCF writes the whole
    line, instead of trusting the table for the rest. In caro, where several answers must be tried, the line is that of
    the answer tried last.
    """
    me = uint64(state.to_move)
    opponent = ONE - me

    # Step 1. A five now.
    if has_five(state, me):
        worker.vcf_line[ply] = first_at_least(state, me, cell_class.FIVE)
        worker.vcf_length = ply + ONE
        return int64(1)

    # Step 2. The opponent's five must be blocked by a four.
    only = ZERO
    if has_five(state, opponent):
        only = first_at_least(state, opponent, cell_class.FIVE)
        if count_of(state, opponent, threat.FIVE) > ONE or not makes_four(state, me, only):
            return NO_WIN
    if ply >= LAST_FOUR_PLY or should_give_up(worker):
        return NO_WIN
    if fours == ZERO:
        worker.is_vcf_cut = ONE
        return NO_WIN

    # Step 3. An open four wins.
    if only == ZERO and can_open_four(state, me):
        worker.vcf_line[ply] = winning_four(state, me)
        worker.vcf_length = ply + ONE
        return int64(3)

    # Step 4. The same position, searched before.
    data = known_result(state, worker, is_short, last, fours)
    if data != ZERO:
        if bound_in(data) != WINS:
            worker.is_vcf_cut |= uint64(bound_in(data) == FAILS)
            return NO_WIN
        if is_short:
            return score_in(data, int64(0))
        only = move_in(data)

    # Step 5. The fours, one by one. Each must win against every block; one that cannot be blocked wins at once.
    key = table_key(state, is_short, last)
    was_cut = uint64(worker.is_vcf_cut)
    worker.is_vcf_cut = ZERO
    for row in range(MARGIN, MARGIN + uint64(state.height)):
        cells = fours_in_row(state, me, row)
        while cells != ZERO:
            cell = row * STRIDE + lowest_bit(cells)
            cells &= cells - ONE
            if (cell != only) if only != ZERO else (is_short and not is_promising(state, cell, last)):
                continue
            play(state, worker, cell)
            plies = int64(3)
            worker.vcf_length = ply + ONE
            if not has_two_fives(state, me):
                for i in range(collect_five_blocks(state, worker, ply, me)):
                    block = uint64(worker.blocks[ply, i])
                    if is_foul(state, opponent, block):
                        continue
                    play(state, worker, block)
                    rest = vcf(state, worker, ply + TWO, fours - ONE, is_short, cell if is_short else ZERO)
                    undo(state)
                    if rest == NO_WIN:
                        plies = NO_WIN
                        break
                    plies = max(plies, rest + int64(2))
                    worker.vcf_line[ply + ONE] = block
            undo(state)
            if plies != NO_WIN:
                worker.is_vcf_cut |= was_cut
                worker.vcf_line[ply] = cell
                if features.HAS_VCF_TABLE:
                    store(worker, key, cell, plies, int64(fours), WINS, int64(0))
                return plies
            if should_give_up(worker):
                return NO_WIN
    if features.HAS_VCF_TABLE:
        result = FAILS_ALWAYS if uint64(worker.is_vcf_cut) == ZERO else FAILS
        store(worker, key, ZERO, NO_WIN, int64(fours), result, int64(0))
    worker.is_vcf_cut |= was_cut
    return NO_WIN


@kernel(int64(STATE, WORKER, uint64, uint64))
def find_vcf(state, worker, fours, nodes):
    """`vcf` within a number of nodes of its own, with the whole line, and with as few fours as will do."""
    worker.vcf_limit = uint64(worker.nodes) + nodes
    for limit in range(ONE, fours + ONE):
        worker.is_vcf_cut = ZERO
        plies = vcf(state, worker, ZERO, limit, False, ZERO)
        if plies != NO_WIN or uint64(worker.is_vcf_cut) == ZERO or should_give_up(worker):
            return plies
    return NO_WIN


@kernel(int64(STATE, WORKER, uint64, uint64))
def find_opponent_vcf(state, worker, fours, nodes):
    """`find_vcf` of the opponent, if it were its turn."""
    state.to_move = ONE - uint64(state.to_move)
    state.key ^= PASS_SALT
    plies = find_vcf(state, worker, fours, nodes)
    state.key ^= PASS_SALT
    state.to_move = ONE - uint64(state.to_move)
    return plies


@kernel(int64(STATE, WORKER))
def short_vcf(state, worker):
    """`vcf` as far as a node of the search may look; what took all its nodes is not tried again."""
    me = uint64(state.to_move)
    min_class = cell_class.FOUR if has_foul_targets(state, me) else cell_class.FOUR_TWO
    if first_at_least(state, me, min_class) == ZERO and not has_suspects(state, me):
        return NO_WIN
    worker.vcf_limit = uint64(worker.nodes) + SHORT_NODES
    plies = vcf(state, worker, ZERO, SHORT_FOURS, True, ZERO)
    if features.HAS_VCF_TABLE and plies == NO_WIN and uint64(worker.nodes) >= uint64(worker.vcf_limit):
        store(worker, table_key(state, True, ZERO), ZERO, NO_WIN, int64(SHORT_FOURS), FAILS, int64(0))
    return plies
