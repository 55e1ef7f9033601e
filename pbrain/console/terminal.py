"""The terminal, or the pipe, that a person types into and reads from."""

import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple, TextIO


class Console(NamedTuple):
    """How to read a line after a prompt (EOFError at the end of input), and how to write a text and a line end."""

    read: Callable[[str], str]
    write: Callable[[str], None]
    is_coloured: bool = False
    is_terminal: bool = False


def is_terminal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether the stream is a screen that understands escape sequences."""
    # On Windows, only Windows Terminal understands them by default.
    is_able = environment.get("TERM") != "dumb" and (os.name != "nt" or "WT_SESSION" in environment)
    return stream.isatty() and is_able


def has_colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    return is_terminal(stream, environment) and "NO_COLOR" not in environment


def read_line(prompt: str) -> str:
    """`input`, but a pipe gets no prompt, and Ctrl-C and Ctrl-D end the line on the screen."""
    if not sys.stdin.isatty():
        return input()
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt):
        write_text("")
        raise


def write_text(text: str) -> None:
    """`print` at once; if the reader has gone, this and all later output is dropped."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def standard_console() -> Console:
    """The console of this process; bytes and characters that cannot be shown are escaped."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdin.isatty():
        with suppress(ImportError):  # Windows has none; its console edits lines itself
            import readline  # noqa: F401
    environment = os.environ
    return Console(read_line, write_text, has_colours(sys.stdout, environment), is_terminal(sys.stdout, environment))
