"""What is tuned: `name=start,low,high,step`."""

import re
from dataclasses import dataclass

NUMBER = r"([+-]?\d{1,9})"
TUNED = re.compile(rf"([^\s=]+)={NUMBER},{NUMBER},{NUMBER},(\d{{1,9}}(?:\.\d{{1,6}})?)", re.ASCII)


@dataclass(frozen=True)
class Tuned:
    """A whole number that `INFO name value` sets; `step` is how far it is moved in the last games."""

    name: str
    start: int
    low: int
    high: int
    step: float


def parse_tuned(text: str) -> Tuned:
    """ValueError, with a sentence, for anything else than a parameter that can be tuned."""
    found = TUNED.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:80]!r} is not NAME=START,LOW,HIGH,STEP such as razor_base=100,0,300,20")
    tuned = Tuned(found[1], int(found[2]), int(found[3]), int(found[4]), float(found[5]))
    if not tuned.low <= tuned.start <= tuned.high or tuned.low == tuned.high:
        raise ValueError(
            f"{tuned.name} starts at {tuned.start}, which is not in a range from {tuned.low} to {tuned.high}"
        )
    if not 0 < tuned.step <= tuned.high - tuned.low:
        raise ValueError(f"the step of {tuned.name} must be positive and no wider than its range, not {tuned.step:g}")
    return tuned
