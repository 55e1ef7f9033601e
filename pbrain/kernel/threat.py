"""Each Threat as an unsigned constant: `threat.FIVE`."""

import numpy as np

from pbrain.core.params import Threat

globals().update({kind.name: np.uint64(kind) for kind in Threat})
