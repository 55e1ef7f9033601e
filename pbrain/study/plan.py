"""How much is measured: a minute's worth, or everything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pbrain.study.systems import BOUNDARY, KANAME, MINIMAX, THREAT


@dataclass(frozen=True)
class Plan:
    """What one study measures; all counts in it follow from the plan and a seed."""

    name: str
    games: int  # per pairing, at fixed depths
    positions: int  # of each stage of the game
    few_positions: int  # of each stage, where a brain is compared with itself without an idea
    many_positions: int  # of each stage, where that is quick and its effect is rare
    rounds: int  # of such a comparison; the shortest times count
    depths: Mapping[str, Sequence[int]]
    idea_depths: Mapping[str, int]  # at which ideas are left out
    wide_depths: Sequence[int]  # at which boundary has neither candidates nor a move limit
    turn_ms: int  # of the round robin
    round_robin_games: int  # per pairing
    second_positions: int  # of each stage, that are thought about for a second of CPU time
    second_turn_ms: int  # which takes so long by the clock on a busy machine
    deeper_games: int  # of threat at depth 4 against itself at depth 2; 0: none
    has_features: bool  # whether this engine is built without each of its features
    feature_depth: int = 10

    @property
    def turn_text(self) -> str:
        return f"{self.turn_ms / 1000:g} s"


QUICK = Plan(
    name="quick",
    games=2,
    positions=2,
    few_positions=2,
    many_positions=4,
    rounds=1,
    depths={KANAME: range(1, 11), MINIMAX: range(1, 5), BOUNDARY: range(1, 6), THREAT: range(5)},
    idea_depths={MINIMAX: 2, BOUNDARY: 4, THREAT: 2},
    wide_depths=(2,),
    turn_ms=100,
    round_robin_games=2,
    second_positions=1,
    second_turn_ms=1150,
    deeper_games=0,
    has_features=False,
)
FULL = Plan(
    name="full",
    games=6,
    positions=6,
    few_positions=3,
    many_positions=20,
    rounds=2,
    depths={KANAME: range(1, 15), MINIMAX: range(1, 5), BOUNDARY: range(1, 7), THREAT: range(6)},
    idea_depths={MINIMAX: 3, BOUNDARY: 4, THREAT: 3},
    wide_depths=(2, 3),
    turn_ms=1000,
    round_robin_games=6,
    second_positions=3,
    second_turn_ms=3000,
    deeper_games=20,
    has_features=True,
)
