"""hatchling's hook: builds the native library, so that an installed engine never compiles anything."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeLibraryHook(BuildHookInterface[Any]):
    """Puts one target's libraries into the wheel, and its platform into the wheel's name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if self.target_name != "wheel":
            return
        sys.path.insert(0, self.root)
        from pbrain.library import build
        from pbrain.library.native import host_target
        from pbrain.library.wheels import PLATFORM_TAGS, TARGET_VARIABLE

        target = os.environ.get(TARGET_VARIABLE) or host_target()
        if target not in PLATFORM_TAGS:
            raise build.BuildError(f"there are no wheels for {target}; there are {', '.join(PLATFORM_TAGS)}")
        paths: list[Path] = []
        for name in (target, build.WASM):  # and what `python -m pbrain web` puts into its page
            if not build.is_current(name):
                for path in build.build(name):
                    self.app.display_info(f"built {path.name}")
            paths += build.library_paths(name)
        paths += [path.with_suffix(".json") for path in build.library_paths(build.WASM)]
        # Without these, hatchling leaves the git-ignored library out of a wheel that claims to fit everywhere.
        build_data["artifacts"] += [str(path.relative_to(Path(self.root))) for path in paths]
        build_data["tag"] = f"py3-none-{PLATFORM_TAGS[target]}"
        build_data["pure_python"] = False
