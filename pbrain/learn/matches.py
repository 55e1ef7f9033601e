"""Matches between two players: pairs of games from one opening with colours swapped, and what they say.

The pairs are kept in a file, a line each, so a match that is killed goes on where it was.
"""

import json
import math
import random
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pbrain.core.types import Limits, Rule
from pbrain.engine.engine import Engine
from pbrain.learn.openings import close_opening, set_up_opening
from pbrain.learn.player import Player, own_engine, think
from pbrain.learn.workers import Workers, results

SIZE = 15
CONFIDENCE = 1.96  # 95 %
TAIL = 0.025  # on each side
GAMES_PER_PAIR = 2


class Pairing(NamedTuple):
    """What a pair of games depends on beside its number."""

    first: Player
    second: Player
    rule: Rule
    nodes: int  # per move
    seed: int


class PairResult(NamedTuple):
    number: int
    score: float  # of the first player, 0 to 2


def play_pair(first: Engine, second: Engine, rule: Rule, nodes: int, seed: str) -> float:
    """The score of the first engine, 0 to 2, in two games from one opening with colours swapped."""
    limits = Limits(nodes=nodes)
    score = 0.0
    for sides in ((first, second), (second, first)):
        rng = random.Random(seed)
        first.allow_thinking()
        set_up_opening(first, rule, (SIZE, SIZE), rng, limits, close_opening)
        moves = first.history
        for engine in sides:
            engine.new_game(SIZE, SIZE, rule)
            engine.allow_thinking()
            for x, y in moves:
                engine.play(x, y)
        while first.winner is None and not first.is_full:
            x, y = think(sides[first.to_move], limits).move
            if first.is_forbidden(x, y):
                break  # black has only forbidden points left: a draw
            for engine in sides:
                engine.play(x, y)
        score += 0.5 if first.winner is None else float(sides[first.winner] is first)
    return score


def played_pair(pairing: Pairing, number: int) -> PairResult:
    first, second, rule, nodes, seed = pairing
    engines = own_engine(first, seat=0), own_engine(second, seat=1)
    return PairResult(number, play_pair(*engines, rule, nodes, f"match {seed}:{number}"))


def play_match(
    pairing: Pairing, pairs: int, workers: Workers, path: Path | None, show: Callable[[list[float]], None]
) -> list[float]:
    """The score of each pair; `show` hears them as they come. With a path, they are kept there."""
    known = {} if path is None else read_pairs(path)
    found = {number: score for number, score in known.items() if number < pairs}
    missing = [number for number in range(pairs) if number not in found]
    if missing:
        first, second = (player._replace(library=workers.library) for player in (pairing.first, pairing.second))
        here = pairing._replace(first=first, second=second)
        with workers.executor() as executor:
            for result in results(executor, partial(played_pair, here), missing):
                if path is not None:
                    append_pair(path, result)
                found[result.number] = result.score
                show(list(found.values()))
    return [found[number] for number in range(pairs)]


def append_pair(path: Path, result: PairResult) -> None:
    """One write per line; a line that a kill has torn is ended first, and never read as a pair."""
    with path.open("ab+") as file:
        size = file.seek(0, 2)
        is_torn = False
        if size:
            file.seek(size - 1)
            is_torn = file.read(1) != b"\n"
        file.write(b"\n" * is_torn + json.dumps(result._asdict()).encode("ascii") + b"\n")


def read_pairs(path: Path) -> dict[int, float]:
    """The whole lines of a file; the rest is played again."""
    if not path.exists():
        return {}
    found = {}
    for line in path.read_bytes().split(b"\n")[:-1]:
        try:
            result = PairResult(**json.loads(line))
        except (ValueError, TypeError):
            continue
        found[int(result.number)] = float(result.score)
    return found


def elo(share: float) -> float:
    share = min(max(share, 1e-3), 1 - 1e-3)
    return 400 * math.log10(share / (1 - share))


class Gain(NamedTuple):
    """Elo, and half the width of its 95 % interval; if one side has won every game, the interval's only end."""

    elo: float
    error: float
    end: str = ""  # "more": the gain is more than that; or "less"

    @property
    def is_loss(self) -> bool:
        """Whether the score is below one half; of few games that all were won, the interval may begin below zero."""
        return self.end == "less" if self.end else self.elo < 0


def gain(pairs: Sequence[float]) -> Gain:
    """From pairs of games, at least two: the two games of a pair are not independent."""
    share = statistics.fmean(pairs) / GAMES_PER_PAIR
    if share in (0, 1):
        least = elo(TAIL ** (1 / (GAMES_PER_PAIR * len(pairs))))  # Clopper and Pearson, 1934
        return Gain(least, 0.0, "more") if share else Gain(-least, 0.0, "less")
    error = CONFIDENCE * statistics.stdev(pairs) / GAMES_PER_PAIR / math.sqrt(len(pairs))
    return Gain(elo(share), (elo(share + error) - elo(share - error)) / 2)


def gain_text(found: Gain) -> str:
    return f"{found.end} than {found.elo:+.0f} Elo" if found.end else f"{found.elo:+.0f} ±{found.error:.0f} Elo"


def verdict(pairs: Sequence[float]) -> str:
    return f"{sum(pairs):g} of {GAMES_PER_PAIR * len(pairs)} games, {gain_text(gain(pairs))}"
