"""Events for tests of the report: folders with games that nobody played."""

import random
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tournament.core.model import Board, GamePlan, GameRecord, Opening, PlayedMove, Termination
from tournament.event.config import Config, config_of
from tournament.event.store import Store, to_json

BOARD = Board(15, 15, 0)
NASTY = "<script>window.hacked = 1</script>"
NASTY_MESSAGE = 'MESSAGE ev +12 </script><img src="http://203.0.113.1/x" onerror="window.hacked = 2"><!-- & "quoted"'
OPENING = Opening("book.txt:7", ((7, 7), (8, 8), (6, 6)))
ROW = tuple((x, 0) for x in range(5))  # five in a row
ELSEWHERE = tuple((14, 14 - 2 * y) for y in range(5))


def write_event(folder: Path, config: Config, records: list[GameRecord], verdict: str | None = None) -> Path:
    """A folder as the runner leaves it."""
    store = Store(folder)
    with store.locked():
        store.begin(config.as_json())
        if verdict is not None:
            store.decide(verdict)
    store.games_path.write_text("".join(f"{to_json(record)}\n" for record in records), encoding="ascii")
    return folder


def configuration(names: list[str], sprt: dict[str, Any] | None = None, **event: Any) -> Config:
    brains = [{"name": name, "command": ["true"]} for name in names]
    return config_of({"games": 2, "size": "15", **event}, brains, sprt)


def game(number: int, black: str, white: str, winner: int | None, **values: Any) -> GameRecord:
    """A game after OPENING, so white moves first; both tell scores, and the last move makes five if one won."""
    white_cells, black_cells = (ROW, ELSEWHERE[:4]) if winner == 1 else (ELSEWHERE, ROW if winner == 0 else ROW[:4])
    cells = [cell for turn in zip_longest(white_cells, black_cells) for cell in turn if cell is not None]
    moves = tuple(
        PlayedMove(x, y, 100.0 + 10 * i, f"MESSAGE depth 8 ev {(-1) ** i * (20 + 30 * i):+d} n 1k pv h8")
        for i, (x, y) in enumerate(cells)
    )
    known: dict[str, Any] = {
        "plan": GamePlan(number, (number + 1) // 2, black, white, OPENING),
        "board": BOARD,
        "moves": moves,
        "winner": winner,
        "termination": Termination.DRAW_FULL if winner is None else Termination.FIVE,
        "started_at": "2026-01-02T03:04:05+00:00",
        "seconds": 3.2,
        "start_ms": (50.0, 60.0),
        "peak_memory": (20 << 20, 30 << 20),
    }
    return GameRecord(**{**known, **values})


def many_games(count: int, names: list[str], seed: int = 1) -> list[GameRecord]:
    """Games of some fifty random stones with messages as long as real ones."""
    rng = random.Random(seed)
    cells = [(x, y) for x in range(15) for y in range(15)]
    letters = [f"{chr(97 + x)}{y + 1}" for x, y in cells]
    records = []
    for number in range(1, count + 1):
        black, white = (names[:2] if number % 2 else names[1::-1]) if len(names) == 2 else rng.sample(names, 2)
        stones = rng.sample(cells, rng.randint(35, 65))
        moves = tuple(PlayedMove(x, y, rng.uniform(1, 1000), some_message(rng, letters)) for x, y in stones[3:])
        opening = Opening(f"book.txt:{(number + 1) // 2 % 500}", tuple(stones[:3]))
        winner = rng.choice((0, 0, 0, 1, 1, None))
        plan = GamePlan(number, (number + 1) // 2, black, white, opening)
        records.append(game(number, black, white, winner, plan=plan, moves=moves))
    return records


def some_message(rng: random.Random, letters: list[str]) -> str:
    depth, score, line = rng.randint(8, 25), rng.randint(-900, 900), " ".join(rng.choices(letters, k=12))
    return f"MESSAGE depth {depth}-{depth + 15} ev {score:+d} n {rng.randint(1, 999)}k n/s 1.2M tm 0.57 pv {line}"
