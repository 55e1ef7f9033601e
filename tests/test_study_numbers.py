"""What a study is made of: estimates, positions, games, messages, claims and words."""

import json
import math

import pytest

from pbrain.console.progress import bar_text
from pbrain.core.notation import parse_position
from pbrain.pages.heat_map import HeatMap, heat_map
from pbrain.study import claims
from pbrain.study.claims import Verdict
from pbrain.study.estimate import Estimate, contrast, geometric_mean, mean, ratio, share, student
from pbrain.study.games import Game, Turn, game_from_json, won_from_afar
from pbrain.study.measured import reduction, share_of_pairs
from pbrain.study.positions import (
    STAGES,
    central_openings,
    choose,
    is_quiet,
    line_through,
    quiet_positions,
    stage_of,
)
from pbrain.study.sample import Sample, depth_told, sample_from
from pbrain.study.systems import command
from pbrain.study.words import count_text, factor_text, percent_text, rounded, time_text, times_text
from tests.study_events import GAMES

# -- estimates ---------------------------------------------------------------------------------------------------------


def test_means_have_students_interval() -> None:
    found = mean([1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.value == 3.0
    assert found.high - 3.0 == pytest.approx(2.776 * math.sqrt(2.5 / 5), rel=1e-3)
    assert student(500) == pytest.approx(1.96)
    assert not mean([7.0]).is_bounded


def test_geometric_means_and_ratios() -> None:
    assert geometric_mean([1.0, 100.0]).value == pytest.approx(10.0)
    assert ratio([2.0, 4.0, 8.0], [1.0, 2.0, 4.0]) == pytest.approx((2.0, 2.0, 2.0))
    assert contrast([2.0, 8.0], [1.0, 1.0]).value == pytest.approx(4.0)
    assert not geometric_mean([5.0]).is_bounded
    assert contrast([5.0], [1.0, 2.0]).high == math.inf


def test_shares_have_wilsons_interval() -> None:
    """The values of Newcombe 1998 (Statistics in Medicine 17), table I, method 3."""
    assert share(81, 263) == pytest.approx((0.308, 0.2553, 0.3662), abs=1e-4)
    assert share(15, 148) == pytest.approx((0.1014, 0.0624, 0.1605), abs=1e-4)
    assert share(0, 20) == pytest.approx((0.0, 0.0, 0.1611), abs=1e-4)
    assert share(0, 0) == (0.0, 0.0, 1.0)


def test_scores_are_estimated_from_pairs() -> None:
    assert share_of_pairs([1, 0, 1, 0]) == (0.5, 0.0, 1.0), "every pair ended alike: the same colour won"
    assert share_of_pairs([1, 1, 1, 1]) == share(4, 4)
    mixed = share_of_pairs([1, 1, 1, 0, 1, 0.5, 0, 1])
    assert mixed.value == pytest.approx(5.5 / 8)
    assert 0 <= mixed.low < mixed.value < mixed.high <= 1


def test_a_factor_is_a_share_that_is_saved() -> None:
    assert reduction(Estimate(2.0, 1.0, 4.0)) == Estimate(0.5, 0.0, 0.75)
    assert reduction(Estimate(0.5, 0.0, math.inf)) == Estimate(-1.0, -math.inf, 1.0)


# -- positions ---------------------------------------------------------------------------------------------------------


def test_stages_are_told_by_stones() -> None:
    assert [stage_of(stones) for stones in (4, 9, 10, 24, 25, 60)] == [
        "early", "early", "middle", "middle", "late", "late",
    ]  # fmt: skip


def test_lines_go_both_ways_in_all_directions() -> None:
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        line = {(7 + i * dx, 7 + i * dy) for i in range(-2, 3)}
        assert set(line_through((7, 7), line - {(7, 7)})) == line
    assert line_through((0, 0), []) == [(0, 0)]


def test_a_position_with_a_four_is_not_quiet() -> None:
    black, white = [(x, 7) for x in range(3, 7)], [(x, 2 * x) for x in range(4)]
    moves = tuple(move for pair in zip(black, white, strict=True) for move in pair)
    assert is_quiet(moves[:6])
    assert not is_quiet(moves[:7])


def test_positions_are_chosen_by_the_seed() -> None:
    games = [parse_position(game) for game in GAMES]
    quiet = quiet_positions(games)
    assert len(set(map(frozenset, quiet))) == len(quiet)
    assert choose(quiet, 4, 1) == choose(quiet, 4, 1)
    assert choose(quiet, 4, 1) != choose(quiet, 4, 2)
    assert [stage_of(len(position)) for position in choose(quiet, 4, 1)] == [s for s in STAGES for _ in range(4)]
    assert choose(quiet[:2], 4, 1) == choose(quiet[:2], 9, 1), "fewer than asked for: all"


def test_openings_begin_in_the_centre() -> None:
    openings = central_openings(1)
    assert openings == central_openings(1) != central_openings(2)
    for opening in openings:
        assert opening[0] == (0, 0)
        assert len(set(opening)) == 3
        assert max(abs(number) for move in opening for number in move) <= 2


# -- games and messages ------------------------------------------------------------------------------------------------


def test_a_message_tells_of_a_search() -> None:
    messages = ["MESSAGE hello", "MESSAGE depth 4 n 5210 of 31 candidates cpu 0.250000"]
    assert sample_from(messages, (3, 4)) == Sample(4, 5210, 31, 250.0, True, (3, 4))
    torn = sample_from(["MESSAGE depth 4? n 20 of 31 candidates cpu 0.000000"], (3, 4))
    assert torn is not None
    assert not torn.is_complete
    assert torn.ms > 0, "a ratio of times needs a time"
    assert sample_from(["MESSAGE hello"], (3, 4)) is None
    assert Sample.from_json(json.loads(json.dumps(torn))) == torn


@pytest.mark.parametrize(
    ("message", "depth"),
    [
        ("MESSAGE depth 4 n 5210 of 31 candidates cpu 0.250000", 4),
        ("MESSAGE depth 4? n 5210 of 31 candidates cpu 0.250000", None),
        ("MESSAGE depth 14-22 ev +143 n 85k n/s 1.2M tm 0.07 pv h8 i9", 14),
        ("MESSAGE depth 7-7 win in 7 n 1k n/s 1M tm 0.00 pv h8", None),
        ("", None),
    ],
)
def test_the_depth_of_a_finished_search(message: str, depth: int | None) -> None:
    assert depth_told(message) == depth


def turn(move: tuple[int, int], stones: int) -> Turn:
    return Turn("ab"[stones % 2], stones, stones // 2 + 1, move, 5.0, "")


def game_of(moves: list[tuple[int, int]], winner: int | None = 0, ending: str = "FIVE") -> Game:
    return Game(1, ("a", "b"), (), tuple(turn(move, i) for i, move in enumerate(moves)), winner, ending)


def test_a_game_is_won_from_afar_by_stones_that_nobody_was_near() -> None:
    five = [(x, 1) for x in range(5)]
    far = [(14, 2 * y) for y in range(4)]
    near = [(x, 2) for x in range(4)]
    from_afar = [move for pair in zip(five, [*far, (0, 14)], strict=True) for move in pair][:-1]
    beside = [move for pair in zip(five, [*near, (0, 14)], strict=True) for move in pair][:-1]
    assert won_from_afar(game_of(from_afar))
    assert not won_from_afar(game_of(beside))
    assert not won_from_afar(game_of(from_afar, None))
    assert not won_from_afar(game_of(from_afar, 0, "TIMEOUT"))


def test_games_are_read_as_the_runner_writes_them() -> None:
    opening = {"name": "x", "moves": [[7, 7], [8, 8], [6, 6]]}
    moves = [{"x": x, "y": 1, "ms": 2.5, "said": "MESSAGE depth 3-5 ev +1 n 1"} for x in range(4)]
    plan = {"number": 3, "pair": 2, "black": "a", "white": "b", "opening": opening}
    line = json.dumps({"plan": plan, "moves": moves, "winner": 1, "termination": "FIVE"})
    game = game_from_json(line.encode())
    assert [turn.name for turn in game.turns] == ["b", "a", "b", "a"]
    assert [turn.number for turn in game.turns] == [1, 1, 2, 2]
    assert [turn.stones for turn in game.turns] == [3, 4, 5, 6]
    assert game.moves[:4] == [(7, 7), (8, 8), (6, 6), (0, 1)]
    assert (game.score_of("a"), game.score_of("b")) == (0.0, 1.0)
    assert [turn.depth for turn in game.turns] == [3] * 4


def test_commands_lift_the_time_limit_of_searches_of_fixed_depth() -> None:
    assert command("kaname")[1:] == ["-m", "pbrain"]
    assert command("minimax")[1:] == ["-m", "tournament.brains.minimax"]
    assert command("minimax", 3)[3:] == ["--depth", "3", "--without", "time-limit"]
    assert command("boundary", 4, ("table", "pruning"))[3:] == ["--depth", "4", "--without", "table,pruning"]
    assert command("threat", 0)[3:] == ["--depth", "0"]


# -- claims and words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (Estimate(0.4, 0.35, 0.45), Verdict.AGREES),
        (Estimate(0.4, 0.1, 0.9), Verdict.AGREES),
        (Estimate(0.2, 0.1, 0.35), Verdict.UNCERTAIN),
        (Estimate(0.2, 0.1, 0.25), Verdict.DIFFERS),
        (Estimate(0.2, -math.inf, math.inf), Verdict.DIFFERS),
    ],
)
def test_a_number_is_compared_with_a_range(found: Estimate, verdict: Verdict) -> None:
    assert claims.within(found, 0.3, 0.5) is verdict


def test_a_number_is_compared_with_a_limit() -> None:
    assert claims.above(Estimate(2, 1.5, 3), 1) is Verdict.AGREES
    assert claims.above(Estimate(2, 0.5, 3), 1) is Verdict.UNCERTAIN
    assert claims.above(Estimate(0.5, 0.2, 0.9), 1) is Verdict.DIFFERS
    assert claims.above(Estimate(2, -math.inf, math.inf), 1) is Verdict.AGREES


def test_times_agree_within_a_factor_of_two() -> None:
    times = {100: Verdict.DIFFERS, 600: Verdict.AGREES, 5000: Verdict.AGREES, 7000: Verdict.DIFFERS}
    for ms, verdict in times.items():
        assert claims.near(Estimate(ms, ms, ms), 1.0, 3.0) is verdict
    assert claims.near(Estimate(1e6, 1e6, 1e6), 30.0, math.inf) is Verdict.AGREES


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0.0123, "0.012 ms"), (0.4, "0.4 ms"), (12.3, "12 ms"), (1600, "1.6 s"), (252_000, "4.2 min"),
        (4.68e7, "13 h"), (3.4e10, "394 days"),
    ],
)  # fmt: skip
def test_times_in_words(ms: float, text: str) -> None:
    assert time_text(ms) == text


