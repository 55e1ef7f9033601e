"""Value types: brains, openings, games and how they end. Coordinates are x, y from 0."""

from dataclasses import dataclass, field
from enum import Enum

Move = tuple[int, int]

BLACK, WHITE = 0, 1


class Termination(Enum):
    """How a game ended; the value is the text for users."""

    FIVE = "five in a row"
    DRAW_FULL = "the board is full"
    DRAW_NO_MOVE = "black has only forbidden points"
    DRAW_ADJUDICATED = "adjudicated at the move limit"
    DRAW_AGREED = "agreed by the scores of both brains"
    RESIGNED = "resigned by its own scores"
    START_FAILED = "failed to start"
    TIMEOUT = "answered too late"
    CRASH = "exited during the game"
    STALL = "did not answer"
    ILLEGAL = "made an illegal move"
    FOUL = "played on a forbidden point"
    MEMORY = "exceeded its memory limit"
    INTERRUPTED = "was interrupted"

    @property
    def is_fault(self) -> bool:
        """Whether the game was lost by a fault, not on the board."""
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
    """Time, memory and search limits of a brain; None means no limit."""

    turn_ms: int | None = 1000
    match_ms: int | None = None
    increment_ms: int = 0
    memory_bytes: int | None = 350 << 20
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True)
class BrainSpec:
    """A participant: how to run it and which settings it gets."""

    name: str
    command: tuple[str, ...]
    directory: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    info: tuple[tuple[str, str], ...] = ()  # extra INFO lines, key and value
    limits: Limits = field(default_factory=Limits)
    tolerance_ms: int = 1000  # grace period for late answers, as other managers have
    is_kept_alive: bool = True  # one process per pair of games, otherwise one per game


@dataclass(frozen=True)
class Board:
    """Board size and rule."""

    width: int = 15
    height: int = 15
    rule: int = 0


@dataclass(frozen=True)
class Opening:
    """Stones on the board before the first move, alternating, black first."""

    name: str
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class GamePlan:
    """One game to play; the two games of a `pair` share the opening, with colours swapped."""

    number: int
    pair: int
    black: str
    white: str
    opening: Opening


@dataclass(frozen=True)
class PlayedMove:
    """A move, the time it took, and the brain's last message about it."""

    x: int
    y: int
    ms: float
    said: str = ""


@dataclass(frozen=True)
class GameRecord:
    """A finished game; exports and standings are derived from it."""

    plan: GamePlan
    board: Board
    moves: tuple[PlayedMove, ...]  # without the opening
    winner: int | None  # BLACK, WHITE or None
    termination: Termination
    detail: str = ""  # for a fault: what happened, and the last lines of the dialogue
    warnings: tuple[str, ...] = ()
    started_at: str = ""  # ISO 8601
    seconds: float = 0.0
    start_ms: tuple[float | None, float | None] = (None, None)  # from process start to the first OK; black, white
    peak_memory: tuple[int, int] = (0, 0)  # bytes, since the start of the pair; black, white

    @property
    def score_of_black(self) -> float:
        return 0.5 if self.winner is None else float(self.winner == BLACK)
