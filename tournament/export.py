"""Games as files for other programs: psq for Piskvork, SGF, and a text like PGN; pure functions of a record."""

import textwrap

from tournament.model import BLACK, WHITE, GameRecord, Move, PlayedMove, Termination
from tournament.openings import cell_name
from tournament.rules import RULE_NAMES, bare_rule

PSQ_LEVEL = 11  # Piskvork's level of a brain; GomocupJudge, too, writes the highest, whatever the time was
PSQ_LINE_END = "\r\n"  # as Piskvork writes them: a file is to be opened with newline=""
PSQ_CODES = {Termination.TIMEOUT: 15, Termination.STALL: 15, Termination.MEMORY: 16}
PSQ_NORMAL, PSQ_OTHER_FAULT = 0, -2

SGF_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SGF_COLOURS = "BW"
SGF_ON_TIME = frozenset({Termination.TIMEOUT, Termination.STALL})

PGN_RESULTS = {BLACK: "1-0", WHITE: "0-1", None: "1/2-1/2"}  # black's points first, for black begins
PGN_WIDTH = 80


def all_moves(record: GameRecord) -> list[PlayedMove]:
    """The opening's moves, which took no time, and those that were played."""
    return [*(PlayedMove(x, y, 0.0) for x, y in record.plan.opening.moves), *record.moves]


def one_line(text: str) -> str:
    """Text for a place that holds a single line."""
    return " ".join(text.split())


def rule_name(record: GameRecord) -> str:
    """The rule in words."""
    return RULE_NAMES[bare_rule(record.board.rule)]


def ending(record: GameRecord) -> str:
    """How the game ended, and who lost it if it was by a fault."""
    plan, text = record.plan, record.termination.value
    if record.winner is None or not record.termination.is_fault:
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
    """The game as Piskvork saves it in tournaments: cells from 1, milliseconds, the names, the error code."""
    board, plan = record.board, record.plan
    lines = [f"Piskvorky {board.width}x{board.height}, {PSQ_LEVEL}:{PSQ_LEVEL}, {BLACK}"]
    lines += [f"{move.x + 1},{move.y + 1},{round(move.ms)}" for move in all_moves(record)]
    lines += [one_line(plan.black), one_line(plan.white), str(psq_code(record.termination))]
    return "".join(line + PSQ_LINE_END for line in lines)


# -- SGF ---------------------------------------------------------------------------------------------------------------


def sgf_text(text: str) -> str:
    """Text with the two characters escaped that would end a value early."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def sgf_property(name: str, value: str) -> str:
    """`PB[name]`, or nothing for an empty value."""
    return f"{name}[{sgf_text(value)}]" if value else ""


def sgf_point(move: Move) -> str:
    """Column and row, from the top left; capitals from 27 on."""
    return SGF_LETTERS[move[0]] + SGF_LETTERS[move[1]]


def sgf_result(record: GameRecord) -> str:
    """`B+`, with T for a loss on time and F for another fault; `Draw`, or `Void` without a result."""
    if is_unfinished(record):
        return "Void"
    if record.winner is None:
        return "Draw"
    how = "T" if record.termination in SGF_ON_TIME else "F" if record.termination.is_fault else ""
    return f"{SGF_COLOURS[record.winner]}+{how}"


def sgf(record: GameRecord, event: str = "") -> str:
    """The game with the opening as moves, so that viewers replay it; comments hold the time and what was said."""
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


# -- like PGN ----------------------------------------------------------------------------------------------------------


def pgn_result(record: GameRecord) -> str:
    """Black's points and white's, or `*` without a result."""
    return "*" if is_unfinished(record) else PGN_RESULTS[record.winner]


def pgn_header(name: str, value: str) -> str:
    """`[Black "name"]`."""
    escaped = one_line(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def pgn(record: GameRecord, event: str = "?", site: str = "?") -> str:
    """Headers, then all moves from the opening's first on, numbered by black's, and the result."""
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
