"""The command line as a whole: what its help says, and what it says where a command cannot run."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from pbrain import __version__, cli

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
        ("numpy", ["tune", "--data", "d", "--values", "o.tsv"], "numpy is not installed; pip install numpy brings it"),
        (
            "pbrain.learn",
            ["tune", "--data", "d", "--values", "o.tsv"],
            "this executable cannot do that; install the Python package",
        ),
        ("pbrain.library.build", ["build"], "this executable cannot do that; install the Python package"),
    ],
)
def test_a_missing_module_gets_one_sentence(missing: str, arguments: list[str], sentence: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from pbrain import cli; cli.main({arguments})"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"pbrain {arguments[0]}: error: {sentence}\n"
