"""A brain whose strength depends on `INFO level`: `python tunable_brain.py [HABIT] [FILE]`.

It makes five stones in a row and never looks at the opponent's. Before that it wastes a move for every 4 by which its
level differs from 60, so of two settings the one that is closer wins both games, unless both waste as many. `INFO side`
moves the five stones, and changes nothing else.

Habits: `refuses` INFO level with ERROR, `tells` of it in a message, `ignores` it, `crashes` in its second move at a
level from 71 to 85, `crashes-once`, which FILE then remembers, `crashes-high` at one of 90; `slow` takes 5 ms per move.
"""

import os
import sys
import time
from pathlib import Path

BEST, PER_MOVE, MAX_WASTED, SIZE = 60, 4, 8, 10


def say(text: str) -> None:
    print(text, flush=True)


class Brain:
    def __init__(self, habit: str, memory: Path | None) -> None:
        self._habit, self._memory = habit, memory
        self._level, self._side, self._moves = 0, 0, 0
        self._taken: set[tuple[int, int]] = set()

    def start(self) -> None:
        self._moves = 0
        self._taken.clear()

    def set_level(self, level: int) -> None:
        if self._habit == "refuses":
            say("ERROR level is a constant")
        if self._habit == "tells":
            say(f"MESSAGE level is now {level}")
        if self._habit != "ignores":
            self._level = level

    def set_side(self, side: int) -> None:
        self._side = int(side > 0)

    def place(self, text: str) -> None:
        x, y = text.split(",")[:2]
        self._taken.add((int(x), int(y)))

    def move(self) -> None:
        colour = len(self._taken) % 2
        if self._habit == "slow":
            time.sleep(0.005)
        if self._moves == 1 and self._is_unlucky():
            os._exit(7)
        wasted = min(MAX_WASTED, abs(self._level - BEST) // PER_MOVE)
        rows = range(colour, SIZE, 2)  # the stones of both colours alternate there, and make no five
        plan = [*[(x, y) for x in (9, 7) for y in rows][:wasted], *((self._side + x, 9 * colour) for x in range(5))]
        cell = plan[self._moves]
        self._moves += 1
        self._taken.add(cell)
        say(f"{cell[0]},{cell[1]}")

    def _is_unlucky(self) -> bool:
        if self._habit == "crashes-high":
            return self._level == 90
        if not self._habit.startswith("crashes") or not 70 < self._level <= 85:
            return False
        if self._memory is not None:
            if self._memory.exists():
                return False
            self._memory.touch()
        return True


def main() -> None:
    brain = Brain(sys.argv[1] if len(sys.argv) > 1 else "", Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "START":
            brain.start()
            say("OK")
        elif word == "INFO" and rest.startswith("level "):
            brain.set_level(int(rest.split()[1]))
        elif word == "INFO" and rest.startswith("side "):
            brain.set_side(int(rest.split()[1]))
        elif word == "TURN":
            brain.place(rest)
            brain.move()
        elif word in ("BEGIN", "DONE"):
            brain.move()
        elif word[:1].isdigit():
            brain.place(word)
        elif word == "ABOUT":
            say('name="Tunable"')
        elif word == "END":
            return


if __name__ == "__main__":
    main()
