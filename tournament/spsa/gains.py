"""The arithmetic of SPSA, all of it pure: two settings for a pair of games, and what its result changes.

Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization" (1998): in iteration k a
parameter is tried at a distance of c / k^0.101 on both sides of its value, and the gain is a / (A + k)^0.602. As in
fishtest, c and a follow from the last of N iterations: there the distance is the parameter's step, and each point by
which one setting is ahead moves the value by `rate` steps towards it.
"""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournament.spsa.parameters import Parameter

ALPHA, GAMMA = 0.602, 0.101
STABILITY = 0.1  # A, as a part of N

Values = tuple[float, ...]  # in the order of the parameters
Setting = tuple[int, ...]


@dataclass(frozen=True)
class Schedule:
    """How many iterations there are, and how far they lead."""

    iterations: int
    rate: float

    def distance(self, number: int) -> float:
        """How far from its value a parameter is tried in an iteration, in steps."""
        return float((self.iterations / number) ** GAMMA)

    def move(self, number: int) -> float:
        """How far a value moves for each point of an iteration's result, in steps."""
        stability = STABILITY * self.iterations
        gain = self.rate * ((stability + self.iterations) / (stability + number)) ** ALPHA
        return float(gain / self.distance(number))


@dataclass(frozen=True)
class Iteration:
    """A pair of games between two settings; `points` are those of the first setting, game by game."""

    number: int  # from 1
    opening: str
    signs: tuple[int, ...]  # in which direction the first setting goes
    first: Setting
    second: Setting
    points: tuple[float, ...] = ()
    faults: tuple[str, ...] = ()  # for which the pair was played again

    @property
    def result(self) -> float:
        """By how many points the first setting is ahead, from -2 to 2."""
        return 2 * sum(self.points) - len(self.points)


def drawn(
    parameters: Sequence[Parameter], values: Values, schedule: Schedule, number: int, opening: str, seed: int
) -> Iteration:
    """The settings of an iteration: each parameter goes up in one of them and down in the other."""
    rng = random.Random(f"{seed}:{number}")
    signs, first, second = [], [], []
    for parameter, value in zip(parameters, values, strict=True):
        sign, chance = 1 if rng.random() < 0.5 else -1, rng.random()
        away = sign * parameter.step * schedule.distance(number)
        signs.append(sign)
        first.append(rounded(value + away, parameter, chance))
        second.append(rounded(value - away, parameter, chance))
    return Iteration(number, opening, tuple(signs), tuple(first), tuple(second))


def rounded(value: float, parameter: Parameter, chance: float) -> int:
    """A whole number in the range; up or down by chance, so that on average it is the value.

    The same chance for both settings of a parameter keeps their difference within one of what is wanted.
    """
    return max(parameter.low, min(math.floor(value + chance), parameter.high))


def changed(parameters: Sequence[Parameter], values: Values, schedule: Schedule, played: Iteration) -> Values:
    """The values after an iteration."""
    steps = played.result * schedule.move(played.number)
    moved = zip(parameters, values, played.signs, strict=True)
    return tuple(max(each.low, min(value + steps * sign * each.step, each.high)) for each, value, sign in moved)


def chance_steps(schedule: Schedule, played: Iterable[Iteration]) -> list[float]:
    """The standard deviation, in steps, of a parameter without any effect: at the start and after each iteration.

    Its value goes up or down with equal probability each time, so the squares of the moves add up.
    """
    squares = [0.0]
    for each in played:
        squares.append(squares[-1] + (each.result * schedule.move(each.number)) ** 2)
    return [math.sqrt(square) for square in squares]
