"""The output in any encoding, as in a Windows pipe; and signals while no games run."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner import FAKE, OPENINGS
from tests.test_runner_commands import ROOT
from tests.test_runner_resume import marked_run, of_this_test, wait_until
from tournament.views.output import use_any_encoding
from tournament.views.progress import ProgressLine

ENCODINGS = ("ascii", "cp1252", "cp437", "cp932", "utf-8")
STRANGE = "Ω±ж…名\N{SNOWMAN}"


def encoded(encoding: str, *words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "tournament", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=60)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_no_letter_of_a_name_ends_the_run(tmp_path: Path, encoding: str) -> None:
    brains = "".join(
        f'[[brain]]\nname = "{name}"\ncommand = [{sys.executable!r}, {str(FAKE)!r}, "none"]\n'
        for name in (STRANGE, "plain")
    )
    (tmp_path / "cup.toml").write_text(
        f"[event]\nsize = '10'\nopenings = {str(OPENINGS)!r}\n{brains}", encoding="utf-8"
    )
    event = str(tmp_path / "event")
    for words in (
        ["run", str(tmp_path / "cup.toml"), "--dry-run"],
        ["run", str(tmp_path / "cup.toml"), "--out", event],
        ["run", str(tmp_path / "cup.toml"), "--out", event, "--games", "4", "--json"],
        ["standings", event],
        ["export", event, "pgn", "--out", str(tmp_path / STRANGE)],
    ):
        run = encoded(encoding, *words)
        assert (run.returncode, run.stderr) == (0, b""), words
        assert run.stdout.decode(encoding)
    table = encoded(encoding, "standings", event).stdout.decode(encoding)
    assert ("Elo +-95%" if encoding == "ascii" else "Elo ±95%") in table
    assert ("??" if encoding == "ascii" else "?±?…") in table


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
@given(text=st.text(st.characters()), encoding=st.sampled_from(ENCODINGS))
def test_any_text_can_be_written(errors: str, text: str, encoding: str) -> None:
    sink = io.BytesIO()
    stream = io.TextIOWrapper(sink, encoding=encoding, errors=errors, newline="")
    use_any_encoding(stream)
    stream.write(text)
    stream.flush()
    written = sink.getvalue().decode(encoding)
    if text.isascii():
        assert written == text


def test_a_choice_of_the_user_is_kept() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    use_any_encoding(stream)
    assert stream.errors == "backslashreplace"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_progress_line_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has wrapped could not be rewritten: each text would begin a new line."""
    monkeypatch.setenv("COLUMNS", "40")
    sink = Terminal()
    line = ProgressLine(sink)
    for text in ("a" * 100, "b" * 10):
        line.show(text)
        line.close()
    assert sink.getvalue() == f"\r{'a' * 39}\r{'a' * 39}\n\r{'b' * 10}\n"


# -- signals -----------------------------------------------------------------------------------------------------------

SLEEPER = f"{sys.executable} -c 'import time; time.sleep(600)'"


@pytest.mark.posix("Windows has neither SIGTERM nor SIGHUP")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("words", [["run", SLEEPER, SLEEPER], ["check", SLEEPER]], ids=["names", "check"])
def test_a_signal_while_no_games_run_ends_the_brains(tmp_path: Path, name: str, words: list[str]) -> None:
    """While a name is asked for with ABOUT, and in a check."""
    number = getattr(signal, name)
    with marked_run(tmp_path, ["", "", "", *words]) as process:
        wait_until(lambda: len(of_this_test(tmp_path)) == 2)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (128 + number, "")
    assert of_this_test(tmp_path) == []


@pytest.mark.posix("Windows has no SIGTERM")
@pytest.mark.parametrize("words", [["run", SLEEPER, SLEEPER], ["check", SLEEPER]], ids=["names", "check"])
def test_a_signal_while_a_brain_is_started_ends_it(
    tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment after which it runs, and before which nobody knows it."""
    interrupted = """
import os, signal, subprocess
start = subprocess.Popen.__init__
def start_and_be_hit(self, *arguments, **options):
    start(self, *arguments, **options)
    os.kill(os.getpid(), signal.SIGTERM)
subprocess.Popen.__init__ = start_and_be_hit
"""
    monkeypatch.setattr("tests.test_runner_resume.HEARING", interrupted)
    with marked_run(tmp_path, ["", "", "", *words]) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert of_this_test(tmp_path) == []
