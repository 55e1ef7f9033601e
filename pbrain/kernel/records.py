"""The records of `layout` as numba types."""

import numpy as np
from numba import from_dtype

from pbrain.core import layout


def dtype_of(fields: layout.Fields) -> np.dtype:
    """The numpy type with the very offsets that C and ctypes give these fields."""
    columns = [(name, kind if isinstance(kind, str) else dtype_of(kind), shape) for name, kind, shape in fields]
    return np.dtype(columns, align=True)


STATE_DTYPE = dtype_of(layout.STATE)
TABLES_DTYPE = dtype_of(layout.TABLES)
WORKER_DTYPE = dtype_of(layout.WORKER)
STATE = from_dtype(STATE_DTYPE)
TABLES = from_dtype(TABLES_DTYPE)
WORKER = from_dtype(WORKER_DTYPE)
