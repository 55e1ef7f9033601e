"""Brains that travel: their files are kept on each worker under their SHA-256, which is checked before every pair."""

import hashlib
import os
import shutil
import sys
import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tournament.core.failures import RunnerError
from tournament.core.model import BrainSpec

CACHE_VARIABLE = "KANAME_CACHE"
EXECUTABLE = 0o755


class ShippingError(RunnerError):
    """A brain's file is not what it should be; the text says why in one sentence."""


class ShippedFile(NamedTuple):
    """A word of a brain's command that names a file."""

    brain: str
    place: int  # of the word
    name: str
    digest: str


class Shipment(NamedTuple):
    """What travels with the games."""

    python: str = ""  # the runner's own interpreter; each worker uses its own instead
    files: tuple[ShippedFile, ...] = ()


NOTHING = Shipment()


# -- on the runner's side ----------------------------------------------------------------------------------------------


def shipment_of(specs: Collection[BrainSpec]) -> tuple[Shipment, dict[str, bytes]]:
    """What is to be shipped, and the files' contents by digest; ShippingError if a brain has no file of its own."""
    files, contents = list[ShippedFile](), dict[str, bytes]()
    for spec in specs:
        places = list(places_of_files(spec.command))
        if not places:
            command = " ".join(spec.command)
            raise ShippingError(f"{spec.name} has no file that could be shipped: {command} runs a program on PATH")
        for place in places:
            path = Path(spec.command[place])
            try:
                data = path.read_bytes()
            except OSError as error:
                raise ShippingError(f"{path} cannot be shipped: {error.strerror}") from error
            digest = digest_of(data)
            files.append(ShippedFile(spec.name, place, path.name, digest))
            contents[digest] = data
    return Shipment(sys.executable, tuple(files)), contents


def places_of_files(command: tuple[str, ...]) -> Iterator[int]:
    """The words that name files, but not programs such as python or wine: workers have their own."""
    for place, word in enumerate(command):
        if os.path.isfile(word) and word != sys.executable and (place or shutil.which(Path(word).name) != word):
            yield place


# -- on a worker's side ------------------------------------------------------------------------------------------------


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def cache_folder() -> Path:
    """`KANAME_CACHE`, or the user's usual place for what can be fetched again."""
    if CACHE_VARIABLE in os.environ:
        return Path(os.environ[CACHE_VARIABLE])
    if sys.platform == "win32":
        return Path(os.environ["LOCALAPPDATA"], "kaname", "cache")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kaname")


def kept_at(name: str, digest: str) -> Path:
    return cache_folder() / "brains" / digest / name


def is_kept(name: str, digest: str) -> bool:
    """Whether the file is here, and unchanged."""
    path = kept_at(name, digest)
    return path.is_file() and digest_of(path.read_bytes()) == digest


def keep(name: str, digest: str, data: bytes) -> None:
    """Keep a file that has arrived; ShippingError if it is another one."""
    found = digest_of(data)
    if found != digest:
        raise ShippingError(f"{name} arrived with another SHA-256, {found[:12]}… instead of {digest[:12]}…")
    path = kept_at(name, digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    arriving = path.with_name(f"{name}.{uuid.uuid4().hex}")
    try:
        arriving.write_bytes(data)
        arriving.chmod(EXECUTABLE)
        arriving.replace(path)
    finally:
        arriving.unlink(missing_ok=True)


def installed(specs: Mapping[str, BrainSpec], shipment: Shipment) -> dict[str, BrainSpec]:
    """The brains as this machine starts them; ShippingError unless every shipped file is here, and unchanged."""
    commands = {name: list(spec.command) for name, spec in specs.items()}
    for file in shipment.files:
        if not is_kept(file.name, file.digest):
            path = kept_at(file.name, file.digest)
            raise ShippingError(f"{path} is not the file that was shipped for {file.brain}: its SHA-256 differs")
        commands[file.brain][file.place] = str(kept_at(file.name, file.digest))
    for words in commands.values() if shipment.python else ():
        words[:] = [sys.executable if word == shipment.python else word for word in words]
    return {name: replace(spec, command=tuple(commands[name])) for name, spec in specs.items()}
