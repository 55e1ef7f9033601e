"""Who plays whom, in which order and from which opening: a pure function of brains, games, openings and seed."""

from collections.abc import Sequence
from itertools import combinations

from tournament.model import Board, GamePlan, Opening
from tournament.openings import drawn

Pairing = tuple[str, str]


class ScheduleError(ValueError):
    """A tournament that cannot be held as asked for."""


def pairings_of_all(names: Sequence[str]) -> list[Pairing]:
    """Each two brains once."""
    return list(combinations(names, 2))


def pairings_of_one(challenger: str, opponents: Sequence[str]) -> list[Pairing]:
    """The challenger with each opponent."""
    return [(challenger, opponent) for opponent in opponents]


def check_names(names: Sequence[str]) -> None:
    """ScheduleError unless there are two brains or more, each with a name of its own."""
    if len(names) < 2:
        raise ScheduleError(f"a tournament needs two brains or more, not {len(names)}")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ScheduleError(f"each brain needs a name of its own; given more than once: {', '.join(repeated)}")


def check_games(games_a_pairing: int) -> None:
    """ScheduleError unless the games make whole pairs."""
    if games_a_pairing < 2 or games_a_pairing % 2:
        raise ScheduleError(
            f"the games of two brains come in pairs, the same opening with colours swapped: "
            f"their number must be even and at least 2, not {games_a_pairing}"
        )


def plan(
    pairings: Sequence[Pairing], games_a_pairing: int, openings: Sequence[Opening], board: Board, seed: int
) -> list[GamePlan]:
    """Round after round, each a pair of games of every pairing from one opening; games and pairs count from 1.

    As at Gomocup, all pairings meet the same openings. More games only add rounds: what was planned stays as it was.
    """
    check_games(games_a_pairing)
    source = drawn(openings, board, seed)
    plans: list[GamePlan] = []
    for _ in range(games_a_pairing // 2):
        opening = next(source)
        for first, second in pairings:
            number, pair = len(plans) + 1, len(plans) // 2 + 1
            plans.append(GamePlan(number, pair, black=first, white=second, opening=opening))
            plans.append(GamePlan(number + 1, pair, black=second, white=first, opening=opening))
    return plans


def round_robin(
    names: Sequence[str], games_a_pairing: int, openings: Sequence[Opening], board: Board, seed: int
) -> list[GamePlan]:
    """Everyone against everyone."""
    check_names(names)
    return plan(pairings_of_all(names), games_a_pairing, openings, board, seed)


def gauntlet(
    names: Sequence[str], games_a_pairing: int, openings: Sequence[Opening], board: Board, seed: int
) -> list[GamePlan]:
    """The first brain against each other one."""
    check_names(names)
    return plan(pairings_of_one(names[0], names[1:]), games_a_pairing, openings, board, seed)
