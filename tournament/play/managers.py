"""How managers drive a brain: one policy each for this runner, GomocupJudge, Piskvork and c-gomoku-cli."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tournament.core.adjudication import Adjudication
from tournament.core.model import Board, BrainSpec, Move
from tournament.core.rules import EXACT_FIVE, MAX_SIZE, RENJU, RULE_NAMES, base_rule

MOVE = re.compile(r"([0-9]{1,3}),([0-9]{1,3})")
SWAP2 = re.compile(r"SWAP|[0-9]{1,3},[0-9]{1,3}(\s+[0-9]{1,3},[0-9]{1,3})*", re.IGNORECASE)
MESSAGE_PREFIXES = ("MESSAGE", "DEBUG")
PREFIX_LENGTH = 8
UNLIMITED_LEFT_MS = 2147483647
FREE_AT_DRAW = 25  # squares


@dataclass(frozen=True)
class Manager:
    """How a brain is started, asked, timed and ended; the defaults are those of this runner."""

    name: str
    title: str
    keys: tuple[str, ...]  # of the INFO lines after START, in the order in which they are sent

    # Starting
    is_lazy: bool = False  # started when it is to move for the first time
    has_temporary_directory: bool = False  # as its current directory
    merges_stderr: bool = False  # into stdout
    newline: str = "\r\n"
    asks_about: bool = False  # before START
    awaits_ok: bool = True
    wants_ok_first: bool = False  # no other line before OK but messages
    restarts: bool = False  # RESTART for another game in the same process
    has_process_per_game: bool = False
    game_type: int = 1

    # Asking
    has_begin: bool = True  # for a first move on the empty board; otherwise BOARD without stones
    has_first_turn: bool = True  # TURN for a first move after one stone; otherwise BOARD
    is_suspended: bool = False  # while it is not its turn
    discards_output: bool = True  # what arrives before the question is no answer to it

    # Reading
    message_prefixes: tuple[str, ...] = MESSAGE_PREFIXES
    move: re.Pattern[str] = MOVE
    skips_lines: bool = True  # that are neither message nor move; otherwise they lose the game
    answers_suggestions: bool = False  # `SUGGEST x,y` with PLAY

    # Limits
    tolerance: str = "1s"  # unless the configuration has another one
    is_start_tolerated: bool = False  # no longer than the tolerance
    counts_start: bool = False  # in the time for the game
    adds_increment_first: bool = False  # before the first move too
    stops_late: bool = False  # YXSTOP to one that goes on talking
    has_memory_limit: bool = True
    folder_bytes: int | None = None  # the most that it may keep in its folder

    # Ending
    draw_rules: frozenset[int] = frozenset()  # drawn when only 25 squares are free
    end_within_s: float | None = 1.0  # None: the tolerance
    closes_input: bool = False  # after END

    # What can be played
    rules: frozenset[int] = frozenset(RULE_NAMES)
    is_square: bool = False
    max_size: int = MAX_SIZE
    has_swap2: bool = True
    has_options: bool = True  # depth, nodes, increments, turns without a limit, further INFO lines


OURS = Manager(
    "ours",
    "this runner",
    (
        "timeout_match", "max_memory", "game_type", "rule", "timeout_turn", "time_increment", "max_depth", "max_node",
    ),
)  # fmt: skip

# The clock starts when the process is resumed, so the start of the program counts in its first turn.
JUDGE = Manager(
    "judge",
    "GomocupJudge",
    ("timeout_turn", "timeout_match", "max_memory", "game_type", "rule", "folder"),
    is_lazy=True,
    awaits_ok=False,
    has_process_per_game=True,
    game_type=3,
    has_begin=False,
    has_first_turn=False,
    is_suspended=True,
    discards_output=False,
    message_prefixes=("MESSAGE",),
    move=re.compile(r"\s*([+-]?[0-9]{1,9})\s*,\s*([+-]?[0-9]{1,9})\s*"),
    folder_bytes=70 << 20,
    draw_rules=frozenset({RENJU}),
    end_within_s=0.5,
    is_square=True,
    has_options=False,
)

PISKVORK = Manager(
    "piskvork",
    "Piskvork",
    ("max_memory", "timeout_match", "timeout_turn", "game_type", "rule", "time_left", "folder"),
    is_lazy=True,
    has_temporary_directory=True,
    merges_stderr=True,
    wants_ok_first=True,
    restarts=True,
    discards_output=False,
    message_prefixes=("MESSAGE ", "DEBUG "),
    move=re.compile(r"\s*([+-]?[0-9]{1,9}),\s*([+-]?[0-9]{1,9}).*"),
    skips_lines=False,
    answers_suggestions=True,
    counts_start=True,
    draw_rules=frozenset(RULE_NAMES),
    end_within_s=0.7,
    closes_input=True,
    has_swap2=False,
    has_options=False,
)

CLI = Manager(
    "cli",
    "c-gomoku-cli",
    ("rule", "timeout_turn", "timeout_match", "max_depth", "max_node", "max_memory"),
    newline="\n",
    asks_about=True,
    has_first_turn=False,
    discards_output=False,
    message_prefixes=("MESSAGE",),
    move=re.compile(r"([+-]?[0-9]{1,9}),\s*([+-]?[0-9]{1,9})"),
    tolerance="3s",
    is_start_tolerated=True,
    adds_increment_first=True,
    stops_late=True,
    has_memory_limit=False,
    end_within_s=None,
    rules=frozenset({0, EXACT_FIVE, RENJU}),
    is_square=True,
    max_size=22,
    has_swap2=False,
)

MANAGERS = {manager.name: manager for manager in (OURS, JUDGE, PISKVORK, CLI)}


# -- lines -------------------------------------------------------------------------------------------------------------


def start_line(manager: Manager, board: Board, is_new: bool) -> str:
    """The line that sets up an empty board, in a new process or in one that has played before."""
    if manager.restarts and not is_new:
        return "RESTART"
    return f"START {board.width}" if board.width == board.height else f"RECTSTART {board.width},{board.height}"


def info_lines(manager: Manager, board: Board, spec: BrainSpec, left_ms: float, folder: Path | None) -> list[str]:
    """The INFO lines before the first question."""
    limits = spec.limits
    values: dict[str, object] = {
        "timeout_turn": limits.turn_ms,
        "timeout_match": limits.match_ms or 0,
        "time_left": time_left(spec, left_ms),
        "time_increment": limits.increment_ms or None,
        "max_memory": limits.memory_bytes or 0,
        "max_depth": limits.depth,
        "max_node": limits.nodes,
        "game_type": manager.game_type,
        "rule": board.rule,
        "folder": folder,
    }
    lines = [f"INFO {key} {values[key]}" for key in manager.keys if values[key] is not None]
    return lines + [f"INFO {key} {value}" for key, value in spec.info]


def time_left(spec: BrainSpec, left_ms: float) -> int:
    """The value of INFO time_left."""
    return UNLIMITED_LEFT_MS if spec.limits.match_ms is None else round(left_ms)


def question(manager: Manager, stones: list[Move], own_colour: int, is_first: bool) -> list[str]:
    """The lines that ask for a move: BEGIN, TURN, or BOARD for the first move after an opening."""
    if not stones and manager.has_begin:
        return ["BEGIN"]
    if not is_first or (len(stones) == 1 and manager.has_first_turn):
        return [f"TURN {stones[-1][0]},{stones[-1][1]}"]
    owners = [1 if i % 2 == own_colour else 2 for i in range(len(stones))]
    return ["BOARD", *(f"{x},{y},{owner}" for (x, y), owner in zip(stones, owners, strict=True)), "DONE"]


def is_message(manager: Manager, text: str) -> bool:
    """Whether a line is a message, which is no answer; quick, for a brain may send thousands."""
    return f"{text[:PREFIX_LENGTH]} ".upper().startswith(manager.message_prefixes)


# -- games -------------------------------------------------------------------------------------------------------------


def with_draws(manager: Manager, adjudication: Adjudication, board: Board, opening: int) -> Adjudication:
    """The adjudication of a game after so many stones of an opening, with the manager's own draws."""
    if base_rule(board.rule) not in manager.draw_rules:
        return adjudication
    moves = board.width * board.height - FREE_AT_DRAW - opening
    limit = adjudication.draw_after
    return replace(adjudication, draw_after=moves if limit is None else min(limit, moves))


def refusal(manager: Manager, board: Board, brains: tuple[BrainSpec, ...], is_swap2: bool) -> str | None:
    """Why the manager cannot play such an event, in one sentence; None if it can."""
    if base_rule(board.rule) not in manager.rules:
        return f"the manager {manager.name} does not play rule {board.rule}"
    if manager.is_square and board.width != board.height:
        return f"the manager {manager.name} plays on square boards only, not on {board.width}x{board.height}"
    if max(board.width, board.height) > manager.max_size:
        return f"the manager {manager.name} plays on boards up to {manager.max_size}x{manager.max_size} only"
    if is_swap2 and not manager.has_swap2:
        return f"the manager {manager.name} does not play Swap2"
    for spec in () if manager.has_options else brains:
        limits = spec.limits
        if limits.depth or limits.nodes or limits.increment_ms or spec.info:
            return f"the manager {manager.name} sends no depth, nodes, increment or further INFO lines"
        if limits.turn_ms is None:
            return f"the manager {manager.name} needs a time per move"
    return None
