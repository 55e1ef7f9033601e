"""The search: negamax with alpha-beta and principal variations, selective everywhere but where it claims a proof.

A score beyond WIN_BOUND is a proof. A win needs one move that wins. A loss needs every legal move to lose: no move is
pruned before one is found that does not, and moves far from all stones are tried too.
"""

import numpy as np
from numba import boolean, int64, uint64, void

from pbrain.core import params
from pbrain.kernel import cell_class, features
from pbrain.kernel.board import undo
from pbrain.kernel.busy import MAX_DEFERRED, begin_move, end_move, is_busy, shared_move
from pbrain.kernel.constants import FOUR, INFINITE, MAX_STATIC, ONE, PLY, TWO, WIN, WIN_BOUND, ZERO
from pbrain.kernel.corrections import correct, corrected, is_news
from pbrain.kernel.fours import can_open_four, class_of_move, has_two_fives, threatens_open_four, winning_four
from pbrain.kernel.history import history_of, reward
from pbrain.kernel.limits import is_stopped, should_stop
from pbrain.kernel.machine import kernel, lowest_bit
from pbrain.kernel.moves import bring_best_forward, generate, generate_rest
from pbrain.kernel.nodes import play_and_prefetch
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.selectivity import (
    better_estimate,
    block_extension,
    clamped_reduction,
    deeper_extension,
    deeper_margin,
    internal_reduction,
    is_futile,
    is_hopeless,
    is_proven,
    is_quiet,
    is_singular_candidate,
    is_urgent,
    late_move_reduction,
    leaves_four_three,
    may_reduce,
    move_limit,
    prunes_quiet_moves,
    raised_reduction,
    singular_beta,
    singular_reduction,
    standing_reduction,
)
from pbrain.kernel.table import EXACT, LOWER_BOUND, UPPER_BOUND, bound_in, depth_in, move_in, probe, score_in, store
from pbrain.kernel.threats import evaluate, first_at_least, has_five, is_full, threat_index, value_with
from pbrain.kernel.vcf import NO_WIN, short_vcf

