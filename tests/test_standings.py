"""Standings computed from game records."""

import dataclasses
import random

import pytest

from tournament.model import BLACK, WHITE, Board, GamePlan, GameRecord, Opening, Termination
from tournament.ratings import Tally
from tournament.standings import Standing, pair_counts, standings

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


def row(name: str, rows: tuple[Standing, ...]) -> Standing:
    return next(standing for standing in rows if standing.name == name)


def test_rows() -> None:
    rows = standings(RECORDS).rows
    assert [standing.name for standing in rows] == ["strong", "middle", "weak"]
    assert [standing.tally for standing in rows] == [Tally(4, 1, 1), Tally(2, 1, 1), Tally(1, 0, 5)]
    assert [standing.games for standing in rows] == [6, 4, 6]
    assert [standing.score for standing in rows] == [4.5, 2.5, 1]
    assert sum(standing.elo for standing in rows) == pytest.approx(0, abs=1e-9)
    assert all(standing.elo_error and 50 < standing.elo_error < 500 for standing in rows)
    assert all(standing.los_against_next and 0.5 < standing.los_against_next < 1 for standing in rows[:-1])
    assert rows[-1].los_against_next is None


def test_faults_are_counted_for_who_made_them() -> None:
    weak = row("weak", standings(RECORDS).rows)
    assert (weak.timeouts, weak.crashes, weak.other_faults) == (2, 1, 1)
    assert weak.faults == ((Termination.TIMEOUT, 2), (Termination.CRASH, 1), (Termination.STALL, 1))
    for other in ("strong", "middle"):
        assert row(other, standings(RECORDS).rows).faults == ()


@pytest.mark.parametrize("termination", list(Termination))
def test_every_termination_has_its_place(termination: Termination) -> None:
    table = standings([record("a", "b", WHITE, termination)], ["a", "b"])
    loser, winner = row("a", table.rows), row("b", table.rows)
    assert loser.games == (termination is not Termination.INTERRUPTED)
    assert loser.timeouts + loser.crashes + loser.other_faults == termination.is_fault
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
    table = standings([record("a", "b", None, Termination.INTERRUPTED)], ["b", "a"], offset=1600)
    assert [(standing.name, standing.games, standing.elo) for standing in table.rows] == [
        ("a", 0, 1600),
        ("b", 0, 1600),
    ]
    assert all(standing.elo_error is None and standing.los_against_next is None for standing in table.rows)


def test_who_has_not_played_comes_last() -> None:
    rows = standings([*RECORDS, record("weak", "weak", BLACK)], ["idle", "weak"]).rows
    assert [standing.name for standing in rows] == ["strong", "middle", "weak", "idle"]
    assert (rows[2].tally, rows[2].los_against_next) == (Tally(1, 0, 5), None)
    assert (rows[3].elo, rows[3].elo_error) == (0, None)


def test_the_order_of_games_does_not_matter() -> None:
    shuffled = RECORDS[:]
    random.Random(1).shuffle(shuffled)
    one, other = standings(RECORDS), standings(iter(shuffled))
    assert one.crosstable == other.crosstable
    for standing, same in zip(one.rows, other.rows, strict=True):
        assert (standing.name, standing.tally, standing.faults) == (same.name, same.tally, same.faults)
        assert standing.elo == pytest.approx(same.elo)


def test_an_anchor_is_fixed() -> None:
    rows = standings(RECORDS, anchor="weak", offset=1000).rows
    assert (row("weak", rows).elo, row("weak", rows).elo_error) == (1000, 0)
    plain = standings(RECORDS).rows
    assert row("strong", rows).elo - 1000 == pytest.approx(row("strong", plain).elo - row("weak", plain).elo)


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
    assert pair_counts(records, "a", "b") == (1, 1, 2, 1, 2)
    assert pair_counts(records, "b", "a") == (2, 1, 2, 1, 1)
    assert pair_counts(records, "c", "a") == (1, 0, 0, 0, 0)
    assert pair_counts([], "a", "b") == (0, 0, 0, 0, 0)
