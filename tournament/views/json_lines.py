"""An event as JSON, one object per line, for programs that follow it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import Enum
from typing import Any, TextIO

from tournament.core.model import GameRecord
from tournament.event.config import Config
from tournament.event.events import Event, EventEnded, EventStarted, GameFinished
from tournament.stats.order import PairsInOrder
from tournament.stats.sprt import SprtState
from tournament.stats.standings import (
    Anchor,
    Standing,
    Totals,
    sprt_state,
    standings_of,
    totals_of,
)
from tournament.views.text import FAULT_NAMES


class JsonView:
    """One JSON event per line, including moves, so that a program can follow the games."""

    def __init__(self, sink: TextIO, config: Config, anchor: Anchor | None = None) -> None:
        self._sink = sink
        self._config, self._field = config, replace(config.field, anchor=anchor)
        self._totals, self._tested = Totals(), PairsInOrder()

    def on_event(self, event: Event, records: Sequence[GameRecord]) -> None:
        data: dict[str, Any] = {"event": type(event).__name__, **asdict(event)}
        if isinstance(event, EventStarted):
            self._totals, self._tested = totals_of(records), PairsInOrder(records)
        if isinstance(event, GameFinished):
            self._totals.add(event.record)
            self._tested.add(event.record)
        if isinstance(event, GameFinished | EventEnded):
            data["standings"] = [row_value(row) for row in standings_of(self._totals, self._field).rows]
            data["sprt"] = sprt_value(sprt_state(self._tested.totals, self._config.sprt, self._field))
        print(json.dumps(data, default=plain_value), file=self._sink, flush=True)

    def close(self) -> None:
        pass


def row_value(row: Standing) -> dict[str, Any]:
    """A row of the standings as JSON has it; every kind of fault has its number."""
    faults = dict(row.faults)
    return {**asdict(row), "faults": {kind.name: faults.get(kind, 0) for kind in FAULT_NAMES}}


def sprt_value(state: SprtState | None) -> dict[str, Any] | None:
    """The state of a sequential test as JSON has it; the verdict is that of the event."""
    return None if state is None else asdict(state)


def plain_value(value: object) -> object:
    return value.name if isinstance(value, Enum) else str(value)
