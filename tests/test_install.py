"""A wheel in an empty environment: the engine runs with nothing but the standard library beside it."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from pbrain import bench
from pbrain.engine import evaluation
from pbrain.library import build
from pbrain.library.native import Library, host_target

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """The wheel of this checkout; its hook finds the libraries current and packs them."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_the_libraries_and_names_its_platform(wheel: Path) -> None:
    assert "-py3-none-" in wheel.name
    assert not wheel.name.endswith("-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    packed = {f"pbrain/library/built/{path.name}" for path in build.library_paths(host_target())}
    assert {name for name in names if name.startswith("pbrain/library/built/")} == packed
    assert "pbrain/engine/values/worth.tsv" in names
    assert {f"pbrain/values/{family}.tsv" for family in evaluation.FAMILIES.values()} <= set(names)


def test_the_wheel_runs_without_numba(wheel: Path, library: Library, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)], check=True, cwd=tmp_path
    )
    listed = subprocess.run([python, "-m", "pip", "list"], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert "kaname" in listed.stdout
    assert "numba" not in listed.stdout
    assert "numpy" not in listed.stdout
    run = subprocess.run([python, "-m", "pbrain", "bench"], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.split()[-1] == bench.run(library).signature
