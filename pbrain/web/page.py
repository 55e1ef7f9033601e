"""The page as one file: markup, style, scripts, and the engine and its tables in compressed form."""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

from pbrain import __version__
from pbrain.core.notation import parse_position
from pbrain.core.types import Rule
from pbrain.engine.evaluation import FAMILIES, kernel_tables, knowledge_for
from pbrain.pages.bundle import FOLDER, content_policy, script_json, script_of, style_of
from pbrain.web.module import memory_flag

HERE = Path(__file__).parent
STYLES = (FOLDER / "palette.css", FOLDER / "board.css", FOLDER / "curve.css", HERE / "web.css")
PUZZLES = HERE / "puzzles.tsv"


def main_script() -> str:
    return script_of(HERE / "main.js")


def worker_script() -> str:
    return script_of(HERE / "worker.js")


def page(module: Path, bench: dict[str, Any], signature: str) -> str:
    """The whole file; `bench` and `signature` let it check its engine against the native one."""
    parts = {"wasm": module.read_bytes(), **learned()}
    script, style = main_script(), style_of(*STYLES)
    data = {
        "version": __version__,
        "description": json.loads(module.with_suffix(".json").read_text(encoding="ascii")),
        "memoryFlag": memory_flag(parts["wasm"]),
        "families": {str(int(rule)): family for rule, family in FAMILIES.items()},
        "parts": [[name, len(part)] for name, part in parts.items()],
        "bench": bench,
        "signature": signature,
        "puzzles": PUZZLES.read_text(encoding="ascii"),
    }
    return filled(
        (HERE / "page.html").read_text(encoding="utf-8"),
        policy=content_policy(script, style, has_workers=True),
        style=style,
        data=script_json(data),
        worker=worker_script(),
        assets=base64.b64encode(zlib.compress(b"".join(parts.values()), 9)).decode("ascii"),
        script=script,
    )


def learned() -> dict[str, bytes]:
    """What each family of rules has learned, by family and field."""
    tables: dict[str, bytes] = {}
    for rule in Rule:
        for field, data in kernel_tables(knowledge_for(rule)).items():
            tables[f"{FAMILIES[rule]}/{field}"] = data
    return tables


def filled(template: str, **texts: str) -> str:
    """The template with each `{name}` replaced, in one pass: a text may hold braces."""
    pieces = template.split("{")
    out = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}")
        out += [texts[name], rest]
    return "".join(out)


def bench_data(positions: Any, depth: int, table_bytes: int) -> dict[str, Any]:
    """The fixed searches of `python -m pbrain bench`, as the page's script runs them."""
    return {
        "positions": [
            {"width": width, "height": height, "rule": int(rule), "moves": parse_position(moves)}
            for width, height, rule, moves in positions
        ],
        "depth": depth,
        "tableBytes": table_bytes,
    }
