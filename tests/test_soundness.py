"""What the engine calls proven is true: an independent solver that tries every legal reply agrees, in every rule."""

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from pbrain.core.types import Limits, Report, Rule
from pbrain.engine.engine import Engine
from pbrain.engine.timeman import search_limits
from tests.solver import Move, Solver, Stone

EVERYDAY_POSITIONS, FULL_POSITIONS = 200, 20_000
SIZES = ((9, 9), (11, 11), (15, 15), (13, 8))
MAX_CHECKED_WIN, MAX_CHECKED_LOSS, MAX_FOUND_WIN = 7, 8, 5
DEPTH = 8
SELF_PLAY_NODES = 300
TABLE_BYTES = 1 << 20  # a clean table per position costs nothing at this size
COMPASS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
GAME_PLIES = range(6, 60)  # of self-play: the positions that are looked at


class Position(NamedTuple):
    name: str
    rule: Rule
    size: Move
    stones: tuple[Stone, ...]
    to_move: int

    def __str__(self) -> str:
        cells = [" ".join(f"{x},{y}" for x, y, colour in self.stones if colour == side) for side in (0, 1)]
        width, height = self.size
        return (
            f"{self.name}: rule {self.rule:d}, {width}x{height}, black {cells[0]}, white {cells[1]}, "
            f"{('black', 'white')[self.to_move]} to move"
        )


POSITION = re.compile(r"rule (\d+), (\d+)x(\d+), black ([\d, ]+), white ([\d, ]+), (black|white) to move")


def parse(text: str) -> Position:
    """A position as a failure prints it."""
    match = POSITION.search(text)
    assert match is not None, text
    rule, width, height, black, white, mover = match.groups()
    cells = [[tuple(map(int, cell.split(","))) for cell in side.split()] for side in (black, white)]
    stones = tuple((x, y, colour) for colour, side in enumerate(cells) for x, y in side)
    return Position("known", Rule(int(rule)), (int(width), int(height)), stones, int(mover == "white"))


