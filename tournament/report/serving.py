"""The report on a local address, of an event that this process plays or another one."""

import time
from collections.abc import Callable

from tournament.event.config import Config
from tournament.event.store import GameReader, Store
from tournament.report.files import stored_contents
from tournament.report.live import LiveReport
from tournament.report.page import Life
from tournament.report.server import ReportServer
from tournament.stats.standings import Anchor

LOOK_EVERY_S = 0.5

Tell = Callable[[str], None]


def serve(store: Store, config: Config, anchor: Anchor | None, port: int, tell: Tell) -> ReportServer:
    """Serve the report of an event that this process plays; the server is to hear of it as the views do."""
    return served(Life.MOVES, GameReader(store.games_path), store, config, anchor, port, tell)


def follow_folder(store: Store, config: Config, anchor: Anchor | None, port: int, tell: Tell) -> None:
    """Serve the report of an event that another process may be playing, until a signal ends this one."""
    reader = GameReader(store.games_path)
    server = served(Life.GAMES, reader, store, config, anchor, port, tell)
    try:
        while True:
            server.report.add(list(reader.fresh()))
            time.sleep(LOOK_EVERY_S)
    finally:
        server.close()


def served(
    life: Life, reader: GameReader, store: Store, config: Config, anchor: Anchor | None, port: int, tell: Tell
) -> ReportServer:
    report = LiveReport(stored_contents(store, config, anchor, reader.fresh()), store, life)
    server = ReportServer(report, port)
    tell(f"live report at {server.address}")
    return server
