"""How strong brains are, from wins, draws and losses: Elo, error bars and the likelihood of superiority."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

ELO_PER_NAT = 400 / math.log(10)
Z_95 = 1.959963984540054  # the normal distribution's 97.5 % quantile

DEFAULT_PRIOR = 2.0  # virtual draws of a player, as BayesElo's `prior 2`

NEGLIGIBLE_NATS = 1e-8
MOST_STEPS = 200  # Newton needs about ten

Matrix = list[list[float]]


@dataclass(frozen=True)
class Tally:
    """Games as one side saw them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return self.wins + self.draws / 2

    @property
    def reversed(self) -> "Tally":
        """The same games as the other side saw them."""
        return Tally(self.losses, self.draws, self.wins)

    @property
    def counts(self) -> tuple[int, int, int]:
        """From the worst result to the best, as the functions on counts want them."""
        return self.losses, self.draws, self.wins

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


Results = Mapping[tuple[str, str], Tally]


@dataclass(frozen=True)
class Estimate:
    """An Elo difference and the half width of its 95 % interval."""

    elo: float
    error: float


# Two players: counts of results from the worst to the best, three of games or five of pairs of games.


def score_from_elo(elo: float) -> float:
    """The expected score of who is `elo` stronger, 1 / (1 + 10^(-elo/400)) (Elo, The Rating of Chessplayers, 1978)."""
    return logistic(elo / ELO_PER_NAT)


def elo_from_score(score: float) -> float:
    """The Elo difference at which `score`, between 0 and 1 exclusive, is expected; inverts `score_from_elo`."""
    return ELO_PER_NAT * math.log(score / (1 - score))


def mean_and_variance(weights: Sequence[float]) -> tuple[float, float]:
    """Of the score, 0 to 1, of one game or one pair, whose possible results are spaced evenly."""
    total, best = sum(weights), len(weights) - 1
    mean = sum(weight * place for place, weight in enumerate(weights)) / total / best
    return mean, sum(weight * (place / best - mean) ** 2 for place, weight in enumerate(weights)) / total


def with_variance(counts: Sequence[float]) -> list[float]:
    """The counts; and one result more, spread evenly, where all were alike and would be taken for certain."""
    alike = max(counts) == sum(counts)
    return [count + 1 / len(counts) if alike else count for count in counts]


def match_elo(counts: Sequence[float]) -> Estimate:
    """Elo ± 95 % of a match by the delta method, on counts of games or, truer, of pairs.

    The two games of a pair share their opening and are not independent; the variance of the pairs' scores has that in
    it (van den Bergh, Normalized Elo, the pentanomial model).
    """
    weights = with_variance(counts)
    mean, variance = mean_and_variance(weights)
    slope = ELO_PER_NAT / (mean * (1 - mean))
    error = Z_95 * slope * math.sqrt(variance / sum(weights)) if any(counts) else math.inf
    return Estimate(elo_from_score(mean), error)


def match_los(counts: Sequence[float]) -> float:
    """How likely the first player is the stronger of two: the normal probability that the mean score exceeds 1/2."""
    weights = with_variance(counts)
    mean, variance = mean_and_variance(weights)
    return normal_cdf((mean - 0.5) / math.sqrt(variance / sum(weights)))


# Many players: a Bradley-Terry model.


@dataclass(frozen=True)
class Ratings:
    """Elos, their covariance in Elo², and which players are connected by games, all in the order of `names`.

    Elos compare only within a group. `covariance` is that of the differences to what was fixed: the group's mean, or
    the anchor.
    """

    names: tuple[str, ...]
    elos: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    groups: tuple[int, ...]

    def elo(self, name: str) -> float:
        return self.elos[self.names.index(name)]

    def error(self, name: str) -> float:
        """The half width of the 95 % interval; infinite without games, zero at the anchor."""
        place = self.names.index(name)
        return Z_95 * math.sqrt(max(0.0, self.covariance[place][place]))

    def difference(self, first: str, second: str) -> Estimate:
        """How much stronger the first is; players that no chain of games connects can't be told apart."""
        i, j = self.names.index(first), self.names.index(second)
        if i != j and self.groups[i] != self.groups[j]:
            return Estimate(0.0, math.inf)
        variance = 0.0 if i == j else self.covariance[i][i] + self.covariance[j][j] - 2 * self.covariance[i][j]
        return Estimate(self.elos[i] - self.elos[j], Z_95 * math.sqrt(max(0.0, variance)))

    def los(self, first: str, second: str) -> float:
        """How likely the first is stronger: normal, from the covariance (Coulom, BayesElo, command `los`)."""
        between = self.difference(first, second)
        return normal_cdf(Z_95 * between.elo / between.error) if between.error else 0.5