LAST_PLY = np.uint64(params.MAX_PLY - 2)
HALF_PLY = np.int64(params.PLY // 2)


@kernel(int64(uint64), inline=True)
def win_in(ply):
    """The score of a five that the side to move makes at this ply of the search, the root's first move being ply 1."""
    return WIN - int64(ply)


@kernel(int64(STATE), inline=True)
def static_score(state):
    return max(-MAX_STATIC, min(evaluate(state), MAX_STATIC))


@kernel(void(WORKER, uint64, uint64), inline=True)
def keep_variation(worker, ply, cell):
    """The best line from this ply on is this move and the best line below it."""
    worker.variations[ply, ply] = cell
    end = uint64(worker.variation_ends[ply + ONE])
    for i in range(ply + ONE, end):
        worker.variations[ply, i] = worker.variations[ply + ONE, i]
    worker.variation_ends[ply] = end if end > ply + ONE else ply + ONE


@kernel(void(WORKER, uint64, uint64), inline=True)
def keep_last_move(worker, ply, cell):
    """The best line from this ply on is this move alone."""
    worker.variation_ends[ply + ONE] = ply + ONE
    keep_variation(worker, ply, cell)


@kernel(int64(int64), inline=True)
def in_plies(depth):
    """A depth in whole plies, rounded."""
    return (depth + HALF_PLY) // PLY


@kernel(boolean(uint64, int64, int64, int64, int64), inline=True)
def is_table_cutoff(data, score, depth, alpha, beta):
    """Whether a table result settles a node: deep enough or a proof, and on the right side of the window.

    A lower bound proves a win and an upper bound a loss; the other way round they prove nothing.
    """
    bound = bound_in(data)
    is_proof = (score >= WIN_BOUND and bound != UPPER_BOUND) or (score <= -WIN_BOUND and bound != LOWER_BOUND)
    if depth_in(data) < depth and not is_proof:
        return False
    return bound == EXACT or (bound == LOWER_BOUND and score >= beta) or (bound == UPPER_BOUND and score <= alpha)


@kernel(int64(STATE, WORKER, int64, int64, int64, uint64))
def search(state, worker, alpha, beta, depth, ply):
    """The score for the side to move, exact inside (alpha, beta); the depth is in sixteenths of a ply."""
    # Step 1. Out of time, or told to stop: the score no longer matters.
    if should_stop(worker):
        return int64(0)
    worker.variation_ends[ply] = ply
    worker.selective_depth = max(uint64(worker.selective_depth), ply)
    me = uint64(state.to_move)
    opponent = ONE - me

    # Step 2. What the counts decide: a five now, a full board, two fives against, an open four.
    if has_five(state, me):
        keep_last_move(worker, ply, first_at_least(state, me, cell_class.FIVE))
        return win_in(ply + ONE)
    if is_full(state):
        return int64(0)
    if ply >= LAST_PLY:
        return static_score(state)
    is_pv = beta - alpha > int64(1)
    must_block = has_five(state, opponent)
    if must_block and has_two_fives(state, opponent):
        return -win_in(ply + TWO)
    if not must_block and can_open_four(state, me):
        keep_last_move(worker, ply, winning_four(state, me))
        return win_in(ply + TWO + ONE)

    # Step 3. Mate distance: nothing here is better than a win in three plies, or worse than a loss in two.
    beta = min(beta, win_in(ply + TWO + ONE))
    alpha = max(alpha, -win_in(ply + TWO))
    if alpha >= beta:
        return alpha

    # Step 4. Leaves have their static score. A five that must be blocked is no leaf, and an open three none before the
    # few defences against it are searched. VCF belongs to step 6: at every leaf it costs as much as it gains.
    is_threatened = not must_block and threatens_open_four(state, opponent)
    if depth <= 0 and not must_block:
        if not features.HAS_LEAF_DEFENCES or not is_threatened:
            return static_score(state)
        depth = PLY

    # Step 5. The same position, searched before. A principal variation is searched again: its line must come out whole.
    plies = in_plies(depth)
    excluded = uint64(worker.excluded[ply])
    data = probe(worker, uint64(state.key))
    table_move, table_score = move_in(data), score_in(data, int64(ply))
    if data != ZERO and not is_pv and excluded == ZERO and is_table_cutoff(data, table_score, plies, alpha, beta):
        return table_score

    # The static score. A node that must block a five has the one before it: the evaluation does not judge such nodes.
    threats = ZERO
    if must_block:
        static = -int64(worker.statics[ply - ONE])
    else:
        threats = threat_index(state)
        static = corrected(worker, me, threats, value_with(state, threats))
    worker.statics[ply] = static
    is_improving = ply < TWO or static > int64(worker.statics[ply - TWO])
    estimate = static
    if features.HAS_TABLE_EVAL and data != ZERO and excluded == ZERO:
        estimate = better_estimate(static, table_score, bound_in(data))
    if not is_pv and not must_block:
        # Step 6. Razoring: far below alpha, only a VCF can help.
        if is_hopeless(worker, plies, estimate, alpha):
            length = short_vcf(state, worker)
            return win_in(ply + uint64(length)) if length != NO_WIN else estimate

        # Step 7. Futility: far above beta, a few moves will not bring it down.
        if not is_threatened and is_futile(worker, plies, estimate, beta):
            return estimate

    # Step 8. Singular extension: if without the table's move the score falls, that move is searched deeper; if even
    # then the score reaches beta, several moves do; if the table's move alone does, less depth is enough.
    extension = int64(0)
    if excluded == ZERO and not must_block and is_singular_candidate(worker, data, table_score, plies):
        target = singular_beta(worker, table_score, plies)
        worker.excluded[ply] = table_move
        score = search(state, worker, target - int64(1), target, (depth - PLY) >> int64(1), ply)
        worker.excluded[ply] = ZERO
        if is_stopped(worker):
            return int64(0)
        worker.variation_ends[ply] = ply
        if score < target:
            extension = PLY
        elif target >= beta:
            return target
        elif table_score >= beta:
            extension = -singular_reduction(worker)

    # Step 9. Internal reductions: no table move, or on the PV one from a much shallower search.
    if not must_block:
        depth -= internal_reduction(worker, plies, data, table_move, is_pv)
    plies = in_plies(depth)

    # Step 10. The moves, best first. A forced block costs no depth; as long as the line is not too long, it adds some.
    count = generate(state, worker, ply, table_move)
    is_complete = must_block or is_threatened or excluded != ZERO
    best, best_move, old_alpha = -INFINITE, ZERO, alpha
    new_depth = depth - PLY
    if must_block:
        new_depth = depth
        if features.HAS_BLOCK_EXTENSIONS and ply < TWO * uint64(worker.iteration):
            new_depth += block_extension(worker)
    is_defence_due = features.HAS_STANDING_REDUCTIONS and plies > int64(1) and not must_block and not is_threatened
    i = deferred = ZERO
    while True:
        is_deferrable = i < count
        if is_deferrable:
            bring_best_forward(worker, ply, i, count)
            index = i
            i += ONE
        elif deferred != ZERO:
            index = lowest_bit(deferred)
            deferred &= deferred - ONE
        else:
            # A loss is claimed only after every legal move.
            if is_complete or best > -WIN_BOUND:
                break
            is_complete = True
            count = generate_rest(state, worker, ply, count)
            continue
        cell = uint64(worker.moves[ply, index])
        if cell == excluded:
            continue
        mine, theirs = class_of_move(state, me, cell), uint64(state.classes[opponent, cell])

        # Step 11. Late and quiet moves are pruned, once a move is known that does not lose.
        if features.HAS_LATE_MOVE_PRUNING and best > -WIN_BOUND and not must_block:
            if index >= move_limit(worker, plies, is_improving):
                i = count
                continue
            if not is_pv and is_quiet(mine, theirs) and prunes_quiet_moves(worker, plies, static, old_alpha):
                continue

        # Step 12. The first move with the whole window, the others with none, reduced where they are late. Any but the
        # first that another thread is searching waits until the end of the list.
        reduction = int64(0)
        if not must_block and may_reduce(worker, plies, index, mine):
            history, is_urgent_move = history_of(worker, me, ply, cell), is_urgent(mine, theirs)
            reduction = late_move_reduction(worker, plies, index, history, is_pv, is_urgent_move, is_threatened)
        shared = shared_move(state, worker, cell, new_depth)
        if is_deferrable and index < MAX_DEFERRED and best > -INFINITE and is_busy(worker, shared):
            deferred |= ONE << index
            continue
        begin_move(worker, shared)
        worker.played[ply] = cell
        play_and_prefetch(state, worker, cell)
        if is_defence_due and best > -WIN_BOUND and mine < cell_class.FOUR and leaves_four_three(state, opponent):
            reduction += standing_reduction(worker)
        reduction = clamped_reduction(reduction, new_depth)
        if best == -INFINITE:
            first_depth = new_depth + extension if cell == table_move else new_depth
            score = -search(state, worker, -beta, -alpha, first_depth, ply + ONE)
        else:
            score = -search(state, worker, -alpha - int64(1), -alpha, new_depth - reduction, ply + ONE)
            if reduction > 0 and score > alpha:
                deeper = deeper_extension(worker) if score > best + deeper_margin(worker) else int64(0)
                score = -search(state, worker, -alpha - int64(1), -alpha, new_depth + deeper, ply + ONE)
            if score > alpha and score < beta:
                score = -search(state, worker, -beta, -alpha, new_depth, ply + ONE)
        undo(state)
        end_move(worker, shared)
        if is_stopped(worker):
            return int64(0)

        # Step 13. A better move raises alpha; one that reaches beta refutes the opponent's last move.
        if score > best:
            best, best_move = score, cell
            if score > alpha:
                alpha = score
                keep_variation(worker, ply, cell)
                if features.HAS_RAISED_REDUCTIONS and plies > int64(2) and not must_block:
                    new_depth = max(new_depth - raised_reduction(worker), PLY)
            if score >= beta:
                reward(worker, me, ply, cell, index, plies)
                break

    # Step 14. Without a legal block, a five comes in two plies and an open four in two plies more. Without any legal
    # move, which only renju's black can meet, the game is drawn.
    if count == ZERO:
        return -win_in(ply + TWO) if must_block else -win_in(ply + FOUR) if is_threatened else int64(0)

    # Step 15. Remember it.
    if excluded == ZERO:
        if not must_block and not is_proven(best) and is_news(static, best, old_alpha, beta):
            correct(worker, me, threats, best - static, plies)
        bound = LOWER_BOUND if best >= beta else (EXACT if best > old_alpha else UPPER_BOUND)
        store(worker, uint64(state.key), best_move, best, plies, bound, int64(ply))
    return best
