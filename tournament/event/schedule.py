"""The schedule, who plays whom from which opening: a pure function of brains, games, openings and seed."""

from collections.abc import Sequence
from itertools import combinations

from tournament.core.model import Board, GamePlan, Opening
from tournament.core.openings import SHUFFLED, Order, drawn

Pairing = tuple[str, str]


class ScheduleError(ValueError):
    """The requested tournament is impossible; the text says why."""


def round_robin_pairings(names: Sequence[str]) -> list[Pairing]:
    """Every pair of brains once."""
    return list(combinations(names, 2))


def gauntlet_pairings(heads: Sequence[str], opponents: Sequence[str]) -> list[Pairing]:
    """Each head against each opponent."""
    return [(head, opponent) for head in heads for opponent in opponents]


def check_names(names: Sequence[str]) -> None:
    """Raise ScheduleError unless there are at least two brains with unique names."""
    if len(names) < 2:
        raise ScheduleError(f"a tournament needs at least two brains, not {len(names)}")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ScheduleError(f"brain names must be unique; repeated: {', '.join(repeated)}")


def check_games(games_per_pairing: int) -> None:
    """Raise ScheduleError unless the games form whole pairs."""
    if games_per_pairing < 2 or games_per_pairing % 2:
        raise ScheduleError(
            f"the number of games must be even and at least 2, not {games_per_pairing}: "
            f"each opening is played twice, with colours swapped"
        )


def plan(
    pairings: Sequence[Pairing],
    games_per_pairing: int,
    openings: Sequence[Opening],
    board: Board,
    seed: int,
    order: Order = SHUFFLED,
) -> list[GamePlan]:
    """Rounds in which every pairing plays two games from the same opening; games and pairs are numbered from 1.

    As at Gomocup, all pairings play the same openings. More games only add rounds; earlier rounds stay the same.
    """
    check_games(games_per_pairing)
    source = drawn(openings, board, seed, order)
    plans: list[GamePlan] = []
    for _ in range(games_per_pairing // 2):
        plans += pair_plans(pairings, next(source), len(plans))
    return plans


def pair_plans(pairings: Sequence[Pairing], opening: Opening, planned: int) -> list[GamePlan]:
    """Two games of every pairing from one opening; `planned` games come before them."""
    plans: list[GamePlan] = []
    for first, second in pairings:
        number, pair = planned + len(plans) + 1, (planned + len(plans)) // 2 + 1
        plans.append(GamePlan(number, pair, black=first, white=second, opening=opening))
        plans.append(GamePlan(number + 1, pair, black=second, white=first, opening=opening))
    return plans


def round_robin(
    names: Sequence[str],
    games_per_pairing: int,
    openings: Sequence[Opening],
    board: Board,
    seed: int,
    order: Order = SHUFFLED,
) -> list[GamePlan]:
    """Every brain against every other."""
    check_names(names)
    return plan(round_robin_pairings(names), games_per_pairing, openings, board, seed, order)


def gauntlet(
    names: Sequence[str],
    games_per_pairing: int,
    openings: Sequence[Opening],
    board: Board,
    seed: int,
    order: Order = SHUFFLED,
    heads: int = 1,
) -> list[GamePlan]:
    """The first brains, the heads, against each of the others."""
    check_names(names)
    return plan(gauntlet_pairings(names[:heads], names[heads:]), games_per_pairing, openings, board, seed, order)
