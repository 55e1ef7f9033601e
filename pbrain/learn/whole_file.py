"""Files that are there whole or not at all, also when the process is killed or the disk is full."""

from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the file first, under a name that the next attempt writes again."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
