"""What tests share: the native library, built once if missing or stale, an engine on it, the machine's witness."""

from collections.abc import Iterator

import pytest

from pbrain.engine.engine import Engine
from pbrain.library.native import Library
from pbrain.library.provide import open_library
from tests.machine import Witness


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library(None, print)


@pytest.fixture(scope="session")
def witness() -> Iterator[Witness]:
    with Witness() as watching:
        yield watching


@pytest.fixture
def engine(library: Library) -> Engine:
    return Engine(library)
