"""What the search looks at less closely, or not at all: margins in units of the evaluation, and depths in plies.

An open three to come is worth about 100 units. Each constant has the range in which it may be tuned.
"""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.kernel import cell_class, features
from pbrain.kernel.constants import EIGHT, ONE, WIN_BOUND, ZERO
from pbrain.kernel.machine import highest_bit, kernel
from pbrain.kernel.table import EXACT, LOWER_BOUND, UPPER_BOUND, bound_in, depth_in

# Aspiration: how near the last score an iteration looks for its own, and how the window grows until it holds it.
ASPIRATION_DEPTH = np.int64(5)  # 3 to 8: scores of shallower iterations jump
ASPIRATION = np.int64(30)  # 10 to 120
ASPIRATION_GROWTH = np.int64(3)  # 2 to 5
MAX_ASPIRATION = np.int64(1000)  # 300 to 4000: beyond it the window is open

# Razoring.
RAZOR_DEPTH = np.int64(3)  # 1 to 5
RAZOR_BASE = np.int64(100)  # 0 to 300
RAZOR_PER_PLY = np.int64(60)  # 20 to 150

# Futility.
FUTILITY_DEPTH = np.int64(8)  # 3 to 12
FUTILITY_PER_PLY = np.int64(60)  # 30 to 200

# Singular extension: how far the other moves must fall behind what the table knows of the best.
SINGULAR_DEPTH = np.int64(5)  # 4 to 9: its own search costs half the depth
SINGULAR_TABLE_PLIES = np.int64(3)  # 2 to 5: how much shallower than the node the table's result may be
SINGULAR_PER_PLY = np.int64(6)  # 2 to 30

# Late move pruning: how many moves a node looks at.
MOVE_LIMIT_BASE = np.int64(6)  # 3 to 15
MOVE_LIMIT_TWO_PLIES = np.int64(5)  # 2 to 12, for every two plies of depth
MAX_MOVE_LIMIT = np.int64(40)  # 20 to 100

# Quiet move pruning: quiet moves where the static score is far below alpha.
QUIET_DEPTH = np.int64(3)  # 1 to 6
QUIET_BASE = np.int64(60)  # 0 to 300
QUIET_PER_PLY = np.int64(60)  # 20 to 150

# Late move reductions grow with the logarithms of depth and move number.
REDUCTION_DEPTH = np.int64(3)  # 2 to 5
REDUCTION_FROM = np.uint64(2)  # 1 to 5: moves before it are searched to full depth
REDUCTION_DIVISOR = np.int64(130)  # 80 to 300: smaller reduces more
REDUCTION_HISTORY = np.int64(8000)  # 3000 to 20000: history worth a ply

# Internal reductions: without a table move, a node is searched a ply less deep and leaves a move for the next time.
INTERNAL_DEPTH = np.int64(4)  # 3 to 8

# A PV node whose table move comes from a search four plies less deep is searched one ply less deep.
STALE_SHIFT = np.int64(2)  # 1 to 3
MAX_STALE_REDUCTION = np.int64(3)  # 1 to 5

THREE_BITS = np.uint64(3)


@kernel(boolean(int64), inline=True)
def is_proven(score):
    return score >= WIN_BOUND or score <= -WIN_BOUND


@kernel(boolean(int64, int64, int64), inline=True)
def is_hopeless(depth, estimate, alpha):
    """Razoring: so far below alpha that only a VCF can help."""
    return features.HAS_RAZORING and depth <= RAZOR_DEPTH and estimate + RAZOR_BASE + RAZOR_PER_PLY * depth <= alpha


@kernel(boolean(int64, int64, int64), inline=True)
def is_futile(depth, estimate, beta):
    """Futility: so far above beta that a few moves will not bring it down."""
    if not features.HAS_FUTILITY or depth > FUTILITY_DEPTH or is_proven(beta):
        return False
    return estimate - FUTILITY_PER_PLY * depth >= beta


