"""The numbers that the search is tuned by: name, value, and the range in which it may be tuned.

The library that ships has them as constants. `python -m pbrain build --tunable` makes one that reads them from the
worker's record; there `INFO name value` sets them, for `python -m tournament spsa`.
"""

from typing import NamedTuple


class Parameter(NamedTuple):
    """Scores are in units of the evaluation, in which an open three to come is worth about 100; depths are in plies,
    reductions and extensions in sixteenths of a ply."""

    name: str
    value: int
    low: int
    high: int


PARAMETERS = (
    # Aspiration: how near the last score an iteration looks for its own, and how the window grows until it holds it.
    Parameter("aspiration_depth", 5, 3, 8),  # scores of shallower iterations jump
    Parameter("aspiration", 31, 10, 120),
    Parameter("aspiration_growth", 3, 2, 5),
    Parameter("max_aspiration", 1000, 300, 4000),  # beyond it the window is open
    # Razoring.
    Parameter("razor_depth", 4, 1, 5),
    Parameter("razor_base", 111, 0, 300),
    Parameter("razor_per_ply", 64, 20, 150),
    # Futility.
    Parameter("futility_depth", 8, 3, 12),
    Parameter("futility_per_ply", 72, 30, 200),
    # Singular extension: how far the other moves must fall behind what the table knows of the best.
    Parameter("singular_depth", 5, 4, 9),  # its own search costs half the depth
    Parameter("singular_table_plies", 3, 2, 5),  # how much shallower than the node the table's result may be
    Parameter("singular_reduction", 13, 0, 40),  # of a move that reaches beta and is not alone
    Parameter("singular_per_ply", 9, 2, 30),
    # Late move pruning: how many moves a node looks at.
    Parameter("move_limit_base", 3, 1, 15),
    Parameter("move_limit_two_plies", 4, 1, 12),  # for every two plies of depth
    Parameter("max_move_limit", 49, 10, 100),
    Parameter("worsening_percent", 59, 20, 100),  # of that limit, if the static score is no better than two plies ago
    # Quiet move pruning: quiet moves where the static score is far below alpha.
    Parameter("quiet_depth", 4, 1, 6),
    Parameter("quiet_base", 69, 0, 300),
    Parameter("quiet_per_ply", 75, 20, 150),
    # Late move reductions grow with the logarithms of depth and move number.
    Parameter("reduction_depth", 3, 2, 5),
    Parameter("reduction_from", 2, 1, 5),  # moves before it are searched to full depth
    Parameter("reduction_divisor", 164, 60, 300),  # smaller reduces more
    Parameter("reduction_history", 10122, 2000, 20000),  # history worth a ply
    Parameter("pv_reduction", 19, 0, 48),  # less on the PV
    Parameter("urgent_reduction", 15, 0, 48),  # or for a move that makes a three or takes a four
    Parameter("standing_reduction", 10, 0, 64),  # more for a move that leaves the opponent a four-three
    Parameter("raised_reduction", 10, 0, 32),  # for all moves after one that has raised alpha
    # A reduced move that turns out so much better than the best is searched deeper than others.
    Parameter("deeper_margin", 74, 40, 400),
    Parameter("deeper_extension", 4, 0, 32),
    # A block of a five costs no depth, and adds some. Lines of fours would not end without a cap.
    Parameter("block_extension", 5, 0, 12),
    # Internal reductions: without a table move, a node is searched less deep and leaves a move for the next time.
    Parameter("internal_depth", 4, 3, 8),
    Parameter("no_move_reduction", 19, 0, 32),
    # A PV node is searched less deep for each ply that its table move comes from a shallower search.
    Parameter("stale_reduction", 3, 0, 10),
    Parameter("max_stale_reduction", 48, 0, 80),
    # Correction history, in 256ths of the mean difference between a search and the static score.
    Parameter("correction_weight", 118, 0, 256),
    # The order of moves, in the units of its table, where an open three is about 100.
    Parameter("killer_score", 39, 0, 200),
    Parameter("counter_move_score", 98, 0, 200),
    Parameter("history_shift", 7, 5, 9),  # both histories together add at most 2 ** (15 - shift)
    Parameter("bonus_factor", 6, 1, 16),  # of depth squared, in history
)
INDEX = {parameter.name: index for index, parameter in enumerate(PARAMETERS)}
