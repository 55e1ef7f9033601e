"""The state of an engine as plain values, to compare with the slow twins."""

import ctypes

from pbrain.core.params import CELLS, COUNT_BITS, MARGIN, CellClass, Threat
from pbrain.engine.engine import Engine, cell_at
from pbrain.library.native import State
from tests.naive import Board, Cell

COLOURS = "XO"


def state_bytes(engine: Engine) -> bytes:
    """The position, to the last byte, and the undo stacks up to the newest stone."""
    state = engine._state
    frames, trail = bytes(state.frames), bytes(state.trail)
    used_frames = frames[: state.moves * ctypes.sizeof(state.frames[0])]
    return bytes(state)[: State.frames.offset] + used_frames + trail[: state.trail_top * ctypes.sizeof(ctypes.c_uint64)]


def board(engine: Engine) -> Board:
    width, height = engine.size
    stones = bytes(engine._state.stones)
    return [[".XO"[stones[cell_at(x, y)]] for x in range(width)] for y in range(height)]


def classes(engine: Engine, colour: int) -> dict[Cell, str]:
    width, height = engine.size
    values = bytes(engine._state.classes[colour])
    assert len(values) == CELLS
    cells = {(x, y): CellClass(values[cell_at(x, y)]).name for y in range(height) for x in range(width)}
    return {cell: name for cell, name in cells.items() if name != "TAKEN"}


def threats(engine: Engine, colour: int) -> dict[str, int]:
    """How many cells each threat has; the word that holds them has no bit beyond the last one."""
    word = engine._state.threats[colour]
    assert word >> COUNT_BITS * len(Threat) == 0
    return {threat.name: word >> COUNT_BITS * threat & (1 << COUNT_BITS) - 1 for threat in Threat}


def candidates(engine: Engine) -> set[Cell]:
    """Empty cells near a stone."""
    width, height = engine.size
    rows = [near & empty for near, empty in zip(engine._state.near, engine._state.empty, strict=True)]
    return {(x, y) for y in range(height) for x in range(width) if rows[y + MARGIN] >> (x + MARGIN) & 1}
