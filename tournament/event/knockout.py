"""Knock-out: rounds of matches whose winners meet in the next round; the schedule grows with the results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tournament.core.model import GamePlan, GameRecord, Opening
from tournament.event.schedule import Pairing, check_games, check_names, pair_plans


@dataclass(frozen=True)
class Match:
    """A match of a round: the scores so far, and the winner, None while it is open."""

    first: str  # the one named earlier in the configuration
    second: str
    scores: tuple[float, float]
    winner: str | None


@dataclass(frozen=True)
class Bracket:
    """The games known so far, the rounds, and the winner of the event, None while it is open."""

    plans: tuple[GamePlan, ...]
    rounds: tuple[tuple[Match, ...], ...]
    winner: str | None


def pairings_of_round(alive: Sequence[str]) -> list[Pairing]:
    """The strongest against the weakest and so on, by their order; in the first round, the first ones may have a bye.

    As many play that a power of two is left for the next round.
    """
    places = 1
    while 2 * places < len(alive):
        places *= 2
    playing = alive[2 * places - len(alive) :]  # two for each place that is to be lost
    return [(playing[i], playing[-1 - i]) for i in range(len(playing) // 2)]


def knockout(
    names: Sequence[str], games_per_match: int, openings: Iterator[Opening], played: Mapping[int, GameRecord]
) -> Bracket:
    """The rounds as far as the played games, by number, decide them. More results only add games.

    A tied match plays further pairs, at most as many as it had; after that, the brain named first wins it.
    """
    check_names(names)
    check_games(games_per_match)
    alive, plans, rounds = list(names), list[GamePlan](), list[tuple[Match, ...]]()
    while len(alive) > 1:
        matches = pairings_of_round(alive)
        before = len(plans)
        is_over = play_round(matches, games_per_match // 2, openings, played, plans)
        results = tuple(match_of(pairing, plans[before:], played, is_over) for pairing in matches)
        rounds.append(results)
        if not is_over:
            return Bracket(tuple(plans), tuple(rounds), None)
        beaten = {match.second if match.winner == match.first else match.first for match in results}
        alive = [name for name in alive if name not in beaten]
    return Bracket(tuple(plans), tuple(rounds), alive[0])


def play_round(
    matches: Sequence[Pairing],
    pairs: int,
    openings: Iterator[Opening],
    played: Mapping[int, GameRecord],
    plans: list[GamePlan],
) -> bool:
    """Append the games of a round, those of tied matches too, to `plans`; returns whether all are played."""
    before = len(plans)
    for _ in range(pairs):
        plans += pair_plans(matches, next(openings), len(plans))
    for _ in range(pairs):
        if any(plan.number not in played for plan in plans[before:]):
            return False
        tied = [pairing for pairing in matches if len(set(scores_of(pairing, plans[before:], played))) == 1]
        plans += pair_plans(tied, next(openings), len(plans))
    return all(plan.number in played for plan in plans[before:])


def match_of(pairing: Pairing, plans: Sequence[GamePlan], played: Mapping[int, GameRecord], is_over: bool) -> Match:
    first, second = pairing
    scores = scores_of(pairing, plans, played)
    return Match(first, second, scores, (second if scores[1] > scores[0] else first) if is_over else None)


def scores_of(pairing: Pairing, plans: Sequence[GamePlan], played: Mapping[int, GameRecord]) -> tuple[float, float]:
    """The scores of both brains in the played games of their match."""
    numbers = [plan.number for plan in plans if {plan.black, plan.white} == set(pairing)]
    records = [played[number] for number in numbers if number in played]
    score = sum(r.score_of_black if r.plan.black == pairing[0] else 1 - r.score_of_black for r in records)
    return score, len(records) - score
