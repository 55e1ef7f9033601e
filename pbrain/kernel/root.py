"""The root of a search: its moves, the proofs and guards before it, and one iteration over its moves."""

import numpy as np
from numba import int64, uint64, void

from pbrain.core import params
from pbrain.kernel import cell_class, features
from pbrain.kernel.board import make, undo
from pbrain.kernel.busy import MAX_DEFERRED, begin_move, end_move, is_busy, shared_move
from pbrain.kernel.constants import INFINITE, ONE, PLY, WIN, WIN_BOUND, ZERO
from pbrain.kernel.fours import (
    can_open_four,
    class_of_move,
    collect_five_blocks,
    is_legal,
    threatens_open_four,
    winning_four,
)
from pbrain.kernel.history import fade
from pbrain.kernel.limits import is_stopped
from pbrain.kernel.machine import kernel, lowest_bit
from pbrain.kernel.moves import bring_best_forward, generate, generate_all, generate_rest
from pbrain.kernel.nodes import play
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.search import keep_variation, search, static_score, win_in
from pbrain.kernel.selectivity import (
    aspiration,
    aspiration_depth,
    aspiration_growth,
    base_reduction,
    clamped_reduction,
    is_proven,
    max_aspiration,
    may_reduce,
)
from pbrain.kernel.table import move_in, next_age, probe
from pbrain.kernel.threats import first_at_least, has_five, is_full
from pbrain.kernel.vcf import NO_WIN, find_opponent_vcf, find_vcf

LAST_PLY = np.uint64(params.MAX_PLY - 1)


@kernel(void(WORKER, uint64, uint64))
def list_moves(worker, first, count):
    """The generated moves from `first` on, sorted, become the root's."""
    for i in range(first, count):
        bring_best_forward(worker, ZERO, i, count)
        worker.root_moves[i] = worker.moves[ZERO, i]
        worker.root_scores[i] = -INFINITE


@kernel(void(STATE, WORKER))
def begin_search(state, worker):
    """Reset what one search counts, and list the root's moves; the limits are the caller's to set.

    `root_count` moves are searched. All `root_total` are, before a loss is claimed.
    """
    worker.nodes = worker.next_check = ZERO
    worker.is_stopped = worker.selective_depth = ZERO
    worker.age = next_age(uint64(worker.age))
    worker.score = 0
    worker.line_length = worker.has_line = ZERO
    fade(worker)
    me = uint64(state.to_move)
    opponent = ONE - me
    count = ONE
    if has_five(state, me):
        worker.moves[ZERO, ZERO] = first_at_least(state, me, cell_class.FIVE)
    elif not has_five(state, opponent) and can_open_four(state, me):
        worker.moves[ZERO, ZERO] = winning_four(state, me)
    else:
        count = generate(state, worker, ZERO, ZERO)
        if count == ZERO:
            count = generate_all(state, worker, ZERO)
    list_moves(worker, ZERO, count)
    worker.root_count = worker.root_total = count
    worker.line[ZERO] = worker.root_moves[ZERO]
    if count > ONE and not has_five(state, opponent) and not threatens_open_four(state, opponent):
        worker.root_total = generate_rest(state, worker, ZERO, count)
        list_moves(worker, count, uint64(worker.root_total))


@kernel(void(STATE, WORKER, uint64, uint64))
def guard_root(state, worker, fours, nodes):
    """Put off the root's moves that lose to a VCF, unless all do; `nodes` for each VCF.

    Only the opponent's VCF after a pass is looked for first, to save the others. In renju it may miss one that a white
    stone makes possible; then no move is put off, and the search has to see it.
    """
    if uint64(worker.root_count) == ONE or has_five(state, ONE - uint64(state.to_move)):
        return
    if find_opponent_vcf(state, worker, fours, nodes) == NO_WIN:
        return
    kept = ZERO
    for i in range(uint64(worker.root_count)):
        cell = uint64(worker.root_moves[i])
        play(state, worker, cell)
        plies = find_vcf(state, worker, fours, nodes)
        undo(state)
        if is_stopped(worker):
            return
        if plies == NO_WIN:
            worker.root_moves[i], worker.root_moves[kept] = worker.root_moves[kept], cell
            kept += ONE
    if kept != ZERO:
        worker.root_count = kept
        worker.line[ZERO] = worker.root_moves[ZERO]


# -- lines -------------------------------------------------------------------------------------------------------------


@kernel(uint64(STATE, WORKER))
def known_move(state, worker):
    """What the side to move plays by all that is known: what is forced, what wins, or the table's move; else zero."""
    me = uint64(state.to_move)
    if has_five(state, me):
        return first_at_least(state, me, cell_class.FIVE)
    if has_five(state, ONE - me):
        for i in range(collect_five_blocks(state, worker, LAST_PLY, ONE - me)):
            if is_legal(state, me, uint64(worker.blocks[LAST_PLY, i])):
                return uint64(worker.blocks[LAST_PLY, i])
        return ZERO
    if can_open_four(state, me):
        return winning_four(state, me)
    move = move_in(probe(worker, uint64(state.key)))
    return move if move != ZERO and is_legal(state, me, move) else ZERO


@kernel(void(STATE, WORKER, uint64))
def complete_line(state, worker, depth):
    """Continue the best line to the end of a proof, or to the depth searched, as far as it is known.

    A search stores lines only on the PV. After a cutoff at the root, or below what the counts decide, the line ends
    early.
    """
    length = uint64(worker.line_length)
    score = abs(int64(worker.score))
    limit = min(uint64(WIN - score) if score >= WIN_BOUND else depth, LAST_PLY)
    for i in range(length):
        make(state, uint64(worker.line[i]), uint64(state.to_move))
    while length < limit and uint64(state.winner) == ZERO and not is_full(state):
        cell = known_move(state, worker)
        if cell == ZERO:
            break
        make(state, cell, uint64(state.to_move))
        worker.line[length] = cell
        length += ONE
    for _ in range(length):
        undo(state)
    worker.line_length = length


