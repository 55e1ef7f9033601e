"""kernel → IR → object → library, for this machine or another.

python -m pbrain build                      this machine's libraries
python -m pbrain build --target wasm32      another's
python -m pbrain build --without NAME,...   a variant to measure features' worth
python -m pbrain build --tunable            one that reads the search's parameters at run time
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from pbrain.core import layout
from pbrain.kernel.features import FEATURES, TUNABLE_VARIABLE, WITHOUT_VARIABLE
from pbrain.library import lower
from pbrain.library.clocks import CLOCKS
from pbrain.library.digest import digest, has_current_stamp, stamp_of
from pbrain.library.native import LIBRARY_FOLDER, LibraryError, library_name

# Pinned, because the build uses numba's internals; pyproject.toml repeats them and a test compares the two.
REQUIREMENTS = {"numba": "0.68.1", "ziglang": "0.17.0"}

# What a library may take from its surroundings, by the platform: the first three are what compilers make of loops.
FROM_C = ("memcpy", "memmove", "memset")
ALLOWED_UNDEFINED = {
    "linux": {*FROM_C, "clock_gettime"},
    "macos": {*FROM_C, "clock_gettime"},
    "windows": {*FROM_C, "QueryPerformanceCounter", "QueryPerformanceFrequency"},
    "wasm32": {"kaname_clock"},
}
WINDOWS_IMPORTS = {
    "msvcrt": FROM_C,
    "kernel32": ("QueryPerformanceCounter", "QueryPerformanceFrequency"),
}
WASM_MEMORY = 1 << 32  # what 32 bits can address; whoever makes the memory may want less
KEPT_IR = "kaname.ll.gz"
HOST_ADDRESS = re.compile(r"inttoptr \(i64 \d+")


class BuildError(LibraryError):
    """The library cannot be built; the message is one sentence for the person who asked."""


@dataclass(frozen=True)
class Target:
    """A platform: its name and LLVM's, and the CPU baselines that it is built for."""

    platform: str
    triple: str
    baselines: dict[str, str]  # name in the file -> LLVM's name of the CPU
    features: str = ""

    @property
    def is_wasm(self) -> bool:
        return self.platform == WASM


WASM = "wasm32"
X86_BASELINES = {"v2": "x86-64-v2", "v3": "x86-64-v3"}
TARGETS = {
    "linux-x86_64": Target("linux", "x86_64-unknown-linux-gnu", X86_BASELINES),
    "windows-x86_64": Target("windows", "x86_64-w64-windows-gnu", X86_BASELINES),
    # Bulk memory keeps memset inside the module, SIMD serves the network, atomics the table and the stop word that
    # workers share; every browser since 2023 has them.
    WASM: Target(WASM, "wasm32-unknown-unknown", {"v1": "generic"}, "+atomics,+bulk-memory,+simd128"),
    "linux-aarch64": Target("linux", "aarch64-unknown-linux-gnu", {"v8": "generic"}),
    "macos-aarch64": Target("macos", "arm64-apple-macosx11.0.0", {"v8": "apple-m1"}),
}


def target_named(name: str) -> Target:
    if name not in TARGETS:
        raise BuildError(f"there is no target {name}; there are {', '.join(TARGETS)}")
    return TARGETS[name]


def check_requirements() -> None:
    for package, wanted in REQUIREMENTS.items():
        try:
            found = metadata.version(package)
        except metadata.PackageNotFoundError:
            found = "none"
        if found != wanted:
            raise BuildError(
                f"building the native library needs {package} {wanted}, found {found}; "
                "pip install -e '.[build]' brings it"
            )


def kernel_ir(without: str | None = None, is_tunable: bool = False) -> str:
    """The kernel's IR, the same for every target; that of the whole kernel is kept beside the libraries."""
    if without or is_tunable:
        return lowered(without, is_tunable)
    kept = LIBRARY_FOLDER / KEPT_IR
    if not has_current_stamp(kept):
        built_from = digest(kept.name)
        with moved_into_place(kept) as made:
            made.write_bytes(gzip.compress(lowered().encode()))
        stamp_of(kept).write_text(built_from)
    return gzip.decompress(kept.read_bytes()).decode()


@contextmanager
def moved_into_place(output: Path) -> Iterator[Path]:
    """A path in a temporary folder; what is made there comes to its place whole, whoever makes the same meanwhile."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        made = Path(folder) / output.name
        yield made
        made.replace(output)


def lowered(without: str | None = None, is_tunable: bool = False) -> str:
    """The kernel's IR from a process of its own with numba's settings in place; takes half a minute."""
    environment = {**os.environ, **lower.SETTINGS, WITHOUT_VARIABLE: without or ""}
    environment[TUNABLE_VARIABLE] = "1" if is_tunable else ""
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    run = subprocess.run(
        [sys.executable, "-m", "pbrain.library.lower"],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if run.returncode != 0:
        raise BuildError(f"numba could not compile the kernel:\n{run.stderr.strip()}")
    return run.stdout


def check_module(platform: str, values: Any, text: str) -> None:
    """Refuse a module that needs the interpreter, or that holds an address of the building process."""
    undefined = {value.name for value in values if value.is_declaration and not value.name.startswith("llvm.")}
    unexpected = sorted(undefined - ALLOWED_UNDEFINED[platform])
    if unexpected:
        raise BuildError(f"the kernel has unexpected undefined symbols: {', '.join(unexpected)}")
    address = HOST_ADDRESS.search(text)
    if address:
        raise BuildError(f"an address of the building process is compiled in ({address.group()}): a large global array")


def emit_object(ir: str, target: Target, cpu: str) -> bytes:
    """Optimise the module for one CPU of one target, check it, and emit machine code."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=cpu, features=target.features, opt=3, reloc="static" if target.is_wasm else "pic", codemodel="default"
    )
    ir = re.sub(r"(?m)^target datalayout = .*$", f'target datalayout = "{machine.target_data}"', ir)
    ir = re.sub(r"(?m)^target triple = .*$", f'target triple = "{target.triple}"', ir)
    module = llvm.parse_assembly(ir)
    module.link_in(llvm.parse_assembly(CLOCKS[target.platform]))
    for function in module.functions:
        if function.name == "kaname_clock" and not function.is_declaration:
            function.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    check_module(target.platform, (*module.functions, *module.global_variables), str(module))
    machine_code: bytes = machine.emit_object(module)
    return machine_code


