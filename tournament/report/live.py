"""A report that grows: games are added by the runner's threads, and read by those that serve pages."""

import heapq
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from tournament.core.model import GamePlan, GameRecord, Move
from tournament.event.events import Event, EventEnded, GameDropped, GameFinished, GameStarted, MoveAsked
from tournament.event.store import Store
from tournament.report.contents import Contents
from tournament.report.page import Life, page, sections

MAX_RUNNING = 24  # games that a page shows


class RunningGame(NamedTuple):
    """A game in progress, as the page's script reads it."""

    number: int
    black: str
    white: str
    stones: tuple[Move, ...]
    colour: int  # to move
    left_ms: float | None

    @property
    def value(self) -> dict[str, Any]:
        values = self._asdict()
        return {**values, "leftMs": values.pop("left_ms")}


class News(NamedTuple):
    """What is new since a page had so many games."""

    games: int
    sections: dict[str, str]
    rows: Sequence[list[Any]]
    packed: Sequence[str]


class LiveReport:
    """Hears of the event. What takes time is done by the threads that read."""

    def __init__(self, contents: Contents, store: Store, life: Life) -> None:
        self._contents, self._store, self._life = contents, store, life
        self._notes = threading.Lock()  # of what listeners write
        self._fresh: list[GameRecord] = []
        self._running: dict[int, RunningGame] = {}
        self.is_over = False
        self._reading = threading.Lock()  # of the contents
        self._sections: tuple[int, dict[str, str]] = (-1, {})  # after so many games

    def hear(self, event: Event) -> None:
        with self._notes:
            if isinstance(event, GameStarted):
                self._moving(event.plan, event.plan.opening.moves, 0, None)
            elif isinstance(event, MoveAsked):
                self._moving(event.plan, event.stones, event.colour, event.left_ms)
            elif isinstance(event, GameFinished):
                self._fresh.append(event.record)
                self._running.pop(event.record.plan.number, None)
            elif isinstance(event, GameDropped):
                self._running.pop(event.plan.number, None)
            elif isinstance(event, EventEnded):
                self._running.clear()
                self.is_over = True

    def _moving(self, plan: GamePlan, stones: tuple[Move, ...], colour: int, left_ms: float | None) -> None:
        self._running[plan.number] = RunningGame(plan.number, plan.black, plan.white, stones, colour, left_ms)

    def add(self, records: Sequence[GameRecord]) -> None:
        """Games that another process has played."""
        with self._notes:
            self._fresh += records

    def running(self) -> tuple[list[RunningGame], int]:
        """The first of the running games, and how many there are in all: a farm may play a thousand."""
        with self._notes:
            return heapq.nsmallest(MAX_RUNNING, self._running.values()), len(self._running)

    def page(self) -> str:
        with self._reading:
            self._take_fresh()
            return page(self._contents, self._life)

    def news(self, games: int) -> News | None:
        """What is new for a page that has so many games; None if nothing is."""
        with self._reading:
            self._take_fresh()
            contents = self._contents
            count = len(contents.rows)
            if count <= games:
                return None
            if self._sections[0] != count:
                self._sections = count, sections(contents)
            return News(count, self._sections[1], contents.rows[games:], contents.games[games:])

    def _take_fresh(self) -> None:
        with self._notes:
            fresh, self._fresh = self._fresh, []
        for record in fresh:
            self._contents.add(record)
        self._contents.verdict = self._store.verdict()
