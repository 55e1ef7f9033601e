"""A brain that answers at once with the first free cell; its response time measures the machine's own delay."""

import sys

Cell = tuple[int, int]


def first_free(size: int, taken: set[Cell]) -> Cell | None:
    return next(((x, y) for y in range(size) for x in range(size) if (x, y) not in taken), None)


def run() -> None:
    size = 20
    taken: set[Cell] = set()

    def say(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def move() -> None:
        cell = first_free(size, taken)
        if cell is None:
            say("ERROR the board is full")
            return
        taken.add(cell)
        say(f"{cell[0]},{cell[1]}")

    for line in iter(sys.stdin.readline, ""):
        word, _, rest = line.strip().partition(" ")
        match word.upper():
            case "START":
                size = int(rest)
                taken.clear()
                say("OK")
            case "RESTART":
                taken.clear()
                say("OK")
            case "BOARD":
                taken.clear()
            case "TURN":
                x, y = rest.split(",")
                taken.add((int(x), int(y)))
                move()
            case "BEGIN" | "DONE":
                move()
            case "END":
                return
            case stone if stone.count(",") == 2:
                x, y, _ = stone.split(",")
                taken.add((int(x), int(y)))


if __name__ == "__main__":
    run()
