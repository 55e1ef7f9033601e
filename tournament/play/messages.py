"""What the runner and the processes that play its games tell each other, pickled, through a pair of pipes."""

import pickle
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, NamedTuple

from tournament.core.adjudication import Adjudication
from tournament.core.failures import RunnerError
from tournament.core.model import Board, BrainSpec, GamePlan, GameRecord, Move
from tournament.play.family import Member
from tournament.play.log_folder import LogFolder
from tournament.play.managers import Manager

PairJob = tuple[GamePlan, ...]  # the unplayed games of a pair


class Table(NamedTuple):
    """What the games that one process plays have in common."""

    specs: Mapping[str, BrainSpec]
    board: Board
    logs: LogFolder
    adjudication: Adjudication
    is_swap2: bool
    manager: Manager
    core: int | None  # that the brains are pinned to


class Play(NamedTuple):
    """To a worker: play these games; it answers with `Done` or `Failed` in the end."""

    job: PairJob


class Finish(NamedTuple):
    """To a worker: begin no further game."""


class Abandon(NamedTuple):
    """To a worker: kill the brains; their games are not recorded."""


class Memory(NamedTuple):
    """To a worker: the peak of a brain's memory in bytes."""

    mark: str
    peak: int


class Began(NamedTuple):
    plan: GamePlan


class Asked(NamedTuple):
    """A brain is asked for a move; all stones are here, so that a message may be left out."""

    plan: GamePlan  # with Swap2, the colours and stones that were chosen
    stones: tuple[Move, ...]
    colour: int
    left_ms: float | None


class Ended(NamedTuple):
    record: GameRecord


class Dropped(NamedTuple):
    """From an executor: a running game was lost with whoever played it; it begins anew elsewhere."""

    plan: GamePlan


class Logged(NamedTuple):
    """From an executor: a log that was written on another machine, to be added to the file of this name."""

    name: str
    data: bytes


class Told(NamedTuple):
    """From an executor: something that whoever watches should know."""

    text: str


class Watch(NamedTuple):
    """A brain has been started; its memory is to be measured."""

    root: Member
    mark: str


class Unwatch(NamedTuple):
    mark: str


class Done(NamedTuple):
    """The job is over."""


class Failed(NamedTuple):
    """The worker cannot go on."""

    error: RunnerError


Command = Play | Finish | Abandon | Memory
GameReport = Began | Asked | Ended  # what whoever follows a game wants to hear
Report = GameReport | Watch | Unwatch | Done | Failed


class Channel:
    """Sends and receives messages; any thread may send, one receives."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source, self._sink = source, sink
        self._lock = threading.Lock()

    def send(self, message: object) -> None:
        """OSError if nobody listens any more."""
        data = pickle.dumps(message)
        with self._lock:
            self._sink.write(data)
            self._sink.flush()

    def receive(self) -> object:
        """The next message; EOFError if there will be none."""
        try:
            return pickle.load(self._source)
        except pickle.UnpicklingError as error:  # cut off in the middle
            raise EOFError from error

    def close(self) -> None:
        with self._lock:
            for stream in (self._sink, self._source):
                with suppress(OSError):  # what was to be sent reaches nobody
                    stream.close()