@dataclass(frozen=True)
class DrawModel:
    """What a draw says: it weighs `weight` wins and as many losses, and who wins is `threshold` nats stronger."""

    weight: float
    threshold: float


# Not a probability of draws but a quasi-likelihood: it expects scores, and that is all that Elo is about.
HALF_WINS = DrawModel(0.5, 0.0)


def draws_by_threshold(drawelo: float) -> DrawModel:
    """BayesElo's `drawelo`, the model of Rao and Kupper (J. Amer. Statist. Assoc. 62, 1967, 194-204).

    Its probability of a draw is a constant times those of a win and of a loss, so for a fixed threshold a draw says of
    the strengths what a win and a loss say together.
    """
    return DrawModel(1.0, drawelo / ELO_PER_NAT)


@dataclass(frozen=True)
class Pairing:
    """The games between two players, by their places, the first before the second."""

    first: int
    second: int
    tally: Tally
    virtual_draws: float


def rate(
    results: Results,
    names: Iterable[str] = (),
    *,
    prior: float = DEFAULT_PRIOR,
    drawelo: float | None = None,
    offset: float = 0.0,
    anchor: str | None = None,
) -> Ratings:
    """Ratings at the maximum of the posterior; the mean of each group, or the anchor in its own, is at `offset`.

    Draws are half wins, or BayesElo's if `drawelo` is given. `names` may add players without games. The prior must be
    positive: it is what keeps the rating of a player finite who won or lost all games.
    """
    players = tuple(dict.fromkeys([*names, *(name for pair in results for name in pair)]))
    model = HALF_WINS if drawelo is None else draws_by_threshold(drawelo)
    if anchor is not None and anchor not in players:
        raise ValueError(f"the anchor {anchor} is not among the players")
    pairings = with_prior(merged(results, players), prior)
    groups = connected_groups(len(players), pairings)
    strengths = most_likely_strengths(pairings, model, groups)
    covariance = covariance_of_strengths(strengths, pairings, model, groups)
    if anchor is not None:
        strengths, covariance = anchored(strengths, covariance, groups, players.index(anchor))
    for player, name in enumerate(players):
        if groups.count(groups[player]) == 1 and name != anchor:
            covariance[player][player] = math.inf
    elos = tuple(offset + ELO_PER_NAT * strength for strength in strengths)
    return Ratings(players, elos, tuple(tuple(ELO_PER_NAT**2 * c for c in row) for row in covariance), groups)


def merged(results: Results, players: Sequence[str]) -> list[Pairing]:
    """The pairings with games; what is given from both sides is added up, so no game may be given from both.

    Games against oneself say nothing and are left out.
    """
    place = {name: number for number, name in enumerate(players)}
    tallies: dict[tuple[int, int], Tally] = {}
    for (first, second), tally in results.items():
        i, j = place[first], place[second]
        if i != j and tally.games:
            key, seen = ((i, j), tally) if i < j else ((j, i), tally.reversed)
            tallies[key] = tallies.get(key, Tally()) + seen
    return [Pairing(i, j, tally, 0.0) for (i, j), tally in tallies.items()]


def with_prior(pairings: Sequence[Pairing], prior: float) -> list[Pairing]:
    """Half of the prior's draws for each player, shared among opponents as its games are, so `prior` on average.

    This is how BayesElo's `prior` spreads them (Coulom, bayeselo, the command's help and CCondensedResults).
    """
    if prior <= 0:
        raise ValueError(f"the prior must be positive, not {prior}")
    games: dict[int, int] = {}
    for pairing in pairings:
        for player in (pairing.first, pairing.second):
            games[player] = games.get(player, 0) + pairing.tally.games
    return [
        Pairing(p.first, p.second, p.tally, prior / 2 * p.tally.games * (1 / games[p.first] + 1 / games[p.second]))
        for p in pairings
    ]


