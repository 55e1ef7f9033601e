"""A folder with settings and a growing list of results, one JSON object per line; for long work that can be resumed.

A line is on disk before `append` returns. What a crash leaves of a line is cut off by the next run.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tournament.core.failures import RunnerError, reason_of
from tournament.event.store import StoreError, append_line, cut_torn_line, differences, locked_folder, write_whole


class Journal:
    """The results so far of one piece of work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._settings, self._results = folder / "settings.json", folder / "results.jsonl"

    @property
    def has_begun(self) -> bool:
        """Whether the folder holds work already."""
        return self._settings.exists()

    @contextmanager
    def opened(self, settings: dict[str, Any], may_change: tuple[str, ...] = ()) -> Iterator[list[dict[str, Any]]]:
        """The results so far; StoreError if the folder is in use, or holds work with other settings."""
        with locked_folder(self.folder, "journal.lock"):
            try:
                results = self._resumed(json.loads(json.dumps(settings)), may_change)
            except OSError as error:
                raise StoreError(f"{self.folder} cannot be used: {reason_of(error)}") from error
            yield results

    def _resumed(self, settings: dict[str, Any], may_change: tuple[str, ...]) -> list[dict[str, Any]]:
        if self._settings.exists():
            before = json.loads(self._settings.read_bytes())
            changes = differences(before, {**settings, **{key: before.get(key) for key in may_change}})
            if changes:
                changed = "\n".join(f"  {change}" for change in changes)
                raise StoreError(f"{self.folder} holds work with other settings:\n{changed}")
        write_whole(self._settings, json.dumps(settings, indent=1, sort_keys=True) + "\n")
        cut_torn_line(self._results)
        lines = self._results.read_bytes().splitlines() if self._results.exists() else []
        return [json.loads(line) for line in lines]

    def append(self, result: dict[str, Any]) -> None:
        line = (json.dumps(result) + "\n").encode("ascii")
        try:
            with self._results.open("ab", buffering=0) as file:
                append_line(file, line)
        except OSError as error:
            raise RunnerError(f"{self._results} cannot be written: {reason_of(error)}") from error
