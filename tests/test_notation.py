"""Text for people."""

import pytest

from pbrain.core import notation
from pbrain.core.params import WIN
from pbrain.core.types import Report


@pytest.mark.parametrize(("move", "name"), [((0, 0), "a1"), ((7, 7), "h8"), ((14, 9), "o10"), ((21, 21), "v22")])
def test_cells(move: tuple[int, int], name: str) -> None:
    assert notation.cell_name(move) == name
    assert notation.parse_cell(name) == move
    assert notation.parse_cell(name.upper()) == move


@pytest.mark.parametrize("text", ["", "h", "8", "88", "hh", "h0", "h-1", "h8x", "é5", "h٣", "h 8"])
def test_what_is_no_cell(text: str) -> None:
    with pytest.raises(ValueError, match="not a cell"):
        notation.parse_cell(text)


@pytest.mark.parametrize("text", ["h8i9j10", "h8 i9 j10", "h8,i9,j10", " H8i9  J10 "])
def test_positions(text: str) -> None:
    assert notation.parse_position(text) == [(7, 7), (8, 8), (9, 9)]


def test_no_position() -> None:
    assert notation.parse_position("") == []


@pytest.mark.parametrize("text", ["8", "h8 9", "hh8", "h8?", "h8-i9", "hello", "h8i"])
def test_what_is_no_position(text: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        notation.parse_position(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (9_960, "10.0k"), (12_345, "12k"), (1_234_567, "1.2M"), (5e9, "5.0G")],
)
def test_short_counts(number: float, text: str) -> None:
    assert notation.short_count(number) == text


def test_a_report_as_a_line() -> None:
    report = Report(12, 25, 143, 1_200_000, 1410.0, ((7, 7), (8, 8)))
    assert notation.report_text(report) == "depth 12-25 ev +143 n 1.2M n/s 851k tm 1.41 pv h8 i9"
    assert notation.score_text(report._replace(score=-7)) == "ev -7"
    assert notation.score_text(report._replace(score=WIN - 5)) == "win in 5"
    assert notation.score_text(report._replace(score=6 - WIN)) == "loss in 6"
