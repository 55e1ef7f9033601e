"""Standings computed from game records."""

import dataclasses
import random

import pytest

from tournament.core.model import BLACK, WHITE, Board, GamePlan, GameRecord, Opening, Termination
from tournament.stats.ratings import Tally
from tournament.stats.standings import Anchor, Field, Standing, Totals, standings, totals_of

EMPTY = Opening("empty", ())


def record(
    black: str, white: str, winner: int | None, termination: Termination = Termination.FIVE, pair: int = 0
) -> GameRecord:
    return GameRecord(GamePlan(0, pair, black, white, EMPTY), Board(), (), winner, termination)


# strong scores 3/4 against weak and 1.5/2 against middle; weak loses by three kinds of faults.
RECORDS = [
    record("strong", "weak", BLACK),
    record("weak", "strong", WHITE, Termination.TIMEOUT),
    record("strong", "weak", BLACK, Termination.CRASH),
    record("weak", "strong", BLACK),
    record("strong", "middle", None, Termination.DRAW_FULL),
    record("middle", "strong", WHITE),
    record("middle", "weak", BLACK, Termination.TIMEOUT),
    record("weak", "middle", WHITE, Termination.STALL),
    record("weak", "middle", None, Termination.INTERRUPTED),
]


def elo_of(standing: Standing) -> float:
    assert standing.elo is not None
    return standing.elo


def row(name: str, rows: tuple[Standing, ...]) -> Standing:
    return next(standing for standing in rows if standing.name == name)


def test_rows() -> None:
    rows = standings(RECORDS).rows
    assert [standing.name for standing in rows] == ["strong", "middle", "weak"]
    assert [standing.tally for standing in rows] == [Tally(4, 1, 1), Tally(2, 1, 1), Tally(1, 0, 5)]
    assert [standing.games for standing in rows] == [6, 4, 6]
    assert [standing.score for standing in rows] == [4.5, 2.5, 1]
    assert sum(elo_of(standing) for standing in rows) == pytest.approx(0, abs=1e-9)
    assert all(standing.elo_error and 50 < standing.elo_error < 500 for standing in rows)
    assert all(standing.los and 0.5 < standing.los < 1 for standing in rows[:-1])
    assert rows[-1].los is None


def test_faults_are_counted_for_who_made_them() -> None:
    weak = row("weak", standings(RECORDS).rows)
    assert weak.faults == ((Termination.TIMEOUT, 2), (Termination.CRASH, 1), (Termination.STALL, 1))
    for other in ("strong", "middle"):
        assert row(other, standings(RECORDS).rows).faults == ()


@pytest.mark.parametrize("termination", list(Termination))
def test_every_termination_has_its_place(termination: Termination) -> None:
    table = standings([record("a", "b", WHITE, termination)], Field(("a", "b")))
    loser, winner = row("a", table.rows), row("b", table.rows)
    assert loser.games == (termination is not Termination.INTERRUPTED)
    assert loser.faults == (((termination, 1),) if termination.is_fault else ())
    assert winner.faults == ()


def test_crosstable() -> None:
    table = standings(RECORDS)
    assert table.crosstable == (
        (Tally(), Tally(1, 1, 0), Tally(3, 0, 1)),
        (Tally(0, 1, 1), Tally(), Tally(2, 0, 0)),
        (Tally(1, 0, 3), Tally(0, 0, 2), Tally()),
    )
    for standing, cells in zip(table.rows, table.crosstable, strict=True):
        assert sum(cells, Tally()) == standing.tally


def test_no_games_is_a_table_too() -> None:
    assert standings([]).rows == ()
    for names in (("b", "a"), ("b", "a", "c")):
        table = standings([record("a", "b", None, Termination.INTERRUPTED)], Field(names))
        assert [(standing.name, standing.games) for standing in table.rows] == [(name, 0) for name in sorted(names)]
        assert all(each.elo is each.elo_error is each.los is None for each in table.rows)


def test_who_has_not_played_comes_last() -> None:
    rows = standings([*RECORDS, record("weak", "weak", BLACK)], Field(("idle", "weak", "strong"))).rows
    assert [standing.name for standing in rows] == ["strong", "middle", "weak", "idle"]
    assert (rows[2].tally, rows[2].los) == (Tally(1, 0, 5), None)
    assert (rows[3].elo, rows[3].elo_error) == (None, None)


