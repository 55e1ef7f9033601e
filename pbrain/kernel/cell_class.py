"""Each CellClass as an unsigned constant: `cell_class.FIVE`."""

import numpy as np

from pbrain.core.params import CellClass

globals().update({kind.name: np.uint64(kind) for kind in CellClass})
