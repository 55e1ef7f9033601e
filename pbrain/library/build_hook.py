"""hatchling's hook: builds the native library, so that an installed engine never compiles anything."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The library links against nothing, so the oldest tag that pip still knows is true.
WHEEL_PLATFORMS = {
    "linux-x86_64": "manylinux_2_17_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64",
    "windows-x86_64": "win_amd64",
    "macos-aarch64": "macosx_11_0_arm64",
}


class NativeLibraryHook(BuildHookInterface[Any]):
    """Puts this machine's libraries into the wheel, and the platform into its name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if self.target_name != "wheel":
            return
        sys.path.insert(0, self.root)
        from pbrain.library import build
        from pbrain.library.native import host_target

        target = host_target()
        if not build.is_current(target):
            for path in build.build(target):
                self.app.display_info(f"built {path.name}")
        # Without these two, hatchling leaves the git-ignored library out of a wheel that claims to fit everywhere.
        build_data["artifacts"] += [str(path.relative_to(Path(self.root))) for path in build.library_paths(target)]
        build_data["tag"] = f"py3-none-{WHEEL_PLATFORMS[target]}"
