"""What can be left out of a build to measure its worth: constants, so the compiler removes what is off.

`python -m pbrain build --without NAME,NAME` names some of FEATURES; nothing is switched at run time.
"""

import os

WITHOUT_VARIABLE = "KANAME_WITHOUT"
BOARD_FEATURES = ("unchanged-skip",)
SEARCH_FEATURES = (
    "vcf-table",
    "leaf-answers",
    "aspiration",
    "refutations",
    "replies",
    "nearness",
    "table-estimate",
    "razoring",
    "futility",
    "singular",
    "move-pruning",
    "reductions",
    "internal-reduction",
    "stale-reduction",
)
FEATURES = BOARD_FEATURES + SEARCH_FEATURES

_without = os.environ.get(WITHOUT_VARIABLE, "").split(",")

# `make` leaves a cell alone when its line, or both its classes, stay what they were.
SKIPS_UNCHANGED = "unchanged-skip" not in _without

# Searches of fours remember what they found.
HAS_VCF_TABLE = "vcf-table" not in _without

# Leaves look at the answers to an open three.
HAS_LEAF_ANSWERS = "leaf-answers" not in _without

# An iteration looks for its score near the last one's.
HAS_ASPIRATION = "aspiration" not in _without

# Moves that refuted a sister position, or the same last move elsewhere, are tried early.
HAS_REFUTATIONS = "refutations" not in _without

# How well moves did as an answer to the last one counts too, and so does how near it they are.
HAS_REPLIES = "replies" not in _without
HAS_NEARNESS = "nearness" not in _without

# What the table knows of a position is a better guess at its value than the static score.
HAS_TABLE_ESTIMATE = "table-estimate" not in _without

# The steps of search.py that look at less than everything.
HAS_RAZORING = "razoring" not in _without
HAS_FUTILITY = "futility" not in _without
HAS_SINGULAR = "singular" not in _without
HAS_MOVE_PRUNING = "move-pruning" not in _without
HAS_REDUCTIONS = "reductions" not in _without
HAS_INTERNAL_REDUCTION = "internal-reduction" not in _without
HAS_STALE_REDUCTION = "stale-reduction" not in _without
