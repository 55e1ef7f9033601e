"""Search parameters: constants in the library that ships, set by INFO in the one that `build --tunable` makes."""

from functools import partial

import pytest

from pbrain import bench
from pbrain.core.parameters import INDEX, PARAMETERS
from pbrain.core.types import Limits
from pbrain.engine.engine import Engine
from pbrain.engine.timeman import search_limits
from pbrain.library.native import Library
from tests.conftest import BuiltOnce, build_least, least_library
from tests.dialogue import Conversation

DEPTH = 8


@pytest.fixture(scope="session")
def tunable(built_once: BuiltOnce) -> Library:
    return least_library(built_once("tunable", partial(build_least, is_tunable=True)))


def test_names_are_unique_and_values_in_range() -> None:
    assert len(INDEX) == len(PARAMETERS)
    for name, value, low, high in PARAMETERS:
        assert name == name.lower()
        assert low <= value <= high
        assert low < high


def nodes_with(library: Library, **parameters: int) -> int:
    """Nodes of a search to a fixed depth."""
    engine = Engine(library)
    engine.new_game(15, 15, engine.rule)
    engine.allow_thinking()
    for name, value in parameters.items():
        engine.set_parameter(name, value)
    for move in ((7, 7), (8, 8), (7, 9), (6, 8), (9, 7)):
        engine.play(*move)
    return engine.think(search_limits(Limits(depth=DEPTH), engine.now_ns())).nodes


def test_a_tunable_library_searches_as_the_other_until_it_is_tuned(library: Library, tunable: Library) -> None:
    assert bench.run(tunable).signature == bench.run(library).signature
    assert nodes_with(tunable) == nodes_with(library)
    narrow, wide = nodes_with(tunable, move_limit_base=1), nodes_with(tunable, move_limit_base=15)
    assert len({narrow, nodes_with(tunable), wide}) == 3
    assert nodes_with(tunable, move_limit_base=1000) == wide, "15 is the largest"
    assert nodes_with(library, move_limit_base=15) == nodes_with(library)


def test_info_sets_a_parameter(tunable: Library) -> None:
    engine = Engine(tunable)
    talk = Conversation(engine)
    assert talk.hear_all("START 15", "INFO Razor_Base 7", "INFO razor_base many", "INFO no_such_parameter 3") == ["OK"]
    assert engine._worker.parameters[INDEX["razor_base"]] == 7


def test_a_constant_says_that_it_is_one(engine: Engine) -> None:
    (message,) = Conversation(engine).hear_all("INFO razor_base 7")
    assert message == "ERROR razor_base is a constant here; python -m pbrain build --tunable makes a library to tune"
