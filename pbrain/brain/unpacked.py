"""The folder that a one-file executable unpacks itself into: marked while it is in use, removed if it was left behind.

The executable's first process removes its folder when the brain ends. Where that process was killed, nobody does; the
next start of ours looks for marked folders whose brain is gone.
"""

import os
import sys
import time
from pathlib import Path

from pbrain.brain.processes import is_running

MARK = "kaname.pid"
OURS = Path("pbrain", "engine", "values", "worth.tsv")  # what every unpacked folder of ours holds
UNMARKED_FOR_S = 3600  # a start that takes this long is none


def own_folder() -> Path | None:
    """Where this program was unpacked, None where it was not."""
    folder = getattr(sys, "_MEIPASS", None)
    return None if folder is None else Path(folder)


def is_stale(folder: Path, now: float) -> bool:
    """Whether a folder is one of ours whose brain is gone, or that was left before it could be marked."""
    try:
        pid = int((folder / MARK).read_text(encoding="ascii"))
    except (OSError, ValueError):
        try:
            return (folder / OURS).exists() and now - folder.stat().st_mtime > UNMARKED_FOR_S
        except OSError:  # removed meanwhile
            return False
    return not is_running(pid)


def stale_folders(own: Path) -> list[Path]:
    """Folders of ours, next to this one, that nobody uses any more."""
    now = time.time()
    return [folder for folder in sorted(own.parent.glob("_MEI*")) if folder != own and is_stale(folder, now)]


def mark(folder: Path) -> None:
    """Say whose folder this is, in one step: half a mark would be none."""
    new = folder / (MARK + ".new")
    new.write_text(str(os.getpid()), encoding="ascii")
    new.replace(folder / MARK)


def tidy_up(folder: Path) -> None:
    """Remove the folders beside this one that were left behind."""
    folders = stale_folders(folder)
    if folders:
        import shutil  # with all that it loads, it would hold up the first answer

        for stale in folders:
            shutil.rmtree(stale, ignore_errors=True)
