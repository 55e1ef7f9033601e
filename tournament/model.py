"""What the runner talks about: brains, openings, games and how they end. Values only; coordinates are x, y from 0."""

from dataclasses import dataclass, field
from enum import Enum

Move = tuple[int, int]

BLACK, WHITE = 0, 1


class Termination(Enum):
    """How a game ended, and how that is said."""

    FIVE = "five in a row"
    DRAW_FULL = "the board is full"
    DRAW_ADJUDICATED = "drawn by the limit of moves"
    START_FAILED = "could not be started"
    TIMEOUT = "answered too late"
    CRASH = "ended in the middle of a game"
    STALL = "did not answer at all"
    ILLEGAL = "made an illegal move"
    FOUL = "played a forbidden point"
    MEMORY = "used too much memory"
    INTERRUPTED = "was interrupted"

    @property
    def is_fault(self) -> bool:
        """Whether the loser lost by something else than the game itself."""
        return self in FAULTS


FAULTS = frozenset(
    {
        Termination.START_FAILED,
        Termination.TIMEOUT,
        Termination.CRASH,
        Termination.STALL,
        Termination.ILLEGAL,
        Termination.FOUL,
        Termination.MEMORY,
    }
)


@dataclass(frozen=True)
class Limits:
    """What a brain may use; None means without limit."""

    turn_ms: int | None = 1000
    match_ms: int | None = None
    increment_ms: int = 0
    memory_bytes: int | None = 350 << 20
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True)
class BrainSpec:
    """A brain that takes part: how to run it and what it is told."""

    name: str
    command: tuple[str, ...]
    directory: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    info: tuple[tuple[str, str], ...] = ()  # more INFO lines, key and value
    limits: Limits = field(default_factory=Limits)
    tolerance_ms: int = 1000  # what an answer may be late, as managers allow
    is_kept_alive: bool = True  # one process for all games of a pair, else one a game


@dataclass(frozen=True)
class Board:
    """Where and by which rule a game is played."""

    width: int = 15
    height: int = 15
    rule: int = 0


@dataclass(frozen=True)
class Opening:
    """Stones on the board before the first move, black's first."""

    name: str
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class GamePlan:
    """One game to play; two with the same `pair` and swapped colours make a pair."""

    number: int
    pair: int
    black: str
    white: str
    opening: Opening


@dataclass(frozen=True)
class PlayedMove:
    """A move, how long it took, and what the brain said of it last."""

    x: int
    y: int
    ms: float
    said: str = ""


@dataclass(frozen=True)
class GameRecord:
    """A finished game, and everything that files and standings are made from."""

    plan: GamePlan
    board: Board
    moves: tuple[PlayedMove, ...]  # the opening's not among them
    winner: int | None  # BLACK, WHITE or None
    termination: Termination
    detail: str = ""  # what happened, in a sentence, where it was a fault
    warnings: tuple[str, ...] = ()
    started_at: str = ""  # ISO 8601
    seconds: float = 0.0
    start_ms: tuple[float | None, float | None] = (None, None)  # from the process to its first OK; black, white
    peak_memory: tuple[int, int] = (0, 0)  # bytes, so far in the pair; black, white

    @property
    def score_of_black(self) -> float:
        return 0.5 if self.winner is None else float(self.winner == BLACK)
