"""The best lines of play in one position, as a table or as JSON."""

import json
import shutil
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from pbrain.console import view
from pbrain.console.options import RULE_NAMES, parse_count, parse_duration_ms, parse_rule, parse_size
from pbrain.console.terminal import Console
from pbrain.core.notation import cell_name, parse_position, score_text, short_count
from pbrain.core.params import BLACK, MAX_DEPTH, MAX_MOVES
from pbrain.core.types import Budget, Limits, Move, Report, Rule
from pbrain.engine import thinking
from pbrain.engine.engine import Engine
from pbrain.engine.lines import BestLines

DEFAULT_MS = 5000.0
MAX_NODES = 10**15


class Question(NamedTuple):
    """What to analyse, and within which limits."""

    moves: tuple[Move, ...]
    size: tuple[int, int]
    rule: Rule
    limits: Limits
    lines: int


def parse_question(
    position: str, size: str, rule: str, time: str | None, depth: str | None, nodes: str | None, lines: str
) -> Question:
    """The question that was typed; ValueError with a sentence if a part of it is wrong."""
    width_and_height = parse_size(size)
    moves = tuple(parse_position(position))
    check_cells(moves, width_and_height)
    limits = parse_limits(time, depth, nodes)
    count = parse_count(lines, "a number of lines", MAX_MOVES)
    return Question(moves, width_and_height, parse_rule(rule), limits, count)


def parse_limits(time: str | None, depth: str | None, nodes: str | None) -> Limits:
    """The limits that were typed; DEFAULT_MS where there are none."""
    if (time, depth, nodes) == (None, None, None):
        time_ms: float | None = DEFAULT_MS
    else:
        time_ms = None if time is None else parse_duration_ms(time)
    return Limits(
        None if time_ms is None else Budget(time_ms, time_ms),
        None if depth is None else parse_count(depth, "a depth", MAX_DEPTH),
        None if nodes is None else parse_count(nodes, "a number of nodes", MAX_NODES),
        is_analysis=True,
    )


def check_cells(moves: Sequence[Move], size: tuple[int, int]) -> None:
    """ValueError unless every move is on the board and on a free cell."""
    width, height = size
    for i, move in enumerate(moves):
        if not (move[0] < width and move[1] < height):
            raise ValueError(f"{cell_name(move)} is not on the {width}x{height} board")
        if move in moves[:i]:
            raise ValueError(f"move {i + 1} is on {cell_name(move)}, which is taken")


def set_up(engine: Engine, question: Question) -> None:
    """Put the position on the engine's board; ValueError if the game is over."""
    engine.new_game(*question.size, question.rule)
    for i, move in enumerate(question.moves):
        engine.play(*move)
        if engine.winner is not None:
            raise ValueError(f"the game is over: {view.STONES[i % 2]} won with {cell_name(move)}, move {i + 1}")
    if engine.is_full:
        raise ValueError("the game is over: the board is full")


# -- texts -------------------------------------------------------------------------------------------------------------


def json_text(question: Question, lines: Sequence[Report]) -> str:
    """One JSON object; `win_in` is in plies, negative for a loss."""
    return json.dumps(
        {
            "position": "".join(map(cell_name, question.moves)),
            "rule": int(question.rule),
            "size": list(question.size),
            "lines": [
                {
                    "rank": line.rank,
                    "move": cell_name(line.move),
                    "score": line.score,
                    "win_in": line.win_in,
                    "depth": line.depth,
                    "selective_depth": line.selective_depth,
                    "nodes": line.nodes,
                    "time_ms": round(line.elapsed_ms, 1),
                    "line": [cell_name(move) for move in line.line],
                }
                for line in lines
            ],
        }
    )


def table_rows(lines: Sequence[Report], width: int | None, is_whole: bool = True) -> list[str]:
    """A heading and the lines, at most `width` wide; a long line is wrapped, or cut off unless `is_whole`."""
    rows = [f"{'#':>3}  {'depth':>5}  {'score':<10}  {'nodes':>5}  {'time':>8}  line"]
    for line in lines:
        facts = (
            f"{line.rank:>3}  {f'{line.depth}-{line.selective_depth}':>5}  {score_text(line):<10}  "
            f"{short_count(line.nodes):>5}  {line.elapsed_ms / 1000:>6.2f} s  "
        )
        cells = " ".join(cell_name(move) for move in line.line)
        parts = [cells] if width is None else textwrap.wrap(cells, max(10, width - len(facts)))
        rows.append(facts + parts[0])
        rows.extend(" " * len(facts) + part for part in parts[1:] if is_whole)
    return rows


def position_text(engine: Engine, is_coloured: bool) -> str:
    """The board, and whose move it is under which rule."""
    moves = engine.history
    forbidden = engine.forbidden_points() if engine.to_move == BLACK else []
    board = view.board_text(engine.size, moves, moves[-1:], forbidden, is_coloured)
    width, height = engine.size
    legend = f"; {view.FORBIDDEN} is forbidden" if forbidden else ""
    return f"{board}\n{view.STONES[engine.to_move]} to move, {RULE_NAMES[engine.rule]}, {width}x{height}{legend}"


# -- the command -------------------------------------------------------------------------------------------------------


class LiveTable:
    """A table on a terminal, redrawn in place."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: Sequence[Report] = ()
        self._height = 0

    def draw(self, lines: Sequence[Report]) -> None:
        """Show these lines, if they are new, as far as they fit on the screen."""
        if lines == self._shown:
            return
        self._shown = lines
        columns, screen_rows = shutil.get_terminal_size()
        rows = table_rows(lines, columns - 1, is_whole=False)
        self._replace([row[: columns - 1] for row in rows[: screen_rows - 1]])

    def finish(self, lines: Sequence[Report]) -> None:
        """Show these lines in full."""
        self._replace(table_rows(lines, shutil.get_terminal_size().columns - 1))

    def _replace(self, rows: list[str]) -> None:
        erase = f"\r\x1b[{self._height}A\x1b[J" if self._height else ""
        self._console.write(erase + "\n".join(rows))
        self._height = len(rows)


def run(engine: Engine, question: Question, console: Console, is_json: bool) -> None:
    """Analyse the position that `set_up` put on the board, and write what is found."""
    table = LiveTable(console)
    is_live = console.is_terminal and not is_json
    if not is_json:
        console.write(position_text(engine, console.is_coloured))
    best = BestLines()

    def hear(report: Report) -> None:
        best.add(report)
        if is_live:
            table.draw(best.ranked())

    best.add(thinking.think(engine, question.limits, hear, question.lines))
    lines = best.ranked()
    if is_json:
        console.write(json_text(question, lines))
        return
    if is_live:
        table.finish(lines)
    else:
        console.write("\n".join(table_rows(lines, None)))
    if lines[0].depth == 0:
        console.write("Nothing was searched: the limits are too tight.")
