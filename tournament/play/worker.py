"""A process that plays pairs of games, one at a time.

It has an interpreter of its own. So a thread that has read an answer takes the time at once: it waits neither for other
games, nor for the start of their brains, nor for what stores and shows them.
"""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue

from tournament.core.failures import RunnerError, runners_own, starting_threads
from tournament.core.model import GamePlan, GameRecord, Move
from tournament.play.driver import Driver
from tournament.play.family import Family, Processes
from tournament.play.game import Interruption, play_game
from tournament.play.held import HeldDrivers
from tournament.play.messages import (
    Abandon,
    Asked,
    Began,
    Channel,
    Done,
    Ended,
    Failed,
    Finish,
    Memory,
    PairJob,
    Play,
    Table,
    Unwatch,
    Watch,
)
from tournament.play.sampler import SAMPLER


class Worker:
    """Obeys the runner in one thread and plays in another."""

    def __init__(self, channel: Channel, table: Table) -> None:
        self._channel, self._table = channel, table
        self._held = HeldDrivers()
        self._is_finishing, self._is_abandoned = threading.Event(), threading.Event()
        self._jobs: SimpleQueue[PairJob | None] = SimpleQueue()
        self._families: dict[str, Family] = {}  # by mark

    def run(self) -> None:
        """Play until the runner closes the channel, or dies."""
        if os.name == "posix":  # Windows keeps a list of each brain's processes; there is nothing to search
            SAMPLER.hand_over(self._watch, self._unwatch)
        playing = threading.Thread(target=self._play_all)
        try:
            with starting_threads():
                playing.start()
        except OSError as error:
            self._channel.send(Failed(runners_own(error)))
            return
        with suppress(EOFError, OSError):
            while True:
                self._obey(self._channel.receive())
        self._abandon()
        self._jobs.put(None)
        playing.join()

    def _obey(self, command: object) -> None:
        match command:
            case Play(job):
                self._jobs.put(job)
            case Finish():
                self._is_finishing.set()
            case Abandon():
                self._abandon()
            case Memory(mark, peak):
                family = self._families.get(mark)
                if family is not None:
                    family.peak_memory = max(family.peak_memory, peak)

    def _abandon(self) -> None:
        self._is_finishing.set()
        self._is_abandoned.set()
        self._held.interrupt()

    def _play_all(self) -> None:
        with suppress(OSError):  # the runner has died
            while (job := self._jobs.get()) is not None:
                try:
                    self._play_pair(job)
                except BaseException as error:  # raised again in the thread that runs the event
                    self._channel.send(Failed(runner_error(error)))
                else:
                    self._channel.send(Done())

    def _play_pair(self, job: PairJob) -> None:
        """Both games run on the same thread with the same brains."""
        table, names = self._table, (job[0].black, job[0].white)
        drivers = {
            name: Driver(table.specs[name], table.logs.log_of(job[0].pair, name), table.core, table.manager)
            for name in names
        }
        with suppress(Interruption), self._held.holding(drivers.values()):
            for plan in job:
                if self._is_finishing.is_set():
                    return
                self._channel.send(Began(plan))
                sides = drivers[plan.black], drivers[plan.white]
                record = play_game(
                    plan, table.board, sides, self._asked, self._is_abandoned, table.adjudication, table.is_swap2
                )
                if plan is job[-1]:
                    record = with_closing_warnings(record, sides)
                self._channel.send(Ended(record))

    def _asked(self, plan: GamePlan, stones: Sequence[Move], colour: int, left_ms: float | None) -> None:
        self._channel.send(Asked(plan, tuple(stones), colour, left_ms))

    def _watch(self, family: Processes) -> None:
        assert isinstance(family, Family)
        self._families[family.mark] = family
        self._channel.send(Watch(family.root, family.mark))

    def _unwatch(self, family: Processes) -> None:
        assert isinstance(family, Family)
        if self._families.pop(family.mark, None) is not None:
            with suppress(OSError):  # the runner has died, but the brain is still to be killed
                self._channel.send(Unwatch(family.mark))


def runner_error(error: BaseException) -> RunnerError:
    """What is left of any error when it goes to another process."""
    if isinstance(error, RunnerError):
        return error
    if isinstance(error, OSError):
        return runners_own(error)
    return RunnerError("".join(traceback.format_exception(error)))


def with_closing_warnings(record: GameRecord, drivers: tuple[Driver, Driver]) -> GameRecord:
    """Shut down both brains and add the resulting warnings to the pair's last game."""
    warnings = list(record.warnings)
    for driver in drivers:
        known = len(driver.warnings)
        driver.close()
        warnings += [f"{driver.spec.name} {warning}" for warning in driver.warnings[known:]]
    return replace(record, warnings=tuple(warnings))


def main() -> None:
    for name in (
        "SIGINT",
        "SIGTERM",
        "SIGHUP",
    ):  # for whoever signals all processes: the runner says what is to be done
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: None)
    channel = Channel(sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout = sys.stderr  # so that nothing else gets between the messages
    table = channel.receive()
    assert isinstance(table, Table)
    Worker(channel, table).run()
