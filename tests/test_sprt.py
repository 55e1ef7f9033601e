"""The sequential test against fishtest's published ratios, a brute-force maximum and simulated matches."""

import math
import random

import numpy as np
import pytest

from tournament.stats import sprt
from tournament.stats.ratings import mean_and_variance
from tournament.stats.sprt import (
    Model,
    Sprt,
    SprtState,
    Verdict,
    assess,
    logistic_llr,
    normalised_elo,
    normalised_llr,
    state_text,
    verdict_text,
)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "expected"),
    [
        # Stockfish's commit messages, tests with bounds <-1.75, 0.25>.
        ((134, 5897, 13530, 6129, 118), -1.75, 0.25, 2.93),
        ((178, 43099, 113790, 42954, 169), -1.75, 0.25, 2.97),
        ((210, 9236, 25655, 9432, 187), -1.75, 0.25, 2.93),
        ((1721, 77704, 208246, 77189, 1732), -1.75, 0.25, 3.19),
        # fastchess, pull requests 426 and 783, compared there with fishtest.
        ((365, 16618, 36229, 16974, 390), 0, 2, 2.25),
        ((127, 4883, 10712, 5150, 104), -1.75, 0.25, 3.01),
        ((379, 10170, 21828, 10640, 343), 0, 2, 2.95),
        # fastchess, pull requests 697 and 882: very few games, and one brain far stronger.
        ((0, 0, 1, 1, 0), 0, 5, 0.02),
        ((77, 1, 0, 0, 0), -1000, -500, -2.95),
        ((72, 10, 0, 0, 0), -1000, -500, -2.97),
        # Games instead of pairs: fastchess, pull request 426.
        ((36027, 68692, 36433), 0, 2, 0.92),
        ((10650, 20431, 10871), -1.75, 0.25, 2.30),
    ],
)
def test_published_ratios_of_normalised_elo(counts: tuple[int, ...], elo0: float, elo1: float, expected: float) -> None:
    assert round(normalised_llr(counts, elo0, elo1), 2) == expected


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "expected"),
    [
        # fastchess, tests of pull request 426.
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55983, 26678, 821), 0, 2, -4.98),
        ((21184, 40708, 21404), 0.5, 2.5, -1.57),
        ((57030, 106593, 57433), 0, 2, -2.59),
        # Lynx, pull request 1899.
        ((235, 1384, 2521, 1341, 239), -5, 0, 1.69),
    ],
)
def test_published_ratios_of_elo(counts: tuple[int, ...], elo0: float, elo1: float, expected: float) -> None:
    assert round(logistic_llr(counts, elo0, elo1), 2) == expected


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        # fastchess: pull request 783, and Lynx 1899.
        ((379, 10170, 21828, 10640, 343), 3.05, 2.31),
        ((235, 1384, 2521, 1341, 239), -1.67, 6.37),
    ],
)
def test_published_normalised_elos(counts: tuple[int, ...], elo: float, error: float) -> None:
    estimate = normalised_elo(counts)
    assert (round(estimate.elo, 2), round(estimate.error, 2)) == (elo, error)


def test_normalised_elo_at_the_edges() -> None:
    assert normalised_elo((0, 0, 0, 0, 0)).error == math.inf
    assert math.isfinite(normalised_elo((0, 0, 0, 0, 3)).elo)
    without_draws = normalised_elo((49_000, 0, 51_000))
    assert without_draws.elo == pytest.approx(400 * math.log10(51 / 49), rel=1e-3)


def random_counts(rng: random.Random, size: int) -> list[int]:
    """Matches of all sizes, often with zero counts."""
    most = 10 ** rng.uniform(0, 5.5)
    return [rng.choice((0, 1, 1, 1)) * int(most * rng.random() ** 3) for _ in range(size)]


