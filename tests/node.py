"""Runs the page's modules in node: a bundle, then an expression whose value comes back as JSON."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from pbrain.pages.bundle import script_of

WEB = Path(__file__).resolve().parents[1] / "pbrain" / "web"
NO_NODE = "no node on this machine to run WebAssembly in"


def node() -> str:
    """Where node is; without it the test is skipped."""
    found = shutil.which("node")
    if found is None:
        pytest.skip(NO_NODE)
    return found


def evaluated(module: str | Path, expression: str, **values: Any) -> Any:
    """An expression with a module's exports, awaited; `values` are constants of the same names."""
    entry = WEB / f"{module}.js" if isinstance(module, str) else module
    constants = "".join(f"const {name} = input.{name};\n" for name in values)
    script = (
        f'const input = JSON.parse(require("fs").readFileSync(0, "utf8"));\n{constants}{script_of(entry)}\n'
        f"(async () => console.log(JSON.stringify(await (async () => {{ {expression} }})())))();\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.cjs"  # too long for a command line
        path.write_text(script, encoding="utf-8")
        command = [node(), str(path)]
        run = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
