"""Positions given on the command line: what is found, how it is shown, and what is refused."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbrain import cli
from pbrain.cli import main
from pbrain.console import analyse
from pbrain.console.analyse import parse_question, table_rows
from pbrain.console.terminal import Console
from pbrain.core.notation import parse_position
from pbrain.core.params import WIN
from pbrain.core.types import Budget, Limits, Report, Rule, SearchLimits
from pbrain.engine.engine import Engine
from pbrain.engine.memory import max_threads, table_bytes
from pbrain.library.native import Library

pytestmark = pytest.mark.usefixtures("library")  # built before anything else could say that it is being built

ROOT = Path(__file__).resolve().parents[1]
KNOWN_RULES = "the rules are 0 freestyle, 1 exactly five, 4 renju, 8 caro, 9 caro with exactly five"
NODES = "a number of nodes is a whole number from 1 to 1000000000000000"
THREADS = f"a number of threads is a whole number from 1 to {max_threads()}"
FIVE_OF_X = "a1a5b1b5c1c5d1d5e1"
FULL_5X5 = "a1c1b1d1e1a2c2b2d2e2a3c3b3d3e3a4c4b4d4e4a5c5b5d5e5"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def report(depth: int, rank: int, moves: str, score: int = 0) -> Report:
    return Report(depth, depth + 2, score, 1000 * depth, 10.0 * depth, tuple(parse_position(moves)), rank)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["analyse", *arguments]) == 0
    written = capsys.readouterr()
    assert written.err == ""
    return written.out


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(run(capsys, *arguments, "--json"))


# -- the question ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time", "depth", "nodes", "limits"),
    [
        (None, None, None, Limits(Budget(5000, 5000))),
        ("20ms", None, None, Limits(Budget(20, 20))),
        (None, "7", None, Limits(None, 7)),
        (None, None, "999", Limits(None, None, 999)),
        ("1m", "7", "999", Limits(Budget(60_000, 60_000), 7, 999)),
    ],
)
def test_limits(time: str | None, depth: str | None, nodes: str | None, limits: Limits) -> None:
    question = parse_question("h8i9", "20x15", "4", time, depth, nodes, "3")
    assert question == (((7, 7), (8, 8)), (20, 15), Rule.RENJU, limits._replace(is_analysis=True), 3)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["zz"], "'z' is not a cell such as h8"),
        (["88"], "'88' is not a list of cells such as h8i9"),
        (["h8h8"], "move 2 is on h8, which is taken"),
        (["h16"], "h16 is not on the 15x15 board"),
        (["p1", "--size", "15x20"], "p1 is not on the 15x20 board"),
        (["h8", "--size", "23"], "a board has 5 to 22 cells in each direction, not 23x23"),
        (["h8", "--size", "15x"], "'15x' is not a board size such as 15 or 20x15"),
        (["h8", "--rule", "7"], f"'7' is not a rule; {KNOWN_RULES}"),
        (["h8", "--time", "1h"], "'1h' is not a time such as 5s, 500ms or 1m"),
        (["h8", "--depth", "0"], "a depth is a whole number from 1 to 99, not '0'"),
        (["h8", "--depth", "100"], "a depth is a whole number from 1 to 99, not '100'"),
        (["h8", "--nodes", "many"], f"{NODES}, not 'many'"),
        (["h8", "--nodes", "9" * 99], f"{NODES}, not '{'9' * 99}'"),
        (["h8", "--lines", "-1"], "a number of lines is a whole number from 1 to 484, not '-1'"),
        (["h8", "--threads", "0"], f"{THREADS}, not '0'"),
        (["h8", "--threads", "two"], f"{THREADS}, not 'two'"),
        (["h8", "--threads", "99"], f"{THREADS}, not '99'"),
        ([FIVE_OF_X], "the game is over: X won with e1, move 9"),
        ([FIVE_OF_X + "h8", "--json"], "the game is over: X won with e1, move 9"),
        ([FULL_5X5, "--size", "5"], "the game is over: the board is full"),
    ],
)
def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["analyse", *arguments])
    assert ended.value.code == 2
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", f"pbrain analyse: error: {sentence}\n")


# -- the answer --------------------------------------------------------------------------------------------------------


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "h8 i9", "j8", "--size", "15x16", "--rule", "1", "--depth", "3", "--lines", "2")
    assert list(answer) == ["position", "rule", "size", "lines"]
    assert (answer["position"], answer["rule"], answer["size"]) == ("h8i9j8", 1, [15, 16])
    assert [(line["rank"], line["depth"], line["win_in"]) for line in answer["lines"]] == [(1, 3, None), (2, 3, None)]
    for line in answer["lines"]:
        keys = ["rank", "move", "score", "win_in", "depth", "selective_depth", "nodes", "time_ms", "line"]
        assert list(line) == keys
        assert line["move"] == line["line"][0]
        assert line["selective_depth"] >= 3
        assert line["nodes"] > 0
        assert line["time_ms"] > 0
    assert len({line["move"] for line in answer["lines"]}) == 2


def test_a_win_is_counted_in_plies(capsys: pytest.CaptureFixture[str]) -> None:
    four_and_three = "h8g8i8a1j8c1l6e1l7a3"  # l8 makes a four along row 8 and a three along column l
    (line,) = run_json(capsys, four_and_three)["lines"]
    assert (line["move"], line["win_in"], line["score"]) == ("l8", 5, WIN - 5)
    assert run(capsys, four_and_three).splitlines()[-1].split()[2:5] == ["win", "in", "5"]


def test_a_loss_is_counted_in_plies(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = run_json(capsys, "h8a1i8a3j8o1k8", "--depth", "4")["lines"]
    assert (line["win_in"], line["score"]) == (-2, 2 - WIN)


def test_nodes_end_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = run_json(capsys, "h8i9j8", "--nodes", "500")["lines"]
    assert 0 < line["nodes"] <= 500


def test_more_threads(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    engines: list[Engine] = []

    class KeptEngine(Engine):
        def __init__(self, library: Library) -> None:
            super().__init__(library)
            engines.append(self)

    monkeypatch.setattr(cli, "Engine", KeptEngine)
    monkeypatch.setattr(cli, "max_threads", lambda: 2)
    (line,) = run_json(capsys, "h8i9j8", "--depth", "8", "--threads", "2")["lines"]
    assert line["depth"] == 8
    (engine,) = engines
    assert engine._helpers.nodes > 0
    assert engine.table_bytes == table_bytes(None, None, 2)


@pytest.mark.parametrize("position", ["", "h8"])
def test_the_first_moves_are_searched_too(capsys: pytest.CaptureFixture[str], position: str) -> None:
    (line,) = run_json(capsys, position, "--depth", "2")["lines"]
    assert line["depth"] == 2


def test_more_lines_than_moves(capsys: pytest.CaptureFixture[str]) -> None:
    all_but_two = FULL_5X5.removesuffix("d5e5")
    lines = run_json(capsys, all_but_two, "--size", "5", "--depth", "1", "--lines", "9")["lines"]
    assert 1 <= len(lines) <= 2


def test_the_text_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    board, rest = run(capsys, "h8i9", "--depth", "3", "--lines", "2", "--size", "10").split("X to move, ")
    assert board.splitlines()[9] == " 9  . . . . . . . .[O].  9"
    title, heading, *rows = rest.splitlines()
    assert title == "freestyle, 10x10"
    assert heading.split() == ["#", "depth", "score", "nodes", "time", "line"]
    assert [row.split()[0] for row in rows] == ["1", "2"]
    assert all(re.match(r"  \d    3-\d  ev [+-]\d+ +[\d.k]+ +\d\.\d\d s  [a-j]\d", row) for row in rows)


def test_renju_shows_what_is_forbidden(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "f8a1g8c1h6e1h7a3", "--rule", "4", "--depth", "1")
    assert " 8  . . . . . X X ! . . . . . . .  8\n" in text
    assert "X to move, renju, 15x15; ! is forbidden\n" in text
    text = run(capsys, "f8a1g8c1h6e1h7", "--rule", "4", "--depth", "1")
    assert "!" not in text


def test_a_result_without_a_search_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbrain.engine.thinking.think", lambda *_: report(0, 1, "g8"))
    last = run(capsys, "h8a1i8a3j8a5k8").splitlines()[-1]
    assert last == "Nothing was searched: the limits are too tight."


# -- which lines -------------------------------------------------------------------------------------------------------


class Interrupted(NamedTuple):
    """A search that was stopped somewhere: the reports that were heard, its result, and the lines to show."""

    asked: int
    heard: list[Report]
    result: Report
    expected: list[Report]


@st.composite
def interrupted_searches(draw: st.DrawFn) -> Interrupted:
    """As the engine reports: every iteration has as many lines as were asked for, or as there are moves."""
    asked, moves = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    count = min(asked, moves)
    names = [f"h{i + 1}" for i in range(moves)]
    scores = st.lists(st.integers(-3, 3), min_size=count, max_size=count)
    iterations = [
        [
            report(depth, rank, name, score)
            for rank, (name, score) in enumerate(zip(draw(st.permutations(names)), draw(scores), strict=False), 1)
        ]
        for depth in range(1, draw(st.integers(1, 5)) + 1)
    ]
    every = list(itertools.chain(*iterations))
    cut = draw(st.integers(0, len(every)))
    heard, unheard = every[:cut], every[cut:]
    unscored = report(0, 1, names[-1])  # nothing was searched, or the answer could not wait for its score
    finished = next((line for line in reversed(heard) if line.rank == 1), unscored)
    results = [finished, unscored]
    if unheard and unheard[0].rank == 1:
        results.append(unheard[0])  # of a stopped iteration
    result = draw(st.sampled_from(results))
    whole = [iteration for iteration in iterations if iteration[-1] in heard]
    if not heard:
        lines = [result]
    elif count == 1:
        lines = [max(heard[-1], result, key=lambda line: line.depth)]
    else:
        lines = whole[-1] if whole else heard
    return Interrupted(asked, heard, result, sorted(lines, key=lambda line: -line.score))


def show(search: Interrupted, is_json: bool, is_terminal: bool) -> list[str]:
    """What `analyse` writes about a search, without the board."""

    def think(_engine: Any, _limits: Limits, hear: Any, lines: int) -> Report:
        assert lines == search.asked
        for heard in search.heard:
            hear(heard)
        return search.result

    texts: list[str] = []
    question = parse_question("", "15", "0", None, None, None, str(search.asked))
    console = Console(lambda _: "", texts.append, is_terminal=is_terminal)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbrain.engine.thinking.think", think)
        patch.setattr("pbrain.console.analyse.position_text", lambda *_: "the board")
        analyse.run(None, question, console, is_json)  # type: ignore[arg-type]
    return texts if is_json else texts[1:]


def shown_rows(table: str) -> list[tuple[int, int, int]]:
    """Rank, depth and score of each row of a table."""
    return [
        (int(rank), int(depth), int(score)) for rank, depth, score in re.findall(r"(\d+) +(\d+)-\d+  ev (\S+)", table)
    ]


def ranked(lines: list[Report]) -> list[tuple[int, int, int]]:
    return [(rank, line.depth, line.score) for rank, line in enumerate(lines, 1)]


@settings(deadline=None)
@given(interrupted_searches())
def test_json_has_the_lines_of_the_deepest_whole_iteration_best_first(search: Interrupted) -> None:
    (text,) = show(search, is_json=True, is_terminal=False)
    lines = json.loads(text)["lines"]
    assert [(line["rank"], line["depth"], line["score"]) for line in lines] == ranked(search.expected)
    assert len({line["move"] for line in lines}) == len(lines)


@settings(deadline=None)
@given(interrupted_searches())
def test_the_table_has_the_lines_of_the_deepest_whole_iteration_best_first(search: Interrupted) -> None:
    table, *_ = show(search, is_json=False, is_terminal=False)
    assert shown_rows(table) == ranked(search.expected)


@settings(deadline=None)
@given(interrupted_searches())
def test_a_live_table_never_mixes_depths_nor_loses_a_line(search: Interrupted) -> None:
    tables = [rows for text in show(search, is_json=False, is_terminal=True) if (rows := shown_rows(text))]
    assert tables[-1] == ranked(search.expected)
    for rows in tables:
        assert [rank for rank, _, _ in rows] == list(range(1, len(rows) + 1))
        assert len({depth for _, depth, _ in rows}) == 1
        assert [score for _, _, score in rows] == sorted((score for _, _, score in rows), reverse=True)
    for rows, later in itertools.pairwise(tables):
        assert (rows[0][1], len(rows)) <= (later[0][1], len(later))
        assert len(rows) <= len(later)


@pytest.mark.parametrize(
    "limit", [["--time", "600ms"], *(["--nodes", str(nodes)] for nodes in (500, 3000, 10_000, 20_000, 40_000))]
)
@pytest.mark.parametrize("position", ["h8i9g7", "c3d4d3e3c5b6e5f6"])
def test_lines_of_a_stopped_search_share_a_depth_and_are_sorted(
    capsys: pytest.CaptureFixture[str], position: str, limit: list[str]
) -> None:
    lines = run_json(capsys, position, "--lines", "3", *limit)["lines"]
    assert [line["rank"] for line in lines] == [1, 2, 3]
    assert len({line["depth"] for line in lines}) == 1
    assert [line["score"] for line in lines] == sorted((line["score"] for line in lines), reverse=True)


# -- tables ------------------------------------------------------------------------------------------------------------


def test_a_table_fits_its_width_or_goes_on_below() -> None:
    lines = [report(12, 1, "h10i11" * 20, WIN - 41), report(12, 2, "h8", -WIN + 40)]
    wide = table_rows(lines, None)
    assert wide[1].startswith("  1  12-14  win in 41     12k    0.12 s  h10 i11 h10")
    assert wide[2].startswith("  2  12-14  loss in 40    12k    0.12 s  h8")
    folded = table_rows(lines, 79)
    assert max(map(len, folded)) <= 79
    assert len(folded) == 7
    assert " ".join(folded[1:6]).split() == wide[1].split()
    assert len(table_rows(lines, 79, is_whole=False)) == 3


def test_the_table_is_drawn_over_itself_on_a_terminal(engine: Engine) -> None:
    texts: list[str] = []
    question = parse_question("h8i9", "15", "0", None, "3", None, "2")
    analyse.set_up(engine, question)
    console = Console(lambda _: "", texts.append, is_coloured=True, is_terminal=True)
    analyse.run(engine, question, console, is_json=False)
    board, *tables = texts
    assert "\x1b[1;31mX" in board
    assert len(tables) == 5  # one line, both, two deeper iterations, the result
    assert tables[0].count("\n") == 1
    assert tables[2].startswith("\r\x1b[3A\x1b[J  #  depth")
    assert tables[-1].count("\n") == 2


class InterruptedEngine(Engine):
    """Is hit by Ctrl-C when all lines of the first depth are known."""

    def think(
        self, limits: SearchLimits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        def hear(report: Report) -> None:
            on_iteration(report)
            if (report.depth, report.rank) == (1, lines):
                os.kill(os.getpid(), signal.SIGINT)

        return super().think(limits, hear, lines)


def test_ctrl_c_ends_the_search_with_what_is_known(library: Library) -> None:
    engine = InterruptedEngine(library)
    texts: list[str] = []
    question = parse_question("h8i9", "15", "0", "60s", None, None, "2")
    analyse.set_up(engine, question)
    analyse.run(engine, question, Console(lambda _: "", texts.append), is_json=True)
    (text,) = texts
    lines = json.loads(text)["lines"]
    assert len(lines) == 2
    assert lines[0]["time_ms"] < 10_000


# -- processes ---------------------------------------------------------------------------------------------------------


def test_a_piped_process(library: Library) -> None:
    command = [sys.executable, "-m", "pbrain", "--library", str(library.path), "analyse"]
    run = subprocess.run(
        [*command, "h8i9", "--nodes", "2000", "--lines", "2"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert ESCAPE.search(run.stdout) is None
    assert len(run.stdout.splitlines()) == 17 + 1 + 3
    run = subprocess.run([*command, "h8h8", "--json"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "pbrain analyse: error: move 2 is on h8, which is taken\n"
    run = subprocess.run(
        [*command, "h8", "--json", "--depth", "1"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert json.loads(run.stdout)["position"] == "h8"


@pytest.mark.parametrize(
    ("position", "move", "win_in"),
    [
        ("h8a1i8a3j8a5k8a7", "gl", 1),
        ("h8a1i8a3j8o1", "gk", 3),
        ("a1h8a3i8a5j8g8k8", "l", None),
        ("", "abcdefghijklmno", None),
    ],
)
def test_what_leaves_no_choice_is_searched_all_the_same(
    capsys: pytest.CaptureFixture[str], position: str, move: str, win_in: int | None
) -> None:
    (line,) = json.loads(run(capsys, position, "--depth", "2", "--json"))["lines"]
    assert line["move"][0] in move
    assert line["win_in"] == win_in
    assert line["depth"] > 0
