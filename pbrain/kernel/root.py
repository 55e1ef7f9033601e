"""The root of a search: its moves, and one iteration over them."""

from numba import int64, uint64, void

from pbrain.kernel.board import undo
from pbrain.kernel.constants import CELL_FIVE, CELL_FOUR, ONE, ZERO
from pbrain.kernel.features import HAS_ASPIRATION, HAS_REDUCTIONS
from pbrain.kernel.history import fade
from pbrain.kernel.limits import play
from pbrain.kernel.machine import kernel
from pbrain.kernel.moves import bring_best_forward, first_at_least, generate, generate_anything
from pbrain.kernel.records import STATE, WORKER
from pbrain.kernel.search import INFINITE, WIN, WIN_BOUND, keep_variation, search
from pbrain.kernel.selectivity import (
    ASPIRATION,
    ASPIRATION_DEPTH,
    ASPIRATION_GROWS,
    ASPIRATION_MOST,
    REDUCTION_DEPTH,
    REDUCTION_FROM,
    reduction,
)
from pbrain.kernel.table import next_age
from pbrain.kernel.threats import has_five, has_open_four
from pbrain.kernel.vcf import best_four, find_threatened_vcf, find_vcf


@kernel(void(STATE, WORKER))
def begin_search(state, worker):
    """Reset what one search counts, and list the root's moves; the limits are the caller's to set."""
    worker.nodes = worker.next_check = ZERO
    worker.is_stopped = worker.selective_depth = ZERO
    worker.age = next_age(uint64(worker.age))
    worker.score = 0
    worker.line_length = worker.has_line = ZERO
    fade(worker)
    me = uint64(state.to_move)
    you = ONE - me
    count = ONE
    if has_five(state, me):
        worker.moves[ZERO, ZERO] = first_at_least(state, me, CELL_FIVE)
    elif not has_five(state, you) and has_open_four(state, me):
        worker.moves[ZERO, ZERO] = best_four(state, me)
    else:
        count = generate(state, worker, ZERO, ZERO)
        if count == ZERO:
            count = generate_anything(state, worker, ZERO)
    worker.root_count = count
    for i in range(count):
        bring_best_forward(worker, ZERO, i, count)
        worker.root_moves[i] = worker.moves[ZERO, i]
        worker.root_scores[i] = -INFINITE
    worker.line[ZERO] = worker.root_moves[ZERO]


@kernel(void(STATE, WORKER, uint64, uint64))
def guard_root(state, worker, fours, nodes):
    """Leave out the root's moves that let the other side win by fours, unless all do; `nodes` for each of them.

    A stone of one's own does not help the other side's fours: where a pass would not lose to them, no move is tried.
    """
    me = uint64(state.to_move)
    if uint64(worker.root_count) == ONE or has_five(state, ONE - me):
        return
    if find_threatened_vcf(state, worker, fours, nodes) == 0:
        return
    kept = ZERO
    for i in range(uint64(worker.root_count)):
        cell = uint64(worker.root_moves[i])
        play(state, worker, cell, me)
        plies = find_vcf(state, worker, fours, nodes)
        undo(state)
        if uint64(worker.is_stopped) != ZERO:
            return
        if plies == 0:
            worker.root_moves[i], worker.root_moves[kept] = worker.root_moves[kept], cell
            kept += ONE
    if kept != ZERO:
        worker.root_count = kept
        worker.line[ZERO] = worker.root_moves[ZERO]


@kernel(int64(STATE, WORKER, uint64, uint64, int64, int64))
def search_root(state, worker, depth, skipped, low, high):
    """The best score of the root's moves from `skipped` on, exact inside (low, high); the best move comes to the front.

    One that is stopped brings forward the best of what it finished: its first move was the best so far, so whatever
    beat it did so at this depth.
    """
    me = uint64(state.to_move)
    alpha, best_score, best = low, -INFINITE, skipped
    below = int64(depth) - int64(1)
    for i in range(skipped, uint64(worker.root_count)):
        cell = uint64(worker.root_moves[i])
        less = int64(0)
        if HAS_REDUCTIONS and int64(depth) >= REDUCTION_DEPTH and i > skipped + REDUCTION_FROM:
            less = reduction(int64(depth), i - skipped) - int64(1)
            if uint64(state.classes[me, cell]) >= CELL_FOUR or less < 0:
                less = int64(0)
            if less > below - int64(1):
                less = below - int64(1)
        worker.played[ZERO] = cell
        play(state, worker, cell, me)
        if uint64(state.winner) != ZERO:
            score = WIN - int64(1)
            worker.variation_ends[ONE] = ONE
        elif i == skipped:
            score = -search(state, worker, -high, -alpha, below, ONE)
        else:
            score = -search(state, worker, -alpha - int64(1), -alpha, below - less, ONE)
            if less > 0 and score > alpha:
                score = -search(state, worker, -alpha - int64(1), -alpha, below, ONE)
            if score > alpha and score < high:
                score = -search(state, worker, -high, -alpha, below, ONE)
        undo(state)
        if uint64(worker.is_stopped) != ZERO:
            break
        worker.root_scores[i] = score
        if score > best_score:
            best_score = score
        if score > alpha:
            worker.has_line = ONE
            alpha, best = score, i
            keep_variation(worker, ZERO, cell)
            worker.score = score
            worker.line_length = worker.variation_ends[ZERO]
            for j in range(uint64(worker.line_length)):
                worker.line[j] = worker.variations[ZERO, j]
            if score >= high:
                break
    move, score = worker.root_moves[best], worker.root_scores[best]
    for j in range(best - skipped):
        at = best - j
        worker.root_moves[at] = worker.root_moves[at - ONE]
        worker.root_scores[at] = worker.root_scores[at - ONE]
    worker.root_moves[skipped], worker.root_scores[skipped] = move, score
    return best_score


@kernel(void(STATE, WORKER, uint64, uint64))
def iterate(state, worker, depth, skipped):
    """Search the root's moves to a depth, the first `skipped` left out (they are the better lines already known).

    The score is looked for near the last iteration's first: a narrow window is cheaper, and widened if it must be.
    """
    low, high = -INFINITE, INFINITE
    guess = int64(worker.root_scores[skipped])
    margin = ASPIRATION
    worker.has_line = ZERO
    if HAS_ASPIRATION and int64(depth) >= ASPIRATION_DEPTH and guess < WIN_BOUND and guess > -WIN_BOUND:
        low, high = guess - margin, guess + margin
    while True:
        score = search_root(state, worker, depth, skipped, low, high)
        if uint64(worker.is_stopped) != ZERO or (score > low and score < high):
            return
        margin *= ASPIRATION_GROWS
        if score <= low:
            low = score - margin if margin < ASPIRATION_MOST else -INFINITE
        else:
            high = score + margin if margin < ASPIRATION_MOST else INFINITE
