"""The wheels of a release: each holds its system's libraries, and this machine's runs in an empty environment."""

import struct
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from pbrain import bench
from pbrain.engine import evaluation
from pbrain.library import build, wheels
from pbrain.library.native import Library, host_target
from pbrain.pages import bundle as pages
from pbrain.web.page import HERE as WEB
from tests.conftest import BuiltOnce
from tournament.core.model import Board
from tournament.core.openings import BOOKS, shipped_openings
from tournament.report.page import HERE

PAGE_FILES = {".js", ".css", ".html", ".tsv"}
ELF_MACHINES = {"linux-x86_64": 62, "linux-aarch64": 183}
COUNT = """
from tournament.core.model import Board
from tournament.core.openings import shipped_openings
print(len(shipped_openings(Board())))
"""
PE_AMD64, MACH_O_64, MACH_O_ARM64 = 0x8664, 0xFEEDFACF, 0x0100000C


@pytest.fixture(scope="session")
def release(built_once: BuiltOnce) -> Path:
    """A folder with the wheel of every system, built by the documented command."""
    return built_once("wheels", lambda folder: list(wheels.build_wheels(folder)))


def wheel_of(release: Path, target: str) -> Path:
    (path,) = release.glob(f"kaname-*-py3-none-{wheels.PLATFORM_TAGS[target]}.whl")
    return path


def machine_of(library: bytes) -> str:
    """The target that a shared library's header names."""
    if library.startswith(b"\x7fELF"):
        (machine,) = struct.unpack_from("<H", library, 18)
        return {number: target for target, number in ELF_MACHINES.items()}[machine]
    if library.startswith(b"MZ"):
        (header,) = struct.unpack_from("<I", library, 0x3C)
        assert struct.unpack_from("<4sH", library, header) == (b"PE\0\0", PE_AMD64)
        return "windows-x86_64"
    assert struct.unpack_from("<II", library) == (MACH_O_64, MACH_O_ARM64)
    return "macos-aarch64"


def test_there_is_a_wheel_for_every_system(release: Path) -> None:
    assert {path.name for path in release.iterdir()} == {wheel_of(release, name).name for name in wheels.PLATFORM_TAGS}


@pytest.mark.parametrize("target", wheels.PLATFORM_TAGS)
def test_a_wheel_holds_its_systems_libraries_and_no_others(release: Path, target: str) -> None:
    archive = zipfile.ZipFile(wheel_of(release, target))
    names = set(archive.namelist())
    packed = {f"pbrain/library/built/{path.name}" for path in build.library_paths(target)}
    for_browsers = {f"pbrain/library/built/{path.with_suffix(suffix).name}"
                    for path in build.library_paths(build.WASM) for suffix in (".wasm", ".json")}  # fmt: skip
    assert {name for name in names if name.startswith("pbrain/library/built/")} == packed | for_browsers
    assert {machine_of(archive.read(name)) for name in packed} == {target}
    assert "pbrain/engine/values/worth.tsv" in names
    for family in evaluation.FAMILIES.values():
        assert {f"pbrain/engine/values/{family}.tsv", f"pbrain/engine/values/{family}_order.tsv"} <= names
    assert {f"tournament/books/{path.name}" for path in BOOKS.iterdir()} <= names
    shown = [path for folder in (pages.FOLDER, HERE, WEB) for path in folder.rglob("*.*") if path.suffix in PAGE_FILES]
    assert len(shown) > 50
    assert {path.relative_to(pages.FOLDER.parents[1]).as_posix() for path in shown} <= names
    (about,) = (name for name in names if name.endswith(".dist-info/WHEEL"))
    lines = archive.read(about).decode().splitlines()
    assert f"Tag: py3-none-{wheels.PLATFORM_TAGS[target]}" in lines
    assert "Root-Is-Purelib: false" in lines


def test_the_wheel_runs_in_an_empty_environment(release: Path, library: Library, tmp_path: Path) -> None:
    """The brain needs nothing but the standard library: neither the compiler nor what the runner uses is there."""
    venv.create(tmp_path / "empty", with_pip=False)
    python = tmp_path / "empty" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wheel = wheel_of(release, host_target())
    install = ["install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True, cwd=tmp_path)
    packages = next(path for path in tmp_path.glob("empty/**/site-packages"))
    dist_info = wheel.name.split("-py3")[0] + ".dist-info"
    assert {path.name for path in packages.iterdir()} == {"pbrain", "tournament", dist_info}
    brain = [str(python), "-m", "pbrain"]
    pipe = subprocess.PIPE
    with subprocess.Popen(brain, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("START 15\nINFO timeout_turn 200\nBEGIN\n")
        process.stdin.flush()
        answers = [process.stdout.readline() for _ in range(2)]
        process.stdin.write("END\n")  # only now: END does not wait for an answer
        process.stdin.close()
        assert (answers, process.stdout.read(), process.stderr.read()) == (["OK\n", "7,7\n"], "", "")
    run = subprocess.run([*brain, "bench"], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.split()[-1] == bench.run(library).signature
    page = subprocess.run([*brain, "web", "--no-browser"], cwd=tmp_path, capture_output=True, text=True)
    assert (page.returncode, page.stderr) == (0, "")
    assert (tmp_path / "kaname.html").stat().st_size > 100_000
    counted = subprocess.run([str(python), "-c", COUNT], cwd=tmp_path, capture_output=True, text=True)
    assert (counted.stdout, counted.stderr) == (f"{len(shipped_openings(Board()))}\n", "")


def test_what_cannot_be_a_wheel_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(build.BuildError, match="there is no target amiga"):
        wheels.build_wheel("amiga", tmp_path)
    monkeypatch.setattr(wheels, "is_source_checkout", lambda: False)
    with pytest.raises(build.BuildError, match="source checkout"):
        wheels.build_wheel(host_target(), tmp_path)
