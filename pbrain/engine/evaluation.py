"""The evaluation as data: what an empty cell is worth, given what a stone there would make for each side.

The value of a position is a sum over its empty cells. Each is looked up by its pair of classes, one for the side to
move and one for the opponent. One more number stands for the threats of both sides (`params.THREAT_COUNTS`). These
values are learned for each family of rules (`python -m pbrain tune`) and kept in `values/NAME.tsv`. Learning starts
from values made by hand: a cell counts what its class is worth to the side to move, in `worth.tsv`, less what its
class for the opponent is worth to the opponent. The initial move order follows `worth.tsv` for every rule.
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
THREATS = "THREATS"  # begins a line of threat values: the opponent's counts, then a value for each of mine
THREATS_PER_LINE = 1 << sum(what.bits for what in THREAT_COUNTS if what.is_mine)

# Taking a cell from the opponent counts for nearly as much as having it: so many eighths.
DEFENCE_EIGHTHS = 7

Worth = dict[CellClass, tuple[int, int]]
Cells = list[list[int]]  # [class for the side to move][class for the opponent]


class Values(NamedTuple):
    cells: Cells
    threats: list[int]  # by threat index


def _lines(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _rows(path: Path, lines: list[list[str]]) -> dict[CellClass, list[int]]:
    """The lines of a table: a class and its numbers."""
    rows = {CellClass[name]: [int(number) for number in numbers] for name, *numbers in lines}
    missing = [kind.name for kind in CellClass if kind not in rows]
    if missing:
        raise ValueError(f"{path} has no line for {', '.join(missing)}")
    return rows


def read_worth(path: Path = WORTH) -> Worth:
    """Class -> (worth to the side to move, worth to the opponent)."""
    return {kind: (mine, opponents) for kind, (mine, opponents) in _rows(path, _lines(path)).items()}


def threat_counts(index: int) -> list[int]:
    """The counts that a threat index encodes."""
    counts = []
    for what in reversed(THREAT_COUNTS):
        counts.append(index & (1 << what.bits) - 1)
        index >>= what.bits
    return counts[::-1]


def read_values(path: Path) -> Values:
    """The values in a file that `python -m pbrain tune` has written."""
    lines = _lines(path)
    rows = _rows(path, [line for line in lines if line[0] != THREATS])
    threats = [int(number) for line in lines if line[0] == THREATS for number in line[-THREATS_PER_LINE:]]
    if len(threats) != THREAT_INDICES:
        raise ValueError(f"{path} has {len(threats)} values of threats, not {THREAT_INDICES}")
    return Values([rows[kind] for kind in CellClass], threats)


def hand_made(worth: Worth) -> Values:
    cells = [[worth[mine][0] - worth[opponents][1] for opponents in CellClass] for mine in CellClass]
    return Values(cells, [0] * THREAT_INDICES)


def values_for(rule: Rule) -> Values:
    return read_values(FOLDER / f"{FAMILIES[rule]}.tsv")


def orders(worth: Worth) -> Cells:
    """The initial move order: what a cell is worth to both sides, each as if it were to move."""
    return [
        [worth[mine][0] + worth[opponents][0] * DEFENCE_EIGHTHS // 8 for opponents in CellClass] for mine in CellClass
    ]


def packed(cells: Cells) -> bytes:
    """Values of 16 bits as the kernel looks them up, at `mine * CLASS_STRIDE + opponents`."""
    padding = [0] * (CLASS_STRIDE - len(cells))
    flat = array("h", [value for row in cells for value in row + padding])
    return flat.tobytes() + bytes(2 * CLASS_STRIDE * len(padding))
