"""kernel → LLVM IR: the functions that numba compiled, linked into one module with C entry points.

Runs in its own process, `python -m pbrain.library.lower`, because numba reads its settings only when it is imported.
The IR goes to standard output and is the same for every target.
"""

import os
import sys
from typing import Any

from pbrain.core import layout

# A generic CPU and no vectorisation: only the later pass for a target may use what the target has.
# NUMBA_CPU_FEATURES must be empty: if it is unset, numba uses the features of this machine.
SETTINGS = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_BOUNDSCHECK": "0",
    "NUMBA_OPT": "3",
    "NUMBA_DISABLE_JIT": "0",
    "NUMBA_DEBUGINFO": "0",
}

LLVM_TYPES = {"void": "void", "u8": "i64", "i8": "i64", "state": "ptr", "tables": "ptr", "worker": "ptr"}


def compiled_function(function: Any) -> tuple[str, str, str]:
    """A kernel function's symbol, the LLVM type it returns through its first argument, and its module."""
    (overload,) = function.overloads.values()
    returned = {"none": "ptr", "bool": "i8", "uint64": "i64", "int64": "i64"}[str(overload.signature.return_type)]
    return overload.fndesc.llvm_func_name, returned, overload.library.get_llvm_str()


def entry_point(name: str, result: str, arguments: tuple[str, ...], symbol: str, returned: str) -> str:
    """A C function around numba's calling convention: result and exception by pointer, status returned.

    The status is ignored: kernel functions raise nothing, and the build's list of allowed symbols makes sure of it.
    """
    parameters = [f"{LLVM_TYPES[kind]} %arg{i}" for i, kind in enumerate(arguments)]
    passed = ", ".join(["ptr %result", "ptr %exception", *parameters])
    lines = [
        f"define {LLVM_TYPES[result]} @{name}({', '.join(parameters)}) {{",
        f"  %result = alloca {returned}",
        "  %exception = alloca ptr",
        f'  %status = call i32 @"{symbol}"({passed})',
    ]
    if result == "void":
        lines.append("  ret void")
    else:
        lines.append(f"  %value = load {returned}, ptr %result")
        if returned != "i64":
            lines.append(f"  %wide = zext {returned} %value to i64")
        lines.append(f"  ret i64 %{'value' if returned == 'i64' else 'wide'}")
    declared = ", ".join(["ptr", "ptr", *(LLVM_TYPES[kind] for kind in arguments)])
    return "\n".join([f'declare i32 @"{symbol}"({declared})', *lines, "}\n"])


def kernel_ir() -> str:
    """The whole kernel as one module of LLVM IR."""
    import llvmlite.binding as llvm

    from pbrain.kernel.entries import FUNCTIONS

    linked = llvm.parse_assembly(f"define i64 @kaname_layout() {{\n  ret i64 {layout.signature()}\n}}\n")
    for name, result, arguments in layout.ENTRIES:
        if name == "kaname_layout":
            continue
        symbol, returned, text = compiled_function(FUNCTIONS[name])
        module = llvm.parse_assembly(text)
        # Every module has its own copies of the functions it calls; the linker keeps one of each.
        for function in module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"
        # The caller comes first: the linker drops linkonce_odr functions that nothing refers to yet.
        linked.link_in(llvm.parse_assembly(entry_point(name, result, arguments, symbol, returned)))
        linked.link_in(module)
    exported = {name for name, _, _ in layout.ENTRIES}
    for value in (*linked.functions, *linked.global_variables):
        if not value.is_declaration and value.name not in exported:
            value.linkage = "internal"
    return str(linked)


if __name__ == "__main__":
    wrong = [name for name, value in SETTINGS.items() if os.environ.get(name) != value]
    if wrong:
        sys.exit(f"pbrain.library.lower is started by pbrain.library.build, which sets {', '.join(wrong)}")
    sys.stdout.write(kernel_ir())
