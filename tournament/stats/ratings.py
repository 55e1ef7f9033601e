"""Ratings from wins, draws and losses: Elo, error bars and likelihood of superiority."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

ELO_PER_NAT = 400 / math.log(10)
Z_95 = 1.959963984540054  # the normal distribution's 97.5 % quantile

TAIL_95 = 0.025  # the probability beyond each end of a 95 % interval

DEFAULT_PRIOR = 2.0  # virtual draws per player, as BayesElo's `prior 2`

NEGLIGIBLE_NATS = 1e-8
MAX_STEPS = 200  # Newton needs about ten

Matrix = list[list[float]]


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one side."""

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
        """The same games from the opponent's point of view."""
        return Tally(self.losses, self.draws, self.wins)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Losses, draws, wins: the order in which the functions below take counts."""
        return self.losses, self.draws, self.wins

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


Results = Mapping[tuple[str, str], Tally]
PairCounts = Mapping[tuple[str, str], Sequence[int]]  # pairs of games by the first player's score: 0, 1/2, 1, 3/2, 2
NO_PAIRS: PairCounts = {}


@dataclass(frozen=True)
class Estimate:
    """An Elo difference and the half-width of its 95 % confidence interval."""

    elo: float
    error: float


# Two players. Counts run from the worst result to the best: three for games, five for pairs of games.


def score_from_elo(elo: float) -> float:
    """The expected score when `elo` stronger, 1 / (1 + 10^(-elo/400)) (Elo, The Rating of Chessplayers, 1978)."""
    return logistic(elo / ELO_PER_NAT)


def elo_from_score(score: float) -> float:
    """The Elo difference with this expected score, 0 < score < 1; the inverse of `score_from_elo`."""
    return ELO_PER_NAT * math.log(score / (1 - score))


def mean_and_variance(weights: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the score, scaled to 0..1, of one game or pair."""
    total, best = sum(weights), len(weights) - 1
    mean = sum(weight * place for place, weight in enumerate(weights)) / total / best
    return mean, sum(weight * (place / best - mean) ** 2 for place, weight in enumerate(weights)) / total


def with_variance(counts: Sequence[float]) -> list[float]:
    """The counts; if all results are equal, plus one result spread evenly, so that the variance is positive."""
    alike = max(counts) == sum(counts)
    return [count + 1 / len(counts) if alike else count for count in counts]


def match_elo(counts: Sequence[float]) -> Estimate:
    """Elo ± 95 % of a match by the delta method, from counts of games or, more accurately, of pairs.

    The two games of a pair share their opening and are not independent. The variance of the pair scores accounts for
    this (van den Bergh, Normalized Elo, the pentanomial model).
    """
    weights = with_variance(counts)
    mean, variance = mean_and_variance(weights)
    derivative = ELO_PER_NAT / (mean * (1 - mean))
    error = Z_95 * derivative * math.sqrt(variance / sum(weights)) if any(counts) else math.inf
    return Estimate(elo_from_score(mean), error)


def match_los(counts: Sequence[float]) -> float:
    """Likelihood of superiority: the probability, under a normal approximation, that the mean score exceeds 1/2."""
    weights = with_variance(counts)
    mean, variance = mean_and_variance(weights)
    return normal_cdf((mean - 0.5) / math.sqrt(variance / sum(weights)))


def perfect_score_bound(opponents: Sequence[tuple[float, int]]) -> float:
    """The lower end of the 95 % interval of the Elo of a player who won every game; opponents are (Elo, games).

    There, a perfect score has a probability of 2.5 % (Clopper and Pearson, Biometrika 26, 1934, 404-413). Against one
    opponent the bound on the score is 0.025^(1/games).
    """
    games = sum(count for _, count in opponents)
    one = elo_from_score(TAIL_95 ** (1 / games))
    low, high = (one + end(elo for elo, _ in opponents) for end in (min, max))
    while low < (middle := (low + high) / 2) < high:
        chance = sum(count * log_logistic((middle - elo) / ELO_PER_NAT) for elo, count in opponents)
        low, high = (middle, high) if chance < math.log(TAIL_95) else (low, middle)
    return high


# Many players: a Bradley-Terry model.


