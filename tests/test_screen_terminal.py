"""The live screen of a real event in a real terminal: what stands there while games run, and what is left behind."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.scripted_brain import scripted
from tests.test_runner_commands import ROOT, tournament
from tournament.event.store import Store

pytestmark = pytest.mark.posix("Windows has no pseudo-terminals of this kind")

SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])")
INTERRUPT = b"\x03"  # Ctrl-C as the keyboard sends it


class Terminal:
    """As much of a terminal as rich needs: lines, a cursor that goes up, lines that are erased."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]
        self.row = 0
        self.is_cursor_shown = True
        self.frames: list[list[str]] = []  # the screen each time before something is erased

    def feed(self, text: str) -> None:
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found is None:
                self._put(text[at])
                at += 1
            else:
                self._obey(found[1], found[2])
                at = found.end()

    def _put(self, char: str) -> None:
        if char == "\n":
            self.row += 1
            self.lines += [""] * (self.row + 1 - len(self.lines))
        elif char != "\r":
            self.lines[self.row] += char

    def _obey(self, value: str, command: str) -> None:
        if command == "A":
            self.row -= int(value or 1)
        elif command == "K":
            if not self.frames or any(self.lines[self.row :]):
                self.frames.append(list(self.lines))
            self.lines[self.row] = ""
        elif value == "?25":
            self.is_cursor_shown = command == "h"
        else:
            assert command == "m", f"an unexpected sequence: {value}{command}"


def in_terminal(words: list[str], columns: int, keys: bytes = b"") -> tuple[int, Terminal]:
    """Run a command in a terminal of this width; the keys are pressed once a game is over."""
    import fcntl
    import pty
    import struct
    import termios

    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    modes = termios.tcgetattr(theirs)
    # Half a letter is no UTF-8. Three things cut letters: an echoed ^C, a terminal that throws output away with the
    # signal, and a Python without buffers, which leaves out the rest of a write that a signal ends early.
    modes[3] = modes[3] & ~termios.ECHO | termios.NOFLSH
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHONUNBUFFERED"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-c", CONTROLLED, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    data, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            chunk = os.read(own, 65536)
        except OSError:  # Linux says so at the end
            break
        data += chunk
        if keys and b"latest results" in data and re.search(rb"[1-9]\d*/\d+ games", data):
            os.write(own, keys)
            keys = b""
    os.close(own)
    status = process.wait(30)
    terminal = Terminal()
    terminal.feed(data.decode("utf-8"))
    return status, terminal


# The terminal is the process's own, so that Ctrl-C reaches it.
CONTROLLED = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from tournament.cli import main
sys.exit(main(sys.argv[1:]))
"""


def event(tmp_path: Path, games: int, *more: str) -> list[str]:
    """The words after `run` or `sprt`: a file with two brains that think for a moment, and options."""
    path = tmp_path / "cup.toml"
    brains = [scripted(name, {"seconds": 0.03}) for name in ("ada", "bob")]
    tables = [f"[[brain]]\nname = '{each['name']}'\ncommand = {json.dumps(each['command'])}\n" for each in brains]
    path.write_text("\n".join(["[event]", "size = '10'", "match = '5m'", "turn = '1m'", "draw_after = 10", *tables]))
    return [str(path), "--games", str(games), "--concurrency", "2", "--out", str(tmp_path / "event"), *more]


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_sequential_test_on_the_screen(tmp_path: Path, columns: int) -> None:
    status, terminal = in_terminal(["sprt", *event(tmp_path, 8)], columns)
    assert status == 0
    assert len(Store(tmp_path / "event").load()) == 8
    assert all(len(line) <= columns for frame in terminal.frames for line in frame), "no line is broken"
    shown = ["\n".join(frame) for frame in terminal.frames]
    for part in (
        r"0/8 games .*elapsed",
        r"[1-7]/8 games .*elapsed .*left",
        r"SPRT: .*LLR",
        r"ada - bob, move \d+: (ada|bob)",
    ):
        assert any(re.search(part, frame) for frame in shown), part
    assert any(re.search(r"move \d+: (ada|bob) \d+\.\d s, \d{3} s left", frame) for frame in shown)
    assert any("draw, adjudicated at the move limit" in frame for frame in shown)
    assert any("p99" in frame for frame in shown) == (columns == 200)
    last = "\n".join(terminal.lines)
    assert terminal.is_cursor_shown
    assert "elapsed" not in last, "what was drawn is erased"
    for part in ("4/8", "games saved in", "SPRT"):
        assert part in last
    assert last.count("W-D-L against") == 1


def test_a_resumed_event_begins_with_the_games_so_far(tmp_path: Path) -> None:
    assert tournament("run", *event(tmp_path, 4, "--plain")).returncode == 0
    status, terminal = in_terminal(["run", *event(tmp_path, 8)], 100)
    assert status == 0
    shown = "\n".join("\n".join(frame) for frame in terminal.frames)
    assert "4/8 games" in shown
    assert not re.search(r"[0-3]/8 games", shown)
    assert not re.search(r"4/8 games .* left\b", shown), "nothing is known of the time before a game of this run"


def test_ctrl_c_is_answered_on_the_screen(tmp_path: Path) -> None:
    status, terminal = in_terminal(["run", *event(tmp_path, 40)], 100, INTERRUPT)
    assert status == 3
    shown = "\n".join("\n".join(frame) for frame in terminal.frames)
    assert "finishing the running games; press Ctrl-C again to abandon them" in shown
    last = "\n".join(terminal.lines)
    assert f"to resume: python -m tournament resume {tmp_path / 'event'}" in last
    assert terminal.is_cursor_shown
    played = len(Store(tmp_path / "event").load())
    assert 1 <= played < 40
    assert re.search(rf"{played / 2:g}/{played}\b", last)
