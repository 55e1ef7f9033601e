"""Wheels for every system from one machine: `python -m pbrain wheels FOLDER`, in a source checkout.

Who installs one needs neither numba nor ziglang.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pbrain import __version__
from pbrain.library import build
from pbrain.library.digest import PACKAGE
from pbrain.library.native import is_source_checkout

# Which target the build hook packs; without it, the machine's own.
TARGET_VARIABLE = "KANAME_TARGET"

# The libraries link against nothing, so the oldest tag that pip still knows is true.
PLATFORM_TAGS = {
    "linux-x86_64": "manylinux_2_17_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64",
    "windows-x86_64": "win_amd64",
    "macos-aarch64": "macosx_11_0_arm64",
}


def build_wheel(target: str, folder: Path) -> Path:
    """Build the wheel of one target, its libraries first where they are stale."""
    if not is_source_checkout():
        raise build.BuildError("wheels are built from a source checkout; this is an installed package")
    if not build.is_current(target):
        for _ in build.build(target):
            pass
    run = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder.resolve())],
        cwd=PACKAGE.parent,
        env={**os.environ, TARGET_VARIABLE: target},
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        raise build.BuildError(f"the wheel for {target} was not built:\n{run.stderr.strip()}")
    return folder / f"kaname-{__version__}-py3-none-{PLATFORM_TAGS[target]}.whl"


def build_wheels(folder: Path) -> Iterator[Path]:
    """Build the wheel of each target and yield it as it is ready."""
    for target in PLATFORM_TAGS:
        yield build_wheel(target, folder)
