"""The whole study: measure what is missing, then write the page and the tables."""

from collections.abc import Callable
from pathlib import Path

from pbrain.learn.settings_file import agree_on
from pbrain.learn.whole_file import write_whole
from pbrain.library.build import BuildError
from pbrain.library.native import Library
from pbrain.study.events import EventError
from pbrain.study.measure import CountError, Progress, Study
from pbrain.study.measured import Measured
from pbrain.study.page import page
from pbrain.study.plan import Plan
from pbrain.study.process import BrainError
from pbrain.study.summary import markdown
from pbrain.study.tables import write_tables

SETTINGS_FILE = "study.json"
PAGE_FILE, TABLE_FILE = "study.html", "systems.md"


def run(folder: Path, plan: Plan, seed: int, library: Library, signature: str, show: Callable[[Progress], None]) -> str:
    """The table of the four systems, as Markdown; ValueError with a sentence if the study cannot be made here."""
    folder.mkdir(parents=True, exist_ok=True)
    agree_on(folder / SETTINGS_FILE, {"plan": plan.name, "seed": seed, "signature": signature})
    study = Study(folder, plan, seed, library, show)
    try:
        study.run()
    except (BrainError, EventError, CountError, BuildError) as error:
        raise ValueError(str(error)) from error
    measured = Measured(study)
    table = markdown(measured)
    write_whole(folder / PAGE_FILE, page(measured, signature).encode("utf-8"))
    write_whole(folder / TABLE_FILE, f"{table}\n".encode())
    write_tables(measured, folder)
    return table
