"""The searches against their slow twins, and what a search promises."""

import random
import threading
import time
from collections.abc import Iterator

import pytest

from pbrain.core.notation import parse_position
from pbrain.core.params import BLACK, MAX_STATIC, WIN, WIN_BOUND, CellClass
from pbrain.core.types import Budget, Limits, Report, Rule
from pbrain.engine.engine import UNLIMITED, Engine, NoMoveError, move_at
from pbrain.engine.timeman import search_limits
from pbrain.kernel.features import SEARCH_FEATURES
from tests import naive, naive_search, snapshot
from tests.conftest import Variant
from tests.notation import draw

EVERYDAY_POSITIONS, FULL_POSITIONS = 60, 2_000
SMALL = (9, 9)
NARROW = (5, 5)
FOUL_SCORE = 1 << 16  # of a four that black may not block


def random_position(engine: Engine, rule: Rule, size: tuple[int, int], stones: int, rng: random.Random) -> bool:
    """Play random stones near each other, none of which wins; whether there was room for all."""
    engine.new_game(*size, rule)
    for _ in range(stones):
        cells = sorted(snapshot.candidates(engine)) or [(size[0] // 2, size[1] // 2)]
        legal = [
            cell
            for cell in cells
            if engine.cell_class(engine.to_move, *cell) not in (CellClass.FIVE, CellClass.FORBIDDEN)
        ]
        if not legal:
            return False
        engine.play(*rng.choice(legal))
    return True


def positions(engine: Engine, size: tuple[int, int], count: int, seed: int, fewest: int, most: int) -> Iterator[Rule]:
    rng = random.Random(seed)
    given = 0
    while given < count:
        rule = rng.choice(list(Rule))
        if random_position(engine, rule, size, rng.randrange(fewest, most), rng):
            given += 1
            yield rule


def compare_vcf(engine: Engine, count: int, seed: int) -> int:
    """How many of the positions were won by fours."""
    won = 0
    for rule in positions(engine, SMALL, count, seed, 14, 44):
        board, colour = snapshot.board(engine), "XO"[engine.to_move]
        worker = engine._worker
        worker.node_limit = worker.deadline_ns = UNLIMITED
        engine._provide_table()
        engine._library.begin_search(engine._state, worker)
        before = snapshot.state_bytes(engine)
        plies = engine._library.root_vcf(engine._state, worker, 4, 1 << 30)
        assert snapshot.state_bytes(engine) == before
        assert (plies > 0) == naive_search.wins_by_fours(board, colour, rule, 4), board
        if plies > 0:
            won += 1
            check_line(engine, worker.vcf_line[: worker.vcf_length])
            assert plies == 1 or not naive_search.wins_by_fours(board, colour, rule, plies // 2 - 1), board
    return won


def check_line(engine: Engine, cells: list[int]) -> None:
    """Every attacking move makes a five, or a four that leaves no choice; the last leaves no answer."""
    attacker, played = engine.to_move, 0
    for cell in cells:
        x, y = move_at(cell)
        if engine.to_move == attacker:
            assert engine.cell_class(attacker, x, y) >= CellClass.FOUR
        else:
            assert engine.count(attacker, CellClass.FIVE) >= 1
        engine.play(x, y)
        played += 1
    if engine.winner is None:
        board, names = snapshot.board(engine), "XO"
        blocks = naive_search.blocks_of(board, names[attacker], engine.rule)
        legal = [cell for cell in blocks if not naive_search.is_foul(board, cell, names[1 - attacker], engine.rule)]
        assert engine.count(attacker, CellClass.FIVE) >= 1
        assert not legal or engine.rule in (Rule.CARO, Rule.CARO_EXACT_FIVE)
    for _ in range(played):
        engine.undo()


def test_fours_agree_with_the_twin(engine: Engine) -> None:
    assert compare_vcf(engine, EVERYDAY_POSITIONS // 2, seed=1) > EVERYDAY_POSITIONS // 20


@pytest.mark.slow
def test_fours_agree_with_the_twin_in_full(engine: Engine) -> None:
    print(compare_vcf(engine, FULL_POSITIONS, seed=2), "of", FULL_POSITIONS, "won by fours")


def compare_guard(engine: Engine, count: int, seed: int, fours: int) -> int:
    """In how many of the positions moves were left out because the other side's fours would win after them."""
    guarded = 0
    for rule in positions(engine, SMALL, count, seed, 14, 44):
        worker, board, (me, you) = engine._worker, snapshot.board(engine), ("XO", "OX")[engine.to_move]
        worker.node_limit = worker.deadline_ns = UNLIMITED
        engine._provide_table()
        engine._library.begin_search(engine._state, worker)
        before = list(worker.root_moves[: worker.root_count])
        bytes_before = snapshot.state_bytes(engine)
        engine._library.guard_root(engine._state, worker, fours, 1 << 30)
        assert snapshot.state_bytes(engine) == bytes_before
        after = list(worker.root_moves[: worker.root_count])
        is_forced = len(before) == 1 or engine.count(1 - engine.to_move, CellClass.FIVE)
        expected = before
        if not is_forced and naive_search.wins_by_fours(board, you, rule, fours):
            boards = {cell: naive_search.with_stone(board, move_at(cell), me) for cell in before}
            safe = [cell for cell in before if not naive_search.wins_by_fours(boards[cell], you, rule, fours)]
            expected = safe or before
        assert after == expected
        guarded += len(after) < len(before)
    return guarded


def test_moves_that_lose_to_fours_are_left_out(engine: Engine) -> None:
    assert compare_guard(engine, EVERYDAY_POSITIONS, seed=11, fours=1) > 1


@pytest.mark.slow
def test_moves_that_lose_to_fours_are_left_out_in_full(engine: Engine) -> None:
    guarded = compare_guard(engine, FULL_POSITIONS // 10, seed=12, fours=2)
    print(guarded, "of", FULL_POSITIONS // 10, "had moves left out")
    assert guarded > FULL_POSITIONS // 200


@pytest.fixture(scope="module")
def plain_engine(variant: Variant) -> Engine:
    """The twin looks at every move to the same depth, with static leaves: a variant built for it does so too."""
    return Engine(variant(SEARCH_FEATURES))


def compare_minimax(engine: Engine, count: int, seed: int) -> None:
    for rule in positions(engine, NARROW, count, seed, 11, 22):
        board, colour = snapshot.board(engine), "XO"[engine.to_move]
        worker = engine._worker
        worker.node_limit = worker.deadline_ns = UNLIMITED
        library, state = engine._library, engine._state
        library.begin_search(state, worker)
        # Where no move is legal, or none helps, the root tries anything; its twin claims the loss or the draw.
        if worker.root_count < 2 or not naive_search.scores(board, colour, rule, 0, 0):
            continue
        for depth in (1, 2, 3):
            engine.clear_table()
            engine._provide_table()
            library.begin_search(state, worker)
            library.iterate(state, worker, depth, 0)
            expected = max(naive_search.scores(board, colour, rule, depth - 1, 0))
            assert worker.score == max(-MAX_STATIC, min(expected, MAX_STATIC if expected < WIN_BOUND else WIN))


def test_search_agrees_with_plain_minimax(plain_engine: Engine) -> None:
    compare_minimax(plain_engine, EVERYDAY_POSITIONS // 2, seed=3)


@pytest.mark.slow
def test_search_agrees_with_plain_minimax_in_full(plain_engine: Engine) -> None:
    compare_minimax(plain_engine, FULL_POSITIONS // 5, seed=4)


def test_the_moves_to_try_are_the_twins(engine: Engine) -> None:
    for rule in positions(engine, SMALL, EVERYDAY_POSITIONS, 5, 4, 60):
        me = engine.to_move
        engine._library.begin_search(engine._state, engine._worker)
        found = [move_at(cell) for cell in engine._worker.root_moves[: engine._worker.root_count]]
        every = [move_at(cell) for cell in engine._worker.root_moves[: engine._worker.root_total]]
        assert len(set(every)) == len(every)
        board, colour = snapshot.board(engine), "XO"[me]
        legal = naive_search.legal_moves(board, colour, rule)
        forced = naive_search.forced_moves(board, colour, rule)
        if engine.count(me, CellClass.FIVE):
            assert [engine.cell_class(me, *cell).name for cell in found] == ["FIVE"]
        elif not engine.count(1 - me, CellClass.FIVE) and naive_search.can_open_four(board, colour, rule):
            assert naive_search.makes_four(board, found[0], colour, rule)
            assert found[0] in legal
        elif not legal:
            assert set(found) == {cell for cell in naive.cells_of(board) if board[cell[1]][cell[0]] == "."}
        elif forced is not None:
            assert set(forced) <= set(found) <= set(legal)
        else:
            near = naive.near_stones(board)
            assert set(found) == ({cell for cell in legal if cell in near} or set(legal))
            assert set(every) == set(legal)


def compare_order(engine: Engine, size: tuple[int, int], count: int, seed: int, has_proximity: bool) -> None:
    """Every generated move has the twin's score, and the best come first."""
    foul_scores = 0
    for rule in positions(engine, size, count, seed, 0, size[0] * size[1] * 3 // 4):
        engine._library.begin_search(engine._state, engine._worker)
        worker, board, colour = engine._worker, snapshot.board(engine), "XO"[engine.to_move]
        is_lost = engine.count(1 - engine.to_move, CellClass.FIVE) and not naive_search.forced_moves(
            board, colour, rule
        )
        if worker.root_count < 2 or is_lost or not engine.moves:  # then the root tries anything, from the centre on
            continue
        found = list(worker.move_scores[0][: worker.root_total])
        for part in (found[: worker.root_count], found[worker.root_count :]):
            assert part == sorted(part, reverse=True)
        for cell, score in zip(worker.root_moves, found, strict=False):
            move = move_at(cell)
            expected = naive.order_score(board, move, colour, rule)
            if has_proximity:
                expected += naive.nearness(move, engine.history, rule)
            if score != expected and rule == Rule.RENJU and colour == "O":
                assert naive_search.makes_four(board, move, colour, rule)
                expected += FOUL_SCORE
                foul_scores += 1
            assert score == expected, (board, move)
    assert foul_scores < count


@pytest.mark.parametrize("size", [SMALL, (22, 6), (6, 22)])
def test_the_order_of_moves_is_the_twins(engine: Engine, size: tuple[int, int]) -> None:
    compare_order(engine, size, EVERYDAY_POSITIONS // 3, seed=7, has_proximity=True)


def test_the_order_of_moves_may_leave_out_the_last_moves(plain_engine: Engine) -> None:
    compare_order(plain_engine, SMALL, EVERYDAY_POSITIONS // 3, seed=8, has_proximity=False)


# -- promises ----------------------------------------------------------------------------------------------------------


def set_up(engine: Engine, moves: str, rule: Rule = Rule.FREESTYLE) -> None:
    engine.new_game(15, 15, rule)
    for move in parse_position(moves):
        engine.play(*move)


MIDDLE_GAME = "h8i9j6g9j9g8g10h10j8j7"  # not solved within a minute


def think(engine: Engine, limits: Limits, lines: int = 1) -> tuple[Report, list[Report]]:
    heard: list[Report] = []
    engine.allow_thinking()
    return engine.think(search_limits(limits, engine.now_ns()), heard.append, lines), heard


@pytest.mark.parametrize("nodes", [1, 10, 100, 1000, 12_345, 100_000])
def test_a_node_limit_is_kept_to_a_few_nodes_and_reproduces(engine: Engine, nodes: int) -> None:
    results = []
    for _ in range(2):
        set_up(engine, MIDDLE_GAME)
        report, _ = think(engine, Limits(nodes=nodes))
        assert report.nodes <= nodes + 4
        results.append(report._replace(elapsed_ms=0.0))
    assert results[0] == results[1]


def test_a_depth_limit_is_kept(engine: Engine) -> None:
    set_up(engine, MIDDLE_GAME)
    report, heard = think(engine, Limits(depth=4))
    assert [one.depth for one in heard] == [1, 2, 3, 4]
    assert heard[-1].move == report.move
    assert report.nodes >= heard[-1].nodes


def test_thinking_leaves_the_position_alone(engine: Engine) -> None:
    set_up(engine, MIDDLE_GAME)
    before = snapshot.state_bytes(engine)
    for limits in (
        Limits(depth=5),
        Limits(nodes=777),
        Limits(Budget(30, 30)),
        Limits(Budget(0, 5)),
        Limits(Budget(0, 0)),
    ):
        report, _ = think(engine, limits)
        assert snapshot.state_bytes(engine) == before
        assert report.move not in engine.history


@pytest.mark.timing
def test_the_deadline_is_kept(engine: Engine) -> None:
    set_up(engine, MIDDLE_GAME)
    late = []
    for _ in range(10):
        report, _ = think(engine, Limits(Budget(40, 40)))
        late.append(report.elapsed_ms - 40)
    assert min(late) < 3
    assert sorted(late)[5] < 10


@pytest.mark.timing
def test_stop_from_another_thread_ends_it_at_once(engine: Engine) -> None:
    set_up(engine, MIDDLE_GAME)
    asked_at: list[float] = []
    late = []

    def ask_to_stop() -> None:
        asked_at.append(time.perf_counter())
        engine.stop()

    for _ in range(5):
        timer = threading.Timer(0.05, ask_to_stop)
        engine.allow_thinking()
        timer.start()
        engine.think(search_limits(Limits(), engine.now_ns()))
        late.append(time.perf_counter() - asked_at[-1])
        timer.join()
    assert sorted(late)[2] < 0.02


def test_several_lines_are_ranked_and_different(engine: Engine) -> None:
    set_up(engine, MIDDLE_GAME)
    report, heard = think(engine, Limits(depth=3), lines=4)
    last = [one for one in heard if one.depth == 3]
    assert [one.rank for one in last] == [1, 2, 3, 4]
    assert len({one.move for one in last}) == 4
    assert [one.score for one in last] == sorted((one.score for one in last), reverse=True)
    assert report.move == last[0].move


@pytest.mark.parametrize("nodes", range(500, 30_000, 2_900))
def test_a_stopped_search_has_more_than_one_move_in_its_line(engine: Engine, nodes: int) -> None:
    """A cutoff at the root has no line of its own; reductions make others shorter than the depth."""
    set_up(engine, MIDDLE_GAME)
    report, _ = think(engine, Limits(nodes=nodes))
    assert report.depth > 1
    assert len(report.line) > 1
    assert 3 * len(report.line) >= report.depth


@pytest.mark.parametrize("position", ["h8a1i8a3j8o15", "h8a1i8a3i9o15h10c15", "h8h9i9g7j10k11i10i11"])
def test_the_line_of_a_proof_ends_with_the_five(engine: Engine, position: str) -> None:
    set_up(engine, position)
    report, _ = think(engine, Limits(depth=12, is_analysis=True))
    assert report.win_in is not None
    assert len(report.line) == abs(report.win_in)
    for move in report.line:
        assert engine.winner is None
        engine.play(*move)
    assert engine.winner is not None


def test_a_forced_move_is_answered_without_thinking(engine: Engine) -> None:
    set_up(engine, "h8a1i8a3j8a5k8g8")
    report, heard = think(engine, Limits(Budget(60_000, 60_000)))
    assert (report.move, heard) == ((11, 7), [])


def test_a_block_that_is_a_foul_is_not_played(engine: Engine) -> None:
    """White threatens five where black would make six: black has lost, and still plays a legal move."""
    picture = """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . X X X . X X . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . X . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """
    draw(engine, Rule.RENJU, picture)
    engine.to_move = BLACK
    assert engine.is_forbidden(6, 2)
    report, _ = think(engine, Limits(Budget(50, 50)))
    assert report.move != (6, 2)
    assert not engine.is_forbidden(*report.move)
    draw(engine, Rule.FREESTYLE, picture)
    engine.to_move = BLACK
    assert think(engine, Limits(Budget(50, 50)))[0].move == (6, 2)


def test_white_wins_by_a_foul_in_renju(engine: Engine) -> None:
    """White's four can be blocked only by an overline: a search for fours finds it."""
    picture = """
        . . . . . . . . . . . . . . .
        . . . . . . X . . . . . . . .
        . . . X X X . X X . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . X . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """
    draw(engine, Rule.RENJU, picture)
    engine.to_move = 1
    report, _ = think(engine, Limits(Budget(500, 500)))
    assert (report.move, report.win_in) == ((6, 6), 3)


def test_there_is_no_move_on_a_decided_or_full_board(engine: Engine) -> None:
    set_up(engine, "a1a2b1b2c1c2d1d2e1")
    with pytest.raises(NoMoveError, match="decided"):
        think(engine, Limits(depth=1))
    draw(engine, Rule.FREESTYLE, "\n".join(["X X O O X", "O O X X O"] * 2 + ["X X O O X"]))
    with pytest.raises(NoMoveError, match="full"):
        think(engine, Limits(depth=1))


@pytest.mark.parametrize("rule", Rule)
def test_proven_wins_are_won_against_the_engines_own_defence(engine: Engine, rule: Rule) -> None:
    """Whatever a search proves must come true."""
    proven, rng = 0, random.Random(6)
    while proven < 4:
        if not random_position(engine, rule, (15, 15), rng.randrange(10, 30), rng):
            continue
        report, _ = think(engine, Limits(depth=5))
        if report.win_in is None or report.win_in < 5:
            continue
        proven += 1
        attacker = engine.to_move
        for ply in range(60):
            if engine.winner is not None:
                break
            engine.play(*think(engine, Limits(depth=5) if ply % 2 == 0 else Limits(depth=2))[0].move)
        assert engine.winner == attacker


def test_the_smallest_board_can_be_played_to_its_end(engine: Engine) -> None:
    for rule in Rule:
        engine.new_game(5, 5, rule)
        while engine.winner is None and not engine.is_full:
            engine.play(*think(engine, Limits(nodes=200))[0].move)