@dataclass(frozen=True)
class Ratings:
    """Elos, their covariance in Elo², and groups of players connected by games, all in the order of `names`.

    Elos are comparable only within a group. `covariance` is relative to the fixed point: the mean of the group or of
    its players in the reference.
    """

    names: tuple[str, ...]
    elos: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    groups: tuple[int, ...]

    def elo(self, name: str) -> float:
        return self.elos[self.names.index(name)]

    def error(self, name: str) -> float:
        """The half-width of the 95 % interval; infinite without games, zero for an only reference."""
        place = self.names.index(name)
        return Z_95 * math.sqrt(max(0.0, self.covariance[place][place]))

    def difference(self, first: str, second: str) -> Estimate:
        """How much stronger the first is; the error is infinite if no chain of games connects the two."""
        i, j = self.names.index(first), self.names.index(second)
        if i != j and self.groups[i] != self.groups[j]:
            return Estimate(0.0, math.inf)
        variance = 0.0 if i == j else self.covariance[i][i] + self.covariance[j][j] - 2 * self.covariance[i][j]
        return Estimate(self.elos[i] - self.elos[j], Z_95 * math.sqrt(max(0.0, variance)))

    def los(self, first: str, second: str) -> float:
        """Likelihood of superiority, normal, from the covariance (Coulom, BayesElo, command `los`)."""
        between = self.difference(first, second)
        return normal_cdf(Z_95 * between.elo / between.error) if between.error else 0.5


@dataclass(frozen=True)
class DrawModel:
    """A draw counts as `weight` wins plus `weight` losses; a win requires an advantage of `threshold` nats."""

    weight: float
    threshold: float


# A quasi-likelihood: it models expected scores, not the probability of draws.
HALF_WINS = DrawModel(0.5, 0.0)


def draws_by_threshold(drawelo: float) -> DrawModel:
    """BayesElo's `drawelo`, the model of Rao and Kupper (J. Amer. Statist. Assoc. 62, 1967, 194-204).

    Its draw probability is proportional to the product of the win and loss probabilities. So for a fixed threshold a
    draw carries the same information about the strengths as one win plus one loss.
    """
    return DrawModel(1.0, drawelo / ELO_PER_NAT)


@dataclass(frozen=True)
class Pairing:
    """The games between two players, given by index, first < second."""

    first: int
    second: int
    tally: Tally
    virtual_draws: float
    pairs: tuple[int, ...] = ()  # of these games, by the first player's score; the other games are single


def rate(
    results: Results,
    names: Iterable[str] = (),
    *,
    prior: float = DEFAULT_PRIOR,
    drawelo: float | None = None,
    offset: float = 0.0,
    reference: Collection[str] = (),
    pairs: PairCounts = NO_PAIRS,
) -> Ratings:
    """Maximum a posteriori ratings; `offset` is the mean of each group, or of its players in `reference`.

    Draws count as half wins, or follow BayesElo's model if `drawelo` is given. `names` adds players without games.
    `pairs`, under both orders of names, are the games that came in pairs; errors count them as units if draws count as
    half wins.
    The prior must be positive: it keeps the rating finite of a player who won or lost all games.
    """
    players = tuple(dict.fromkeys([*names, *(name for pair in results for name in pair)]))
    model = HALF_WINS if drawelo is None else draws_by_threshold(drawelo)
    if unknown := set(reference) - set(players):
        raise ValueError(f"not among the players: {', '.join(sorted(unknown))}")
    pairings = with_prior(merged(results, players, pairs), prior)
    groups = connected_groups(len(players), pairings)
    strengths = most_likely_strengths(pairings, model, groups)
    covariance = covariance_of_strengths(strengths, pairings, model, groups)
    strengths, covariance = relative(strengths, covariance, groups, [players.index(name) for name in reference])
    for player, name in enumerate(players):
        if groups.count(groups[player]) == 1 and name not in reference:
            covariance[player][player] = math.inf
    elos = tuple(offset + ELO_PER_NAT * strength for strength in strengths)
    return Ratings(players, elos, tuple(tuple(ELO_PER_NAT**2 * c for c in row) for row in covariance), groups)


def merged(results: Results, players: Sequence[str], pairs: PairCounts = NO_PAIRS) -> list[Pairing]:
    """One pairing per two players with games; results under (a, b) and (b, a) are added, so no game may be in both.

    Games of a player against itself are ignored.
    """
    place = {name: number for number, name in enumerate(players)}
    tallies: dict[tuple[int, int], Tally] = {}
    for (first, second), tally in results.items():
        i, j = place[first], place[second]
        if i != j and tally.games:
            key, seen = ((i, j), tally) if i < j else ((j, i), tally.reversed)
            tallies[key] = tallies.get(key, Tally()) + seen
    return [
        Pairing(i, j, tally, 0.0, tuple(pairs.get((players[i], players[j]), ()))) for (i, j), tally in tallies.items()
    ]


