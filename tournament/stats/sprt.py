"""The generalised sequential probability ratio test (GSPRT) on pairs of games."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

from tournament.stats.ratings import ELO_PER_NAT, Z_95, Estimate, mean_and_variance, score_from_elo, with_variance

# Van den Bergh's scale: without draws, small differences are equal in logistic and normalised Elo.
NORMALISED_ELO_PER_T = 2 * ELO_PER_NAT

# Added to zero counts so that logarithms exist; fishtest's value, too small to affect the result.
PSEUDO_COUNT = 1e-3

NEGLIGIBLE_PROBABILITY = 1e-12
MAX_STEPS = 1000  # about ten suffice; 51 was the maximum in 6000 random tests


Ratio = Callable[[Sequence[float], float, float], float]


class Model(StrEnum):
    """What is counted, and in which Elo the hypotheses are."""

    NORMALISED = "normalised"
    LOGISTIC = "logistic"
    TRINOMIAL = "trinomial"

    @property
    def unit(self) -> str:
        return "normalised Elo" if self is Model.NORMALISED else "Elo"

    @property
    def counts_pairs(self) -> bool:
        """Whether pairs of games are counted (pentanomial), not single games (trinomial)."""
        return self is not Model.TRINOMIAL


class Verdict(Enum):
    """The state of a test."""

    H0 = "H0 accepted"
    H1 = "H1 accepted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Sprt:
    """H0: the first brain is `elo0` stronger; H1: it is `elo1` stronger; alpha and beta are the error rates."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # probability of accepting H1 when H0 is true
    beta: float = 0.05  # probability of accepting H0 when H1 is true
    model: Model = Model.NORMALISED

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta must lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")


@dataclass(frozen=True)
class SprtState:
    """The log-likelihood ratio and its bounds; the test is undecided while it is between them."""

    test: Sprt
    counts: tuple[float, ...]
    llr: float
    lower: float
    upper: float

    @property
    def verdict(self) -> Verdict:
        if self.llr >= self.upper:
            return Verdict.H1
        return Verdict.H0 if self.llr <= self.lower else Verdict.UNDECIDED


def assess(test: Sprt, counts: Sequence[float]) -> SprtState:
    """The test after these counts of pair scores 0, 1/2, 1, 3/2 and 2; if trinomial, of losses, draws and wins."""
    lower, upper = bounds(test.alpha, test.beta)
    ratio = normalised_llr if test.model is Model.NORMALISED else logistic_llr
    return SprtState(test, tuple(counts), ratio(counts, test.elo0, test.elo1), lower, upper)


def state_text(state: SprtState) -> str:
    """The test so far in one line, as fishtest writes it: LLR, (bounds), <H0, H1>, counts."""
    test = state.test
    counted = "Ptnml(0-2)" if test.model.counts_pairs else "L-D-W"
    return (
        f"LLR {state.llr:.2f} ({state.lower:.2f}, {state.upper:.2f}) <{test.elo0:g}, {test.elo1:g}> {test.model.unit}, "
        f"{counted} {', '.join(f'{count:g}' for count in state.counts)}"
    )


