"""What work in a folder depends on, as JSON: work with other settings must not go on there."""

import json
from pathlib import Path
from typing import Any

from pbrain.learn.whole_file import write_whole


def agree_on(path: Path, settings: dict[str, Any]) -> None:
    """Record the settings where there are none yet; ValueError with a sentence if there are others."""
    if path.exists():
        before = read(path)
        changes = [
            f"{name} {json.dumps(before.get(name))}, not {json.dumps(settings.get(name))}"
            for name in sorted({*before, *settings})
            if before.get(name) != settings.get(name)
        ]
        if changes:
            raise ValueError(f"{path.parent} was begun with {'; '.join(changes)}: use those, or another folder")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{json.dumps(settings, indent=1)}\n".encode("ascii"))


def read(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is damaged: it holds no settings") from error
    if not isinstance(settings, dict):
        raise ValueError(f"{path} is damaged: it holds no settings")
    return settings
