"""Measurements as they come: one line each in a file, so that nothing is lost and nothing is measured twice."""

import json
import os
from pathlib import Path
from typing import Any

FILE_NAME = "measurements.jsonl"


class Store:
    """Values by key. A line whose end was torn off by a crash is dropped, and measured again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._values: dict[str, Any] = {}
        if self._path.exists():
            self._read()

    def _read(self) -> None:
        text = self._path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = json.loads(line)
                self._values[entry["key"]] = entry["value"]
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{self._path}, line {number}: not a measurement") from error
        if len(whole) < len(text):
            with self._path.open("rb+") as file:
                file.truncate(len(whole))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def put(self, key: str, value: Any) -> None:
        """Remember a value; it is on disk when this returns."""
        with self._path.open("ab") as file:
            file.write(json.dumps({"key": key, "value": value}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._values[key] = value
