"""Plays and referees one game between two brains; no claim of a brain is trusted."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event

from tournament.core.adjudication import NEVER, Adjudication, adjudicated
from tournament.core.model import BLACK, WHITE, Board, GamePlan, GameRecord, PlayedMove, Termination
from tournament.core.rules import Outcome, Position
from tournament.play.driver import Driver, FaultError
from tournament.play.managers import with_draws
from tournament.play.swap2 import SwapFaultError, negotiate

Progress = Callable[[GamePlan, int, int, float | None], None]  # plan, ply, colour to move, its time left


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
    started_at, began = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    moves: list[PlayedMove] = []
    warnings_before = {driver: len(driver.warnings) for driver in drivers}

    def record(winner: int | None, termination: Termination, detail: str = "") -> GameRecord:
        warnings = [
            f"{driver.spec.name} {warning}"
            for driver in drivers
            for warning in driver.warnings[warnings_before[driver] :]
        ]
        seconds = time.perf_counter() - began
        return GameRecord(
            plan,
            board,
            tuple(moves),
            winner,
            termination,
            detail,
            tuple(warnings),
            started_at,
            round(seconds, 3),
            (drivers[BLACK].start_ms, drivers[WHITE].start_ms),
            (drivers[BLACK].peak_memory, drivers[WHITE].peak_memory),
        )

    def lost(colour: int, fault: FaultError) -> GameRecord:
        if is_abandoned.is_set():
            raise Interruption
        driver = drivers[colour]
        log = [] if driver.log is None else [f"full log: {driver.log}"]
        detail = "\n".join([f"{driver.spec.name} {fault.termination.value}: {fault}", *driver.tail, *log])
        driver.abandon()
        for one in drivers:
            one.end_game()
        return record(1 - colour, fault.termination, detail)

    for colour, driver in enumerate(drivers):
        try:
            driver.start_game(board)
        except FaultError as fault:
            return lost(colour, fault)

    if is_swap2:
        try:
            opening, are_swapped = negotiate(board, drivers)
        except SwapFaultError as swap_fault:
            return lost(swap_fault.colour, swap_fault)
        black, white = (plan.white, plan.black) if are_swapped else (plan.black, plan.white)
        plan = replace(plan, black=black, white=white, opening=opening)
        drivers = (drivers[WHITE], drivers[BLACK]) if are_swapped else drivers
    adjudication = with_draws(drivers[BLACK].manager, adjudication, board, len(plan.opening.moves))
    position = Position(board, plan.opening.moves)
    stones = list(plan.opening.moves)
    has_asked = [False, False]
    while True:
        colour = position.to_move
        decision = adjudicated(moves, len(plan.opening.moves) % 2, adjudication)
        if decision is not None:
            return finish(drivers, record, *decision)
        progress(plan, len(stones), colour, drivers[colour].left_ms)
        try:
            answer = drivers[colour].ask(stones, colour, is_first=not has_asked[colour])
        except FaultError as fault:
            return lost(colour, fault)
        if is_abandoned.is_set():
            raise Interruption
        has_asked[colour] = True
        x, y = answer.move
        reason = position.why_illegal(answer.move)
        if reason is not None:
            return lost(colour, FaultError(Termination.ILLEGAL, reason))
        outcome = position.outcome_of(answer.move)
        if outcome is Outcome.FOUL:
            foul = position.foul_of(answer.move)
            assert foul is not None
            moves.append(PlayedMove(x, y, round(answer.ms, 3), answer.said))
            return lost(colour, FaultError(Termination.FOUL, f"{x},{y} is {foul.value}, which is forbidden to black"))
        moves.append(PlayedMove(x, y, round(answer.ms, 3), answer.said))
        position.stones[answer.move] = colour
        stones.append(answer.move)
        if outcome is Outcome.WINS:
            return finish(drivers, record, colour, Termination.FIVE)
        if outcome is Outcome.FULL:
            return finish(drivers, record, None, Termination.DRAW_FULL)


def finish(
    drivers: tuple[Driver, Driver],
    record: Callable[[int | None, Termination], GameRecord],
    winner: int | None,
    termination: Termination,
) -> GameRecord:
    for driver in drivers:
        driver.end_game()
    return record(winner, termination)
