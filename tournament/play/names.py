"""Names of brains: from the command, from ABOUT, and as parts of file names."""

import hashlib
import re
import time
from dataclasses import replace
from pathlib import Path

from tournament.core.model import BrainSpec
from tournament.play.process import BrainProcess, ExitedError, NoStartError

# Programs that run another one: the name is that of a file among their arguments.
LAUNCHERS = re.compile(
    r"(python|pypy|perl|ruby|node|java|mono|wine|box)[\d.]*(-\w+)?|(ba|da|z)?sh|cmd|env|nice|ionice|taskset|stdbuf|time|"
    r"timeout|docker|podman|flatpak|ssh|xvfb-run"
)
PROGRAM_ENDINGS = (".exe", ".py", ".jar", ".sh", ".pl", ".rb", ".js", ".bat", ".cmd")
ABOUT_WITHIN_S = 10.0  # as for START: Wine's first start takes seconds
ABOUT_NAME = re.compile(r'\bname\s*=\s*"([^"]*)"', re.IGNORECASE)

MAX_NAME_LENGTH = 40  # of a name that a brain gives itself
MAX_FILE_NAME_LENGTH = 60
UNSAFE_IN_FILES = re.compile(rb"[^A-Za-z0-9_.-]|^\.")


def name_of(command: tuple[str, ...]) -> str:
    """The file name of the brain's program without `pbrain-` and its ending; empty if the command does not tell it."""
    program = without_ending(Path(command[0]).name)
    if not LAUNCHERS.fullmatch(program.lower()):
        return cleaned(program)
    if program.lower().startswith("py") and "-m" in command[:-1]:
        return cleaned(command[command.index("-m") + 1].rpartition(".")[2])
    words = (Path(word.replace("\\", "/")).name for word in command[1:] if not word.startswith("-"))
    files = [word for word in words if word.lower().endswith(PROGRAM_ENDINGS) or word.lower().startswith("pbrain-")]
    return cleaned(without_ending(files[0])) if files else ""


def without_ending(file: str) -> str:
    stem, dot, ending = file.rpartition(".")
    return stem if dot + ending.lower() in PROGRAM_ENDINGS else file


def cleaned(name: str) -> str:
    """A name for people: printable, without `pbrain-`."""
    shown = "".join(char if char.isprintable() else "_" for char in name).strip()
    return shown.removeprefix("pbrain-") or shown


def name_from_about(spec: BrainSpec) -> str:
    """The name that the brain answers to ABOUT; empty if it cannot be started or does not tell."""
    try:
        process = BrainProcess(spec)
    except (NoStartError, OSError):
        return ""
    deadline = time.perf_counter() + ABOUT_WITHIN_S
    try:
        process.send("ABOUT")
        while (line := process.receive(deadline)) is not None:
            if found := ABOUT_NAME.search(line.text):
                return cleaned(found[1])[:MAX_NAME_LENGTH].strip()
    except ExitedError:
        pass
    finally:
        process.end()
    return ""


def unique_names(brains: list[BrainSpec]) -> tuple[BrainSpec, ...]:
    """Number the repeated names; capitals make no difference, as in the file names of many systems."""
    named: list[BrainSpec] = []
    for brain in brains:
        taken = {other.name.casefold() for other in named}
        name, number = brain.name, 2
        while name.casefold() in taken:
            name, number = f"{brain.name}-{number}", number + 1
        named.append(replace(brain, name=name))
    return tuple(named)


def file_name(name: str) -> str:
    """The name as part of a file name: other names give other parts, and none leaves its folder.

    Other characters than ASCII letters, digits, `-`, `_` and `.` become %XX. A long name is cut and ends with a digest.
    """
    raw = name.encode("utf-8", "surrogatepass")
    safe = UNSAFE_IN_FILES.sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")
    if len(safe) <= MAX_FILE_NAME_LENGTH:
        return safe
    return f"{safe[:MAX_FILE_NAME_LENGTH]}~{hashlib.sha256(raw).hexdigest()[:12]}"
