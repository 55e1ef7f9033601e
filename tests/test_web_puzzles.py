"""The page's puzzles, checked by solvers that share no code with the engine, and how they are made."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pbrain.core.notation import parse_position
from pbrain.core.types import Move, Rule
from pbrain.engine.engine import Engine
from pbrain.learn.puzzles import FOURS, THREATS, make_puzzles, puzzles_from, text_of
from pbrain.web.page import PUZZLES
from tests.fours import FoursSolver
from tests.solver import Solver

COLOURS = "XO"
CARO = (Rule.CARO, Rule.CARO_EXACT_FIVE)
MIN_BY_FOURS = 100


class Puzzle(NamedTuple):
    rule: Rule
    size: int
    moves: list[Move]
    kind: str
    plies: int
    solution: list[Move]

    @property
    def attacker(self) -> int:
        return len(self.moves) % 2


def puzzles_of(text: str) -> Iterator[Puzzle]:
    for line in text.splitlines():
        if not line.startswith("#"):
            rule, size, moves, kind, plies, solution = line.split("\t")
            known = parse_position(moves), kind, int(plies), parse_position(solution)
            yield Puzzle(Rule(int(rule)), int(size), *known)


SHIPPED = list(puzzles_of(PUZZLES.read_text(encoding="ascii")))


def fours_solver(puzzle: Puzzle) -> FoursSolver:
    stones = {move: COLOURS[ply % 2] for ply, move in enumerate(puzzle.moves)}
    return FoursSolver(puzzle.size, stones, int(puzzle.rule))


def check_fours(puzzle: Puzzle) -> None:
    """Each stone is a four whose only stop is the solution's reply; the last makes five."""
    solver, me, opponent = fours_solver(puzzle), COLOURS[puzzle.attacker], COLOURS[1 - puzzle.attacker]
    *line, last = puzzle.solution
    for four, reply in zip(line[::2], line[1::2], strict=True):
        assert not solver.fives(opponent) - {four}, puzzle
        assert not solver.is_foul(four, me), puzzle
        solver.place(four, me)
        assert solver.fives(me), puzzle
        assert solver.fives(me) == {reply} or (reply in solver.fives(me) and four == line[-2]), puzzle
        assert not solver.makes_five(reply, opponent), puzzle
        solver.place(reply, opponent)
    assert solver.makes_five(last, me), puzzle


def test_there_are_enough_of_every_rule() -> None:
    by_fours = [puzzle for puzzle in SHIPPED if puzzle.kind == FOURS]
    assert len(by_fours) >= MIN_BY_FOURS
    assert {puzzle.rule for puzzle in by_fours} == set(Rule)
    assert any(puzzle.kind == THREATS for puzzle in SHIPPED)
    assert len({str(puzzle.moves) for puzzle in SHIPPED}) == len(SHIPPED)
    assert {puzzle.attacker for puzzle in by_fours} == {0, 1}


def test_every_solution_is_legal_and_ends_with_a_five(engine: Engine) -> None:
    for puzzle in SHIPPED:
        engine.new_game(puzzle.size, puzzle.size, puzzle.rule)
        for move in [*puzzle.moves, *puzzle.solution]:
            assert engine.winner is None, puzzle
            assert engine.to_move == 1 or not engine.is_forbidden(*move), puzzle
            engine.play(*move)
        assert engine.winner == puzzle.attacker, puzzle
        assert len(puzzle.solution) == puzzle.plies, puzzle


def test_every_win_by_fours_is_forced() -> None:
    """In caro a four has several stops: the solver that tries every reply checks those."""
    for puzzle in SHIPPED:
        if puzzle.kind == FOURS and puzzle.rule not in CARO:
            check_fours(puzzle)


def test_the_solver_that_tries_every_reply_wins_the_others() -> None:
    solvers: dict[tuple[int, Rule], Solver] = {}
    for puzzle in SHIPPED:
        if puzzle.kind == THREATS or puzzle.rule in CARO:
            key = puzzle.size, puzzle.rule
            solver = solvers.setdefault(key, Solver(puzzle.size, puzzle.size, int(puzzle.rule)))
            solver.set_position((x, y, ply % 2) for ply, (x, y) in enumerate(puzzle.moves))
            solver.play(*puzzle.solution[0], puzzle.attacker)
            assert solver.loses(1 - puzzle.attacker, puzzle.plies - 1), puzzle


def test_a_puzzle_is_made_again_from_its_position(engine: Engine) -> None:
    """The first of each rule, from the stones alone."""
    engine.set_table_bytes(16 << 20)
    firsts = {puzzle.rule: puzzle for puzzle in reversed(SHIPPED) if puzzle.kind == FOURS}
    for puzzle in firsts.values():
        made = next(puzzles_from(engine, puzzle.rule, puzzle.size, tuple(puzzle.moves)))
        again = next(puzzles_of(text_of([made])))
        assert (again.plies, again.solution[0]) == (puzzle.plies, puzzle.solution[0])


def test_a_folder_without_games_has_no_puzzles(engine: Engine, tmp_path: Path) -> None:
    assert make_puzzles(engine, tmp_path, 5, print) == []
    with pytest.raises(StopIteration):
        next(puzzles_from(engine, Rule.FREESTYLE, 15, tuple(parse_position("h8i9"))))
