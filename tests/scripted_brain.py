"""A brain that plays as it is told: `python scripted_brain.py JSON`.

The keys, all optional: `black` and `white`, its moves with that colour; `swap2`, its answers to SWAP2BOARD by the
number of stones; `seconds` for each move and `swap2_seconds` for each of those answers; `rectstart`, its answer to
RECTSTART. When its moves have been played, it takes cells in an order in which nobody makes five for a long time.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

Cell = tuple[int, int]


def scripted(name: str, script: dict[str, Any] | None = None, **table: Any) -> dict[str, Any]:
    """The configuration table of such a brain."""
    return {"name": name, "command": [sys.executable, str(Path(__file__)), json.dumps(script or {})], **table}


def quiet_order(width: int, height: int) -> list[Cell]:
    """All cells; stones that alternate in this order make no five on the first half of the board, nor on 5 x 5."""
    cells = [(x, y) for y in range(height) for x in range(width)]
    return sorted(cells, key=lambda cell: (cell[1] % 2, cell[1], (cell[0] + cell[1] // 2) % 2, cell[0]))


class Brain:
    """The board and the script."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.size = 20, 20
        self.taken: set[Cell] = set()

    def start(self, width: int, height: int) -> None:
        self.size, self.taken = (width, height), set()

    def move(self) -> str:
        """The next move of the script for the colour to move; otherwise a quiet one."""
        time.sleep(self.script.get("seconds", 0))
        told = [tuple(cell) for cell in self.script.get(("black", "white")[len(self.taken) % 2], ())]
        x, y = next(cell for cell in (*told, *quiet_order(*self.size)) if cell not in self.taken)
        self.taken.add((x, y))
        return f"{x},{y}"

    def swap2(self, stones: int) -> str:
        time.sleep(self.script.get("swap2_seconds", 0))
        return str(self.script["swap2"][str(stones)])


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    brain = Brain(json.loads(sys.argv[1]))
    block: str | None = None  # BOARD or SWAP2BOARD while its lines arrive
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        numbers = [int(part) for part in (rest or word).split(",") if part.lstrip("-").isdigit()]
        if word == "DONE":
            say(brain.move() if block == "BOARD" else brain.swap2(len(brain.taken)))
            block = None
        elif block is not None:
            brain.taken.add((numbers[0], numbers[1]))
        elif word in ("BOARD", "SWAP2BOARD"):
            block, brain.taken = word, set()
        elif word in ("START", "RECTSTART"):
            brain.start(numbers[0], numbers[-1])
            say(brain.script.get("rectstart", "OK") if word == "RECTSTART" else "OK")
        elif word == "RESTART":
            brain.start(*brain.size)
            say("OK")
        elif word == "TURN":
            brain.taken.add((numbers[0], numbers[1]))
            say(brain.move())
        elif word == "BEGIN":
            say(brain.move())
        elif word == "ABOUT":
            say('name="Scripted", version="1"')
        elif word == "END":
            return


if __name__ == "__main__":
    main()
