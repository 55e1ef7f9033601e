"""The records that the kernel works on, as plain tuples: one truth for numpy, ctypes and JavaScript.

A field is `(name, type, shape)`. A type is a name from SCALARS or the fields of a nested record. Offsets follow
C's natural alignment, which numpy calls `align=True` and ctypes does by itself.
"""

from typing import NamedTuple, TypeAlias

from pbrain.core import params
from pbrain.core.parameters import PARAMETERS

Field: TypeAlias = tuple[str, "str | Fields", tuple[int, ...]]
Fields: TypeAlias = tuple[Field, ...]

SCALARS = {"u1": 1, "u2": 2, "u4": 4, "u8": 8, "i2": 2, "i4": 4, "i8": 8}

# What a move overwrites and no cell's undo entry restores.
FRAME: Fields = (
    ("threats", "u8", (2,)),
    ("trail_top", "u4", ()),
    ("value", "i4", (2,)),
    ("summed", "u2", ()),
    ("cell", "u2", ()),
    ("to_move", "u1", ()),
    ("winner", "u1", ()),
    ("near", "u4", (params.NEAR_SPAN,)),
)

# The game in progress. `make` and `undo` change nothing else, and `undo` restores every byte of the position.
STATE: Fields = (
    ("tables", "u8", ()),  # address of the TABLES record, which states may share
    ("key", "u8", ()),  # Zobrist key of the stones and the side to move
    ("lines", "u8", (params.DIRECTIONS, params.LINES)),  # two bits per cell; index and position: kernel/board.py
    ("threats", "u8", (2,)),  # empty cells of each Threat, COUNT_BITS each, colours
    ("value", "i4", (2,)),  # evaluation for black if black is to move, for white if white is
    ("moves", "u4", ()),  # stones placed
    ("trail_top", "u4", ()),
    ("width", "u1", ()),
    ("height", "u1", ()),
    ("to_move", "u1", ()),
    ("winner", "u1", ()),  # 0, or the stone that made the winning line
    ("near", "u4", (params.STRIDE,)),  # a bit for each cell near a stone, rows
    ("empty", "u4", (params.STRIDE,)),  # a bit for each empty cell of the board, rows
    ("stones", "u1", (params.CELLS,)),
    ("classes", "u1", (2, params.CELLS)),  # CellClass for each colour
    ("shapes", "u4", (params.CELLS,)),  # four bits per direction: LineClass, black in the low half, white in the high
    # Of both undo stacks, what lies above the newest stone is no part of the position.
    ("frames", FRAME, (params.MAX_MOVES,)),
    ("trail", "u8", (params.TRAIL_LENGTH,)),  # cell, both classes, shapes
    # Nor is what follows: sums of earlier positions stay until others replace them.
    ("summed", "u2", ()),  # the newest position of this line of play whose sums are known, in moves
    ("sums", "i4", (params.MAX_MOVES + 1, 2 * params.CHANNELS)),  # of rows, by moves: black's view, white's
    ("change", "i2", (2 * params.CHANNELS,)),  # of the sums
    ("stamps", "u4", (params.CELLS,)),  # which cells the newest change has counted already
    ("stamp", "u4", ()),
    ("inputs", "i2", (2 * params.CHANNELS,)),  # of the hidden layer
)

# What depends on the rule alone: filled once at START, read by every state of that rule.
TABLES: Fields = (
    ("rule", "u4", ()),
    ("half", "u4", ()),  # cells a line key sees to either side
    ("line_class", "u1", (params.MAX_KEYS,)),  # line key -> black's LineClass in the low nibble, white's in the high
    ("cell_class", "u1", (2, 1 << 16)),  # colour, its half of a shape -> CellClass
    # (black's class, white's) -> worth if black is to move, times 2 ** 32, and if white is: sums of both in one word
    ("value", "i8", (params.CLASS_STRIDE * params.CLASS_STRIDE,)),
    ("threat_value", "i2", (params.THREAT_INDICES,)),  # threat index -> worth to the side to move
    ("order", "i2", (params.CLASS_STRIDE * params.CLASS_STRIDE,)),  # (my class, the other's) -> how soon to try it
    ("near_last", "i2", (2, 2 * params.CELLS)),  # the other's last move or mine, CELLS + cell - it -> how much sooner
    # The network: a row for each pair of classes (black's, white's), then what becomes of their sums.
    ("has_network", "u8", ()),  # 0 if the rule has none
    ("rows", "i2", (params.CLASS_STRIDE * params.CLASS_STRIDE, 2 * params.CHANNELS)),
    ("threat_rows", "i2", (params.THREAT_INDICES, params.CHANNELS)),
    ("hidden_weights", "i2", (2 * params.CHANNELS, params.HIDDEN)),
    ("hidden_biases", "i2", (2, params.HIDDEN)),  # black to move, white to move
    ("output_weights", "i2", (params.HIDDEN,)),
    ("output_bias", "i8", ()),
    ("zobrist", "u8", (2, params.CELLS)),
    ("zobrist_side", "u8", ()),
)

