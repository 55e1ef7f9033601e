"""Positions with a VCF win: the engine's move is judged by a solver that shares nothing with it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pbrain.core.types import Budget, Limits, Move, Rule
from pbrain.engine.engine import Engine
from pbrain.engine.timeman import search_limits
from tests.fours import FoursSolver

ROOT = Path(__file__).resolve().parents[1]
EVERYDAY = ROOT / "tests" / "data"
FULL = Path(os.environ.get("KANAME_PUZZLES", ROOT.parent / "shared" / "data" / "puzzles"))
WIN_BY_VCF = 32  # the mode of renju puzzles with this label
SECOND = Limits(Budget(1000, 1000))
MAX_MOVES = 60

# Every ninth freestyle puzzle and every sixteenth of renju; all of them are bulk data that stays outside.
FOLDERS = [EVERYDAY, *([pytest.param(FULL, marks=pytest.mark.slow)] if FULL.is_dir() else [])]


def puzzles(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stones_of(puzzle: dict[str, Any]) -> dict[Move, str]:
    return {(x, y): name for name, key in (("X", "black"), ("O", "white")) for x, y in puzzle[key]}


def set_up(engine: Engine, puzzle: dict[str, Any], rule: Rule) -> str:
    """The position with the right side to move; the name of its stones."""
    engine.new_game(puzzle["size"], puzzle["size"], rule)
    mine, theirs = ("black", "white") if puzzle["side"] == "black" else ("white", "black")
    for key in (mine, theirs):  # the other side's stones come last, so that this one moves
        for x, y in puzzle[key]:
            engine.play(x, y, 0 if key == "black" else 1)
    assert engine.to_move == (0 if mine == "black" else 1)
    return "X" if mine == "black" else "O"


def think(engine: Engine) -> Move:
    engine.allow_thinking()
    return engine.think(search_limits(SECOND, engine.now_ns())).move


def wins_play_out(engine: Engine) -> bool:
    """Whether the side to move wins against the best defence that the engine knows."""
    me = engine.to_move
    for _ in range(MAX_MOVES):
        if engine.winner is not None or engine.is_full:
            break
        engine.play(*think(engine))
    return engine.winner == me


def solved(engine: Engine, puzzle: dict[str, Any], rule: Rule) -> bool:
    me = set_up(engine, puzzle, rule)
    move = think(engine)
    solver = FoursSolver(puzzle["size"], stones_of(puzzle), rule)
    assert not solver.is_foul(move, me), move
    return solver.wins_after_move(move, me) or wins_play_out(engine)


def share_solved(engine: Engine, chosen: list[dict[str, Any]], rule: Rule, capsys: pytest.CaptureFixture[str]) -> float:
    results = [solved(engine, puzzle, rule) for puzzle in chosen]
    with capsys.disabled():
        print(f"\n{rule.name} puzzles solved in a second each: {sum(results)} of {len(results)}")
    return sum(results) / len(results)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_freestyle_wins_by_vcf(engine: Engine, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = puzzles(folder / "vcf_freestyle_15.jsonl")
    assert len(chosen) >= 36
    assert share_solved(engine, chosen, Rule.FREESTYLE, capsys) >= 0.97


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_renju_wins_by_vcf(engine: Engine, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [puzzle for puzzle in puzzles(folder / "renju_15.jsonl") if puzzle["mode"] == WIN_BY_VCF]
    assert len(chosen) >= 15
    assert share_solved(engine, chosen, Rule.RENJU, capsys) >= 0.85


def test_the_solver_knows_the_lines_that_come_with_the_puzzles() -> None:
    for puzzle in puzzles(EVERYDAY / "vcf_freestyle_15.jsonl")[::2]:
        me = "X" if puzzle["side"] == "black" else "O"
        first = tuple(puzzle["freestyle_vcf_line"][0])
        assert FoursSolver(puzzle["size"], stones_of(puzzle), Rule.FREESTYLE).wins_after_move(first, me)


def test_the_solver_refuses_what_does_not_win() -> None:
    open_three = {(5, 7): "X", (6, 7): "X", (7, 7): "X"}
    solver = FoursSolver(15, open_three, Rule.FREESTYLE)
    assert solver.wins("X")
    assert not solver.wins("O")
    assert solver.wins_after_move((8, 7), "X")
    assert not solver.wins_after_move((5, 8), "X")
    half = FoursSolver(15, {**open_three, (4, 7): "O"}, Rule.FREESTYLE)
    assert not half.wins("X")
    overline = FoursSolver(15, {(x, 7): "X" for x in (3, 4, 5, 7, 8)}, Rule.RENJU)
    assert not overline.makes_five((6, 7), "X")
    assert overline.is_foul((6, 7), "X")
