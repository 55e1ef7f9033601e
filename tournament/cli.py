"""The command line: `python -m tournament COMMAND`."""

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from tournament import __version__, check
from tournament.core.failures import RunnerError
from tournament.core.openings import OpeningError
from tournament.event.config import ORDERS, Config, ConfigError, brain_of, config_of, read_toml
from tournament.event.event import PreflightError, Run, Verdict, expected_games, plan_games
from tournament.event.events import Listener
from tournament.event.schedule import ScheduleError
from tournament.event.store import Store, StoreError
from tournament.play.cpus import usable_cpus
from tournament.play.managers import MANAGERS
from tournament.play.names import file_name
from tournament.stats.sprt import Model, verdict_text
from tournament.stats.sprt import Verdict as SprtVerdict
from tournament.stats.standings import Anchor, Totals, sprt_state
from tournament.stats.summary import summary_of
from tournament.views import export
from tournament.views.json_lines import JsonView
from tournament.views.plain import PlainView
from tournament.views.text import ending_text, sprt_text, standings_text

DEMO = (
    ("kaname", "-m", "pbrain"),
    ("minimax", "-m", "tournament.brains.minimax"),
    ("boundary", "-m", "tournament.brains.boundary"),
    ("threat", "-m", "tournament.brains.threat"),
)
REFUSED, INCOMPLETE = 2, 3  # exit status; `resume` continues an incomplete event
SIGNALLED = 128  # plus the signal's number, as shells have it; incomplete too
DEFAULT_SPRT_GAMES = 20_000
MOVES_PER_SIDE = 35  # in a typical game; used to estimate the duration


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="tournament",
        description="Play matches and tournaments between Gomocup brains. Without a command: a small demo round robin.",
    )
    top.add_argument("--version", action="version", version=f"kaname tournament {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    running = commands.add_parser("run", help="play a match, round robin, gauntlet or knock-out; repeat it to resume")
    running.add_argument(
        "brains", nargs="+", metavar="BRAIN", help="the command that starts a brain; or one .toml file"
    )
    running.add_argument("--games", type=int, help="games per pairing, an even number (default: 2)")
    mode = running.add_mutually_exclusive_group()
    mode.add_argument("--gauntlet", action="store_true", help="the first brain plays each of the others")
    mode.add_argument("--knockout", action="store_true", help="the winners of each round meet in the next")
    mode.add_argument("--heads", type=int, help="a gauntlet in which the first HEADS brains play each of the others")
    add_event_options(running)

    testing = commands.add_parser("sprt", help="play until a sequential test accepts one of two Elo differences")
    testing.add_argument(
        "brains", nargs="+", metavar="BRAIN", help="the command that starts a brain, of two; or one .toml file"
    )
    add_sprt_options(testing)
    add_event_options(testing)

    resuming = commands.add_parser("resume", help="resume an interrupted event")
    resuming.add_argument("folder", type=Path, help="the event's folder")
    add_view_options(resuming)

    exporting = commands.add_parser("export", help="export the games as psq, SGF or PGN")
    exporting.add_argument("folder", type=Path, help="the event's folder")
    exporting.add_argument("format", choices=("psq", "sgf", "pgn"))
    exporting.add_argument(
        "--out", type=Path, help="a folder for psq and SGF, a file for PGN (default: inside the event's folder)"
    )

    standing = commands.add_parser("standings", help="print the standings of an event")
    standing.add_argument("folder", type=Path, help="the event's folder")
    add_anchor_option(standing)

    checking = commands.add_parser("check", help="check that a brain follows the protocol as managers need it")
    checking.add_argument("brain", metavar="CMD", help="the command that starts the brain")
    checking.add_argument("--json", action="store_true", help="print one JSON object per step")
    return top


def add_sprt_options(testing: argparse.ArgumentParser) -> None:
    testing.add_argument("--elo0", type=float, help="Elo difference under H0, no gain (default: 0)")
    testing.add_argument("--elo1", type=float, help="Elo difference under H1, a gain (default: 10)")
    testing.add_argument("--alpha", type=float, help="probability of a false H1 (default: 0.05)")
    testing.add_argument("--beta", type=float, help="probability of a false H0 (default: 0.05)")
    testing.add_argument(
        "--model",
        choices=list(Model),
        help="normalised: pairs, normalised Elo; logistic: pairs, Elo; trinomial: games, Elo (default: normalised)",
    )
    testing.add_argument(
        "--games", type=int, help=f"stop undecided after this many games (default: {DEFAULT_SPRT_GAMES})"
    )


def add_event_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--turn", help="time per move: 1s, 500ms, none (default: 1s)")
    command.add_argument("--match", help="time per game for each side (default: none)")
    command.add_argument("--increment", help="time added after each move (default: 0)")
    command.add_argument("--memory", help="memory limit: 350M, 1G, none (default: 350M)")
    command.add_argument("--depth", type=int, help="search depth, sent as INFO max_depth")
    command.add_argument("--nodes", type=int, help="nodes per move, sent as INFO max_node")
    command.add_argument("--tolerance", help="grace period for late answers (default: 1s)")
    command.add_argument("--rule", type=int, help="0 freestyle, 1 exactly five, 4 renju, 8 and 9 caro (default: 0)")
    command.add_argument("--size", help="board size: 15 or 20x15 (default: 15)")
    command.add_argument("--openings", help="a file in Gomocup's offset or pos format (default: the built-in set)")
    command.add_argument("--seed", type=int, help="random seed for the order of the openings (default: 1)")
    command.add_argument(
        "--order", choices=ORDERS, help="play the openings in random order or as in the file (default: random)"
    )
    command.add_argument("--first", type=int, help="begin with this opening of that order (default: 1)")
    command.add_argument("--draw-after", type=int, help="adjudicate a draw after this many moves (default: never)")
    command.add_argument(
        "--resign", metavar="MOVES:SCORE", help="a brain resigns after MOVES moves with a score of -SCORE or worse"
    )
    command.add_argument(
        "--draw", metavar="MOVES:SCORE", help="a draw after MOVES moves of both sides with scores within SCORE of 0"
    )
    command.add_argument(
        "--swap2", action="store_true", default=None, help="let the brains choose opening and colours by Swap2"
    )
    command.add_argument("--pin", action="store_true", default=None, help="pin the brains of each game to one core")
    command.add_argument(
        "--manager", choices=list(MANAGERS), help="drive the brains as GomocupJudge, Piskvork or c-gomoku-cli does"
    )
    command.add_argument("--out", type=Path, help="the event's folder (default: named after the brains)")
    command.add_argument(
        "--dry-run", action="store_true", help="print the schedule and the estimated duration, play nothing"
    )
    add_view_options(command)


def add_view_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--concurrency", type=int, help="number of games to play at a time (default: half the cores)")
    add_anchor_option(command)
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print one JSON event per line")
    shown.add_argument("--plain", action="store_true", help="print plain lines even on a terminal")


def add_anchor_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--anchor", metavar="NAME=ELO", help="print all Elos with this brain's Elo fixed")


SPRT_OPTIONS = ("elo0", "elo1", "alpha", "beta", "model")
EVENT_OPTIONS = (
    "games", "turn", "match", "increment", "memory", "depth", "nodes", "tolerance", "rule", "size", "openings", "seed",
    "order", "first", "draw_after", "resign", "draw", "swap2", "pin", "heads",
    "manager",
)  # fmt: skip


def given_options(arguments: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in names if getattr(arguments, name, None) is not None}


def configuration(arguments: argparse.Namespace) -> Config:
    """The configuration given on the command line; its options override those of a .toml file."""
    event: dict[str, Any] = {}
    brains: list[dict[str, Any]] = [{"command": command} for command in arguments.brains]
    sprt: dict[str, Any] | None = None
    if len(arguments.brains) == 1 and arguments.brains[0].endswith(".toml"):
        event, brains, sprt = read_toml(Path(arguments.brains[0]))
    given = given_options(arguments, EVENT_OPTIONS)
    if arguments.command == "sprt":
        sprt = (sprt or {}) | given_options(arguments, SPRT_OPTIONS)
        event = {"games": DEFAULT_SPRT_GAMES, **event}
    elif sprt is not None:
        raise ConfigError(f"{arguments.brains[0]} has an [sprt] table; play it with the command sprt")
    elif arguments.gauntlet or arguments.heads is not None:
        given["mode"] = "gauntlet"
    elif arguments.knockout:
        given["mode"] = "knock-out"
    return config_of({**event, **given}, brains, sprt)


def anchor_of(arguments: argparse.Namespace, config: Config) -> Anchor | None:
    """The brain whose Elo is fixed, from `--anchor NAME=ELO`."""
    text = getattr(arguments, "anchor", None)
    if text is None:
        return None
    name, _, elo = text.rpartition("=")
    names = config.field.names
    if name not in names or re.fullmatch(r"[+-]?\d{1,5}(\.\d+)?", elo, re.ASCII) is None:
        raise ConfigError(
            f"--anchor needs NAME=ELO such as {names[0]}=1600, not {text}; the names are {', '.join(names)}"
        )
    return Anchor(name, float(elo))


def default_folder(config: Config) -> Path:
    names = file_name("-".join(spec.name for spec in config.brains[:4]))
    kind = "sprt" if config.sprt else config.mode
    return Path("events") / f"{kind}-{names}-{config.board.width}x{config.board.height}-rule{config.board.rule}"


def concurrency_of(arguments: argparse.Namespace) -> tuple[int, str]:
    """How many games to play at a time, and the reason."""
    asked = getattr(arguments, "concurrency", None)
    if asked is not None:
        if asked < 1:
            raise ConfigError(f"--concurrency must be at least 1, not {asked}")
        return asked, "as requested"
    cores = len(usable_cpus())
    return max(1, cores // 2), f"half of {cores} cores, to keep the timing undisturbed"


def listeners_for(arguments: argparse.Namespace, config: Config) -> list[Listener]:
    anchor = anchor_of(arguments, config)
    if arguments.json:
        return [JsonView(sys.stdout, config, anchor)]
    if arguments.plain or not sys.stdout.isatty():
        return [PlainView(sys.stdout, config, anchor)]
    from tournament.views.screen import ScreenView

    return [ScreenView(config, anchor)]


def verdict_of(config: Config) -> Verdict:
    """The stopping rule of the event: an SPRT, or none."""

    def verdict(totals: Totals) -> str | None:
        state = sprt_state(totals, config.sprt, config.field)
        if state is None or state.verdict is SprtVerdict.UNDECIDED:
            return None
        first, second = config.field.names
        return verdict_text(state, first, second)

    return verdict


def run_event(config: Config, folder: Path, arguments: argparse.Namespace) -> int:
    concurrency, why = concurrency_of(arguments)
    if getattr(arguments, "dry_run", False):
        print_schedule(config, folder, concurrency, why)
        return 0
    listeners = listeners_for(arguments, config)
    command = shlex.join(["python", "-m", "tournament", "resume", str(folder)])
    run = Run(config, Store(folder), concurrency, listeners)
    try:
        is_complete = run.play(command, verdict_of(config))
    finally:
        for listener in listeners:
            listener.close()
    if is_complete:
        return 0
    return INCOMPLETE if run.ended_by is None else SIGNALLED + run.ended_by


def silence(stream: TextIO) -> None:
    """Send what is still to be written nowhere, so that the interpreter does not complain about it when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def print_schedule(config: Config, folder: Path, concurrency: int, why: str) -> None:
    plans = plan_games(config)
    for plan in plans:
        print(f"{plan.number:>6}  pair {plan.pair:<5}  {plan.black} - {plan.white}  {plan.opening.name}")
    if config.mode == "knock-out":
        print("  ...and the rounds that follow from the results")
    turn_ms = max((spec.limits.turn_ms or 1000) for spec in config.brains)
    games = expected_games(config)
    minutes = games * 2 * MOVES_PER_SIDE * turn_ms / 60_000 / concurrency
    print(f"{games} games, {concurrency} at a time ({why}), at most about {minutes:.0f} minutes, results in {folder}")


def config_from_json(data: dict[str, Any]) -> Config:
    """The configuration stored in an event's folder."""
    return config_of(event_table(data), [brain_table(brain) for brain in data["brains"]], data["sprt"])


def event_table(data: dict[str, Any]) -> dict[str, Any]:
    """The [event] table of a stored configuration."""
    event = {
        "games": data["games"],
        "mode": data["mode"],
        "heads": data["heads"],
        "size": f"{data['board']['width']}x{data['board']['height']}",
        "rule": data["board"]["rule"],
        "openings": data["openings"],
        "seed": data["seed"],
        "order": ORDERS[0 if data["order"]["is_random"] else 1],
        "first": data["order"]["first"],
        "draw_after": data["adjudication"]["draw_after"],
        "swap2": data["is_swap2"],
        "pin": data["is_pinned"],
        "manager": data["manager"],
    }
    rules = data["adjudication"]
    return event | {key: f"{rules[key]['count']}:{rules[key]['score']:.9f}" for key in ("resign", "draw") if rules[key]}


def brain_table(brain: dict[str, Any]) -> dict[str, Any]:
    """The [[brain]] table of a stored configuration."""
    limits = brain["limits"]
    return {
        "name": brain["name"],
        "command": brain["command"],
        "directory": brain["directory"],
        "environment": dict(brain["environment"]),
        "info": dict(brain["info"]),
        "turn": "none" if limits["turn_ms"] is None else f"{limits['turn_ms']}ms",
        "match": "none" if limits["match_ms"] is None else f"{limits['match_ms']}ms",
        "increment": f"{limits['increment_ms']}ms",
        "memory": "none" if limits["memory_bytes"] is None else str(limits["memory_bytes"]),
        "depth": limits["depth"],
        "nodes": limits["nodes"],
        "tolerance": f"{brain['tolerance_ms']}ms",
        "keep_alive": brain["is_kept_alive"],
    }


def load_store(folder: Path) -> Store:
    store = Store(folder)
    if not store.exists:
        raise StoreError(f"{folder} is not an event folder: it has no event.json")
    return store


def stored_config(store: Store) -> Config:
    try:
        return config_from_json(store.configuration())
    except ScheduleError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise StoreError(f"{store.event_path} is not the configuration of an event: {error!r}") from error


def run_run(arguments: argparse.Namespace) -> int:
    config = configuration(arguments)
    return run_event(config, arguments.out or default_folder(config), arguments)


def run_resume(arguments: argparse.Namespace) -> int:
    config = stored_config(load_store(arguments.folder))
    return run_event(config, arguments.folder, arguments)


def run_standings(arguments: argparse.Namespace) -> int:
    store = load_store(arguments.folder)
    config = stored_config(store)
    summary = summary_of(store.games(), config.mode == "knock-out")
    print(standings_text(summary, config, anchor_of(arguments, config)))
    if config.sprt is not None:
        totals, verdict = summary.totals, store.verdict()
        print(ending_text(totals, config, "") if verdict is None else f"{sprt_text(totals, config)}\n{verdict}")
    return 0


def run_export(arguments: argparse.Namespace) -> int:
    store = load_store(arguments.folder)
    records = sorted(store.load(), key=lambda record: record.plan.number)
    if arguments.format == "pgn":
        path = arguments.out or arguments.folder / "games.pgn"
        path.write_text("\n".join(export.pgn(record, arguments.folder.name) for record in records), encoding="utf-8")
        print(f"{len(records)} games in {path}")
        return 0
    folder = arguments.out or arguments.folder / arguments.format
    folder.mkdir(parents=True, exist_ok=True)
    for record in records:
        text = export.psq(record) if arguments.format == "psq" else export.sgf(record, arguments.folder.name)
        colours = f"{file_name(record.plan.black)}-{file_name(record.plan.white)}"
        path = folder / f"{record.plan.number:05d}-{colours}.{arguments.format}"
        path.write_text(text, encoding="utf-8", newline="")
    print(f"{len(records)} games in {folder}")
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    spec = brain_of({"command": arguments.brain}, {})
    failed = 0
    for step in check.check(spec):
        failed += not step.is_passed
        if arguments.json:
            print(json.dumps(asdict(step)), flush=True)
        else:
            print(f"{step.number:>3}  {'pass' if step.is_passed else 'FAIL'}  {step.title}: {step.seen}", flush=True)
    if not arguments.json:
        print(f"{spec.name}: {f'{failed} of {len(check.STEPS)} steps failed' if failed else 'all steps passed'}")
    return 0 if not failed else 1


def run_demo(arguments: argparse.Namespace) -> int:
    """Play the demo: `python -m tournament` without a command."""
    brains = [{"name": name, "command": [sys.executable, *words]} for name, *words in DEMO]
    config = config_of({"games": 2, "turn": "500ms", "size": "15"}, brains)
    return run_event(config, Path("events") / "first-round-robin", arguments)


def carry_out(arguments: argparse.Namespace) -> int:
    """Run the command; bad input and events that cannot go on end with one sentence."""
    handlers = {
        "run": run_run,
        "sprt": run_run,
        "resume": run_resume,
        "standings": run_standings,
        "export": run_export,
        "check": run_check,
    }
    try:
        if arguments.command is None:
            return run_demo(argparse.Namespace(json=False, plain=False))
        return handlers[arguments.command](arguments)
    except (ConfigError, StoreError, PreflightError, OpeningError, ScheduleError) as error:
        print(f"tournament: {error}", file=sys.stderr)
        return REFUSED
    except RunnerError as error:
        print(f"tournament: {error}", file=sys.stderr)
        return INCOMPLETE


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    try:
        status = carry_out(arguments)
    except BrokenPipeError:
        # `| head` has read enough of what is no event; but a check that was cut short has not passed.
        status = int(arguments.command == "check")
    try:
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout)
    return status
