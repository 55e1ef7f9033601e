"""What happens while an event runs; views listen, and nothing else prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tournament.model import GamePlan, GameRecord


@dataclass(frozen=True)
class EventStarted:
    """Games are about to be played."""

    name: str
    folder: str
    brains: tuple[str, ...]
    games: int
    played: int  # in an earlier run
    concurrency: int


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


@dataclass(frozen=True)
class GameFinished:
    record: GameRecord


@dataclass(frozen=True)
class Warned:
    text: str


@dataclass(frozen=True)
class EventEnded:
    """Nothing is running any more; `is_complete` if every game was played."""

    is_complete: bool
    verdict: str
    hint: str  # how to go on, or where the games are


Event = EventStarted | GameStarted | MoveAsked | GameFinished | Warned | EventEnded


class Listener(Protocol):
    """Hears every event, one at a time, from any thread."""

    def hear(self, event: Event, records: Sequence[GameRecord]) -> None:
        """`records` are all games finished so far."""

    def close(self) -> None: ...
