"""The constants of `params` with the type that kernel arithmetic needs.

Everything is unsigned: an index that might be negative costs a test and a branch at every access (1.8 times C
instead of 1.0), and an unsigned variable mixed with a plain number would become signed again, or floating.
"""

import numpy as np

from pbrain.core import params
from pbrain.core.params import CellClass, LineClass
from pbrain.core.types import Rule

ZERO, ONE, TWO, THREE, FOUR, FIVE = (np.uint64(n) for n in range(6))
EIGHT = np.uint64(8)
NIBBLE = np.uint64(0xF)
BLACK, WHITE = np.uint64(params.BLACK), np.uint64(params.WHITE)
EMPTY, WALL = np.uint64(params.EMPTY), np.uint64(params.WALL)
BLACK_STONE = np.uint64(params.BLACK_STONE)
STRIDE = np.uint64(params.STRIDE)
CELLS = np.uint64(params.CELLS)
MARGIN = np.uint64(params.MARGIN)
LINES = np.uint64(params.LINES)
DIRECTIONS = np.uint64(params.DIRECTIONS)
CLASS_STRIDE = np.uint64(params.CLASS_STRIDE)
MAX_BLOCKS = np.uint64(params.MAX_BLOCKS)
CARO = np.uint64(Rule.CARO)

LINE_DEAD = np.uint64(LineClass.DEAD)
LINE_OVERLINE = np.uint64(LineClass.OVERLINE)
LINE_BLOCKED_ONE = np.uint64(LineClass.BLOCKED_ONE)
LINE_OPEN_ONE = np.uint64(LineClass.OPEN_ONE)
LINE_BLOCKED_TWO = np.uint64(LineClass.BLOCKED_TWO)
LINE_SPLIT_TWO = np.uint64(LineClass.SPLIT_TWO)
LINE_OPEN_TWO = np.uint64(LineClass.OPEN_TWO)
LINE_BLOCKED_THREE = np.uint64(LineClass.BLOCKED_THREE)
LINE_SPLIT_THREE = np.uint64(LineClass.SPLIT_THREE)
LINE_OPEN_THREE = np.uint64(LineClass.OPEN_THREE)
LINE_FOUR = np.uint64(LineClass.FOUR)
LINE_TWO_FOURS = np.uint64(LineClass.TWO_FOURS)
LINE_OPEN_FOUR = np.uint64(LineClass.OPEN_FOUR)
LINE_FIVE = np.uint64(LineClass.FIVE)

CELL_FORBIDDEN = np.uint64(CellClass.FORBIDDEN)
CELL_SUSPECT = np.uint64(CellClass.SUSPECT)
CELL_DEAD = np.uint64(CellClass.DEAD)
CELL_ONE_BLOCKED = np.uint64(CellClass.ONE_BLOCKED)
CELL_ONE = np.uint64(CellClass.ONE)
CELL_HALF_TWO = np.uint64(CellClass.HALF_TWO)
CELL_SPLIT_TWO = np.uint64(CellClass.SPLIT_TWO)
CELL_TWO = np.uint64(CellClass.TWO)
CELL_SPLIT_TWO_TWO = np.uint64(CellClass.SPLIT_TWO_TWO)
CELL_TWO_TWO = np.uint64(CellClass.TWO_TWO)
CELL_TRIPLE_TWO = np.uint64(CellClass.TRIPLE_TWO)
CELL_HALF_THREE = np.uint64(CellClass.HALF_THREE)
CELL_SPLIT_THREE = np.uint64(CellClass.SPLIT_THREE)
CELL_THREE = np.uint64(CellClass.THREE)
CELL_DOUBLE_THREE = np.uint64(CellClass.DOUBLE_THREE)
CELL_FOUR = np.uint64(CellClass.FOUR)
CELL_FOUR_TWO = np.uint64(CellClass.FOUR_TWO)
CELL_FOUR_THREE = np.uint64(CellClass.FOUR_THREE)
CELL_DOUBLE_FOUR = np.uint64(CellClass.DOUBLE_FOUR)
CELL_OPEN_FOUR = np.uint64(CellClass.OPEN_FOUR)
CELL_FIVE = np.uint64(CellClass.FIVE)