def test_the_likeliest_distribution_meets_its_condition() -> None:
    rng = random.Random(1)
    for _ in range(300):
        counts = sprt.regularised(random_counts(rng, rng.choice((3, 5))))
        t_value = rng.choice((-1, 1)) * 10 ** rng.uniform(-3, 1)
        likeliest = sprt.most_likely_with_t_value(counts, t_value)
        mean, variance = mean_and_variance(likeliest)
        assert sum(likeliest) == pytest.approx(1, abs=1e-9)
        assert min(likeliest) > 0
        assert (mean - 0.5) / math.sqrt(variance) == pytest.approx(t_value, rel=1e-6)


def test_no_distribution_of_games_is_likelier() -> None:
    """With three results, the distributions with a given t-value form a curve over the share of draws."""
    rng = random.Random(2)
    draws = np.linspace(1e-6, 1 - 1e-6, 200_001)
    for _ in range(20):
        counts = sprt.regularised(random_counts(rng, 3))
        t_value = rng.uniform(-1.5, 1.5)
        decided = 1 - draws
        excess = np.sign(t_value) * np.sqrt(t_value**2 * decided / (1 + t_value**2))  # (w - l)² (1 + t²) = t² (w + l)
        wins, losses = (decided + excess) / 2, (decided - excess) / 2
        is_possible = (wins > 0) & (losses > 0)
        curve = np.stack([losses, draws, wins])[:, is_possible]
        best = float((np.array(counts) @ np.log(curve)).max())
        found = sum(
            count * math.log(p) for count, p in zip(counts, sprt.most_likely_with_t_value(counts, t_value), strict=True)
        )
        assert found >= best - 1e-9 * abs(best)
        assert found == pytest.approx(best, rel=1e-4, abs=0.01)


def test_no_distribution_of_pairs_nearby_is_likelier() -> None:
    """No nearby distribution that satisfies the constraint has a higher likelihood."""
    counts, t_value = (30, 200, 400, 260, 40), 0.4
    found = np.array(sprt.most_likely_with_t_value(counts, t_value))
    rng = np.random.default_rng(3)
    for _ in range(200):
        step = rng.normal(size=5) * 0.01
        low, high = 0.0, 1.0
        other = found + step - step.mean()
        target = np.array([0.001, 0.001, 0.001, 0.001, 0.996])
        if t_value_of(other) > t_value:
            target = target[::-1]
        for _ in range(60):  # mixes in an extreme until the constraint holds again
            middle = (low + high) / 2
            is_beyond = (t_value_of((1 - middle) * other + middle * target) > t_value) == (t_value_of(other) < t_value)
            low, high = (low, middle) if is_beyond else (middle, high)
        mixed = (1 - high) * other + high * target
        assert t_value_of(mixed) == pytest.approx(t_value)
        assert np.array(counts) @ np.log(mixed) <= np.array(counts) @ np.log(found) + 1e-9