def test_numbers_in_words() -> None:
    found = Estimate(1234.5, 800.0, 1900.0)
    assert [rounded(value) for value in (0.123, 0.9996, 1.25, 43.4, 478_794)] == ["0.12", "1.0", "1.2", "43", "479,000"]
    assert count_text(found) == "1,230 (800 to 1,900)"
    assert factor_text(Estimate(3.14, 2.2, 4.3)) == "3.1 times (2.2 to 4.3)"
    assert factor_text(Estimate(3.14, 0.0, math.inf)) == "3.1 times"
    assert times_text(found) == "1.2 s (800 ms to 1.9 s)"
    assert percent_text(Estimate(0.43, 0.38, 0.47)) == "43 % (38 % to 47 %)"
    assert bar_text(3, 12, "games") == f"[{'#' * 6}{'-' * 18}]  25 %  games"


def test_a_heat_map_shades_cells_by_their_value() -> None:
    text = heat_map(HeatMap("time <b>", "note", "ms", 15, {(0, 0): 10.0, (14, 14): 100.0, (7, 7): 50.0}))
    assert "<b>" not in text
    assert 'fill-opacity="1.00"' in text
    assert "3 of 225 cells, the largest value 100 ms at o15" in text
    empty = heat_map(HeatMap("none", "note", "ms", 15, {}))
    assert "0 of 225 cells" in empty
