"""Runs an event from configuration to last game: preflight, schedule, executor, store, listeners."""

import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path

from tournament.core.failures import RunnerError, reason_of
from tournament.core.model import GamePlan, GameRecord, Opening
from tournament.core.openings import drawn, generic_openings, read_openings, shipped_openings
from tournament.event.config import Config
from tournament.event.events import (
    Event,
    EventEnded,
    EventStarted,
    GameDropped,
    GameFinished,
    GameStarted,
    Listener,
    MoveAsked,
    Warned,
)
from tournament.event.executor import Executor, News
from tournament.event.knockout import knockout
from tournament.event.schedule import gauntlet, round_robin
from tournament.event.signals import Signals
from tournament.event.store import Store
from tournament.play.messages import Asked, Began, Dropped, Ended, Logged, PairJob, Told
from tournament.stats.order import PairsInOrder
from tournament.stats.standings import Totals
from tournament.stats.summary import Summary, result_of

Verdict = Callable[[Totals], str | None]  # the decision, or None while undecided


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

    def __init__(self, config: Config, store: Store, executor: Executor, listeners: Sequence[Listener]) -> None:
        self._config, self._store, self._executor, self._listeners = config, store, executor, listeners
        self._summary = Summary(results={} if config.mode == "knock-out" else None)
        self._done: set[int] = set()  # numbers of games
        self._lock = threading.Lock()
        self.ended_by: signal.Signals | None = None  # such as SIGTERM, which ended the run

    def play(
        self,
        command: str,
        verdict: Verdict = lambda _: None,
        conclude: Callable[[], None] = lambda: None,
    ) -> bool:
        """Play the missing games; returns whether all are played or a verdict is reached.

        `conclude` is called at the end; a Ctrl-C that comes too late to stop a game does not cut it short.
        RunnerError, after the running games are abandoned, if the runner itself cannot go on.
        """
        with Signals(self._executor, lambda text: self._emit(Warned(text))) as signals:
            with self._store.locked(), closing(self._executor):
                is_complete, verdict_text, failure = self._play(verdict)
            signals.work_is_done()
            self.ended_by = signals.ended_by
            try:
                self._emit(EventEnded(is_complete, verdict_text, self._hint(is_complete, command)))
            except RunnerError as error:
                failure = failure or error
            if failure is not None and self.ended_by is None:
                raise failure
            conclude()
        return is_complete

    def _play(self, verdict: Verdict) -> tuple[bool, str, RunnerError | None]:
        """Play the missing games; returns whether none is left, the verdict, and why the runner could not go on."""
        games = expected_games(self._config)
        self._store.resume(self._config.as_json())
        decision = Decision(verdict, self._store)
        for record in self._store.games():
            self._count(record, decision)
        jobs = self._jobs() if decision.text is None else []
        failure = self._run(jobs, games, decision) if self._is_ready(jobs) else None
        return decision.text is not None or not self._jobs(), decision.text or "", failure

    def _is_ready(self, jobs: Sequence[PairJob]) -> bool:
        """Make sure that the games can be played before the folder says that they are; False if a signal came first."""
        if jobs:
            self._executor.preflight()
            if self._executor.is_finishing:
                return False
            self._store.begin(self._config.as_json())
        return True

    def _run(self, jobs: Sequence[PairJob], games: int, decision: Decision) -> RunnerError | None:
        """Play the jobs; returns why the runner itself could not go on."""
        names = tuple(spec.name for spec in self._config.brains)
        folder = str(self._store.folder)
        played, manager = self._summary.played, self._config.manager
        self._emit(EventStarted(folder, folder, names, games, played, self._executor.concurrency, manager))
        try:
            while jobs and not self._executor.is_finishing:
                self._executor.run(jobs, lambda news: self._hear(news, decision))
                jobs = self._jobs()  # a knock-out goes on
        except RunnerError as error:
            return error
        return None

    def _hear(self, news: News, decision: Decision) -> None:
        match news:
            case Began(plan):
                self._emit(GameStarted(plan))
            case Asked(plan, stones, colour, left_ms):
                self._emit(MoveAsked(plan, len(stones), colour, left_ms, stones))
            case Ended(record):
                self._finished(record, decision)
            case Dropped(plan):
                self._emit(GameDropped(plan))
            case Logged(name, data):
                self._store.add_log(name, data)
            case Told(text):
                self._emit(Warned(text))

    def _finished(self, record: GameRecord, decision: Decision) -> None:
        with self._lock:
            self._store.append(record)
            self._count(record, decision)
            if decision.text is not None:
                self._executor.finish()
            self._notify(GameFinished(record))

    def _hint(self, is_complete: bool, command: str) -> str:
        if is_complete:
            return f"games saved in {self._store.games_path}, report in {self._store.report_path}"
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
