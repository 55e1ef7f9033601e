"""The suite's own rules, on a small suite: what runs where, what a skip is in CI, and what Windows leaves out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite import GROUPS

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = """
import tests.suite
from tests.suite import *

tests.suite.GROUPS = {"cases/test_cases.py::test_shares": "shared"}
"""
SETTINGS = """
[pytest]
testpaths = cases
addopts = -p no:cacheprovider
markers =
    timing: runs alone
    slow: has a long timeout
    posix(reason): not for Windows
"""
CASES = """
import os, time
from pathlib import Path
import pytest

def note(name):
    with open("ran.txt", "a") as file:
        file.write(f"{name} {os.environ.get('PYTEST_XDIST_WORKER', 'controller')} {time.monotonic()}\\n")

@pytest.mark.timing
def test_measures():
    note("timing")

@pytest.fixture
def witness():
    return None

def test_asks_for_the_witness(witness):
    note("timing")

@pytest.mark.parametrize("number", range(4))
def test_shares(number):
    time.sleep(0.1)
    note("group")

@pytest.mark.parametrize("number", range(6))
def test_computes(number):
    time.sleep(0.1)
    note("parallel")
"""
SKIPS = """
import pytest

def test_lacks_node():
    pytest.skip("no node on this machine to run WebAssembly in")

@pytest.mark.skipif(True, reason="today is Monday")
def test_waits_for_tuesday():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "cases" / "conftest.py").write_text(CONFTEST)
    return tmp_path


def run(project: Path, cases: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (project / "cases" / "test_cases.py").write_text(cases)
    inherited = {name: value for name, value in os.environ.items() if name != "CI" and "PYTEST" not in name}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=project,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )


def ran(project: Path) -> list[tuple[str, str]]:
    """Which kind of test ran in which process, in the order of time."""
    lines = [line.split() for line in (project / "ran.txt").read_text().splitlines()]
    return [(kind, where) for kind, where, _ in sorted(lines, key=lambda line: float(line[2]))]


def test_timing_tests_run_alone_after_the_parallel_ones(project: Path) -> None:
    done = run(project, CASES)
    assert done.returncode == 0, done.stdout
    assert "12 passed" in done.stdout
    places = ran(project)
    assert [kind for kind, _ in places[-2:]] == ["timing"] * 2
    assert {where for kind, where in places if kind == "timing"} == {"controller"}
    assert len({where for kind, where in places if kind == "group"}) == 1
    assert len({where for kind, where in places[:-2]}) > 1


@pytest.mark.parametrize("arguments", [["cases/test_cases.py"], ["-n0", "-m", "timing"]])
def test_named_files_run_here_in_their_order(project: Path, arguments: list[str]) -> None:
    assert run(project, CASES, *arguments).returncode == 0
    expected = ["timing"] * 2 + ([] if "-m" in arguments else ["group"] * 4 + ["parallel"] * 6)
    assert ran(project) == [(kind, "controller") for kind in expected]


def test_failures_of_both_stages_are_counted(project: Path) -> None:
    done = run(
        project, CASES.replace('note("timing")', "assert False").replace("time.sleep(0.1)", "assert False"), "-n2"
    )
    assert done.returncode == 1
    assert "12 failed" in done.stdout


def test_after_the_first_failure_nothing_more_runs(project: Path) -> None:
    done = run(project, CASES.replace("time.sleep(0.1)", "assert False"), "-n2", "-x")
    assert done.returncode in (1, 2)
    assert "failed" in done.stdout
    assert not (project / "ran.txt").exists()


def test_a_skip_fails_in_ci_unless_it_is_allowed(project: Path) -> None:
    at_home, in_ci = run(project, SKIPS, "cases"), run(project, SKIPS, "cases", CI="true")
    assert at_home.returncode == 0
    assert "2 skipped" in at_home.stdout
    assert in_ci.returncode == 1
    assert "1 skipped, 1 error" in in_ci.stdout
    assert "today is Monday" in in_ci.stdout
    module = run(project, 'import pytest\npytest.skip("no reason", allow_module_level=True)', "cases", CI="true")
    assert module.returncode not in (0, 5)


@pytest.mark.parametrize(
    ("disturbed", "outcome"),
    [([False], "1 failed"), ([True, False], "1 failed"), ([True], "1 passed"), ([True, True, True], "1 skipped")],
)
def test_a_timing_test_that_fails_while_the_host_stood_still_runs_again(
    project: Path, disturbed: list[bool], outcome: str
) -> None:
    """It fails as often as the host is asked, and passes then."""
    with_host(project, disturbed)
    case = "import pytest, conftest\n@pytest.mark.timing\ndef test_measures():\n    assert not conftest.moments\n"
    assert outcome in run(project, case, "cases", CI="true").stdout


def test_a_timing_test_that_runs_again_has_a_folder_of_its_own(project: Path) -> None:
    with_host(project, [True])
    case = "@pytest.mark.timing\ndef test_measures(tmp_path):\n    (tmp_path / 'made').mkdir()\n"
    case = f"import pytest, conftest\n{case}    assert not conftest.moments\n"
    assert "1 passed" in run(project, case, "cases", CI="true").stdout


def with_host(project: Path, disturbed: list[bool]) -> None:
    """A conftest whose host was disturbed, or not, each time it is asked."""
    host = f"""
from tests import calm
moments = {disturbed}
calm.Witness.is_disturbed = lambda *_: moments.pop(0)
calm.wait_for_calm = lambda witness: None
"""
    (project / "cases" / "conftest.py").write_text(CONFTEST + host)


def test_windows_leaves_out_what_needs_posix_and_says_why(project: Path) -> None:
    case = '@pytest.mark.posix("it forks")\ndef test_forks():\n    assert False\n\ndef test_other():\n    pass\n'
    (project / "cases" / "conftest.py").write_text(CONFTEST + "tests.suite.IS_WINDOWS = True\n")
    done = run(project, "import pytest\n" + case, "cases")
    assert done.returncode == 0, done.stdout
    assert "1 tests need POSIX: it forks" in done.stdout
    assert "1 passed, 1 deselected" in done.stdout


@pytest.mark.parametrize("prefix", GROUPS)
def test_groups_name_tests_that_exist(prefix: str) -> None:
    path, _, test = prefix.partition("::")
    assert f"def {test.partition('[')[0]}" in (ROOT / path).read_text(encoding="utf-8")
