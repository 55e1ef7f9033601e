"""The search: negamax with alpha-beta, principal variations first, fours where a position seems lost."""

import numpy as np
from numba import int64, uint64, void

from pbrain.core import params
from pbrain.kernel.board import undo
from pbrain.kernel.constants import CELL_FIVE, CELL_FOUR, ONE, TWO, ZERO
from pbrain.kernel.features import (
    HAS_FUTILITY,
    HAS_INTERNAL_REDUCTION,
    HAS_LEAF_ANSWERS,
    HAS_MOVE_PRUNING,
    HAS_RAZORING,
    HAS_REDUCTIONS,
    HAS_SINGULAR,
    HAS_STALE_REDUCTION,
    HAS_TABLE_ESTIMATE,
)
from pbrain.kernel.history import record, reward
from pbrain.kernel.limits import play, should_stop
from pbrain.kernel.machine import kernel
from pbrain.kernel.moves import bring_best_forward, first_at_least, generate, is_caro
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.selectivity import (
    FUTILITY_A_PLY,
    FUTILITY_DEPTH,
    INTERNAL_DEPTH,
    QUIET_A_PLY,
    QUIET_BASE,
    QUIET_DEPTH,
    RAZOR_A_PLY,
    RAZOR_BASE,
    RAZOR_DEPTH,
    REDUCTION_DEPTH,
    REDUCTION_FROM,
    REDUCTION_RECORD,
    SINGULAR_A_PLY,
    SINGULAR_DEPTH,
    SINGULAR_TABLE_PLIES,
    is_quiet,
    is_urgent,
    reduction,
    staleness,
    width,
)
from pbrain.kernel.table import AT_LEAST, AT_MOST, EXACT, bound_in, depth_in, move_in, probe, score_in, store
from pbrain.kernel.threats import evaluate, has_five, has_open_four, is_full
from pbrain.kernel.vcf import best_four, short_vcf

WIN = np.int64(params.WIN)
WIN_BOUND = np.int64(params.WIN_BOUND)
MAX_STATIC = np.int64(params.MAX_STATIC)
INFINITE = np.int64(params.INFINITE)
LAST_PLY = np.uint64(params.MAX_PLY - 2)


@kernel(int64(STATE), inline=True)
def static_score(state):
    value = evaluate(state)
    if value > MAX_STATIC:
        return MAX_STATIC
    return value if value > -MAX_STATIC else -MAX_STATIC


@kernel(int64(int64, int64, uint64), inline=True)
def better_estimate(value, known, bound):
    """What the table knows of a position, where it says more than the static score and proves nothing."""
    if known >= WIN_BOUND or known <= -WIN_BOUND:
        return value
    if bound == EXACT or (bound == AT_LEAST and known > value) or (bound == AT_MOST and known < value):
        return known
    return value


@kernel(void(WORKER, uint64, uint64), inline=True)
def keep_variation(worker, ply, cell):
    """The best line from this ply on is this move and the best line below it."""
    worker.variations[ply, ply] = cell
    end = uint64(worker.variation_ends[ply + ONE])
    for i in range(ply + ONE, end):
        worker.variations[ply, i] = worker.variations[ply + ONE, i]
    worker.variation_ends[ply] = end if end > ply + ONE else ply + ONE


