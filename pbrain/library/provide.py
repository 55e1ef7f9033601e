"""Opens the native library; in a source checkout, builds it first if it is missing or stale."""

from collections.abc import Callable
from pathlib import Path

from pbrain.library.native import Library, LibraryError, StaleLibraryError, host_target, load


def open_library(path: Path | None, tell: Callable[[str], None]) -> Library:
    """The library at `path`, or the one for this machine; `tell` gets a line before it is built."""
    try:
        return load(path)
    except StaleLibraryError as stale:
        from pbrain.library import build

        try:
            build.check_requirements()
        except build.BuildError as error:
            raise LibraryError(f"{stale}, and {error}") from error
        tell(f"{stale}; building it takes about fifteen seconds")
        for _ in build.build(host_target()):
            pass
        return load(path)
