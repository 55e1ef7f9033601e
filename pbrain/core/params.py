"""Every constant of the board and the patterns, once.

Cells are flat: `cell = (y + MARGIN) * STRIDE + x + MARGIN`. A margin of wall cells on every side means that
nothing on the board ever has to ask whether a neighbour exists, and 22 + 2 x 5 cells of two bits fill one
64-bit line word exactly, which is where the largest size comes from.
"""

from enum import IntEnum
from typing import NamedTuple

MIN_SIZE = 5
MAX_SIZE = 22
MARGIN = 5
STRIDE = 32
CELLS = STRIDE * STRIDE
MAX_MOVES = MAX_SIZE * MAX_SIZE

# What two bits of a line word and a byte of `stones` hold.
EMPTY = 0
BLACK_STONE = 1
WHITE_STONE = 2
WALL = 3

BLACK = 0
WHITE = 1

# Cells that one stone can change, along each of the four lines through it: a winning line that holds the stone
# reaches 4 cells to either side; where its ends matter too (exactly five, caro, renju) the key reaches 5.
HALF_FREESTYLE = 4
HALF_WITH_ENDS = 5
MAX_KEYS = 1 << (4 * HALF_WITH_ENDS)
DIRECTIONS = 4
LINES = 64

# A stone writes one undo entry for itself and at most one for each cell that it can change.
TRAIL_LENGTH = (1 + 2 * HALF_WITH_ENDS * DIRECTIONS) * MAX_MOVES

# Rows above and below a stone whose cells become candidates: a square of radius 2 and a star of radius 3.
NEAR_ROWS = 3
NEAR_SPAN = 2 * NEAR_ROWS + 1


# Scores are from the side to move. A win n plies from the root is WIN - n; what lies above WIN_BOUND is proven.
WIN = 30_000
WIN_BOUND = 29_000
MAX_STATIC = 28_000
INFINITE = 32_000
MAX_PLY = 128
MAX_BLOCKS = 1 + 2 * HALF_WITH_ENDS * DIRECTIONS  # a cell, and all that its four lines depend on
MAX_DEPTH = 99
PLY = 16  # the search counts depth in sixteenths of a ply: reductions and extensions are fractions

# How far a short VCF, at a node of the search, looks: fours in a row, and the nodes that they may take.
SHORT_FOURS = 8
SHORT_NODES = 200

# The transposition table: clusters of one cache line, so that a probe costs one miss.
TABLE_ENTRY_BYTES = 16
TABLE_CLUSTER_BYTES = 64

# Moves that threads are searching.
BUSY_CLUSTERS = 1024
BUSY_WAYS = 4
# The least depth of a move that threads share. Time to depth of two threads, as a share of one thread's, over depths 14
# to 19 of 40 openings: 0.75 with 1, 0.69 with 2 and 3, 0.65 with 5, 0.69 with 7, 0.65 with 9.
BUSY_MIN_PLIES = 5


class LineClass(IntEnum):
    """What one line through an empty cell becomes for a colour that plays there; larger is better for it.

    Each name is defined by the next one: an open four cannot be stopped from becoming five by one stone, an open
    three becomes an open four by one more stone, and so on down. "Split" shapes have a single way to do so.
    """

    DEAD = 0
    OVERLINE = 1
    BLOCKED_ONE = 2
    OPEN_ONE = 3
    BLOCKED_TWO = 4
    SPLIT_TWO = 5
    OPEN_TWO = 6
    BLOCKED_THREE = 7
    SPLIT_THREE = 8
    OPEN_THREE = 9
    FOUR = 10
    TWO_FOURS = 11  # two fours in one line; its own class only where it is a foul
    OPEN_FOUR = 12
    FIVE = 13


