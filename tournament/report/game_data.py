"""The games as the page's script reads them: a short row for the list, and everything else packed, a line per game."""

import base64
import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

from tournament.core.adjudication import score_in
from tournament.core.model import BLACK, GameRecord
from tournament.core.openings import name_without_symmetry

PROVEN = 1e9  # a proven win, as in pages/curve.js; JSON has no infinity
DRAWN = 2  # beside BLACK and WHITE
MAX_MESSAGE = 400  # characters; games.jsonl has the whole
SPOKEN = "MESSAGE "


def row_of(record: GameRecord, places: Mapping[str, int]) -> list[Any]:
    """What the list shows and filters by; brains by their place in the configuration."""
    plan = record.plan
    return [
        plan.number,
        places[plan.black],
        places[plan.white],
        DRAWN if record.winner is None else record.winner,
        record.termination.name,
        name_without_symmetry(plan.opening.name),
        len(plan.opening.moves) + len(record.moves),
        round(record.seconds, 1),
        len(record.warnings),
    ]


def packed(record: GameRecord) -> str:
    """Everything else, compressed: 5,000 games fit into some 10 MB. Only the games that are looked at are unpacked."""
    text = json.dumps(details_of(record), separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"))).decode("ascii")


def details_of(record: GameRecord) -> dict[str, Any]:
    opening = record.plan.opening.moves
    return {
        "stones": [*opening, *((move.x, move.y) for move in record.moves)],
        "opening": len(opening),
        "ms": [round(move.ms, 1) for move in record.moves],
        "scores": [score_for_black(score_in(move.said), (len(opening) + i) % 2) for i, move in enumerate(record.moves)],
        "said": [shortened(move.said.removeprefix(SPOKEN)) for move in record.moves],
        "name": record.plan.opening.name,
        "detail": record.detail,
        "warnings": record.warnings,
        "started": record.started_at,
        "start_ms": record.start_ms,
        "memory": record.peak_memory,
    }


def score_for_black(score: float | None, mover: int) -> float | None:
    """A mover's score from black's point of view."""
    if score is None:
        return None
    finite = math.copysign(PROVEN, score) if math.isinf(score) else score
    return finite if mover == BLACK else -finite


def shortened(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 1]}…"
