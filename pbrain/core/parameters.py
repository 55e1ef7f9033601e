"""The numbers that the search is tuned by: name, value, and the range in which it may be tuned.

The library that ships has them as constants. `python -m pbrain build --tunable` makes one that reads them from the
worker's record; there `INFO name value` sets them, for `python -m tournament spsa`.
"""

from typing import NamedTuple


class Parameter(NamedTuple):
    """Scores are in units of the evaluation, in which an open three to come is worth about 100; depths are in plies."""

    name: str
    value: int
    low: int
    high: int


PARAMETERS = (
    # Aspiration: how near the last score an iteration looks for its own, and how the window grows until it holds it.
    Parameter("aspiration_depth", 5, 3, 8),  # scores of shallower iterations jump
    Parameter("aspiration", 30, 10, 120),
    Parameter("aspiration_growth", 3, 2, 5),
    Parameter("max_aspiration", 1000, 300, 4000),  # beyond it the window is open
    # Razoring.
    Parameter("razor_depth", 3, 1, 5),
    Parameter("razor_base", 100, 0, 300),
    Parameter("razor_per_ply", 60, 20, 150),
    # Futility.
    Parameter("futility_depth", 8, 3, 12),
    Parameter("futility_per_ply", 60, 30, 200),
    # Singular extension: how far the other moves must fall behind what the table knows of the best.
    Parameter("singular_depth", 5, 4, 9),  # its own search costs half the depth
    Parameter("singular_table_plies", 3, 2, 5),  # how much shallower than the node the table's result may be
    Parameter("singular_per_ply", 6, 2, 30),
    # Late move pruning: how many moves a node looks at.
    Parameter("move_limit_base", 6, 1, 15),
    Parameter("move_limit_two_plies", 5, 1, 12),  # for every two plies of depth
    Parameter("max_move_limit", 40, 10, 100),
    # Quiet move pruning: quiet moves where the static score is far below alpha.
    Parameter("quiet_depth", 3, 1, 6),
    Parameter("quiet_base", 60, 0, 300),
    Parameter("quiet_per_ply", 60, 20, 150),
    # Late move reductions grow with the logarithms of depth and move number.
    Parameter("reduction_depth", 3, 2, 5),
    Parameter("reduction_from", 2, 1, 5),  # moves before it are searched to full depth
    Parameter("reduction_divisor", 130, 60, 300),  # smaller reduces more
    Parameter("reduction_history", 8000, 2000, 20000),  # history worth a ply
    # Internal reductions: without a table move, a node is searched a ply less deep and leaves a move for the next time.
    Parameter("internal_depth", 4, 3, 8),
    # A PV node whose table move comes from a search four plies less deep is searched one ply less deep.
    Parameter("stale_shift", 2, 1, 3),
    Parameter("max_stale_reduction", 3, 1, 5),
    # The order of moves, in the units of its table, where an open three is about 100.
    Parameter("killer_score", 60, 0, 200),
    Parameter("counter_move_score", 60, 0, 200),
    Parameter("history_shift", 7, 5, 9),  # both histories together add at most 2 ** (15 - shift)
    Parameter("bonus_factor", 4, 1, 16),  # of depth squared, in history
)
INDEX = {parameter.name: index for index, parameter in enumerate(PARAMETERS)}
