"""Who plays the games of an event: processes of this machine, or other machines. What they tell is plain values."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tournament.play.messages import Dropped, GameReport, Logged, PairJob, Told

News = GameReport | Dropped | Logged | Told
Hear = Callable[[News], None]


class PreflightError(Exception):
    """A brain cannot take part, or nobody can play; the text says which one and why."""


class Executor(Protocol):
    """Plays pairs of games. `finish` and `abandon` may be called from any thread, the rest from one."""

    @property
    def concurrency(self) -> int:
        """How many games are played at a time; known after the preflight."""

    @property
    def is_finishing(self) -> bool:
        """Whether no more games are to be started."""

    def preflight(self) -> None:
        """Start every brain once on the event's board, wherever games will be played; PreflightError if that fails.

        Returns early after `finish` or `abandon`.
        """

    def run(self, jobs: Sequence[PairJob], hear: Hear) -> None:
        """Play all jobs; returns when they are done, or after `finish` or `abandon` has taken effect.

        RunnerError, with all games abandoned, if the runner itself cannot go on. Any thread may call `hear`.
        """

    def finish(self) -> None:
        """Start no more games; let the running ones finish."""

    def abandon(self) -> None:
        """Stop the running games at once; they are not recorded."""

    def close(self) -> None:
        """Let go of what was needed to play."""
