"""From nothing to a loaded library, and from there to a brain that listens."""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pbrain import processes, protocol, unpacked
from pbrain.engine import Engine
from pbrain.native import Library, LibraryError, StaleLibraryError, host_target, load

BUSY_FACTOR = 3


def open_library(path: Path | None, tell: Callable[[str], None]) -> Library:
    """The native library; in a source checkout one that is missing or stale is built first, and that is told."""
    try:
        return load(path)
    except StaleLibraryError as stale:
        from pbrain import build

        try:
            build.check_requirements()
        except build.BuildError as error:
            raise LibraryError(f"{stale}, and {error}") from error
        tell(f"{stale}; building it takes about fifteen seconds")
        for _ in build.build(host_target()):
            pass
        return load(path)


def run_brain(path: Path | None) -> None:
    """Speak the protocol on standard input and output; does not return."""
    sink = sys.stdout.buffer

    def tell(line: str) -> None:
        sink.write(f"MESSAGE {line}\n".encode())
        sink.flush()

    try:
        library = open_library(path, tell)
    except LibraryError as error:
        sink.write(f"ERROR {error}\n".encode())
        sink.flush()
        sys.exit(1)
    engine = Engine(library)
    folder = unpacked.own_folder()
    if folder is not None:
        unpacked.mark(folder)
        # Beside the conversation: the first answer must not wait for a slow disk.
        threading.Thread(target=unpacked.tidy_up, args=(folder,), daemon=True).start()
    protocol.run(engine, sys.stdin.buffer, sink, start_cost_ns())


def start_cost_ns() -> int:
    """What the start of this program took of a manager's clock.

    The time since its first process was made is exact, unless it was suspended meanwhile, as GomocupJudge does. Then
    processor time is all there is to go by; on a busy machine the start takes up to three times as much.
    """
    cpu_ns = time.process_time_ns()
    try:
        first = processes.first_process()
        age_ns, first_cpu_ns = processes.age_and_cpu_ns(first)
    except (OSError, AttributeError):  # neither Linux nor Windows
        return BUSY_FACTOR * cpu_ns
    if first != os.getpid():
        cpu_ns += first_cpu_ns
    return min(BUSY_FACTOR * cpu_ns, max(age_ns, cpu_ns))