@kernel(int64(STATE, WORKER, int64, int64, int64, uint64))
def search(state, worker, alpha, beta, depth, ply):
    """The score for the side to move, exact inside (alpha, beta)."""
    # Step 1. Out of time, or told to stop: the score no longer matters.
    if should_stop(worker):
        return int64(0)
    worker.variation_ends[ply] = ply
    if ply > uint64(worker.selective_depth):
        worker.selective_depth = ply
    me = uint64(state.to_move)
    you = ONE - me

    # Step 2. What the counts decide: a five now, a full board, two fives against, an open four.
    if has_five(state, me):
        worker.variation_ends[ply + ONE] = ply + ONE
        keep_variation(worker, ply, first_at_least(state, me, CELL_FIVE))
        return WIN - int64(ply + ONE)
    if is_full(state):
        return int64(0)
    if ply >= LAST_PLY:
        return static_score(state)
    is_principal = beta - alpha > int64(1)
    must_block = has_five(state, you)
    if must_block and uint64(state.counts[you, CELL_FIVE]) > ONE and not is_caro(state):
        return int64(ply + TWO) - WIN
    if not must_block and has_open_four(state, me):
        worker.variation_ends[ply + ONE] = ply + ONE
        keep_variation(worker, ply, best_four(state, me))
        return WIN - int64(ply) - int64(3)

    # Step 3. Nothing here can be better than a win after next, or worse than a loss at once.
    if beta > WIN - int64(ply) - int64(3):
        beta = WIN - int64(ply) - int64(3)
    if alpha < int64(ply) + int64(2) - WIN:
        alpha = int64(ply) + int64(2) - WIN
    if alpha >= beta:
        return alpha

    # Step 4. Leaves have their static score. A five that must be blocked is no leaf, and an open three none before its
    # answers are looked at: there are few. Wins by fours are for step 6 to find: here they cost as much as they gain.
    if depth <= 0 and not must_block:
        if not HAS_LEAF_ANSWERS or not has_open_four(state, you) or is_caro(state):
            return static_score(state)
        depth = int64(1)

    # Step 5. The same position, searched before. A principal variation is searched again: its line must come out
    # whole. What is proven is so at any depth.
    excluded = uint64(worker.excluded[ply])
    data = probe(worker, uint64(state.key))
    table_move = ZERO
    if data != ZERO:
        table_move = move_in(data)
        known, bound = score_in(data, int64(ply)), bound_in(data)
        is_valid = depth_in(data) >= depth or known >= WIN_BOUND or known <= -WIN_BOUND
        is_enough = bound == EXACT or (bound == AT_LEAST and known >= beta) or (bound == AT_MOST and known <= alpha)
        if is_valid and is_enough and not is_principal and excluded == ZERO:
            return known

    value = estimate = static_score(state)
    if HAS_TABLE_ESTIMATE and data != ZERO and excluded == ZERO:
        estimate = better_estimate(value, score_in(data, int64(ply)), bound_in(data))
    is_threatened = has_open_four(state, you)
    if not is_principal and not must_block:
        # Step 6. Razoring: far below alpha, only fours can help.
        if HAS_RAZORING and depth <= RAZOR_DEPTH and estimate + RAZOR_BASE + RAZOR_A_PLY * depth <= alpha:
            plies = short_vcf(state, worker)
            if plies > 0:
                return WIN - int64(ply) - plies
            return value

        # Step 7. Futility: far above beta, a few moves will not bring it down.
        if (
            HAS_FUTILITY
            and depth <= FUTILITY_DEPTH
            and not is_threatened
            and beta < WIN_BOUND
            and beta > -WIN_BOUND
            and estimate - FUTILITY_A_PLY * depth >= beta
        ):
            return estimate

    # Step 8. Singular moves: if without the table's move the score falls, that move is searched deeper; if even then
    # it reaches beta, several moves do; if the table's move alone reaches beta by its word, less deep will do.
    more = int64(0)
    if (
        HAS_SINGULAR
        and depth >= SINGULAR_DEPTH
        and table_move != ZERO
        and excluded == ZERO
        and not must_block
        and bound_in(data) != AT_MOST
        and depth_in(data) >= depth - SINGULAR_TABLE_PLIES
    ):
        known = score_in(data, int64(ply))
        if known < WIN_BOUND and known > -WIN_BOUND:
            target = known - SINGULAR_A_PLY * depth
            worker.excluded[ply] = table_move
            score = search(state, worker, target - int64(1), target, (depth - int64(1)) >> int64(1), ply)
            worker.excluded[ply] = ZERO
            if uint64(worker.is_stopped) != ZERO:
                return int64(0)
            worker.variation_ends[ply] = ply
            if score < target:
                more = int64(1)
            elif target >= beta:
                return target
            elif known >= beta:
                more = -int64(1)

    # Step 9. Without a move to begin with, a shallower search finds one for the next time; with one from a much
    # shallower search, the way there is taken in steps.
    if HAS_INTERNAL_REDUCTION and depth >= INTERNAL_DEPTH and table_move == ZERO and not must_block:
        depth -= int64(1)
    if HAS_STALE_REDUCTION and is_principal and table_move != ZERO and not must_block:
        depth -= staleness(depth, depth_in(data))

    # Step 10. The moves, best first. A forced block costs no depth. Nothing is left out while all is lost.
    count = generate(state, worker, ply, table_move)
    best, best_move, raised = -INFINITE, ZERO, alpha
    most = uint64(width(depth))
    below = depth if must_block else depth - int64(1)
    for i in range(count):
        bring_best_forward(worker, ply, i, count)
        cell = uint64(worker.moves[ply, i])
        if cell == excluded:
            continue
        mine, theirs = uint64(state.classes[me, cell]), uint64(state.classes[you, cell])
        if HAS_MOVE_PRUNING and best > -WIN_BOUND and not must_block:
            if i >= most:
                break
            if (
                depth <= QUIET_DEPTH
                and not is_principal
                and is_quiet(mine, theirs)
                and value + QUIET_BASE + QUIET_A_PLY * depth <= alpha
            ):
                continue
        less = int64(0)
        if HAS_REDUCTIONS and depth >= REDUCTION_DEPTH and i >= REDUCTION_FROM and mine < CELL_FOUR and not must_block:
            less = reduction(depth, i) - record(worker, me, ply, cell) // REDUCTION_RECORD
            if is_principal or is_urgent(mine, theirs):
                less -= int64(1)
            if is_threatened:
                less = less >> int64(1)
            if less > below - int64(1):
                less = below - int64(1)
            if less < 0:
                less = int64(0)
        worker.played[ply] = cell
        play(state, worker, cell, me)
        if best == -INFINITE:
            deeper = below + more if cell == table_move else below
            score = -search(state, worker, -beta, -raised, deeper, ply + ONE)
        else:
            score = -search(state, worker, -raised - int64(1), -raised, below - less, ply + ONE)
            if less > 0 and score > raised:
                score = -search(state, worker, -raised - int64(1), -raised, below, ply + ONE)
            if score > raised and score < beta:
                score = -search(state, worker, -beta, -raised, below, ply + ONE)
        undo(state)
        if uint64(worker.is_stopped) != ZERO:
            return int64(0)
        if score > best:
            best, best_move = score, cell
            if score > raised:
                raised = score
                keep_variation(worker, ply, cell)
            if score >= beta:
                reward(worker, me, ply, cell, i, depth)
                break
    if count == ZERO:
        return int64(ply + TWO) - WIN if must_block else value

    # Step 11. Remember it.
    if excluded != ZERO:
        return best
    bound = AT_LEAST if best >= beta else (EXACT if best > alpha else AT_MOST)
    store(worker, uint64(state.key), best_move, best, depth, bound, int64(ply))
    return best
