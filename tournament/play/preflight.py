"""Starts every brain once, before the first game."""

from collections.abc import Callable

from tournament.core.failures import runners_own
from tournament.play.driver import Driver, FaultError
from tournament.play.held import HeldDrivers
from tournament.play.messages import Table


def why_not(table: Table, held: HeldDrivers, is_stopped: Callable[[], bool]) -> str | None:
    """Why a brain cannot take part, with the dialogue so far; None if all can, or if the trial is stopped."""
    for spec in table.specs.values():
        driver = Driver(spec, manager=table.manager)
        with held.holding([driver]):
            if is_stopped():
                return None
            try:
                driver.try_start(table.board)
            except FaultError as fault:
                if is_stopped():
                    return None
                dialogue = "\n".join(f"  {line}" for line in driver.tail)
                return f"{spec.name} cannot take part: {fault}\n{dialogue}".rstrip()
            except OSError as error:
                raise runners_own(error) from error
            driver.close()
    return None
