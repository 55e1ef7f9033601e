"""The logs of one event."""

from pathlib import Path
from typing import NamedTuple

from tournament.play.log import EVERYTHING, Log, Logging
from tournament.play.names import file_name


class LogFolder(NamedTuple):
    """Where logs are written, how, and where they can be read in the end, if that is elsewhere."""

    folder: str
    logging: Logging = EVERYTHING
    home: str | None = None

    def log_of(self, pair: int, brain: str) -> Log | None:
        """The log of a brain's dialogue in a pair of games; None if the event keeps none."""
        stem = Path(self.folder, f"pair-{pair:05d}-{file_name(brain)}")
        return self.logging.log_at(stem, None if self.home is None else Path(self.home))
