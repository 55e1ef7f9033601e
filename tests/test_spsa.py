"""SPSA: the arithmetic against Spall's formulas, an optimum that is found, nothing lost, faults that do not steer."""

import itertools
import json
import math
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbrain.pages.line_chart import MAX_POINTS, thinned
from tests.runner import FAKE
from tests.test_runner_commands import tournament
from tournament.cli import main
from tournament.event.config import ConfigError, config_of, read_toml
from tournament.spsa.course import Course
from tournament.spsa.gains import Iteration, Schedule, Values, chance_steps, changed, drawn
from tournament.spsa.parameters import Parameter, parameters_text, parse_parameter, parse_parameters
from tournament.spsa.report import plot, table
from tournament.spsa.tuner import iteration_of

BRAIN = Path(__file__).with_name("tunable_brain.py")
LEVEL = Parameter("level", 30, 0, 90, 6)
SIDE = Parameter("side", -3, -10, 10, 0.5)
PARAMETERS = (LEVEL, SIDE)
SCHEDULE = Schedule(200, 0.05)

number = st.integers(-1000, 1000)
parameters = st.builds(
    lambda low, width, start, step: Parameter("x", low + start % (width + 1), low, low + width, max(0.5, step * width)),
    number,
    st.integers(1, 500),
    st.integers(0, 10_000),
    st.floats(0.001, 1),
)


# -- arithmetic --------------------------------------------------------------------------------------------------------


def naive_change(value: float, each: Parameter, played: Iteration, sign: int, iterations: int, rate: float) -> float:
    """Spall's gains as fishtest has them, from the values that they have in the end."""
    big_a, k = 0.1 * iterations, played.number
    c = each.step * iterations**0.101
    a = rate * each.step**2 * (big_a + iterations) ** 0.602
    c_k, a_k = c / k**0.101, a / (big_a + k) ** 0.602
    won, lost = sum(played.points), len(played.points) - sum(played.points)
    return float(min(each.high, max(each.low, value + a_k / c_k * (won - lost) * sign)))


@given(parameters, st.integers(1, 500), st.integers(0, 500), st.sampled_from([0.002, 0.1]), st.booleans(), st.data())
def test_a_value_moves_as_spall_has_it(
    each: Parameter, count: int, before: int, rate: float, is_up: bool, data: st.DataObject
) -> None:
    iterations, sign = count + before, 1 if is_up else -1
    points = data.draw(st.tuples(*2 * [st.sampled_from([0.0, 0.5, 1.0])]))
    value = data.draw(st.floats(each.low, each.high))
    played = Iteration(count, "", (sign,), (0,), (0,), points)
    (after,) = changed((each,), (value,), Schedule(iterations, rate), played)
    assert after == pytest.approx(naive_change(value, each, played, sign, iterations, rate), abs=1e-9)


@given(parameters, st.integers(1, 200), st.integers(0, 99), st.data())
def test_the_settings_lie_on_both_sides_of_the_value(
    each: Parameter, count: int, seed: int, data: st.DataObject
) -> None:
    value = data.draw(st.floats(each.low, each.high))
    one = drawn((each,), (value,), SCHEDULE, count, "", seed)
    assert one == drawn((each,), (value,), SCHEDULE, count, "", seed)
    away = one.signs[0] * each.step * (SCHEDULE.iterations / count) ** 0.101
    for (setting,), wanted in ((one.first, value + away), (one.second, value - away)):
        assert each.low <= setting <= each.high
        assert abs(setting - min(each.high, max(each.low, wanted))) <= 1
    is_inside = each.low + abs(away) <= value <= each.high - abs(away)
    assert one.first != one.second or not is_inside


