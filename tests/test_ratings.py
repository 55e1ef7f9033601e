"""Ratings against published numbers, closed forms and simulated tournaments."""

import ast
import inspect
import math
import random
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from tournament.stats import ratings, sprt, standings
from tournament.stats.ratings import ELO_PER_NAT, Z_95, Ratings, Tally, match_elo, match_los, rate

GOMOCUP = Path(__file__).with_name("data") / "gomocup_2026_fast.txt"

# Agresti, Categorical Data Analysis, 2nd edition, 2002, tables 10.10 and 10.11: wins of the row's team in the American
# League's Eastern Division, 1987.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
BASEBALL = {
    (TEAMS[i], TEAMS[j]): Tally(wins=WINS[i][j], losses=WINS[j][i]) for i, j in combinations(range(len(TEAMS)), 2)
}
MIXED = {("a", "b"): Tally(5, 3, 2), ("b", "c"): Tally(4, 0, 6), ("c", "a"): Tally(1, 7, 2), ("d", "a"): Tally(0, 1, 9)}


# Two players.


def test_elo_and_score_are_each_others_inverse() -> None:
    assert ratings.score_from_elo(0) == 0.5
    assert ratings.score_from_elo(400) == pytest.approx(10 / 11)
    assert ratings.elo_from_score(0.75) == pytest.approx(190.849, abs=0.001)
    for elo in (-3000, -200, -0.1, 0, 13, 700):
        assert ratings.elo_from_score(ratings.score_from_elo(elo)) == pytest.approx(elo, abs=1e-6)
    assert ratings.score_from_elo(-1e6) == 0
    assert ratings.score_from_elo(1e6) == 1


@pytest.mark.parametrize(
    ("counts", "elo", "error", "los"),
    [
        # fastchess on pairs: lynx-chess/Lynx pull request 1899.
        ((235, 1384, 2521, 1341, 239), -1.06, 4.05, 0.3033),
        # OpenBench on pairs: PlentyChess 334 and PZChessBot 303.
        ((214, 8992, 19871, 9102, 235), 0.69, 1.25, None),
        ((5, 942, 2469, 1050, 5), 4.20, 3.43, None),
        ((89, 1928, 3765, 1956, 99), 1.06, 2.96, None),
    ],
)
def test_published_matches_of_pairs(counts: tuple[int, ...], elo: float, error: float, los: float | None) -> None:
    estimate = match_elo(counts)
    assert estimate.elo == pytest.approx(elo, abs=0.006)
    assert estimate.error == pytest.approx(error, abs=0.006)
    assert los is None or match_los(counts) == pytest.approx(los, abs=1e-4)


@pytest.mark.parametrize(
    ("tally", "elo", "error", "los"),
    [
        # cutechess-cli: lynx-chess/Lynx pull requests 467, 1030 and 1106.
        (Tally(2301, 2467, 2122), 9.0, 6.6, 0.996),
        (Tally(4139, 6299, 4225), -2.0, 4.2, 0.174),
        (Tally(114, 264, 257), -79.6, 20.8, 0.0),
    ],
)
def test_published_matches_of_games(tally: Tally, elo: float, error: float, los: float) -> None:
    estimate = match_elo(tally.counts)
    assert estimate.elo == pytest.approx(elo, abs=0.06)
    assert estimate.error == pytest.approx(error, abs=0.2 if error > 10 else 0.06)
    assert match_los(tally.counts) == pytest.approx(los, abs=0.001)


def test_openings_that_decide_games_narrow_the_error_of_pairs_only() -> None:
    """Every opening is won by black: pairs are all 1:1 but for a few, while single games look like coin tosses."""
    assert match_elo((5, 0, 90, 0, 5)).error < 0.5 * match_elo((100, 0, 100)).error


@pytest.mark.parametrize("size", [3, 5])
def test_matches_seen_from_the_other_side(size: int) -> None:
    rng = random.Random(1)
    for _ in range(50):
        counts = [rng.randrange(9) for _ in range(size)]
        there, back = match_elo(counts), match_elo(counts[::-1])
        assert there.elo == pytest.approx(-back.elo, abs=1e-9)
        assert there.error == pytest.approx(back.error)
        assert match_los(counts) + match_los(counts[::-1]) == pytest.approx(1)


def test_matches_of_which_little_is_known() -> None:
    assert match_elo((0, 0, 0)) == ratings.Estimate(0.0, math.inf)
    assert match_los((0, 0, 0, 0, 0)) == 0.5
    won, drawn = match_elo((0, 0, 10)), match_elo((0, 4, 0))
    assert 300 < won.elo < 900
    assert 100 < won.error < 1000
    assert drawn.elo == pytest.approx(0, abs=1e-9)
    assert 30 < drawn.error < 300
    assert 0.7 < match_los((0, 0, 0, 0, 1)) < 0.95


