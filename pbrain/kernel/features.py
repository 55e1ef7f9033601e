"""What can be left out of a build to measure its worth: constants, so the compiler removes what is off.

`python -m pbrain build --without NAME,NAME` names some of FEATURES; nothing is switched at run time.
"""

import os

WITHOUT_VARIABLE, TUNABLE_VARIABLE = "KANAME_WITHOUT", "KANAME_TUNABLE"
BOARD_FEATURES = ("unchanged-skip",)
EVALUATION_FEATURES = ("network",)
SEARCH_FEATURES = (
    "vcf-table",
    "leaf-defences",
    "aspiration",
    "killers",
    "continuation-history",
    "proximity",
    "table-eval",
    "corrections",
    "razoring",
    "futility",
    "singular",
    "late-move-pruning",
    "late-move-reductions",
    "internal-reductions",
    "stale-pv-reductions",
    "standing-reductions",
    "raised-reductions",
    "block-extensions",
)
FEATURES = BOARD_FEATURES + EVALUATION_FEATURES + SEARCH_FEATURES

_without = os.environ.get(WITHOUT_VARIABLE, "").split(",")

# The search reads its parameters at run time.
IS_TUNABLE = bool(os.environ.get(TUNABLE_VARIABLE))

# `make` leaves a cell alone when its line stays what it was.
SKIPS_UNCHANGED = "unchanged-skip" not in _without

# The network adds to the value of the tables.
HAS_NETWORK = "network" not in _without

# VCF remembers its results in the transposition table.
HAS_VCF_TABLE = "vcf-table" not in _without

# A leaf that faces an open three searches the defences against it.
HAS_LEAF_DEFENCES = "leaf-defences" not in _without

# Aspiration windows at the root.
HAS_ASPIRATION = "aspiration" not in _without

# Killers and counter moves.
HAS_KILLERS = "killers" not in _without

HAS_CONTINUATION_HISTORY = "continuation-history" not in _without

# Where a move lies to the last two decides how soon it is tried.
HAS_PROXIMITY = "proximity" not in _without

# A table score that says more than the static evaluation replaces it.
HAS_TABLE_EVAL = "table-eval" not in _without

# Correction history of the static score.
HAS_CORRECTIONS = "corrections" not in _without

# The selective steps of search.py.
HAS_RAZORING = "razoring" not in _without
HAS_FUTILITY = "futility" not in _without
HAS_SINGULAR = "singular" not in _without
HAS_LATE_MOVE_PRUNING = "late-move-pruning" not in _without
HAS_LATE_MOVE_REDUCTIONS = "late-move-reductions" not in _without
HAS_INTERNAL_REDUCTIONS = "internal-reductions" not in _without
HAS_STALE_PV_REDUCTIONS = "stale-pv-reductions" not in _without
HAS_STANDING_REDUCTIONS = "standing-reductions" not in _without
HAS_RAISED_REDUCTIONS = "raised-reductions" not in _without
HAS_BLOCK_EXTENSIONS = "block-extensions" not in _without
