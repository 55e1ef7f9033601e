"""Games as files: what is written, and that readers of the formats get the same moves back."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.core.model import BLACK, WHITE, Board, GamePlan, GameRecord, Move, Opening, PlayedMove, Termination
from tournament.views.export import pgn, psq, sgf

SAMPLE = Path(__file__).with_name("data") / "gomocup.psq"

OPENING = Opening("centre.txt:4", ((7, 7), (8, 8), (6, 5)))
RECORD = GameRecord(
    plan=GamePlan(number=6, pair=3, black="Ada", white="Bob [v2]\\", opening=OPENING),
    board=Board(15, 15, 4),
    moves=(PlayedMove(9, 9, 12.4, "MESSAGE depth 5 [pv] \\"), PlayedMove(10, 4, 999.6), PlayedMove(0, 14, 3.0, "a\nb")),
    winner=WHITE,
    termination=Termination.FIVE,
    started_at="2026-08-09T10:11:12+00:00",
)
FAULTS = [termination for termination in Termination if termination.is_fault]


def moves_of(record: GameRecord) -> list[Move]:
    return [*record.plan.opening.moves, *((move.x, move.y) for move in record.moves)]


# -- readers -----------------------------------------------------------------------------------------------------------


def read_psq(text: str) -> tuple[tuple[int, int], list[tuple[Move, int]], list[str]]:
    """Size, moves with their milliseconds, and the lines after them."""
    header, *lines = text.replace("\r\n", "\n").splitlines()
    found = re.fullmatch(r"Piskvorky (\d+)x(\d+), \d+:\d+, [01]", header)
    assert found is not None, header
    moves = []
    while match := re.fullmatch(r"(\d+),(\d+),(\d+)", lines[0]):
        x, y, ms = map(int, match.groups())
        moves.append(((x - 1, y - 1), ms))
        lines.pop(0)
    return (int(found[1]), int(found[2])), moves, lines


def read_sgf(text: str) -> list[dict[str, str]]:
    """The nodes of a game without variations, each as its properties, read character by character."""
    nodes: list[dict[str, str]] = []
    assert text.startswith("(;")
    at = 1
    while text[at] != ")":
        if text[at] == ";":
            nodes.append({})
            at += 1
        elif text[at].isspace():
            at += 1
        else:
            name, at = text[at : text.index("[", at)], text.index("[", at) + 1
            assert re.fullmatch("[A-Z]{1,2}", name), name
            value = ""
            while text[at] != "]":
                at += text[at] == "\\"
                value, at = value + text[at], at + 1
            assert name not in nodes[-1]
            nodes[-1][name], at = value, at + 1
    assert text[at:].strip() == ")"
    return nodes


def sgf_moves(nodes: list[dict[str, str]]) -> list[Move]:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEF"
    moves = []
    for number, node in enumerate(nodes[1:]):
        point = node["BW"[number % 2]]
        assert len(point) == 2
        moves.append((letters.index(point[0]), letters.index(point[1])))
    return moves


# -- psq ---------------------------------------------------------------------------------------------------------------


def test_a_psq_in_full() -> None:
    assert psq(RECORD).split("\r\n") == [
        "Piskvorky 15x15, 11:11, 0",
        "8,8,0",
        "9,9,0",
        "7,6,0",
        "10,10,12",
        "11,5,1000",
        "1,15,3",
        "Ada",
        "Bob [v2]\\",
        "0",
        "",
    ]


def test_a_psq_has_the_form_of_a_genuine_one() -> None:
    text = SAMPLE.read_bytes().decode()
    (width, height), moves, tail = read_psq(text)
    played = tuple(PlayedMove(x, y, ms) for (x, y), ms in moves)
    plan = GamePlan(1, 1, tail[0], tail[1], Opening("", ()))
    record = GameRecord(plan, Board(width, height), played, WHITE, Termination.FIVE)
    assert psq(record).replace("11:11", "7:7") == text


@pytest.mark.parametrize(
    ("termination", "code"),
    [
        (Termination.FIVE, 0),
        (Termination.DRAW_FULL, 0),
        (Termination.DRAW_ADJUDICATED, 0),
        (Termination.TIMEOUT, 15),
        (Termination.STALL, 15),
        (Termination.MEMORY, 16),
        (Termination.CRASH, -2),
        (Termination.ILLEGAL, -2),
        (Termination.FOUL, -2),
        (Termination.START_FAILED, -2),
        (Termination.INTERRUPTED, -2),
    ],
)
def test_the_error_codes_of_psq(termination: Termination, code: int) -> None:
    assert read_psq(psq(replace(RECORD, termination=termination)))[2][-1] == str(code)


# -- SGF ---------------------------------------------------------------------------------------------------------------


def test_an_sgf_in_full() -> None:
    assert sgf(RECORD, event="Cup").splitlines() == [
        "(;FF[4]GM[4]CA[UTF-8]SZ[15]EV[Cup]RO[3]DT[2026-08-09]PB[Ada]PW[Bob [v2\\]\\\\]RE[W+]RU[renju]ON[centre.txt:4]"
        "GC[five in a row]",
        ";B[hh]C[opening]",
        ";W[ii]C[opening]",
        ";B[gf]C[opening]",
        ";W[jj]C[12 ms",
        "MESSAGE depth 5 [pv\\] \\\\]",
        ";B[ke]C[1000 ms]",
        ";W[ao]C[3 ms",
        "a",
        "b]",
        ")",
    ]


@pytest.mark.parametrize(
    ("winner", "termination", "result"),
    [
        (BLACK, Termination.FIVE, "B+"),
        (WHITE, Termination.FIVE, "W+"),
        (BLACK, Termination.TIMEOUT, "B+T"),
        (WHITE, Termination.STALL, "W+T"),
        (WHITE, Termination.CRASH, "W+F"),
        (WHITE, Termination.FOUL, "W+F"),
        (None, Termination.DRAW_FULL, "Draw"),
        (None, Termination.DRAW_ADJUDICATED, "Draw"),
        (None, Termination.INTERRUPTED, "Void"),
    ],
)
def test_the_results_of_sgf(winner: int | None, termination: Termination, result: str) -> None:
    record = replace(RECORD, winner=winner, termination=termination)
    assert read_sgf(sgf(record))[0]["RE"] == result


def test_an_sgf_says_what_went_wrong() -> None:
    record = replace(RECORD, winner=BLACK, termination=Termination.TIMEOUT)
    assert read_sgf(sgf(record))[0]["GC"] == "Bob [v2]\\ answered too late"
    assert read_sgf(sgf(replace(record, detail="late [5 ms]\nout> OK")))[0]["GC"] == "late [5 ms]\nout> OK"


def test_a_rectangle_has_both_sizes_in_an_sgf() -> None:
    assert read_sgf(sgf(replace(RECORD, board=Board(20, 15))))[0]["SZ"] == "20:15"


# -- like PGN ----------------------------------------------------------------------------------------------------------


def test_a_pgn_in_full() -> None:
    assert pgn(RECORD, event='The "Cup"', site="here").splitlines() == [
        '[Event "The \\"Cup\\""]',
        '[Site "here"]',
        '[Date "2026.08.09"]',
        '[Round "3"]',
        '[Black "Ada"]',
        '[White "Bob [v2]\\\\"]',
        '[Result "0-1"]',
        '[Termination "five in a row"]',
        '[Opening "centre.txt:4: h8 i9 g6"]',
        '[Board "15x15"]',
        '[Rule "renju"]',
        "",
        "1. h8 i9 2. g6 j10 3. k5 a15 0-1",
    ]


def test_what_a_pgn_does_not_know() -> None:
    plan = replace(RECORD.plan, opening=Opening("empty", ()))
    record = replace(RECORD, plan=plan, moves=(), winner=None, termination=Termination.INTERRUPTED, started_at="")
    lines = pgn(record).splitlines()
    assert {'[Event "?"]', '[Date "????.??.??"]', '[Opening "empty"]', '[Result "*"]'} < set(lines)
    assert lines[-1] == "*"


def test_the_moves_of_a_pgn_stay_within_80_columns() -> None:
    moves = tuple(PlayedMove(x, y, 1.0) for y in range(10) for x in range(15))
    body = pgn(replace(RECORD, moves=moves)).split("\n\n")[1]
    assert max(map(len, body.splitlines())) <= 80
    assert len(re.findall(r"\b[a-o]\d+\b", body)) == len(moves) + 3


@pytest.mark.parametrize("termination", FAULTS)
def test_a_pgn_names_who_was_at_fault(termination: Termination) -> None:
    text = pgn(replace(RECORD, winner=WHITE, termination=termination))
    assert f'[Termination "Ada {termination.value}"]' in text


# -- round trips -------------------------------------------------------------------------------------------------------


# What the formats escape, and anything else that a brain may say.
TEXTS = st.text(
    st.sampled_from("ab ]\\[;()\n\"':") | st.characters(codec="utf-8", exclude_characters="\r"), max_size=12
)
COLOURS = st.sampled_from([BLACK, WHITE, None])


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    board = Board(draw(st.integers(5, 32)), draw(st.integers(5, 32)), draw(st.sampled_from([0, 1, 4, 8, 9, 2])))
    cells = st.tuples(st.integers(0, board.width - 1), st.integers(0, board.height - 1))
    moves = draw(st.lists(cells, unique=True, max_size=25))
    split = draw(st.integers(0, min(7, len(moves))))
    opening = Opening(draw(TEXTS), tuple(moves[:split]))
    return GameRecord(
        plan=GamePlan(1, 1, "x" + draw(TEXTS), "y" + draw(TEXTS), opening),
        board=board,
        moves=tuple(PlayedMove(x, y, draw(st.floats(0, 5000)), draw(TEXTS)) for x, y in moves[split:]),
        winner=draw(COLOURS),
        termination=draw(st.sampled_from(Termination)),
        detail=draw(TEXTS),
        started_at="2026-08-09T10:11:12+00:00",
    )


@given(records())
def test_games_come_back_from_psq(record: GameRecord) -> None:
    size, moves, tail = read_psq(psq(record))
    assert size == (record.board.width, record.board.height)
    assert [move for move, _ in moves] == moves_of(record)
    assert [ms for _, ms in moves[len(record.plan.opening.moves) :]] == [round(move.ms) for move in record.moves]
    assert len(tail) == 3


@given(records(), TEXTS)
def test_games_come_back_from_sgf(record: GameRecord, event: str) -> None:
    nodes = read_sgf(sgf(record, event=event))
    assert sgf_moves(nodes) == moves_of(record)
    assert nodes[0].get("EV", "") == " ".join(event.split())
    for node, move in zip(nodes[1 + len(record.plan.opening.moves) :], record.moves, strict=True):
        assert node["C"] == f"{round(move.ms)} ms\n{move.said}".strip()
