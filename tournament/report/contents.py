"""What the page shows of the games, added one by one; of a game itself only its row and its packed text are kept."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from tournament.core.model import BLACK, GameRecord, Termination
from tournament.event.config import Config
from tournament.report.game_data import packed, row_of
from tournament.stats.colours import ColourTotals
from tournament.stats.course import SprtCourse
from tournament.stats.move_times import MoveTimes
from tournament.stats.standings import Anchor, Field, Standings, standings_of
from tournament.stats.summary import Summary

MAX_EVIDENCE = 20  # faults with their dialogue on the page; the games have it, too
MAX_WARNINGS = 20


@dataclass(frozen=True)
class Evidence:
    """A game lost by a fault, and what happened."""

    number: int
    summary: str
    dialogue: str


class Contents:
    """The games of one event."""

    def __init__(self, name: str, config: Config, planned: int | None, anchor: Anchor | None = None) -> None:
        self.name, self.config, self.planned = name, config, planned
        self.players: Field = replace(config.field, anchor=anchor)
        self.verdict: str | None = None
        self.summary = Summary(results={} if config.mode == "knock-out" else None)
        self.colours, self.move_times = ColourTotals(), MoveTimes()
        self.course = None if config.sprt is None else SprtCourse(config.sprt, config.field)
        self.endings: Counter[Termination] = Counter()
        self.losers: Counter[tuple[Termination, str]] = Counter()
        self.evidence: list[Evidence] = []
        self.warnings: Counter[str] = Counter()
        self.rows: list[list[Any]] = []
        self.games: list[str] = []
        self._places = {spec.name: place for place, spec in enumerate(config.brains)}

    def add(self, record: GameRecord) -> None:
        self.summary.add(record)
        self.colours.add(record)
        self.move_times.add(record)
        if self.course is not None:
            self.course.add(record)
        self._add_ending(record)
        self.warnings.update(record.warnings)
        self.rows.append(row_of(record, self._places))
        self.games.append(packed(record))

    def _add_ending(self, record: GameRecord) -> None:
        plan, kind = record.plan, record.termination
        self.endings[kind] += 1
        if record.winner is not None:
            self.losers[kind, plan.white if record.winner == BLACK else plan.black] += 1
        if kind.is_fault and len(self.evidence) < MAX_EVIDENCE:
            summary, _, dialogue = record.detail.partition("\n")
            self.evidence.append(Evidence(plan.number, summary, dialogue))

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def standings(self) -> Standings:
        return standings_of(self.summary.totals, self.players)