def test_settings_are_what_is_wanted_on_average_and_signs_are_even() -> None:
    """Else a value could never settle between two whole numbers."""
    many = [drawn(PARAMETERS, (50.3, 0.25), Schedule(4000, 0.1), 4000, "", seed) for seed in range(4000)]
    for i, (value, step) in enumerate(((50.3, 6), (0.25, 0.5))):
        ups = [one.first[i] if one.signs[i] > 0 else one.second[i] for one in many]
        downs = [one.second[i] if one.signs[i] > 0 else one.first[i] for one in many]
        assert sum(ups) / len(ups) == pytest.approx(value + step, abs=0.04)
        assert sum(downs) / len(downs) == pytest.approx(value - step, abs=0.04)
        assert {up - down for up, down in zip(ups, downs, strict=True)} == {2 * step}
        assert abs(sum(one.signs[i] for one in many)) < 4 * math.sqrt(len(many))
    assert abs(sum(one.signs[0] * one.signs[1] for one in many)) < 4 * math.sqrt(len(many))


def some_iterations(count: int, seed: int = 1) -> list[Iteration]:
    rng = random.Random(seed)
    points = [(rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 0.5, 1.0])) for _ in range(count)]
    signs = [(rng.choice([1, -1]), rng.choice([1, -1])) for _ in range(count)]
    return [Iteration(i + 1, "", signs[i], (0, 0), (0, 0), points[i]) for i in range(count)]


@given(st.permutations(range(12)), st.sets(st.integers(0, 11)))
def test_the_order_in_which_iterations_end_makes_no_difference(order: list[int], missing: set[int]) -> None:
    played, course = some_iterations(12), Course(PARAMETERS, SCHEDULE)
    for i in order:
        if i not in missing:
            course.add(played[i])
    history: list[Values] = [(30.0, -3.0)]
    for i, iteration in enumerate(played):
        if i not in missing:
            history.append(changed(PARAMETERS, history[-1], SCHEDULE, iteration))
    assert course.history == history
    assert course.latest == history[-1]
    assert (len(course), [iteration.number - 1 in missing for iteration in course.played]) == (
        12 - len(missing),
        [False] * (12 - len(missing)),
    )


def test_chance_is_the_deviation_over_all_signs() -> None:
    played = some_iterations(8)
    ends = []
    for signs in itertools.product((1, -1), repeat=8):
        moves = [sign * one.result * SCHEDULE.move(one.number) for sign, one in zip(signs, played, strict=True)]
        ends.append(sum(moves))
    assert chance_steps(SCHEDULE, played)[-1] == pytest.approx(math.sqrt(sum(end**2 for end in ends) / len(ends)))
    assert chance_steps(SCHEDULE, [])[-1] == 0


# -- parameters --------------------------------------------------------------------------------------------------------


@given(st.lists(parameters, min_size=1, max_size=5))
def test_a_file_of_parameters_is_read_as_it_was_written(found: list[Parameter]) -> None:
    named = tuple(
        Parameter(f"name_{i}", each.start, each.low, each.high, round(each.step, 3)) for i, each in enumerate(found)
    )
    assert parse_parameters(parameters_text(named), "file") == named


