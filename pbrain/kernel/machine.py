"""What Python has no word for: the compile options of every kernel function, bit counting, addresses."""

import ctypes
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import int64, njit, uint64, void
from numba.extending import intrinsic

from pbrain.core import params
from pbrain.kernel.records import STATE, STATE_DTYPE, TABLES, WORKER, WORKER_DTYPE

BYTE, WORD = ir.IntType(8), ir.IntType(64)
CLOCK = "kaname_clock"  # clocks.py has one for each platform; jitted functions are given Python's
_jitted_clock = ctypes.CFUNCTYPE(ctypes.c_int64)(time.monotonic_ns)
llvm.add_symbol(CLOCK, ctypes.cast(_jitted_clock, ctypes.c_void_p).value)


def kernel(signature: Any, *, inline: bool = False) -> Callable[..., Any]:
    """`njit` as every kernel function needs it: Python's error model would pull the interpreter into the library."""
    return njit(signature, error_model="numpy", forceinline=inline, boundscheck=None)


@intrinsic
def lowest_bit(_typing, _word):
    """Index of the lowest set bit of a word that is not zero."""

    def codegen(_context, builder, _signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return uint64(uint64), codegen


@intrinsic
def highest_bit(_typing, _word):
    """Index of the highest set bit of a word that is not zero."""

    def codegen(_context, builder, _signature, args):
        return builder.sub(ir.Constant(WORD, 63), builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1)))

    return uint64(uint64), codegen


@intrinsic
def tables_at(_typing, _address):
    """The TABLES record at an address that the state carries: no copy, no reference count."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return TABLES(uint64), codegen


@intrinsic
def now_ns(_typing):
    """The time in nanoseconds on a clock that never runs backwards (31 ns per call on Linux)."""

    def codegen(_context, builder, _signature, _args):
        functions = builder.module.globals
        clock = functions.get(CLOCK) or ir.Function(builder.module, ir.FunctionType(WORD, []), CLOCK)
        return builder.call(clock, [])

    return int64(), codegen


@intrinsic
def stop_asked(_typing, _worker):
    """The stop word, read from memory each time: a plain load would be moved out of the loop and never seen again."""
    offset = WORKER_DTYPE.fields["stop"][1]

    def codegen(_context, builder, _signature, args):
        base = builder.bitcast(args[0], BYTE.as_pointer())
        word = builder.bitcast(builder.gep(base, [ir.Constant(WORD, offset)]), WORD.as_pointer())
        return builder.load_atomic(word, "monotonic", 8)

    return uint64(WORKER), codegen


@intrinsic
def load_word(_typing, _address):
    """The 64-bit word at an address of a buffer that the worker carries; other threads may write it meanwhile."""

    def codegen(_context, builder, _signature, args):
        return builder.load_atomic(builder.inttoptr(args[0], WORD.as_pointer()), "monotonic", 8)

    return uint64(uint64), codegen


@intrinsic
def store_word(_typing, _address, _word):
    def codegen(context, builder, _signature, args):
        builder.store_atomic(args[1], builder.inttoptr(args[0], WORD.as_pointer()), "monotonic", 8)
        return context.get_dummy_value()

    return void(uint64, uint64), codegen


@intrinsic
def touch_word(_typing, _address):
    """Write a word back as it is, though other threads may write it meanwhile: its page becomes memory."""

    def codegen(context, builder, _signature, args):
        zero = ir.Constant(WORD, 0)  # where there is a zero, a zero is written; any other word shows a page in use
        builder.cmpxchg(builder.inttoptr(args[0], WORD.as_pointer()), zero, zero, "monotonic", "monotonic")
        return context.get_dummy_value()

    return void(uint64), codegen


@intrinsic
def prefetch_word(_typing, _address):
    """Have a word that is soon read brought into the cache."""

    def codegen(context, builder, _signature, args):
        pointer, flag = BYTE.as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        is_write, locality, is_data = (ir.Constant(flag, number) for number in (0, 3, 1))
        builder.call(fetch, [builder.inttoptr(args[0], pointer), is_write, locality, is_data])
        return context.get_dummy_value()

    return void(uint64), codegen


@intrinsic
def row_at_least(_typing, _state, _colour, _row, _min_class):
    """A bit for each cell of a row whose class for a colour is `min_class` or more: one vector comparison per row."""
    offset = STATE_DTYPE.fields["classes"][1]
    row_type = ir.VectorType(BYTE, params.STRIDE)

    def codegen(_context, builder, _signature, args):
        state, colour, row, min_class = args
        base = builder.bitcast(state, BYTE.as_pointer())
        at = builder.add(builder.mul(colour, ir.Constant(WORD, params.CELLS)), ir.Constant(WORD, offset))
        at = builder.add(at, builder.mul(row, ir.Constant(WORD, params.STRIDE)))
        classes = builder.load(builder.bitcast(builder.gep(base, [at]), row_type.as_pointer()), align=1)
        one = builder.insert_element(ir.Constant(row_type, None), builder.trunc(min_class, BYTE), ir.Constant(WORD, 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), params.STRIDE), None)
        bound = builder.shuffle_vector(one, ir.Constant(row_type, None), lanes)
        found = builder.bitcast(builder.icmp_unsigned(">=", classes, bound), ir.IntType(params.STRIDE))
        return builder.zext(found, WORD)

    return uint64(STATE, uint64, uint64, uint64), codegen
