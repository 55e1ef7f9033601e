"""Runs an event from configuration to last game: preflight, schedule, executor, store, listeners."""

import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from tournament.core.failures import RunnerError, reason_of, runners_own
from tournament.core.model import GamePlan, GameRecord, Opening
from tournament.core.openings import drawn, generic_openings, read_openings, shipped_openings
from tournament.event.config import Config
from tournament.event.events import (
    Event,
    EventEnded,
    EventStarted,
    GameFinished,
    GameStarted,
    Listener,
    MoveAsked,
    Warned,
)
from tournament.event.executor import LocalExecutor
from tournament.event.knockout import knockout
from tournament.event.schedule import gauntlet, round_robin
from tournament.event.signals import Signals
from tournament.event.store import Store
from tournament.play.driver import Driver, FaultError
from tournament.play.managers import MANAGERS
from tournament.play.messages import PairJob
from tournament.stats.order import PairsInOrder
from tournament.stats.standings import Totals
from tournament.stats.summary import Summary, result_of

Verdict = Callable[[Totals], str | None]  # the decision, or None while undecided


class PreflightError(Exception):
    """A brain cannot take part; the text says which one and why."""


def plan_games(config: Config, played: Mapping[int, GameRecord] | None = None) -> list[GamePlan]:
    """The schedule for a configuration; that of a knock-out grows with the games played."""
    board, openings = config.board, openings_of(config)
    names = [spec.name for spec in config.brains]
    if config.mode == "knock-out":
        source = drawn(openings, board, config.seed, config.order)
        return list(knockout(names, config.games, source, played or {}).plans)
    if config.mode == "gauntlet":
        return gauntlet(names, config.games, openings, board, config.seed, config.order, config.heads)
    return round_robin(names, config.games, openings, board, config.seed, config.order)


def openings_of(config: Config) -> list[Opening]:
    """The openings of the event's file, or the built-in ones with which it began."""
    if config.openings is not None:
        return read_openings(Path(config.openings), config.board)
    return generic_openings(config.board) if config.openings_digest is None else shipped_openings(config.board)


def expected_games(config: Config) -> int:
    """The number of games, if they can be planned; in a knock-out, without the further pairs of tied matches."""
    plans = plan_games(config)
    return config.games * (len(config.brains) - 1) if config.mode == "knock-out" else len(plans)


def preflight(config: Config, executor: LocalExecutor) -> None:
    """Start every brain once on the event's board, before the first game."""
    for spec in config.brains:
        driver = Driver(spec, manager=MANAGERS[config.manager])
        with executor.holding([driver]):
            if executor.is_finishing:
                return
            try:
                driver.try_start(config.board)
            except FaultError as fault:
                if executor.is_finishing:
                    return
                dialogue = "\n".join(f"  {line}" for line in driver.tail)
                raise PreflightError(f"{spec.name} cannot take part: {fault}\n{dialogue}".rstrip()) from fault
            except OSError as error:
                raise runners_own(error) from error
            driver.close()


def jobs_of(plans: Sequence[GamePlan], done: set[int]) -> list[PairJob]:
    """The unplayed games, grouped by pair."""
    missing = (plan for plan in plans if plan.number not in done)
    return [tuple(pair) for _, pair in groupby(missing, key=lambda plan: plan.pair)]


class Decision:
    """The verdict on an event, which the first pairs of the schedule that suffice decide for good."""

    def __init__(self, verdict: Verdict, store: Store) -> None:
        self._verdict, self._store = verdict, store
        self.text = store.verdict()
        self._order = PairsInOrder()

    def add(self, record: GameRecord) -> None:
        """Count a saved game, and keep the verdict as soon as there is one."""
        for totals in self._order.after_each_pair(result_of(record)):
            if self.text is None:
                self.text = self._verdict(totals)
                if self.text is not None:
                    self._store.decide(self.text)


