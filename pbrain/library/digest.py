"""A fingerprint of everything that a native library is made from, stored beside it when it is built."""

from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# The versions of numba and ziglang are constants of build.py, so they are in the digest as well.
SOURCES = ("core/layout", "core/params", "core/types", "library/lower", "library/clocks", "library/build")


def sources() -> Iterable[Path]:
    return [*(PACKAGE / f"{name}.py" for name in SOURCES), *sorted((PACKAGE / "kernel").glob("*.py"))]


def digest(library: str) -> str:
    """The digest of the library with this file name, if it were built from the sources as they are now."""
    import hashlib  # 3 ms, which only a source checkout has to pay

    summed = hashlib.sha256(library.encode())
    for path in sources():
        summed.update(path.name.encode() + b"\0")
        summed.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return summed.hexdigest()


def stamp_of(library: Path) -> Path:
    """Where a library's digest is stored."""
    return library.with_name(library.name + ".digest")


def has_current_stamp(library: Path) -> bool:
    """Whether a library is there and was built from the sources as they are now."""
    stamp = stamp_of(library)
    return library.exists() and stamp.exists() and stamp.read_text() == digest(library.name)
