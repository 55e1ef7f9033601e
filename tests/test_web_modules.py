"""The page's modules without a page: files, links, levels, words, Swap2, and an engine like the native one."""

import base64
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from pbrain import bench
from pbrain.console.psq import TimedMove, psq_text
from pbrain.core import layout
from pbrain.core.notation import parse_position
from pbrain.core.types import Budget, Clock, Report, Rule, SearchLimits
from pbrain.engine import opening, smp, swap2, timeman
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import kernel_tables, knowledge_for
from pbrain.library.native import Library
from pbrain.pages.bundle import script_of
from pbrain.web.module import memory_flag, module_path
from pbrain.web.page import PUZZLES, bench_data
from tests.node import WEB, evaluated
from tests.report_events import game as game_record
from tournament.core.model import Board
from tournament.core.openings import shipped_openings
from tournament.views.export import psq, sgf

BOARD = {"width": 15, "height": 15, "rule": 0}
IN_NODE = Path(__file__).with_name("engine_in_node.js")
GOMOCUP = Path(__file__).with_name("data") / "gomocup.psq"
READ = """
const read = (text) => {
  try {
    return module_reading.readGame(text, board);
  } catch (error) {
    if (error.constructor.name !== "GameError") throw error;
    return error.message;
  }
};
return texts.map(read);
"""


def read(*texts: str, **board: int) -> list[Any]:
    """The game of each text, or the sentence that refuses it."""
    return list(evaluated("reading", READ, texts=texts, board={**BOARD, **board}))


# -- files and links ---------------------------------------------------------------------------------------------------


def test_a_game_comes_back_from_every_form() -> None:
    moves = [list(move) for move in parse_position("h8i9g7a1o15")]
    timed = [TimedMove((x, y), 12.0) for x, y in moves]
    own = evaluated(
        "files_view",
        "return [module_psq.psqText(game), module_sgf.sgfText(game), module_position_link.fragmentOf(game)];",
        game={**BOARD, "moves": moves, "shown": 5},
    )
    texts = [psq_text((15, 15), (0, 1), timed), *own, f"file:///x/kaname.html{own[2]}", "h8 i9, g7\na1 O15"]
    assert read(*texts) == [{**BOARD, "moves": moves, "shown": 5}] * len(texts)


def test_files_of_piskvork_and_of_the_runner_are_read() -> None:
    record = game_record(1, "anna", "]bert\\", 0)
    moves = [*record.plan.opening.moves, *((move.x, move.y) for move in record.moves)]
    found = read(GOMOCUP.read_text(), psq(record), sgf(record, "a cup"), rule=4)
    assert (found[0]["width"], len(found[0]["moves"])) == (20, 16)
    for game in found[1:]:
        assert [tuple(move) for move in game["moves"]] == moves
    assert [game["rule"] for game in found] == [4, 4, record.board.rule], "a psq file names no rule"


def test_the_rule_and_a_rectangle_survive_a_file() -> None:
    game = {"width": 22, "height": 7, "rule": 9, "moves": [[21, 6], [0, 0]], "shown": 1}
    expression = "return [module_sgf.sgfText(game), module_position_link.fragmentOf(game)];"
    as_sgf, link = evaluated("files_view", expression, game=game)
    assert read(as_sgf, link) == [{**game, "shown": 2}, game]


