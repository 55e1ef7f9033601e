"""A dask.distributed cluster as the runner sees it: workers that are asked, and orders that are carried out."""

import asyncio
import logging
import re
import warnings
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from distributed import Client, Future
from distributed.security import Security

from tournament.core.failures import RunnerError
from tournament.farm import hand
from tournament.farm.orders import TOPIC, Introduction, Order, Reports, packed, unpacked_reports
from tournament.farm.shipping import Shipment

SCHEMES = {"dask": "tcp", "dask+tls": "tls"}
# Loggers with handlers of their own; the runner tells in one sentence that a scheduler is lost.
NOISY = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
GOODBYE_S = 3.0
TRIAL_WITHIN_S = 120.0  # brains that start have ten seconds each

Done = Callable[[str, BaseException | None], None]  # key, and why the order could not be carried out


class LostError(Exception):
    """The scheduler does not answer."""


def address_of(text: str) -> str:
    """`dask://HOST:PORT` → the address of the scheduler; ValueError if the text is none."""
    match = re.fullmatch(r"(dask|dask\+tls)://(\S+:[0-9]{1,5})", text)
    if match is None:
        raise ValueError(f"{text!r} is not the address of a scheduler such as dask://192.168.1.10:8786")
    return f"{SCHEMES[match[1]]}://{match[2]}"


class Cluster:
    """A connection to a scheduler. Its callbacks come from threads of dask."""

    def __init__(
        self,
        address: str,
        hear: Callable[[Reports], None],
        connects_within_s: float,
        play: Callable[[bytes], None] = hand.play_pair,
    ) -> None:
        for name in NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._play = play
        if address.startswith("tls://") and not Security().get_connection_args("client").get("ssl_context"):
            raise LostError("dask's configuration names no certificates for TLS")
        try:
            with warnings.catch_warnings():  # of other versions: the runner's own has to be the same
                warnings.simplefilter("ignore")
                self._client = Client(address, timeout=connects_within_s, set_as_default=False)
        except OSError as error:
            raise LostError("") from error
        self._client.subscribe_topic(TOPIC, lambda event: hear(unpacked_reports(event[1])))
        self._futures: dict[str, Future[Any]] = {}  # by key

    def threads(self) -> dict[str, int]:
        """The workers by address, and how many games each plays at a time."""
        self._check_connection()
        with losing():
            return dict(self._client.nthreads())

    def introductions(self, workers: Collection[str], shipment: Shipment) -> dict[str, Introduction | BaseException]:
        """Who the workers are; the error instead for one that cannot say."""
        return self._ask(workers, hand.introduce, shipment)

    def keep_file(self, workers: Collection[str], name: str, digest: str, data: bytes) -> dict[str, Any]:
        """Send a file; the error for each worker that did not take it, else None."""
        return self._ask(workers, hand.keep_file, name, digest, data)

    def try_brains(self, orders: Collection[tuple[str, Order]]) -> dict[str, str | BaseException | None]:
        """Why brains cannot take part, by the address of the worker that tried; None where all can."""
        futures = {worker: self._submit(hand.try_brains, worker, order) for worker, order in orders}
        reasons: dict[str, str | BaseException | None] = {}
        for worker, future in futures.items():
            try:
                reasons[worker] = future.result(TRIAL_WITHIN_S)
            except TimeoutError:
                reasons[worker] = f"it has not tried the brains within {TRIAL_WITHIN_S:.0f} s"
            except Exception as error:
                reasons[worker] = error
        self._check_connection()  # without it nobody could try
        return reasons

    def finish_run(self, run: str) -> None:
        """Let the workers begin no more games of this run; a worker that has gone has none."""
        with suppress(LostError), losing():
            self._client.run(hand.finish_run, run, on_error="ignore")

    def play(self, worker: str, order: Order, done: Done) -> None:
        """Let a worker carry out an order."""
        future = self._futures[order.key] = self._submit(self._play, worker, order)
        future.add_done_callback(lambda over: self._over(order.key, over, done))

    def forget(self, key: str) -> None:
        """Nobody waits for this order any more; whoever carries it out stops."""
        future = self._futures.pop(key, None)
        if future is not None:
            future.release()

    def close(self) -> None:
        with suppress(Exception):  # a scheduler that is lost cannot be told
            self._client.close(timeout=GOODBYE_S)

    def _submit(self, function: Callable[[bytes], Any], worker: str, order: Order) -> Future[Any]:
        return self._client.submit(
            function, packed(order), key=order.key, workers=[worker], allow_other_workers=False, pure=False, retries=0
        )

    def _over(self, key: str, future: Future[Any], done: Done) -> None:
        if key not in self._futures:
            return
        failure: BaseException | None = None
        if future.status == "error":
            failure = future.exception()
        elif future.status != "finished":
            failure = CancelledError()
        self.forget(key)
        done(key, failure)

    def _ask(self, workers: Collection[str], function: Callable[..., Any], *arguments: object) -> dict[str, Any]:
        with losing():
            return dict(self._client.run(function, *arguments, workers=list(workers), on_error="return"))

    def _check_connection(self) -> None:
        if self._client.status != "running":
            raise LostError("the connection is lost")


@contextmanager
def losing() -> Iterator[None]:
    """What dask raises when its scheduler is gone, or the connection is closed meanwhile."""
    try:
        yield
    except (OSError, RuntimeError, CancelledError, asyncio.CancelledError) as error:
        raise LostError(str(error)) from error


def reason_of_worker(error: object) -> str:
    """Why a worker cannot be asked, in words for its user."""
    if isinstance(error, ModuleNotFoundError):
        return f"it cannot import {error.name}; kaname must be installed there, too"
    if isinstance(error, RunnerError):
        return str(error)
    return repr(error)