def t_value_of(distribution: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    mean, variance = mean_and_variance(list(distribution))
    return (mean - 0.5) / math.sqrt(variance)


@pytest.mark.parametrize("ratio", [normalised_llr, logistic_llr])
def test_the_other_side_sees_the_opposite(ratio: sprt.Ratio) -> None:
    rng = random.Random(4)
    for _ in range(30):
        counts = random_counts(rng, rng.choice((3, 5)))
        assert ratio(counts, -3, 8) == pytest.approx(-ratio(counts[::-1], -8, 3), abs=1e-6)
        assert ratio(counts, -2, 2) + ratio(counts[::-1], -2, 2) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("model", list(Model))
@pytest.mark.parametrize("elo0", [-1000.0, -5.0, 0.0, 500.0])
def test_few_games_decide_nothing_and_break_nothing(elo0: float, model: Model) -> None:
    test = Sprt(elo0, elo0 + 5, model=model)
    size = 5 if model.counts_pairs else 3
    assert assess(test, [0] * size).llr == 0
    for place in range(size):
        state = assess(test, [2 * (place == other) for other in range(size)])
        assert state.verdict is Verdict.UNDECIDED
        assert math.isfinite(state.llr)


def test_more_of_the_same_says_the_same_more_loudly() -> None:
    counts = (40, 100, 200, 130, 60)
    assert normalised_llr([3 * count for count in counts], 0, 5) == pytest.approx(3 * normalised_llr(counts, 0, 5))


def test_bounds() -> None:
    assert sprt.bounds(0.05, 0.05) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert sprt.bounds(0.05, 0.10) == pytest.approx((-2.251, 2.890), abs=1e-3)


@pytest.mark.parametrize(
    ("llr", "verdict", "words"),
    [
        (
            2.97,
            Verdict.H1,
            "H1 accepted: new against old fits +5 normalised Elo better than +0 (LLR 2.97 is above 2.94); "
            "if +0 were true, about 5 % of such tests would say this",
        ),
        (
            -3.01,
            Verdict.H0,
            "H0 accepted: new against old fits +0 normalised Elo better than +5 (LLR -3.01 is below -2.25); "
            "if +5 were true, about 10 % of such tests would say this",
        ),
        (0.5, Verdict.UNDECIDED, "undecided: LLR 0.50 is between -2.25 and 2.89"),
    ],
)
def test_verdicts_in_words(llr: float, verdict: Verdict, words: str) -> None:
    beta = 0.05 if verdict is Verdict.H1 else 0.1
    state = SprtState(Sprt(0, 5, beta=beta), (), llr, *sprt.bounds(0.05, beta))
    assert state.verdict is verdict
    assert verdict_text(state, "new", "old") == words


@pytest.mark.parametrize(
    ("model", "counts", "elo1", "words"),
    [
        (
            Model.NORMALISED,
            (379, 10170, 21828, 10640, 343),
            2,
            "LLR 2.95 (-2.94, 2.94) <0, 2> normalised Elo, Ptnml(0-2) 379, 10170, 21828, 10640, 343",
        ),
        (
            Model.LOGISTIC,
            (871, 26175, 55983, 26678, 821),
            2,
            "LLR -4.98 (-2.94, 2.94) <0, 2> Elo, Ptnml(0-2) 871, 26175, 55983, 26678, 821",
        ),
        (
            Model.TRINOMIAL,
            (57030, 106593, 57433),
            2,
            "LLR -2.59 (-2.94, 2.94) <0, 2> Elo, L-D-W 57030, 106593, 57433",
        ),
    ],
)
def test_the_state_in_one_line_in_every_model(model: Model, counts: tuple[int, ...], elo1: float, words: str) -> None:
    """The published ratios above, by the model's name."""
    assert state_text(assess(Sprt(0, elo1, model=model), counts)) == words


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="elo0 must be below elo1, not 5 and 0"):
        Sprt(5, 0)
    with pytest.raises(ValueError, match=r"between 0 and 0\.5"):
        Sprt(0, 5, alpha=0.6)


@pytest.mark.parametrize(("is_better", "wrong"), [(False, Verdict.H1), (True, Verdict.H0)])
def test_wrong_verdicts_are_as_rare_as_promised(is_better: bool, wrong: Verdict) -> None:
    """150 matches at each hypothesis with alpha = beta = 0.1, tested after every fifth pair."""
    test = Sprt(0, 100, alpha=0.1, beta=0.1)
    rng = random.Random(5)
    shares = sprt.most_likely_with_t_value(
        (10, 20, 40, 20, 10), (test.elo1 if is_better else test.elo0) * math.sqrt(2) / sprt.NORMALISED_ELO_PER_T
    )
    verdicts = [simulated_verdict(test, shares, rng) for _ in range(150)]
    assert Verdict.UNDECIDED not in verdicts
    assert 0.02 < verdicts.count(wrong) / len(verdicts) < 0.16


def simulated_verdict(test: Sprt, shares: list[float], rng: random.Random) -> Verdict:
    counts = [0] * 5
    verdict = Verdict.UNDECIDED
    while verdict is Verdict.UNDECIDED and sum(counts) < 5000:
        for place in rng.choices(range(5), shares, k=5):
            counts[place] += 1
        verdict = assess(test, counts).verdict
    return verdict
