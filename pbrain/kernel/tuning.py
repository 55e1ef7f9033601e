"""A parameter of the search: a constant in the library that ships, a word of the worker in one built to be tuned."""

from collections.abc import Callable
from typing import Any

from numba import int64, uint64

from pbrain.core.parameters import INDEX, PARAMETERS
from pbrain.kernel import features
from pbrain.kernel.machine import kernel
from pbrain.kernel.records import WORKER


def parameter(name: str) -> Callable[..., Any]:
    """A kernel function of the worker that has the value."""
    index = INDEX[name]
    value = PARAMETERS[index].value

    @kernel(int64(WORKER), inline=True)
    def constant(worker):  # noqa: ARG001  it has the signature of `tuned`
        return int64(value)

    @kernel(int64(WORKER), inline=True)
    def tuned(worker):
        return int64(worker.parameters[index])

    return tuned if features.IS_TUNABLE else constant


@kernel(uint64())
def is_tunable():
    """Whether this library reads the worker's parameters."""
    return uint64(features.IS_TUNABLE)
