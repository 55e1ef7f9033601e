"""How long to think: pure arithmetic on milliseconds."""

from pbrain.core.types import Budget, Clock

DEFAULT_TURN_MS = 30_000  # what users expect of a brain that was told nothing

# Between the kernel's last look at its clock and the manager's reading of the answer: the kernel notices within
# 0.1 ms, but on a machine loaded twice over the operating system may let 15 ms pass (32 ms at worst).
BASE_MARGIN_MS = 14.0
MARGIN_OF_TURN = 0.01
MOST_MARGIN_OF_TURN_MS = 60.0

# The delay that was seen is forgotten slowly: it comes from what else the machine does, and that comes back.
DELAY_KEPT = 0.9
MOST_DELAY_MS = 300.0

# So short that a second iteration could only make it late. The one takes 2 to 4 ms; a process that has just been
# woken is left alone for about as long, and one that goes on computing waits its turn among the others.
ONE_ITERATION_MS = 50
ONE_ITERATION_MOST_MS = 10.0

# A game has about 35 more moves of ours when it begins, and never seems to have fewer than 9.
EXPECTED_MOVES = 35
FEWEST_MOVES_LEFT = 9
RESERVE_OF_MATCH = 0.02
MOST_RESERVE_MS = 1000.0
OVERRUN_OF_SHARE = 2.5  # a move in trouble may take this many shares of the match time
NEW_ITERATION_UNTIL = 0.6  # of the optimum: the next iteration takes about as long as all before it together


def available_ms(clock: Clock) -> float:
    """What the manager would still accept for this move."""
    turn = DEFAULT_TURN_MS if clock.turn_ms is None else clock.turn_ms
    return max(0.0, turn if clock.left_ms is None else min(turn, clock.left_ms))


def margin_ms(available: float, delay_ms: float) -> float:
    """What to leave of the time available, given the worst delay remembered."""
    return BASE_MARGIN_MS + min(MARGIN_OF_TURN * available, MOST_MARGIN_OF_TURN_MS) + delay_ms


def remembered_delay(before_ms: float, seen_ms: float) -> float:
    """The delay to expect after a move was answered `seen_ms` behind its own plan."""
    return min(MOST_DELAY_MS, max(seen_ms, DELAY_KEPT * before_ms))


def reserve_ms(clock: Clock) -> float:
    """What is never spent of a match's time: the last moves of a very long game must still be answered."""
    whole = clock.match_ms if clock.match_ms is not None else clock.left_ms
    return 0.0 if whole is None else min(MOST_RESERVE_MS, RESERVE_OF_MATCH * max(0, whole))


def budget(clock: Clock, own_moves: int, delay_ms: float = 0.0) -> Budget:
    """When to stop thinking about a move, `own_moves` of ours being played."""
    available = available_ms(clock)
    if clock.left_ms is not None:
        available = max(0.0, min(available, clock.left_ms - reserve_ms(clock)))
    if available <= ONE_ITERATION_MS:
        return Budget(0.0, max(0.0, min(available / 2, ONE_ITERATION_MOST_MS) - delay_ms))
    maximum = max(1.0, available - margin_ms(available, delay_ms))
    if clock.left_ms is None:
        return Budget(maximum, maximum)
    moves_left = max(FEWEST_MOVES_LEFT, EXPECTED_MOVES - own_moves)
    share = (clock.left_ms - reserve_ms(clock)) / moves_left + clock.increment_ms
    return Budget(min(share, maximum), min(OVERRUN_OF_SHARE * share, maximum))


def has_time_for_another(budget: Budget, elapsed_ms: float) -> bool:
    """Whether an iteration begun now is worth its while: always, where nothing is saved by stopping early."""
    if budget.optimum_ms < budget.maximum_ms:
        return elapsed_ms < NEW_ITERATION_UNTIL * budget.optimum_ms
    return elapsed_ms < budget.maximum_ms
