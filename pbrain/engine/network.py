"""The network of a rule as data: whole numbers, as the kernel reads them, in a file of their own.

A file begins with lines `name: value`: its version, its rule, how it was learned, and the match that admitted it.
After an empty line come the numbers, 16 bits each, compressed by zlib, which adds a checksum:

    rows           a row for each pair of classes, the viewer's class first: CHANNELS numbers
    threat rows    a row for each threat index
    hidden         a row of HIDDEN weights for each input: the side to move's sums, then the opponent's
    biases         of the hidden layer, for black to move and for white
    output         a weight for each hidden unit, then the bias, as two halves of 32 bits, the low one first
"""

import zlib
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pbrain.core.params import CHANNELS, CLASS_STRIDE, HIDDEN, THREAT_INDICES, CellClass

VERSION = "1"
CLASSES = len(CellClass)
NUMBER_BYTES = 2
MAX_HEADER = 4096

# The parts of the numbers, in their order, and how many there are of each.
SIZES = {
    "rows": CLASSES * CLASSES * CHANNELS,
    "threat_rows": THREAT_INDICES * CHANNELS,
    "hidden_weights": 2 * CHANNELS * HIDDEN,
    "hidden_biases": 2 * HIDDEN,
    "output_weights": HIDDEN,
    "output_bias": 2,
}


class NetworkError(ValueError):
    """The file holds no network that can be used; the message is one sentence."""


class Network(NamedTuple):
    """The numbers as little-endian bytes, and what the file says about them."""

    parts: Mapping[str, bytes]
    about: Mapping[str, str]


def read_network(path: Path, family: str) -> Network:
    """The network of a family of rules."""
    head, _, packed = path.read_bytes().partition(b"\n\n")
    about = _header(path, head)
    for name, wanted in (("kaname network", VERSION), ("rule", family)):
        if about.get(name) != wanted:
            raise NetworkError(f"{path} is not a network of {name} {wanted}, but of {about.get(name, 'none')}")
    try:
        numbers = zlib.decompress(packed)
    except zlib.error as error:
        raise NetworkError(f"{path} is damaged: {error}") from error
    if len(numbers) != NUMBER_BYTES * sum(SIZES.values()):
        raise NetworkError(f"{path} has {len(numbers)} bytes of numbers, not {NUMBER_BYTES * sum(SIZES.values())}")
    parts, begin = {}, 0
    for name, size in SIZES.items():
        end = begin + NUMBER_BYTES * size
        parts[name], begin = numbers[begin:end], end
    return Network(parts, about)


def _header(path: Path, head: bytes) -> dict[str, str]:
    try:
        lines = head[:MAX_HEADER].decode("utf-8").splitlines()
        return dict(line.split(": ", 1) for line in lines)
    except ValueError as error:
        raise NetworkError(f"{path} is not a network: it does not begin with lines 'name: value'") from error


def network_bytes(network: Network, family: str) -> bytes:
    """The file of a network."""
    about = {"kaname network": VERSION, "rule": family, **network.about}
    head = "".join(f"{name}: {value}\n" for name, value in about.items())
    return head.encode("utf-8") + b"\n" + zlib.compress(b"".join(network.parts[name] for name in SIZES), 9)


def rows_for_both(rows: bytes) -> bytes:
    """The rows as the kernel looks them up by (black's class, white's): black's view, then white's.

    A cell that is taken counts for nothing.
    """
    size = NUMBER_BYTES * CHANNELS
    places = range(CLASSES)
    row = {(mine, theirs): rows[(mine * CLASSES + theirs) * size :][:size] for mine in places for theirs in places}
    row[CellClass.TAKEN, CellClass.TAKEN] = bytes(size)
    gap = bytes(2 * size * (CLASS_STRIDE - CLASSES))
    lines = (b"".join(row[black, white] + row[white, black] for white in places) + gap for black in places)
    return b"".join(lines) + bytes(2 * size * CLASS_STRIDE * (CLASS_STRIDE - CLASSES))


def kernel_network(network: Network | None) -> dict[str, bytes]:
    """What the network's fields of the kernel's TABLES hold; without one, nothing is added to the tables' value."""
    if network is None:
        return {"has_network": bytes(8)}
    parts = network.parts
    low, high = array("H", parts["output_bias"])
    bias = (low | high << 16) - (high >> 15 << 32)
    wide = {"rows": rows_for_both(parts["rows"]), "output_bias": bias.to_bytes(8, "little", signed=True)}
    return {**parts, **wide, "has_network": (1).to_bytes(8, "little")}