def connected_groups(players: int, pairings: Sequence[Pairing]) -> tuple[int, ...]:
    """For each player the lowest place among those that a chain of games connects it with."""
    parent = list(range(players))

    def root(player: int) -> int:
        while parent[player] != player:
            player = parent[player]
        return player

    for pairing in pairings:
        low, high = sorted((root(pairing.first), root(pairing.second)))
        parent[high] = low
    return tuple(root(player) for player in range(players))


def evidence(pairing: Pairing, model: DrawModel) -> tuple[float, float]:
    """Wins of the first and of the second player, with the shares of all draws in them."""
    shared = model.weight * (pairing.tally.draws + pairing.virtual_draws)
    return pairing.tally.wins + shared, pairing.tally.losses + shared


def log_posterior(strengths: Sequence[float], pairings: Sequence[Pairing], model: DrawModel) -> float:
    """Up to a constant (Hunter, Ann. Statist. 32, 2004, 384-406: the logarithm of (1) over all games)."""
    total = 0.0
    for pairing in pairings:
        won, lost = evidence(pairing, model)
        difference = strengths[pairing.first] - strengths[pairing.second]
        total += won * log_logistic(difference - model.threshold) + lost * log_logistic(-difference - model.threshold)
    return total


def slope_and_information(strengths: Sequence[float], pairing: Pairing, model: DrawModel) -> tuple[float, float]:
    """The first derivative of the pairing's log-likelihood by the difference in strength, and minus the second."""
    won, lost = evidence(pairing, model)
    difference = strengths[pairing.first] - strengths[pairing.second]
    unexpected_win, unexpected_loss = logistic(model.threshold - difference), logistic(model.threshold + difference)
    information = won * unexpected_win * (1 - unexpected_win) + lost * unexpected_loss * (1 - unexpected_loss)
    return won * unexpected_win - lost * unexpected_loss, information


def most_likely_strengths(pairings: Sequence[Pairing], model: DrawModel, groups: Sequence[int]) -> list[float]:
    """Strengths in nats, their mean zero in each group, by Newton's method with halved steps where one overshoots.

    The posterior is concave in them (Hunter 2004), so what Newton finds is the maximum.
    """
    strengths = [0.0] * len(groups)
    for _ in range(MOST_STEPS):
        slope, weights = [0.0] * len(groups), []
        for pairing in pairings:
            rise, information = slope_and_information(strengths, pairing, model)
            slope[pairing.first] += rise
            slope[pairing.second] -= rise
            weights.append(information)
        step = solved(cholesky(grounded(laplacian(pairings, weights, groups), groups)), slope)
        strengths = uphill(strengths, step, pairings, model)
        if max(map(abs, step), default=0.0) < NEGLIGIBLE_NATS:
            return strengths
    raise ArithmeticError("Newton's method did not settle on ratings")


def uphill(
    strengths: Sequence[float], step: Sequence[float], pairings: Sequence[Pairing], model: DrawModel
) -> list[float]:
    """The strengths one step on, the step halved until the posterior does not fall by more than rounding."""
    before = log_posterior(strengths, pairings, model)
    fraction = 1.0
    while True:
        after = [strength + fraction * change for strength, change in zip(strengths, step, strict=True)]
        if log_posterior(after, pairings, model) >= before - 1e-9 * abs(before):
            return after
        fraction /= 2


def covariance_of_strengths(
    strengths: Sequence[float], pairings: Sequence[Pairing], model: DrawModel, groups: Sequence[int]
) -> Matrix:
    """Of the strengths about their group's mean: A⁺ B A⁺ (White, Econometrica 50, 1982, theorem 3.2).

    A is the observed Fisher information and B the variance of its slope. Without draws both are the same and this is
    A⁺, as in BayesElo's `covariance`; draws make half-won games vary less than A believes.
    """
    information = [slope_and_information(strengths, pairing, model)[1] for pairing in pairings]
    inverse = pseudo_inverse(laplacian(pairings, information, groups), groups)
    if model == HALF_WINS:
        variation = [variance_of_slope(strengths, pairing) for pairing in pairings]
        inverse = product(product(inverse, laplacian(pairings, variation, groups)), inverse)
    return inverse