def test_the_order_of_games_does_not_matter() -> None:
    shuffled = RECORDS[:]
    random.Random(1).shuffle(shuffled)
    one, other = standings(RECORDS), standings(iter(shuffled))
    assert one.crosstable == other.crosstable
    for standing, same in zip(one.rows, other.rows, strict=True):
        assert (standing.name, standing.tally, standing.faults) == (same.name, same.tally, same.faults)
        assert elo_of(standing) == pytest.approx(elo_of(same))


def test_an_anchor_is_fixed() -> None:
    rows = standings(RECORDS, Field(anchor=Anchor("weak", 1000))).rows
    assert (row("weak", rows).elo, row("weak", rows).elo_error) == (1000, 0)
    plain = standings(RECORDS).rows
    difference = elo_of(row("strong", plain)) - elo_of(row("weak", plain))
    assert elo_of(row("strong", rows)) - 1000 == pytest.approx(difference)


def pair(number: int, first: str, second: str, scores: tuple[float, float]) -> list[GameRecord]:
    """Two games, the colours swapped, in which the first brain scores these points."""
    winners = {1.0: 0, 0.5: None, 0.0: 1}
    black, white = winners[scores[0]], winners[scores[1]]
    return [
        record(first, second, black, Termination.DRAW_FULL if black is None else Termination.FIVE, number),
        record(second, first, None if white is None else 1 - white, Termination.FIVE, number),
    ]


def match_of(first: str, second: str, counts: tuple[int, ...], start: int = 0) -> list[GameRecord]:
    """Pairs with these pentanomial counts."""
    kinds = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 0.5), (1.0, 1.0)]
    scores = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    return [game for number, each in enumerate(scores, start) for game in pair(number, first, second, each)]


def test_two_brains_show_their_difference_with_errors_from_pairs() -> None:
    """Lynx pull request 1899: fastchess prints -1.06 ±4.05 for these pairs; single games would give more."""
    games = match_of("new", "old", (235, 1384, 2521, 1341, 239))
    old, new = standings(games, Field(("new", "old"))).rows
    assert (new.name, round(elo_of(new), 2), round(new.elo_error or 0, 2)) == ("new", -1.06, 4.05)
    assert (old.name, round(elo_of(old), 2), round(old.elo_error or 0, 2)) == ("old", 1.06, 4.05)
    assert new.los == pytest.approx(0.3033, abs=1e-4)


def test_split_pairs_narrow_the_error() -> None:
    """400 games, 80 % of the pairs split: ±22 from pairs, where single games give ±34."""
    rows = standings(match_of("a", "b", (19, 0, 160, 0, 21)), Field(("a", "b"))).rows
    assert [round(each.elo_error or 0) for each in rows] == [22, 22]
    around_the_mean = standings(match_of("a", "b", (19, 0, 160, 0, 21))).rows
    assert [round(each.elo_error or 0) for each in around_the_mean] == [11, 11], "half of it"


def test_split_pairs_narrow_the_errors_of_a_round_robin() -> None:
    """The same wins and losses of three brains, with most pairs split or none."""
    names = (("a", "b"), ("b", "c"), ("a", "c"))
    errors = []
    for counts in ((2, 0, 16, 0, 2), (10, 0, 0, 0, 10)):
        games = [game for i, pairing in enumerate(names) for game in match_of(*pairing, counts, 100 * i)]
        errors.append([round(each.elo_error or 0) for each in standings(games, Field(("a", "b", "c"))).rows])
    assert errors == [[34, 34, 34], [71, 71, 71]], "single games would give 50 to both"


@pytest.mark.parametrize(("pairs", "bound"), [(30, 479), (5, 140), (1, -291)])
def test_a_perfect_score_is_a_bound(pairs: int, bound: int) -> None:
    games = match_of("a", "b", (0, 0, 0, 0, pairs))
    for players in (Field(("a", "b")), Field(("a", "b"), ("a",))):
        best, worst = standings(games, players).rows
        assert (round(elo_of(best)), best.elo_error, best.bound) == (bound, None, ">")
        assert (round(elo_of(worst)), worst.elo_error, worst.bound) == (-bound, None, "<")
    other, anchor = standings(games, Field(("a", "b"), anchor=Anchor("b", 1000))).rows
    assert (round(elo_of(other)), other.bound) == (1000 + bound, ">")
    assert (anchor.elo, anchor.elo_error, anchor.bound) == (1000, 0, "")


