"""Swap2: one brain places three stones; the other chooses a colour, or adds two stones and lets the first choose."""

from tournament.core.model import BLACK, WHITE, Board, Move, Opening, Termination
from tournament.core.rules import Position
from tournament.play.driver import Driver, FaultError, blamed_on


def negotiate(board: Board, drivers: tuple[Driver, Driver]) -> tuple[Opening, bool]:
    """The opening the brains chose, and whether they swapped colours.

    Black's driver proposes and white's answers. White is to move after three stones and after five. So the brain that
    answers with one stone plays white, and the brain that answers SWAP plays black.
    """
    stones = asked(board, drivers, BLACK, [], (3,))
    assert stones is not None
    answer = asked(board, drivers, WHITE, list(stones), (1, 2))
    if answer is None:
        return Opening("swap2", stones), True
    stones += answer
    if len(answer) == 1:
        return Opening("swap2", stones), False
    last = asked(board, drivers, BLACK, list(stones), (1,))
    return Opening("swap2", stones + (last or ())), last is not None


def asked(
    board: Board, drivers: tuple[Driver, Driver], colour: int, stones: list[Move], numbers: tuple[int, ...]
) -> tuple[Move, ...] | None:
    """A validated answer to SWAP2BOARD: stones on empty cells, as many as `numbers` allows, or None for SWAP."""
    with blamed_on(colour):
        answer = drivers[colour].ask_swap2(stones)
        if answer is None:
            if not stones:
                raise FaultError(Termination.ILLEGAL, "answered SWAP instead of placing three stones")
            return None
        if len(answer) not in numbers:
            wanted = " or ".join(map(str, numbers))
            raise FaultError(Termination.ILLEGAL, f"placed {len(answer)} stones in Swap2 instead of {wanted}")
        position = Position(board, stones)
        for move in answer:
            reason = position.why_illegal(move)
            if reason is not None:
                raise FaultError(Termination.ILLEGAL, f"{reason} (in Swap2)")
            position.stones[move] = position.to_move
    return answer
