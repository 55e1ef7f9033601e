"""The folder that a one-file executable unpacks itself into: marked while in use, removed if it was left behind.

The first process of the executable removes its folder when the brain ends, in the order of the file system. If it was
killed before that or meanwhile, the next start of ours removes the rest: a folder whose marker names a brain that is
gone, or without a marker but with another file of ours. Windows and Wine sort by name; the marker's name sorts last.

Our own removal may be cut short as well. So it first renames the folder, in one step: whatever is left of it, the name
says that nobody uses it. Windows refuses to rename a folder with a file in use, so nothing in use is removed there.
"""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from pbrain.brain import processes

MARK = "~kaname.pid"
ABANDONED = ".kaname"  # ends the name of a folder that is being removed
OURS = ("pbrain/engine/values/*.tsv", "pbrain/library/built/kaname-*")  # files that only our folders hold
UNMARKED_FOR_S = 3600  # a start that takes this long has failed


def look_after_folders(own: Path) -> None:
    """Mark the folder that this program was unpacked into, and remove those that earlier ones have left."""
    with suppress(OSError):  # a full disk is no reason not to play
        mark(own, owner_text(os.getpid()))
    # In the background: the first answer must not wait for a slow disk.
    threading.Thread(target=tidy_up, args=(own,), daemon=True).start()


def owner_text(pid: int) -> str:
    """What a marker says: a process, told from later ones with the same PID by the time of its start."""
    return f"{pid} {processes.started_at(pid)}"


def mark(folder: Path, text: str) -> None:
    """Write the marker in one step: there is never half a marker."""
    new = folder / f"{MARK}.new"
    new.write_text(text, encoding="ascii")
    new.replace(folder / MARK)


def is_in_use(text: str) -> bool:
    """Whether the owner that a marker names is running, and is not this process, whose folder is another one."""
    pid = int(text.split()[0])
    return pid != os.getpid() and processes.is_running(pid) and owner_text(pid) == text


def is_stale(folder: Path, now: float) -> bool:
    """Whether a folder is one of ours whose brain is gone, or that was left before it could be marked."""
    if folder.name.endswith(ABANDONED):
        return True
    with suppress(OSError, ValueError, IndexError):
        return not is_in_use((folder / MARK).read_text(encoding="ascii"))
    with suppress(OSError):  # removed meanwhile
        is_ours = any(True for pattern in OURS for _ in folder.glob(pattern))
        return is_ours and now - folder.stat().st_mtime > UNMARKED_FOR_S
    return False


def stale_folders(own: Path) -> list[Path]:
    """Folders of ours, next to this one, that nobody uses any more."""
    now = time.time()
    return [folder for folder in sorted(own.parent.glob("_MEI*")) if folder != own and is_stale(folder, now)]


def remove(folder: Path) -> None:
    """Remove a folder, or as much of it as the system lets us."""
    import shutil  # with all that it loads, it would delay the first answer

    if not folder.name.endswith(ABANDONED):
        folder = folder.rename(folder.with_name(folder.name + ABANDONED))
    shutil.rmtree(folder, ignore_errors=True)


def tidy_up(own: Path) -> None:
    """Remove the folders next to this one that were left behind."""
    for folder in stale_folders(own):
        with suppress(OSError):  # in use, or another brain is removing it
            remove(folder)
