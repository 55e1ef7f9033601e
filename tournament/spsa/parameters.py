"""What is tuned: a text file with a line for each parameter, `name start low high step`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tournament.core.openings import numbered_lines
from tournament.event.config import ConfigError
from tournament.play.managers import OURS

HEADINGS = ("# name", "start", "low", "high", "step")
NUMBER = re.compile(r"[+-]?\d{1,9}", re.ASCII)
STEP = re.compile(r"\d{1,9}(?:\.\d{1,6})?", re.ASCII)
MIN_STEP = 0.5  # with less, both settings would often be the same whole number
TAKEN = {*OURS.keys, "time_left"}  # INFO lines of the runner's own


@dataclass(frozen=True)
class Parameter:
    """A whole number that `INFO name value` sets; `step` is how far from its value it is tried in the last pair."""

    name: str
    start: int
    low: int
    high: int
    step: float


def parse_parameter(line: str) -> Parameter:
    """ValueError, with a sentence, if the line is no parameter that can be tuned."""
    name, *numbers = re.split(r"[\s,]+", line)
    kinds = (NUMBER, NUMBER, NUMBER, STEP)
    are_numbers = len(numbers) == 4 and all(kind.fullmatch(text) for kind, text in zip(kinds, numbers, strict=True))
    if not name or not name.isprintable() or not are_numbers:
        raise ValueError(f"{line[:80]!r} is not NAME START LOW HIGH STEP such as razor_base 100 0 300 20")
    start, low, high = map(int, numbers[:3])
    step = float(numbers[3])
    if name.lower() in TAKEN:
        raise ValueError(f"{name!r} cannot be tuned: the runner itself sends it")
    if not low <= start <= high or low == high:
        raise ValueError(f"{name} starts at {start}, which is not in a range from {low} to {high}")
    if not MIN_STEP <= step <= high - low:
        raise ValueError(f"the step of {name} must be from {MIN_STEP} to the width of its range, not {step:g}")
    return Parameter(name, start, low, high, step)


def parse_parameters(text: str, source: str) -> tuple[Parameter, ...]:
    """The parameters of a file, in which `#` begins a comment; ConfigError with the line if one cannot be tuned."""
    parameters: list[Parameter] = []
    for number, line in numbered_lines(text):
        try:
            parameter = parse_parameter(line)
            if parameter.name in [earlier.name for earlier in parameters]:
                raise ValueError(f"{parameter.name} is there twice")
        except ValueError as error:
            raise ConfigError(f"{source}, line {number}: {error}") from None
        parameters.append(parameter)
    if not parameters:
        raise ConfigError(f"{source} has no parameters: write a line NAME START LOW HIGH STEP for each")
    return tuple(parameters)


def parameters_text(parameters: Sequence[Parameter]) -> str:
    """The file of these parameters, in columns; `parse_parameters` reads it."""
    rows = [
        HEADINGS,
        *((each.name, *map(str, (each.start, each.low, each.high)), step_text(each.step)) for each in parameters),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
    return "".join(f"{line}\n" for line in lines)


def step_text(step: float) -> str:
    """`12` or `0.5`, in digits that STEP knows."""
    return f"{step:.6f}".rstrip("0").removesuffix(".")
