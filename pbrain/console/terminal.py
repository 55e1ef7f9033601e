"""Where a person types and reads."""

import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple, TextIO


class Console(NamedTuple):
    """A line read after a prompt, EOFError at the end of them; a text written, with a line's end; how it is shown."""

    read: Callable[[str], str]
    write: Callable[[str], None]
    is_coloured: bool = False
    is_terminal: bool = False


def is_terminal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether the stream is a screen that understands escape sequences."""
    # Of Windows' consoles, only Windows Terminal understands them without being asked to.
    is_able = environment.get("TERM") != "dumb" and (os.name != "nt" or "WT_SESSION" in environment)
    return stream.isatty() and is_able


def has_colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    return is_terminal(stream, environment) and "NO_COLOR" not in environment


def read_line(prompt: str) -> str:
    """`input`, with a prompt only for somebody who sees it, and the cursor on a new line afterwards."""
    if not sys.stdin.isatty():
        return input()
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt):
        write_text("")
        raise


def write_text(text: str) -> None:
    """`print`, at once; where nobody reads any more, to nowhere."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def standard_console() -> Console:
    """The console of this process; strange bytes and characters become marks instead of errors."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdin.isatty():
        with suppress(ImportError):  # there is none on Windows, whose console edits lines by itself
            import readline  # noqa: F401
    environment = os.environ
    return Console(read_line, write_text, has_colours(sys.stdout, environment), is_terminal(sys.stdout, environment))
