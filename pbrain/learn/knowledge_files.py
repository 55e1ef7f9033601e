"""What was learned as files, in the layout of `pbrain/engine/values`, and as bytes for workers."""

import pickle
import zlib
from pathlib import Path

from pbrain.core.params import THREAT_COUNTS, THREAT_INDICES, CellClass
from pbrain.core.types import Rule
from pbrain.engine.evaluation import (
    FAMILIES,
    NEAR,
    THREATS,
    THREATS_PER_LINE,
    Knowledge,
    Order,
    Values,
    network_path,
    order_path,
    threat_counts,
    values_path,
)
from pbrain.engine.network import network_bytes
from pbrain.learn.whole_file import write_whole

HEADER = """\
# What an empty cell is worth to the side to move: a row for each class that it has for this side, a column for each
# class that it has for the other side, both in the order of CellClass. Then what threats are worth to it: a row for
# each of the other side's counts of params.THREAT_COUNTS, a column for each of its own. See `python -m pbrain learn`.
"""
ORDER_HEADER = """\
# How soon to try a move: a row for each class that its cell has for the side to move, a column for each class that it
# has for the other side, both in the order of CellClass. Then what is added for its place beside the last move of the
# other side (NEAR 0) and of its own (NEAR 1): a row for each number of columns off, a column for each of rows off.
"""

Rows = list[list[str | int]]


def values_text(values: Values) -> str:
    rows: Rows = [[kind.name, *values.cells[kind]] for kind in CellClass]
    for first in range(0, THREAT_INDICES, THREATS_PER_LINE):
        theirs = [count for count, what in zip(threat_counts(first), THREAT_COUNTS, strict=True) if not what.is_mine]
        rows.append([THREATS, *theirs, *values.threats[first : first + THREATS_PER_LINE]])
    return HEADER + lines_of(rows)


def order_text(order: Order) -> str:
    rows: Rows = [[kind.name, *order.cells[kind]] for kind in CellClass]
    for whose, table in enumerate(order.near):
        rows += [[NEAR, whose, columns, *row] for columns, row in enumerate(table)]
    return ORDER_HEADER + lines_of(rows)


def lines_of(rows: Rows) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def write_knowledge(folder: Path, rule: Rule, knowledge: Knowledge) -> None:
    """Write the files of a rule; `evaluation.knowledge_for` reads them again."""
    family = FAMILIES[rule]
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(values_path(folder, family), values_text(knowledge.values).encode("ascii"))
    write_whole(order_path(folder, family), order_text(knowledge.order).encode("ascii"))
    if knowledge.network is not None:
        write_whole(network_path(folder, family), network_bytes(knowledge.network, family))


def packed_knowledge(knowledge: Knowledge) -> bytes:
    """For workers, about 60 kB."""
    return zlib.compress(pickle.dumps(knowledge), 1)


def unpacked_knowledge(data: bytes) -> Knowledge:
    knowledge = pickle.loads(zlib.decompress(data))
    assert isinstance(knowledge, Knowledge)
    return knowledge
