"""What the runner and the processes that play its games tell each other, pickled, through a pair of pipes."""

import pickle
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, NamedTuple

from tournament.core.adjudication import Adjudication
from tournament.core.failures import RunnerError
from tournament.core.model import Board, BrainSpec, GamePlan, GameRecord
from tournament.play.family import Member
from tournament.play.log import Log
from tournament.play.managers import Manager

PairJob = tuple[GamePlan, ...]  # the unplayed games of a pair


class Table(NamedTuple):
    """What the games that one process plays have in common."""

    specs: Mapping[str, BrainSpec]
    board: Board
    log_of: Callable[[int, str], Log | None]  # by pair and brain; a method of the store, which is sent along
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
    """A brain is asked for a move."""

    plan: GamePlan | None  # None: as in the message before
    ply: int
    colour: int
    left_ms: float | None


class Ended(NamedTuple):
    record: GameRecord


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
Report = Began | Asked | Ended | Watch | Unwatch | Done | Failed


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
