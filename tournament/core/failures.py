"""The runner's own problems: too many open files, a full disk, a log that cannot be written.

They stop the event, and never cost a brain a game. What is a brain's fault becomes a FaultError where it happens; any
OSError that gets further is the runner's own.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class RunnerError(Exception):
    """The runner cannot go on; the text says why in one sentence. `resume` continues the event."""


def runners_own(error: OSError) -> RunnerError:
    """The sentence for an error of the system."""
    where = f" ({error.filename})" if error.filename else ""
    return RunnerError(f"the games cannot go on: {reason_of(error)}{where}")


def reason_of(error: OSError) -> str:
    """`No space left on device`: the system's words, without number and path."""
    return error.strerror or str(error)


@contextmanager
def starting_threads() -> Iterator[None]:
    """A system that has no more threads is short of something, as one that has no more files: an OSError."""
    try:
        yield
    except RuntimeError as error:  # Python's "can't start new thread"
        raise OSError(errno.EAGAIN, str(error)) from error