class Findings:
    """What was checked, and each fault as a line of text that reproduces it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def __str__(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))


@cache
def solver_for(size: Move, rule: Rule) -> Solver:
    return Solver(*size, rule)


# -- positions ---------------------------------------------------------------------------------------------------------


def random_move(solver: Solver, stones: list[Stone], size: Move, rng: random.Random) -> Move | None:
    """A legal move near a stone, mostly in line with one, that wins nothing; None if twenty tries find none."""
    (width, height), colour = size, len(stones) % 2
    taken = {(x, y) for x, y, _ in stones}
    for _ in range(20):
        x, y, _ = rng.choice(stones) if stones else (width // 2, height // 2, colour)
        if rng.random() < 0.7:
            (dx, dy), distance = rng.choice(COMPASS), rng.choice((1, 1, 1, 2, 2, 3))
            x, y = x + distance * dx, y + distance * dy
        else:
            x, y = x + rng.randint(-2, 2), y + rng.randint(-2, 2)
        is_free = 0 <= x < width and 0 <= y < height and (x, y) not in taken
        if is_free and not solver.makes_five(x, y, colour) and not solver.is_foul(x, y, colour):
            return x, y
    return None


def scattered(rule: Rule, size: Move, count: int, rng: random.Random) -> list[Stone] | None:
    """Random stones near each other, in turn, none of which wins or is a foul."""
    solver, stones = solver_for(size, rule), list[Stone]()
    solver.set_position(())
    for _ in range(count):
        move = random_move(solver, stones, size, rng)
        if move is None:
            return None
        stones.append((*move, len(stones) % 2))
        solver.play(*stones[-1])
    return stones


def random_positions(rule: Rule, seed: int, count: int) -> Iterator[Position]:
    """Positions of 10 to 40 stones in which the side to move cannot win at once."""
    for i in range(count):
        rng = random.Random(f"{seed} {i} {rule}")
        stones, size = None, SIZES[0]
        while stones is None or solver_for(size, rule).wins(len(stones) % 2, 1):
            size = rng.choice(SIZES)
            stones = scattered(rule, size, rng.randint(10, 40), rng)
        yield Position(f"random {seed}/{i}", rule, size, tuple(stones), len(stones) % 2)


def game_positions(engine: Engine, rule: Rule, seed: int) -> Iterator[Position]:
    """The positions of one game of the engine against itself, a fourth of its moves random; its table is kept."""
    rng = random.Random(f"{seed} game {rule}")
    size = rng.choice(SIZES)
    stones = scattered(rule, size, GAME_PLIES[0], rng) or []
    solver = solver_for(size, rule)
    engine.new_game(*size, rule)
    for ply in GAME_PLIES:
        if len(stones) == size[0] * size[1]:
            return
        position = Position(f"game {seed} ply {ply}", rule, size, tuple(stones), ply % 2)
        yield position
        solver.set_position(stones)
        move = random_move(solver, stones, size, rng) if rng.random() < 0.25 else None
        if move is None:
            set_up(engine, position)
            move = think(engine, Limits(nodes=SELF_PLAY_NODES))[-1].move
        if solver.makes_five(*move, ply % 2):
            return
        stones.append((*move, ply % 2))


def set_up(engine: Engine, position: Position) -> None:
    """Place the stones; the table is emptied only if the size or the rule changes."""
    if (engine.size, engine.rule) != (position.size, position.rule):
        engine.new_game(*position.size, position.rule)
    engine.set_position(list(position.stones), position.to_move)


def think(engine: Engine, limits: Limits, lines: int = 1) -> list[Report]:
    """What the engine says after each iteration, and its result."""
    reports: list[Report] = []
    engine.allow_thinking()
    result = engine.think(search_limits(limits, engine.now_ns()), reports.append, lines)
    return [*reports, result]


# -- claims ------------------------------------------------------------------------------------------------------------


def refutations(solver: Solver, position: Position, mover: int, plies: int) -> list[Move]:
    """The mover's legal moves after which the opponent does not win within so many plies."""
    width, height = position.size
    taken = {(x, y) for x, y, _ in position.stones}
    found = []
    for x, y in [(x, y) for y in range(height) for x in range(width) if (x, y) not in taken]:
        if not solver.is_foul(x, y, mover):
            is_five = solver.makes_five(x, y, mover)
            solver.play(x, y, mover)
            if is_five or not solver.wins(1 - mover, plies):
                found.append((x, y))
            solver.take_off(x, y)
    return found


def fault_of_win(solver: Solver, position: Position, move: Move, plies: int) -> str | None:
    """Why the move does not win within so many plies, or None if it does."""
    me, opponent = position.to_move, 1 - position.to_move
    if plies == 1:
        return None if solver.makes_five(*move, me) else "no five"
    if solver.is_foul(*move, me):
        return "a foul"
    solver.play(*move, me)
    after = position._replace(stones=(*position.stones, (*move, me)))
    is_true = solver.loses(opponent, plies - 1)
    fault = None if is_true else f"refuted by {refutations(solver, after, opponent, plies - 2)}"
    solver.take_off(*move)
    return fault


def fault_of_loss(solver: Solver, position: Position, report: Report, plies: int) -> str | None:
    """Why the side to move does not lose within so many plies, or, of a lower rank, why the move does not lose."""
    me, move = position.to_move, report.move
    if report.rank == 1:
        if solver.loses(me, plies):
            return None
        return f"refuted by {refutations(solver, position, me, plies - 1)}"
    if solver.is_foul(*move, me):
        return None
    solver.play(*move, me)
    is_true = solver.wins(1 - me, plies - 1)
    solver.take_off(*move)
    return None if is_true else "the move holds"