def link_commands(target: Target, output: Path, source: Path) -> Iterator[list[str]]:
    """The bare linkers: the library needs nothing but what each process has loaded, so no C library is prepared."""
    zig = [sys.executable, "-m", "ziglang"]
    names = [name for name, _, _ in layout.ENTRIES]
    if target.is_wasm:
        exports = [f"--export={name}" for name in names]
        exports += ["--export=__heap_base", "--allow-undefined"]  # the clock; check_module has seen to the rest
        # Instances may share a memory, each with a stack of its own.
        memory = ["--import-memory", f"--max-memory={WASM_MEMORY}", "--export=__stack_pointer"]
        yield [*zig, "wasm-ld", "--no-entry", *exports, *memory, "-o", str(output), str(source)]
    elif target.platform == "linux":
        yield [*zig, "ld.lld", "-shared", "-s", "-o", str(output), str(source)]
    elif target.platform == "windows":
        imports = []
        for dll, imported in WINDOWS_IMPORTS.items():
            definition, stub = source.with_name(f"{dll}.def"), source.with_name(f"{dll}.lib")
            definition.write_text("\n".join([f"LIBRARY {dll}.dll", "EXPORTS", *imported, ""]))
            yield [*zig, "dlltool", "-m", "i386:x86-64", "-d", str(definition), "-l", str(stub)]
            imports.append(str(stub))
        exports = [f"/export:{name}" for name in names]
        yield [*zig, "lld-link", "/dll", "/noentry", "/nodefaultlib", *exports, f"/out:{output}", str(source), *imports]
    else:
        yield [*zig, "cc", "-target", "aarch64-macos", "-shared", "-s", "-o", str(output), str(source)]


def link(target: Target, machine_code: bytes, output: Path) -> None:
    with moved_into_place(output) as linked:
        source = linked.with_name("kernel.o")
        source.write_bytes(machine_code)
        # zig wants cache folders, and the user's may be read-only.
        caches = dict.fromkeys(("ZIG_LOCAL_CACHE_DIR", "ZIG_GLOBAL_CACHE_DIR"), str(linked.parent))
        for command in link_commands(target, linked, source):
            run = subprocess.run(command, env={**os.environ, **caches}, capture_output=True, text=True)
            if run.returncode != 0:
                raise BuildError(f"linking {output.name} failed:\n{run.stderr.strip()}")
        linked.chmod(0o755)


def javascript_description() -> str:
    """What a page needs to work on the records from outside: sizes, offsets and entry points."""

    def described(fields: layout.Fields) -> dict[str, Any]:
        return {
            "size": layout.size_of(fields),
            "fields": {
                place.name: {
                    "type": place.type if isinstance(place.type, str) else described(place.type),
                    "shape": place.shape,
                    "offset": place.offset,
                }
                for place in layout.placed(fields)
            },
        }

    entries = {name: {"result": result, "arguments": arguments} for name, result, arguments in layout.ENTRIES}
    all_fields = {"state": layout.STATE, "tables": layout.TABLES, "worker": layout.WORKER, "busy": layout.BUSY}
    records = {name: described(fields) for name, fields in all_fields.items()}
    return json.dumps({**records, "entries": entries}, indent=1) + "\n"


def build(
    name: str,
    without: str | None = None,
    folder: Path = LIBRARY_FOLDER,
    is_tunable: bool = False,
    baseline: str | None = None,
) -> Iterator[Path]:
    """Build a target's libraries, one for each baseline or for one alone, and yield each as it is ready."""
    target = target_named(name)
    for feature in without.split(",") if without else ():
        if feature not in FEATURES:
            raise BuildError(f"there is no feature {feature}; there are {', '.join(FEATURES)}")
    check_requirements()
    ir = kernel_ir(without, is_tunable)
    for each, cpu in target.baselines.items():
        if baseline not in (None, each):
            continue
        output = folder / library_name(name, each, without, is_tunable)
        built_from = digest(output.name)
        link(target, emit_object(ir, target, cpu), output)
        stamp_of(output).write_text(built_from)
        if target.is_wasm:
            output.with_suffix(".json").write_text(javascript_description())
        yield output


def library_paths(name: str) -> list[Path]:
    """Where a target's libraries lie in the package."""
    return [LIBRARY_FOLDER / library_name(name, baseline) for baseline in target_named(name).baselines]


def is_current(name: str) -> bool:
    """Whether all libraries of a target are built from the sources as they are now."""
    return all(has_current_stamp(path) for path in library_paths(name))
