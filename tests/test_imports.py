"""Who may import whom, and what the engine may load at run time."""

import ast
import subprocess
import sys
from pathlib import Path

import pbrain
import tournament

PACKAGE = Path(pbrain.__file__).parent

# Each module of the engine and the modules of pbrain that it may import when it is loaded.
ALLOWED: dict[str, set[str]] = {
    "__init__": set(),
    "params": set(),
    "digest": set(),
    "clocks": set(),
    "commands": set(),
    "types": {"params"},
    "layout": {"params"},
    "evaluation": {"params", "types"},
    "memory": {"params"},
    "timeman": {"types"},
    "opening": {"types"},
    "notation": {"types"},
    "native": {"layout", "digest"},
    "engine": {"evaluation", "memory", "native", "opening", "params", "timeman", "types"},
    "swap2": {"engine", "params", "types"},
    "protocol": {
        "commands",
        "engine",
        "memory",
        "notation",
        "params",
        "processes",
        "swap2",
        "thinking",
        "timeman",
        "types",
    },
    "windows": set(),
    "processes": {"windows"},
    "unpacked": {"processes"},
    "start": {"engine", "native", "processes", "protocol", "unpacked"},
    "bench": {"engine", "evaluation", "memory", "native", "notation", "types"},
    "selfplay": {"engine", "evaluation", "fit", "memory", "native", "params", "played", "types"},
    "fit": {"params"},
    "tune": {"evaluation", "fit", "native", "params", "played", "selfplay", "types"},
    "played": {"types"},
    "options": {"params", "types"},
    "view": {"types"},
    "psq": {"types"},
    "terminal": set(),
    "thinking": {"engine", "types"},
    "play": {"engine", "notation", "options", "params", "psq", "terminal", "thinking", "types", "view"},
    "analyse": {"engine", "notation", "options", "params", "terminal", "thinking", "types", "view"},
    "cli": {"bench", "engine", "native", "start"},
    "__main__": set(),
    "lower": {"layout"},
    "build": {"clocks", "layout", "lower", "digest", "kernel", "native"},
    "build_hook": set(),
}


def imported_when_loaded(path: Path) -> set[str]:
    """The pbrain modules that a file imports at its top level."""
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "pbrain":
            parts = node.module.split(".")
            names = [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
            found.update(name for name in names if not name.startswith("__"))
    return found


def test_import_directions() -> None:
    modules = {path.stem: imported_when_loaded(path) for path in PACKAGE.glob("*.py")}
    assert set(modules) == set(ALLOWED)
    for name, imports in modules.items():
        assert imports <= ALLOWED[name], name
    for path in (PACKAGE / "kernel").glob("*.py"):
        assert imported_when_loaded(path) <= {"kernel", "layout", "params", "types"}, path.name


def test_the_runner_never_imports_the_engine() -> None:
    for path in Path(tournament.__file__).parent.rglob("*.py"):
        imports = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert "pbrain" not in " ".join(ast.unparse(node) for node in imports), path.name


def test_the_engine_loads_neither_numpy_nor_numba() -> None:
    code = "import sys, pbrain.cli, pbrain.engine, pbrain.bench; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pbrain" in run.stdout.split()
    assert not {"numpy", "numba", "llvmlite"} & set(run.stdout.split())
