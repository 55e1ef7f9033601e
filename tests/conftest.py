"""What tests share: the native library, built once if missing or stale, an engine on it, the host's witness."""

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from zlib import crc32

import pytest
from filelock import FileLock
from hypothesis import settings

from pbrain.cli import main
from pbrain.engine.engine import Engine
from pbrain.library import build
from pbrain.library.native import Library, baselines, host_target
from pbrain.library.provide import open_library
from pbrain.web import page as web_page
from pbrain.web.module import module_path
from tests.browser import DESKTOP, NO_AXE, NO_CHROMIUM, Browser, Page, browser, program
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

AXE = "axe-core@4.10.3"
PAGE = "kaname.html"
SHARED_VARIABLE = "KANAME_TEST_FOLDER"
BuiltOnce = Callable[[str, Callable[[Path], object]], Path]
Variant = Callable[[Sequence[str]], Library]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers start after this, and find the libraries built."""
    if is_controller(session.config):
        open_library(None, print)
        module_path(print)


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


def build_least(folder: Path, without: str | None = None, is_tunable: bool = False) -> None:
    """Build this machine's least baseline of the kernel alone: tests need no other."""
    baseline = min(baselines(host_target()))
    list(build.build(host_target(), without, folder, is_tunable, baseline))


def least_library(folder: Path) -> Library:
    (path,) = (path for path in folder.iterdir() if path.suffix != ".digest")
    return Library(path)


@pytest.fixture(scope="session")
def variant(built_once: BuiltOnce) -> Variant:
    """This machine's least baseline of the kernel, built without some features."""

    def provide(features: Sequence[str]) -> Library:
        without = ",".join(features)
        digest = hashlib.sha256(without.encode()).hexdigest()[:8]
        folder = built_once(f"without-{digest}", partial(build_least, without=without))
        return least_library(folder)

    return provide


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        pytest.skip(NO_CHROMIUM)
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A tab of a desktop's width."""
    opened = chromium.page()
    opened.resize(DESKTOP)
    yield opened
    opened.call("Page.close")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core from npm."""
    folder = tmp_path_factory.mktemp("axe")
    words = ["npm", "install", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", AXE]
    try:
        subprocess.run(words, check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.SubprocessError):
        pytest.skip(NO_AXE)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def kaname_page(built_once: BuiltOnce) -> Path:
    """The page of `python -m pbrain web`; tests/slowness.py has scripts of its own in it."""
    name = f"web-{crc32((web_page.main_script() + web_page.worker_script()).encode()):08x}"
    return built_once(name, lambda folder: main(["web", "--no-browser", "--output", str(folder / PAGE)])) / PAGE


@pytest.fixture
def web(page: Page, kaname_page: Path) -> Page:
    """A tab with that page."""
    page.open(kaname_page.as_uri())
    return page


@pytest.fixture
def witness(request: pytest.FixtureRequest) -> Iterator[Witness]:
    """Confines the test and its brains to one core, so that its pauses are theirs; such tests are timing tests."""
    watching = watchers(request.config)
    with on_cores(watching.cores[-1:]):
        yield watching
