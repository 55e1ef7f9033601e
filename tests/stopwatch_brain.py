"""A brain that answers at once and logs when it was asked and when it answered: `python stopwatch_brain.py FOLDER`.

Each line of its file is `asked answered` in nanoseconds of the monotonic clock, which all processes share. It imports
next to nothing, so that its start takes little time from the games beside it.
"""

import os
import sys
import time

Cell = tuple[int, int]


def order_of(size: int) -> list[Cell]:
    """An order of cells in which two such brains play for a long time before either makes five."""
    return sorted(((x, y) for x in range(size) for y in range(size)), key=lambda c: ((c[0] + 2 * c[1]) % 4, c))


def main() -> None:
    times: list[tuple[int, int]] = []
    order, taken, is_block = order_of(20), set[Cell](), False
    for raw in iter(sys.stdin.buffer.readline, b""):
        asked_at = time.monotonic_ns()
        word, _, rest = raw.strip().decode().partition(" ")
        if is_block and word != "DONE":
            x, y, _owner = map(int, word.split(","))
            taken.add((x, y))
            continue
        if word == "START":
            order, taken, is_block = order_of(int(rest)), set(), False
            sys.stdout.write("OK\n")
            sys.stdout.flush()
        elif word in ("TURN", "BEGIN", "DONE"):
            is_block = False
            if word == "TURN":
                x, y = map(int, rest.split(","))
                taken.add((x, y))
            cell = next(cell for cell in order if cell not in taken)
            taken.add(cell)
            answer = f"{cell[0]},{cell[1]}\n"
            times.append((asked_at, time.monotonic_ns()))
            sys.stdout.write(answer)
            sys.stdout.flush()
        elif word == "BOARD":
            taken, is_block = set(), True
        elif word == "END":
            break
    with open(os.path.join(sys.argv[1], f"{os.getpid()}.txt"), "w", encoding="ascii") as file:
        file.writelines(f"{asked_at} {answered}\n" for asked_at, answered in times)


if __name__ == "__main__":
    main()