def test_commas_separate_as_spaces_do() -> None:
    assert parse_parameter("level, 30,0, 90 ,6") == LEVEL
    assert parse_parameter("side -3\t-10 +10 0.50") == SIDE
    huge = Parameter("huge", 123456789, -999999999, 999999999, 1000000)
    assert parse_parameters(parameters_text((huge,)), "file") == (huge,)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("level 30 0 100", "'level 30 0 100' is not NAME START LOW HIGH STEP such as razor_base 100 0 300 20"),
        ("level 30 0 100 6 7", "'level 30 0 100 6 7' is not NAME START LOW HIGH STEP"),
        (", 30 0 100 6", "', 30 0 100 6' is not NAME"),
        ("level 3.5 0 100 6", "'level 3.5 0 100 6' is not NAME"),
        ("level 30 0 100 -6", "'level 30 0 100 -6' is not NAME"),
        ("level 30 0 100 1e9", "'level 30 0 100 1e9' is not NAME"),
        ("level 101 0 100 6", "level starts at 101, which is not in a range from 0 to 100"),
        ("level 5 5 5 1", "level starts at 5, which is not in a range from 5 to 5"),
        ("level 30 0 100 0.4", "the step of level must be from 0.5 to the width of its range, not 0.4"),
        ("level 30 0 100 101", "the step of level must be from 0.5 to the width of its range, not 101"),
        ("max_node 30 0 100 6", "'max_node' cannot be tuned: the runner itself sends it"),
        ("Rule 1 0 4 1", "'Rule' cannot be tuned: the runner itself sends it"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        parse_parameter(line)
    with pytest.raises(ConfigError, match=f"^cup.txt, line 2: {re.escape(sentence)}"):
        parse_parameters(f"# a comment\n{line}  # another\n", "cup.txt")


# -- tuning ------------------------------------------------------------------------------------------------------------


def command(folder: Path, habit: str = "", *options: str, text: str | None = None) -> list[str]:
    """The words of a tuning, one game at a time; its files are in `folder`, its result in `folder`/out."""
    folder.mkdir(exist_ok=True)
    (folder / "tuned.txt").write_text(parameters_text(PARAMETERS) if text is None else text)
    (folder / "openings.txt").write_text("0,0, 1,0\n0,0\n0,0, 1,0, 1,1\n")
    brain = f"{sys.executable} {BRAIN} {habit}"
    files = ["--parameters", str(folder / "tuned.txt"), "--openings", str(folder / "openings.txt")]
    play = ["--size", "10", "--turn", "20s", "--concurrency", "1", "--pairs", "60", "--rate", "0.15"]
    return ["spsa", brain, *files, "--out", str(folder / "out"), *play, *options]


def journal_of(folder: Path) -> list[Iteration]:
    lines = (folder / "out" / "results.jsonl").read_text().splitlines()
    return [iteration_of(json.loads(line)) for line in lines]


def final_of(folder: Path) -> tuple[Parameter, ...]:
    path = folder / "out" / "parameters.txt"
    return parse_parameters(path.read_text(), str(path))


def test_the_optimum_is_found_and_told(tmp_path: Path) -> None:
    run = tournament(*command(tmp_path, "tells"))
    assert (run.returncode, run.stderr) == (0, "")
    level, side = final_of(tmp_path)
    assert abs(level.start - 60) <= 6
    assert abs(side.start + 3) <= 1
    out = tmp_path / "out"
    lines = run.stdout.splitlines()
    assert lines[0] == "tunable_brain says of level: MESSAGE level is now 30"
    progress = r"60 of 60 pairs, \d+ per minute, 0 seconds left, \d+% decided, level \+\d\.\d\d steps"
    assert any(re.fullmatch(progress, line) for line in lines)
    assert any(re.fullmatch(rf" +level +30 +{level.start} +0..90 +6 +\+\d\.\d\d", line) for line in lines)
    assert any(re.fullmatch(rf" +side +-3 +{side.start} +-10..10 +0.5 +[+-]\d\.\d\d", line) for line in lines)
    assert lines[-2:] == [
        f"final values in {out / 'parameters.txt'}, a chart of each parameter in {out / 'plot.html'}",
        f"only a match tells whether they are better: "
        f"python -m tournament sprt {out / 'confirm.toml'} --out {out / 'confirm'}",
    ]
    assert main(command(tmp_path / "again", text=(out / "parameters.txt").read_text())) == 0
    assert abs(final_of(tmp_path / "again")[0].start - 60) <= 6


def test_the_match_that_confirms_can_be_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = command(tmp_path, "", "--pairs", "1", "--nodes", "7", "--rule", "1", "--seed", "8", "--fresh")
    assert main(words) == 0
    config = config_of(*read_toml(tmp_path / "out" / "confirm.toml"))
    tuned, start = config.brains
    assert start.info == (("level", "30"), ("side", "-3"))
    assert tuned.info == tuple((each.name, str(each.start)) for each in final_of(tmp_path))
    assert (tuned.command, tuned.limits, tuned.is_kept_alive) == (start.command, start.limits, False)
    assert (tuned.limits.nodes, tuned.limits.turn_ms, tuned.limits.memory_bytes) == (7, 20_000, 350 << 20)
    assert (config.board.width, config.board.rule, config.seed) == (10, 1, 9)
    assert config.openings == str(tmp_path / "openings.txt")
    match = ["sprt", str(tmp_path / "out" / "confirm.toml"), "--out", str(tmp_path / "out" / "confirm")]
    assert main([*match, "--games", "4", "--plain"]) == 0
    assert [line.count(" beat ") for line in capsys.readouterr().out.splitlines()].count(1) == 4


def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    pairs = ["--pairs", "40"]
    assert tournament(*command(tmp_path / "whole", "", *pairs)).returncode == 0
    words = command(tmp_path / "parts", "", *pairs)
    results, kills = tmp_path / "parts" / "out" / "results.jsonl", 0
    for lines in (1, 9, 17):
        with subprocess.Popen([sys.executable, "-m", "tournament", *words], stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not (results.exists() and results.read_bytes().count(b"\n") >= lines):
                time.sleep(0.005)
            kills += process.poll() is None
            process.kill()
    assert kills
    with results.open("ab") as file:
        file.write(b'{"number": 2')  # as a full disk leaves it
    assert tournament(*words).returncode == 0
    assert journal_of(tmp_path / "parts") == journal_of(tmp_path / "whole")
    for name in ("parameters.txt", "plot.html"):
        assert (tmp_path / "parts" / "out" / name).read_text() == (tmp_path / "whole" / "out" / name).read_text()


def test_brains_that_are_started_anew_play_the_same_games(tmp_path: Path) -> None:
    for name, options in (("kept", []), ("fresh", ["--fresh"])):
        assert main(command(tmp_path / name, "", "--pairs", "4", *options)) == 0
    assert journal_of(tmp_path / "kept") == journal_of(tmp_path / "fresh")


def test_two_at_a_time_play_each_pair_once(tmp_path: Path) -> None:
    run = tournament(*command(tmp_path, "", "--concurrency", "2"))
    assert run.returncode == 0, run.stderr
    played = journal_of(tmp_path)
    assert sorted(iteration.number for iteration in played) == list(range(1, 61))
    values: Values = (30.0, -3.0)
    for iteration in sorted(played, key=lambda each: each.number):
        values = changed(PARAMETERS, values, Schedule(60, 0.15), iteration)
    assert [each.start for each in final_of(tmp_path)] == [round(value) for value in values]
    assert abs(values[0] - 60) <= 8


@pytest.mark.posix("Windows has no SIGINT for another process")
def test_ctrl_c_ends_after_the_running_pair(tmp_path: Path) -> None:
    words = command(tmp_path, "slow", "--pairs", "20")
    results = tmp_path / "out" / "results.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "tournament", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not (results.exists() and results.stat().st_size):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (3, "")
    played = len(journal_of(tmp_path))
    assert 1 <= played < 20
    assert "finishing the running games; press Ctrl-C again to abandon them" in output
    assert f"{20 - played} pairs are missing; the same command goes on" in output
    assert (tmp_path / "out" / "plot.html").exists()
    assert tournament(*words).returncode == 0
    assert [iteration.number for iteration in journal_of(tmp_path)] == list(range(1, 21))


# -- faults and bad input ----------------------------------------------------------------------------------------------


def test_a_fault_that_comes_again_stops_the_run(tmp_path: Path) -> None:
    """The pair is not counted: the values must not be steered by it."""
    words = command(tmp_path, "crashes", text="level 62 0 90 6\n")
    run = tournament(*words)
    assert run.returncode == 3
    played = journal_of(tmp_path) if (tmp_path / "out" / "results.jsonl").exists() else []
    sentence = r"pair (\d+): tunable_brain exited during the game: exit code 7, with level (\d+)"
    first, *dialogue = run.stderr.splitlines()
    found = re.fullmatch(rf"tournament: {sentence}; it was the second try", first)
    assert found is not None, run.stderr
    assert (int(found[1]), int(found[2]) > 70) == (len(played) + 1, True)
    assert any(line.endswith(f"< INFO level {found[2]}") for line in dialogue)
    assert re.search(rf"^{sentence}; the pair is played again$", run.stdout, re.MULTILINE)
    assert tournament(*words).stderr.splitlines()[0] == first, "and so does the same command"


def test_a_fault_that_does_not_come_again_is_told(tmp_path: Path) -> None:
    memory = tmp_path / "crashed"
    words = command(tmp_path, f"crashes-once {memory}", "--pairs", "8", text="level 68 0 90 6\n")
    run = tournament(*words)
    assert (run.returncode, run.stderr, memory.exists()) == (0, "", True)
    assert f"pairs played again after a fault: 1; {tmp_path / 'out' / 'results.jsonl'} tells which" in run.stdout
    (faulty,) = [iteration for iteration in journal_of(tmp_path) if iteration.faults]
    assert faulty.faults[0].startswith("tunable_brain exited during the game: exit code 7, with level 7")
    assert f"pair {faulty.number}: {faulty.faults[0]}; the pair is played again\n" in run.stdout
    assert main(command(tmp_path / "other", "", "--pairs", "8", text="level 68 0 90 6\n")) == 0
    assert final_of(tmp_path) == final_of(tmp_path / "other"), "the fault has steered nothing"


@pytest.mark.parametrize(
    ("brain", "sentence"),
    [
        (f"{sys.executable} {BRAIN} refuses", "cannot be tuned by level: it says 'ERROR level is a constant'"),
        (f"{sys.executable} {FAKE} crash-at-start", "cannot be tuned: exited before answering START 10"),
        (
            f"{sys.executable} -m pbrain",
            "pbrain cannot be tuned by razor_base: it says 'ERROR razor_base is a constant here; "
            "python -m pbrain build --tunable makes a library to tune'",
        ),
    ],
)
def test_a_brain_that_cannot_be_tuned_is_told_before_any_game(
    tmp_path: Path, brain: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, text="level 30 0 100 6\nrazor_base 100 0 300 20\n")
    assert main([words[0], brain, *words[2:]]) == 2
    assert sentence in capsys.readouterr().err.splitlines()[0]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("habit", "text", "sentence"),
    [
        (
            "ignores",
            parameters_text(PARAMETERS),
            "tunable_brain plays the same games at both ends of the range of level: it does not know the name, or "
            "nothing changes at these limits",
        ),
        (
            "",
            "level 30 0 90 6\nlevle 30 0 90 6\nsied 0 0 9 1\n",
            "tunable_brain plays the same games at both ends of the range of levle, sied: it does not know the name, "
            "or nothing changes at these limits",
        ),
        (
            "crashes-high",
            parameters_text(PARAMETERS),
            "tunable_brain exited during the game: exit code 7, with level 90, side -3; the range of level is too wide",
        ),
    ],
)
def test_both_ends_of_each_range_are_tried_first(
    tmp_path: Path, habit: str, text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, habit, text=text)) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"tournament: {sentence}"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--pairs", "0"], "--pairs must be at least 1, not 0"),
        (["--rate", "0"], "--rate must be more than 0 and at most 1, not 0"),
        (["--rate", "nan"], "--rate must be more than 0 and at most 1, not nan"),
        (["--seed", "-1"], "--seed must be at least 0, not -1"),
        (["--concurrency", "0"], "--concurrency must be at least 1, not 0"),
        (["--nodes", "0"], "nodes must be a whole number of at least 1, not 0"),
        (["--size", "40"], "a board must have 5 to 32 cells in each direction, not 40 x 40"),
        (["--parameters", "nowhere"], "nowhere cannot be read: No such file or directory"),
        (["--openings", "nowhere"], "nowhere cannot be read: [Errno 2] No such file or directory: 'nowhere'"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(
    tmp_path: Path, options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, "", *options)) == 2
    assert capsys.readouterr().err == f"tournament: {sentence}\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# nothing\n", " has no parameters: write a line NAME START LOW HIGH STEP for each"),
        ("level 30 0 100 6\nlevel 30 0 100 6\n", ", line 2: level is there twice"),
    ],
)
def test_a_bad_file_is_refused_with_a_sentence(
    tmp_path: Path, text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, text=text)) == 2
    path = tmp_path / "tuned.txt"
    assert capsys.readouterr().err == f"tournament: {path}{sentence}\n"
    assert not (tmp_path / "out").exists()


