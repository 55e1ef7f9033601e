"""Puzzles from games of self-play: positions in which the side to move wins, and only one move does so.

A file has a line for each: rule, size, the moves so far, `fours` or `threats`, the plies to the win, the solution.
A win by fours was proven by the VCF. A win by threats was proven by the search, and there is no VCF.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pbrain.core.notation import cell_name
from pbrain.core.params import WIN, WIN_BOUND
from pbrain.core.types import Move, Report, Rule, SearchLimits
from pbrain.engine.engine import Engine
from pbrain.learn.game_format import Games
from pbrain.learn.games_folder import GamesFolder

FOURS, THREATS = "fours", "threats"
# Plies to the win: shorter ones show themselves, longer ones are too much for most people, or for the tests' solver.
PLIES = {FOURS: range(5, 16), THREATS: range(5, 10)}
SHARE_OF_THREATS = 0.15
MAX_SIZE = 15  # larger boards have small cells on a phone
MAX_STONES = 44
ROOT_FOURS, VCF_NODES = 40, 200_000
SEARCH_NODES = 30_000
MAX_PLIES_ON = 8  # how far to follow a win
HEADER = "# rule, size, moves, kind, plies, solution; made by `python -m pbrain puzzles`\n"


class Puzzle(NamedTuple):
    rule: Rule
    size: int
    moves: tuple[Move, ...]
    kind: str
    plies: int
    solution: tuple[Move, ...]


def make_puzzles(engine: Engine, folder: Path, count: int, tell: Callable[[str], None]) -> list[Puzzle]:
    """Up to so many puzzles from the games of a generation, one per game, by length; a fixed share of threats."""
    wanted = {THREATS: round(SHARE_OF_THREATS * count)}
    wanted[FOURS] = count - wanted[THREATS]
    found: dict[str, list[Puzzle]] = {FOURS: [], THREATS: []}
    for puzzle in puzzles_in(engine, GamesFolder(folder / "generation-000" / "games").load()):
        if len(found[puzzle.kind]) < wanted[puzzle.kind]:
            found[puzzle.kind].append(puzzle)
            tell(f"{sum(map(len, found.values()))} of {count} puzzles")
        if all(len(found[kind]) == wanted[kind] for kind in found):
            break
    return sorted(found[FOURS], key=lambda each: each.plies) + sorted(found[THREATS], key=lambda each: each.plies)


def puzzles_in(engine: Engine, games: Games) -> Iterator[Puzzle]:
    """The first puzzle of each kind of each game that has one."""
    for i in range(len(games.number)):
        width, height = int(games.width[i]), int(games.height[i])
        if width != height or width > MAX_SIZE:
            continue
        opening = games.opening[games.opening_starts[i] : games.opening_starts[i + 1]]
        turns = slice(games.starts[i], games.starts[i + 1])
        cells = [*map(int, opening), *map(int, games.cell[turns])]
        moves = [(cell % width, cell // width) for cell in cells]
        won = [len(opening) + n for n, score in enumerate(games.score[turns]) if score >= WIN_BOUND]
        if won:
            yield from puzzles_from(engine, Rule(int(games.rule[i])), width, tuple(moves[: won[0]]))


def puzzles_from(engine: Engine, rule: Rule, size: int, moves: tuple[Move, ...]) -> Iterator[Puzzle]:
    """The puzzles, one of each kind, of a position that is won and of those that follow if both sides play their best.

    A game ends when a win is proven, often long before it can be had by fours.
    """
    set_up(engine, rule, size, moves)
    line = searched(engine, 1)[0].line
    kinds: set[str] = set()
    for plies in range(0, min(len(line), MAX_PLIES_ON), 2):
        puzzle = puzzle_of(engine, rule, size, moves + line[:plies])
        if puzzle is not None and puzzle.kind not in kinds:
            kinds.add(puzzle.kind)
            yield puzzle


def set_up(engine: Engine, rule: Rule, size: int, moves: tuple[Move, ...]) -> None:
    engine.new_game(size, size, rule)
    for move in moves:
        engine.play(*move)


def puzzle_of(engine: Engine, rule: Rule, size: int, moves: tuple[Move, ...]) -> Puzzle | None:
    """The puzzle of a position, or None if it is too short, too long, too crowded, or has several solutions."""
    if len(moves) > MAX_STONES:
        return None
    set_up(engine, rule, size, moves)
    if engine.winner is not None:
        return None
    kind = FOURS if engine.wins_by_fours(ROOT_FOURS, VCF_NODES) else THREATS
    best = searched(engine, 1)[0]
    plies = WIN - best.score
    if best.score < WIN_BOUND or plies not in PLIES[kind] or len(best.line) != plies:
        return None
    if searched(engine, 2)[-1].score >= WIN_BOUND:
        return None
    return Puzzle(rule, size, moves, kind, plies, best.line)


def searched(engine: Engine, lines: int) -> list[Report]:
    """The best lines of a search of so many nodes, the best first."""
    found: dict[int, Report] = {}
    limits = SearchLimits(engine.now_ns(), nodes=SEARCH_NODES, is_analysis=True)
    best = engine.think(limits, lambda report: found.update({report.rank: report}), lines)
    return [found[rank] for rank in sorted(found)] or [best]


def text_of(puzzles: list[Puzzle]) -> str:
    """The file of puzzles."""
    lines = [
        f"{int(rule)}\t{size}\t{''.join(map(cell_name, moves))}\t{kind}\t{plies}\t{''.join(map(cell_name, solution))}\n"
        for rule, size, moves, kind, plies, solution in puzzles
    ]
    return HEADER + "".join(lines)