def with_prior(pairings: Sequence[Pairing], prior: float) -> list[Pairing]:
    """Add virtual draws: prior / 2 per player, distributed over its opponents in proportion to its games.

    Each player takes part in `prior` virtual draws on average, as with BayesElo's `prior` (Coulom, bayeselo, the
    command's help and CCondensedResults).
    """
    if prior <= 0:
        raise ValueError(f"the prior must be positive, not {prior}")
    games: dict[int, int] = {}
    for pairing in pairings:
        for player in (pairing.first, pairing.second):
            games[player] = games.get(player, 0) + pairing.tally.games
    return [
        replace(p, virtual_draws=prior / 2 * p.tally.games * (1 / games[p.first] + 1 / games[p.second]))
        for p in pairings
    ]


def connected_groups(players: int, pairings: Sequence[Pairing]) -> tuple[int, ...]:
    """For each player, the lowest index in its connected component of the graph of games."""
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
    """Effective wins of the first and of the second player, draws included."""
    shared = model.weight * (pairing.tally.draws + pairing.virtual_draws)
    return pairing.tally.wins + shared, pairing.tally.losses + shared


def log_posterior(strengths: Sequence[float], pairings: Sequence[Pairing], model: DrawModel) -> float:
    """The log-posterior up to a constant (Hunter, Ann. Statist. 32, 2004, 384-406, logarithm of (1))."""
    total = 0.0
    for pairing in pairings:
        won, lost = evidence(pairing, model)
        difference = strengths[pairing.first] - strengths[pairing.second]
        total += won * log_logistic(difference - model.threshold) + lost * log_logistic(-difference - model.threshold)
    return total


def gradient_and_information(strengths: Sequence[float], pairing: Pairing, model: DrawModel) -> tuple[float, float]:
    """The derivative of the pairing's log-likelihood by the strength difference, and minus the second derivative."""
    won, lost = evidence(pairing, model)
    difference = strengths[pairing.first] - strengths[pairing.second]
    unexpected_win, unexpected_loss = logistic(model.threshold - difference), logistic(model.threshold + difference)
    information = won * unexpected_win * (1 - unexpected_win) + lost * unexpected_loss * (1 - unexpected_loss)
    return won * unexpected_win - lost * unexpected_loss, information


def most_likely_strengths(pairings: Sequence[Pairing], model: DrawModel, groups: Sequence[int]) -> list[float]:
    """Strengths in nats, with mean zero in each group, by Newton's method with step halving.

    The log-posterior is concave (Hunter 2004), so Newton's method finds the maximum.
    """
    strengths = [0.0] * len(groups)
    for _ in range(MAX_STEPS):
        gradient, weights = [0.0] * len(groups), []
        for pairing in pairings:
            rise, information = gradient_and_information(strengths, pairing, model)
            gradient[pairing.first] += rise
            gradient[pairing.second] -= rise
            weights.append(information)
        step = solve(cholesky(with_null_space_shifted(laplacian(pairings, weights, groups), groups)), gradient)
        strengths = backtracking_step(strengths, step, pairings, model)
        if max(map(abs, step), default=0.0) < NEGLIGIBLE_NATS:
            return strengths
    raise ArithmeticError("Newton's method did not converge")


def backtracking_step(
    strengths: Sequence[float], step: Sequence[float], pairings: Sequence[Pairing], model: DrawModel
) -> list[float]:
    """The strengths after a step, halved until the log-posterior does not decrease, up to rounding."""
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
    """Covariance of the strengths relative to their group's mean: A⁺ B A⁺ (White, Econometrica 50, 1982, theorem 3.2).

    A is the observed Fisher information and B the variance of the gradient. For single games without draws A = B, and
    the result is A⁺, as in BayesElo's `covariance`. With draws as half wins, and in most pairs, scores vary less.
    """
    information = [gradient_and_information(strengths, pairing, model)[1] for pairing in pairings]
    inverse = pseudo_inverse(laplacian(pairings, information, groups), groups)
    if model == HALF_WINS:
        factor = small_sample_factor(pairings, groups)
        variation = [gradient_variance(strengths, pairing, factor) for pairing in pairings]
        inverse = matmul(matmul(inverse, laplacian(pairings, variation, groups)), inverse)
    return inverse


def gradient_variance(strengths: Sequence[float], pairing: Pairing, factor: float) -> float:
    """Variance of the pairing's score: of its pairs, as observed, and of single games, by their model.

    The two games of a pair share their opening. Pairs are the independent units (Liang and Zeger, Biometrika 73, 1986,
    13-22). Their variance is that of the residuals, with one virtual pair of independent games, so that it is positive.
    """
    expected = logistic(strengths[pairing.first] - strengths[pairing.second])
    game, count = game_variance(pairing.tally, expected), sum(pairing.pairs)
    squares = sum(seen * (place / 2 - 2 * expected) ** 2 for place, seen in enumerate(pairing.pairs))
    paired = count * (factor * squares + 2 * game) / (count + 1)
    return paired + (pairing.tally.games - 2 * count) * game + pairing.virtual_draws * expected * (1 - expected)


