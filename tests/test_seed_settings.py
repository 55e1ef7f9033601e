"""The seed brains' command lines: depths, ideas left out, and what a search tells."""

import random
import re
import subprocess
import sys

import pytest

from tests.brain_process import BrainProcess
from tournament.brains import boundary, minimax, threat
from tournament.brains.clock import Deadline
from tournament.brains.position import OTHER, OWN, Position
from tournament.brains.settings import (
    CANDIDATES,
    DISTANT,
    INCREMENTAL,
    MOVE_LIMIT,
    ORDERING,
    PRUNING,
    TABLE,
    TIME_LIMIT,
    Searched,
    Settings,
)

BRAINS = {"minimax": minimax, "boundary": boundary, "threat": threat}
EVERY_BRAIN = pytest.mark.parametrize("name", BRAINS)
PLENTY_MS = 120_000
SIZE = 11


def crowd(seed: int, stones: int) -> Position:
    """Stones in the middle of the board, no three of a colour in a row, so that nothing is forced."""
    middle = [(x, y) for y in range(2, SIZE - 2) for x in range(2, SIZE - 2)]
    cells = random.Random(seed).sample(middle, stones)
    return Position(SIZE, SIZE, 0, tuple((y * SIZE + x, (OWN, OTHER)[(x + 2 * y) // 2 % 2]) for x, y in cells))


def positions() -> list[Position]:
    return [crowd(seed, stones) for seed, stones in enumerate((4, 9, 16, 24), 1)]


def searched(name: str, position: Position, depth: int, *without: str) -> tuple[int, Searched]:
    """The cell that a brain plays with all the time that it needs, and what it tells of its search."""
    told: list[Searched] = []
    settings = Settings(depth, frozenset({*without, TIME_LIMIT}))
    cell = BRAINS[name].choose(position, Deadline.after_ms(PLENTY_MS), settings, told.append)
    (search,) = told
    return cell, search


# -- what leaving an idea out does -------------------------------------------------------------------------------------


@EVERY_BRAIN
def test_incremental_evaluation_changes_nothing_but_the_time(name: str) -> None:
    for position in positions():
        assert searched(name, position, 2) == searched(name, position, 2, INCREMENTAL)


def test_incremental_evaluation_agrees_on_monitored_stones_too() -> None:
    """The marks of distant stones are no patterns, and must be kept beside them."""
    far = [(x, y, OTHER) for x, y in ((1, 1), (9, 1), (1, 9))]
    near = [(x, y, OWN) for x, y in ((5, 5), (6, 6), (5, 7))]
    stones = [stone for pair in zip(near, far, strict=True) for stone in pair]
    position = Position(SIZE, SIZE, 0, tuple((y * SIZE + x, owner) for x, y, owner in stones))
    search = boundary.Search(position, Deadline.after_ms(PLENTY_MS))
    assert boundary.DISTANT_SCORE in search.bound.values()
    assert searched("boundary", position, 3) == searched("boundary", position, 3, INCREMENTAL)
    without = boundary.Search(position, Deadline.after_ms(PLENTY_MS), Settings(3, frozenset({DISTANT})))
    assert boundary.DISTANT_SCORE not in without.bound.values()


@pytest.mark.parametrize(("name", "without"), [("minimax", ()), ("boundary", (TABLE,)), ("threat", ())])
def test_pruning_saves_nodes_and_keeps_the_move(name: str, without: tuple[str, ...]) -> None:
    for position in positions():
        cell, pruned = searched(name, position, 2, *without)
        whole_cell, whole = searched(name, position, 2, *without, PRUNING)
        assert cell == whole_cell
        assert pruned.nodes < whole.nodes


@pytest.mark.parametrize("name", ["minimax", "boundary"])
def test_without_pruning_the_order_does_not_change_the_count(name: str) -> None:
    without = (PRUNING,) if name == "minimax" else (PRUNING, TABLE)
    for position in positions():
        ordered, unordered = (searched(name, position, 2, *without, *more)[1] for more in ((), (ORDERING,)))
        assert ordered == unordered


def test_ordering_saves_nodes() -> None:
    for name in BRAINS:
        counts = [
            sum(searched(name, position, 3, *without)[1].nodes for position in positions())
            for without in ((), (ORDERING,))
        ]
        assert counts[0] < counts[1], name


def test_the_table_saves_nodes() -> None:
    position = positions()[0]
    assert searched("boundary", position, 4)[1].nodes < searched("boundary", position, 4, TABLE)[1].nodes


@EVERY_BRAIN
def test_without_candidates_every_empty_cell_is_one(name: str) -> None:
    for position in positions():
        assert searched(name, position, 1)[1].candidates < position.cells - len(position.stones)
        assert searched(name, position, 1, CANDIDATES)[1].candidates == position.cells - len(position.stones)


@pytest.mark.parametrize(("name", "limit"), [("boundary", boundary.MAX_CHILDREN), ("threat", threat.MAX_CANDIDATES)])
def test_without_a_move_limit_every_candidate_is_tried(name: str, limit: int) -> None:
    position = positions()[2]
    assert searched(name, position, 1)[1].nodes <= limit
    unlimited = searched(name, position, 1, MOVE_LIMIT)[1]
    assert limit < unlimited.nodes <= unlimited.candidates


def test_depth_0_of_threat_is_its_first_candidate() -> None:
    for position in positions():
        search = threat.Search(position, Deadline.after_ms(PLENTY_MS))
        first = search.heuristic(OWN, search.empty_places())[0]
        cell, told = searched("threat", position, 0)
        assert cell == first.cell
        assert (told.depth, told.nodes) == (0, 0)


def test_the_time_limit_of_minimax_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimax, "MAX_THINKING_MS", -1)
    position, told = positions()[1], list[Searched]()
    minimax.choose(position, Deadline.after_ms(PLENTY_MS), Settings(2), told.append)
    assert not told[0].is_complete
    assert searched("minimax", position, 2)[1].is_complete


# -- the command line --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BRAINS)
def test_a_process_tells_its_search(name: str) -> None:
    position = positions()[1]
    expected = searched(name, position, 1, ORDERING)[1]
    owners = {OWN: 1, OTHER: 2}
    stones = [f"{cell % SIZE},{cell // SIZE},{owners[stone]}" for cell, stone in position.stones]
    command = (sys.executable, "-m", f"tournament.brains.{name}", "--depth", "1", "--without", ORDERING)
    with BrainProcess(command) as brain:
        brain.start(SIZE, "timeout_turn 60000")
        brain.send("BOARD", *stones)
        answer = brain.ask("DONE")
    assert len(answer.messages) == 1
    assert re.fullmatch(rf"MESSAGE {re.escape(expected.text)} cpu \d+\.\d{{6}}", answer.messages[0])


def test_a_search_that_ran_out_of_time_says_so() -> None:
    assert Searched(4, 20, 31, True).text == "depth 4 n 20 of 31 candidates"
    assert Searched(4, 20, 31, False).text == "depth 4? n 20 of 31 candidates"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--depth", "0"), "the depth must be 1 to 20, not 0"),
        (("--depth", "21"), "the depth must be 1 to 20, not 21"),
        (("--depth", "x"), "argument --depth: invalid int value: 'x'"),
        (
            ("--without", "ordering,table"),
            "minimax has no table to leave out; it has candidates, ordering, incremental, pruning, time-limit",
        ),
        (("more",), "unrecognized arguments: more"),
    ],
)
def test_bad_command_lines_get_a_sentence(words: tuple[str, ...], reason: str) -> None:
    command = [sys.executable, "-m", "tournament.brains.minimax", *words]
    run = subprocess.run(command, input="", capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[-1] == f"minimax: error: {reason}"
