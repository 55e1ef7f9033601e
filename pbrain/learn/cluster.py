"""Workers of a cluster: those of a dask.distributed scheduler, on any number of machines. Needs distributed.

The scheduler gives the games of a worker that is lost to another one. Finished games come home as bytes.
"""

import logging
import re
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from functools import partial

from distributed import Client
from distributed.scheduler import KilledWorker

from pbrain.learn.workers import Workers, WorkersError

CONNECTS_WITHIN_S = 20


def address_of(text: str) -> str:
    """`dask://HOST:PORT` → the address of the scheduler."""
    match = re.fullmatch(r"dask://(\S+:[0-9]+)", text)
    if match is None:
        raise ValueError(f"{text!r} is not the address of a scheduler such as dask://192.168.1.10:8786")
    return f"tcp://{match[1]}"


def cluster_workers(address: str) -> Workers:
    """The workers of the scheduler at this address; each loads the library of its own installation."""
    return Workers(partial(_executor, address), None)


@contextmanager
def _executor(address: str) -> Iterator[Executor]:
    for name in (
        "distributed.client",
        "tornado.application",
    ):  # one sentence tells a lost scheduler, not three tracebacks
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        client = Client(address, timeout=CONNECTS_WITHIN_S, set_as_default=False)
    except OSError as error:
        raise WorkersError(f"no dask scheduler answers at {address}") from error
    try:
        # A task is never the same as an earlier one: dask must not look for a result that it still has.
        yield client.get_executor(pure=False)
    except KilledWorker as error:
        raise WorkersError("a game was on several workers that were killed, one after the other") from error
    except CancelledError as error:
        raise WorkersError(f"the dask scheduler at {address} is gone") from error
    except ModuleNotFoundError as error:
        raise WorkersError(f"a worker cannot import {error.name}: kaname must be installed there, too") from error
    finally:
        client.close()