MALFORMED = {
    "": "There is no position in an empty text.",
    "hello": "“hello” is not a list of cells such as h8i9.",
    "h8i": "is not a list of cells",
    "h0": "is not a list of cells",
    "h8" * 3000: "too long",
    "<img src=x onerror=hacked=1>": "is not a list of cells",
    "Piskvorky": "A psq file begins with",
    "Piskvorky 99x99, 1:1, 0\n1,1,0": "A board has 5 to 22 cells in each direction, not 99 by 99.",
    "Piskvorky 15x15, 1:1, 0\n1,1": "Line 2 is no stone",
    "Piskvorky 15x15, 1:1, 0\n1,1,x": "Line 2 is no stone",
    "(;GM[4]SZ[15];B[hh": "ends within a value",
    "(;GM[4]SZ[15];B[hh]": "is cut off",
    "(;GM[4]SZ[15];W[hh])": "Stone 1 of that SGF file is not black's.",
    "(;GM[4]SZ[15];B[h!])": "“h!” is not a point",
    "(;SZ[many];B[hh])": "“many” is not the size",
    "(;SZ[15]AB[aa][bb])": "places stones without an order",
    "(;[x])": "a value that belongs to nothing",
    "(;B[hh]{})": "is out of place",
    "#moves=h8&size=3": "A board has 5 to 22 cells",
    "#moves=h8&size=big": "“big” is not the size of a board.",
    "#moves=h8&rule=7": "There is no rule 7.",
    "#moves=h8&rule=x": "“x” is not a number for rule.",
    "#moves=h8&colour=3": "has no “colour”",
    "#moves=%zz": "is not a list of cells",
}


def test_malformed_texts_get_one_sentence() -> None:
    found = read(*MALFORMED)
    for (text, wanted), sentence in zip(MALFORMED.items(), found, strict=True):
        assert isinstance(sentence, str), text
        assert wanted in sentence, text
        assert re.fullmatch(r"[^\n]{10,160}\.", sentence), sentence


def test_no_text_at_all_makes_the_readers_throw_anything_else() -> None:
    """Pieces of every form, put together at random: a game, or a sentence."""
    rng = random.Random(5)
    pieces = ["Piskvorky 15x15, 1:1, 0\n", "8,8,0\n", "(;", "SZ[15]", "B[hh]", ";W[ii]", ")", "[", "]", "\\", "h8",
              "i9", "#moves=", "&size=15", "&rule=4", "é", "<b>", "\0", " ", "-1"]  # fmt: skip
    texts = ["".join(rng.choices(pieces, k=rng.randint(1, 12))) for _ in range(2000)]
    found = read(*texts)
    assert sum(isinstance(each, dict) for each in found) > 20
    assert all(isinstance(each, dict | str) for each in found)


# -- the game ----------------------------------------------------------------------------------------------------------


def test_undo_leads_to_a_person_and_redo_back() -> None:
    expression = "return steps.map(([game, step, people]) => module_game.stonesAfterStep(game, step, people));"
    game = {"moves": [[0, 0]] * 6}
    steps = [
        ({**game, "shown": 6}, -1, [True, False], 4),
        ({**game, "shown": 5}, -1, [True, False], 4),
        ({**game, "shown": 4}, 1, [True, False], 6),
        ({**game, "shown": 6}, -1, [True, True], 5),
        ({**game, "shown": 6}, -1, [False, True], 5),
        ({**game, "shown": 1}, -1, [False, True], 0),
        ({**game, "shown": 0}, -1, [True, True], 0),
        ({**game, "shown": 6}, 1, [True, True], 6),
        ({**game, "shown": 6}, -1, [False, False], 5),
    ]
    found = evaluated("game", expression, steps=[each[:3] for each in steps])
    assert found == [each[3] for each in steps]


def test_mistakes_are_lost_wins_losses_and_large_drops() -> None:
    scores = [0, 20, -150, -160, 29_990, 100, 29_995, None, 0]
    found = evaluated("mistakes", "return module_mistakes.mistakesIn(scores);", scores=scores)
    assert found == [
        {"stones": 4, "what": "loses"},
        {"stones": 5, "what": "misses a win"},
        {"stones": 6, "what": "loses"},
    ]
    drop = evaluated("mistakes", "return module_mistakes.mistakesIn([0, -299, -299, -600]);")
    assert drop == [{"stones": 3, "what": "gives away much"}]


def test_scores_have_words() -> None:
    scores = [0, 150, -400, 900, 29_993, -29_992, 30_000]
    words = evaluated("words", "return scores.map(module_words.scoreWords);", scores=scores)
    assert words == [
        "Both sides are about equal", "Black is slightly better", "White is better", "Black is much better",
        "Black wins in 7", "White wins in 8", "Black has won",
    ]  # fmt: skip
    shares = evaluated("words", "return scores.map(module_words.blackShare);", scores=[-30_000, -400, 0, 400, 30_000])
    assert shares == [0, 0.25, 0.5, 0.75, 1]


