"""The safety net under the brain: an unexpected failure becomes one ERROR line, and the process ends.

Nothing may reach standard error, which some managers do not read and others take for a fault. And a brain that failed
in one of its threads must not go on: its manager would wait for it until its time is up.

SIGINT and SIGTERM end the process silently and at once, as the operating system does by default. Ctrl-C on a terminal
reaches the brain together with its manager. A manager that wants to handle Ctrl-C itself starts its brains in a group
of their own, because hardly any brain survives it; for a brain that was started by hand, Ctrl-C is the way to leave.
A shell also needs to see that the signal ended the process, or its loops would go on.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from pbrain.brain.processes import leave

FAILED = 1
STDOUT = 1
MAX_LENGTH = 200


def become_error_lines() -> None:
    """From now on, whatever is raised and not caught, in any thread, ends the process with an ERROR line."""
    sys.excepthook = lambda _kind, error, _trace: end_with_failure(error)
    sys.unraisablehook = lambda unraisable: end_with_failure(unraisable.exc_value)
    threading.excepthook = lambda uncaught: end_with_failure(uncaught.exc_value)
    # Python's own handler would raise KeyboardInterrupt. If SIGINT is ignored, as in a shell's background, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_with_failure(error: BaseException | None) -> NoReturn:
    end_with_error(f"internal failure: {description(error)}")


def end_with_error(reason: str) -> NoReturn:
    """Say why, past all buffers and their locks, and end the process."""
    line = "".join(char if char.isprintable() else " " for char in f"ERROR {reason}"[:MAX_LENGTH])
    with suppress(OSError):  # nobody is left to tell
        os.write(STDOUT, line.encode("ascii", "replace") + b"\n")
    leave(FAILED)


def description(error: BaseException | None) -> str:
    """The kind of an exception, the innermost place that it passed through, and its text."""
    trace = error.__traceback__ if error is not None else None
    if error is None or trace is None:
        return repr(error)
    while trace.tb_next is not None:
        trace = trace.tb_next
    file = os.path.basename(trace.tb_frame.f_code.co_filename)
    return f"{type(error).__name__} in {file}, line {trace.tb_lineno}: {error}"
