"""A brain with a deliberate fault: `python fake_engine.py FAULT [seconds]`; it plays the first free cell until then.

Faults: none, crash-at-start, crash, stall, late, occupied, off-board, garbage, flood, stderr, slow-start, memory,
ignore-end, fork, error, refuse-start, never-ok, echo-info.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

MOVES_BEFORE_FAULT = 3


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    fault = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    if fault == "crash-at-start":
        sys.exit(3)
    if fault == "slow-start":
        time.sleep(seconds)
    if fault == "fork":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    width, height, taken, asked, hoard = 20, 20, set[tuple[int, int]](), 0, []

    def answer() -> None:
        nonlocal asked
        asked += 1
        is_time = asked > MOVES_BEFORE_FAULT
        cell = next((x, y) for y in range(height) for x in range(width) if (x, y) not in taken)
        if is_time and fault == "crash":
            os._exit(7)
        if is_time and fault == "stall":
            time.sleep(600)
        if is_time and fault == "late":
            time.sleep(seconds)
        if is_time and fault == "occupied":
            cell = next(iter(taken))
        if is_time and fault == "off-board":
            cell = (width, 0)
        if is_time and fault == "garbage":
            say("I think, therefore I am")
            return
        if is_time and fault == "error":
            say("ERROR I do not like this position")
            return
        if is_time and fault == "flood":
            for i in range(20_000):
                say(f"MESSAGE {i} {'x' * 100}")
        if is_time and fault == "stderr":
            print("a warning", file=sys.stderr, flush=True)
        if is_time and fault == "memory":
            hoard.append(b"x" * (200 << 20))
            time.sleep(0.6)
        taken.add(cell)
        say(f"{cell[0]},{cell[1]}")

    is_block = False
    for raw in sys.stdin:
        line = raw.strip()
        word, _, rest = line.partition(" ")
        word = word.upper()
        if is_block:
            if word == "DONE":
                is_block = False
                answer()
            else:
                x, y, _owner = map(int, line.split(","))
                taken.add((x, y))
        elif word in ("START", "RECTSTART"):
            if fault == "refuse-start":
                say("ERROR no board is good enough")
                continue
            if fault == "never-ok":
                continue
            sizes = [int(part) for part in rest.split(",")]
            width, height = sizes[0], sizes[-1]
            taken.clear()
            say("OK")
        elif word == "BEGIN":
            answer()
        elif word == "TURN":
            x, y = map(int, rest.split(","))
            taken.add((x, y))
            answer()
        elif word == "BOARD":
            taken.clear()
            is_block = True
        elif word == "RESTART":
            taken.clear()
            say("OK")
        elif word == "TAKEBACK":
            taken.discard(tuple(map(int, rest.split(","))))
            say("OK")
        elif word == "ABOUT":
            say('name="Fake", version="1"')
        elif word == "INFO":
            if fault == "echo-info":
                say(f"OK {rest}")
        elif word == "END":
            if fault != "ignore-end":
                return
        else:
            say("UNKNOWN")
    if fault == "ignore-end":
        time.sleep(600)


# -- faults that not every manager punishes ----------------------------------------------------------------------------
# trailing, ok-ready, chatter, suggest, late-talk, no-restart, big-folder

plainly = say
moves = starts = 0


def say_with_a_fault(text: str) -> None:
    """Say something else than `main` wants to say."""
    global moves, starts, suggested
    fault = sys.argv[1]
    is_move = text[0].isdigit()
    moves += is_move
    is_time = is_move and moves > MOVES_BEFORE_FAULT
    starts += text == "OK"
    if text == "OK" and fault == "ok-ready":
        text = "OK - ready"
    if text == "OK" and fault == "no-restart" and starts > 1:
        text = "ERROR one game is enough"
    if is_time and fault == "trailing":
        text += " thanks"
    if is_time and fault == "chatter":
        plainly("let me see")
    if is_time and fault == "suggest":
        suggested, text = text, f"SUGGEST {text}"
    if text == "UNKNOWN" and fault == "suggest":  # the answer to PLAY
        text = suggested
    if is_move and moves == MOVES_BEFORE_FAULT + 1 and fault == "late-talk":  # once
        time.sleep(float(sys.argv[2]))
        plainly("MESSAGE still thinking")
        time.sleep(0.2)
    plainly(text)


def filling_the_folder(lines: Iterable[str]) -> Iterator[str]:
    """Pass lines on, and write a file of 71 MB, which takes no space, to the folder that one of them names."""
    for line in lines:
        if line.startswith("INFO folder "):
            with open(os.path.join(line.removeprefix("INFO folder ").strip(), "book"), "wb") as file:
                file.truncate(71 << 20)
        yield line


suggested = ""

if __name__ == "__main__":
    if sys.argv[1] in ("trailing", "ok-ready", "chatter", "suggest", "late-talk", "no-restart"):
        say = say_with_a_fault
    if sys.argv[1] == "big-folder":
        sys.stdin = filling_the_folder(sys.stdin)
    main()