def test_weak_levels_draw_among_moves_and_never_miss_a_win() -> None:
    lines = [{"score": score, "line": [[i, 0]]} for i, score in enumerate((100, 90, -200, -29_990))]
    expression = """
    const all = Array.from({ length: 1000 }, (_, i) => i / 1000);
    const drawn = (lines, level) => all.map((random) => module_levels.drawn(lines, level, random).score);
    const won = [{ score: 29995 }, { score: 29990 }, { score: 0 }];
    return [...[0, 1, 2, 3].map((level) => drawn(lines, level)), drawn(won, 0)];
    """
    beginner, easy, medium, strong, won = evaluated("levels", expression, lines=lines)
    worst = [sum(score < 0 for score in level) for level in (beginner, easy, medium, strong)]
    assert worst == sorted(worst, reverse=True)
    assert worst[0] > 100
    assert worst[3] == 0
    assert set(strong) == {100}
    assert set(won) == {29_995}


def test_swap2_gives_each_side_its_colour() -> None:
    expression = """
    const { beginSwap2, afterStones, afterChoice, actor } = module_swap2_phases;
    return paths.map((path) => {
      let at = beginSwap2(["a", "b"]);
      const actors = [actor(at)];
      for (const step of path) {
        at = typeof step === "number" ? afterStones(at, step) : afterChoice(at, step);
        actors.push(actor(at));
      }
      return [at.players, actors];
    });
    """
    paths = [[3, "white"], [3, "black"], [3, "two", 5, "white"], [3, "two", 5, "black"]]
    found = evaluated("swap2_phases", expression, paths=paths)
    assert [players for players, _ in found] == [["a", "b"], ["b", "a"], ["b", "a"], ["a", "b"]]
    assert found[2][1] == ["a", "b", "b", "a", None]


# -- the engine --------------------------------------------------------------------------------------------------------


