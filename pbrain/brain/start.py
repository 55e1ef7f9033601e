"""From nothing to a loaded library, and from there to a brain that listens."""

import gc
import os
import sys
import time
from pathlib import Path
from typing import NoReturn

from pbrain.brain import failures, processes

BUSY_FACTOR = 3


def run_brain(path: Path | None, values: Path | None = None) -> NoReturn:
    """Speak the protocol on standard input and output until the manager ends it."""
    failures.become_error_lines()
    # Only now: what fails in here, in an incomplete installation, must not be printed to standard error either.
    from pbrain.brain import conversation
    from pbrain.engine.engine import Engine
    from pbrain.engine.evaluation import knowledge_for, knowledge_in
    from pbrain.library.native import LibraryError
    from pbrain.library.provide import open_library

    sink = sys.stdout.buffer

    def tell(line: str) -> None:
        sink.write(f"MESSAGE {line}\n".encode())
        sink.flush()

    try:
        library = open_library(path, tell)
        knowledge = knowledge_for if values is None else knowledge_in(values)
    except (LibraryError, ValueError) as error:
        failures.end_with_error(str(error))
    engine = Engine(library, knowledge)
    if hasattr(sys, "_MEIPASS"):
        from pbrain.brain import unpacked

        unpacked.look_after_folders(Path(sys._MEIPASS))
    gc.freeze()  # what was loaded stays
    gc.enable()
    conversation.converse(engine, sys.stdin.buffer, sink, start_cost_ns())


def start_cost_ns() -> int:
    """How much of the manager's clock the start of this program took.

    The time since its first process was created is exact, unless the process was suspended meanwhile, as GomocupJudge
    does. Then CPU time is all there is to go by; on a busy machine the start takes up to three times as long.
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