@kernel(int64(STATE, WORKER, uint64, uint64))
def root_vcf(state, worker, fours, nodes):
    """`find_vcf`, whose score and line become the search's."""
    plies = find_vcf(state, worker, fours, nodes)
    if plies != NO_WIN:
        worker.score = WIN - plies
        worker.line_length = worker.vcf_length
        for i in range(uint64(worker.vcf_length)):
            worker.line[i] = worker.vcf_line[i]
        complete_line(state, worker, uint64(plies))
    return plies


# -- iterations --------------------------------------------------------------------------------------------------------


@kernel(void(WORKER, uint64, int64))
def keep_root_line(worker, cell, score):
    worker.has_line = ONE
    worker.score = score
    keep_variation(worker, ZERO, cell)
    worker.line_length = worker.variation_ends[ZERO]
    for i in range(uint64(worker.line_length)):
        worker.line[i] = worker.variations[ZERO, i]


@kernel(void(WORKER, uint64, uint64))
def bring_to_front(worker, best, front):
    """Move the best root move to `front`, the others one place back."""
    move, score = worker.root_moves[best], worker.root_scores[best]
    for i in range(best - front):
        at = best - i
        worker.root_moves[at] = worker.root_moves[at - ONE]
        worker.root_scores[at] = worker.root_scores[at - ONE]
    worker.root_moves[front], worker.root_scores[front] = move, score


@kernel(int64(STATE, WORKER, uint64, uint64, int64, int64))
def search_root(state, worker, depth, skipped, low, high):
    """The best score of the root's moves from `skipped` on, exact inside (low, high); the best move comes to the front.

    One that is stopped brings forward the best of what it finished: its first move was the best so far, so whatever
    beat it did so at this depth. Moves that another thread is searching come last.
    """
    me = uint64(state.to_move)
    alpha, best_score, best = low, -INFINITE, skipped
    new_depth = PLY * (int64(depth) - int64(1))
    next_move, deferred = skipped, ZERO
    while next_move < uint64(worker.root_count) or deferred != ZERO:
        is_deferrable = next_move < uint64(worker.root_count)
        if is_deferrable:
            i = next_move
            next_move += ONE
        else:
            i = lowest_bit(deferred)
            deferred &= deferred - ONE
        cell = uint64(worker.root_moves[i])
        shared = shared_move(state, worker, cell, new_depth)
        if is_deferrable and skipped < i and i < MAX_DEFERRED and is_busy(worker, shared):
            deferred |= ONE << i
            continue
        begin_move(worker, shared)
        reduction = int64(0)
        if i > skipped + ONE and may_reduce(worker, int64(depth), i - skipped - ONE, class_of_move(state, me, cell)):
            reduction = clamped_reduction(base_reduction(worker, int64(depth), i - skipped) - PLY, new_depth)
        worker.played[ZERO] = cell
        play(state, worker, cell)
        if uint64(state.winner) != ZERO:
            score = win_in(ONE)
            worker.variation_ends[ONE] = ONE
        elif i == skipped:
            score = -search(state, worker, -high, -alpha, new_depth, ONE)
        else:
            score = -search(state, worker, -alpha - int64(1), -alpha, new_depth - reduction, ONE)
            if reduction > 0 and score > alpha:
                score = -search(state, worker, -alpha - int64(1), -alpha, new_depth, ONE)
            if score > alpha and score < high:
                score = -search(state, worker, -high, -alpha, new_depth, ONE)
        undo(state)
        end_move(worker, shared)
        if is_stopped(worker):
            break
        worker.root_scores[i] = score
        best_score = max(best_score, score)
        if score > alpha:
            alpha, best = score, i
            keep_root_line(worker, cell, score)
            if score >= high:
                break
    bring_to_front(worker, best, skipped)
    return best_score


@kernel(void(STATE, WORKER, uint64, uint64))
def widen_until_exact(state, worker, depth, skipped):
    """Aspiration: look for the score near the last iteration's, in a window that grows until it holds it."""
    low, high = -INFINITE, INFINITE
    guess = int64(worker.root_scores[skipped])
    margin = aspiration(worker)
    if features.HAS_ASPIRATION and int64(depth) >= aspiration_depth(worker) and not is_proven(guess):
        low, high = guess - margin, guess + margin
    while True:
        score = search_root(state, worker, depth, skipped, low, high)
        if is_stopped(worker) or (score > low and score < high):
            return
        margin *= aspiration_growth(worker)
        if score <= low:
            low = score - margin if margin < max_aspiration(worker) else -INFINITE
        else:
            high = score + margin if margin < max_aspiration(worker) else INFINITE


@kernel(void(STATE, WORKER, uint64, uint64))
def iterate(state, worker, depth, skipped):
    """Search the root's moves to a depth, the first `skipped` left out (they are the better lines already known).

    A loss is claimed only after every legal move was tried.
    """
    worker.has_line = ZERO
    worker.iteration = depth
    worker.statics[ZERO] = static_score(state)
    widen_until_exact(state, worker, depth, skipped)
    is_lost = uint64(worker.has_line) != ZERO and int64(worker.score) <= -WIN_BOUND
    if is_lost and not is_stopped(worker) and uint64(worker.root_count) < uint64(worker.root_total):
        worker.root_count = worker.root_total
        worker.has_line = ZERO
        widen_until_exact(state, worker, depth, skipped)
    if uint64(worker.has_line) != ZERO:
        complete_line(state, worker, depth)
