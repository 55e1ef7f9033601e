"""The native library's build: what it refuses, what it says, and when a library is stale."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbrain import bench
from pbrain.kernel.features import FEATURES, SEARCH_FEATURES
from pbrain.library import build, digest, native
from pbrain.library.native import Library, LibraryError, host_target
from tests.conftest import Variant
from tests.test_imports import imported_modules

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def ir() -> str:
    return build.kernel_ir()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the engine's sources and libraries that a test may change; another test may be building meanwhile."""
    unfinished = shutil.ignore_patterns("__pycache__", "tmp*")
    shutil.copytree(ROOT / "pbrain", tmp_path / "pbrain", ignore=unfinished)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def pbrain(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m pbrain` in a checkout; numba can be hidden from it."""
    command = [sys.executable, "-m", "pbrain", *arguments]
    merged = {**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=merged, capture_output=True, text=True)


@pytest.mark.parametrize("name", build.TARGETS)
def test_every_target_links(name: str) -> None:
    """Into the package's own folder, from which the wheels take their libraries."""
    if not build.is_current(name):
        list(build.build(name))
    magic = {"linux": b"\x7fELF", "windows": b"MZ", "wasm32": b"\0asm", "macos": b"\xcf\xfa\xed\xfe"}
    for path in build.library_paths(name):
        content = path.read_bytes()
        assert content.startswith(magic[name.split("-")[0]])
        assert b"kaname_make" in content
        assert len(content) < 200_000
    assert not any(path.is_dir() for path in native.LIBRARY_FOLDER.iterdir()), "linking leaves temporary files"


def test_the_ir_is_free_of_the_interpreter(ir: str) -> None:
    target = build.TARGETS["linux-x86_64"]
    with_python = re.sub(r"(define i64 @kaname_layout\(\).*?\{\n)", r"\1  call void @PyErr_Clear()\n", ir, count=1)
    with_python = re.sub(r"(?m)^declare void @PyErr_Clear\(\).*\n", "", with_python) + "declare void @PyErr_Clear()\n"
    with pytest.raises(build.BuildError, match="undefined symbols: PyErr_Clear"):
        build.emit_object(with_python, target, "x86-64-v2")


def test_an_address_of_the_building_process_is_refused(ir: str) -> None:
    target = build.TARGETS["linux-x86_64"]
    load = "  %leaked = load i64, ptr inttoptr (i64 140234567 to ptr)\n  ret i64 %leaked\n"
    leaking = re.sub(r"(define i64 @kaname_layout\(\).*?\{\n)\s+ret i64 -?\d+\n", rf"\1{load}", ir, count=1)
    assert leaking != ir
    with pytest.raises(build.BuildError, match="address of the building process"):
        build.emit_object(leaking, target, "x86-64-v2")


def test_the_ir_is_kept_until_a_source_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = count(1)
    monkeypatch.setattr(build, "LIBRARY_FOLDER", tmp_path / "built")
    monkeypatch.setattr(build, "lowered", lambda *variant: f"ir {next(times)} {variant}")
    assert [build.kernel_ir(), build.kernel_ir()] == ["ir 1 ()", "ir 1 ()"]
    assert build.kernel_ir("vcf-table") == "ir 2 ('vcf-table', False)", "a variant's is not kept"
    assert build.kernel_ir() == "ir 1 ()"
    monkeypatch.setattr(digest, "digest", lambda _: "changed")
    monkeypatch.setattr(build, "digest", lambda _: "changed")
    assert [build.kernel_ir(), build.kernel_ir()] == ["ir 3 ()", "ir 3 ()"]
    assert sorted(path.name for path in (tmp_path / "built").iterdir()) == [build.KEPT_IR, f"{build.KEPT_IR}.digest"]


def test_an_undefined_global_is_refused() -> None:
    values = [SimpleNamespace(name=".numba.unresolved$walk", is_declaration=True)]
    with pytest.raises(build.BuildError, match=r"numba\.unresolved"):
        build.check_module("linux", values, "")
    allowed = [SimpleNamespace(name=name, is_declaration=True) for name in ("memset", "llvm.cttz.i64")]
    build.check_module("linux", allowed, "")


def test_unknown_names_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(build.BuildError, match="no target amiga; there are linux-x86_64, "):
        next(build.build("amiga", folder=tmp_path))
    with pytest.raises(build.BuildError, match="no feature luck; there are unchanged-skip"):
        next(build.build("wasm32", without="luck", folder=tmp_path))
    run = pbrain(ROOT, "build", "--target", "amiga")
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (1, "", 1)
    assert list(tmp_path.iterdir()) == []


def test_the_pinned_versions_are_pyprojects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pinned = {f"{name}=={version}" for name, version in build.REQUIREMENTS.items()}
    assert pinned <= set(project["build-system"]["requires"])
    assert pinned <= set(project["project"]["optional-dependencies"]["build"])


def single_features() -> list[object]:
    return [pytest.param([name], marks=pytest.mark.slow) for name in FEATURES]


# The first is the variant that test_search.py compares with its twin; to build another takes fifteen seconds.
@pytest.mark.parametrize(
    "without",
    [list(SEARCH_FEATURES), *single_features()],
    ids=lambda names: names[0] if len(names) == 1 else "search-features",
)
def test_a_variant_is_a_library_of_its_own(library: Library, variant: Variant, without: list[str]) -> None:
    built = variant(without)
    name = native.library_name(host_target(), "v2", ",".join(without))
    assert built.path.name == name
    assert built.path.read_bytes() != library.path.with_name(native.library_name(host_target(), "v2")).read_bytes()
    changes_results = without != ["unchanged-skip"]
    depth = bench.DEPTH if len(without) == 1 else 3  # a search that prunes nothing takes minutes beyond
    assert (bench.run(built, depth).signature != bench.run(library, depth).signature) == changes_results


def test_a_stale_library_is_rebuilt_with_a_message(checkout: Path) -> None:
    fresh = pbrain(checkout, "bench")
    assert (fresh.returncode, fresh.stderr) == (0, "")
    assert "building" not in fresh.stdout
    parameters = checkout / "pbrain" / "core" / "parameters.py"
    text = parameters.read_text()
    changed = re.sub(r'(?<="move_limit_base", )\d+', lambda found: str(int(found[0]) + 1), text)
    assert changed != text
    parameters.write_text(changed)
    stale = pbrain(checkout, "bench")
    assert (stale.returncode, stale.stderr) == (0, "")
    assert stale.stdout.startswith("the native library is older than the kernel's sources; building it")
    assert stale.stdout.splitlines()[-1] != fresh.stdout.splitlines()[-1]
    assert "building" not in pbrain(checkout, "bench").stdout


@pytest.mark.parametrize("case", ["missing", "stale"])
def test_without_the_build_requirements_one_sentence_says_what_to_do(checkout: Path, case: str) -> None:
    if case == "missing":
        shutil.rmtree(checkout / "pbrain" / "library" / "built")
    else:
        params = checkout / "pbrain" / "core" / "params.py"
        params.write_text(params.read_text() + "\n")
    # -S leaves site-packages out, and with them numba.
    run = subprocess.run([sys.executable, "-S", "-m", "pbrain", "bench"], cwd=checkout, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1
    assert "needs numba" in run.stderr
    assert "pip install" in run.stderr


def test_a_foreign_library_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.so"
    wrong.write_bytes(b"not a library")
    with pytest.raises(LibraryError, match=r"wrong\.so cannot be loaded"):
        Library(wrong)
    run = pbrain(ROOT, "--library", str(wrong), "bench")
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (1, "", 1)


def test_a_library_of_other_records_is_refused(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbrain.core.layout.TABLES", ())
    with pytest.raises(LibraryError, match="its records differ; build it again"):
        Library(library.path)


def test_an_installed_library_is_trusted(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    """Digests are compared in a source checkout only: a wheel carries no sources to compare with."""
    monkeypatch.setattr(native, "is_source_checkout", lambda: False)
    monkeypatch.setattr(digest, "digest", lambda _: "changed")
    assert native.find_library() == library.path
    monkeypatch.setattr(native, "is_source_checkout", lambda: True)
    with pytest.raises(native.StaleLibraryError):
        native.find_library()


def test_an_old_cpu_gets_the_old_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "has_v3", lambda: False)
    assert tuple(baseline for baseline in native.baselines("linux-x86_64")) == ("v2",)


def test_the_digest_covers_all_of_the_package_that_the_kernel_imports() -> None:
    covered = {path.relative_to(digest.PACKAGE).with_suffix("").as_posix() for path in digest.sources()}
    for path in digest.sources():
        modules = {name for name in imported_modules(path) if name.startswith("pbrain.")}
        names = {name.removeprefix("pbrain.").replace(".", "/") for name in modules}
        files = {name for name in names | {name.rpartition("/")[0] for name in names} if is_source(name)}
        assert files - {"library/digest", "library/native"} <= covered, path


def is_source(name: str) -> bool:
    return (digest.PACKAGE / f"{name}.py").is_file()
