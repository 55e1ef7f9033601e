"""Before the first pair: whether the brain takes the parameters, and whether they make a difference."""

from collections.abc import Callable, Sequence
from threading import Event

from tournament.core.adjudication import NEVER, Adjudication
from tournament.core.model import Board, BrainSpec, Opening
from tournament.event.executor import PreflightError
from tournament.play.driver import Driver, FaultError
from tournament.play.held import HeldDrivers
from tournament.spsa.parameters import Parameter
from tournament.spsa.player import FaultyPairError, Pair, Player

REFUSALS = ("ERROR", "UNKNOWN")
# Most parameters show in a few moves, which cost a tenth of a pair; the others have these whole pairs to do so.
TRIALS = (Adjudication(draw_after=8), NEVER, NEVER, NEVER)


def remarks_of(spec: BrainSpec, board: Board, parameters: Sequence[Parameter]) -> list[str]:
    """Set each parameter in a brain that is started for this, and return what it says about them.

    PreflightError if it cannot be started, or refuses one.
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


def check_effects(
    spec: BrainSpec,
    board: Board,
    parameters: Sequence[Parameter],
    openings: Sequence[Opening],
    tell: Callable[[str], None],
) -> None:
    """Play with both ends of each range; PreflightError if the brain cannot, or if its games are the same.

    INFO is never answered, so this is how a misspelt name is found out: it would drift for a night. Games that are
    limited by time differ anyway, and prove only that the brain survives.
    """
    names = tuple(each.name for each in parameters)
    player = Player(spec, names, board, Event())
    idle = []
    with HeldDrivers().holding(player.drivers):
        for i, each in enumerate(parameters):
            tell(f"trying {each.name} at {each.low} and {each.high}")
            starts = [other.start for other in parameters]
            settings = [(*starts[:i], end, *starts[i + 1 :]) for end in (each.low, each.high)]
            trials = zip(TRIALS, (openings[0], *openings), strict=False)
            try:
                pairs = (player.play((settings[0], settings[1]), opening, how) for how, opening in trials)
                if all(is_repeated(pair) for pair in pairs):
                    idle.append(each.name)
            except FaultyPairError as fault:
                raise PreflightError(f"{fault}; the range of {each.name} is too wide\n{fault.dialogue}") from fault
    if idle:
        raise PreflightError(
            f"{spec.name} plays the same games at both ends of the range of {', '.join(idle)}: it does not know the "
            "name, or nothing changes at these limits"
        )


def is_repeated(pair: Pair) -> bool:
    """Whether both games are the same, move by move."""
    one, other = ([(move.x, move.y) for move in record.moves] for record in pair)
    return one == other
