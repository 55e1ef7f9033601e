"""One layout for numpy, ctypes and JavaScript."""

import ctypes
from typing import Any

import numpy as np
import pytest

from pbrain.core import layout
from pbrain.kernel.records import STATE_DTYPE, TABLES_DTYPE, WORKER_DTYPE
from pbrain.library.native import State, Tables, Worker

RECORDS = [
    (layout.STATE, STATE_DTYPE, State),
    (layout.TABLES, TABLES_DTYPE, Tables),
    (layout.WORKER, WORKER_DTYPE, Worker),
]


@pytest.mark.parametrize(("fields", "dtype", "structure"), RECORDS, ids=["state", "tables", "worker"])
def test_offsets_and_sizes_agree(fields: layout.Fields, dtype: np.dtype[Any], structure: Any) -> None:
    assert layout.size_of(fields) == dtype.itemsize == ctypes.sizeof(structure)
    for place in layout.placed(fields):
        assert dtype.fields is not None
        assert place.offset == dtype.fields[place.name][1] == getattr(structure, place.name).offset, place.name


def test_a_nested_record_is_padded_to_its_alignment() -> None:
    inner: layout.Fields = (("word", "u8", ()), ("byte", "u1", ()))
    outer: layout.Fields = (("first", "u1", ()), ("nested", inner, (3,)), ("last", "u2", (2, 2)))
    assert layout.size_of(inner) == 16
    assert [place.offset for place in layout.placed(outer)] == [0, 8, 56]
    assert layout.size_of(outer) == 64


def test_the_signature_fits_and_follows_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    before = layout.signature()
    assert 0 <= before < 1 << 64
    monkeypatch.setattr(layout, "STATE", (*layout.STATE, ("more", "u1", ())))
    assert layout.signature() != before
