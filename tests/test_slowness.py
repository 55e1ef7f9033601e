"""Every timing test can fail: with a brain, a kernel and a runner that are slow on purpose, each of them does."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.browser import NO_CHROMIUM
from tests.conftest import SHARED_VARIABLE
from tests.machine import common

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.timeout(1200)  # the first of these tests waits for a whole session
ABOUT_TESTS = ("test_slowness", "test_suite")  # what they say of timing tests is about others
SOURCES = [path for path in sorted(Path(__file__).parent.glob("test_*.py")) if path.stem not in ABOUT_TESTS]


def has_timing_tests(path: Path) -> bool:
    """Whatever asks for the witness is a timing test, too."""
    text = path.read_text(encoding="utf-8")
    return "mark.timing" in text or "witness: " in text


FILES = [path for path in SOURCES if has_timing_tests(path)]
ON_WINDOWS = [path for path in FILES if path.stem.startswith("test_windows")]
EVERYDAY = [path for path in FILES if path not in ON_WINDOWS]


@dataclass(frozen=True)
class Session:
    """A pytest of its own in which everything is slow, and the report that it writes."""

    process: "subprocess.Popen[bytes]"
    report: Path
    output: Path

    def failures(self) -> dict[str, bool]:
        """Whether each test failed in its call; those that are skipped on this machine are left out."""
        cases = [case for case in self.cases() if case.find("skipped") is None]
        return {str(case.get("name")): case.find("failure") is not None for case in cases}

    def cases(self) -> list[ElementTree.Element]:
        self.process.wait()
        assert self.report.exists(), self.output.read_text()
        return list(ElementTree.parse(self.report).iter("testcase"))

    def is_without_chromium(self) -> bool:
        """Whether all tests need a Chromium that this machine does not have."""
        reasons = [skip.get("message") for case in self.cases() for skip in case.iter("skipped")]
        return set(reasons) == {NO_CHROMIUM}


def start(path: Path, folder: Path, shared: Path) -> Session:
    markers = "timing and not slow and " + ("windows" if path in ON_WINDOWS else "not windows")
    report, output = folder / f"{path.stem}.xml", folder / f"{path.stem}.txt"
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "tests.slowness", "-m", markers, f"--junitxml={report}"]
    environment = {**os.environ, SHARED_VARIABLE: str(shared)}
    with output.open("wb") as file:
        process = subprocess.Popen([*command, str(path)], cwd=ROOT, env=environment, stdout=file, stderr=file)
    return Session(process, report, output)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory, shared_folder: Path) -> Iterator[dict[Path, Session]]:
    yield from running(EVERYDAY, tmp_path_factory.mktemp("slowness"), shared_folder)


@pytest.fixture(scope="module")
def sessions_on_windows(tmp_path_factory: pytest.TempPathFactory, shared_folder: Path) -> Iterator[dict[Path, Session]]:
    yield from running(ON_WINDOWS, tmp_path_factory.mktemp("slowness"), shared_folder)


def running(paths: list[Path], folder: Path, shared: Path) -> Iterator[dict[Path, Session]]:
    """All at once: they wait for slow brains most of the time, and only become slower by each other."""
    started = {path: start(path, folder, shared) for path in paths}
    yield started
    for session in started.values():
        session.process.kill()
        session.process.wait()


def check(session: Session) -> None:
    failures = session.failures()
    assert failures or session.is_without_chromium(), session.output.read_text()
    assert all(failures.values()), session.output.read_text()
    assert "the brain wrote to stderr" not in session.output.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERYDAY, ids=lambda path: path.stem)
def test_every_timing_test_can_fail(path: Path, sessions: dict[Path, Session]) -> None:
    check(sessions[path])


@pytest.mark.windows
@pytest.mark.parametrize("path", ON_WINDOWS, ids=lambda path: path.stem)
def test_every_timing_test_of_windows_can_fail(path: Path, sessions_on_windows: dict[Path, Session]) -> None:
    check(sessions_on_windows[path])


def test_only_what_all_cores_missed_together_is_excused() -> None:
    taken = [(10.0, 11.0)]
    first, second = [(10.1, 10.2), (10.5, 10.9)], [(9.0, 10.15), (10.6, 10.7), (10.8, 12.0)]
    assert common([taken, first]) == first
    assert common([taken, first, second]) == [(10.1, 10.15), (10.6, 10.7), (10.8, 10.9)]
    assert common([taken, first, []]) == []
    assert common([taken, [(11.0, 12.0)], [(11.0, 12.0)]]) == []
