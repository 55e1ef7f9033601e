"""The evaluation as data: what an empty cell is worth, by what a stone there would make for each side.

The value of a position is a sum over its empty cells, each looked up by its pair of classes: the side to move's and
the other's; and one number more for what both sides threaten as a whole (`params.THREAT_COUNTS`). These were learned
for each family of rules (`python -m pbrain tune`), and are in `values/NAME.tsv`. What learning begins with is made by
hand: a cell adds what its class is worth to the side to move in `worth.tsv`, and takes off what its other class is
worth to the other side. The order in which moves are tried first follows `worth.tsv` for every rule.
"""

from array import array
from pathlib import Path
from typing import NamedTuple

from pbrain.core.params import CLASS_STRIDE, THREAT_COUNTS, THREAT_INDICES, CellClass
from pbrain.core.types import Rule

FOLDER = Path(__file__).parent / "values"
WORTH = FOLDER / "worth.tsv"
FAMILIES = {
    Rule.FREESTYLE: "freestyle",
    Rule.EXACT_FIVE: "exact_five",
    Rule.RENJU: "renju",
    Rule.CARO: "caro",
    Rule.CARO_EXACT_FIVE: "caro",
}
THREATS = "THREATS"  # begins a line of threat indices: the counts of the other side's, then the worth for each of mine
THREATS_A_LINE = 1 << sum(what.bits for what in THREAT_COUNTS if what.is_mine)

# Taking a cell from the other side counts for nearly as much as having it.
DEFENCE_OF_EIGHT = 7

Worth = dict[CellClass, tuple[int, int]]
Cells = list[list[int]]  # [class for the side to move][class for the other side]


class Values(NamedTuple):
    cells: Cells
    threats: list[int]  # by threat index


def _lines(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _rows(path: Path, lines: list[list[str]]) -> dict[CellClass, list[int]]:
    """A table's lines: a class and its numbers."""
    rows = {CellClass[name]: [int(number) for number in numbers] for name, *numbers in lines}
    missing = [kind.name for kind in CellClass if kind not in rows]
    if missing:
        raise ValueError(f"{path} has no line for {', '.join(missing)}")
    return rows


def read_worth(path: Path = WORTH) -> Worth:
    """Class -> (worth to the side to move, worth to the other side)."""
    return {kind: (mine, theirs) for kind, (mine, theirs) in _rows(path, _lines(path)).items()}


def threat_counts(index: int) -> list[int]:
    """What a threat index is made of."""
    counts = []
    for what in reversed(THREAT_COUNTS):
        counts.append(index & (1 << what.bits) - 1)
        index >>= what.bits
    return counts[::-1]


def read_values(path: Path) -> Values:
    """Written by `python -m pbrain tune`."""
    lines = _lines(path)
    rows = _rows(path, [line for line in lines if line[0] != THREATS])
    threats = [int(number) for line in lines if line[0] == THREATS for number in line[-THREATS_A_LINE:]]
    if len(threats) != THREAT_INDICES:
        raise ValueError(f"{path} has {len(threats)} values of threats, not {THREAT_INDICES}")
    return Values([rows[kind] for kind in CellClass], threats)


def hand_made(worth: Worth) -> Values:
    cells = [[worth[mine][0] - worth[theirs][1] for theirs in CellClass] for mine in CellClass]
    return Values(cells, [0] * THREAT_INDICES)


def values_for(rule: Rule) -> Values:
    return read_values(FOLDER / f"{FAMILIES[rule]}.tsv")


def orders(worth: Worth) -> Cells:
    """The first guess at a move: what the cell is worth to both, as the side to move would have it."""
    return [[worth[mine][0] + worth[theirs][0] * DEFENCE_OF_EIGHT // 8 for theirs in CellClass] for mine in CellClass]


def packed(cells: Cells) -> bytes:
    """As the kernel looks them up: `mine * CLASS_STRIDE + theirs`, 16 bits each."""
    padding = [0] * (CLASS_STRIDE - len(cells))
    flat = array("h", [value for row in cells for value in row + padding])
    return flat.tobytes() + bytes(2 * CLASS_STRIDE * len(padding))
