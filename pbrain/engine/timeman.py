"""How long to think: pure arithmetic, in milliseconds before a turn begins, then in nanoseconds on its clock."""

from collections.abc import Sequence

from pbrain.core.types import Budget, Clock, Limits, Report, SearchLimits

DEFAULT_TURN_MS = 30_000  # what users expect of a brain without a time limit

# Between the kernel's last look at its clock and the manager's reading of the answer: the kernel notices within
# 0.1 ms, but on a machine with twice as many busy threads as cores the operating system may take 15 ms (at worst 32).
BASE_MARGIN_MS = 14.0
MARGIN_OF_TURN = 0.01
MAX_MARGIN_OF_TURN_MS = 60.0

# A delay is forgotten slowly: its cause is the load of the machine, which returns.
DELAY_KEPT = 0.9
MAX_DELAY_MS = 300.0

# Turns so short that a second iteration would risk being late. One iteration takes 2 to 4 ms. The scheduler lets a
# process that has just woken up run for about as long; one that computes for longer waits its turn among the others.
ONE_ITERATION_MS = 50
MAX_ONE_ITERATION_MS = 10.0

# At its beginning a game has about 35 moves of ours to come; later we always expect at least 9 more.
EXPECTED_MOVES = 35
MIN_MOVES_LEFT = 9
RESERVE_OF_MATCH = 0.02
MAX_RESERVE_MS = 1000.0
OVERRUN_OF_SHARE = 2.5  # a move in trouble may take this many shares of the match time
NEW_ITERATION_UNTIL = 0.6  # of the optimum: the next iteration takes about as long as all before it together
NS_PER_MS = 1_000_000

# How much of that depends on the search: longer if its best move has just changed or its score has dropped, shorter for
# each iteration that changed nothing. Scores of odd and even depths differ, so a drop is counted over two iterations.
PATIENCE_AFTER_CHANGE = 1.4
IMPATIENCE = 0.1  # per iteration with the same best move
MAX_STEADY_ITERATIONS = 6
DROP_OVER = 2
PATIENCE_PER_POINT = 0.004  # an open three to come is worth about 100 points
MAX_DROP = 200


def available_ms(clock: Clock) -> float:
    """What the manager would still accept for this move."""
    turn = DEFAULT_TURN_MS if clock.turn_ms is None else clock.turn_ms
    return max(0.0, turn if clock.left_ms is None else min(turn, clock.left_ms))


def margin_ms(available: float, delay_ms: float) -> float:
    """How much of the available time to leave unused, given the delay to expect."""
    return BASE_MARGIN_MS + min(MARGIN_OF_TURN * available, MAX_MARGIN_OF_TURN_MS) + delay_ms


def remembered_delay(before_ms: float, seen_ms: float) -> float:
    """The delay to expect after a move that was answered `seen_ms` later than planned."""
    return min(MAX_DELAY_MS, max(seen_ms, DELAY_KEPT * before_ms))


def reserve_ms(clock: Clock) -> float:
    """The part of the match time that is never spent, so that the last moves of a very long game are still answered."""
    whole = clock.match_ms if clock.match_ms is not None else clock.left_ms
    return 0.0 if whole is None else min(MAX_RESERVE_MS, RESERVE_OF_MATCH * max(0, whole))


def budget(clock: Clock, own_moves: int, delay_ms: float = 0.0) -> Budget:
    """The time for our next move, after `own_moves` of them."""
    available = available_ms(clock)
    if clock.left_ms is not None:
        available = max(0.0, min(available, clock.left_ms - reserve_ms(clock)))
    if available <= ONE_ITERATION_MS:
        return Budget(0.0, max(0.0, min(available / 2, MAX_ONE_ITERATION_MS) - delay_ms))
    maximum = max(1.0, available - margin_ms(available, delay_ms))
    if clock.left_ms is None:
        return Budget(maximum, maximum)
    moves_left = max(MIN_MOVES_LEFT, EXPECTED_MOVES - own_moves)
    share = (clock.left_ms - reserve_ms(clock)) / moves_left + clock.increment_ms
    return Budget(min(share, maximum), min(OVERRUN_OF_SHARE * share, maximum))


def last_start_ms(budget: Budget) -> float:
    """Until when a new iteration is worth starting: up to the end, if stopping early saves nothing."""
    if budget.optimum_ms < budget.maximum_ms:
        return NEW_ITERATION_UNTIL * budget.optimum_ms
    return budget.maximum_ms


def search_limits(limits: Limits, began_ns: int) -> SearchLimits:
    """The limits of a search whose turn began at this moment."""
    last_start_ns = deadline_ns = None
    if limits.budget is not None:
        last_start_ns = began_ns + int(NS_PER_MS * last_start_ms(limits.budget))
        deadline_ns = began_ns + int(NS_PER_MS * limits.budget.maximum_ms)
    return SearchLimits(began_ns, last_start_ns, deadline_ns, limits.depth, limits.nodes, limits.is_analysis)


def patience(iterations: Sequence[Report]) -> float:
    """How much longer than usual, or shorter, to look for a better move, after these iterations."""
    last = iterations[-1]
    steady = 0
    for before in reversed(iterations[:-1]):
        if before.move != last.move or steady == MAX_STEADY_ITERATIONS:
            break
        steady += 1
    drop = iterations[-1 - DROP_OVER].score - last.score if len(iterations) > DROP_OVER else 0
    return (PATIENCE_AFTER_CHANGE - IMPATIENCE * steady) * (1 + PATIENCE_PER_POINT * max(0, min(drop, MAX_DROP)))


def may_go_on(limits: SearchLimits, iterations: Sequence[Report], now_ns: int) -> bool:
    """Whether another iteration may start after these; patience counts only where stopping early saves time."""
    if limits.last_start_ns is None or limits.deadline_ns is None:
        return True
    usual_ns = limits.last_start_ns - limits.began_ns
    if limits.last_start_ns < limits.deadline_ns:
        usual_ns = int(usual_ns * patience(iterations))
    return now_ns < min(limits.began_ns + usual_ns, limits.deadline_ns)


def part_of(limits: SearchLimits, part: int, parts: int) -> SearchLimits:
    """The limits of the search number `part`, from 1, of so many that follow each other in equal parts of the time."""
    if limits.last_start_ns is None or limits.deadline_ns is None:
        return limits

    def moment(end_ns: int) -> int:
        return limits.began_ns + (end_ns - limits.began_ns) * part // parts

    return limits._replace(last_start_ns=moment(limits.last_start_ns), deadline_ns=moment(limits.deadline_ns))


def share_ns(limits: SearchLimits, now_ns: int, share: float) -> int | None:
    """When a share of the time that is left for starting iterations is over; None without a time limit."""
    if limits.last_start_ns is None:
        return None
    return now_ns + int(share * max(0, limits.last_start_ns - now_ns))