def verdict_text(state: SprtState, first: str, second: str) -> str:
    """The verdict in one sentence: which hypothesis fits better, and how often the test errs. It proves neither."""
    test, verdict = state.test, state.verdict
    if verdict is Verdict.UNDECIDED:
        return f"{verdict.value}: LLR {state.llr:.2f} is between {state.lower:.2f} and {state.upper:.2f}"
    is_h1 = verdict is Verdict.H1
    accepted, rejected = (test.elo1, test.elo0) if is_h1 else (test.elo0, test.elo1)
    limit = f"above {state.upper:.2f}" if is_h1 else f"below {state.lower:.2f}"
    errs = 100 * (test.alpha if is_h1 else test.beta)
    return (
        f"{verdict.value}: {first} against {second} fits {accepted:+g} {test.model.unit} better than {rejected:+g} "
        f"(LLR {state.llr:.2f} is {limit}); if {rejected:+g} were true, about {errs:g} % of such tests would say this"
    )


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """The log-likelihood ratios that accept H0 and H1 (Wald, Ann. Math. Statist. 16, 1945, 117-186)."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def normalised_elo(counts: Sequence[float]) -> Estimate:
    """The excess score divided by the standard deviation per game, in Elo, ± 95 % (van den Bergh, Normalized Elo)."""
    games, units = games_per_unit(counts), sum(counts)
    mean, variance = mean_and_variance(with_variance(counts))
    t_value = (mean - 0.5) / math.sqrt(games * variance)
    error = NORMALISED_ELO_PER_T * Z_95 / math.sqrt(games * units) if units else math.inf
    return Estimate(NORMALISED_ELO_PER_T * t_value, error)


def games_per_unit(counts: Sequence[float]) -> float:
    """Games per counted unit: 1 for three counts of games, 2 for five counts of pairs."""
    return (len(counts) - 1) / 2


def regularised(counts: Sequence[float]) -> list[float]:
    """The counts with zeros replaced by a small pseudo-count, as in fishtest."""
    return [count or PSEUDO_COUNT for count in counts]


def normalised_llr(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """Log-likelihood ratio of two normalised Elo values (van den Bergh, Comments on Normalized Elo, section 4.1)."""
    per_unit = math.sqrt(games_per_unit(counts)) / NORMALISED_ELO_PER_T
    return llr(
        counts,
        most_likely_with_t_value(regularised(counts), elo0 * per_unit),
        most_likely_with_t_value(regularised(counts), elo1 * per_unit),
    )


def logistic_llr(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """Log-likelihood ratio of two logistic Elo values, that is, of two mean scores."""
    return llr(
        counts,
        most_likely_with_mean(regularised(counts), score_from_elo(elo0)),
        most_likely_with_mean(regularised(counts), score_from_elo(elo1)),
    )


def llr(counts: Sequence[float], under_h0: Sequence[float], under_h1: Sequence[float]) -> float:
    """The generalised log-likelihood ratio: each hypothesis is represented by its maximum likelihood distribution.

    X. Li, J. Liu and Z. Ying, Generalized sequential probability ratio test for separate families of hypotheses,
    Sequential Analysis 33, 2014, 539-563.
    """
    if not any(counts):
        return 0.0
    seen = zip(regularised(counts), under_h0, under_h1, strict=True)
    return sum(count * math.log(p1 / p0) for count, p0, p1 in seen)


def most_likely_with_mean(counts: Sequence[float], mean: float) -> list[float]:
    """The maximum likelihood distribution with this mean score."""
    return most_likely_centred(counts, [place / (len(counts) - 1) - mean for place in range(len(counts))])


def most_likely_with_t_value(counts: Sequence[float], t_value: float) -> list[float]:
    """The maximum likelihood distribution with (mean - 1/2) / deviation = `t_value`.

    The constraint is nonlinear, so it is linearised at the current distribution, and this is iterated. The start puts
    all weight on the two extremes and satisfies the constraint. The deviation is a concave function of the
    distribution, so each linearised constraint still has values of both signs and can be satisfied.
    """
    best = len(counts) - 1
    skew = t_value / math.sqrt(1 + t_value**2)
    likeliest = [(1 - skew) / 2, *[0.0] * (best - 1), (1 + skew) / 2]
    for _ in range(MAX_STEPS):
        before = likeliest
        mean, variance = mean_and_variance(before)
        deviation = math.sqrt(variance)
        curvature = [1 + ((place / best - mean) / deviation) ** 2 for place in range(len(counts))]
        tangent = [place / best - 0.5 - t_value * deviation / 2 * c for place, c in enumerate(curvature)]
        likeliest = most_likely_centred(counts, tangent)
        if max(abs(p - q) for p, q in zip(before, likeliest, strict=True)) < NEGLIGIBLE_PROBABILITY:
            return likeliest
    raise ArithmeticError(f"no distribution with t-value {t_value} found for {list(counts)}")


def most_likely_centred(counts: Sequence[float], values: Sequence[float]) -> list[float]:
    """The maximum likelihood distribution under which the mean of `values`, which have both signs, is zero.

    With a Lagrange multiplier it is pᵢ / (1 + λ vᵢ), where p are the observed shares (Owen, Biometrika 75, 1988,
    237-249). The unknown is x = 1 + λ v of the value that gains most: even x = 1e-9 loses no precision.
    """
    shares = [count / sum(counts) for count in counts]
    mean = sum(share * value for share, value in zip(shares, values, strict=True))
    gaining = min(values) if mean > 0 else max(values)
    ratios = [value / gaining for value in values]
    x = centring_factor(shares, ratios)
    return [share / (1 - ratio + x * ratio) for share, ratio in zip(shares, ratios, strict=True)]


def centring_factor(shares: Sequence[float], ratios: Sequence[float]) -> float:
    """Solve Σ pᵢ rᵢ / (1 - rᵢ + x rᵢ) = 0 for x by bisection; the sum falls from infinity at 0 to the mean at 1."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if sum(share * r / (1 - r + middle * r) for share, r in zip(shares, ratios, strict=True)) > 0:
            low = middle
        else:
            high = middle
    return high
