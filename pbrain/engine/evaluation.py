"""What is learned, as data: the evaluation, and the initial order of moves, for each family of rules.

The value of a position is a sum over its empty cells. Each is looked up by its pair of classes (what a stone there
would make), one for the side to move and one for the opponent. One more number stands for the threats of both sides
(`params.THREAT_COUNTS`). The order of moves has a number for each pair of classes too, and more for a cell's place
beside the last move of each side. They are kept in `values/NAME.tsv` and `values/NAME_order.tsv`. Where a family has a
network (`values/NAME.network`), what that says is added to the value. `python -m pbrain learn` learns all three. It can
start from `worth.tsv`, made by hand: what a class is worth to either side. Only learning reads it.
"""

from array import array
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

from pbrain.core.params import CELLS, CLASS_STRIDE, STRIDE, THREAT_COUNTS, THREAT_INDICES, CellClass
from pbrain.core.types import Rule
from pbrain.engine.network import Network, kernel_network, read_network

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

NEAR = "NEAR"  # begins a line of the order: 0 or 1 (whose last move), columns off, then a number for each row off
PLACE_SPAN = 8  # columns and rows off, from 0; cells farther away have 0

# The order made by hand. Taking a cell from the opponent counts for nearly as much as having it: so many eighths.
# Moves within CLOSE king's moves of the opponent's last one come sooner than others, those farther off than FAR later.
DEFENCE_EIGHTHS = 7
CLOSE, FAR = 2, 4
CLOSE_SCORE, MIDDLE_SCORE = 40, 20

Worth = dict[CellClass, tuple[int, int]]
Cells = list[list[int]]  # [class for the side to move][class for the opponent]


class Values(NamedTuple):
    """The evaluation, in units in which an open three to come is worth about 100."""

    cells: Cells
    threats: list[int]  # by threat index


class Order(NamedTuple):
    """How soon to try a move: the sum of three numbers, of which a difference of 60 multiplies the odds by e."""

    cells: Cells
    near: list[Cells]  # [the opponent's last move, the mover's own][columns off][rows off]


class Knowledge(NamedTuple):
    values: Values
    order: Order
    network: Network | None


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


def _square(path: Path, lines: list[list[str]]) -> Cells:
    """A number for each pair of classes."""
    rows = _rows(path, lines)
    for kind, row in rows.items():
        if len(row) != len(CellClass):
            raise ValueError(f"{path} has {len(row)} numbers for {kind.name}, not {len(CellClass)}")
    return [rows[kind] for kind in CellClass]


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
    """The values in a file that `python -m pbrain learn` has written."""
    lines = _lines(path)
    cells = _square(path, [line for line in lines if line[0] != THREATS])
    threats = [int(number) for line in lines if line[0] == THREATS for number in line[-THREATS_PER_LINE:]]
    if len(threats) != THREAT_INDICES:
        raise ValueError(f"{path} has {len(threats)} values of threats, not {THREAT_INDICES}")
    return Values(cells, threats)


def read_order(path: Path) -> Order:
    """The order in a file that `python -m pbrain learn` has written."""
    lines = _lines(path)
    cells = _square(path, [line for line in lines if line[0] != NEAR])
    rows = {tuple(line[1:3]): [int(number) for number in line[3:]] for line in lines if line[0] == NEAR}
    near = [[rows.get((str(whose), str(columns)), []) for columns in range(PLACE_SPAN)] for whose in range(2)]
    for whose, columns in product(range(2), range(PLACE_SPAN)):
        if len(near[whose][columns]) != PLACE_SPAN:
            raise ValueError(f"{path} must have a line {NEAR} {whose} {columns} with {PLACE_SPAN} numbers")
    return Order(cells, near)


def values_path(folder: Path, family: str) -> Path:
    return folder / f"{family}.tsv"


def order_path(folder: Path, family: str) -> Path:
    return folder / f"{family}_order.tsv"


def network_path(folder: Path, family: str) -> Path:
    return folder / f"{family}.network"


