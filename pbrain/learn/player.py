"""The engine as a player of self-play: one thread, a small table, nothing but a node limit, so it repeats itself."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pbrain.core.types import Limits, Report, Rule
from pbrain.engine.engine import Engine
from pbrain.engine.evaluation import Knowledge, knowledge_for
from pbrain.engine.memory import MIB
from pbrain.engine.timeman import search_limits
from pbrain.learn.knowledge_files import unpacked_knowledge
from pbrain.library.native import Library, find_library

TABLE_BYTES = 4 * MIB  # enough for a few thousand nodes; clearing a larger one would take longer than the search

_thread = threading.local()  # the engines of a thread, by seat


class Player(NamedTuple):
    """Who plays, as a worker is told."""

    library: Path | None  # None for that of the worker's own installation
    knowledge: bytes | None  # packed; None for what the worker's own installation knows


def engine_for(library: Path, knowledge_for: Callable[[Rule], Knowledge] = knowledge_for) -> Engine:
    engine = Engine(Library(library), knowledge_for)
    engine.set_table_bytes(TABLE_BYTES)
    return engine


def engine_of(player: Player) -> Engine:
    """A new engine that plays as this player."""
    library = find_library() if player.library is None else player.library
    if player.knowledge is None:
        return engine_for(library)
    knowledge = unpacked_knowledge(player.knowledge)
    return engine_for(library, lambda _: knowledge)


def own_engine(player: Player, seat: int = 0) -> Engine:
    """This thread's engine for this player; the two sides of a match have a seat each."""
    kept: dict[int, tuple[Player, Engine]] = _thread.__dict__.setdefault("engines", {})
    if seat not in kept or kept[seat][0] != player:
        kept[seat] = player, engine_of(player)
    return kept[seat][1]


def think(engine: Engine, limits: Limits) -> Report:
    return engine.think(search_limits(limits, engine.now_ns()))