class CellClass(IntEnum):
    """What an empty cell is worth to one colour: its four line classes, combined without regard to their order.

    The order is by threat, so that "at least a four" is one comparison. TAKEN stands for stones and walls.
    """

    TAKEN = 0
    FORBIDDEN = 1  # renju black: overline, or two fours
    SUSPECT = 2  # renju black: two threes, a foul unless `is_forbidden` finds one of them false
    DEAD = 3
    ONE_BLOCKED = 4
    ONE = 5
    ONE_ONE = 6
    HALF_TWO = 7
    HALF_TWO_ONE = 8
    HALF_TWO_HALF_TWO = 9
    SPLIT_TWO = 10
    SPLIT_TWO_ONE = 11
    SPLIT_TWO_HALF_TWO = 12
    TWO = 13
    TWO_ONE = 14
    TWO_HALF_TWO = 15
    SPLIT_TWO_TWO = 16
    TWO_TWO = 17
    TRIPLE_TWO = 18
    HALF_THREE = 19
    HALF_THREE_HALF_TWO = 20
    HALF_THREE_TWO = 21
    HALF_THREE_HALF_THREE = 22
    SPLIT_THREE = 23
    SPLIT_THREE_HALF_TWO = 24
    SPLIT_THREE_TWO = 25
    SPLIT_THREE_HALF_THREE = 26
    THREE = 27
    THREE_HALF_TWO = 28
    THREE_TWO = 29
    THREE_HALF_THREE = 30
    DOUBLE_THREE = 31
    FOUR = 32
    FOUR_TWO = 33
    FOUR_HALF_THREE = 34
    FOUR_THREE = 35
    DOUBLE_FOUR = 36
    OPEN_FOUR = 37
    FIVE = 38


class Threat(IntEnum):
    """Classes whose empty cells are counted, some of them together; each count has nine bits of one word."""

    THREE = 0  # but not a double three
    DOUBLE_THREE = 1
    FOUR = 2  # but no more than a four
    FOUR_THREE = 3
    OPEN_FOUR = 4  # or a double four
    FIVE = 5
    FOUL = 6  # renju black: forbidden or suspect


COUNT_BITS = 9  # a board has at most MAX_MOVES cells
THREAT_CLASSES = {
    Threat.THREE: (CellClass.THREE, CellClass.THREE_HALF_TWO, CellClass.THREE_TWO, CellClass.THREE_HALF_THREE),
    Threat.DOUBLE_THREE: (CellClass.DOUBLE_THREE,),
    Threat.FOUR: (CellClass.FOUR, CellClass.FOUR_TWO, CellClass.FOUR_HALF_THREE),
    Threat.FOUR_THREE: (CellClass.FOUR_THREE,),
    Threat.OPEN_FOUR: (CellClass.DOUBLE_FOUR, CellClass.OPEN_FOUR),
    Threat.FIVE: (CellClass.FIVE,),
    Threat.FOUL: (CellClass.FORBIDDEN, CellClass.SUSPECT),
}


class ThreatCount(NamedTuple):
    """Threats of one side, counted up to what fits the bits."""

    is_mine: bool  # the side to move's
    threat: Threat
    bits: int


# What a position threatens as a whole, one small number after the other in a threat index, the first in the highest
# bits: the same cell is worth more, or nothing, beside others.
THREAT_COUNTS = (
    ThreatCount(False, Threat.OPEN_FOUR, 1),
    ThreatCount(False, Threat.FOUR_THREE, 1),
    ThreatCount(False, Threat.FOUR, 2),
    ThreatCount(False, Threat.DOUBLE_THREE, 1),
    ThreatCount(False, Threat.THREE, 1),
    ThreatCount(True, Threat.FOUR_THREE, 1),
    ThreatCount(True, Threat.FOUR, 2),
    ThreatCount(True, Threat.DOUBLE_THREE, 1),
    ThreatCount(True, Threat.THREE, 2),
)
THREAT_INDICES = 1 << sum(count.bits for count in THREAT_COUNTS)

# The network: numbers per cell for each side's view, hidden units, and entries of a sum that 16 bits surely hold.
CHANNELS = 16
HIDDEN = 32
MAX_ROW = 1000
OUTPUT_SHIFT = 12

CLASS_STRIDE = 64  # a power of two above the largest CellClass: a pair of classes is `mine * CLASS_STRIDE + theirs`
