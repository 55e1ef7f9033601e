"""The kernel as numba jits it, behind the same calls as the native library.

`python -m tests.jitted DEPTH` prints the bench signature; run it with NUMBA_BOUNDSCHECK=1 to have every index checked.
Importing this compiles the kernel, which takes 20 s.
"""

import sys
from typing import Any

import numpy as np

from pbrain import bench
from pbrain.kernel.entries import FUNCTIONS
from pbrain.kernel.records import STATE_DTYPE, TABLES_DTYPE, WORKER_DTYPE
from pbrain.library.native import State, Tables, Worker

DTYPES = {State: STATE_DTYPE, Tables: TABLES_DTYPE, Worker: WORKER_DTYPE}


def as_record(argument: Any) -> Any:
    """A ctypes structure as the numpy record that lies in the same memory; numbers as they are."""
    dtype = DTYPES.get(type(argument))
    return argument if dtype is None else np.frombuffer(argument, dtype)[0]


class JittedLibrary:
    def __getattr__(self, name: str) -> Any:
        function = FUNCTIONS[f"kaname_{name}"]

        def call(*arguments: Any) -> Any:
            result = function(*(as_record(argument) for argument in arguments))
            return None if result is None else int(result)

        return call


if __name__ == "__main__":
    print(bench.run(JittedLibrary(), int(sys.argv[1])).signature)  # type: ignore[arg-type]
