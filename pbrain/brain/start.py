"""From nothing to a loaded library, and from there to a brain that listens."""

import os
import sys
import threading
import time
from pathlib import Path

from pbrain.brain import processes, protocol, unpacked
from pbrain.engine.engine import Engine
from pbrain.library.native import LibraryError
from pbrain.library.provide import open_library

BUSY_FACTOR = 3


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
