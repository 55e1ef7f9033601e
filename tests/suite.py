"""How the suite runs: in parallel what may, then alone what measures time; a timeout for each test; no skips in CI.

`pytest` without a path starts a worker for each core, and two more. When they have ended, this process runs the tests
marked `timing` itself, with nothing beside them. Named files and tests run one after the other as usual.
"""

import os
import signal
import sys
from collections.abc import Generator
from itertools import zip_longest

import pytest

from tests import calm
from tests.browser import NO_AXE, NO_CHROMIUM
from tests.node import NO_NODE

MAX_WORKERS = 4  # each holds tables and brains of some hundred megabytes
SPARE_WORKERS = 2  # many tests wait for a process rather than compute
IS_WINDOWS = sys.platform == "win32"
SLOW_TIMEOUT_S = 4 * 3600  # the everyday timeout is in pyproject.toml

# Tests that share what takes long to make: the variant that the search's twin is compared with; modules of the kernel
# that are compiled when they are imported; other systems' libraries; sessions with slow brains; a small study.
GROUPS = {
    "tests/test_build.py::test_a_variant_is_a_library_of_its_own[search-features]": "plain-variant",
    "tests/test_build.py::test_every_target_links": "targets",
    "tests/test_install.py": "targets",
    "tests/test_farm.py": "farm",
    "tests/test_search.py::test_search_agrees_with_plain_minimax": "plain-variant",
    "tests/test_selectivity.py": "imported-kernel",
    "tests/test_slowness.py": "slowness",
    "tests/test_solver.py": "solver",
    "tests/test_soundness.py": "solver",
    "tests/test_study.py": "study",
    "tests/test_table.py": "imported-kernel",
    "tests/test_web_puzzles.py": "solver",
}

# What a CI machine may lack, calm among it; any other skip there is a failure.
ALLOWED_SKIPS = (
    NO_NODE,
    NO_CHROMIUM,
    NO_AXE,
    "the C twin is compiled for x86-64 Linux only",
    calm.DISTURBED,
)


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def is_controller(config: pytest.Config) -> bool:
    """Whether workers run the parallel tests for this process."""
    return config.pluginmanager.hasplugin("dsession")


def is_timing(item: pytest.Item) -> bool:
    return item.get_closest_marker("timing") is not None


def pytest_configure() -> None:
    """A shell that starts a command in the background has it ignore Ctrl-C, and so would all that tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Start workers for the whole suite, unless somebody wants to look at single tests or at their output."""
    option = config.option
    is_whole = not option.file_or_dir and not option.usepdb and not option.collectonly and option.capture != "no"
    if not config.pluginmanager.hasplugin("xdist") or is_worker(config):
        return
    if option.numprocesses is None and is_whole:
        option.numprocesses = min((os.cpu_count() or 1) + SPARE_WORKERS, MAX_WORKERS)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    for item in items:
        if "witness" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timing)
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT_S))
        if is_timing(item) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(calm.TIMEOUT_S))
    if IS_WINDOWS:
        deselect_posix(config, items)
    yield
    if is_worker(config):
        items[:] = [item for item in items if not is_timing(item)]
    elif is_controller(config):
        items[:] = [item for item in items if is_timing(item)]


def group_of(nodeid: str) -> str:
    """What runs on one worker together; most tests are a group of their own."""
    return next((group for prefix, group in GROUPS.items() if nodeid.startswith(prefix)), nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Hands out group by group, the largest first; xdist's own groups do nothing with this pytest."""
    from xdist.scheduler import LoadScopeScheduling

    class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return GroupScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    result = yield  # the workers have ended
    if is_controller(session.config):
        run_alone(session)
    return result


def run_alone(session: pytest.Session) -> None:
    """Collect the timing tests and run them in this process, as pytest's own loop would."""
    in_parallel = session.testscollected
    items = session.perform_collect()
    session.testscollected += in_parallel
    for item, following in zip_longest(items, items[1:]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Timing tests are called in calm moments; pytest calls the others itself."""
    if not is_timing(pyfuncitem):
        return None
    calm.call(pyfuncitem)
    return True


# -- Windows -----------------------------------------------------------------------------------------------------------

POSIX_REASONS = pytest.StashKey[dict[str, int]]()


def deselect_posix(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what Windows cannot run, and remember the reasons for the summary."""
    marks = {item: item.get_closest_marker("posix") for item in items}
    reasons = config.stash.setdefault(POSIX_REASONS, {})
    for mark in marks.values():
        if mark is not None:
            reasons[mark.args[0]] = reasons.get(mark.args[0], 0) + 1
    config.hook.pytest_deselected(items=[item for item in items if marks[item] is not None])
    items[:] = [item for item in items if marks[item] is None]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for reason, count in config.stash.get(POSIX_REASONS, {}).items():
        terminalreporter.write_line(f"{count} tests need POSIX: {reason}")


# -- skips -------------------------------------------------------------------------------------------------------------


def why_refused(reason: str) -> str | None:
    """Why a skip with this reason is a failure here, or None."""
    reason = reason.removeprefix("Skipped: ")
    if not os.environ.get("CI") or reason in ALLOWED_SKIPS:
        return None
    return f"skipped in CI for a reason that ALLOWED_SKIPS does not list: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        refusal = why_refused(report.longrepr[2])
        if refusal:
            report.outcome, report.longrepr = "failed", refusal
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        refusal = why_refused(report.longrepr[2])
        if refusal:
            report.outcome, report.longrepr = "failed", refusal
    return report
