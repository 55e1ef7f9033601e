"""Whole rows of the network at once: vectors that LLVM splits into what the target has."""

from typing import Any

from llvmlite import ir
from numba import int64, uint64, void
from numba.extending import intrinsic

from pbrain.core import params
from pbrain.kernel.machine import BYTE, WORD
from pbrain.kernel.records import STATE, STATE_DTYPE, TABLES, TABLES_DTYPE

SHORT, LONG = ir.IntType(16), ir.IntType(32)
SHORTS, LONGS = (ir.VectorType(kind, 2 * params.CHANNELS) for kind in (SHORT, LONG))
HIDDEN_SHORTS, HIDDEN_LONGS = (ir.VectorType(kind, params.HIDDEN) for kind in (SHORT, LONG))


def place(builder: Any, record: Any, offset: int, index: Any, size: int, kind: Any) -> Any:
    """A pointer to the index-th item of a field."""
    base = builder.bitcast(record, BYTE.as_pointer())
    at = builder.add(ir.Constant(WORD, offset), builder.mul(index, ir.Constant(WORD, size)))
    return builder.bitcast(builder.gep(base, [at]), kind.as_pointer())


def of_state(builder: Any, state: Any, field: str, index: Any, size: int, kind: Any) -> Any:
    return place(builder, state, STATE_DTYPE.fields[field][1], index, size, kind)


def of_tables(builder: Any, tables: Any, field: str, index: Any, size: int, kind: Any) -> Any:
    return place(builder, tables, TABLES_DTYPE.fields[field][1], index, size, kind)


NOWHERE = ir.Constant(WORD, 0)
ROW_BYTES, SUM_BYTES = 4 * params.CHANNELS, 8 * params.CHANNELS


@intrinsic
def begin_change(_typing, _state):
    def codegen(context, builder, _signature, args):
        change = of_state(builder, args[0], "change", NOWHERE, 0, SHORTS)
        builder.store(ir.Constant(SHORTS, None), change, align=2)
        return context.get_dummy_value()

    return void(STATE), codegen


@intrinsic
def change_row(_typing, _state, _tables, _old, _new):
    """A cell changes its pair of classes."""

    def codegen(context, builder, _signature, args):
        state, tables, old, new = args
        change = of_state(builder, state, "change", NOWHERE, 0, SHORTS)
        gone = builder.load(of_tables(builder, tables, "rows", old, ROW_BYTES, SHORTS), align=2)
        come = builder.load(of_tables(builder, tables, "rows", new, ROW_BYTES, SHORTS), align=2)
        so_far = builder.load(change, align=2)
        builder.store(builder.add(so_far, builder.sub(come, gone)), change, align=2)
        return context.get_dummy_value()

    return void(STATE, TABLES, uint64, uint64), codegen


@intrinsic
def add_change(_typing, _state, _source, _target):
    """The sums after one number of moves are those after another, and the change."""

    def codegen(context, builder, _signature, args):
        state, source, target = args
        change = builder.load(of_state(builder, state, "change", NOWHERE, 0, SHORTS), align=2)
        before = builder.load(of_state(builder, state, "sums", source, SUM_BYTES, LONGS), align=4)
        after = builder.add(before, builder.sext(change, LONGS))
        builder.store(after, of_state(builder, state, "sums", target, SUM_BYTES, LONGS), align=4)
        return context.get_dummy_value()

    return void(STATE, uint64, uint64), codegen


def clamped(builder: Any, kind: Any, value: Any, low: int, high: int) -> Any:
    lowest, highest = (ir.Constant(kind, [bound] * kind.count) for bound in (low, high))
    value = builder.select(builder.icmp_signed("<", value, lowest), lowest, value)
    return builder.select(builder.icmp_signed(">", value, highest), highest, value)


def splat(builder: Any, kind: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(LONG, 0))
    return builder.shuffle_vector(
        one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(LONG, kind.count), None)
    )


def product_high(builder: Any, first: Any, second: Any) -> Any:
    """The high halves of 16-bit products."""
    product = builder.mul(builder.sext(first, HIDDEN_LONGS), builder.sext(second, HIDDEN_LONGS))
    return builder.trunc(builder.lshr(product, ir.Constant(HIDDEN_LONGS, [16] * params.HIDDEN)), HIDDEN_SHORTS)


def saturating_sum(builder: Any, first: Any, second: Any) -> Any:
    kind = ir.FunctionType(HIDDEN_SHORTS, [HIDDEN_SHORTS, HIDDEN_SHORTS])
    name = f"llvm.sadd.sat.v{params.HIDDEN}i16"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, [first, second])


@intrinsic
def scale_inputs(_typing, _state, _tables, _slot, _threats):
    """The inputs of the hidden layer: sums, and the row of the threats, in 16 bits."""

    def codegen(context, builder, _signature, args):
        state, tables, slot, threats = args
        shorts, half = (ir.VectorType(kind, params.CHANNELS) for kind in (SHORT, LONG))
        to_move = builder.zext(builder.load(of_state(builder, state, "to_move", NOWHERE, 0, BYTE)), WORD)
        for side in range(2):
            view = builder.xor(to_move, ir.Constant(WORD, side))
            at = builder.add(builder.mul(slot, ir.Constant(WORD, 2)), view)
            sums = builder.load(of_state(builder, state, "sums", at, SUM_BYTES // 2, half), align=4)
            if side == 0:
                row = builder.load(
                    of_tables(builder, tables, "threat_rows", threats, 2 * params.CHANNELS, shorts), align=2
                )
                sums = builder.add(sums, builder.sext(row, half))
            small = builder.trunc(clamped(builder, half, sums, -32768, 32767), shorts)
            builder.store(
                small, of_state(builder, state, "inputs", ir.Constant(WORD, side), 2 * params.CHANNELS, shorts), align=2
            )
        return context.get_dummy_value()

    return void(STATE, TABLES, uint64, uint64), codegen


@intrinsic
def network_output(_typing, _state, _tables):
    """The hidden layer, rectified, and the weighted sum of it."""

    def codegen(_context, builder, _signature, args):
        state, tables = args
        to_move = builder.zext(builder.load(of_state(builder, state, "to_move", NOWHERE, 0, BYTE)), WORD)
        biases = of_tables(builder, tables, "hidden_biases", to_move, 2 * params.HIDDEN, HIDDEN_SHORTS)
        hidden = builder.load(biases, align=2)
        for i in range(2 * params.CHANNELS):
            at = ir.Constant(WORD, i)
            value = builder.load(of_state(builder, state, "inputs", at, 2, SHORT), align=2)
            weights = builder.load(
                of_tables(builder, tables, "hidden_weights", at, 2 * params.HIDDEN, HIDDEN_SHORTS), align=2
            )
            high = product_high(builder, splat(builder, HIDDEN_SHORTS, value), weights)
            hidden = saturating_sum(builder, hidden, high)
        zero = ir.Constant(HIDDEN_SHORTS, None)
        hidden = builder.select(builder.icmp_signed(">", hidden, zero), hidden, zero)
        weights = builder.load(of_tables(builder, tables, "output_weights", NOWHERE, 0, HIDDEN_SHORTS), align=2)
        products = builder.mul(builder.sext(hidden, HIDDEN_LONGS), builder.sext(weights, HIDDEN_LONGS))
        name = f"llvm.vector.reduce.add.v{params.HIDDEN}i32"
        kind = ir.FunctionType(LONG, [HIDDEN_LONGS])
        reduce = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.sext(builder.call(reduce, [products]), WORD)

    return int64(STATE, TABLES), codegen