def variance_of_slope(strengths: Sequence[float], pairing: Pairing) -> float:
    """Of the pairing's score where draws are half wins: p(1 - p) a game, and 1/4 less if it was drawn.

    The prior counts as games that could have been won. No more draws count than the expected score leaves room for:
    their share is at most 2 min(p, 1 - p), and the variance stays positive.
    """
    expected = logistic(strengths[pairing.first] - strengths[pairing.second])
    games = pairing.tally.games
    draws = min(pairing.tally.draws, 2 * min(expected, 1 - expected) * games)
    return (games + pairing.virtual_draws) * expected * (1 - expected) - draws / 4


def anchored(
    strengths: Sequence[float], covariance: Matrix, groups: Sequence[int], anchor: int
) -> tuple[list[float], Matrix]:
    """Strengths and covariance of the differences to the anchor, in the anchor's group."""
    members = [player for player, group in enumerate(groups) if group == groups[anchor]]
    shifted, changed = list(strengths), [row[:] for row in covariance]
    row = covariance[anchor]
    for i in members:
        shifted[i] -= strengths[anchor]
        for j in members:
            changed[i][j] += row[anchor] - row[i] - row[j]
    return shifted, changed


# Arithmetic.


def logistic(x: float) -> float:
    """1 / (1 + e⁻ˣ) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def log_logistic(x: float) -> float:
    """The logarithm of `logistic` without overflow or loss of digits."""
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def laplacian(pairings: Sequence[Pairing], weights: Sequence[float], groups: Sequence[int]) -> Matrix:
    """The second derivative by the players of a sum over pairings that depends on differences only."""
    matrix = [[0.0] * len(groups) for _ in groups]
    for pairing, weight in zip(pairings, weights, strict=True):
        i, j = pairing.first, pairing.second
        matrix[i][i] += weight
        matrix[j][j] += weight
        matrix[i][j] -= weight
        matrix[j][i] -= weight
    return matrix


def grounded(matrix: Matrix, groups: Sequence[int], sign: float = 1.0) -> Matrix:
    """The matrix plus the projection on the groups' means, which a Laplacian has no part in: no longer singular."""
    sizes = [groups.count(group) for group in groups]
    return [
        [value + (sign / sizes[i] if groups[i] == groups[j] else 0.0) for j, value in enumerate(row)]
        for i, row in enumerate(matrix)
    ]


def pseudo_inverse(matrix: Matrix, groups: Sequence[int]) -> Matrix:
    """Of a Laplacian whose connected parts are the groups."""
    factor = cholesky(grounded(matrix, groups))
    units = [[float(i == j) for j in range(len(groups))] for i in range(len(groups))]
    return grounded([solved(factor, unit) for unit in units], groups, -1.0)


def cholesky(matrix: Matrix) -> Matrix:
    """The rows, ended at the diagonal, of the triangle L in matrix = L Lᵀ, the matrix being positive definite."""
    rows: Matrix = []
    for i, wanted in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((wanted[j] - dot(row, rows[j])) / rows[j][j])
        row.append(math.sqrt(wanted[i] - dot(row, row)))
        rows.append(row)
    return rows


def solved(factor: Matrix, right: Sequence[float]) -> list[float]:
    """x in L Lᵀ x = right, L being the factor."""
    forward: list[float] = []
    for value, row in zip(right, factor, strict=True):
        forward.append((value - dot(forward, row)) / row[-1])
    for i in reversed(range(len(factor))):
        forward[i] /= factor[i][i]
        for j in range(i):
            forward[j] -= forward[i] * factor[i][j]
    return forward


def product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[dot(row, column) for column in columns] for row in left]


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Σ lᵢ rᵢ as far as the shorter reaches."""
    return sum(a * b for a, b in zip(left, right, strict=False))
