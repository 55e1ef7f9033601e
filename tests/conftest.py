"""What tests share: the native library, built once if missing or stale, an engine on it, the host's witness."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from pbrain.engine.engine import Engine
from pbrain.library import build
from pbrain.library.native import Library, host_target
from pbrain.library.provide import open_library
from tests.calm import watchers
from tests.machine import Witness, on_cores
from tests.suite import (  # noqa: F401  pytest finds its hooks here
    is_controller,
    pytest_cmdline_main,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_make_collect_report,
    pytest_pyfunc_call,
    pytest_runtest_makereport,
    pytest_runtestloop,
    pytest_terminal_summary,
    pytest_xdist_make_scheduler,
)

# A loaded machine is no fault of what is tested; the suite's timeout ends what hangs.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")

SHARED_VARIABLE = "KANAME_TEST_FOLDER"
BuiltOnce = Callable[[str, Callable[[Path], object]], Path]
Variant = Callable[[Sequence[str]], Library]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers start after this, and find the library built."""
    if is_controller(session.config):
        open_library(None, print)


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library(None, print)


@pytest.fixture
def engine(library: Library) -> Engine:
    return Engine(library)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that this run's workers share, and the runs that they start."""
    base = tmp_path_factory.getbasetemp()
    own = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return Path(os.environ.get(SHARED_VARIABLE, own))


@pytest.fixture(scope="session")
def built_once(shared_folder: Path) -> BuiltOnce:
    """Makes a folder of some name once for all workers: whoever asks first makes it, the others wait."""

    def provide(name: str, make: Callable[[Path], object]) -> Path:
        folder = shared_folder / name
        with FileLock(shared_folder / f"{name}.lock"):
            if not folder.exists():
                making = shared_folder / f"{name}.part"
                making.mkdir()
                make(making)
                making.rename(folder)
        return folder

    return provide


@pytest.fixture(scope="session")
def variant(built_once: BuiltOnce) -> Variant:
    """This machine's least baseline of the kernel, built without some features."""

    def provide(features: Sequence[str]) -> Library:
        without = ",".join(features)
        digest = hashlib.sha256(without.encode()).hexdigest()[:8]
        folder = built_once(f"without-{digest}", lambda path: list(build.build(host_target(), without, path)))
        return Library(min(path for path in folder.iterdir() if path.suffix != ".digest"))

    return provide


@pytest.fixture
def witness(request: pytest.FixtureRequest) -> Iterator[Witness]:
    """Confines the test and its brains to one core, so that its pauses are theirs; such tests are timing tests."""
    watching = watchers(request.config)
    with on_cores(watching.cores[-1:]):
        yield watching
