"""Brains that travel arrive unchanged, or not at all."""

import os
import sys
from pathlib import Path

import pytest

from tournament.core.model import BrainSpec
from tournament.farm.shipping import (
    CACHE_VARIABLE,
    ShippingError,
    digest_of,
    installed,
    is_kept,
    keep,
    kept_at,
    shipment_of,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def brain(tmp_path: Path) -> BrainSpec:
    path = tmp_path / "pbrain-x64"
    path.write_bytes(b"#!/bin/sh\nexec cat\n")
    return BrainSpec("x", (str(path), "--book", "none"))


def test_a_file_is_kept_under_its_digest_and_is_executable(cache: Path, brain: BrainSpec) -> None:
    shipment, contents = shipment_of([brain])
    (file,) = shipment.files
    keep(file.name, file.digest, contents[file.digest])
    command = installed({"x": brain}, shipment)["x"].command
    assert command == (str(cache / "brains" / file.digest / "pbrain-x64"), "--book", "none")
    assert os.access(command[0], os.X_OK)
    assert list((cache / "brains" / file.digest).iterdir()) == [Path(command[0])], "nothing else is left"


def test_a_file_that_changes_on_its_way_is_refused(cache: Path, brain: BrainSpec) -> None:
    (file,) = shipment_of([brain])[0].files
    with pytest.raises(ShippingError, match=r"pbrain-x64 arrived with another SHA-256, [0-9a-f]{12}… instead of"):
        keep(file.name, file.digest, b"something else")
    assert not cache.exists()


def test_a_file_that_is_changed_later_is_not_started(cache: Path, brain: BrainSpec) -> None:
    shipment, contents = shipment_of([brain])
    (file,) = shipment.files
    keep(file.name, file.digest, contents[file.digest])
    path = kept_at(file.name, file.digest)
    assert cache in path.parents
    path.write_bytes(b"#!/bin/sh\nexec other\n")
    assert not is_kept(file.name, file.digest)
    with pytest.raises(ShippingError, match="is not the file that was shipped for x: its SHA-256 differs"):
        installed({"x": brain}, shipment)
    keep(file.name, file.digest, contents[file.digest])
    assert digest_of(path.read_bytes()) == file.digest
    assert installed({"x": brain}, shipment)


@pytest.mark.usefixtures("cache")
def test_each_worker_uses_its_own_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs on PATH stay where they are; of the other words, those that name files are sent."""
    script, book = tmp_path / "brain.py", tmp_path / "book.bin"
    for path in (script, book):
        path.write_text(path.name)
    spec = BrainSpec("s", (sys.executable, str(script), "--book", str(book)))
    shipment, contents = shipment_of([spec])
    assert [(file.place, file.name) for file in shipment.files] == [(1, "brain.py"), (3, "book.bin")]
    for file in shipment.files:
        keep(file.name, file.digest, contents[file.digest])
    monkeypatch.setattr(sys, "executable", "/elsewhere/python")
    words = installed({"s": spec}, shipment)["s"].command
    assert words[0] == "/elsewhere/python"
    assert [Path(words[place]).name for place in (1, 3)] == ["brain.py", "book.bin"]


def test_a_brain_without_a_file_cannot_be_shipped() -> None:
    with pytest.raises(ShippingError, match=r"module has no file that could be shipped: .* runs a program on PATH"):
        shipment_of([BrainSpec("module", (sys.executable, "-m", "pbrain"))])
