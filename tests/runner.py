"""Helpers to run events in tests: fake brains, and a listener that collects events."""

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tournament.core.model import GameRecord
from tournament.event.config import Config, config_of
from tournament.event.event import Run
from tournament.event.events import Event, Listener
from tournament.event.local_executor import local_executor
from tournament.event.store import Store
from tournament.stats.summary import Summary

FAKE = Path(__file__).with_name("fake_engine.py")
OPENINGS = Path(__file__).with_name("openings.offset.txt")


class Collector:
    """Collects every event."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.has_event = threading.Event()

    def on_event(self, event: Event, _summary: Summary) -> None:
        self.events.append(event)
        self.has_event.set()

    def close(self) -> None:
        pass


def fake(fault: str, *arguments: str, **table: Any) -> dict[str, Any]:
    """The configuration table of a brain with a fault."""
    return {"name": fault, "command": [sys.executable, str(FAKE), fault, *arguments], **table}


def configuration(brains: list[dict[str, Any]], **event: Any) -> Config:
    openings = {} if event.get("swap2") else {"openings": str(OPENINGS)}
    tolerance = "10s" if event.get("manager") in ("cli", "judge") else "300ms"  # a start must fit into theirs
    return config_of({"games": 2, "turn": "1s", "tolerance": tolerance, "size": "10", **openings, **event}, brains)


def local_run(config: Config, store: Store, concurrency: int, listeners: Sequence[Listener]) -> Run:
    """A run whose games are played by processes of this machine."""
    return Run(config, store, local_executor(config, store, concurrency), listeners)


def play(config: Config, folder: Path, concurrency: int = 1) -> tuple[list[GameRecord], Collector]:
    """Run an event; its records, and the events sent to listeners."""
    collector = Collector()
    store = Store(folder)
    local_run(config, store, concurrency, [collector]).play("the same command")
    return store.load(), collector
