"""The constants of `params` with the type that kernel arithmetic needs.

Everything is unsigned: an index that might be negative costs a test and a branch at every access (1.8 times C
instead of 1.0), and an unsigned variable mixed with a plain number would become signed again, or floating.
"""

import numpy as np

from pbrain.core import params
from pbrain.core.types import Rule

ZERO, ONE, TWO, THREE, FOUR, FIVE = (np.uint64(n) for n in range(6))
EIGHT = np.uint64(8)
NIBBLE = np.uint64(0xF)
BLACK, WHITE = np.uint64(params.BLACK), np.uint64(params.WHITE)
EMPTY, WALL = np.uint64(params.EMPTY), np.uint64(params.WALL)
STRIDE = np.uint64(params.STRIDE)
CELLS = np.uint64(params.CELLS)
MARGIN = np.uint64(params.MARGIN)
LINES = np.uint64(params.LINES)
DIRECTIONS = np.uint64(params.DIRECTIONS)
CLASS_STRIDE = np.uint64(params.CLASS_STRIDE)
EXACT_FIVE, RENJU, CARO = np.uint64(Rule.EXACT_FIVE), np.uint64(Rule.RENJU), np.uint64(Rule.CARO)

WIN = np.int64(params.WIN)
WIN_BOUND = np.int64(params.WIN_BOUND)
MAX_STATIC = np.int64(params.MAX_STATIC)
INFINITE = np.int64(params.INFINITE)
PLY = np.int64(params.PLY)
