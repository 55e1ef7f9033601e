"""Runs an event from configuration to last game: preflight, schedule, executor, store, listeners."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType

from tournament.config import Config
from tournament.driver import Driver, FaultError
from tournament.events import Event, EventEnded, EventStarted, GameFinished, GameStarted, Listener, MoveAsked, Warned
from tournament.executor import LocalExecutor, PairJob
from tournament.model import GamePlan, GameRecord
from tournament.openings import read_openings, shipped_openings
from tournament.schedule import gauntlet, round_robin
from tournament.store import Store

Verdict = Callable[[Sequence[GameRecord]], str | None]  # the decision, or None while undecided


class PreflightError(Exception):
    """A brain cannot take part; the text says which one and why."""


def plan_games(config: Config) -> list[GamePlan]:
    """The schedule for a configuration."""
    board = config.board
    openings = shipped_openings(board) if config.openings is None else read_openings(Path(config.openings), board)
    names = [spec.name for spec in config.brains]
    if config.mode == "gauntlet":
        return gauntlet(names, config.games, openings, board, config.seed, config.heads)
    return round_robin(names, config.games, openings, board, config.seed)


def preflight(config: Config) -> None:
    """Start every brain once on the event's board, before the first game."""
    for spec in config.brains:
        driver = Driver(spec)
        try:
            driver.start_game(config.board)
        except FaultError as fault:
            dialogue = "\n".join(f"  {line}" for line in driver.tail)
            raise PreflightError(f"{spec.name} cannot take part: {fault}\n{dialogue}".rstrip()) from fault
        finally:
            driver.close()


def jobs_of(plans: Sequence[GamePlan], done: set[int]) -> list[PairJob]:
    """The unplayed games, grouped by pair."""
    missing = (plan for plan in plans if plan.number not in done)
    return [tuple(pair) for _, pair in groupby(missing, key=lambda plan: plan.pair)]


class Run:
    """One run of an event, new or resumed."""

    def __init__(self, config: Config, store: Store, concurrency: int, listeners: Sequence[Listener]) -> None:
        self._config, self._store, self._concurrency, self._listeners = config, store, concurrency, listeners
        self._records: list[GameRecord] = []
        self._lock = threading.Lock()

    def play(self, command: str, verdict: Verdict = lambda _: None) -> bool:
        """Play the missing games; returns whether all are played or a verdict is reached."""
        config = self._config
        self._records = self._store.open(config.as_json())
        plans = plan_games(config)
        jobs = jobs_of(plans, {record.plan.number for record in self._records})
        decided = verdict(self._records)
        if jobs and not decided:
            preflight(config)
        names = tuple(spec.name for spec in config.brains)
        folder = str(self._store.folder)
        self._emit(EventStarted(folder, folder, names, len(plans), len(self._records), self._concurrency))
        executor = LocalExecutor(
            {spec.name: spec for spec in config.brains},
            config.board,
            self._concurrency,
            self._store,
            lambda plan: self._emit(GameStarted(plan)),
            lambda plan, ply, colour, left_ms: self._emit(MoveAsked(plan, ply, colour, left_ms)),
            config.draw_after,
            config.is_swap2,
            config.is_pinned,
        )

        def finished(record: GameRecord, _drivers: object) -> None:
            nonlocal decided
            with self._lock:
                self._store.append(record)
                self._records.append(record)
                self._notify(GameFinished(record))
                # The first verdict is final: games still running are finished, but cannot change it.
                decided = decided or verdict(self._records)
                if decided:
                    executor.finish()

        if not decided:
            with interrupts(executor, self._emit):
                executor.run(jobs, finished)
        is_complete = len(self._records) == len(plans) or decided is not None
        hint = f"games saved in {self._store.games_path}" if is_complete else f"to resume: {command}"
        self._emit(EventEnded(is_complete, decided or "", hint))
        return is_complete

    def _emit(self, event: Event) -> None:
        with self._lock:
            self._notify(event)

    def _notify(self, event: Event) -> None:
        for listener in self._listeners:
            listener.on_event(event, self._records)


@contextmanager
def interrupts(executor: LocalExecutor, emit: Callable[[Event], None]) -> Iterator[None]:
    """The first Ctrl-C finishes the running games, the second abandons them."""
    times = 0

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        nonlocal times
        times += 1
        if times == 1:
            executor.finish()
        else:
            executor.abandon()
        text = (
            "finishing the running games; press Ctrl-C again to abandon them"
            if times == 1
            else "abandoning the running games"
        )
        # In another thread: the interrupted one may hold the listeners' lock.
        threading.Thread(target=emit, args=(Warned(text),), daemon=True).start()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