# What one searching thread needs beside the state.
WORKER: Fields = (
    ("stop", "u8", ()),  # set from outside to end the search
    ("deadline_ns", "i8", ()),  # on the kernel's clock
    ("node_limit", "u8", ()),
    ("nodes", "u8", ()),  # stones placed by the search
    ("next_check", "u8", ()),  # when `nodes` reaches this, the clock and the stop word are looked at
    ("vcf_limit", "u8", ()),  # the nodes at which the running VCF ends
    ("table", "u8", ()),  # address of the transposition table, which workers may share
    ("table_clusters", "u8", ()),  # how many clusters it has, less than 2 ** 32
    ("busy", "u8", ()),  # address of the BUSY record, or 0 for a thread that is alone
    ("parameters", "i8", (len(PARAMETERS),)),  # read only by a library that is built to be tuned
    ("iteration", "u4", ()),  # the depth that the root is searched to, in plies
    ("age", "u4", ()),  # searches since the table was cleared
    ("is_stopped", "u4", ()),
    ("selective_depth", "u4", ()),
    ("root_count", "u4", ()),  # root moves that are searched
    ("root_total", "u4", ()),  # all of them; the rest are searched before a loss is claimed
    ("has_line", "u4", ()),  # this iteration has found a line, and its score, that the last one did not have
    ("score", "i4", ()),  # of the best root move
    ("line_length", "u4", ()),
    ("line", "u2", (params.MAX_PLY,)),  # best line of play; its first move may be read from outside at any time
    ("is_vcf_cut", "u4", ()),  # a VCF used all the fours it was allowed: with more it might win
    ("vcf_length", "u4", ()),
    ("vcf_line", "u2", (params.MAX_PLY,)),  # the winning fours, and the answers to them
    ("root_moves", "u2", (params.MAX_MOVES,)),  # best first
    ("root_scores", "i4", (params.MAX_MOVES,)),
    ("blocks", "u2", (params.MAX_PLY, params.MAX_BLOCKS)),  # the answers to a four or a five
    ("history", "i4", (2, params.CELLS)),  # how well a move did wherever it was tried, colours
    ("continuation", "i2", (2, params.CELLS, params.CELLS)),  # and as a continuation of the last move, colours
    ("killers", "u2", (params.MAX_PLY, 2)),  # the last two moves that caused a beta cutoff at a ply
    ("counter_moves", "u2", (2, params.CELLS)),  # the move that refuted this last move, colours
    ("played", "u2", (params.MAX_PLY,)),  # the move made at each ply
    ("statics", "i4", (params.MAX_PLY,)),  # the static score at each ply
    ("corrections", "i4", (2, params.THREAT_INDICES)),  # what searches found beyond it, in sixteenths, colours
    ("excluded", "u2", (params.MAX_PLY,)),  # a move that is left out, to see what the others are worth
    ("variations", "u2", (params.MAX_PLY, params.MAX_PLY)),  # the best line below each ply
    ("variation_ends", "u2", (params.MAX_PLY,)),
    ("moves", "u2", (params.MAX_PLY, params.MAX_MOVES)),  # the moves to try at each ply
    ("move_scores", "i4", (params.MAX_PLY, params.MAX_MOVES)),
)

# What threads that search together tell each other: keys of positions after a move that one of them is searching.
BUSY: Fields = (("moves", "u8", (params.BUSY_CLUSTERS, params.BUSY_WAYS)),)

# The library's C entry points: name, result, arguments. A record's name stands for a pointer to it.
ENTRIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("kaname_layout", "u8", ()),
    ("kaname_is_tunable", "u8", ()),
    ("kaname_prepare", "void", ("tables", "u8")),
    ("kaname_clear", "void", ("state", "u8", "u8", "u8")),
    ("kaname_make", "void", ("state", "u8", "u8")),
    ("kaname_undo", "void", ("state",)),
    ("kaname_is_forbidden", "u8", ("state", "u8")),
    ("kaname_evaluate", "i8", ("state",)),
    ("kaname_threat_index", "u8", ("state",)),
    ("kaname_now_ns", "i8", ()),
    ("kaname_touch", "void", ("u8", "u8")),
    ("kaname_begin_search", "void", ("state", "worker")),
    ("kaname_root_vcf", "i8", ("state", "worker", "u8", "u8")),
    ("kaname_guard_root", "void", ("state", "worker", "u8", "u8")),
    ("kaname_iterate", "void", ("state", "worker", "u8", "u8")),
    ("kaname_scatter", "void", ("state", "u8", "u8")),
    ("kaname_exercise", "u8", ("state", "u8")),
)


class Placed(NamedTuple):
    """A field's place inside its record."""

    name: str
    type: "str | Fields"
    shape: tuple[int, ...]
    offset: int


def _round_up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def alignment_of(kind: "str | Fields") -> int:
    return SCALARS[kind] if isinstance(kind, str) else max(alignment_of(inner) for _, inner, _ in kind)


def size_of(kind: "str | Fields") -> int:
    if isinstance(kind, str):
        return SCALARS[kind]
    return _round_up(_placed_with_end(kind)[1], alignment_of(kind))


def placed(fields: Fields) -> list[Placed]:
    """Each field with its offset in bytes."""
    return _placed_with_end(fields)[0]


def _placed_with_end(fields: Fields) -> tuple[list[Placed], int]:
    places, offset = [], 0
    for name, kind, shape in fields:
        offset = _round_up(offset, alignment_of(kind))
        places.append(Placed(name, kind, shape, offset))
        count = 1
        for length in shape:
            count *= length
        offset += size_of(kind) * count
    return places, offset


def signature() -> int:
    """A number that changes with any field or constant of the records; library and engine must agree on it."""
    value = 0xCBF29CE484222325
    for byte in repr((STATE, TABLES, WORKER, BUSY, ENTRIES)).encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value
