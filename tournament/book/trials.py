"""Whether an opening is balanced: the brain's own score first, then its own games, as few as suffice to say no."""

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
        if self.score is not None and abs(self.score) > demands.max_score:
            return True
        most = (1 - MIN_SHARE) * demands.games
        black = sum(self.points)
        return black > most or len(self.points) - black > most

    def has_passed(self, demands: Demands) -> bool:
        return self.score is not None and len(self.points) >= demands.games and not self.has_failed(demands)
