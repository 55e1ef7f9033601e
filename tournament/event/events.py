"""The messages of a running event to its listeners; only the views print."""

from dataclasses import dataclass
from typing import Protocol

from tournament.core.model import GamePlan, GameRecord, Move
from tournament.stats.summary import Summary


@dataclass(frozen=True)
class EventStarted:
    """Games are about to be played."""

    name: str
    folder: str
    brains: tuple[str, ...]
    games: int
    played: int  # in earlier runs
    concurrency: int
    manager: str = "ours"


@dataclass(frozen=True)
class GameStarted:
    plan: GamePlan


@dataclass(frozen=True)
class MoveAsked:
    """A brain has been asked for a move."""

    plan: GamePlan
    ply: int
    colour: int
    left_ms: float | None
    stones: tuple[Move, ...] = ()


@dataclass(frozen=True)
class GameDropped:
    """Whoever played the game is lost; it begins anew elsewhere."""

    plan: GamePlan


@dataclass(frozen=True)
class GameFinished:
    record: GameRecord


@dataclass(frozen=True)
class Warned:
    text: str


@dataclass(frozen=True)
class EventEnded:
    """The run is over; `is_complete` if all games are played or a verdict is reached."""

    is_complete: bool
    verdict: str
    hint: str  # how to resume, or where the games are


Event = EventStarted | GameStarted | MoveAsked | GameDropped | GameFinished | Warned | EventEnded


class Listener(Protocol):
    """Receives every event, one at a time, from any thread."""

    def on_event(self, event: Event, summary: Summary) -> None:
        """Handle one event; the summary is that of all games so far, until the next event."""

    def close(self) -> None: ...