def knowledge_for(rule: Rule, folder: Path = FOLDER) -> Knowledge:
    """What a folder knows about a rule."""
    family = FAMILIES[rule]
    values, order = read_values(values_path(folder, family)), read_order(order_path(folder, family))
    path = network_path(folder, family)
    return Knowledge(values, order, read_network(path, family) if path.exists() else None)


def knowledge_in(folder: Path) -> Callable[[Rule], Knowledge]:
    """What a folder knows, as `python -m pbrain learn` leaves it; rules that it has no values for keep what ships.

    ValueError if it has none at all.
    """
    families = {family for family in FAMILIES.values() if values_path(folder, family).exists()}
    if not families:
        names = ", ".join(values_path(Path(), family).name for family in sorted(set(FAMILIES.values())))
        raise ValueError(f"{folder} holds no values: none of {names}")
    return lambda rule: knowledge_for(rule, folder if FAMILIES[rule] in families else FOLDER)


def no_knowledge() -> Knowledge:
    """Nothing is worth anything, and no move comes before another."""
    classes = len(CellClass)
    near = [[[0] * PLACE_SPAN for _ in range(PLACE_SPAN)] for _ in range(2)]
    zeros = [[0] * classes for _ in range(classes)]
    return Knowledge(Values(zeros, [0] * THREAT_INDICES), Order(zeros, near), None)


def hand_made(worth: Worth) -> Knowledge:
    return Knowledge(_hand_made_values(worth), _hand_made_order(worth), None)


def _hand_made_values(worth: Worth) -> Values:
    """A cell counts what it is worth to the side to move, less what it is worth to the opponent."""
    cells = [[worth[mine][0] - worth[opponents][1] for opponents in CellClass] for mine in CellClass]
    return Values(cells, [0] * THREAT_INDICES)


def _hand_made_order(worth: Worth) -> Order:
    """What a cell is worth to both sides, each as if it were to move, and how near it is to the last move."""
    cells = [
        [worth[mine][0] + worth[opponents][0] * DEFENCE_EIGHTHS // 8 for opponents in CellClass] for mine in CellClass
    ]
    span = range(PLACE_SPAN)
    distances = [[max(columns, rows) for rows in span] for columns in span]
    near = [[CLOSE_SCORE if far <= CLOSE else MIDDLE_SCORE * (far <= FAR) for far in row] for row in distances]
    return Order(cells, [near, [[0] * PLACE_SPAN for _ in span]])


def packed(cells: Cells) -> bytes:
    """Values of 16 bits as the kernel looks them up, at `mine * CLASS_STRIDE + opponents`."""
    padding = [0] * (CLASS_STRIDE - len(cells))
    flat = array("h", [value for row in cells for value in row + padding])
    return flat.tobytes() + bytes(2 * CLASS_STRIDE * len(padding))


def packed_for_both(cells: Cells) -> bytes:
    """The words at `black * CLASS_STRIDE + white`: the value if black is to move, times 2 ** 32, and if white is."""
    flat = array("q", bytes(8 * CLASS_STRIDE * CLASS_STRIDE))
    for black, row in enumerate(cells):
        for white, value in enumerate(row):
            flat[black * CLASS_STRIDE + white] = (value << 32) + cells[white][black]
    return flat.tobytes()


def packed_near(near: list[Cells]) -> bytes:
    """Numbers of 16 bits as the kernel looks them up: whose last move it is, then `CELLS + cell - last`.

    Within PLACE_SPAN no two places have the same difference.
    """
    flat = array("h", bytes(2 * 2 * 2 * CELLS))
    places = range(1 - PLACE_SPAN, PLACE_SPAN)
    for whose, rows_off in enumerate(near):
        for right in places:
            for down in places:
                flat[(2 * whose + 1) * CELLS + down * STRIDE + right] = rows_off[abs(right)][abs(down)]
    return flat.tobytes()


def kernel_tables(knowledge: Knowledge) -> dict[str, bytes]:
    """What the fields of the kernel's TABLES hold that is learned."""
    values, order, network = knowledge
    return {
        "value": packed_for_both(values.cells),
        "threat_value": array("h", values.threats).tobytes(),
        "order": packed(order.cells),
        "near_last": packed_near(order.near),
        **kernel_network(network),
    }
