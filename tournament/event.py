"""An event from its configuration to its last game: preflight, schedule, executor, store, listeners."""

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

Verdict = Callable[[Sequence[GameRecord]], str | None]  # what the games so far have decided, None while they have not


class PreflightError(Exception):
    """A brain cannot take part; the text says which and why."""


def plan_games(config: Config) -> list[GamePlan]:
    """The schedule that follows from a configuration."""
    board = config.board
    openings = shipped_openings(board) if config.openings is None else read_openings(Path(config.openings), board)
    names = [spec.name for spec in config.brains]
    plan = gauntlet if config.mode == "gauntlet" else round_robin
    return plan(names, config.games, openings, board, config.seed)


def preflight(config: Config) -> None:
    """Start every brain once, on the event's board, before any game depends on it."""
    for spec in config.brains:
        driver = Driver(spec)
        try:
            driver.start_game(config.board)
        except FaultError as fault:
            told = "\n".join(f"  {line}" for line in driver.tail)
            raise PreflightError(f"{spec.name} cannot take part: {fault}\n{told}".rstrip()) from fault
        finally:
            driver.close()


def jobs_of(plans: Sequence[GamePlan], done: set[int]) -> list[PairJob]:
    """The pairs that still have games to play, and which."""
    missing = (plan for plan in plans if plan.number not in done)
    return [tuple(pair) for _, pair in groupby(missing, key=lambda plan: plan.pair)]


class Run:
    """One run of an event, new or resumed."""

    def __init__(self, config: Config, store: Store, concurrency: int, listeners: Sequence[Listener]) -> None:
        self._config, self._store, self._concurrency, self._listeners = config, store, concurrency, listeners
        self._records: list[GameRecord] = []
        self._lock = threading.Lock()

    def play(self, command: str, verdict: Verdict = lambda _: None) -> bool:
        """Play what is missing; whether every game was played, or the verdict reached."""
        config = self._config
        self._records = self._store.open(config.as_json())
        plans = plan_games(config)
        jobs = jobs_of(plans, {record.plan.number for record in self._records})
        decided = verdict(self._records)
        if jobs and not decided:
            preflight(config)
        names = tuple(spec.name for spec in config.brains)
        folder = str(self._store.folder)
        self._tell(EventStarted(folder, folder, names, len(plans), len(self._records), self._concurrency))
        executor = LocalExecutor(
            {spec.name: spec for spec in config.brains},
            config.board,
            self._concurrency,
            self._store,
            lambda plan: self._tell(GameStarted(plan)),
            lambda plan, ply, colour, left_ms: self._tell(MoveAsked(plan, ply, colour, left_ms)),
            config.draw_after,
            config.is_swap2,
            config.is_pinned,
        )

        def finished(record: GameRecord, _drivers: object) -> None:
            nonlocal decided
            with self._lock:
                self._store.append(record)
                self._records.append(record)
                self._hand_on(GameFinished(record))
                # The first verdict stands: games that were running when it fell are played out, and change nothing.
                decided = decided or verdict(self._records)
                if decided:
                    executor.finish()

        if not decided:
            with interrupts(executor, self._tell):
                executor.run(jobs, finished)
        is_complete = len(self._records) == len(plans) or decided is not None
        hint = f"the games are in {self._store.games_path}" if is_complete else f"to go on: {command}"
        self._tell(EventEnded(is_complete, decided or "", hint))
        return is_complete

    def _tell(self, event: Event) -> None:
        with self._lock:
            self._hand_on(event)

    def _hand_on(self, event: Event) -> None:
        for listener in self._listeners:
            listener.hear(event, self._records)


@contextmanager
def interrupts(executor: LocalExecutor, tell: Callable[[Event], None]) -> Iterator[None]:
    """Ctrl-C once finishes the running games, twice abandons them."""
    times = 0

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        nonlocal times
        times += 1
        if times == 1:
            executor.finish()
        else:
            executor.abandon()
        text = "finishing the running games; once more abandons them" if times == 1 else "abandoning the running games"
        # Not from here: a thread that the signal interrupted may hold the listeners' lock.
        threading.Thread(target=tell, args=(Warned(text),), daemon=True).start()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