def game_variance(tally: Tally, expected: float) -> float:
    """Variance of the score of a single game with draws as half wins: p(1 - p), less 1/4 of the share of draws.

    This share is capped at 2 min(p, 1 - p), the most that the expected score allows, so the variance stays positive.
    """
    draws = min(tally.draws / tally.games, 2 * min(expected, 1 - expected))
    return expected * (1 - expected) - draws / 4


def small_sample_factor(pairings: Sequence[Pairing], groups: Sequence[int]) -> float:
    """What squared residuals lack because the strengths were fitted to them: n / (n - k), n pairs and k free strengths.

    MacKinnon and White, J. Econometrics 29, 1985, 305-325, their HC1.
    """
    count, free = sum(sum(pairing.pairs) for pairing in pairings), len(groups) - len(set(groups))
    return count / max(1, count - free)


def relative(
    strengths: Sequence[float], covariance: Matrix, groups: Sequence[int], reference: Sequence[int]
) -> tuple[list[float], Matrix]:
    """Strengths x - wᵀx and their covariance, where w averages the group's players in the reference, or all of them.

    The map is linear, so the covariance C becomes C - Cw1ᵀ - 1(Cw)ᵀ + wᵀCw.
    """
    shifted, changed = list(strengths), [row[:] for row in covariance]
    for group in set(groups):
        members = [player for player, other in enumerate(groups) if other == group]
        fixed = [player for player in members if player in reference] or members
        mean = sum(strengths[player] for player in fixed) / len(fixed)
        to_mean = {i: sum(covariance[i][player] for player in fixed) / len(fixed) for i in members}
        variance = sum(to_mean[player] for player in fixed) / len(fixed)
        for i in members:
            shifted[i] -= mean
            for j in members:
                changed[i][j] += variance - to_mean[i] - to_mean[j]
    return shifted, changed


# Arithmetic.


def logistic(x: float) -> float:
    """1 / (1 + e⁻ˣ), without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def log_logistic(x: float) -> float:
    """The logarithm of `logistic`, without overflow or loss of precision."""
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def laplacian(pairings: Sequence[Pairing], weights: Sequence[float], groups: Sequence[int]) -> Matrix:
    """The weighted graph Laplacian: the Hessian of a sum over pairings of functions of strength differences."""
    matrix = [[0.0] * len(groups) for _ in groups]
    for pairing, weight in zip(pairings, weights, strict=True):
        i, j = pairing.first, pairing.second
        matrix[i][i] += weight
        matrix[j][j] += weight
        matrix[i][j] -= weight
        matrix[j][i] -= weight
    return matrix


def with_null_space_shifted(matrix: Matrix, groups: Sequence[int], sign: float = 1.0) -> Matrix:
    """The matrix plus the projection onto the groups' means, a Laplacian's null space, so that it is not singular."""
    sizes = [groups.count(group) for group in groups]
    return [
        [value + (sign / sizes[i] if groups[i] == groups[j] else 0.0) for j, value in enumerate(row)]
        for i, row in enumerate(matrix)
    ]


def pseudo_inverse(matrix: Matrix, groups: Sequence[int]) -> Matrix:
    """The pseudo-inverse of a Laplacian whose connected components are the groups."""
    factor = cholesky(with_null_space_shifted(matrix, groups))
    units = [[float(i == j) for j in range(len(groups))] for i in range(len(groups))]
    return with_null_space_shifted([solve(factor, unit) for unit in units], groups, -1.0)


def cholesky(matrix: Matrix) -> Matrix:
    """The rows, up to the diagonal, of the lower triangle L with L Lᵀ = matrix, which must be positive definite."""
    rows: Matrix = []
    for i, wanted in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((wanted[j] - dot(row, rows[j])) / rows[j][j])
        row.append(math.sqrt(wanted[i] - dot(row, row)))
        rows.append(row)
    return rows


def solve(factor: Matrix, right: Sequence[float]) -> list[float]:
    """Solve L Lᵀ x = right for x, where L is the Cholesky factor."""
    forward: list[float] = []
    for value, row in zip(right, factor, strict=True):
        forward.append((value - dot(forward, row)) / row[-1])
    for i in reversed(range(len(factor))):
        forward[i] /= factor[i][i]
        for j in range(i):
            forward[j] -= forward[i] * factor[i][j]
    return forward


def matmul(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[dot(row, column) for column in columns] for row in left]


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Σ lᵢ rᵢ over the length of the shorter sequence."""
    return sum(a * b for a, b in zip(left, right, strict=False))
