"""A pytest plugin that makes everything slow that timing tests judge: brains, the kernel, the runner and its report.

`pytest -p tests.slowness -m timing` must then fail in every test; test_slowness.py sees to it.
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbrain.core import layout
from pbrain.library.native import Library
from pbrain.web import page as web_page
from tests import test_check, test_executable
from tests import test_windows as windows
from tests import test_windows_runner as windows_runner
from tests.brain_process import BRAIN, ECHO, BrainProcess
from tests.machine import Witness
from tournament.brains.clock import Deadline
from tournament.core.model import BrainSpec
from tournament.play import worker_process
from tournament.play.process import BrainProcess as RunnersProcess
from tournament.report import page

SLOW = (sys.executable, str(Path(__file__).with_name("slow_brain.py")))
KERNEL_LATE_S = 0.16  # more than the tables of a rule may take
RUNNER_LATE_S = 0.005
PAGE_LATE_MS = 2500  # more than a page may take to open
CLICK_LATE_MS = 150  # more than the engine's page may take for a click, or be late with a move
CLOCK_LATE_MS = 3  # the kernel looks at its clock every 64 nodes


def late(function: Callable[..., Any], seconds: float) -> Callable[..., Any]:
    def called(*arguments: Any, **named: Any) -> Any:
        time.sleep(seconds)
        return function(*arguments, **named)

    return called


def slow_runner() -> None:
    """For the process that plays games, too."""
    run = RunnersProcess.__init__

    def run_slowly(self: RunnersProcess, spec: BrainSpec, *arguments: Any, **named: Any) -> None:
        # Other brains stay quick: with them, a test measures the runner.
        is_ours = spec.command == BRAIN
        run(self, replace(spec, command=(*SLOW, *spec.command)) if is_ours else spec, *arguments, **named)

    RunnersProcess.__init__ = run_slowly  # type: ignore[method-assign]
    RunnersProcess.send = late(RunnersProcess.send, RUNNER_LATE_S)  # type: ignore[method-assign]


def slow_report() -> None:
    script = f"{{ const end = performance.now() + {PAGE_LATE_MS}; while (performance.now() < end); }}\n{page.script()}"
    page.script = lambda: script  # type: ignore[assignment]


def slow_web_page() -> None:
    """A page that starts late and takes long for a click, and an engine in it with a slow clock and slow messages."""
    wait = "const wait = (ms) => { const end = quick() + ms; while (quick() < end); };"
    quick = f"const quick = performance.now.bind(performance); {wait}"
    start = f"{quick} wait({PAGE_LATE_MS}); addEventListener('click', () => wait({CLICK_LATE_MS}), true);"
    clock = f"performance.now = () => {{ wait({CLOCK_LATE_MS}); return quick(); }};"
    message = f"const post = postMessage; postMessage = (value) => {{ wait({CLICK_LATE_MS}); post(value); }};"
    main_script = f"{{ {start} }}\n{web_page.main_script()}"
    worker_script = f"{{ {quick} {clock} {message} }}\n{web_page.worker_script()}"
    web_page.main_script = lambda: main_script
    web_page.worker_script = lambda: worker_script


def pytest_configure() -> None:
    slow_report()
    slow_web_page()
    start, load = BrainProcess.__init__, Library.__init__

    def start_slowly(self: BrainProcess, command: Sequence[str] = BRAIN, *arguments: Any, **named: Any) -> None:
        # The echo stays quick: it measures the machine, not a brain.
        start(self, command if command == ECHO else [*SLOW, *command], *arguments, **named)

    def load_slow(self: Library, path: Path) -> None:
        load(self, path)
        for name, _, _ in layout.ENTRIES:
            entry = name.removeprefix("kaname_")
            if entry not in ("make", "undo"):  # positions are set up by hundreds of them
                setattr(self, entry, late(getattr(self, entry), KERNEL_LATE_S))

    BrainProcess.__init__ = start_slowly  # type: ignore[method-assign]
    slow_runner()
    worker_process.START = worker_process.START.replace(
        "main()\n", "from tests.slowness import slow_runner\nslow_runner()\nmain()\n"
    )
    Library.__init__ = load_slow  # type: ignore[method-assign]
    # Nothing is excused here.
    Witness.is_disturbed = lambda *_: False  # type: ignore[method-assign]
    windows.WindowsBrain.launcher = (*SLOW, *windows.WindowsBrain.launcher)
    test_check.PYTHON = f"sh -c 'sleep 1.2; exec {sys.executable} \"$@\"' sh"
    test_executable.CHECKED = "sh -c 'sleep 1.2; exec \"$0\"' '{}'"
    windows.CHECKED = f"sh -c 'sleep 1.2; exec {windows.CHECKED}'"
    windows.PISKVORK = windows.PISKVORK.replace("brain.wait(5)", "time.sleep(0.6); brain.wait(5)")
    run_late = "import runpy, time; time.sleep(1.2); runpy.run_module('tournament.brains.{}', run_name='__main__')"
    windows_runner.BRAIN = f'-c "{run_late}"'
    Deadline.check = late(Deadline.check, KERNEL_LATE_S)  # type: ignore[method-assign]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first case of each test: its others are judged by the same lines."""
    first = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
    items[:] = [item for item in items if item in first.values()]
