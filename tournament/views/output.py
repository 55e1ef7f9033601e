"""The standard output: encodings that do not have every character, and readers that leave."""

import codecs
import io
import os
from typing import TextIO

SPELLINGS = {"±": "+-", "…": "..."}


def spelled_out(error: UnicodeError) -> tuple[str, int]:
    """What the characters become that the encoding of the output does not have, such as ± in a Windows pipe."""
    assert isinstance(error, UnicodeEncodeError)
    characters = error.object[error.start : error.end]
    return "".join(SPELLINGS.get(character, "?") for character in characters), error.end


def use_any_encoding(stream: TextIO) -> None:
    """Let no name of a brain end the run because the encoding of the output does not have its letters."""
    codecs.register_error(spelled_out.__name__, spelled_out)
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
        stream.reconfigure(errors=spelled_out.__name__)


def silence(stream: TextIO) -> None:
    """Send what is still to be written nowhere, so that the interpreter does not complain about it when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