def test_other_settings_in_the_same_folder_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(tmp_path, "", "--pairs", "2")) == 0
    files = ("settings.json", "results.jsonl", "parameters.txt", "plot.html", "confirm.toml")
    before = [(tmp_path / "out" / name).read_bytes() for name in files]
    for options, text, change in (
        (["--pairs", "3"], None, "schedule.iterations: 2 before, 3 now"),
        (["--pairs", "2", "--seed", "2"], None, "seed: 1 before, 2 now"),
        (["--pairs", "2"], parameters_text((LEVEL,)), "parameters: "),
        (
            ["--pairs", "2"],
            parameters_text((LEVEL, Parameter("side", 0, -10, 10, 0.5))),
            "parameters[1].start: -3 before",
        ),
    ):
        assert main(command(tmp_path, "", *options, text=text)) == 2
        assert f"{tmp_path / 'out'} holds work with other settings:\n  {change}" in capsys.readouterr().err
    assert [(tmp_path / "out" / name).read_bytes() for name in files] == before
    again = main(command(tmp_path, "", "--pairs", "2"))
    assert (again, [(tmp_path / "out" / name).read_bytes() for name in files]) == (0, before)


def test_a_result_that_cannot_be_written_is_not_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, plot_path = command(tmp_path, "", "--pairs", "2"), tmp_path / "out" / "plot.html"
    plot_path.mkdir(parents=True)
    assert main(words) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"tournament: the result cannot be written in {tmp_path / 'out'}: ")
    assert said.count("\n") == 1
    plot_path.rmdir()
    assert main(words) == 0
    assert len(journal_of(tmp_path)) == 2


