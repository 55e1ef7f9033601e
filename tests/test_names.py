"""Names of brains: from commands and ABOUT, unique, and safe as parts of file names."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner import FAKE, configuration, fake, play
from tests.test_runner_commands import tournament
from tournament.core.model import BrainSpec
from tournament.event.config import brain_of, config_of
from tournament.event.store import Store
from tournament.play.names import file_name, name_from_about, name_of, unique_names
from tournament.play.process import exit_text

ABOUT_BRAIN = """
import sys
for line in sys.stdin:
    if line.strip() == "ABOUT":
        print('MESSAGE hello'); print({about!r}, flush=True)
    if line.strip() == "END":
        break
"""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("/x/pbrain-rapfi64.exe",), "rapfi64"),
        (("/x/rapfi-2.1",), "rapfi-2.1"),
        (("/usr/bin/python3.12", "/x/my_brain.py", "--fast"), "my_brain"),
        (("wine", "C:\\brains\\pbrain-pela.EXE"), "pela"),
        (("/usr/bin/wine64", "/x/pbrain-pela.exe", "pbrain-other.exe"), "pela"),
        (("java", "-jar", "Brain.jar"), "Brain"),
        (("nice", "-n", "10", "./pbrain-zeta"), "zeta"),
        (("bash", "-c", "cd x && ./y"), ""),
        (("wine", "start"), ""),
        (("docker", "run", "-i", "gomoku"), ""),
        (("-x",), "-x"),
        (("",), ""),
        (("pbrain-",), "pbrain-"),
        (("a\x1b[31m\nb",), "a_[31m_b"),
    ],
)
def test_a_command_names_its_brain_or_says_nothing(command: tuple[str, ...], name: str) -> None:
    assert name_of(command) == name


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ('name="Yixin", version="1.0", author="Kai Sun"', "Yixin"),
        ('version="2", NAME = " pbrain-x "', "x"),
        ('name="\x1b[31mred"', "_[31mred"),
        (f'name="{"n" * 200}"', "n" * 40),
        ('name=""', "sh"),
        ("my name is Yixin", "sh"),
    ],
)
def test_a_command_that_says_nothing_asks_about(about: str, name: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(ABOUT_BRAIN.format(about=about + "\n"))
    command = ["sh", "-c", f"exec {sys.executable} {script}"]
    if name == "sh":
        command[2] = f"exec timeout 1 {sys.executable} {script}"
    assert brain_of({"command": command}, {}).name == name


def test_a_brain_that_cannot_start_keeps_the_name_of_its_program() -> None:
    assert name_from_about(BrainSpec("", ("sh", "-c", "exit 3"))) == ""
    assert name_from_about(BrainSpec("", ("/nowhere/at/all",))) == ""
    assert brain_of({"command": ["sh", "-c", "exit 3"]}, {}).name == "sh"
    assert brain_of({"command": ["sh", "-c", "exit 3"], "name": " mine "}, {}).name == "mine"


NAMES = st.text() | st.text("aAbB/_\\.%~: \x00\n", max_size=12)


@given(st.lists(NAMES, max_size=6))
def test_names_become_unique(names: list[str]) -> None:
    found = [spec.name for spec in unique_names([BrainSpec(name, ("x",)) for name in names])]
    assert len({name.casefold() for name in found}) == len(names)
    for name, given_name in zip(found, names, strict=True):
        assert name.startswith(given_name)


@given(NAMES, NAMES)
def test_other_names_have_other_files_in_the_same_folder(one: str, other: str) -> None:
    for name in (one, other):
        path = Path("folder") / f"log-{file_name(name)}.log"
        assert path.parent == Path("folder")
        assert file_name(name).isascii()
        assert len(path.name) < 100
        assert not file_name(name).startswith(".")
    assert (file_name(one) == file_name(other)) == (one == other)
    if one.casefold() != other.casefold():
        assert file_name(one).lower() != file_name(other).lower()


def test_ordinary_names_are_file_names_already() -> None:
    assert [file_name(name) for name in ("kaname", "rapfi-2.1", "a_b", "X64")] == ["kaname", "rapfi-2.1", "a_b", "X64"]
    assert [file_name(name) for name in ("a/b", "..", "a%2Fb", "é")] == ["a%2Fb", "%2E.", "a%252Fb", "%C3%A9"]


def test_names_with_a_slash_have_logs_and_exports_of_their_own(tmp_path: Path) -> None:
    brains = [{**fake("none"), "name": "a/b"}, {**fake("occupied"), "name": "a_b"}]
    play(configuration(brains), tmp_path)
    store = Store(tmp_path)
    assert sorted(path.name for path in store.logs.rglob("*")) == ["pair-00001-a%2Fb.log", "pair-00001-a_b.log"]
    assert tournament("export", str(tmp_path), "sgf").returncode == 0
    assert sorted(path.name for path in (tmp_path / "sgf").rglob("*")) == [
        "00001-a%2Fb-a_b.sgf",
        "00002-a_b-a%2Fb.sgf",
    ]


def test_the_default_folder_is_one_folder(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    brain = "[[brain]]\nname = '{}'\ncommand = ['{}', '{}', 'none']\n"
    cup.write_text("".join(brain.format(name, sys.executable, FAKE) for name in ("a/b", "../up", "n" * 300)))
    run = tournament("run", str(cup), "--dry-run", folder=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    folder = Path(run.stdout.rpartition("results in ")[2].strip())
    assert folder.parent == Path("events")
    assert len(folder.name) < 120


def test_names_must_be_printable() -> None:
    brains = [{"name": name, "command": ["true"]} for name in ("x", "x\x1b[31m")]
    with pytest.raises(Exception, match="name must be one line of printable text, not 'x"):
        config_of({}, brains)


@pytest.mark.parametrize(
    ("code", "text"),
    [(0, "exit code 0"), (3, "exit code 3"), (-9, "killed by SIGKILL"), (-77, "killed by signal 77")],
)
def test_exit_codes_in_words(code: int, text: str) -> None:
    assert exit_text(code) == text


@given(st.integers(-(2**31), 2**32))
def test_every_exit_code_has_words(code: int) -> None:
    assert exit_text(code)
