"""A person at a terminal: scripted games without a process, then real processes, piped and on a pseudo-terminal."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

import psutil
import pytest

from pbrain.cli import main
from pbrain.console import options, play, psq, terminal, view
from pbrain.console.play import Session, Settings
from pbrain.console.terminal import Console
from pbrain.core.notation import parse_position
from pbrain.core.params import BLACK, EMPTY, WHITE
from pbrain.core.types import Budget, Limits, Move, Report, Rule, SearchLimits
from pbrain.engine import thinking
from pbrain.engine.engine import Engine
from pbrain.library.native import Library

pytestmark = pytest.mark.usefixtures("library")  # built before anything else could say that it is being built

ROOT = Path(__file__).resolve().parents[1]
FREESTYLE = Settings((15, 15), Rule.FREESTYLE, turn_ms=20)
KNOWN_RULES = "the rules are 0 freestyle, 1 exactly five, 4 renju, 8 caro, 9 caro with exactly five"
FULL_WITHOUT_FIVE = ("XXOOX", "OOXXO", "XXOOX", "OOXXO", "XXOOX")


class ScriptedEngine(Engine):
    """Replies with the moves that it was given, whatever the position."""

    def __init__(self, library: Library, replies: str) -> None:
        super().__init__(library)
        self._replies = iter(parse_position(replies))

    def think(
        self,
        limits: SearchLimits,  # noqa: ARG002
        on_iteration: Callable[[Report], None] = lambda _: None,  # noqa: ARG002
        lines: int = 1,  # noqa: ARG002
    ) -> Report:
        return Report(3, 4, 17, 100, 1.0, (next(self._replies), (0, 14)))


class Screen:
    """What a session wrote, a text each."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.texts: list[str] = []
        self.prompts: list[str] = []
        self._lines: Iterator[str] = iter(lines)

    def console(self, is_coloured: bool = False, is_terminal: bool = False) -> Console:
        return Console(self._read, self.texts.append, is_coloured, is_terminal)

    def _read(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        if line == "^C":
            raise KeyboardInterrupt
        return line

    @property
    def boards(self) -> list[str]:
        return [text for text in self.texts if text.startswith("\n")]

    @property
    def sentences(self) -> list[str]:
        """All but boards and greetings."""
        return [text for text in self.texts if not text.startswith(("\n", "You are", "Freestyle,", "Renju,"))]


def play_through(engine: Engine, settings: Settings, *lines: str) -> Screen:
    """A session that is typed these lines; each look at the clock takes 100 ms."""
    screen = Screen(lines)
    ticks = count()
    Session(engine, settings, screen.console(), lambda: 100.0 * next(ticks)).run()
    return screen


# -- a game ------------------------------------------------------------------------------------------------------------


def test_a_move_and_its_reply(library: Library) -> None:
    engine = ScriptedEngine(library, "i9")
    screen = play_through(engine, FREESTYLE, "h8", "quit")
    assert screen.texts[:2] == [
        "Freestyle, 15x15, 0.02 s per move for Kaname.",
        "You are black (X) and move first. Type a cell such as h8, or help.",
    ]
    assert len(screen.boards) == 2
    rows = screen.boards[1].splitlines()
    assert rows[1] == rows[-1] == "    a b c d e f g h i j k l m n o"
    assert rows[9] == " 8  . . . . . . . X . . . . . . .  8"
    assert rows[10] == " 9  . . . . . . . .[O]. . . . . .  9"
    assert screen.sentences == ["Kaname (O) played i9 in 0.1 s."]
    assert screen.prompts == ["your move (X): "] * 2


def test_a_person_who_is_white_moves_second(library: Library) -> None:
    engine = ScriptedEngine(library, "h8j10")
    screen = play_through(engine, FREESTYLE._replace(person=WHITE), "undo", "i9", "undo", "quit")
    assert screen.texts[1].startswith("You are white (O) and move second.")
    assert screen.sentences[:2] == [
        "Kaname (X) played h8 in 0.1 s.",
        "You have no move to take back.",
    ]
    assert engine.history == ((7, 7),)


def test_the_real_engine_plays(engine: Engine) -> None:
    screen = play_through(engine, FREESTYLE, "a1", "hint", "O15", " h8 ", "")
    assert engine.moves == 6
    assert [text.split()[0] for text in screen.sentences] == ["Kaname", "Hint:", "Kaname", "Kaname"]


def test_a_person_wins(library: Library) -> None:
    engine = ScriptedEngine(library, "a1b1c1d1a9")
    screen = play_through(engine, FREESTYLE, "d4", "e5", "f6", "g7", "h8", "i9", "hint", "undo", "i9", "quit")
    assert screen.sentences[4:7] == [
        "You win with h8. Type undo, new, save or quit.",
        "The game is over. Type undo, new, save or quit.",
        "The game is over: there is no move to suggest.",
    ]
    assert screen.prompts[5] == "game over: "
    marked = screen.boards[5].splitlines()
    assert marked[5] == " 4  . . .[X]. . . . . . . . . . .  4"
    assert marked[9] == " 8  . . . . . . .[X]. . . . . . .  8"
    assert engine.history[-2:] == ((8, 8), (0, 8))


def test_the_engine_wins(library: Library) -> None:
    engine = ScriptedEngine(library, "a1b1c1d1e1")
    screen = play_through(engine, FREESTYLE, "h1", "h2", "h3", "h4", "j8", "undo", "quit")
    assert screen.sentences[-3:-1] == [
        "Kaname (O) played e1 in 0.1 s.",
        "Kaname wins with e1. Type undo, new, save or quit.",
    ]
    assert screen.boards[5].splitlines()[2] == " 1 [O O O O O]. . X . . . . . . .  1"
    assert engine.moves == 8


def test_a_full_board_is_a_draw(library: Library) -> None:
    cells = [(char, f"{'abcde'[x]}{y + 1}") for y, row in enumerate(FULL_WITHOUT_FIVE) for x, char in enumerate(row)]
    own, replies = ([cell for char, cell in cells if char == stone] for stone in "XO")
    screen = play_through(ScriptedEngine(library, "".join(replies)), FREESTYLE._replace(size=(5, 5)), *own)
    assert screen.sentences[-1].startswith("The board is full: a draw.")


def test_new_begins_again(library: Library) -> None:
    engine = ScriptedEngine(library, "i9i9")
    screen = play_through(engine, FREESTYLE, "h8", "new", "j8", "quit")
    assert screen.texts.count("Freestyle, 15x15, 0.02 s per move for Kaname.") == 2
    assert engine.history == ((9, 7), (8, 8))


@pytest.mark.parametrize("last", ["quit", "exit", "QUIT", "^C", None])
def test_every_way_to_leave(library: Library, last: str | None) -> None:
    engine = ScriptedEngine(library, "i9")
    screen = play_through(engine, FREESTYLE, "h8", *([] if last is None else [last, "j8"]))
    assert engine.moves == 2
    assert len(screen.prompts) == 2


def test_help_names_every_command(engine: Engine) -> None:
    (text,) = play_through(engine, FREESTYLE, "help").sentences
    assert all(f"\n{word}" in text for word in ("undo", "hint", "save", "new", "quit"))
    assert play_through(engine, FREESTYLE, "?").sentences == [text]


def test_a_hint_gives_its_line_and_changes_nothing(library: Library) -> None:
    engine = ScriptedEngine(library, "i9h9")
    screen = play_through(engine, FREESTYLE, "h8", "hint")
    assert screen.sentences[1] == "Hint: h9 (depth 3, ev +17: h9 a15)."
    assert engine.history == ((7, 7), (8, 8))


def test_a_hint_on_the_empty_board(engine: Engine) -> None:
    assert play_through(engine, FREESTYLE, "hint").sentences == ["Hint: h8 (not searched)."]


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("h8", "h8 is taken."),
        ("I9", "i9 is taken."),
        ("h16", "h16 is not on the board, which ends at o15."),
        ("p1", "p1 is not on the board, which ends at o15."),
        ("h0", "'h0' is neither a cell such as h8 nor a command. Type help for the commands."),
        ("j8 j9", "'j8 j9' is neither a cell such as h8 nor a command. Type help for the commands."),
        ("é\x1b[2J", "'\\xe9\\x1b[2J' is neither a cell such as h8 nor a command. Type help for the commands."),
        ("x" * 9999, f"'{'x' * 20}' is neither a cell such as h8 nor a command. Type help for the commands."),
        ("h" + "8" * 9999, f"'h{'8' * 19}' is neither a cell such as h8 nor a command. Type help for the commands."),
        ("undo 2", "undo takes no argument."),
        ("save", "save needs a file name: save game.psq"),
        ("save /no/such/folder/game.psq", "/no/such/folder/game.psq cannot be written: No such file or directory."),
        ("save a\0b", "'a\\x00b' is not a file name."),
        ("save ~nobody-here/game.psq", "'~nobody-here/game.psq' is not a file name."),
    ],
)
def test_a_bad_line_gets_one_sentence_and_changes_nothing(library: Library, line: str, sentence: str) -> None:
    engine = ScriptedEngine(library, "i9")
    screen = play_through(engine, FREESTYLE, "h8", line)
    assert screen.sentences[1:] == [sentence]
    assert engine.history == ((7, 7), (8, 8))