def check_claims(position: Position, reports: list[Report], findings: Findings) -> None:
    """Hold every claim to the solver; iterations that repeat a claim are checked once."""
    solver = solver_for(position.size, position.rule)
    seen = set()
    for report in reports:
        plies = report.win_in
        if plies is None or (claim := (report.move, plies, report.rank > 1)) in seen:
            continue
        seen.add(claim)
        if 0 < plies <= MAX_CHECKED_WIN:
            findings.counts[f"wins in {plies}"] += 1
            fault = fault_of_win(solver, position, report.move, plies)
        elif -MAX_CHECKED_LOSS <= plies < 0:
            findings.counts[f"losses in {-plies}"] += 1
            fault = fault_of_loss(solver, position, report, -plies)
        else:
            continue
        if fault is not None:
            findings.counts["false"] += 1
            words = f"{'win' if plies > 0 else 'loss'} in {abs(plies)} by {report.move} at depth {report.depth}"
            findings.faults.append(f"{position}; claim: {words}, line {report.rank}: {fault}")


def check(engine: Engine, position: Position, lines: int, findings: Findings) -> None:
    set_up(engine, position)
    reports = think(engine, Limits(depth=DEPTH, is_analysis=True), lines)
    solver = solver_for(position.size, position.rule)
    solver.set_position(position.stones)
    findings.counts["positions"] += 1
    check_claims(position, reports, findings)
    if solver.wins(position.to_move, MAX_FOUND_WIN):
        findings.counts[f"won in at most {MAX_FOUND_WIN}"] += 1
        if (reports[-1].win_in or 0) <= 0:
            findings.counts["missed"] += 1
            findings.faults.append(f"{position}; no win claimed, and there is one in at most {MAX_FOUND_WIN}")