def test_thinking_time_first_moves_and_swap2_are_the_engines_own() -> None:
    turns = [100, 200, 500, 1000, 5000, 30_000]
    budgets = evaluated("timing", "return turns.map(module_timing.budget);", turns=turns)
    assert [Budget(each, each) for each in budgets] == [timeman.budget(Clock(turn), 0) for turn in turns]
    boards = [
        ((w, h), [] if n < 0 else [(n % w, n // w)])
        for w, h in ((15, 15), (20, 20), (6, 6), (22, 7))
        for n in range(-1, w * h)
    ]
    first = evaluated(
        "opening", "return boards.map(([size, moves]) => module_opening.firstMove(size, moves));", boards=boards
    )
    assert [None if move is None else tuple(move) for move in first] == [opening.first_move(*each) for each in boards]
    text = (Path(__file__).resolve().parents[1] / "pbrain" / "web" / "swap2.js").read_text()
    shapes = json.loads(re.sub(r",(\s*\])", r"\1", text.partition("SHAPES = ")[2].partition(";")[0]))
    assert [tuple(tuple(stone) for stone in shape) for shape in shapes] == list(swap2.SHAPES)
    assert f"BALANCED = {swap2.BALANCED};" in text


def test_threads_vote_as_natively() -> None:
    rng = random.Random(2)

    def report() -> Report:
        score = rng.choice((29_990, rng.randint(-300, 300), rng.randint(-40, 40), rng.randint(-40, 40)))
        return Report(rng.randint(1, 9), 9, score, 1, 1.0, ((rng.randint(0, 2), 0),))

    elections = [[report() for _ in range(rng.randint(1, 5))] for _ in range(500)]
    given = [
        [{"depth": each.depth, "score": each.score, "line": each.line} for each in reports] for reports in elections
    ]
    found = evaluated("smp", "return elections.map((each) => module_smp.vote(each));", elections=given)
    for reports, elected in zip(elections, found, strict=True):
        native = smp.vote(reports)
        assert (elected["depth"], elected["score"], tuple(elected["line"][0])) == (
            native.depth,
            native.score,
            native.move,
        )
    settled = [(depth, score) for depth in (1, 5, 9, 10, 11) for score in (0, 29_500, -29_990, -29_995)]
    js = evaluated(
        "smp", "return settled.map(([depth, score]) => module_smp.isSettled(depth, score));", settled=settled
    )
    assert js == [smp.is_settled(*each) for each in settled]


@pytest.fixture(scope="module")
def parts() -> dict[str, Any]:
    """What an engine in node needs."""
    path = module_path(print)
    module = path.read_bytes()
    return {
        "wasm": base64.b64encode(module).decode(),
        "flag": memory_flag(module),
        "description": json.loads(path.with_suffix(".json").read_text()),
        "learned": {
            int(rule): {
                name: base64.b64encode(data).decode() for name, data in kernel_tables(knowledge_for(rule)).items()
            }
            for rule in Rule
        },
    }


def in_engine(parts: dict[str, Any], expression: str, **values: Any) -> Any:
    """An expression in which `engine` is one like the page's."""
    start = "const { startEngine, refereeOf, task } = module_engine_in_node; const engine = await startEngine(parts);"
    return evaluated(IN_NODE, start + expression, parts=parts, **values)


def test_the_bench_signature_in_node_is_the_native_one(library: Library, parts: dict[str, Any]) -> None:
    fixed = bench_data(bench.POSITIONS, bench.DEPTH, bench.TABLE_BYTES)
    found = in_engine(parts, 'return task(engine, "measure", { fixed });', fixed=fixed)
    results = list(bench.searches(Engine(library)))
    assert [tuple(each) for each in found["results"]] == results
    assert found["signature"] == bench.signature(results)
    found_layout = in_engine(parts, "return String(BigInt.asUintN(64, engine.kernel.exports.kaname_layout()));")
    assert int(found_layout) == layout.signature()


@pytest.mark.slow
@pytest.mark.parametrize("level", range(4))
def test_each_level_is_stronger_than_the_one_below(
    parts: dict[str, Any], level: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """From balanced openings, each with both colours; from an empty board black wins, whoever that is."""
    expression = """
    let state = seed;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const { levelGame } = module_engine_in_node;
    const pairs = [[level, level + 1], [level + 1, level]];
    const games = openings.flatMap((opening) => pairs.map((levels) => [opening, levels]));
    return games.map(([opening, levels]) => {
      const winner = levelGame(engine, game, opening, levels, 100000, random);
      return winner === null ? 0.5 : levels[winner] - level;
    });
    """
    openings = random.Random(1).sample(shipped_openings(Board()), 20)
    moves = [opening.moves for opening in openings]
    scores = in_engine(parts, expression, game=BOARD, openings=moves, level=level, seed=level + 1)
    with capsys.disabled():
        print(f"\nlevel {level + 2} scores {sum(scores):g} of {len(scores)} against level {level + 1}")
    assert sum(scores) >= 0.65 * len(scores)


@pytest.mark.parametrize("rule", list(Rule))
def test_the_rules_are_the_kernels(engine: Engine, parts: dict[str, Any], rule: Rule) -> None:
    """Random games on a small board: the winner, the winning row and the forbidden points."""
    rng = random.Random(int(rule))
    games = []
    cells = [(x, y) for y in range(9) for x in range(9)]
    for _ in range(60):
        rng.shuffle(cells)
        engine.new_game(9, 9, rule)
        for cell in cells[: rng.randint(10, 50)]:
            if engine.winner is not None:
                break
            if not engine.is_forbidden(*cell) or engine.to_move == 1:
                engine.play(*cell)
        forbidden = engine.forbidden_points() if engine.to_move == 0 and engine.winner is None else []
        games.append((engine.history, engine.winner, forbidden))
    expression = """
    const referee = refereeOf(engine);
    return games.map(([moves]) => {
      const found = referee.judge({ width: 9, height: 9, rule, moves, shown: moves.length });
      return [found.winner, found.forbidden, found.winning.length];
    });
    """
    found = in_engine(parts, expression, games=games, rule=int(rule))
    for (_, winner, forbidden), (js_winner, js_forbidden, winning) in zip(games, found, strict=True):
        assert js_winner == winner
        assert [tuple(cell) for cell in js_forbidden] == forbidden
        assert (winning >= 5) == (winner is not None)
    assert any(winner is not None for _, winner, _ in games)


def test_the_same_nodes_give_the_same_move_as_natively(engine: Engine, parts: dict[str, Any]) -> None:
    """The whole way of a move: VCF, guard, iterations, several lines."""
    positions = [
        (15, 0, "h8i9g7h10"),
        (15, 4, "h8h9j9i8g7i10k8"),
        (20, 1, "k10l11l10m10j11k12i10"),
        (15, 8, "h8h9i9g8j10i10"),
    ]
    searches = [(*position, lines) for position in positions for lines in (1, 3)]
    asked = [
        {"game": {"width": size, "height": size, "rule": rule}, "moves": parse_position(moves), "lines": lines}
        for size, rule, moves, lines in searches
    ]
    expression = """
    return asked.map((question) => {
      engine.newGame(9, 9, 0);
      const told = [];
      const limits = { nodes: 20000 };
      const tell = (report) => report.isFirst || told.push([report.rank, report.score]);
      const { depth, score, nodes, line } = task(engine, "think", { ...question, limits }, tell);
      return [depth, score, nodes, line, told];
    });
    """
    found = in_engine(parts, expression, asked=asked)
    engine.set_table_bytes(32 << 20)
    for (size, rule, moves, lines), (depth, score, nodes, line, told) in zip(searches, found, strict=True):
        engine.new_game(9, 9, Rule.FREESTYLE)
        engine.new_game(size, size, Rule(rule))
        for move in parse_position(moves):
            engine.play(*move)
        heard: list[Report] = []
        report = engine.think(SearchLimits(engine.now_ns(), nodes=20_000), heard.append, lines)
        assert (depth, score, nodes) == (report.depth, report.score, report.nodes), moves
        assert [tuple(move) for move in line] == list(report.line)
        assert told == [[each.rank, each.score] for each in heard]


HELPER = """
const { workerData } = require("worker_threads");
const { module: compiled, description, memory, places, thread } = workerData;
module_kernel.Kernel.start(compiled, description, memory, places.threads[thread].stackTop)
  .then((kernel) => module_smp.help(kernel, places, thread));
"""


def test_a_helper_searches_in_the_same_memory(parts: dict[str, Any]) -> None:
    """As on a page that may share memory: its nodes are counted, what it proves is found, and it can be stopped."""
    expression = """
    const { Worker } = require("worker_threads");
    const workers = [];
    const startHelper = (workerData) => workers.push(new Worker(helper, { eval: true, workerData }));
    const engine = await module_engine_in_node.startEngine(parts, 2, startHelper);
    const isReady = () => engine.helpers.team.words[engine.helpers.team.own(1, 0)] === 1;
    while (!isReady()) await new Promise((resolve) => setTimeout(resolve, 5));
    const game = { width: size, height: size, rule };
    const found = [[[7, 7], [8, 8], [7, 8]], won].map((moves) => {
      const limits = { nodes: 200000 };
      const report = module_engine_in_node.task(engine, "think", { game, moves, limits, lines: 1 }, () => {});
      return [report.depth, report.score, report.line.length, engine.helpers.nodes];
    });
    await Promise.all(workers.map((worker) => worker.terminate()));
    return found;
    """
    script = script_of(WEB / "smp.js") + HELPER
    puzzle = next(line.split("\t") for line in PUZZLES.read_text().splitlines() if "\tthreats\t" in line)
    won = parse_position(puzzle[2])
    rule, size = map(int, puzzle[:2])
    values = {"parts": parts, "helper": script, "won": won, "rule": rule, "size": size}
    (depth, _, length, nodes), (_, score, _, _) = evaluated(IN_NODE, expression, **values)
    assert depth >= 5
    assert length >= 1
    assert nodes > 0
    assert score >= 29_000
