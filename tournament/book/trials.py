"""Whether an opening is balanced: the brain's own score first, then its own games, as few as suffice to tell."""

from dataclasses import dataclass

MIN_SHARE = 0.3  # of the points, for each colour


@dataclass(frozen=True)
class Demands:
    """What an opening has to show."""

    max_score: float  # of the side to move, in the brain's own units
    games: int


@dataclass(frozen=True)
class Trial:
    """What is known of a candidate: its score, and the points of black in the games from it."""

    number: int
    score: float | None = None  # None: not asked yet
    points: tuple[float, ...] = ()

    def has_failed(self, demands: Demands) -> bool:
        """Whether nothing that may follow can make the opening a balanced one."""
        return not self._is_scored_even(demands) or self._most_points() > _allowed(demands)

    def has_passed(self, demands: Demands) -> bool:
        """Whether the opening is balanced, whatever the games that are left would say."""
        left = demands.games - len(self.points)
        is_certain = self._most_points() + left <= _allowed(demands)
        return self.score is not None and self._is_scored_even(demands) and is_certain

    def _is_scored_even(self, demands: Demands) -> bool:
        return self.score is None or abs(self.score) <= demands.max_score

    def _most_points(self) -> float:
        """The points of the colour that has more."""
        black = sum(self.points)
        return max(black, len(self.points) - black)


def _allowed(demands: Demands) -> float:
    return (1 - MIN_SHARE) * demands.games