@kernel(boolean(int64, int64, int64), inline=True)
def prunes_quiet_moves(depth, static, alpha):
    return depth <= QUIET_DEPTH and static + QUIET_BASE + QUIET_PER_PLY * depth <= alpha


@kernel(uint64(int64), inline=True)
def move_limit(depth):
    """How many moves a node looks at: they are sorted by class, and what wins quietly is rarely far down."""
    return uint64(min(MOVE_LIMIT_BASE + ((MOVE_LIMIT_TWO_PLIES * depth) >> int64(1)), MAX_MOVE_LIMIT))


@kernel(int64(uint64), inline=True)
def eight_logs(number):
    """Eight times the binary logarithm, straight between powers of two."""
    highest = highest_bit(number)
    return int64(EIGHT * highest + (((number << THREE_BITS) >> highest) & (EIGHT - ONE)))


@kernel(int64(int64, uint64), inline=True)
def base_reduction(depth, index):
    """By how much less deep the move at a place in the list is searched at first."""
    return eight_logs(uint64(depth)) * eight_logs(index + ONE) // REDUCTION_DIVISOR


@kernel(boolean(int64, uint64, uint64), inline=True)
def may_reduce(depth, index, mine):
    """Whether late move reductions apply: never to fours."""
    if not features.HAS_LATE_MOVE_REDUCTIONS or depth < REDUCTION_DEPTH:
        return False
    return index >= REDUCTION_FROM and mine < cell_class.FOUR


@kernel(int64(int64, int64), inline=True)
def clamped_reduction(reduction, new_depth):
    """A reduction that leaves at least one ply of the new depth."""
    return max(min(reduction, new_depth - int64(1)), int64(0))


@kernel(int64(int64, uint64, int64, boolean, boolean, int64), inline=True)
def late_move_reduction(depth, index, history, is_important, is_threatened, new_depth):
    """The reduction of a late move: less with a good history, on the PV or for an urgent move, and under threat."""
    reduction = base_reduction(depth, index) - history // REDUCTION_HISTORY - int64(is_important)
    return clamped_reduction(reduction >> int64(1) if is_threatened else reduction, new_depth)


@kernel(int64(int64, uint64, uint64, boolean), inline=True)
def internal_reduction(depth, data, table_move, is_pv):
    """Plies to take off a node without a table move, or off a PV node whose move comes from a much shallower search."""
    reduction = int64(features.HAS_INTERNAL_REDUCTIONS and depth >= INTERNAL_DEPTH and table_move == ZERO)
    if features.HAS_STALE_PV_REDUCTIONS and is_pv and table_move != ZERO:
        reduction += max(min((depth - depth_in(data)) >> STALE_SHIFT, MAX_STALE_REDUCTION), int64(0))
    return reduction


@kernel(boolean(uint64, int64, int64), inline=True)
def is_singular_candidate(data, score, depth):
    """Whether the table's move may be so much better than the others that it deserves a ply more."""
    if not features.HAS_SINGULAR or depth < SINGULAR_DEPTH or data == ZERO:
        return False
    return bound_in(data) != UPPER_BOUND and depth_in(data) >= depth - SINGULAR_TABLE_PLIES and not is_proven(score)


@kernel(int64(int64, int64), inline=True)
def singular_beta(score, depth):
    return score - SINGULAR_PER_PLY * depth


@kernel(boolean(uint64, uint64), inline=True)
def is_quiet(mine, theirs):
    """A move that neither makes nor takes a three."""
    return mine < cell_class.SPLIT_THREE and theirs < cell_class.SPLIT_THREE


@kernel(boolean(uint64, uint64), inline=True)
def is_urgent(mine, theirs):
    """A move that makes a three, or takes a place where the opponent would make a four."""
    return mine >= cell_class.THREE or theirs >= cell_class.FOUR


@kernel(int64(int64, int64, uint64), inline=True)
def better_estimate(static, known, bound):
    """The table's score of a position, where it says more than the static score and proves nothing."""
    if is_proven(known):
        return static
    if bound == EXACT or (bound == LOWER_BOUND and known > static) or (bound == UPPER_BOUND and known < static):
        return known
    return static
