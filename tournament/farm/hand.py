"""A worker's side: what its processes play, and what the runner is told of it.

Each game has a process of its own, as on the runner's machine. So dask's own work does not disturb a clock.
"""

import threading
import time
import zlib
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from distributed import Worker, get_worker
from distributed.core import Status

from tournament.farm.orders import TOPIC, Introduction, LogFile, Order, Reports, packed, unpacked_order
from tournament.farm.shipping import Shipment, installed, is_kept, keep
from tournament.farm.version import RUNNER_VERSION
from tournament.play.held import HeldDrivers
from tournament.play.log_folder import LogFolder
from tournament.play.messages import Abandon, Asked, Command, Finish, GameReport
from tournament.play.preflight import why_not
from tournament.play.worker_process import WorkerProcess

LOOK_EVERY_S = 1.0  # for moves to tell, and for games that nobody waits for any more
IDLE_S = 20.0  # after which a process that has nothing to play is ended
MAX_LOG = 16 << 20  # bytes of a brain's log in a pair; what is beyond them is not sent
WANTED = ("executing", "long-running")  # dask's states of a task that somebody waits for


# -- what the runner calls ---------------------------------------------------------------------------------------------


def introduce(shipment: Shipment) -> Introduction:
    missing = {file.digest for file in shipment.files if not is_kept(file.name, file.digest)}
    return Introduction(RUNNER_VERSION, tuple(sorted(missing)))


def keep_file(name: str, digest: str, data: bytes) -> None:
    keep(name, digest, data)


def try_brains(data: bytes) -> str | None:
    """Why a brain cannot take part on this machine; None if all can."""
    order = unpacked_order(data)
    table = order.table._replace(specs=installed(order.table.specs, order.shipment))
    return why_not(table, HeldDrivers(), lambda: False)


def play_pair(data: bytes) -> None:
    """Play the games of an order; they are told as they end, and then the logs.

    Nothing is returned: dask would have to fetch it from the worker, one pair after the other.
    """
    HANDS.play(get_worker(), unpacked_order(data))


def finish_run(run: str) -> None:
    """Begin no more games of this run."""
    HANDS.finish(run)


# -- processes ---------------------------------------------------------------------------------------------------------


class Hand:
    """A process that plays the games of one run, and the folder that it writes logs to."""

    def __init__(self, order: Order, scratch: str) -> None:
        self.run = order.run
        self.since = time.monotonic()  # when it was used last
        self._is_stopped = False
        self._folder = TemporaryDirectory(prefix="kaname-", dir=scratch, ignore_cleanup_errors=True)
        logs = LogFolder(self._folder.name, order.table.logs.logging, order.table.logs.folder)
        specs = installed(order.table.specs, order.shipment)
        self.process = WorkerProcess(order.table._replace(logs=logs, specs=specs))

    def tell(self, command: Command) -> None:
        self._is_stopped = True
        self.process.tell(command)

    @property
    def is_useful(self) -> bool:
        """Whether it can play another pair."""
        return not self._is_stopped

    def take_logs(self) -> list[LogFile]:
        """The logs of the pair that it has played; they leave the folder."""
        logs = []
        for path in sorted(Path(self._folder.name).iterdir()):
            logs.append(LogFile(path.name, zlib.compress(shortened(path))))
            path.unlink()
        return logs

    def close(self) -> None:
        self.process.__exit__(None, None, None)
        self._folder.cleanup()


def shortened(path: Path) -> bytes:
    """A log, as far as it is sent."""
    with path.open("rb") as file:
        data = file.read(MAX_LOG)
    size = path.stat().st_size
    return data if size <= MAX_LOG else data + f"\n… {size - MAX_LOG} more bytes were not sent\n".encode()


class Playing:
    """An order that is being carried out."""

    def __init__(self, worker: Worker, key: str, hand: Hand) -> None:
        self.worker, self.key, self.hand = worker, key, hand
        self.latest: Asked | None = None  # to be told

    @property
    def is_wanted(self) -> bool:
        """Whether the runner still waits for it; dask forgets what a runner wanted that has ended."""
        task = self.worker.state.tasks.get(self.key)
        is_working = self.worker.status in (Status.running, Status.paused)
        return is_working and task is not None and task.state in WANTED


class Hands:
    """All processes that play games for the dask workers of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._playing: dict[str, Playing] = {}  # by key
        self._idle: list[Hand] = []
        self._finishing: set[str] = set()  # runs
        self._overseer: threading.Thread | None = None

    def play(self, worker: Worker, order: Order) -> None:
        installed(order.table.specs, order.shipment)  # checks the files, also for a process that is used again
        hand = self._hired(order, worker)
        playing = Playing(worker, order.key, hand)
        try:
            self._begin(playing)
            for report in hand.process.play(order.job):
                self._hear(playing, report)
            tell_runner(worker, Reports(order.key, tuple(hand.take_logs())))
        except BaseException:
            hand.tell(Abandon())
            raise
        finally:
            self._end(playing)

    def finish(self, run: str) -> None:
        with self._lock:
            self._finishing.add(run)
            hands = [playing.hand for playing in self._playing.values() if playing.hand.run == run]
        for hand in hands:
            hand.tell(Finish())

    def _hired(self, order: Order, worker: Worker) -> Hand:
        with self._lock:
            for hand in self._idle:
                if hand.run == order.run:
                    self._idle.remove(hand)
                    return hand
        return Hand(order, worker.local_directory)

    def _begin(self, playing: Playing) -> None:
        with self._lock:
            self._playing[playing.key] = playing
            if playing.hand.run in self._finishing:
                playing.hand.tell(Finish())
            if self._overseer is None:
                self._overseer = threading.Thread(target=self._oversee, name="kaname overseer", daemon=True)
                self._overseer.start()

    def _end(self, playing: Playing) -> None:
        """A process without faults waits for the next pair of its run."""
        hand = playing.hand
        with self._lock:
            self._playing.pop(playing.key, None)
            if hand.is_useful:
                hand.since = time.monotonic()
                self._idle.append(hand)
                return
        hand.close()

    def _hear(self, playing: Playing, report: GameReport) -> None:
        """Games begin and end at once for the runner; of moves it hears once per second."""
        with self._lock:
            playing.latest = report if isinstance(report, Asked) else None
        if not isinstance(report, Asked):
            tell_runner(playing.worker, Reports(playing.key, (report,)))

    def _oversee(self) -> None:
        """While there are processes: tell moves, stop games that nobody wants, end processes that wait in vain."""
        while True:
            time.sleep(LOOK_EVERY_S)
            with self._lock:
                playing = list(self._playing.values())
                asked = [(one, one.latest) for one in playing if one.latest is not None]
                for one in playing:
                    one.latest = None
                ended = [hand for hand in self._idle if time.monotonic() - hand.since > IDLE_S]
                self._idle = [hand for hand in self._idle if hand not in ended]
                if not playing and not self._idle:
                    self._overseer = None
            for one in playing:
                if not one.is_wanted:
                    one.hand.tell(Abandon())
            for one, latest in asked:
                tell_runner(one.worker, Reports(one.key, (latest,)))
            for hand in ended:
                hand.close()
            if self._overseer is not threading.current_thread():
                return


def tell_runner(worker: Worker, reports: Reports) -> None:
    """A worker that has lost its scheduler ends, and the pair is played elsewhere."""
    with suppress(OSError):
        worker.log_event(TOPIC, packed(reports))


HANDS = Hands()