# -- the chart ---------------------------------------------------------------------------------------------------------


def charts_of(text: str) -> list[ET.Element]:
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def test_the_chart_shows_each_parameter_over_time() -> None:
    course = Course(PARAMETERS, Schedule(1000, 0.02))
    for iteration in some_iterations(1000):
        course.add(iteration)
    text = plot(course, "a <brain> & more")
    assert "<h1>SPSA of a &lt;brain&gt; &amp; more</h1>" in text
    assert not re.search(r"https?:|<script|<link|@import|src=", text), "it needs no network"
    assert "prefers-color-scheme: dark" in text
    charts = charts_of(text)
    assert len(charts) == len(PARAMETERS)
    for i, (chart, parameter) in enumerate(zip(charts, PARAMETERS, strict=True)):
        words = [each.text for each in chart.iter("text")]
        after = round(course.latest[i])
        assert words[:2] == [
            parameter.name,
            f"{parameter.start} → {after}, range {parameter.low} to {parameter.high}, step {parameter.step:g}",
        ]
        assert "1000 pairs" in words
        (line,) = chart.iter("polyline")
        points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        assert len(points) == MAX_POINTS
        grid = {
            float(str(label.text)): float(tick.attrib["y1"])
            for tick, label in zip(
                (each for each in chart.iter("line") if each.attrib["class"] == "grid"),
                (each for each in chart.iter("text") if "text-anchor" in each.attrib and each.attrib["x"] == "46"),
                strict=True,
            )
        }
        (low, bottom), *_, (high, top) = sorted(grid.items())
        for place, (x, y) in zip(thinned(1001), points, strict=True):
            assert x == pytest.approx(52 + place / 1000 * (348 - 52), abs=0.06)
            value = low + (y - bottom) / (top - bottom) * (high - low)
            assert value == pytest.approx(course.history[place][i], abs=0.02 * (high - low))


def test_the_table_names_what_is_at_the_end_of_its_range() -> None:
    course = Course((LEVEL, Parameter("small", 5, 4, 9, 1)), Schedule(40, 0.5))
    assert "end of its range" not in table(course)
    for i in range(1, 41):
        course.add(Iteration(i, "", (1, -1), (0, 0), (0, 0), (1.0, 1.0)))
    assert table(course).splitlines()[-1] == "(at the end of its range: level, small)"


@pytest.mark.parametrize("played", [0, 1])
def test_a_short_course_has_a_chart_and_a_table_too(played: int) -> None:
    course = Course(PARAMETERS, SCHEDULE)
    for iteration in some_iterations(played):
        course.add(iteration)
    assert len(charts_of(plot(course, "brain"))) == 2
    assert "level" in table(course)
