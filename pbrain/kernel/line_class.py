"""Each LineClass as an unsigned constant: `line_class.OPEN_FOUR`."""

import numpy as np

from pbrain.core.params import LineClass

globals().update({kind.name: np.uint64(kind) for kind in LineClass})