@pytest.mark.parametrize(
    ("games", "share"),
    [
        # The exact two-sided 95 % limits for n successes of n, as in every table after Clopper and Pearson: the upper
        # limits for 0 of n are 0.3085 (n = 10), 0.1684 (20), 0.0711 (50) and 0.0362 (100).
        (10, 1 - 0.3085),
        (20, 1 - 0.1684),
        (50, 1 - 0.0711),
        (100, 1 - 0.0362),
    ],
)
def test_published_bounds_of_perfect_scores(games: int, share: float) -> None:
    bound = ratings.perfect_score_bound([(0.0, games)])
    assert ratings.score_from_elo(bound) == pytest.approx(share, abs=5e-5)
    assert ratings.perfect_score_bound([(100.0, games)]) == pytest.approx(bound + 100)
    assert ratings.perfect_score_bound([(7.0, games // 2), (7.0, games // 2)]) == pytest.approx(bound + 7)
    assert bound < ratings.perfect_score_bound([(0.0, games // 2), (300.0, games // 2)]) < bound + 300


# The Bradley-Terry model.


def test_baseball_as_in_agresti() -> None:
    """Estimates of table 10.11 and, to four digits, the standard errors of R's BradleyTerry2 on the same data."""
    fitted = rate(BASEBALL, prior=1e-6, reference=["Baltimore"])
    estimates = {team: fitted.elo(team) / ELO_PER_NAT for team in TEAMS}
    assert [round(estimates[team], 2) for team in TEAMS] == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]
    errors = [fitted.error(team) / Z_95 / ELO_PER_NAT for team in TEAMS]
    assert [round(error, 4) for error in errors] == [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319, 0.0]


def test_expected_scores_are_the_scores() -> None:
    """The likelihood's own equations (Hunter 2004): at the maximum every player's expected score is what it scored."""
    fitted = rate(BASEBALL, prior=1e-6)
    for team, wins in zip(TEAMS, WINS, strict=True):
        others = [other for other in TEAMS if other != team]
        expected = sum(13 * ratings.score_from_elo(fitted.difference(team, other).elo) for other in others)
        assert expected == pytest.approx(sum(wins), abs=1e-4)


@pytest.mark.parametrize("tally", [Tally(7, 2, 3), Tally(10, 0, 0), Tally(0, 0, 1), Tally(0, 8, 0), Tally(0, 0, 5000)])
def test_two_players_in_closed_form(tally: Tally) -> None:
    prior = 2.0
    fitted = rate({("a", "b"): tally}, prior=prior)
    score = (tally.score + prior / 2) / (tally.games + prior)
    between = fitted.difference("a", "b")
    assert between.elo == pytest.approx(ratings.elo_from_score(score), abs=1e-6)
    information = (tally.games + prior) * score * (1 - score)
    variance = (information - min(tally.draws, 2 * min(score, 1 - score) * tally.games) / 4) / information**2
    assert between.error == pytest.approx(Z_95 * ELO_PER_NAT * math.sqrt(variance))
    assert fitted.los("a", "b") == pytest.approx(1 - fitted.los("b", "a"))


def test_two_players_agree_with_the_match_where_the_prior_hardly_counts() -> None:
    tally = Tally(300, 900, 200)
    between, match = rate({("a", "b"): tally}, prior=1e-6).difference("a", "b"), match_elo(tally.counts)
    assert between.elo == pytest.approx(match.elo, abs=1e-3)
    assert between.error == pytest.approx(match.error, rel=1e-4)


def test_a_draw_by_threshold_is_a_win_and_a_loss() -> None:
    """Rao and Kupper's probabilities: P(draw) / (P(win) P(loss)) is the same at every difference."""
    threshold = ratings.draws_by_threshold(97.3).threshold
    shares = []
    for difference in (-2.0, -0.3, 0.0, 1.1):
        win, loss = ratings.logistic(difference - threshold), ratings.logistic(-difference - threshold)
        shares.append((1 - win - loss) / (win * loss))
    assert shares == pytest.approx([math.exp(2 * threshold) - 1] * 4)
    drawn, split = Tally(6, 4, 2), Tally(10, 0, 6)
    one, other = (rate({("a", "b"): tally}, drawelo=97.3) for tally in (drawn, split))
    assert one.elos == pytest.approx(other.elos)


def test_threshold_draws_maximise_the_likelihood_of_all_three_results() -> None:
    """The likelihood written out with its draws, on a grid around the fit; the prior is too small to matter."""
    tally, threshold = Tally(40, 30, 10), 150 / ELO_PER_NAT
    fitted = rate({("a", "b"): tally}, drawelo=150, prior=1e-9).difference("a", "b").elo / ELO_PER_NAT

    def likelihood(difference: float) -> float:
        win, loss = ratings.logistic(difference - threshold), ratings.logistic(-difference - threshold)
        return tally.wins * math.log(win) + tally.losses * math.log(loss) + tally.draws * math.log(1 - win - loss)

    assert max(np.arange(-0.01, 0.0101, 0.0005), key=lambda shift: likelihood(fitted + shift)) == pytest.approx(0)


def test_mean_and_anchor_only_shift() -> None:
    plain, shifted, anchored = rate(MIXED), rate(MIXED, offset=1600), rate(MIXED, offset=1000, reference=["c"])
    assert sum(plain.elos) == pytest.approx(0, abs=1e-9)
    assert sum(shifted.elos) / 4 == pytest.approx(1600)
    assert anchored.elo("c") == 1000
    assert anchored.error("c") == 0
    for first, second in combinations("abcd", 2):
        for other in (shifted, anchored):
            assert other.difference(first, second).elo == pytest.approx(plain.difference(first, second).elo)
            assert other.difference(first, second).error == pytest.approx(plain.difference(first, second).error)
            assert other.los(first, second) == pytest.approx(plain.los(first, second))
    assert anchored.error("a") == pytest.approx(plain.difference("a", "c").error)


def test_a_reference_of_several_players_has_their_mean() -> None:
    plain, fitted = rate(MIXED), rate(MIXED, offset=500, reference=["a", "d"])
    assert fitted.elo("a") + fitted.elo("d") == pytest.approx(1000)
    assert fitted.difference("b", "d").elo == pytest.approx(plain.difference("b", "d").elo)
    assert fitted.difference("b", "d").error == pytest.approx(plain.difference("b", "d").error)
    # a and d have opposite deviations from their mean, each half of their difference
    assert fitted.error("a") == pytest.approx(fitted.error("d"))
    assert fitted.error("a") == pytest.approx(plain.difference("a", "d").error / 2)


@pytest.mark.parametrize("drawelo", [None, 0.01, 97.3])
def test_the_order_of_players_and_sides_does_not_matter(drawelo: float | None) -> None:
    plain = rate(MIXED, drawelo=drawelo)
    turned = {(second, first): tally.reversed for (first, second), tally in reversed(MIXED.items())}
    other = rate(turned, ["d", "b"], drawelo=drawelo)
    assert set(other.names) == set(plain.names)
    assert other.names != plain.names
    for name in plain.names:
        assert other.elo(name) == pytest.approx(plain.elo(name))
        assert other.error(name) == pytest.approx(plain.error(name))


def test_games_may_be_given_in_parts() -> None:
    parts = {("a", "b"): Tally(3, 1, 0), ("b", "a"): Tally(2, 2, 2), ("a", "a"): Tally(5, 5, 5), ("b", "c"): Tally()}
    whole = rate({("a", "b"): Tally(5, 3, 2)})
    assert rate(parts).difference("a", "b") == whole.difference("a", "b")
    assert rate(parts).error("c") == math.inf


def test_covariance_is_the_pseudo_inverse_of_the_information() -> None:
    fitted = rate(BASEBALL)
    information = np.zeros((7, 7))
    for first, second in combinations(range(7), 2):
        expected = ratings.score_from_elo(fitted.elos[first] - fitted.elos[second])
        direction = np.zeros(7)
        direction[[first, second]] = 1, -1
        information += (13 + 2 / 6) * expected * (1 - expected) * np.outer(direction, direction)
    assert np.allclose(np.array(fitted.covariance) / ELO_PER_NAT**2, np.linalg.pinv(information))


def test_perfect_scores_are_finite() -> None:
    fitted = rate(
        {
            ("best", "a"): Tally(20),
            ("best", "b"): Tally(20),
            ("a", "b"): Tally(9, 2, 9),
            ("worst", "a"): Tally(0, 0, 20),
        }
    )
    assert 300 < fitted.difference("best", "a").elo < 1500
    assert 300 < fitted.difference("a", "worst").elo < 1500
    assert all(100 < fitted.error(name) < 1000 for name in ("best", "worst"))
    assert fitted.los("best", "a") > 0.99
    assert rate({("a", "b"): Tally(10**6)}).difference("a", "b").elo == pytest.approx(2400, abs=0.01)


def test_a_chain_of_perfect_scores() -> None:
    fitted = rate({(str(i), str(i + 1)): Tally(50) for i in range(30)})
    assert list(fitted.elos) == sorted(fitted.elos, reverse=True)
    assert math.isfinite(fitted.error("0"))


def test_groups_that_never_met_have_a_mean_each() -> None:
    fitted = rate(
        {("a", "b"): Tally(6, 1, 3), ("x", "y"): Tally(0, 0, 4), ("y", "z"): Tally(1, 1, 1)}, ["lone"], offset=1600
    )
    assert fitted.elo("a") + fitted.elo("b") == pytest.approx(3200)
    assert fitted.elo("x") + fitted.elo("y") + fitted.elo("z") == pytest.approx(4800)
    assert fitted.elo("lone") == 1600
    assert fitted.error("lone") == math.inf
    assert fitted.difference("a", "x") == ratings.Estimate(0.0, math.inf)
    assert fitted.los("a", "x") == fitted.los("lone", "a") == fitted.los("a", "a") == 0.5
    alone = rate({("a", "b"): Tally(6, 1, 3)}).difference("a", "b")
    assert fitted.difference("a", "b").elo == pytest.approx(alone.elo)
    assert fitted.difference("a", "b").error == pytest.approx(alone.error)


def test_no_games_and_no_players() -> None:
    assert rate({}) == Ratings((), (), (), ())
    fitted = rate({}, ["a", "b"], offset=7, reference=["b"])
    assert fitted.elos == (7, 7)
    assert (fitted.error("a"), fitted.error("b")) == (math.inf, 0.0)
    assert fitted.los("a", "b") == 0.5


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="prior"):
        rate(MIXED, prior=0)
    with pytest.raises(ValueError, match="not among the players: nobody"):
        rate(MIXED, reference=["a", "nobody"])


@pytest.mark.parametrize("draw_share", [0.0, 0.5, 0.9])
def test_the_intervals_hold_what_they_promise(draw_share: float) -> None:
    """250 round robins of six: 95 % of the intervals must hold the truth, however many games are drawn."""
    rng = random.Random(20_26)
    truth = {"a": -190.0, "b": -80.0, "c": 0.0, "d": 20.0, "e": 90.0, "f": 160.0}
    held: list[bool] = []
    for _ in range(250):
        fitted = rate(simulated_round_robin(rng, truth, games=20, draw_share=draw_share))
        held += [abs(fitted.elo(name) - elo) <= fitted.error(name) for name, elo in truth.items()]
        between = fitted.difference("a", "f")
        held.append(abs(between.elo - (truth["a"] - truth["f"])) <= between.error)
    assert 0.935 < sum(held) / len(held) < 0.965


def simulated_round_robin(
    rng: random.Random, truth: dict[str, float], games: int, draw_share: float
) -> dict[tuple[str, str], Tally]:
    """Games with the scores that the Elos promise and, of the draws that those leave room for, a share."""
    results = {}
    for first, second in combinations(truth, 2):
        score = ratings.score_from_elo(truth[first] - truth[second])
        draw = draw_share * 2 * min(score, 1 - score)
        drawn_up_to = score + draw / 2
        rolls = [rng.random() for _ in range(games)]
        wins, losses = sum(roll < score - draw / 2 for roll in rolls), sum(roll >= drawn_up_to for roll in rolls)
        results[first, second] = Tally(wins, games - wins - losses, losses)
    return results


@pytest.mark.parametrize(("pairs", "bias"), [(1, 0.9), (4, 0.0), (4, 0.9), (12, 0.0), (12, 0.9)])
def test_intervals_from_pairs_hold_what_they_promise(pairs: int, bias: float) -> None:
    """250 round robins of four; with bias, most openings win for one colour, and their pairs are split."""
    rng, truth = random.Random(20_26), {"a": -120.0, "b": -20.0, "c": 40.0, "d": 100.0}
    held, widths, single = list[bool](), list[float](), list[float]()
    for _ in range(250):
        results, counts = simulated_pairs(rng, truth, pairs, bias)
        fitted, by_games = rate(results, pairs=counts), rate(results)
        assert fitted.elos == by_games.elos
        held += [abs(fitted.elo(name) - elo) <= fitted.error(name) for name, elo in truth.items()]
        widths += [fitted.error(name) for name in truth]
        single += [by_games.error(name) for name in truth]
    assert 0.935 < sum(held) / len(held) < (1.0 if pairs == 1 else 0.98), "a single pair tells little of its variance"
    narrowed = sum(widths) / sum(single)
    assert narrowed < (0.95 if pairs == 1 else 0.87) if bias else 0.97 < narrowed < 1.05


def simulated_pairs(
    rng: random.Random, truth: dict[str, float], pairs: int, bias: float
) -> tuple[dict[tuple[str, str], Tally], dict[tuple[str, str], list[int]]]:
    """Pairs with the scores that the Elos promise; an opening favours one colour, so its two games differ."""
    results, counts = dict[tuple[str, str], Tally](), dict[tuple[str, str], list[int]]()
    for first, second in combinations(truth, 2):
        score = ratings.score_from_elo(truth[first] - truth[second])
        counts[first, second] = [0] * 5
        for _ in range(pairs):
            favour = rng.choice((1, -1)) * bias * min(score, 1 - score)
            wins = (rng.random() < score + favour) + (rng.random() < score - favour)
            results[first, second] = results.get((first, second), Tally()) + Tally(wins, 0, 2 - wins)
            counts[first, second][2 * wins] += 1
        counts[second, first] = counts[first, second][::-1]
    return results, counts


def test_single_games_beside_pairs_are_counted_by_themselves() -> None:
    """A pair that is not complete adds one game's variance, as without pairs."""
    whole = rate({("a", "b"): Tally(10, 0, 10)}, pairs={("a", "b"): [0, 0, 10, 0, 0]})
    half = rate({("a", "b"): Tally(10, 0, 11)}, pairs={("a", "b"): [0, 0, 10, 0, 0]})
    assert whole.error("a") < half.error("a") < rate({("a", "b"): Tally(10, 0, 11)}).error("a")
    assert rate({("a", "b"): Tally(1, 0, 1)}, pairs={("a", "b"): [0, 0, 1, 0, 0]}).error("a") > 0


# Gomocup's own list.

GAMES_OF_PAIRING = 24


class Published(NamedTuple):
    """What Gomocup's list says of a brain, over all years."""

    elo: float
    error: float


def read_gomocup() -> tuple[dict[tuple[str, str], Tally], dict[str, Published]]:
    """The year's results of every pairing, and the published rows; the file says how it is written."""
    results, rows, above = {}, {}, list[str]()
    for line in GOMOCUP.read_text(encoding="ascii").splitlines():
        if line.startswith("#"):
            continue
        name, elo, plus, minus, *scores = line.split()
        if elo != "?":
            rows[name] = Published(float(elo), (float(plus) + float(minus)) / 2)
        for other, score in zip(above, scores, strict=True):
            if score != "-":
                wins, losses = map(int, score.split("-"))
                results[name, other] = Tally(wins, GAMES_OF_PAIRING - wins - losses, losses)
        above.append(name)
    return results, rows


def ranks(values: list[float]) -> list[float]:
    """From 1 for the least, the mean rank for equals."""
    return [
        sum(other < value for other in values) + (1 + sum(other == value for other in values)) / 2 for value in values
    ]


@pytest.fixture(scope="module")
def gomocup() -> tuple[Ratings, dict[str, Published]]:
    """The year, fitted with Gomocup's settings of BayesElo, and the published rows."""
    results, rows = read_gomocup()
    return rate(results, prior=2, drawelo=0.01, offset=1600), rows


def test_gomocup_ranks(gomocup: tuple[Ratings, dict[str, Published]]) -> None:
    fitted, rows = gomocup
    assert len(fitted.names) == 55
    assert len(rows) == 54
    ours, theirs = ranks([fitted.elo(name) for name in rows]), ranks([row.elo for row in rows.values()])
    assert np.corrcoef(ours, theirs)[0, 1] > 0.99  # Spearman's; 0.993 when this was written
    assert sum(fitted.elos) / len(fitted.elos) == pytest.approx(1600)


@pytest.mark.parametrize("name", ["KANEC26", "ANGEL26", "DDQKCONQUER26", "TKGOMOKU"])
def test_gomocup_error_bars(name: str, gomocup: tuple[Ratings, dict[str, Published]]) -> None:
    """Brains that played this year only have all their games in the file, so BayesElo's bars should be about ours."""
    fitted, rows = gomocup
    assert fitted.error(name) == pytest.approx(rows[name].error, rel=0.1)


@pytest.mark.parametrize("module", [ratings, sprt, standings])
def test_statistics_are_short_functions(module: ModuleType) -> None:
    """A reader can compare each with the equation it cites: at most 20 lines after the docstring."""
    tree = ast.parse(inspect.getsource(module))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert functions
    for function in functions:
        body = function.body[1:] if ast.get_docstring(function) else function.body
        last = function.end_lineno
        assert last is not None
        assert not body or last - body[0].lineno < 20, function.name
