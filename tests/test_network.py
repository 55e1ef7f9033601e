"""The network in the kernel against its slow twin, and its files."""

import random
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from pbrain.core.params import MAX_ROW, CellClass
from pbrain.core.types import Rule
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import Knowledge, knowledge_for
from pbrain.engine.network import SIZES, Network, NetworkError, network_bytes, read_network
from pbrain.library.native import Library
from tests import naive, snapshot
from tests.naive_network import network_value
from tests.test_board import SIZES as BOARDS
from tests.test_board import random_move

MAX_NUMBER = {"rows": MAX_ROW, "threat_rows": 20_000, "output_weights": 2_000}
EVERYDAY_POSITIONS, FULL_POSITIONS = 400, 20_000


def random_network(seed: int, size: float = 1.0) -> Network:
    """Numbers anywhere in their range; with size 1 the hidden layer often has all that 16 bits can hold."""
    rng = random.Random(seed)

    def numbers(name: str) -> bytes:
        bound = int(size * MAX_NUMBER.get(name, 32_767))
        return array("h", (rng.randint(-bound, bound) for _ in range(SIZES[name]))).tobytes()

    return Network({name: numbers(name) for name in SIZES}, {"about": "random numbers"})


def engine_with(library: Library, network: Network) -> Engine:
    def knowledge(rule: Rule) -> Knowledge:
        return knowledge_for(rule)._replace(network=network)

    return Engine(library, knowledge)


def expected_value(engine: Engine, network: Network, rule: Rule) -> int:
    board = snapshot.board(engine)
    black, white = (naive.classes(board, colour, rule) for colour in "XO")
    mine, theirs = (black, white) if engine.to_move == 0 else (white, black)
    return naive.table_value(mine, theirs, rule) + network_value(
        mine, theirs, naive.threats(mine, theirs), engine.to_move, network.parts
    )


def walk(engine: Engine, network: Network, rule: Rule, positions: int, rng: random.Random) -> None:
    """Random play, with stones taken back; some positions are evaluated, others are only passed through."""
    seen = 0
    while seen < positions:
        width, height = rng.choice(BOARDS)
        engine.new_game(width, height, rule)
        while seen < positions and engine.moves < width * height:
            before = snapshot.state_bytes(engine)
            engine.play(*random_move(engine, rng))
            if rng.random() < 0.5:
                assert engine.value == expected_value(engine, network, rule)
                seen += 1
            if engine.winner is not None or rng.random() < 0.3:
                engine.undo()
                assert snapshot.state_bytes(engine) == before
                if rng.random() < 0.5:
                    assert engine.value == expected_value(engine, network, rule)
            if rng.random() < 0.01:
                break


@pytest.mark.parametrize("rule", list(Rule))
def test_the_value_is_that_of_the_slow_twin(library: Library, rule: Rule) -> None:
    for seed, size in enumerate((1.0, 0.1)):
        network = random_network(seed, size)
        walk(engine_with(library, network), network, rule, EVERYDAY_POSITIONS // 2, random.Random(seed))


@pytest.mark.slow
@pytest.mark.parametrize("rule", list(Rule))
def test_the_value_is_that_of_the_slow_twin_in_many_positions(library: Library, rule: Rule) -> None:
    network = random_network(7)
    walk(engine_with(library, network), network, rule, FULL_POSITIONS, random.Random(7))


def test_a_restored_position_has_its_value(library: Library) -> None:
    network = random_network(3)
    engine = engine_with(library, network)
    engine.new_game(15, 15, Rule.FREESTYLE)
    engine.scatter(5, 20)
    saved, value = engine.saved(), engine.value
    engine.scatter(6, 20)
    assert engine.value != value
    engine.restore(saved)
    assert engine.value == value
    engine.scatter(8, 1)
    assert engine.value == expected_value(engine, network, Rule.FREESTYLE)


def test_a_file_has_what_was_written(tmp_path: Path) -> None:
    path, network = tmp_path / "a.network", random_network(1)
    path.write_bytes(network_bytes(network, "renju"))
    found = read_network(path, "renju")
    assert found.parts == network.parts
    assert found.about == {"kaname network": "1", "rule": "renju", "about": "random numbers"}


def torn(data: bytes) -> bytes:
    return data[:-1]


def flipped(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


def of_the_next_version(data: bytes) -> bytes:
    return data.replace(b"network: 1", b"network: 2", 1)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (torn, "is damaged"),
        (flipped, "is damaged"),
        (of_the_next_version, "is not a network of kaname network 1, but of 2"),
        (lambda _data: b"", "is not a network of kaname network 1, but of none"),
        (lambda data: data[5:], "is not a network of kaname network 1, but of none"),
        (lambda _data: b"\xff\xfe\n\nx", "is not a network: it does not begin with lines"),
    ],
)
def test_a_damaged_file_gives_one_sentence(tmp_path: Path, damage: Callable[[bytes], bytes], said: str) -> None:
    path = tmp_path / "a.network"
    path.write_bytes(damage(network_bytes(random_network(1), "renju")))
    with pytest.raises(NetworkError, match=said):
        read_network(path, "renju")


def test_a_network_of_another_rule_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    path.write_bytes(network_bytes(random_network(1), "caro"))
    with pytest.raises(NetworkError, match="is not a network of rule renju, but of caro"):
        read_network(path, "renju")


def test_a_network_of_another_size_is_refused(tmp_path: Path) -> None:
    path, network = tmp_path / "a.network", random_network(1)
    parts = {**network.parts, "rows": network.parts["rows"][2:]}
    path.write_bytes(network_bytes(Network(parts, {}), "caro"))
    with pytest.raises(NetworkError, match=f"bytes of numbers, not {2 * sum(SIZES.values())}"):
        read_network(path, "caro")


def test_every_class_has_a_row() -> None:
    assert SIZES["rows"] == len(CellClass) ** 2 * 16
