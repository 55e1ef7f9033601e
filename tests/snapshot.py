"""The state of an engine as plain values, to compare with the slow twins."""

from pbrain.core.params import CELLS, MARGIN, CellClass
from pbrain.engine.engine import Engine, cell_at
from pbrain.library.native import State
from tests.naive import Board, Cell

COLOURS = "XO"


def state_bytes(engine: Engine) -> bytes:
    """The position, to the last byte; the network's scratch, which follows, is no part of it."""
    return bytes(engine._state)[: State.summed.offset]


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


def counts(engine: Engine, colour: int) -> dict[str, int]:
    values = list(engine._state.counts[colour])
    assert not any(values[max(CellClass) + 1 :])
    return {kind.name: values[kind] for kind in CellClass if values[kind]}


def candidates(engine: Engine) -> set[Cell]:
    """Empty cells near a stone."""
    width, height = engine.size
    rows = [near & empty for near, empty in zip(engine._state.near, engine._state.empty, strict=True)]
    return {(x, y) for y in range(height) for x in range(width) if rows[y + MARGIN] >> (x + MARGIN) & 1}
