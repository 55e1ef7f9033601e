"""Plays and referees one game between two brains; no claim of a brain is trusted."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event

from tournament.core.adjudication import NEVER, Adjudication, adjudicated
from tournament.core.model import BLACK, WHITE, Board, GamePlan, GameRecord, Move, PlayedMove, Termination
from tournament.core.rules import Outcome, Position
from tournament.play.driver import Answer, Driver, FaultError, SideFaultError, blamed_on
from tournament.play.managers import with_draws
from tournament.play.swap2 import negotiate

SIGNAL_WITHIN_S = 0.5  # the thread that handles signals looks for them five times a second

Progress = Callable[[GamePlan, Sequence[Move], int, float | None], None]  # plan, stones, colour to move, its time left


class Interruption(Exception):  # noqa: N818
    """The game is abandoned and not recorded."""


def play_game(
    plan: GamePlan,
    board: Board,
    drivers: tuple[Driver, Driver],
    progress: Progress,
    is_abandoned: Event,
    adjudication: Adjudication = NEVER,
    is_swap2: bool = False,
) -> GameRecord:
    """Play a game to its end, whatever the brains do; `drivers` are black's and white's.

    With Swap2, black places the first three stones; the record holds the colours finally chosen.
    """
    game = Game(plan, board, drivers, is_abandoned)
    try:
        game.start()
        if is_swap2:
            game.choose_colours()
        return game.play(progress, adjudication)
    except SideFaultError as fault:
        return game.lost(fault.colour, fault)


class Game:
    """A game in progress."""

    def __init__(self, plan: GamePlan, board: Board, drivers: tuple[Driver, Driver], is_abandoned: Event) -> None:
        self._plan, self._board, self._drivers, self._is_abandoned = plan, board, drivers, is_abandoned
        self._moves: list[PlayedMove] = []
        self._started_at, self._began = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
        self._known_warnings = {driver: len(driver.warnings) for driver in drivers}

    def start(self) -> None:
        for colour, driver in enumerate(self._drivers):
            with blamed_on(colour):
                driver.start_game(self._board)

    def choose_colours(self) -> None:
        """Let the brains choose opening and colours by Swap2."""
        opening, are_swapped = negotiate(self._board, self._drivers)
        black, white = self._plan.black, self._plan.white
        if are_swapped:
            black, white, self._drivers = white, black, (self._drivers[WHITE], self._drivers[BLACK])
        self._plan = replace(self._plan, black=black, white=white, opening=opening)

    def play(self, progress: Progress, adjudication: Adjudication) -> GameRecord:
        """Ask for moves until the game is decided on the board or by adjudication."""
        opening = self._plan.opening.moves
        position, stones = Position(self._board, opening), list(opening)
        adjudication = with_draws(self._drivers[BLACK].manager, adjudication, self._board, len(opening))
        while True:
            decision = adjudicated(self._moves, len(opening) % 2, adjudication)
            if decision is not None:
                return self._finished(*decision)
            colour = position.to_move
            driver = self._drivers[colour]
            progress(self._plan, stones, colour, driver.left_ms)
            with blamed_on(colour):
                answer = driver.ask(stones, colour, is_first=len(self._moves) < 2)
                outcome = self._make(position, answer)
            stones.append(answer.move)
            if outcome is Outcome.WINS:
                return self._finished(colour, Termination.FIVE)
            if outcome is Outcome.FULL:
                return self._finished(None, Termination.DRAW_FULL)
            if outcome is Outcome.NO_MOVE:
                return self._finished(None, Termination.DRAW_NO_MOVE)

    def _make(self, position: Position, answer: Answer) -> Outcome:
        """Make a move and say what it leads to; one on a forbidden point is recorded too."""
        if self._is_abandoned.is_set():
            raise Interruption
        (x, y), reason = answer.move, position.why_illegal(answer.move)
        if reason is not None:
            raise FaultError(Termination.ILLEGAL, reason)
        self._moves.append(PlayedMove(x, y, round(answer.ms, 3), answer.said))
        outcome = position.outcome_of(answer.move)
        if outcome is Outcome.FOUL:
            foul = position.foul_of(answer.move)
            assert foul is not None
            raise FaultError(Termination.FOUL, f"{x},{y} is {foul.value}, which is forbidden to black")
        position.stones[answer.move] = position.to_move
        return outcome

    def lost(self, colour: int, fault: FaultError) -> GameRecord:
        """The record of a game that a side lost by a fault; Interruption if the brain was killed by the runner.

        Who ends all processes at once, as a batch system does or Windows' Ctrl-Break, may reach the brain first.
        """
        is_exit = fault.termination in (Termination.CRASH, Termination.START_FAILED)
        if self._is_abandoned.wait(SIGNAL_WITHIN_S if is_exit else 0):
            raise Interruption
        driver = self._drivers[colour]
        log = [] if driver.log is None else [f"full log: {driver.log.home}"]
        detail = "\n".join([f"{driver.spec.name} {fault.termination.value}: {fault}", *driver.tail, *log])
        for one in self._drivers:
            if one.log is not None:
                one.log.keep()
        driver.abandon()
        return self._finished(1 - colour, fault.termination, detail)

    def _finished(self, winner: int | None, termination: Termination, detail: str = "") -> GameRecord:
        """Let the brains end the game, and record it."""
        for driver in self._drivers:
            driver.end_game()
        warnings = [
            f"{driver.spec.name} {warning}"
            for driver in self._drivers
            for warning in driver.warnings[self._known_warnings[driver] :]
        ]
        black, white = self._drivers
        return GameRecord(
            self._plan,
            self._board,
            tuple(self._moves),
            winner,
            termination,
            detail,
            tuple(warnings),
            self._started_at,
            round(time.perf_counter() - self._began, 3),
            (black.start_ms, white.start_ms),
            (black.peak_memory, white.peak_memory),
        )
