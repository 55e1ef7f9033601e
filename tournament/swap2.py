"""Swap2: one brain puts three stones, the other chooses a side, or adds two stones and lets the first choose."""

from tournament.driver import Driver, FaultError
from tournament.model import BLACK, WHITE, Board, Move, Opening, Termination
from tournament.rules import Position


class SwapFaultError(FaultError):
    """A fault of one side while colours were being chosen."""

    def __init__(self, colour: int, fault: FaultError) -> None:
        super().__init__(fault.termination, str(fault))
        self.colour = colour


def negotiate(board: Board, drivers: tuple[Driver, Driver]) -> tuple[Opening, bool]:
    """The stones that the brains agreed on, and whether they changed sides.

    Black's driver proposes and white's answers. White is to move after three stones and after five, so whoever plays
    on with a stone is white, and whoever says SWAP is black.
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
    """A brain's answer to SWAP2BOARD, checked: so many stones on free cells, or None for SWAP where that is allowed."""
    try:
        answer = drivers[colour].ask_swap2(stones)
        if answer is None:
            if not stones:
                raise FaultError(Termination.ILLEGAL, "answered SWAP where three stones are to be put")
            return None
        if len(answer) not in numbers:
            wanted = " or ".join(map(str, numbers))
            raise FaultError(Termination.ILLEGAL, f"put {len(answer)} stones in Swap2 where {wanted} were asked for")
        position = Position(board, stones)
        for move in answer:
            reason = position.why_illegal(move)
            if reason is not None:
                raise FaultError(Termination.ILLEGAL, f"{reason} (in Swap2)")
            position.stones[move] = position.to_move
    except FaultError as fault:
        raise SwapFaultError(colour, fault) from fault
    return answer
