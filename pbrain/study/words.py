"""Numbers of a study in words."""

from pbrain.study.estimate import Estimate

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


def time_text(ms: float) -> str:
    """`0.4 ms`, `12 ms`, `1.6 s`, `4.2 min`, `13 h` or `400 days`."""
    for limit, unit_ms, unit in ((1000, 1, "ms"), (MINUTE_MS, 1000, "s"), (HOUR_MS, MINUTE_MS, "min")):
        if ms < limit:
            return f"{rounded(ms / unit_ms)} {unit}"
    return f"{rounded(ms / HOUR_MS)} h" if ms < DAY_MS else f"{rounded(ms / DAY_MS)} days"


def rounded(value: float) -> str:
    """Two or three digits."""
    if abs(value) >= 10:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.1f}" if abs(value) >= 0.995 else f"{value:.2g}"


def times_text(found: Estimate) -> str:
    """`0.35 s (0.2 s to 0.6 s)`."""
    if not found.is_bounded:
        return time_text(found.value)
    return f"{time_text(found.value)} ({time_text(found.low)} to {time_text(found.high)})"


def count_text(found: Estimate) -> str:
    """`1,240 (800 to 1,900)`."""
    if not found.is_bounded:
        return rounded(found.value)
    return f"{rounded(found.value)} ({rounded(found.low)} to {rounded(found.high)})"


def factor_text(found: Estimate) -> str:
    """`3.1 times (2.2 to 4.3)`."""
    value, _, interval = count_text(found).partition(" ")
    return f"{value} times {interval}".rstrip()


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def percent_text(found: Estimate) -> str:
    """`43 % (38 % to 47 %)`."""
    if not found.is_bounded:
        return percent(found.value)
    return f"{percent(found.value)} ({percent(found.low)} to {percent(found.high)})"
