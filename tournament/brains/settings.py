"""What a brain's command line sets: the depth of its search, and ideas of its document to leave out.

python -m tournament.brains.boundary --depth 3 --without table,ordering

So the worth of each idea can be measured. Without options a brain plays as its document says.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

MAX_DEPTH = 20

# Ideas that several documents share; each brain has some of them.
CANDIDATES = "candidates"  # only cells near stones are tried
ORDERING = "ordering"  # promising moves are tried first
PRUNING = "pruning"  # alpha-beta cutoffs
INCREMENTAL = "incremental"  # a stone changes the evaluation, instead of the whole board being evaluated again
TABLE = "table"  # positions that were searched before are looked up
MOVE_LIMIT = "move-limit"  # only so many of the best candidates are tried
DISTANT = "distant"  # stones far from ours are monitored
TIME_LIMIT = "time-limit"  # the document's own limit of time per move


class Settings(NamedTuple):
    """How a brain searches."""

    depth: int
    without: frozenset[str] = frozenset()

    def has(self, idea: str) -> bool:
        return idea not in self.without


class Searched(NamedTuple):
    """What a search has done; a node is a stone that was tried."""

    depth: int
    nodes: int
    candidates: int  # at the root, before a limit cuts them off
    is_complete: bool  # time did not run out

    @property
    def text(self) -> str:
        """`depth 4 n 5210 of 31 candidates`; `depth 4?` if time ran out."""
        return f"depth {self.depth}{'' if self.is_complete else '?'} n {self.nodes} of {self.candidates} candidates"


Tell = Callable[[Searched], None]


def silent(_searched: Searched) -> None:
    """Tell nobody."""


def parse(words: Sequence[str], name: str, default: Settings, ideas: Sequence[str], min_depth: int = 1) -> Settings:
    """The settings of a command line; a bad one ends the process with a sentence."""
    parser = argparse.ArgumentParser(prog=name, description="A brain that speaks the Gomocup protocol.")
    depth_help = f"the depth of the search, {min_depth} to {MAX_DEPTH} (default: %(default)s)"
    parser.add_argument("--depth", type=int, default=default.depth, metavar="N", help=depth_help)
    without_help = f"leave ideas out, to measure their worth: {', '.join(ideas)} (default: none)"
    parser.add_argument("--without", default="", metavar="NAME,...", help=without_help)
    typed = parser.parse_args(words)
    if not min_depth <= typed.depth <= MAX_DEPTH:
        parser.error(f"the depth must be {min_depth} to {MAX_DEPTH}, not {typed.depth}")
    without = frozenset(filter(None, typed.without.split(",")))
    unknown = sorted(without - set(ideas))
    if unknown:
        parser.error(f"{name} has no {unknown[0]} to leave out; it has {', '.join(ideas)}")
    return Settings(typed.depth, without)
