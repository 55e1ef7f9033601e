"""An event before it is played, for `--dry-run`: the games, how they are played, and how long they may take."""

from collections.abc import Sequence

from tournament.core.adjudication import Adjudication
from tournament.core.model import BrainSpec, GamePlan, Limits
from tournament.core.rules import RULE_NAMES, base_rule
from tournament.event.config import Config
from tournament.play.managers import MANAGERS

MOVES_PER_SIDE = 35  # in a typical game
MAX_ROWS = 100  # a sequential test may have thousands of games
UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def schedule_text(config: Config, plans: Sequence[GamePlan], games: int, openings: int) -> str:
    """The games, and how they are played; `games` are all, of which only those of `plans` can be planned yet."""
    rows = [
        f"{plan.number:>6}  pair {plan.pair:<5}  {plan.black} - {plan.white}  {plan.opening.name}" for plan in plans
    ]
    if len(rows) > MAX_ROWS:
        rows[MAX_ROWS:] = [f"  ...and {len(rows) - MAX_ROWS} more"]
    if games > len(plans):
        rows.append("  ...and the rounds that follow from the results")
    return "\n".join([*rows, *settings(config, openings)])


def settings(config: Config, openings: int | None = None) -> list[str]:
    """How the games are played, a line per topic; `openings` is their number, if the file was read."""
    board, manager = config.board, MANAGERS[config.manager]
    lines = [
        f"event: {mode_text(config)}",
        f"board: {board.width}x{board.height}, rule {board.rule} ({RULE_NAMES[base_rule(board.rule)]})",
        f"manager: {manager.name}, that is, {manager.title}",
        f"openings: {openings_text(config, openings)}",
        *limits_lines(config.brains),
    ]
    rules = adjudication_text(config.adjudication)
    return [*lines, f"adjudication: {rules}"] if rules else lines


def mode_text(config: Config) -> str:
    if config.sprt is not None:
        test = config.sprt
        return f"SPRT of {test.elo0:g} against {test.elo1:g} {test.model.unit}, {config.games} games unless it decides"
    heads = f" of {config.heads} against the others" if config.mode == "gauntlet" else ""
    return f"{config.mode}{heads}, {len(config.brains)} brains, {config.games} games per pairing"


def openings_text(config: Config, openings: int | None) -> str:
    if config.is_swap2:
        return "chosen by the brains, Swap2"
    source = "the built-in set" if config.openings is None else config.openings
    order = f"in random order with seed {config.seed}" if config.order.is_random else "in the order of the file"
    first = f", from number {config.order.first} on" if config.order.first > 1 else ""
    number = "" if openings is None else f"{openings} of "
    return f"{number}{source}, {order}{first}; each is played twice, with colours swapped"


def limits_lines(brains: Sequence[BrainSpec]) -> list[str]:
    """The limits of all brains in one line, or of each in its own if they differ."""
    texts = {spec.name: limits_text(spec) for spec in brains}
    if len(set(texts.values())) == 1:
        return [f"limits: {limits_text(brains[0])}"]
    return [f"limits of {name}: {text}" for name, text in texts.items()]


def limits_text(spec: BrainSpec) -> str:
    limits = spec.limits
    parts = [
        "no time limit per move" if limits.turn_ms is None else f"{limits.turn_ms / 1000:g} s per move",
        None if limits.match_ms is None else f"{limits.match_ms / 1000:g} s per game",
        f"{limits.increment_ms / 1000:g} s more after each move" if limits.increment_ms else None,
        f"{spec.tolerance_ms / 1000:g} s tolerance",
        "no memory limit" if limits.memory_bytes is None else f"{limits.memory_bytes / (1 << 20):g} MB",
        None if limits.depth is None else f"depth {limits.depth}",
        None if limits.nodes is None else f"{limits.nodes} nodes per move",
    ]
    return ", ".join(filter(None, parts))


def adjudication_text(rules: Adjudication) -> str:
    parts = [
        f"a draw after {rules.draw_after} moves" if rules.draw_after else None,
        f"a brain resigns after {rules.resign.count} moves at -{rules.resign.score:g} or worse"
        if rules.resign
        else None,
        f"a draw after {rules.draw.count} moves of both sides within {rules.draw.score:g} of 0" if rules.draw else None,
    ]
    return ", ".join(filter(None, parts))


def playing_plan_text(config: Config, plans: Sequence[GamePlan], games: int, concurrency: int, why: str) -> str:
    """How many games, how many at a time, and how long that may take."""
    seconds = longest_s(config.brains, plans)
    duration = "of unknown duration as a brain has no time limit"
    if seconds is not None:
        duration = f"at most about {duration_text(seconds * games / concurrency)}"
    return f"{games} games, {concurrency} at a time ({why}), {duration}"


def longest_s(brains: Sequence[BrainSpec], plans: Sequence[GamePlan]) -> float | None:
    """The seconds of a typical game in which both sides use all their time; None without a limit."""
    sides = {spec.name: side_ms(spec.limits) for spec in brains}
    used = [sides[name] for plan in plans for name in (plan.black, plan.white)]
    known = [ms for ms in used if ms is not None]
    return sum(known) / len(plans) / 1000 if plans and len(known) == len(used) else None


def side_ms(limits: Limits) -> float | None:
    """The most time that a side may use in a typical game; None without a limit."""
    turns = None if limits.turn_ms is None else MOVES_PER_SIDE * limits.turn_ms
    match = None if limits.match_ms is None else limits.match_ms + MOVES_PER_SIDE * limits.increment_ms
    return min((ms for ms in (turns, match) if ms is not None), default=None)


def duration_text(seconds: float) -> str:
    """`90 seconds`, `14 minutes`, `3 hours`, `16 days`: in the largest unit of which there are at least two."""
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= 2 * size), UNITS[-1])
    return f"{seconds / size:.0f} {unit}"
