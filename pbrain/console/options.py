"""Parses what people type after an option; the text of a ValueError is a sentence for them."""

import re

from pbrain.core.params import MAX_SIZE, MIN_SIZE
from pbrain.core.types import Rule

RULE_NAMES = {
    Rule.FREESTYLE: "freestyle",
    Rule.EXACT_FIVE: "exactly five",
    Rule.RENJU: "renju",
    Rule.CARO: "caro",
    Rule.CARO_EXACT_FIVE: "caro with exactly five",
}

UNIT_MS = {"ms": 1, "s": 1000, "": 1000, "m": 60_000}
MAX_MS = 24 * 60 * UNIT_MS["m"]
MAX_DIGITS = 18  # more than any limit has, and few enough for `int`


def parse_size(text: str) -> tuple[int, int]:
    """`15` or `20x15` → width and height."""
    match = re.fullmatch(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is not a board size such as 15 or 20x15")
    width = int(match[1])
    height = width if match[2] is None else int(match[2])
    if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
        raise ValueError(f"a board has {MIN_SIZE} to {MAX_SIZE} cells in each direction, not {width}x{height}")
    return width, height


def parse_rule(text: str) -> Rule:
    """A number of the protocol's `INFO rule` → the rule."""
    try:
        return Rule.from_mask(int(text))
    except ValueError:
        known = ", ".join(f"{rule:d} {name}" for rule, name in RULE_NAMES.items())
        raise ValueError(f"{text!r} is not a rule; the rules are {known}") from None


def parse_duration_ms(text: str) -> float:
    """`5s`, `500ms`, `1m` or `5` (seconds) → milliseconds."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|)", text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is not a time such as 5s, 500ms or 1m")
    duration = float(match[1]) * UNIT_MS[match[2]]
    if not 1 <= duration <= MAX_MS:
        raise ValueError(f"a time must be between 1ms and one day, not {text}")
    return duration


def parse_count(text: str, what: str, maximum: int) -> int:
    """A whole number from 1 to `maximum`; `what` names it in the error."""
    if not re.fullmatch(rf"[0-9]{{1,{MAX_DIGITS}}}", text) or not 1 <= int(text) <= maximum:
        raise ValueError(f"{what} is a whole number from 1 to {maximum}, not {text!r}")
    return int(text)
