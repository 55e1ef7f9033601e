"""A dask scheduler and its workers, as processes that a test may kill."""

import os
import secrets
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STARTS_WITHIN_S = 120.0


def free_port() -> int:
    """None that the system would give to somebody else before it is used."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(is_so: Callable[[], bool], within_s: float = STARTS_WITHIN_S) -> None:
    deadline = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def started(
    words: list[str],
    scratch: Path,
    ready: str,
    within_s: float = STARTS_WITHIN_S,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has said that it is ready; it is killed in the end."""
    scratch.mkdir(parents=True, exist_ok=True)
    said = scratch / f"{uuid.uuid4().hex}.log"
    with said.open("wb") as sink:
        process = subprocess.Popen(
            words, cwd=ROOT, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL, stderr=sink
        )
    try:
        wait_until(lambda: ready in said.read_text() or process.poll() is not None, within_s)
        assert process.poll() is None, said.read_text()
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def dask_scheduler(port: int, scratch: Path) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    with started([*words, "--no-dashboard"], scratch, "Scheduler at:") as process:
        yield process


@contextmanager
def dask_worker(port: int, scratch: Path, threads: int = 2, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--no-nanny"]
    options = ["--nthreads", str(threads), "--no-dashboard", "--local-directory", str(scratch)]
    with started([*words, *options], scratch, "Registered to:", environment=environment) as process:
        yield process
