"""The command line as a whole: what its help says, and what it says where a command cannot run."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbrain import __version__, cli
from pbrain.core.types import Rule
from pbrain.engine.evaluation import knowledge_for, knowledge_in, no_knowledge
from pbrain.learn.knowledge_files import write_knowledge

ROOT = Path(__file__).resolve().parents[1]
NAMES = [name for name, *_ in cli.COMMANDS]


def options_of(command: str) -> list[argparse.Action]:
    """The options of a command that take a value and may be left out."""
    (_, _, add_options, _) = cli.COMMANDS[NAMES.index(command)]
    parser = argparse.ArgumentParser()
    add_options(parser)
    return [action for action in parser._actions if action.option_strings and action.nargs != 0 and not action.required]


@pytest.mark.parametrize("command", NAMES)
def test_help_tells_every_default(command: str) -> None:
    for option in options_of(command):
        text = str(option.help)
        assert "(default: " in text, option.option_strings
        if isinstance(option.default, str | int):
            assert f"(default: {option.default}" in text % {"default": option.default}, option.option_strings


@pytest.mark.parametrize("arguments", [[], *([name] for name in NAMES)])
def test_help_fits_a_terminal_and_is_no_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        cli.main([*arguments, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert all(name in text for name in (arguments or NAMES))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"kaname {__version__}\n"


@pytest.mark.parametrize(
    ("missing", "arguments", "sentence"),
    [
        ("numpy", ["learn", "folder"], "numpy is not installed; pip install numpy brings it"),
        ("pbrain.learn", ["learn", "folder"], "this executable cannot do that; install the Python package"),
        ("pbrain.study", ["study"], "this executable cannot do that; install the Python package"),
        ("pbrain.library.build", ["build"], "this executable cannot do that; install the Python package"),
    ],
)
def test_a_missing_module_gets_one_sentence(missing: str, arguments: list[str], sentence: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from pbrain import cli; cli.main({arguments})"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"pbrain {arguments[0]}: error: {sentence}\n"


def learned_values(folder: Path) -> Path:
    """A folder with values of one rule, in which nothing is worth anything."""
    write_knowledge(folder, Rule.RENJU, no_knowledge())
    return folder


def test_learned_values_are_played_with_and_other_rules_keep_theirs(tmp_path: Path) -> None:
    knowledge = knowledge_in(learned_values(tmp_path))
    assert knowledge(Rule.RENJU) == no_knowledge()
    assert knowledge(Rule.FREESTYLE) == knowledge_for(Rule.FREESTYLE)


POSITION = "INFO rule 4\nINFO max_node 500\nSTART 15\nBOARD\n7,7,2\n8,8,1\n6,8,2\nDONE\n"


def test_the_brain_plays_with_learned_values(tmp_path: Path) -> None:
    """The scores that it prints differ."""
    said = []
    for values in ([], ["--values", str(learned_values(tmp_path))]):
        command = [sys.executable, "-m", "pbrain", *values]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as brain:
            assert brain.stdin is not None
            assert brain.stdout is not None
            brain.stdin.write(POSITION)
            brain.stdin.flush()
            lines: list[str] = []
            while not lines or not re.fullmatch("[0-9]+,[0-9]+", lines[-1]):
                lines.append(brain.stdout.readline().strip())
            brain.stdin.write("END\n")
        said.append([re.search(r"ev [^ ]+", line) for line in lines if "depth" in line])
    scores = [[score[0] if score else None for score in each] for each in said]
    assert scores[0] != scores[1]
    assert set(scores[1]) <= {"ev +0", "ev 0", None}


def test_analyse_searches_with_learned_values(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pbrain",
        "--values",
        str(learned_values(tmp_path)),
        "analyse",
        "h8i9",
        "--rule",
        "4",
    ]
    run = subprocess.run([*command, "--nodes", "50"], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert "ev +0" in run.stdout or "ev 0" in run.stdout


@pytest.mark.parametrize("words", [[], ["analyse", "h8"]], ids=["brain", "analyse"])
def test_a_folder_without_values_is_refused(tmp_path: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "pbrain", "--values", str(tmp_path), *words]
    run = subprocess.run(command, cwd=ROOT, input="START 15\n", capture_output=True, text=True)
    sentence = f"{tmp_path} holds no values: none of caro.tsv, exact_five.tsv, freestyle.tsv, renju.tsv\n"
    assert run.stdout + run.stderr == f"{'pbrain --values: error:' if words else 'ERROR'} {sentence}"
    assert run.returncode != 0