class Run:
    """One run of an event, new or resumed."""

    def __init__(self, config: Config, store: Store, concurrency: int, listeners: Sequence[Listener]) -> None:
        self._config, self._store, self._concurrency, self._listeners = config, store, concurrency, listeners
        self._summary = Summary(results={} if config.mode == "knock-out" else None)
        self._done: set[int] = set()  # numbers of games
        self._lock = threading.Lock()
        self.ended_by: signal.Signals | None = None  # such as SIGTERM, which ended the run

    def play(self, command: str, verdict: Verdict = lambda _: None) -> bool:
        """Play the missing games; returns whether all are played or a verdict is reached.

        RunnerError, after the running games are abandoned, if the runner itself cannot go on.
        """
        games = expected_games(self._config)
        with self._store.locked():
            self._store.resume(self._config.as_json())
            decision = Decision(verdict, self._store)
            for record in self._store.games():
                self._count(record, decision)
            jobs = self._jobs() if decision.text is None else []
            executor = self._executor()
            failure = None
            with Signals(executor, lambda text: self._emit(Warned(text))) as signals:
                if self._is_ready(jobs, executor):
                    failure = self._run(jobs, executor, games, decision)
            self.ended_by = signals.ended_by
            is_complete = decision.text is not None or not self._jobs()
        try:
            self._emit(EventEnded(is_complete, decision.text or "", self._hint(is_complete, command)))
        except RunnerError as error:
            failure = failure or error
        if failure is not None and self.ended_by is None:
            raise failure
        return is_complete

    def _executor(self) -> LocalExecutor:
        config = self._config
        return LocalExecutor(
            {spec.name: spec for spec in config.brains},
            config.board,
            self._concurrency,
            self._store,
            lambda plan: self._emit(GameStarted(plan)),
            lambda plan, ply, colour, left_ms: self._emit(MoveAsked(plan, ply, colour, left_ms)),
            config.adjudication,
            config.is_swap2,
            config.is_pinned,
            MANAGERS[config.manager],
        )

    def _is_ready(self, jobs: Sequence[PairJob], executor: LocalExecutor) -> bool:
        """Make sure that the games can be played before the folder says that they are; False if a signal came first."""
        if jobs:
            preflight(self._config, executor)
            if executor.is_finishing:
                return False
            self._store.begin(self._config.as_json())
        return True

    def _run(
        self, jobs: Sequence[PairJob], executor: LocalExecutor, games: int, decision: Decision
    ) -> RunnerError | None:
        """Play the jobs; returns why the runner itself could not go on."""

        def finished(record: GameRecord) -> None:
            with self._lock:
                self._store.append(record)
                self._count(record, decision)
                if decision.text is not None:
                    executor.finish()
                self._notify(GameFinished(record))

        names = tuple(spec.name for spec in self._config.brains)
        folder = str(self._store.folder)
        played, manager = self._summary.played, self._config.manager
        self._emit(EventStarted(folder, folder, names, games, played, self._concurrency, manager))
        try:
            while jobs and not executor.is_finishing:
                executor.run(jobs, finished)
                jobs = self._jobs()  # a knock-out goes on
        except RunnerError as error:
            return error
        return None

    def _hint(self, is_complete: bool, command: str) -> str:
        if is_complete:
            return f"games saved in {self._store.games_path}"
        return f"to resume: {command}" if self._store.exists else "no game was played"

    def _count(self, record: GameRecord, decision: Decision) -> None:
        """Keep what is needed of a saved game."""
        self._done.add(record.plan.number)
        self._summary.add(record)
        decision.add(record)

    def _jobs(self) -> list[PairJob]:
        """The unplayed games that the results so far allow to plan."""
        return jobs_of(plan_games(self._config, self._summary.results), self._done)

    def _emit(self, event: Event) -> None:
        with self._lock:
            self._notify(event)

    def _notify(self, event: Event) -> None:
        try:
            for listener in self._listeners:
                listener.on_event(event, self._summary)
        except OSError as error:
            self._listeners = ()  # nobody reads them
            raise RunnerError(f"the output cannot be written: {reason_of(error)}") from error
