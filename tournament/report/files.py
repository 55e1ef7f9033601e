"""Writes the report of an event into a file."""

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from tournament.core.failures import RunnerError, reason_of
from tournament.core.model import GameRecord
from tournament.core.openings import OpeningError
from tournament.event.config import Config
from tournament.event.event import expected_games
from tournament.event.store import Store, write_whole
from tournament.report.contents import Contents
from tournament.report.page import page
from tournament.stats.standings import Anchor

ENGINE_PAGE = "kaname.html"  # what `python -m pbrain web` writes


def stored_contents(store: Store, config: Config, anchor: Anchor | None, games: Iterable[GameRecord]) -> Contents:
    """What there is to show of these games of the event in this folder."""
    contents = Contents(store.folder.resolve().name, config, planned_games(config), anchor)
    for record in games:
        contents.add(record)
    contents.verdict = store.verdict()
    return contents


def planned_games(config: Config) -> int | None:
    """The number of games of the whole event; None if its openings are no longer there."""
    try:
        return expected_games(config)
    except OpeningError:
        return None


def write_report(store: Store, config: Config, anchor: Anchor | None = None, path: Path | None = None) -> Path:
    """Write the report; RunnerError if that fails, and then an earlier one is as before."""
    path = path or store.report_path
    try:
        contents = stored_contents(store, config, anchor, store.games())
        write_whole(path, page(contents, engine_page=engine_page_for(path)))
    except OSError as error:
        raise RunnerError(f"{path} cannot be written: {reason_of(error)}") from error
    return path


def engine_page_for(report: Path) -> str | None:
    """The engine's page as seen from a report, if it is in the report's folder, the one above, or the current one."""
    folder = report.resolve().parent
    for place in (folder, folder.parent, Path.cwd()):
        if place.drive == folder.drive and (place / ENGINE_PAGE).is_file():
            return quote(Path(os.path.relpath(place / ENGINE_PAGE, folder)).as_posix())
    return None