def check_rule(engine: Engine, rule: Rule, count: int, seed: int) -> Findings:
    """Half of the positions random, each with a clean table; half from self-play, with one table per game."""
    findings, began = Findings(), time.perf_counter()
    engine.set_table_bytes(TABLE_BYTES)
    for i, position in enumerate(random_positions(rule, seed, count // 2)):
        engine.clear_table()
        check(engine, position, 3 if i % 4 == 0 else 1, findings)
    game = 0
    while findings.counts["positions"] < count:
        for i, position in enumerate(game_positions(engine, rule, seed + game)):
            check(engine, position, 3 if i % 4 == 0 else 1, findings)
        game += 1
    print(f"{rule.name}: {findings}; {time.perf_counter() - began:.0f} s")
    return findings


# White's defence is a cell that is forbidden to black, or black's double three hides a four of his.
FORBIDDEN_TO_BLACK = (
    "rule 4, 11x11, black 5,5 5,8 4,5 3,6 4,6 6,7 5,7 3,8, white 7,6 8,8 4,8 4,10 7,4 2,5 6,9 5,6, black to move",
    "rule 4, 9x9, black 4,4 7,5 6,2 5,5 6,5 3,3 8,4 5,3, white 5,4 7,4 6,4 6,6 8,8 7,0 6,3, white to move",
    "rule 4, 15x15, black 7,7 7,8 6,7 5,8 7,9 8,13 10,4 2,9 6,10 4,10 9,14 5,10, "
    "white 8,5 9,9 8,11 10,13 6,8 4,7 3,9 11,11 5,7 3,11 9,6, white to move",
    "rule 4, 11x11, black 5,5 6,4 8,4 1,8 8,6 7,4 1,7 0,8 5,2 10,5 5,6, "
    "white 3,6 7,3 9,6 1,4 8,2 6,2 1,6 4,6 9,1 3,5 0,6, black to move",
    "rule 4, 15x15, black 6,9 9,8 8,9 9,9 7,10 8,12 8,10 6,10 9,7, "
    "white 7,8 8,7 6,7 7,9 10,7 7,12 8,11 7,7, white to move",
)
# The move that holds longest loses to a VCF, and the other moves lose sooner.
LONGEST_DEFENCE_LOSES_TO_FOURS = (
    "rule 0, 9x9, black 4,4 5,6 2,4 4,6 6,5 6,4, white 4,2 7,7 2,3 3,5 4,3, white to move",
    "rule 0, 15x15, black 7,7 8,5 10,3 8,7 10,6 9,6, white 9,5 9,4 7,3 8,4 9,3 7,4, black to move",
    "rule 1, 13x8, black 5,4 3,5 4,6 0,5 4,4 4,5, white 5,7 6,4 3,4 1,7 6,7, white to move",
    "rule 4, 11x11, black 5,5 1,4 2,5 6,3 4,4 4,7 2,4 3,3, white 3,4 5,4 7,4 6,5 6,6 1,6 3,6, white to move",
    "rule 8, 9x9, black 4,4 2,3 1,4 2,4 3,2 2,2 2,1 4,2 4,3, white 5,6 4,6 1,5 3,4 4,1 2,5 2,0 5,2, white to move",
    "rule 9, 13x8, black 6,4 6,3 5,1 4,4 5,3 2,2 7,4 6,2, white 5,2 5,4 4,6 3,5 8,5 10,6 6,5, white to move",
)
# White wins by a four that black may not block.
FOUR_THAT_BLACK_MAY_NOT_BLOCK = (
    "rule 4, 13x8, black 5,5 4,6 6,4 3,5 5,4 4,7 3,6, white 7,7 9,5 4,5 7,3 5,7 5,6, white to move",
    "rule 4, 15x15, black 4,4 3,2 6,4 3,7 1,2 3,3 1,6, white 4,3 2,1 5,1 5,4 2,4 6,0, white to move",
    "rule 4, 15x15, black 6,6 5,5 5,2 7,5 6,3 3,8, white 7,4 7,3 5,3 5,7 5,6, white to move",
    "rule 4, 11x11, black 6,6 5,5 4,6 4,5 8,4, white 8,6 6,4 7,9 9,10, white to move",
)
KNOWN = FORBIDDEN_TO_BLACK + LONGEST_DEFENCE_LOSES_TO_FOURS + FOUR_THAT_BLACK_MAY_NOT_BLOCK


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("text", KNOWN, ids=lambda text: text.split(",")[0])
def test_proofs_that_need_every_reply_are_true(engine: Engine, text: str, lines: int) -> None:
    findings = Findings()
    check(engine, parse(text), lines, findings)
    assert not findings.faults, "\n".join(findings.faults)


def test_a_cell_forbidden_to_black_defends_against_an_open_three(engine: Engine) -> None:
    """White holds with 4,7: black may not play there."""
    position = parse(
        "rule 4, 15x15, black 5,7 6,7 7,7 4,4 4,5 4,6 4,8 4,9 9,9, "
        "white 4,3 4,10 3,11 5,5 2,9 2,2 5,10 12,4 1,10, white to move"
    )
    solver = solver_for(position.size, position.rule)
    solver.set_position(position.stones)
    assert solver.is_foul(4, 7, 0)
    solver.play(4, 7, 1)
    assert not solver.wins(0, 9)
    set_up(engine, position)
    report = think(engine, Limits(depth=DEPTH, is_analysis=True))[-1]
    assert report.win_in is None or report.win_in > 0, report


@pytest.mark.parametrize("rule", Rule)
def test_proofs_are_true(engine: Engine, rule: Rule) -> None:
    findings = check_rule(engine, rule, EVERYDAY_POSITIONS, seed=1)
    assert not findings.faults, "\n".join(findings.faults)
    assert findings.counts[f"won in at most {MAX_FOUND_WIN}"] > EVERYDAY_POSITIONS // 20


@pytest.mark.slow
@pytest.mark.parametrize("rule", Rule)
def test_proofs_are_true_in_full(engine: Engine, rule: Rule) -> None:
    findings = check_rule(engine, rule, FULL_POSITIONS, seed=1_000_000)
    assert not findings.faults, "\n".join(findings.faults)
