"""Random and mutated lines: the brain never fails, never hangs, and a refused line changes nothing."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from pbrain.core.types import SearchLimits
from pbrain.engine.engine import Engine
from tests.dialogue import MOVE, Conversation

ROOT = Path(__file__).resolve().parents[1]
EVERYDAY_LINES, FULL_LINES = 25_000, 1_000_000
PROCESS_LINES = 4_000
MAX_NODES = 40

WORDS = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "DONE",
    "TAKEBACK",
    "SWAP2BOARD",
    "PLAY",
    "INFO",
    "ABOUT",
    "STOP",
    "YXSTOP",
    "YXBOARD",
    "YXSHOWFORBID",
    "YXHASHCLEAR",
    "YXNBEST",
    "YXSHOWINFO",
    "SUGGEST",
    "OK",
    "ERROR",
]
KEYS = [
    "timeout_turn",
    "timeout_match",
    "time_left",
    "max_memory",
    "game_type",
    "folder",
    "evaluate",
    "max_depth",
    "max_node",
    "thread_num",
    "hash_size",
    "time_increment",
    "pondering",
    "caution_factor",
    "show_detail",
    "nonsense",
]
SEPARATORS = (",", " ", ", ", ";", "")


def random_number(rng: random.Random) -> str:
    return str(rng.choice((0, 1, 5, 15, 20, 22, 23, -1, rng.randrange(25), rng.randrange(-(10**12), 10**12))))


def random_lines(rng: random.Random) -> list[str]:
    """A line, or a whole block: often right, sometimes nearly right and sometimes anything at all."""
    kind = rng.random()
    if kind < 0.03:
        owners = [rng.choice((1, 2)) for _ in range(rng.randrange(30))]
        lines = ["BOARD", *(f"{rng.randrange(15)},{rng.randrange(15)},{owner}" for owner in owners), "DONE"]
    elif kind < 0.04:
        lines = [
            "SWAP2BOARD",
            *(f"{rng.randrange(15)},{rng.randrange(15)}" for _ in range(rng.choice((0, 3, 5)))),
            "DONE",
        ]
    elif kind < 0.50:
        lines = [f"{rng.choice(('TURN', 'TURN', 'PLAY', 'TAKEBACK'))} {rng.randrange(22)},{rng.randrange(22)}"]
    elif kind < 0.55:
        lines = [f"{rng.randrange(22)},{rng.randrange(22)},{rng.randrange(1, 4)}"]
    elif kind < 0.57:
        lines = [f"START {rng.choice((5, 8, 15, 20, 22))}"]
    elif kind < 0.572:
        lines = [f"INFO rule {rng.choice((0, 1, 2, 4, 8, 9, 5))}"]
    elif kind < 0.65:
        lines = [f"INFO {rng.choice(KEYS)} {random_number(rng)}"]
    elif kind < 0.67:
        lines = ["INFO timeout_turn 1000", "INFO time_left 100000", "INFO max_depth 0", "INFO max_node 0"]
    elif kind < 0.75:
        lines = [rng.choice(("BEGIN", "DONE", "DONE", "BOARD", "YXBOARD", "SWAP2BOARD"))]
    elif kind < 0.97:
        numbers = rng.choice(SEPARATORS).join(random_number(rng) for _ in range(rng.randrange(4)))
        lines = [f"{rng.choice(WORDS)} {numbers}"]
    else:
        lines = ["".join(chr(rng.randrange(1, 0x250)) for _ in range(rng.randrange(200)))]
    return [mutated(line, rng) if rng.random() < 0.2 else line for line in lines]


def mutated(line: str, rng: random.Random) -> str:
    chars = list(line)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(chars) + 1)
        action = rng.randrange(4)
        if action == 0:
            chars.insert(at, chr(rng.choice((9, 13, 32, 44, 45, 48, 65, 127, 233, rng.randrange(1, 256)))))
        elif action == 1 and chars:
            del chars[at % len(chars)]
        elif action == 2 and chars:
            chars[at % len(chars)] = chr(rng.randrange(32, 127))
        else:
            chars = [char.swapcase() for char in chars]
    # A line that ends the conversation is not what is tried here, nor one that takes time to carry out.
    text = "".join(chars)
    word = text.strip().partition(" ")[0].upper()
    return "ABOUT" if word == "END" or text.strip().upper().startswith("INFO RULE") else text


class CappedEngine(Engine):
    """Thinks about so few nodes that a million lines end in reasonable time, whatever limits the lines set."""

    def think(self, limits: SearchLimits, *arguments: object, **options: object):  # type: ignore[no-untyped-def]
        nodes = MAX_NODES if limits.nodes is None else min(limits.nodes, MAX_NODES)
        return super().think(limits._replace(nodes=nodes), *arguments, **options)  # type: ignore[arg-type]


def position_of(engine: Engine) -> tuple[object, ...]:
    state = engine._state
    return engine.size, engine.rule, engine.to_move, engine.history, state.key, state.value[0], state.winner


def converse(engine: Engine, lines: int, seed: int) -> dict[str, int]:
    """Say random lines; count what kinds of answers came."""
    rng = random.Random(seed)
    talk = Conversation(engine)
    kinds = dict.fromkeys(("OK", "ERROR", "UNKNOWN", "move", "FORBID", "SWAP", "MESSAGE", "name"), 0)
    said = 0
    while said < lines:
        for line in random_lines(rng):
            said += 1
            before = position_of(engine)
            for answer in talk.hear_all(line):
                word = answer.split(" ")[0]
                kind = "move" if MOVE.fullmatch(word) else word.partition("=")[0]
                kinds[kind] += 1
                assert "\n" not in answer
                if kind in ("ERROR", "UNKNOWN"):
                    assert position_of(engine) == before, (line, answer)
        if engine.winner is not None or engine.moves > 100:
            talk.hear_all("RESTART")
    assert talk.send("START 15", "INFO timeout_turn 0", "INFO rule 0") == ["OK"]
    talk.move("BEGIN")
    assert all(kinds.values()), kinds
    return kinds


def test_random_lines(engine: Engine) -> None:
    converse(CappedEngine(engine._library), EVERYDAY_LINES, seed=1)


@pytest.mark.slow
def test_a_million_random_lines(engine: Engine) -> None:
    print(converse(CappedEngine(engine._library), FULL_LINES, seed=2))


def test_random_lines_to_a_real_process() -> None:
    """All lines at once, then END: it ends by itself, with code 0 and nothing on standard error."""
    rng = random.Random(3)
    said = [line for _ in range(PROCESS_LINES) for line in random_lines(rng)]
    lines = [line for line in said if "info" not in line.lower()]
    text = "\r\n".join(["INFO timeout_turn 0", *(line.replace("\n", " ") for line in lines), "END", ""])
    run = subprocess.run(
        [sys.executable, "-m", "pbrain"],
        input=text.encode("latin-1", "replace"),
        cwd=ROOT,
        capture_output=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, b"")
