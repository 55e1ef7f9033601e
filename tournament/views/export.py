"""Export formats: psq for Piskvork, SGF, and a PGN-like text; pure functions of a record."""

import textwrap

from tournament.core.model import BLACK, WHITE, GameRecord, Move, PlayedMove, Termination
from tournament.core.openings import cell_name
from tournament.core.rules import RULE_NAMES, base_rule

PSQ_LEVEL = 11  # Piskvork's skill level; like GomocupJudge, always the highest
PSQ_LINE_END = "\r\n"  # as Piskvork writes it; open the file with newline=""
PSQ_CODES = {Termination.TIMEOUT: 15, Termination.STALL: 15, Termination.MEMORY: 16}
PSQ_NORMAL, PSQ_OTHER_FAULT = 0, -2

SGF_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SGF_COLOURS = "BW"
SGF_ENDINGS = {Termination.TIMEOUT: "T", Termination.STALL: "T", Termination.RESIGNED: "R"}

PGN_RESULTS = {BLACK: "1-0", WHITE: "0-1", None: "1/2-1/2"}  # black's points first, since black moves first
PGN_WIDTH = 80


def all_moves(record: GameRecord) -> list[PlayedMove]:
    """The moves of the opening, with time 0, and the moves played."""
    return [*(PlayedMove(x, y, 0.0) for x, y in record.plan.opening.moves), *record.moves]


def one_line(text: str) -> str:
    """Text with all whitespace, including line ends, collapsed to single spaces."""
    return " ".join(text.split())


def rule_name(record: GameRecord) -> str:
    """The name of the rule."""
    return RULE_NAMES[base_rule(record.board.rule)]


def ending(record: GameRecord) -> str:
    """How the game ended; for a fault or a resignation, with the loser's name."""
    plan, text = record.plan, record.termination.value
    if record.winner is None or record.termination is Termination.FIVE:
        return text
    return f"{plan.white if record.winner == BLACK else plan.black} {text}"


def is_unfinished(record: GameRecord) -> bool:
    """Whether the game ended without a result."""
    return record.termination is Termination.INTERRUPTED


# -- psq ---------------------------------------------------------------------------------------------------------------


def psq_code(termination: Termination) -> int:
    """The error code in the last line."""
    is_abnormal = termination.is_fault or termination is Termination.INTERRUPTED
    return PSQ_CODES.get(termination, PSQ_OTHER_FAULT if is_abnormal else PSQ_NORMAL)


def psq(record: GameRecord) -> str:
    """The game as Piskvork saves it in tournaments: cells from 1, milliseconds, names, error code."""
    board, plan = record.board, record.plan
    lines = [f"Piskvorky {board.width}x{board.height}, {PSQ_LEVEL}:{PSQ_LEVEL}, {BLACK}"]
    lines += [f"{move.x + 1},{move.y + 1},{round(move.ms)}" for move in all_moves(record)]
    lines += [one_line(plan.black), one_line(plan.white), str(psq_code(record.termination))]
    return "".join(line + PSQ_LINE_END for line in lines)


# -- SGF ---------------------------------------------------------------------------------------------------------------


def sgf_text(text: str) -> str:
    """Text with backslashes and closing brackets escaped."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def sgf_property(name: str, value: str) -> str:
    """`PB[name]`, or an empty string for an empty value."""
    return f"{name}[{sgf_text(value)}]" if value else ""


def sgf_point(move: Move) -> str:
    """Column and row letters from the top left; capitals from 27 on."""
    return SGF_LETTERS[move[0]] + SGF_LETTERS[move[1]]


def sgf_result(record: GameRecord) -> str:
    """`B+` or `W+`, then T for a loss on time, F for another fault, R for a resignation; or `Draw`, or `Void`."""
    if is_unfinished(record):
        return "Void"
    if record.winner is None:
        return "Draw"
    how = SGF_ENDINGS.get(record.termination, "F" if record.termination.is_fault else "")
    return f"{SGF_COLOURS[record.winner]}+{how}"


def sgf(record: GameRecord, event: str = "") -> str:
    """The game, with the opening as moves so that viewers replay it; comments hold the time and the brain's message."""
    board, plan = record.board, record.plan
    size = str(board.width) if board.width == board.height else f"{board.width}:{board.height}"
    root = [("EV", one_line(event)), ("RO", str(plan.pair)), ("DT", record.started_at[:10])]
    root += [("PB", one_line(plan.black)), ("PW", one_line(plan.white)), ("RE", sgf_result(record))]
    root += [("RU", rule_name(record)), ("ON", one_line(plan.opening.name)), ("GC", record.detail or ending(record))]
    nodes = [f"FF[4]GM[4]CA[UTF-8]SZ[{size}]" + "".join(sgf_property(*each) for each in root)]
    for number, move in enumerate(all_moves(record)):
        is_opening = number < len(plan.opening.moves)
        comment = "opening" if is_opening else f"{round(move.ms)} ms\n{move.said}".strip()
        point = sgf_point((move.x, move.y))
        nodes.append(f"{SGF_COLOURS[number % 2]}[{point}]{sgf_property('C', comment)}")
    return "(" + "".join(f";{node}\n" for node in nodes) + ")\n"


# -- PGN-like ----------------------------------------------------------------------------------------------------------


def pgn_result(record: GameRecord) -> str:
    """Black's and white's points, or `*` without a result."""
    return "*" if is_unfinished(record) else PGN_RESULTS[record.winner]


def pgn_header(name: str, value: str) -> str:
    """`[Black "name"]`."""
    escaped = one_line(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def pgn(record: GameRecord, event: str = "?", site: str = "?") -> str:
    """Headers, all moves including the opening, numbered by black's moves, and the result."""
    board, plan, result = record.board, record.plan, pgn_result(record)
    names = [cell_name((move.x, move.y)) for move in all_moves(record)]
    turns = [" ".join([f"{i // 2 + 1}.", *names[i : i + 2]]) for i in range(0, len(names), 2)]
    opening = " ".join([f"{plan.opening.name}:", *names[: len(plan.opening.moves)]]).removesuffix(":")
    headers = {
        "Event": event,
        "Site": site,
        "Date": record.started_at[:10].replace("-", ".") or "????.??.??",
        "Round": str(plan.pair),
        "Black": plan.black,
        "White": plan.white,
        "Result": result,
        "Termination": ending(record),
        "Opening": opening,
        "Board": f"{board.width}x{board.height}",
        "Rule": rule_name(record),
    }
    lines = [pgn_header(name, value) for name, value in headers.items()]
    return "\n".join([*lines, "", *textwrap.wrap(" ".join([*turns, result]), PGN_WIDTH), ""])
