"""Makes one HTML file of small ones: modules become one script, and nothing in the page can load or run anything else.

Modules are plain ES modules in one of two forms of statement: `import { a, b } from "./other.js";` on lines of its own,
and `export` before a function, class or constant. So browsers and node can load the same files one by one.
"""

import base64
import hashlib
import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[./\w-]*/)([\w-]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
ENDS_SCRIPT = re.compile(r"<(?=/?script|!--)", re.IGNORECASE)


class BundleError(Exception):
    """The modules cannot become one script; the text says why."""


def script_of(entry: Path) -> str:
    """The module in this file with all that it imports, as one script without imports."""
    done: dict[Path, str] = {}
    add_module(entry.resolve(), done, ())
    names = [path.stem for path in done]
    if len(set(names)) < len(names):
        raise BundleError(f"two of these modules have the same name: {', '.join(names)}")
    script = "\n".join(done.values())
    if ENDS_SCRIPT.search(script):
        raise BundleError(f"{entry.name} or a module that it imports has <script or <!-- in it")
    return script


def add_module(path: Path, done: dict[Path, str], importers: tuple[Path, ...]) -> None:
    """Add a module after those that it imports."""
    if path in importers:
        raise BundleError(f"modules import each other: {' → '.join(each.stem for each in (*importers, path))}")
    if path in done:
        return
    text = path.read_text(encoding="utf-8")
    for match in IMPORT.finditer(text):
        add_module((path.parent / match[2] / f"{match[3]}.js").resolve(), done, (*importers, path))
    done[path] = wrapped(path.stem, text)


def wrapped(name: str, text: str) -> str:
    """A module as a function that is called once and returns what the module exports."""
    exports = EXPORT.findall(text)
    body = EXPORT.sub("", IMPORT.sub(lambda match: f"const {{{match[1]}}} = {variable(match[3])};", text))
    if re.search(r"^(?:import|export)\b", body, re.MULTILINE):
        raise BundleError(f"{name}.js has an import or export in a form that is not known here")
    return f"const {variable(name)} = (() => {{\n{body.rstrip()}\nreturn {{ {', '.join(exports)} }};\n}})();"


def variable(name: str) -> str:
    return f"module_{name.replace('-', '_')}"


def style_of(*paths: Path) -> str:
    """These style sheets, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def script_json(value: object) -> str:
    """JSON that may stand inside a script element: no text in it ends the element or begins a comment."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def content_policy(script: str, style: str, connects: bool = False, has_workers: bool = False) -> str:
    """The policy that lets this script and this style run, and nothing else.

    A page may talk to its own server, or have workers made of its own text, and WebAssembly in them. Should a text of
    a brain ever become markup by mistake, it still could not run or load anything.
    """
    own = "; connect-src 'self'" if connects else ""
    workers = "; worker-src blob:" if has_workers else ""
    scripts = f"'{digest(script)}'" + (" 'wasm-unsafe-eval'" if has_workers else "")
    return f"default-src 'none'; script-src {scripts}; style-src '{digest(style)}'; img-src data:{own}{workers}"


def digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
