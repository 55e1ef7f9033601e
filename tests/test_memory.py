"""The table's size under the manager's limits."""

import ctypes
import mmap

import pytest

from pbrain.engine.memory import MIB, Table, table_bytes


@pytest.mark.parametrize(
    ("limit", "asked", "expected_mib"),
    [
        (None, None, 128),
        (350 * MIB, None, 128),
        (367_001_600, None, 128),
        (1024 * MIB, None, 256),
        (128 * MIB, None, 32),
        (70 * MIB, None, 2),
        (10 * MIB, None, 1),
        (1, None, 1),
        (None, 512 * MIB, 512),
        (None, 3 * MIB, 2),
        (None, 1, 1),
        (1 << 50, None, 4096),
        (None, 1 << 50, 4096),
        (350 * MIB, 4096 * MIB, 256),
        (350 * MIB, 16 * MIB, 16),
    ],
)
def test_table_bytes(limit: int | None, asked: int | None, expected_mib: int) -> None:
    assert table_bytes(limit, asked) == expected_mib * MIB


def test_a_table_is_zeroed_writable_and_given_back() -> None:
    table = Table(MIB)
    assert table.mask == MIB // 64 - 1
    words = (ctypes.c_uint64 * (MIB // 8)).from_address(table.address)
    assert not any(words)
    words[-1] = 1
    assert words[-1] == 1
    table.close()


def test_a_table_that_the_system_refuses_is_halved_until_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    real, refused = mmap.mmap, []

    def meagre(fileno: int, length: int, **options: int) -> mmap.mmap:
        if length > 4 * MIB:
            refused.append(length)
            raise OSError("no memory")
        return real(fileno, length, **options)

    monkeypatch.setattr(mmap, "mmap", meagre)
    table = Table(16 * MIB)
    assert refused == [16 * MIB, 8 * MIB]
    assert (table.size, table.mask) == (4 * MIB, 4 * MIB // 64 - 1)
    table.close()
