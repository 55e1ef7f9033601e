"""Finds and loads the native library with ctypes; never compiles anything."""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

from pbrain.core import layout
from pbrain.library.digest import PACKAGE, has_current_stamp

LIBRARY_FOLDER = PACKAGE / "library" / "built"
MAX_NAMES_LENGTH = 150  # many file systems allow 255 bytes
SUFFIXES = {"linux": ".so", "windows": ".dll", "macos": ".dylib"}

# The CPU flags that x86-64-v3 adds to v2, by their Linux names; abm is lzcnt.
V3_FLAGS = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"})
WINDOWS_HAS_AVX2 = 40  # PF_AVX2_INSTRUCTIONS_AVAILABLE; every CPU that has AVX2 has the rest of v3

CTYPES = {
    "void": None,
    "u1": ctypes.c_uint8,
    "u2": ctypes.c_uint16,
    "u4": ctypes.c_uint32,
    "u8": ctypes.c_uint64,
    "i2": ctypes.c_int16,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
}


class LibraryError(Exception):
    """The native library cannot be used; the message is one sentence that says what to do."""


class StaleLibraryError(LibraryError):
    """In a source checkout the library is missing, or was built from other sources; building it repairs that."""


def structure(name: str, fields: layout.Fields) -> Any:
    """A ctypes structure with these fields."""
    members = []
    for field, kind, shape in fields:
        member: Any = CTYPES[kind] if isinstance(kind, str) else structure(field, kind)
        for length in reversed(shape):
            member = member * length
        members.append((field, member))
    return type(name, (ctypes.Structure,), {"_fields_": members})


State: Any = structure("State", layout.STATE)
Tables: Any = structure("Tables", layout.TABLES)
Worker: Any = structure("Worker", layout.WORKER)
Busy: Any = structure("Busy", layout.BUSY)
RECORDS = {"state": State, "tables": Tables, "worker": Worker}


def host_target() -> str:
    """The name of the build target for this machine."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    # Not `platform.machine()`: importing that module would add 2 ms to every start.
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "AMD64")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    return f"{system}-{machine}"


def library_name(target: str, baseline: str, without: str | None = None, is_tunable: bool = False) -> str:
    """Too long a list of features for a file name is told by its number and a checksum."""
    suffix = SUFFIXES.get(target.split("-")[0], ".wasm")
    variant = ""
    if without:
        names = without.replace(",", "+")
        is_long = len(names) > MAX_NAMES_LENGTH
        variant = f"-without-{names.count('+') + 1}-{crc32(names.encode()):08x}" if is_long else f"-without-{names}"
    variant += "-tunable" if is_tunable else ""
    return f"kaname-{target}-{baseline}{variant}{suffix}"


def has_v3() -> bool:
    """Whether this x86-64 CPU runs the v3 baseline."""
    if sys.platform == "win32":
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(WINDOWS_HAS_AVX2))
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
            flags = next((line for line in cpuinfo if line.startswith("flags")), "")
    except OSError:
        return False
    return set(flags.split()) >= V3_FLAGS


def baselines(target: str) -> Iterable[str]:
    """The CPU baselines of the target that this machine can run, best first."""
    if target.endswith("x86_64"):
        return ("v3", "v2") if has_v3() else ("v2",)
    return ("v8",)


def is_source_checkout() -> bool:
    return (PACKAGE.parent / "pyproject.toml").exists()


def find_library() -> Path:
    """The best library for this machine; in a source checkout, it must be built from the present sources."""
    target = host_target()
    paths = [LIBRARY_FOLDER / library_name(target, baseline) for baseline in baselines(target)]
    path = next((path for path in paths if path.exists()), None)
    if is_source_checkout():
        if path is None:
            raise StaleLibraryError("the native library has not been built yet")
        if not has_current_stamp(path):
            raise StaleLibraryError("the native library is older than the kernel's sources")
    if path is None:
        raise LibraryError(f"this installation has no native library for {target}; install it from source")
    return path


class Library:
    """The kernel's entry points, typed for ctypes; ctypes releases the interpreter lock during each call."""

    def __init__(self, path: Path) -> None:
        try:
            self._dll = ctypes.CDLL(str(path))
        except OSError as error:
            raise LibraryError(f"{path} cannot be loaded: {error}") from error
        for name, result, arguments in layout.ENTRIES:
            function = getattr(self._dll, name, None)
            if function is None:
                raise LibraryError(f"{path} was built from other sources: it lacks {name}; build it again")
            function.restype = CTYPES[result]
            function.argtypes = [
                ctypes.POINTER(RECORDS[kind]) if kind in RECORDS else CTYPES[kind] for kind in arguments
            ]
            setattr(self, name.removeprefix("kaname_"), function)
        if self.layout() != layout.signature():
            raise LibraryError(f"{path} was built from other sources: its records differ; build it again")
        self.path = path

    def __getattr__(self, name: str) -> Any:  # for the type checker: entry points are set above
        raise AttributeError(name)


def load(path: Path | None = None) -> Library:
    """The library at `path`, or the one for this machine."""
    return Library(path if path is not None else find_library())
