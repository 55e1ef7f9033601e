"""Who may import whom, and what the engine may load at run time."""

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pbrain
import tournament

# The rooms of each package, and the rooms that each may import. Modules outside the rooms may import any.
ENGINE: dict[str, set[str]] = {
    "pages": set(),
    "core": set(),
    "kernel": {"core"},
    "library": {"core", "kernel"},
    "engine": {"core", "library"},
    "brain": {"core", "library", "engine"},
    "console": {"core", "engine"},
    "learn": {"core", "library", "engine", "console", "pages"},
    "study": {"pages", "core", "kernel", "library", "engine", "learn"},
    "web": {"pages", "core", "library", "engine"},
}
RUNNER: dict[str, set[str]] = {
    "core": set(),
    "play": {"core"},
    "stats": {"core"},
    "event": {"core", "play", "stats"},
    "views": {"core", "play", "stats", "event"},
    "report": {"core", "play", "stats", "event", "views"},
    "book": {"core", "play", "event", "views"},
    "spsa": {"core", "play", "event", "views"},
    "farm": {"core", "play", "event"},
    "brains": set(),
}
# What is loaded only by the commands that need a compiler, or numpy.
LOADED_ON_REQUEST = {"pbrain.library.build", "pbrain.kernel", "pbrain.learn", "pbrain.study", "pbrain.web"}


def imported_modules(path: Path) -> set[str]:
    """The modules that a file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


@pytest.mark.parametrize(("package", "rooms"), [(pbrain, ENGINE), (tournament, RUNNER)])
def test_each_room_imports_only_what_the_contract_allows(package: ModuleType, rooms: dict[str, set[str]]) -> None:
    folder, prefix = Path(str(package.__file__)).parent, f"{package.__name__}."
    assert {path.parent.name for path in folder.glob("*/*.py")} == set(rooms)
    for room, allowed in rooms.items():
        for path in (folder / room).glob("*.py"):
            modules = [name.split(".") for name in imported_modules(path) if name.startswith(prefix)]
            imported = {parts[1] for parts in modules} - {"__version__"}
            assert imported <= allowed | {room}, path


def test_the_runner_never_imports_the_engine() -> None:
    """What pages are made of is all that the two share."""
    for path in Path(tournament.__file__).parent.rglob("*.py"):
        shared = [name for name in imported_modules(path) if name.split(".")[0] == "pbrain"]
        assert all(name.startswith("pbrain.pages.") for name in shared), path.name


def test_what_pages_are_made_of_needs_the_standard_library_alone() -> None:
    for path in (Path(pbrain.__file__).parent / "pages").glob("*.py"):
        outside = [name for name in imported_modules(path) if not name.startswith("pbrain.pages.")]
        assert {name.split(".")[0] for name in outside} <= sys.stdlib_module_names, path.name


def test_the_brain_loads_neither_a_compiler_nor_numpy() -> None:
    code = "import sys, pbrain.cli, pbrain.brain.start; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "pbrain.engine.engine" in loaded
    assert not {"numpy", "numba", "llvmlite"} & {name.split(".")[0] for name in loaded}
    assert not [name for name in loaded if any(name.startswith(late) for late in LOADED_ON_REQUEST)]
