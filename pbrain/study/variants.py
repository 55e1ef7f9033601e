"""Builds of this engine without one feature each, kept in a folder."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pbrain.engine.memory import max_threads
from pbrain.kernel.features import FEATURES
from pbrain.learn.workers import local_pool, results
from pbrain.library import build
from pbrain.library.digest import has_current_stamp
from pbrain.library.native import Library, baselines, host_target, library_name

MAX_PROCESSES = 8  # each takes up to 1 GB


class Variants:
    """Which features can be left out here, and the libraries without them; `refusal` says why there are none."""

    def __init__(self, folder: Path, is_wanted: bool) -> None:
        self._folder = folder
        self.refusal = "" if is_wanted else "the quick study leaves them out"
        if is_wanted:
            try:
                build.check_requirements()
            except build.BuildError as error:
                self.refusal = str(error)
        self.names: tuple[str, ...] = () if self.refusal else FEATURES

    def build(self, features: Sequence[str]) -> Iterator[str]:
        """Build what is missing, half a minute each, on all cores; yields each feature whose library is ready."""
        missing = [feature for feature in features if not has_current_stamp(library_path(self._folder, feature))]
        yield from (feature for feature in features if feature not in missing)
        if missing:
            with local_pool(min(len(missing), max_threads(), MAX_PROCESSES)) as pool:
                yield from results(pool, partial(build_without, self._folder), missing)

    def library(self, feature: str) -> Library:
        return Library(library_path(self._folder, feature))


def library_path(folder: Path, feature: str) -> Path:
    return folder / library_name(host_target(), best_baseline(), feature)


def best_baseline() -> str:
    """What this machine runs best; that for older machines would add a third to the time of a build."""
    return next(iter(baselines(host_target())))


def build_without(folder: Path, feature: str) -> str:
    list(build.build(host_target(), feature, folder, baseline=best_baseline()))
    return feature
