"""Before the first game: whether the brain takes the parameters at all."""

from tournament.core.model import Board, BrainSpec
from tournament.event.event import PreflightError
from tournament.play.driver import Driver, FaultError
from tournament.spsa.parameters import Parameter

REFUSALS = ("ERROR", "UNKNOWN")


def remarks_of(spec: BrainSpec, board: Board, parameters: tuple[Parameter, ...]) -> list[str]:
    """Set each parameter in a brain that is started for this, and return what it says about them.

    PreflightError if it cannot be started, or refuses one. No protocol makes a brain say that it does not know a name,
    so silence proves nothing.
    """
    driver, remarks = Driver(spec), []
    try:
        driver.try_start(board)
        driver.comments_on()  # on the limits
        for each in parameters:
            for comment in driver.comments_on(f"INFO {each.name} {each.start}"):
                if comment.upper().startswith(REFUSALS):
                    raise PreflightError(f"{spec.name} cannot be tuned by {each.name}: it says {comment!r}")
                if each.name.lower() in comment.lower():
                    remarks.append(f"{spec.name} says of {each.name}: {comment}")
        driver.close()
    except FaultError as fault:
        dialogue = "\n".join(f"  {line}" for line in driver.tail)
        raise PreflightError(f"{spec.name} cannot be tuned: {fault}\n{dialogue}".rstrip()) from fault
    finally:
        driver.abandon()
    return remarks