def test_a_perfect_score_in_a_round_robin_is_a_bound_above_its_opponents() -> None:
    games = match_of("best", "a", (0, 0, 0, 0, 15), 0) + match_of("best", "b", (0, 0, 0, 0, 15), 100)
    games += match_of("a", "b", (3, 0, 9, 0, 3), 200)
    best, *others = standings(games, Field(("a", "b", "best"))).rows
    assert (best.bound, [each.bound for each in others]) == (">", ["", ""])
    assert elo_of(others[0]) == pytest.approx(elo_of(others[1]))
    assert elo_of(best) - elo_of(others[0]) == pytest.approx(479.1, abs=0.1)


def test_a_gauntlet_shows_its_heads_first_and_every_difference() -> None:
    games = match_of("head", "weak", (0, 0, 5, 0, 15), 0) + match_of("head", "strong", (8, 0, 10, 0, 2), 100)
    rows = standings(games, Field(("head", "weak", "strong"), ("head",))).rows
    assert [each.name for each in rows] == ["head", "strong", "weak"]
    assert [round(each.score / each.games, 4) for each in rows] == [0.6125, 0.65, 0.125]
    assert [round(elo_of(each)) for each in rows] == [80, 108, -338]
    anchored = standings(games, Field(("head", "weak", "strong"), ("head",), Anchor("head", 1000))).rows
    assert [(each.name, round(elo_of(each))) for each in anchored] == [("head", 1000), ("strong", 1108), ("weak", 662)]
    assert [each.elo_error for each in anchored[1:]] == [each.elo_error for each in rows[1:]], "from pairs"
    assert anchored[0].elo_error == 0
    other = standings(games, Field(("head", "weak", "strong"), ("head",), Anchor("weak", 0))).rows
    assert [each.name for each in other] == ["strong", "head", "weak"], "one scale, the strongest first"


def test_an_anchor_shifts_a_match() -> None:
    games = match_of("new", "old", (235, 1384, 2521, 1341, 239))
    old, new = standings(games, Field(("new", "old"), anchor=Anchor("old", 2000))).rows
    assert (old.name, old.elo, old.elo_error) == ("old", 2000, 0)
    assert (round(elo_of(new), 2), round(new.elo_error or 0, 2)) == (1998.94, 4.05)


def test_totals_grow_game_by_game() -> None:
    totals, games = Totals(), RECORDS + match_of("strong", "weak", (1, 2, 3, 4, 5), 50)
    for number, game in enumerate(games, 1):
        totals.add(game)
        assert totals == totals_of(games[:number])


def test_rows_are_values() -> None:
    standing = standings(RECORDS).rows[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        standing.elo = 0.0  # type: ignore[misc]
    assert len({standing, standings(RECORDS).rows[0]}) == 1


def test_pairs_are_counted_by_their_score() -> None:
    games = [
        ("a", "b", WHITE, 1), ("b", "a", BLACK, 1),  # 0
        ("a", "b", None, 2), ("b", "a", BLACK, 2),  # 1/2
        ("a", "b", BLACK, 3), ("b", "a", BLACK, 3),  # 1
        ("a", "b", None, 4), ("b", "a", None, 4),  # 1
        ("b", "a", WHITE, 5), ("a", "b", None, 5),  # 3/2
        ("a", "b", BLACK, 6), ("b", "a", WHITE, 6),  # 2
        ("a", "b", BLACK, 10), ("b", "a", WHITE, 10),  # 2
        ("a", "b", BLACK, 7),  # alone
        ("a", "c", BLACK, 8), ("c", "a", WHITE, 8),  # others
    ]  # fmt: skip
    records = [record(black, white, winner, pair=pair) for black, white, winner, pair in games]
    records += [record("a", "b", BLACK, pair=9), record("b", "a", WHITE, Termination.INTERRUPTED, pair=9)]
    assert totals_of(records).pair_counts("a", ["b"]) == (1, 1, 2, 1, 2)
    assert totals_of(records).pair_counts("b", ["a"]) == (2, 1, 2, 1, 1)
    assert totals_of(records).pair_counts("c", ["a"]) == (1, 0, 0, 0, 0)
    assert totals_of(records).pair_counts("a", ["b", "c"]) == (1, 1, 2, 1, 3)
    assert totals_of([]).pair_counts("a", ["b"]) == (0, 0, 0, 0, 0)
