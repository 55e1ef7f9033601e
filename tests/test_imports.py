"""Who may import whom, and what the engine may load at run time."""

import ast
import subprocess
import sys
from pathlib import Path

import pbrain
import tournament

PACKAGE = Path(pbrain.__file__).parent

# The rooms of the engine, and the rooms that each may import. The command line and bench may import any.
ROOMS: dict[str, set[str]] = {
    "core": set(),
    "kernel": {"core"},
    "library": {"core", "kernel"},
    "engine": {"core", "library"},
    "brain": {"core", "library", "engine"},
    "console": {"core", "engine"},
    "learn": {"core", "library", "engine"},
}
# What is loaded only by the commands that need a compiler, or numpy.
LOADED_ON_REQUEST = {"pbrain.library.build", "pbrain.kernel", "pbrain.learn"}


def imported_modules(path: Path) -> set[str]:
    """The modules that a file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def test_each_room_imports_only_what_the_contract_allows() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/*.py")} == set(ROOMS)
    for room, allowed in ROOMS.items():
        for path in (PACKAGE / room).glob("*.py"):
            modules = [name.split(".") for name in imported_modules(path) if name.startswith("pbrain.")]
            rooms = {parts[1] for parts in modules} - {"__version__"}
            assert rooms <= allowed | {room}, path


def test_the_runner_never_imports_the_engine() -> None:
    for path in Path(tournament.__file__).parent.rglob("*.py"):
        imports = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert "pbrain" not in " ".join(ast.unparse(node) for node in imports), path.name


def test_the_brain_loads_neither_a_compiler_nor_numpy() -> None:
    code = "import sys, pbrain.cli, pbrain.brain.start; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "pbrain.engine.engine" in loaded
    assert not {"numpy", "numba", "llvmlite"} & {name.split(".")[0] for name in loaded}
    assert not [name for name in loaded if any(name.startswith(late) for late in LOADED_ON_REQUEST)]
