"""Puts one opening to the test: the brain's own score first, then games of the brain against itself."""

from dataclasses import replace
from threading import Event

from tournament.book.trials import Demands, Trial
from tournament.core.adjudication import score_in
from tournament.core.failures import RunnerError
from tournament.core.model import Board, BrainSpec, GamePlan, GameRecord, Limits, Opening
from tournament.play.driver import Driver, FaultError
from tournament.play.game import Interruption, play_game

VARIETY = 0.2  # of its limits, by which each game exceeds the one before; else a deterministic brain repeats itself
CERTAIN = 1e9  # a proven win or loss, as a number that JSON has
NAMES = ("first", "second")


def scaled(limits: Limits, factor: float) -> Limits:
    """Limits with more nodes or, where there is no limit of nodes, more time."""
    if limits.nodes is not None:
        return replace(limits, nodes=round(limits.nodes * factor))
    return replace(limits, turn_ms=None if limits.turn_ms is None else round(limits.turn_ms * factor))


class Examiner:
    """Two processes of one brain, for one opening after the other."""

    def __init__(self, spec: BrainSpec, board: Board, demands: Demands, judging: float, is_abandoned: Event) -> None:
        self._spec, self._board, self._demands, self._judging = spec, board, demands, judging
        self._is_abandoned = is_abandoned
        self.has_heard_score = False
        self.drivers = (Driver(replace(spec, name=NAMES[0])), Driver(replace(spec, name=NAMES[1])))

    def examine(self, number: int, opening: Opening) -> Trial:
        """As many games as it takes to know whether the opening is balanced."""
        trial = Trial(number, self._score(opening))
        while not trial.has_failed(self._demands) and not trial.has_passed(self._demands):
            record = self._play(opening, len(trial.points))
            trial = replace(trial, points=(*trial.points, record.score_of_black))
        return trial

    def _score(self, opening: Opening) -> float:
        """The score of the side to move."""
        driver, colour = self.drivers[0], len(opening.moves) % 2
        driver.spec = replace(driver.spec, limits=scaled(self._spec.limits, self._judging))
        try:
            driver.start_game(self._board)
            said = driver.ask(list(opening.moves), colour, is_first=True).said
        except FaultError as fault:
            if self._is_abandoned.is_set():
                raise Interruption from fault
            raise RunnerError(f"the brain {fault.termination.value}: {fault}") from fault
        score = score_in(said)
        if score is None:  # a forced move needs no thinking, and such an opening is none
            return CERTAIN
        self.has_heard_score = True
        return max(-CERTAIN, min(CERTAIN, score))

    def _play(self, opening: Opening, game: int) -> GameRecord:
        for driver in self.drivers:
            driver.spec = replace(driver.spec, limits=scaled(self._spec.limits, 1 + VARIETY * game))
        plan = GamePlan(game + 1, 1, *NAMES, opening)
        record = play_game(plan, self._board, self.drivers, lambda *_: None, self._is_abandoned)
        if record.termination.is_fault:
            raise RunnerError(f"a game cannot be counted: {record.detail}")
        return record
