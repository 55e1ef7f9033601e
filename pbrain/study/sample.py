"""One search that was measured."""

import re
from typing import Any, NamedTuple

from pbrain.core.types import Move

BRAIN_MESSAGE = re.compile(r"MESSAGE depth (\d+)(\??) n (\d+) of (\d+) candidates cpu (\d+\.\d+)", re.ASCII)
MIN_MS = 0.001  # some clocks are coarse, and ratios of times need a time
OUR_MESSAGE = re.compile(r"MESSAGE depth (\d+)-\d+ ev ", re.ASCII)  # of an unsolved position


class Sample(NamedTuple):
    """A search: what it did, its CPU time, what it plays; `candidates` is 0 where nobody tells."""

    depth: int
    nodes: int
    candidates: int
    ms: float
    is_complete: bool
    move: Move

    @classmethod
    def from_json(cls, values: list[Any]) -> "Sample":
        depth, nodes, candidates, ms, is_complete, (x, y) = values
        return cls(depth, nodes, candidates, ms, is_complete, (x, y))

    @property
    def counts(self) -> tuple[int, int, int, Move]:
        """What must be the same in every run."""
        return self.depth, self.nodes, self.candidates, self.move


def sample_from(messages: list[str], move: Move) -> Sample | None:
    """What a brain told of its search; None if it had nothing to search."""
    for message in reversed(messages):
        found = BRAIN_MESSAGE.fullmatch(message)
        if found:
            depth, torn, nodes, candidates, seconds = found.groups()
            ms = max(MIN_MS, 1000 * float(seconds))
            return Sample(int(depth), int(nodes), int(candidates), ms, not torn, move)
    return None


def depth_told(message: str) -> int | None:
    """The depth that a move was searched to, by the last message before it; None if it was not searched to the end."""
    brain = BRAIN_MESSAGE.fullmatch(message)
    if brain:
        return None if brain[2] else int(brain[1])
    ours = OUR_MESSAGE.match(message)
    return int(ours[1]) if ours else None
