"""Text for people: cells as `h8`, scores, counts, reports; pure functions."""

from pbrain.core.types import Move, Report


def cell_name(move: Move) -> str:
    """Column letter and row number; (0, 0) is a1."""
    return f"{chr(ord('a') + move[0])}{move[1] + 1}"


def parse_cell(text: str) -> Move:
    """`h8` → (7, 7); ValueError for anything else."""
    column, row = text[:1].lower(), text[1:]
    if not ("a" <= column <= "z" and row.isascii() and row.isdecimal() and row[0] != "0" and len(row) <= 2):
        raise ValueError(f"{text!r} is not a cell such as h8")
    return ord(column) - ord("a"), int(row) - 1


def parse_position(text: str) -> list[Move]:
    """`h8i9`, `h8 i9` or `h8,i9` → moves; ValueError for anything else."""
    cells, word = [], ""
    for char in text + " ":
        if char.isdecimal():
            if not word:
                raise ValueError(f"{text!r} is not a list of cells such as h8i9")
            word += char
        else:
            if word:
                cells.append(parse_cell(word))
            word = "" if char in " ,\t\n" else char
    return cells


def short_count(number: float) -> str:
    """1234567 → 1.2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}" if number < 10 * size else f"{number / size:.0f}{letter}"
    return f"{number:.0f}"


def score_text(report: Report) -> str:
    """`ev +143`, `win in 7` or `loss in 8`."""
    if report.win_in is None:
        return f"ev {report.score:+d}"
    return f"win in {report.win_in}" if report.win_in > 0 else f"loss in {-report.win_in}"


def report_text(report: Report) -> str:
    """An iteration on one line: depth, score, nodes, nodes per second, seconds and the line of play."""
    speed = short_count(report.nodes_per_second)
    line = " ".join(cell_name(move) for move in report.line)
    return (
        f"depth {report.depth}-{report.selective_depth} {score_text(report)} n {short_count(report.nodes)} "
        f"n/s {speed} tm {report.elapsed_ms / 1000:.2f} pv {line}"
    )
