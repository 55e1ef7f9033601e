"""Long work in one line, on a terminal and in a pipe."""

import io

import pytest

from pbrain.console.progress import ProgressLine, duration_text, matching_text, playing_text, training_text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which only the test changes."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_a_pipe_gets_a_line_per_minute_and_the_last_one(clock: list[float]) -> None:
    pipe = io.StringIO()
    line = ProgressLine(pipe)
    for second in range(150):
        clock[0] = 100.0 + second
        line.show(f"at {second}")
    line.close()
    line.close()
    assert pipe.getvalue() == "at 0\nat 60\nat 120\nat 149\n"


def test_a_terminal_has_one_line_that_is_rewritten(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Terminal()
    line = ProgressLine(terminal)
    for text in ("a longer text", "short", "x" * 50):
        line.show(text)
        line.show("unseen " + text)
        clock[0] += 1.0
    line.say("a sentence")
    line.show("more")
    clock[0] += 1.0
    line.close()
    assert terminal.getvalue().splitlines() == [
        "",
        "a longer text",
        "short        ",
        "x" * 19,
        "unseen xxxxxxxxxxxx",
        "a sentence",
        "",
        "more",
    ]


def test_the_texts_of_progress() -> None:
    assert playing_text(0, 1000, 0, 0.0, None) == "0 of 1,000 games, 0 positions"
    assert playing_text(10, 1000, 12_345, 432.1, 4000) == (
        "10 of 1,000 games, 12,345 positions, 432 per second, 1 h 06 min left"
    )
    assert [duration_text(seconds) for seconds in (0.2, 59, 61, 3599, 3600)] == [
        "0 s",
        "59 s",
        "1 min",
        "60 min",
        "1 h 00 min",
    ]


def test_the_texts_of_training_and_matches() -> None:
    begun = training_text(1, 8, 2_048, 100_000, 0.61234, 0.0, None)
    assert begun == "training 0 %, epoch 1 of 8, loss 0.6123"
    later = training_text(5, 8, 0, 100_000, 0.6, 51_234.5, 90)
    assert later == "training 50 %, epoch 5 of 8, loss 0.6000, 51,234 positions per second, 2 min left"
    assert matching_text("start", 1, 50, "") == "match against the start, 2 of 100 games"
    assert matching_text("start", 9, 50, "+3 ±9 Elo") == "match against the start, 18 of 100 games: +3 ±9 Elo"
