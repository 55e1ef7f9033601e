"""An event as JSON, one object per line, for programs that follow it."""

import json
from dataclasses import asdict, replace
from enum import Enum
from typing import Any, TextIO

from tournament.event.config import Config
from tournament.event.events import Event, EventEnded, GameFinished, MoveAsked
from tournament.stats.sprt import SprtState
from tournament.stats.standings import (
    Anchor,
    Standing,
    sprt_state,
    standings_of,
)
from tournament.stats.summary import Summary
from tournament.views.text import FAULT_NAMES


class JsonView:
    """One JSON event per line, including moves, so that a program can follow the games."""

    def __init__(self, sink: TextIO, config: Config, anchor: Anchor | None = None) -> None:
        self._sink = sink
        self._config, self._field = config, replace(config.field, anchor=anchor)

    def on_event(self, event: Event, summary: Summary) -> None:
        data: dict[str, Any] = {"event": type(event).__name__, **values_of(event)}
        if isinstance(event, GameFinished | EventEnded):
            data["standings"] = [row_value(row) for row in standings_of(summary.totals, self._field).rows]
            data["sprt"] = sprt_value(sprt_state(summary.tested.totals, self._config.sprt, self._field))
        print(json.dumps(data, default=plain_value), file=self._sink, flush=True)

    def close(self) -> None:
        pass


def values_of(event: Event) -> dict[str, Any]:
    """What an event tells; of the stones only the last one, for a program has heard of the others."""
    if not isinstance(event, MoveAsked):
        return asdict(event)
    values = asdict(replace(event, stones=event.stones[-1:]))
    last = next(iter(values.pop("stones")), None)
    return {**values, "last": last}


def row_value(row: Standing) -> dict[str, Any]:
    """A row of the standings as JSON has it; every kind of fault has its number."""
    faults = dict(row.faults)
    return {**asdict(row), "faults": {kind.name: faults.get(kind, 0) for kind in FAULT_NAMES}}


def sprt_value(state: SprtState | None) -> dict[str, Any] | None:
    """The state of a sequential test as JSON has it; the verdict is that of the event."""
    return None if state is None else asdict(state)


def plain_value(value: object) -> object:
    return value.name if isinstance(value, Enum) else str(value)
