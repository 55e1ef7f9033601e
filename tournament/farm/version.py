"""Which runner this is: games are played only by workers whose code is the same."""

import hashlib
from pathlib import Path

from tournament import __version__

PLAYING = ("core", "play", "farm")  # the rooms whose code plays and judges games


def version_on_disk() -> str:
    """The version, and the beginning of a digest of the code."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for room in PLAYING for path in (package / room).glob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return f"{__version__} ({digest.hexdigest()[:8]})"


RUNNER_VERSION = version_on_disk()  # when this process loaded its code
