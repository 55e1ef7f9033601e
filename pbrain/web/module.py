"""The WebAssembly module of the kernel: where it is, built first where needed, and what a page must know of it."""

from collections.abc import Callable
from pathlib import Path

from pbrain.library.native import LIBRARY_FOLDER, LibraryError, is_source_checkout, library_name

WASM = ("wasm32", "v1")  # the target and its only baseline
MEMORY_IMPORT = b"\x03env\x06memory\x02"  # two names with their lengths, and the kind of import


def module_path(tell: Callable[[str], None]) -> Path:
    """The module in the package; a source checkout builds it if it is missing or stale."""
    path = LIBRARY_FOLDER / library_name(*WASM)
    if is_source_checkout():
        from pbrain.library import build

        if not build.is_current(build.WASM):
            build.check_requirements()
            tell("building the engine for browsers takes about fifteen seconds")
            for _ in build.build(build.WASM):
                pass
    if not path.exists():
        raise LibraryError(f"{path} is missing; reinstall the package")
    return path


def memory_flag(module: bytes) -> int:
    """Where the limits of the imported memory begin: its second bit says whether workers share it."""
    found = module.find(MEMORY_IMPORT)
    if found < 0 or module.count(MEMORY_IMPORT) > 1:
        raise LibraryError("the module for browsers does not import its memory once; build it again")
    return found + len(MEMORY_IMPORT)
