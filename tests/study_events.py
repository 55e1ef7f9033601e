"""A small study, and games for it that nobody had to play."""

import json
import random
from pathlib import Path

from pbrain.core.notation import parse_position
from pbrain.study.events import Event
from pbrain.study.measure import fixed_depth_games, round_robin
from pbrain.study.plan import Plan
from pbrain.study.systems import BOUNDARY, KANAME, MINIMAX, THREAT

TINY = Plan(
    name="tiny",
    games=2,
    positions=1,
    few_positions=1,
    many_positions=1,
    rounds=1,
    depths={KANAME: range(1, 5), MINIMAX: range(1, 5), BOUNDARY: range(1, 6), THREAT: range(5)},
    idea_depths={MINIMAX: 2, BOUNDARY: 2, THREAT: 1},
    wide_depths=(1,),
    turn_ms=100,
    round_robin_games=2,
    second_positions=1,
    second_turn_ms=300,
    deeper_games=0,
    has_features=False,
    feature_depth=4,
)
MESSAGES = {
    KANAME: "MESSAGE depth {depth}-12 ev +5 n 20k n/s 1M tm 0.02 pv h8",
    MINIMAX: "MESSAGE depth 3 n 500 of 40 candidates cpu 0.020000",
    BOUNDARY: "MESSAGE depth 4 n 900 of 25 candidates cpu 0.030000",
    THREAT: "MESSAGE depth 2 n 30 of 30 candidates cpu 0.010000",
}
# Games that brains have played.
GAMES = (
    "d9c10a10d10f10c9e11c11c8c13c12e9f8b12a13f11f7f9g9h8e7h10d7g7d6c5d8d5e8g8b8",
    "d9c10a10c8c9b9a8d7a9a7e9e6f5f4d10b8f8g7b10d8e8e5e10e7c11b12d12e13e11e12d11d13f11b11g11",
    "d9c10a10d11b9e12c9a9d8e10e7b10f6g5f9e9e8e11e13c11b11d10f10f8g7b12",
)


def game_line(number: int, black: str, white: str, rng: random.Random) -> str:
    moves = parse_position(GAMES[number % len(GAMES)])
    names = (black, white)
    played = [
        {"x": x, "y": y, "ms": rng.uniform(5, 50), "said": MESSAGES[names[i % 2]].format(depth=rng.randint(6, 12))}
        for i, (x, y) in enumerate(moves[3:], 3)
    ]
    opening = {"name": "book:1", "moves": moves[:3]}
    plan = {"number": number, "pair": (number + 1) // 2, "black": black, "white": white, "opening": opening}
    return json.dumps({"plan": plan, "moves": played, "winner": len(moves) % 2 ^ 1, "termination": "FIVE"})


def write_games(event: Event, folder: Path, seed: int = 1) -> None:
    """As if the runner had played the event."""
    rng = random.Random(seed)
    names = [entrant.name for entrant in event.entrants]
    pairings = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] for _ in range(event.games // 2)]
    plans = [pair for a, b in pairings for pair in ((a, b), (b, a))]
    own = folder / event.name
    own.mkdir(parents=True)
    lines = [game_line(number, black, white, rng) for number, (black, white) in enumerate(plans, 1)]
    (own / "games.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def prepare(folder: Path, plan: Plan = TINY, seed: int = 1) -> Path:
    """A folder in which all games of a plan have been played."""
    for event in (fixed_depth_games(plan, seed), round_robin(plan, seed)):
        write_games(event, folder)
    return folder
