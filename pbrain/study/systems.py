"""Who is measured: this engine, and the three brains that implement the documents."""

import sys
from collections.abc import Sequence
from typing import NamedTuple

KANAME, MINIMAX, BOUNDARY, THREAT = "kaname", "minimax", "boundary", "threat"
TIME_LIMIT = "time-limit"  # what minimax leaves out, to finish a search however long it takes


class System(NamedTuple):
    """A brain, the depth at which it plays games of fixed depth, and where it is from."""

    name: str
    depth: int
    document: str
    source: str


SYSTEMS = (
    System(KANAME, 8, "", "this engine"),
    System(
        MINIMAX, 3, "000",
        "the web page of a game, “Five in a row vs AI. Powered by Minimax with Alpha-Beta Pruning”, without author "
        "or year",
    ),
    System(
        BOUNDARY, 4, "001",
        "M. Alaa, A. Osama, M. Hamdy, A. Khaled and M. Abdelmonem, “Gomoku AI with Alpha-Beta Pruning”, report of a "
        "project in the course ELE335, May 2025",
    ),
    System(
        THREAT, 2, "002",
        "K. Huang, “Gomoku: A Fundamental Application for Adversarial Learning”, a student's article, about 2018",
    ),
)  # fmt: skip
NAMES = tuple(system.name for system in SYSTEMS)
BRAINS = NAMES[1:]  # they run as processes; this engine's searches run in this one
IDEAS = {
    MINIMAX: ("candidates", "ordering", "incremental", "pruning"),
    BOUNDARY: ("candidates", "table", "ordering", "incremental", "pruning", "move-limit", "distant"),
    THREAT: ("candidates", "ordering", "incremental", "pruning", "move-limit"),
}


def command(name: str, depth: int | None = None, without: Sequence[str] = ()) -> list[str]:
    """The command that starts a brain; without a depth it plays as its document says."""
    if name == KANAME:
        return [sys.executable, "-m", "pbrain"]
    words = [sys.executable, "-m", f"tournament.brains.{name}"]
    if depth is not None:
        words += ["--depth", str(depth)]
        without = (*without, TIME_LIMIT) if name == MINIMAX else without
    return [*words, "--without", ",".join(without)] if without else words
