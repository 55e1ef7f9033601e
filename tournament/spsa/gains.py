"""The arithmetic of SPSA, all of it pure: how far to move the parameters for a pair of games, and by what they change.

Spall's gains: the perturbation of iteration k is c / k^0.101 and its gain a / (A + k)^0.602. They are chosen so that in
the last of N iterations the perturbation is the parameter's step, and a pair won moves it by `rate` times twice that.
"""

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournament.spsa.parameters import Tuned

ALPHA, GAMMA = 0.602, 0.101
STABILITY = 0.1  # A, as a part of all iterations

Values = dict[str, float]


@dataclass(frozen=True)
class Iteration:
    """A pair of games between two settings; `result` is what the first won more than it lost, from -2 to 2."""

    number: int  # from 1
    signs: Mapping[str, int]  # of the first setting's perturbation
    first: Mapping[str, int]
    second: Mapping[str, int]
    result: float | None = None


def perturbation(tuned: Tuned, number: int, iterations: int) -> float:
    return float(tuned.step * (iterations / number) ** GAMMA)


def gain(number: int, iterations: int, rate: float) -> float:
    """What a point more of the result is worth, in perturbations."""
    stability = STABILITY * iterations
    early = ((stability + iterations) / (stability + number)) ** ALPHA
    return float(rate * early * (number / iterations) ** (2 * GAMMA))


def drawn(parameters: Sequence[Tuned], values: Values, number: int, iterations: int, seed: int) -> Iteration:
    """The settings of an iteration: each parameter goes up in one of them and down in the other."""
    rng = random.Random(f"{seed}:{number}")
    signs = {tuned.name: 1 if rng.random() < 0.5 else -1 for tuned in parameters}
    settings: list[dict[str, int]] = []
    for side in (1, -1):
        moved = {
            tuned.name: values[tuned.name] + side * signs[tuned.name] * perturbation(tuned, number, iterations)
            for tuned in parameters
        }
        settings.append({tuned.name: rounded(moved[tuned.name], tuned, rng) for tuned in parameters})
    return Iteration(number, signs, settings[0], settings[1])


def rounded(value: float, tuned: Tuned, rng: random.Random) -> int:
    """A whole number in the parameter's range; up or down by chance, so that on average it is the value."""
    whole = math.floor(value + rng.random())
    return max(tuned.low, min(whole, tuned.high))


def changed(parameters: Sequence[Tuned], values: Values, played: Iteration, iterations: int, rate: float) -> Values:
    """The values after an iteration."""
    assert played.result is not None
    factor = played.result * gain(played.number, iterations, rate)
    moved = {
        tuned.name: values[tuned.name]
        + factor * played.signs[tuned.name] * perturbation(tuned, played.number, iterations)
        for tuned in parameters
    }
    return {tuned.name: max(tuned.low, min(moved[tuned.name], tuned.high)) for tuned in parameters}


def history(parameters: Sequence[Tuned], played: Iterable[Iteration], iterations: int, rate: float) -> list[Values]:
    """The values at the start and after each iteration, in the order in which they ended."""
    values: list[Values] = [{tuned.name: float(tuned.start) for tuned in parameters}]
    for iteration in played:
        values.append(changed(parameters, values[-1], iteration, iterations, rate))
    return values