def test_blank_lines_are_passed_over(engine: Engine) -> None:
    assert play_through(engine, FREESTYLE, "", "  ", "\t").sentences == []


def test_nothing_to_take_back_and_nothing_to_save(engine: Engine, tmp_path: Path) -> None:
    screen = play_through(engine, FREESTYLE, "undo", f"save {tmp_path / 'game.psq'}")
    assert screen.sentences == ["You have no move to take back.", "There is no move to save yet."]
    assert list(tmp_path.iterdir()) == []


# -- renju -------------------------------------------------------------------------------------------------------------


def test_renju_shows_and_refuses_what_is_forbidden(library: Library) -> None:
    engine = ScriptedEngine(library, "a1c1e1a3")
    screen = play_through(engine, FREESTYLE._replace(rule=Rule.RENJU), "f8", "g8", "h6", "h7", "h8", "quit")
    assert screen.sentences[-2:] == [
        "Kaname (O) played a3 in 0.1 s. You may not play on !.",
        "h8 is forbidden to black in renju: an overline, a double four or a double three.",
    ]
    assert screen.boards[-1].splitlines()[9] == " 8  . . . . . X X ! . . . . . . .  8"
    assert engine.moves == 8


def test_renju_forbids_white_nothing(library: Library) -> None:
    engine = ScriptedEngine(library, "a1c1e1a3c3e3")
    settings = FREESTYLE._replace(rule=Rule.RENJU, person=WHITE)
    screen = play_through(engine, settings, "f8", "g8", "h6", "h7", "h8", "quit")
    assert engine.stone(7, 7) != EMPTY
    assert "!" not in "".join(screen.texts)


