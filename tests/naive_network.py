"""The network as plain arithmetic on whole numbers, from the classes of the empty cells alone."""

import struct
import zlib
from collections.abc import Mapping
from functools import cache

from pbrain.core.params import CellClass

CHANNELS, HIDDEN = 16, 32
CLASSES = 39
THREAT_BITS = (1, 1, 2, 1, 1, 1, 2, 1, 2)


PARTS = {
    "rows": CLASSES * CLASSES * CHANNELS,
    "threat_rows": 4096 * CHANNELS,
    "hidden_weights": 2 * CHANNELS * HIDDEN,
    "hidden_biases": 2 * HIDDEN,
    "output_weights": HIDDEN,
    "output_bias": 2,
}


def parts_of(file: bytes) -> dict[str, bytes]:
    """The numbers of a network's file, which follow its header."""
    data, parts = zlib.decompress(file[file.index(b"\n\n") + 2 :]), {}
    for name, count in PARTS.items():
        parts[name], data = data[: 2 * count], data[2 * count :]
    assert not data
    return parts


@cache
def numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 2}h", data)


def in_16_bits(sums: list[int]) -> list[int]:
    """Numbers that are too large or too small for 16 bits become the largest or the least."""
    if min(sums) >= -32768 and max(sums) <= 32767:
        return sums
    return [max(-32768, min(number, 32767)) for number in sums]


def total(pairs: list[tuple[str, str]], rows: tuple[int, ...]) -> list[int]:
    """The sum of the rows of some pairs of classes."""
    sums = [0] * CHANNELS
    for mine, theirs in pairs:
        at = (CellClass[mine] * CLASSES + CellClass[theirs]) * CHANNELS
        sums = [number + rows[at + i] for i, number in enumerate(sums)]
    return sums


def network_value(
    mine: dict[tuple[int, int], str],
    theirs: dict[tuple[int, int], str],
    threats: tuple[int, ...],
    to_move: int,
    parts: Mapping[str, bytes],
) -> int:
    """What the network adds for the side to move: its classes, the other side's, and the counts of threats."""
    of = {name: numbers(data) for name, data in parts.items()}
    index = 0
    for count, bits in zip(threats, THREAT_BITS, strict=True):
        index = index * 2**bits + count
    own = total([(name, theirs[cell]) for cell, name in mine.items()], of["rows"])
    own = [number + of["threat_rows"][index * CHANNELS + i] for i, number in enumerate(own)]
    opposing = total([(theirs[cell], name) for cell, name in mine.items()], of["rows"])
    hidden = list(of["hidden_biases"][to_move * HIDDEN :][:HIDDEN])
    for i, number in enumerate(in_16_bits(own + opposing)):
        weights = of["hidden_weights"][i * HIDDEN :][:HIDDEN]
        hidden = in_16_bits([h + number * weight // 65536 for h, weight in zip(hidden, weights, strict=True)])
    low, high = of["output_bias"]
    out = high * 65536 + low % 65536
    out += sum(max(h, 0) * weight for h, weight in zip(hidden, of["output_weights"], strict=True))
    return out // 4096
