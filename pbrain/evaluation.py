"""The evaluation as data: what an empty cell is worth, by what a stone there would make for each side.

The value of a position is a sum over its empty cells, each looked up by its pair of classes: the side to move's and
the other's. Where a table was learned for a rule (`python -m pbrain tune`), it is `values/NAME.tsv`; elsewhere a cell
adds what its class is worth to the side to move, by hand in `worth.tsv`, and takes off what its other class is worth to
the other side. The order in which moves are tried first follows `worth.tsv` for every rule.
"""

from array import array
from pathlib import Path

from pbrain.params import CLASS_STRIDE, CellClass
from pbrain.types import Rule

FOLDER = Path(__file__).parent
WORTH = FOLDER / "worth.tsv"
LEARNED = {Rule.FREESTYLE: FOLDER / "values" / "freestyle.tsv"}

# Taking a cell from the other side counts for nearly as much as having it.
DEFENCE_OF_EIGHT = 7

Worth = dict[CellClass, tuple[int, int]]
Values = list[list[int]]  # [class for the side to move][class for the other side]


def _rows(path: Path) -> dict[CellClass, list[int]]:
    """A table's lines: a class and its numbers."""
    rows = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            name, *numbers = line.split("\t")
            rows[CellClass[name]] = [int(number) for number in numbers]
    missing = [kind.name for kind in CellClass if kind not in rows]
    if missing:
        raise ValueError(f"{path} has no line for {', '.join(missing)}")
    return rows


def read_worth(path: Path = WORTH) -> Worth:
    """Class -> (worth to the side to move, worth to the other side)."""
    return {kind: (mine, theirs) for kind, (mine, theirs) in _rows(path).items()}


def read_values(path: Path) -> Values:
    rows = _rows(path)
    return [rows[kind] for kind in CellClass]


def hand_made(worth: Worth) -> Values:
    return [[worth[mine][0] - worth[theirs][1] for theirs in CellClass] for mine in CellClass]


def values_for(rule: Rule) -> Values:
    return read_values(LEARNED[rule]) if rule in LEARNED else hand_made(read_worth())


def orders(worth: Worth) -> Values:
    """The first guess at a move: what the cell is worth to both, as the side to move would have it."""
    return [[worth[mine][0] + worth[theirs][0] * DEFENCE_OF_EIGHT // 8 for theirs in CellClass] for mine in CellClass]


def packed(values: Values) -> bytes:
    """As the kernel looks them up: `mine * CLASS_STRIDE + theirs`, 16 bits each."""
    padding = [0] * (CLASS_STRIDE - len(values))
    cells = array("h", [value for row in values for value in row + padding])
    return cells.tobytes() + bytes(2 * CLASS_STRIDE * len(padding))
