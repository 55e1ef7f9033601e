"""A digest of all sources of a native library; the build stores it next to the library."""

from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# The versions of numba and ziglang are constants in build.py, so the digest covers them too.
CORE = ("core/layout", "core/parameters", "core/params", "core/types")
SOURCES = (*CORE, "library/lower", "library/clocks", "library/build")


def sources() -> Iterable[Path]:
    return [*(PACKAGE / f"{name}.py" for name in SOURCES), *sorted((PACKAGE / "kernel").glob("*.py"))]


def digest(library: str) -> str:
    """The digest that the library with this file name has if it was built from the present sources."""
    import hashlib  # takes 3 ms, and only a source checkout needs it

    summed = hashlib.sha256(library.encode())
    for path in sources():
        summed.update(path.name.encode() + b"\0")
        summed.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return summed.hexdigest()


def stamp_of(library: Path) -> Path:
    """Where a library's digest is stored."""
    return library.with_name(library.name + ".digest")


def has_current_stamp(library: Path) -> bool:
    """Whether the library exists and was built from the present sources."""
    stamp = stamp_of(library)
    return library.exists() and stamp.exists() and stamp.read_text() == digest(library.name)
