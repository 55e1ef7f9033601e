"""What the search looks at less closely, or not at all; core/parameters.py has the numbers."""

import numpy as np
from numba import boolean, int64, uint64

from pbrain.kernel import cell_class, features, threat
from pbrain.kernel.constants import EIGHT, ONE, PLY, WIN_BOUND, ZERO
from pbrain.kernel.machine import highest_bit, kernel
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.table import EXACT, LOWER_BOUND, UPPER_BOUND, bound_in, depth_in
from pbrain.kernel.threats import count_of
from pbrain.kernel.tuning import parameter

aspiration_depth = parameter("aspiration_depth")
aspiration = parameter("aspiration")
aspiration_growth = parameter("aspiration_growth")
max_aspiration = parameter("max_aspiration")
razor_depth = parameter("razor_depth")
razor_base = parameter("razor_base")
razor_per_ply = parameter("razor_per_ply")
futility_depth = parameter("futility_depth")
futility_per_ply = parameter("futility_per_ply")
singular_depth = parameter("singular_depth")
singular_table_plies = parameter("singular_table_plies")
singular_per_ply = parameter("singular_per_ply")
singular_reduction = parameter("singular_reduction")
move_limit_base = parameter("move_limit_base")
move_limit_two_plies = parameter("move_limit_two_plies")
max_move_limit = parameter("max_move_limit")
worsening_percent = parameter("worsening_percent")
quiet_depth = parameter("quiet_depth")
quiet_base = parameter("quiet_base")
quiet_per_ply = parameter("quiet_per_ply")
reduction_depth = parameter("reduction_depth")
reduction_from = parameter("reduction_from")
reduction_divisor = parameter("reduction_divisor")
reduction_history = parameter("reduction_history")
pv_reduction = parameter("pv_reduction")
urgent_reduction = parameter("urgent_reduction")
standing_reduction = parameter("standing_reduction")
raised_reduction = parameter("raised_reduction")
deeper_margin = parameter("deeper_margin")
deeper_extension = parameter("deeper_extension")
block_extension = parameter("block_extension")
internal_depth = parameter("internal_depth")
no_move_reduction = parameter("no_move_reduction")
stale_reduction = parameter("stale_reduction")
max_stale_reduction = parameter("max_stale_reduction")

THREE_BITS = np.uint64(3)
ZERO_PLIES = np.int64(0)


@kernel(boolean(int64), inline=True)
def is_proven(score):
    return score >= WIN_BOUND or score <= -WIN_BOUND


@kernel(boolean(WORKER, int64, int64, int64), inline=True)
def is_hopeless(worker, depth, estimate, alpha):
    """Razoring: so far below alpha that only a VCF can help."""
    return (
        features.HAS_RAZORING
        and depth <= razor_depth(worker)
        and estimate + razor_base(worker) + razor_per_ply(worker) * depth <= alpha
    )


@kernel(boolean(WORKER, int64, int64, int64), inline=True)
def is_futile(worker, depth, estimate, beta):
    """Futility: so far above beta that a few moves will not bring it down."""
    if not features.HAS_FUTILITY or depth > futility_depth(worker) or is_proven(beta):
        return False
    return estimate - futility_per_ply(worker) * depth >= beta


@kernel(boolean(WORKER, int64, int64, int64), inline=True)
def prunes_quiet_moves(worker, depth, static, alpha):
    return depth <= quiet_depth(worker) and static + quiet_base(worker) + quiet_per_ply(worker) * depth <= alpha


@kernel(uint64(WORKER, int64, boolean), inline=True)
def move_limit(worker, depth, is_improving):
    """How many moves a node looks at: they are sorted, and what wins quietly is rarely far down."""
    limit = min(move_limit_base(worker) + ((move_limit_two_plies(worker) * depth) >> int64(1)), max_move_limit(worker))
    return uint64(limit if is_improving else limit * worsening_percent(worker) // int64(100))


@kernel(int64(uint64), inline=True)
def eight_logs(number):
    """Eight times the binary logarithm, straight between powers of two."""
    highest = highest_bit(number)
    return int64(EIGHT * highest + (((number << THREE_BITS) >> highest) & (EIGHT - ONE)))


@kernel(int64(WORKER, int64, uint64), inline=True)
def base_reduction(worker, depth, index):
    """By how much less deep the move at a place in the list is searched at first."""
    return PLY * eight_logs(uint64(depth)) * eight_logs(index + ONE) // reduction_divisor(worker)


@kernel(boolean(WORKER, int64, uint64, uint64), inline=True)
def may_reduce(worker, depth, index, mine):
    """Whether late move reductions apply: never to fours."""
    if not features.HAS_LATE_MOVE_REDUCTIONS or depth < reduction_depth(worker):
        return False
    return int64(index) >= reduction_from(worker) and mine < cell_class.FOUR


@kernel(int64(int64, int64), inline=True)
def clamped_reduction(reduction, new_depth):
    """A reduction that leaves at least one ply of the new depth."""
    return max(min(reduction, new_depth - PLY), int64(0))


@kernel(int64(WORKER, int64, uint64, int64, boolean, boolean, boolean), inline=True)
def late_move_reduction(worker, depth, index, history, is_pv, is_urgent_move, is_threatened):
    """The reduction of a late move: less with a good history, on the PV or for an urgent move, and under threat."""
    less = max(pv_reduction(worker) * int64(is_pv), urgent_reduction(worker) * int64(is_urgent_move))
    reduction = base_reduction(worker, depth, index) - PLY * history // reduction_history(worker) - less
    return reduction >> int64(1) if is_threatened else reduction


@kernel(int64(WORKER, int64, uint64, uint64, boolean), inline=True)
def internal_reduction(worker, depth, data, table_move, is_pv):
    """What a node loses without a table move, or a PV node whose move comes from a much shallower search."""
    if table_move == ZERO:
        return (
            no_move_reduction(worker)
            if features.HAS_INTERNAL_REDUCTIONS and depth >= internal_depth(worker)
            else ZERO_PLIES
        )
    if not features.HAS_STALE_PV_REDUCTIONS or not is_pv:
        return ZERO_PLIES
    return max(min((depth - depth_in(data)) * stale_reduction(worker), max_stale_reduction(worker)), ZERO_PLIES)


@kernel(boolean(WORKER, uint64, int64, int64), inline=True)
def is_singular_candidate(worker, data, score, depth):
    """Whether the table's move may be so much better than the others that it deserves a ply more."""
    if not features.HAS_SINGULAR or depth < singular_depth(worker) or data == ZERO:
        return False
    return (
        bound_in(data) != UPPER_BOUND
        and depth_in(data) >= depth - singular_table_plies(worker)
        and not is_proven(score)
    )


@kernel(int64(WORKER, int64, int64), inline=True)
def singular_beta(worker, score, depth):
    return score - singular_per_ply(worker) * depth


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


@kernel(boolean(STATE, uint64), inline=True)
def leaves_four_three(state, opponent):
    """Whether the opponent, who is to move, has a four-three or more: after most such moves it wins."""
    return count_of(state, opponent, threat.FOUR_THREE) + count_of(state, opponent, threat.OPEN_FOUR) != ZERO
