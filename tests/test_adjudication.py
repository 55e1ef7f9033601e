"""Adjudication by the brains' own scores: what counts as a score, and which games it ends."""

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner import configuration, play
from tournament.core.adjudication import NEVER, Adjudication, ScoreRule, adjudicated, score_in, telling
from tournament.core.model import BLACK, WHITE, PlayedMove, Termination
from tournament.views.export import pgn, psq, sgf
from tournament.views.text import result_text


@pytest.mark.parametrize(
    ("message", "score"),
    [
        ("MESSAGE depth 12-20 ev +143 n 1.2M n/s 900k tm 0.98 pv h8 h9", 143),
        ("MESSAGE depth 12-20 win in 7 n 1.2M", math.inf),
        ("MESSAGE depth 12-20 loss in 8 n 1.2M", -math.inf),
        # Rapfi, Rapfi/search/searchoutput.cpp and core/iohelper.cpp
        ("MESSAGE depth 14-31 ev -12 n 450K n/ms 512 tm 880 pv h8", -12),
        ("MESSAGE depth 14-31 ev +M9 n 450K", math.inf),
        ("MESSAGE depth 14-31 ev -M* n 450K", -math.inf),
        ("MESSAGE Depth 14-31 | Eval 35 | Time 880ms | H8 H9", 35),
        ("MESSAGE depth 14-31 multipv 1 ev 20 n 450K", 20),
        ("MESSAGE depth 14-31 multipv 2 ev -900 n 450K", None),
        ("DEBUG EV:-0.25", -0.25),
        ("MESSAGE eval = 7", 7),
        ("MESSAGE", None),
        ("", None),
        ("MESSAGE REALTIME BEST 7,7", None),
        ("MESSAGE never 5 level 3 medieval 4", None),
        ("MESSAGE ev 3.4.5", None),
        ("MESSAGE ev 12345678901", None),
        ("MESSAGE ev M5", None),
        ("MESSAGE win in a row", None),
    ],
)
def test_scores_in_messages(message: str, score: float | None) -> None:
    assert score_in(message) == score


MESSAGES = st.text() | st.text("ev +-M1230.*|:=winlossmultipv ", max_size=40)


@given(MESSAGES, MESSAGES)
def test_any_message_has_a_score_or_none(one: str, other: str) -> None:
    score = score_in(one)
    assert score is None or not math.isnan(score)
    kept = telling(one, other)
    assert kept == other or (kept == one and score is not None and score_in(other) is None)


def moves(*scores: float | None) -> list[PlayedMove]:
    return [PlayedMove(0, 0, 1.0, "" if score is None else f"MESSAGE ev {score}") for score in scores]


RESIGN = Adjudication(resign=ScoreRule(2, 500))
DRAW = Adjudication(draw=ScoreRule(2, 10))


@pytest.mark.parametrize(
    ("scores", "rules", "decision"),
    [
        ([-600, 600, -600], RESIGN, (WHITE, Termination.RESIGNED)),
        ([600, -600, 600, -500], RESIGN, (BLACK, Termination.RESIGNED)),
        ([600, -600, 600, -499], RESIGN, None),
        ([600, -600, 600, 900], RESIGN, None),
        ([-600, 600, None, 600, -600], RESIGN, None),
        ([-600, 600, None], RESIGN, None),
        ([-600], RESIGN, None),
        ([0, 3, -10, 10], DRAW, (None, Termination.DRAW_AGREED)),
        ([900, 0, 3, -10, 10], DRAW, (None, Termination.DRAW_AGREED)),
        ([0, 3, -10, 11], DRAW, None),
        ([0, None, 0, 0], DRAW, None),
        ([0, 0, 0], DRAW, None),
        ([0, 0, 0], Adjudication(draw_after=3), (None, Termination.DRAW_ADJUDICATED)),
        ([0, 0], Adjudication(draw_after=3), None),
    ],
)
def test_decisions(
    scores: list[float | None], rules: Adjudication, decision: tuple[int | None, Termination] | None
) -> None:
    assert adjudicated(moves(*scores), BLACK, rules) == decision
    turned = None if decision is None else (None if decision[0] is None else 1 - decision[0], decision[1])
    assert adjudicated(moves(*scores), WHITE, rules) == turned, "the opening left the first move to white"


@given(st.lists(st.none() | st.integers(-1000, 1000)))
def test_it_is_off_by_default(scores: list[float | None]) -> None:
    assert adjudicated(moves(*scores), BLACK, NEVER) is None


@given(st.lists(st.integers(-1000, 1000), min_size=1), st.integers(1, 4), st.integers(1, 1000))
def test_nobody_resigns_because_of_what_the_opponent_says(scores: list[int], count: int, limit: int) -> None:
    decision = adjudicated(moves(*scores), BLACK, Adjudication(resign=ScoreRule(count, limit)))
    own = scores[::-1][::2][:count]
    assert (decision is not None) == (len(own) == count and max(own) <= -limit)


HOPELESS = """
import sys
cells = iter([(x, y) for y in range({row}, 10, 4) for x in range(0, 10, 2)])
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "START":
        print("OK", flush=True)
    elif word in ("BEGIN", "TURN", "DONE"):
        print("MESSAGE depth 9 ev {score} n 1"); print("MESSAGE bye"); print("%d,%d" % next(cells), flush=True)
    elif word == "END":
        break
"""


@pytest.mark.parametrize(
    ("scores", "event", "termination", "ending"),
    [
        ((800, -900), {"resign": "3:500"}, Termination.RESIGNED, "which resigned by its own scores"),
        ((0, 5), {"draw": "2:5"}, Termination.DRAW_AGREED, "draw, agreed by the scores of both brains"),
    ],
)
def test_a_game_that_its_brains_have_given_up(
    scores: tuple[int, int], event: dict[str, str], termination: Termination, ending: str, tmp_path: Path
) -> None:
    brains = []
    for name, row, score in zip(("winning", "losing"), (0, 2), scores, strict=True):
        script = tmp_path / f"{name}.txt"
        script.write_text(HOPELESS.format(row=row, score=score))
        brains.append({"name": name, "command": [sys.executable, str(script)], "keep_alive": False})
    book = tmp_path / "book.txt"
    book.write_text("j10\n")
    records, _ = play(configuration(brains, openings=str(book), **event), tmp_path / "event")
    assert [record.termination for record in records] == [termination] * 2
    for record in records:
        assert len(record.moves) <= 6
        assert record.moves[0].said.startswith("MESSAGE depth 9 ev")
        assert ending in result_text(record)
        winner = None if record.winner is None else (record.plan.black, record.plan.white)[record.winner]
        assert winner == ("winning" if termination is Termination.RESIGNED else None)
        assert ("+R]" in sgf(record)) == (termination is Termination.RESIGNED)
        assert psq(record).endswith("\r\n0\r\n")
        assert ('"losing resigned by its own scores"' in pgn(record)) == (termination is Termination.RESIGNED)