def test_black_without_an_allowed_move_ends_the_game(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.new_game(5, 5, Rule.RENJU)
    free = [(x, y) for y in range(5) for x in range(5)]
    monkeypatch.setattr(engine, "forbidden_points", lambda: free)
    assert play.ending(engine, BLACK) == "Every free cell is forbidden to black: a draw."
    monkeypatch.setattr(engine, "forbidden_points", lambda: free[1:])
    assert play.ending(engine, BLACK) is None


# -- files -------------------------------------------------------------------------------------------------------------


def test_save_writes_what_piskvork_reads(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "my game.psq"
    engine = ScriptedEngine(library, "i9a20")
    settings = FREESTYLE._replace(size=(15, 20), turn_ms=5000)
    screen = play_through(engine, settings, "h8", "foo", "j8", f"save {path}", "quit")
    assert path.read_bytes() == b"Piskvorky 15x20, 0:7, 0\r\n8,8,100\r\n9,9,100\r\n10,8,100\r\n1,20,100\r\n0\r\n"
    assert screen.sentences[-1] == f"Saved as {path}."


def test_times_and_levels_of_a_saved_game() -> None:
    moves = [psq.TimedMove((0, 0), 12.4), psq.TimedMove((14, 1), 0.0)]
    assert psq.psq_text((15, 15), (4, 0), moves) == "Piskvorky 15x15, 4:0, 0\r\n1,1,12\r\n15,2,0\r\n0\r\n"
    assert [psq.level(ms) for ms in (1, 100, 999, 1000, 5000, 86_400_000)] == [1, 1, 3, 4, 7, 11]


def test_a_file_of_piskvork_itself_is_written_the_same() -> None:
    """Gomocup's sample game, without the names of the brains: only tournaments have them."""
    sample = Path(__file__).with_name("data") / "gomocup.psq"
    timed = [line for line in sample.read_text(encoding="ascii").splitlines() if re.fullmatch(r"\d+,\d+,\d+", line)]
    moves = [tuple(map(int, line.split(","))) for line in timed]
    text = psq.psq_text((20, 20), (7, 7), [psq.TimedMove((x - 1, y - 1), ms) for x, y, ms in moves])
    assert text.split("\r\n") == ["Piskvorky 20x20, 7:7, 0", *timed, "0", ""]


def test_each_game_of_a_session_is_saved(library: Library, tmp_path: Path) -> None:
    settings = FREESTYLE._replace(path=tmp_path / "game.psq")
    engine = ScriptedEngine(library, "a1b1c1d1" + "i9" + "k9")
    own = ["d4", "e5", "f6", "g7", "h8"]
    screen = play_through(engine, settings, *own, "new", "new", "h8", "undo", "j9", "save", "quit")
    saved = [text for text in screen.sentences if text.startswith("Saved")]
    first, third = tmp_path / "game.psq", tmp_path / "game-3.psq"
    assert saved == [f"Saved as {first}.", f"Saved as {third}.", f"Saved as {third}."]
    assert first.read_text().splitlines()[-2:] == ["8,8,100", "0"]
    assert third.read_text().splitlines() == ["Piskvorky 15x15, 0:1, 0", "10,9,100", "11,9,100", "0"]
    assert sorted(tmp_path.iterdir()) == [third, first]


def test_a_game_that_cannot_be_saved_is_reported(library: Library, tmp_path: Path) -> None:
    settings = FREESTYLE._replace(path=tmp_path / "gone" / "game.psq")
    screen = play_through(ScriptedEngine(library, "i9"), settings, "h8", "quit")
    assert screen.sentences[-1] == f"{settings.path} cannot be written: No such file or directory."


# -- Ctrl-C while it thinks --------------------------------------------------------------------------------------------


def interrupt_after(seconds: float) -> None:
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


class InterruptedEngine(Engine):
    """Is hit by Ctrl-C while it thinks."""

    def think(
        self, limits: SearchLimits, on_iteration: Callable[[Report], None] = lambda _: None, lines: int = 1
    ) -> Report:
        interrupt_after(0.2)
        return super().think(limits, on_iteration, lines)


def test_ctrl_c_makes_it_move_at_once(library: Library) -> None:
    engine = InterruptedEngine(library)
    began = time.monotonic()
    before = signal.getsignal(signal.SIGINT)
    screen = Screen(["a1"])
    Session(engine, FREESTYLE._replace(turn_ms=60_000), screen.console(is_terminal=True), time.monotonic).run()
    assert engine.moves == 2
    assert screen.sentences[0] == "Kaname is thinking. Ctrl-C makes it move at once."
    assert time.monotonic() - began < 10
    assert signal.getsignal(signal.SIGINT) is before


def test_an_earlier_ctrl_c_is_forgotten(engine: Engine) -> None:
    engine.stop()
    engine.new_game(15, 15, Rule.FREESTYLE)
    engine.play(0, 0)
    assert thinking.think(engine, Limits(depth=3)).depth == 3


def test_what_fails_while_thinking_is_raised_and_ends_it(engine: Engine) -> None:
    engine.new_game(15, 15, Rule.FREESTYLE)
    engine.play(0, 0)

    def fail(report: Report) -> None:
        raise OverflowError(report.depth)

    began = time.monotonic()
    with pytest.raises(OverflowError):
        thinking.think(engine, Limits(Budget(60_000, 60_000)), fail)
    assert time.monotonic() - began < 10


# -- pictures ----------------------------------------------------------------------------------------------------------


def test_a_board_that_is_wider_than_high() -> None:
    assert view.board_text((6, 5), [(5, 4), (0, 0)], [(5, 4)], [(1, 0)]).splitlines() == [
        "    a b c d e f",
        " 1  O ! . . . .  1",
        " 2  . . . . . .  2",
        " 3  . . . . . .  3",
        " 4  . . . . . .  4",
        " 5  . . . . .[X] 5",
        "    a b c d e f",
    ]


def test_the_largest_board_fits_in_half_a_screen() -> None:
    assert max(map(len, view.board_text((22, 22), [], [(21, 21)]).splitlines())) < 55


def test_colours_change_nothing_else() -> None:
    moves: list[Move] = [(1, 1), (2, 1)]
    coloured = view.board_text((5, 5), moves, moves[-1:], [(0, 0)], is_coloured=True)
    plain = view.board_text((5, 5), moves, moves[-1:], [(0, 0)])
    for ink in [*view.INKS.values(), "0"]:
        coloured = coloured.replace(f"\x1b[{ink}m", "")
    assert coloured == plain


@pytest.mark.parametrize(
    ("black", "last", "winning"),
    [
        ("a1b1c1d1", "e1", "a1b1c1d1e1"),
        ("a5b4c3e1", "d2", "a5b4c3d2e1"),
        ("a1b1c1d1e2e3e4e5", "e1", "a1b1c1d1e1e2e3e4e5"),
        ("a1b1c1", "d1", ""),
    ],
)
def test_winning_stones(black: str, last: str, winning: str) -> None:
    stones = [*parse_position(black), *parse_position(last)]
    moves = [move for i, stone in enumerate(stones) for move in (stone, (10 + i % 2, 2 * i))][:-1]
    assert view.winning_stones(moves) == set(parse_position(winning))


# -- the terminal ------------------------------------------------------------------------------------------------------


class FakeStream:
    def __init__(self, is_terminal: bool) -> None:
        self.isatty = lambda: is_terminal


@pytest.mark.parametrize(
    ("is_a_terminal", "environment", "expected"),
    [(True, {}, True), (True, {"NO_COLOR": "1"}, False), (True, {"TERM": "dumb"}, False), (False, {}, False)],
)
def test_colours_only_on_a_terminal(is_a_terminal: bool, environment: dict[str, str], expected: bool) -> None:
    environment = {"WT_SESSION": "1", **environment}
    assert terminal.has_colours(FakeStream(is_a_terminal), environment) is expected  # type: ignore[arg-type]


# -- options -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ms"), [("5s", 5000), ("500ms", 500), ("1m", 60_000), ("2", 2000), ("0.5", 500), ("1.5S", 1500)]
)
def test_durations(text: str, ms: float) -> None:
    assert options.parse_duration_ms(text) == ms


@pytest.mark.parametrize(("text", "size"), [("15", (15, 15)), ("20x15", (20, 15)), ("5X22", (5, 22))])
def test_sizes(text: str, size: tuple[int, int]) -> None:
    assert options.parse_size(text) == size


def test_rules() -> None:
    assert [options.parse_rule(text) for text in ("0", "1", "4", "8", "9")] == list(Rule)
    assert options.parse_rule("3") == Rule.EXACT_FIVE  # with the bit for a continuous game
    assert set(options.RULE_NAMES) == set(Rule)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--size", "4"], "a board has 5 to 22 cells in each direction, not 4x4"),
        (["--size", "15x23"], "a board has 5 to 22 cells in each direction, not 15x23"),
        (["--size", "big"], "'big' is not a board size such as 15 or 20x15"),
        (["--rule", "5"], f"'5' is not a rule; {KNOWN_RULES}"),
        (["--rule", "renju"], f"'renju' is not a rule; {KNOWN_RULES}"),
        (["--time", "soon"], "'soon' is not a time such as 5s, 500ms or 1m"),
        (["--time", "0"], "a time must be between 1ms and one day, not 0"),
        (["--time", "25000m"], "a time must be between 1ms and one day, not 25000m"),
        (["--time", "-5"], "'-5' is not a time such as 5s, 500ms or 1m"),
        (["--save", "/no/such/folder/game.psq"], "'/no/such/folder/game.psq' is not a file in an existing folder"),
        (["--save", "/"], "'/' is not a file in an existing folder"),
    ],
)
def test_bad_options(capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", *arguments])
    assert ended.value.code == 2
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", f"pbrain play: error: {sentence}\n")


# -- processes ---------------------------------------------------------------------------------------------------------


def test_a_piped_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pbrain", "play", "--time", "20ms", "--size", "15x10", "--save", "kept.psq"]
    typed = b"h8\n\xff\xfe\nhint\nsave other.psq\nh8\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, input=typed, capture_output=True, cwd=tmp_path, env=environment, timeout=120)
    assert (run.returncode, run.stderr) == (0, b"")
    text = run.stdout.decode()
    assert "\x1b" not in text
    assert "your move" not in text
    assert "'\\\\xff\\\\xfe' is neither a cell" in text
    assert text.splitlines()[-3:] == ["Saved as other.psq.", "h8 is taken.", "Saved as kept.psq."]
    kept, other = ((tmp_path / name).read_text() for name in ("kept.psq", "other.psq"))
    assert kept == other
    assert kept.splitlines()[0] == "Piskvorky 15x10, 0:1, 0"


def test_a_reader_who_leaves_gets_no_traceback() -> None:
    command = f"yes undo | head -500 | {sys.executable} -m pbrain play --time 20ms | head -1"
    run = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (run.stdout.startswith("Freestyle"), run.stderr) == (True, "")


@pytest.mark.posix("Windows has no pseudo-terminals of this kind")
def test_on_a_terminal() -> None:
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "pbrain", "play", "--time", "60s"]
    with subprocess.Popen(command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        seen = read_until(ours, b"your move (X): ")
        assert b"\x1b[2m.\x1b[0m" in seen
        os.write(ours, b"a1\n")
        read_until(ours, b"move at once.")
        system = psutil.Process(process.pid)
        used_s = system.cpu_times().user
        while system.cpu_times().user < used_s + 0.2:  # it thinks, so Ctrl-C is no longer the end of it
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert b"Kaname (O) played" in read_until(ours, b"your move (X): ")
        os.write(ours, b"\x04")
        assert process.wait(60) == 0
    os.close(ours)


def read_until(descriptor: int, text: bytes) -> bytes:
    seen = b""
    while text not in seen:
        seen += os.read(descriptor, 4096)
    return seen


def test_the_brain_does_not_load_what_people_use() -> None:
    code = "import sys, pbrain.brain.start; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not [name for name in run.stdout.split() if name.startswith("pbrain.console")]
    assert "argparse" not in run.stdout.split()
