"""The command line: `python -m tournament COMMAND`."""

import argparse
import json
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from tournament import check
from tournament.book.command import make_book, request_of
from tournament.core.failures import RunnerError
from tournament.core.openings import OpeningError
from tournament.event.config import Config, ConfigError, brain_of, config_of, read_toml
from tournament.event.event import Run, Verdict, expected_games, openings_of, plan_games
from tournament.event.events import Listener
from tournament.event.executor import Executor, PreflightError
from tournament.event.local_executor import local_executor
from tournament.event.schedule import ScheduleError
from tournament.event.signals import handled_signals
from tournament.event.store import Store, StoreError
from tournament.event.stored import config_from_json, continued
from tournament.options import DEFAULT_SPRT_GAMES, parser
from tournament.play.cpus import usable_cpus
from tournament.play.family import kill_children
from tournament.play.log import Level, Logging
from tournament.play.names import file_name
from tournament.spsa import command as spsa_command
from tournament.stats.sprt import Verdict as SprtVerdict
from tournament.stats.sprt import verdict_text
from tournament.stats.standings import Anchor, Totals, sprt_state
from tournament.stats.summary import summary_of
from tournament.views import export
from tournament.views.json_lines import JsonView
from tournament.views.output import silence, use_any_encoding
from tournament.views.plain import PlainView
from tournament.views.schedule import playing_plan_text, schedule_text
from tournament.views.text import ending_text, sprt_text, standings_text

if TYPE_CHECKING:
    from tournament.farm.command import Farm

DEMO = (
    ("kaname", "-m", "pbrain"),
    ("minimax", "-m", "tournament.brains.minimax"),
    ("boundary", "-m", "tournament.brains.boundary"),
    ("threat", "-m", "tournament.brains.threat"),
)
REFUSED, INCOMPLETE = 2, 3  # exit status; `resume` continues an incomplete event
SIGNALLED = 128  # plus the signal's number, as shells have it; incomplete too


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


def requested_concurrency(arguments: argparse.Namespace) -> int | None:
    asked: int | None = arguments.concurrency
    if asked is not None and asked < 1:
        raise ConfigError(f"--concurrency must be at least 1, not {asked}")
    return asked


def concurrency_of(arguments: argparse.Namespace) -> tuple[int, str]:
    """How many games to play at a time, and the reason."""
    asked = requested_concurrency(arguments)
    if asked is not None:
        return asked, "as requested"
    cores = len(usable_cpus())
    return max(1, cores // 2), f"half of {cores} cores, to keep the timing undisturbed"


def check_pinning(config: Config, concurrency: int) -> None:
    """Raise ConfigError if games that are played at the same time would have to share a CPU."""
    cpus = len(usable_cpus())
    if config.is_pinned and concurrency > cpus:
        raise ConfigError(f"pinning needs a CPU for each game: {concurrency} at a time, but only {cpus} may be used")


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


def log_words(logging: Logging) -> list[str]:
    """The options that keep the logs of a resumed event as they are."""
    level = [] if logging.level is Level.ALL else ["--log", logging.level.value]
    return [*level, *(["--log-compress"] if logging.is_compressed else [])]


def farm_words(arguments: argparse.Namespace) -> list[str]:
    """The options that let a resumed event be played where it was."""
    where = [] if arguments.workers is None else ["--workers", arguments.workers]
    return [*where, *(["--ship"] if arguments.ship else [])]


def farm_of(config: Config, arguments: argparse.Namespace) -> "Farm | None":
    """The machines that play the games; None for this one."""
    if arguments.workers is None:
        if arguments.ship:
            raise ConfigError("--ship sends brains to the workers of a farm: it needs --workers")
        return None
    try:
        from tournament.farm.command import farm_from
    except ModuleNotFoundError as error:
        raise ConfigError(f"--workers needs {error.name}: pip install 'kaname[cluster]'") from error
    return farm_from(config, arguments.workers, requested_concurrency(arguments), arguments.ship)


def executor_of(config: Config, store: Store, arguments: argparse.Namespace) -> Executor:
    """Who plays the games."""
    farm = farm_of(config, arguments)
    return (
        local_executor(config, store, local_concurrency(config, arguments)[0]) if farm is None else farm.executor(store)
    )


def local_concurrency(config: Config, arguments: argparse.Namespace) -> tuple[int, str]:
    concurrency, why = concurrency_of(arguments)
    check_pinning(config, concurrency)
    return concurrency, why


def run_event(config: Config, folder: Path, arguments: argparse.Namespace) -> int:
    if getattr(arguments, "dry_run", False):
        farm = farm_of(config, arguments)
        print_schedule(config, folder, *(local_concurrency(config, arguments) if farm is None else farm.concurrency()))
        return 0
    logging = Logging(Level(arguments.log), arguments.log_compress)
    store, anchor = Store(folder, logging), anchor_of(arguments, config)
    executor = executor_of(config, store, arguments)
    listeners = listeners_for(arguments, config)
    words = [*log_words(logging), *farm_words(arguments)]
    command = shlex.join(["python", "-m", "tournament", "resume", str(folder), *words])
    if arguments.serve is not None:
        from tournament.report.serving import serve

        listeners.append(serve(store, config, anchor, arguments.serve, tell))
    run = Run(config, store, executor, listeners)

    def close_views() -> None:
        for listener in listeners:
            listener.close()

    def conclude() -> None:
        close_views()
        if store.exists and run.ended_by is None:
            from tournament.report.files import write_report

            write_report(store, config, anchor)

    try:
        is_complete = run.play(command, verdict_of(config), conclude)
    except BaseException:
        close_views()
        raise
    if is_complete:
        return 0
    return INCOMPLETE if run.ended_by is None else SIGNALLED + run.ended_by


def print_schedule(config: Config, folder: Path, concurrency: int, why: str) -> None:
    plans, games = plan_games(config), expected_games(config)
    print(schedule_text(config, plans, games, len(openings_of(config))))
    print(f"{playing_plan_text(config, plans, games, concurrency, why)}, results in {folder}")


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


def run_or_continue(config: Config, folder: Path, arguments: argparse.Namespace) -> int:
    """Play a new event, or the rest of the one in the folder, which keeps its built-in openings."""
    store = Store(folder)
    return run_event(continued(config, store.configuration()) if store.exists else config, folder, arguments)


def run_run(arguments: argparse.Namespace) -> int:
    config = configuration(arguments)
    return run_or_continue(config, arguments.out or default_folder(config), arguments)


def run_resume(arguments: argparse.Namespace) -> int:
    config = stored_config(load_store(arguments.folder))
    return run_event(config, arguments.folder, arguments)


def run_standings(arguments: argparse.Namespace) -> int:
    store = load_store(arguments.folder)
    config = stored_config(store)
    summary = summary_of(store.games(), config.mode == "knock-out")
    print(standings_text(summary, config, anchor_of(arguments, config)))
    if config.sprt is not None:
        totals, verdict = summary.tested.totals, store.verdict()
        print(ending_text(totals, config, "") if verdict is None else f"{sprt_text(totals, config)}\n{verdict}")
    return 0


def tell(text: str) -> None:
    """Tell whoever started the command; the standard output is the views'."""
    print(text, file=sys.stderr, flush=True)


def run_report(arguments: argparse.Namespace) -> int:
    store = load_store(arguments.folder)
    config = stored_config(store)
    anchor = anchor_of(arguments, config)
    from tournament.report.files import write_report
    from tournament.report.serving import follow_folder

    if arguments.serve is not None:
        follow_folder(store, config, anchor, arguments.serve, tell)
    print(f"report in {write_report(store, config, anchor, arguments.out)}")
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


def run_demo() -> int:
    """Play the demo: `python -m tournament` without a command."""
    brains = [{"name": name, "command": [sys.executable, *words]} for name, *words in DEMO]
    config = config_of({"games": 2, "turn": "500ms", "size": "15"}, brains)
    folder = Path("events") / "first-round-robin"
    return run_or_continue(config, folder, parser().parse_args(["resume", str(folder)]))


def run_openings(arguments: argparse.Namespace) -> int:
    missing = make_book(request_of(arguments), arguments.out, concurrency_of(arguments)[0], sys.stdout)
    return INCOMPLETE if missing else 0


def run_spsa(arguments: argparse.Namespace) -> int:
    request, openings = spsa_command.request_of(arguments)
    missing = spsa_command.tune(request, openings, arguments.out, concurrency_of(arguments)[0], sys.stdout)
    return INCOMPLETE if missing else 0


def carry_out(arguments: argparse.Namespace) -> int:
    """Run the command; bad input and events that cannot go on end with one sentence."""
    handlers = {
        "run": run_run,
        "sprt": run_run,
        "resume": run_resume,
        "standings": run_standings,
        "export": run_export,
        "report": run_report,
        "check": run_check,
        "openings": run_openings,
        "spsa": run_spsa,
    }
    try:
        if arguments.command is None:
            return run_demo()
        return handlers[arguments.command](arguments)
    except (ConfigError, StoreError, PreflightError, OpeningError, ScheduleError) as error:
        print(f"tournament: {error}", file=sys.stderr)
        return REFUSED
    except RunnerError as error:
        print(f"tournament: {error}", file=sys.stderr)
        return INCOMPLETE


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """While no games run, a signal to end leaves the command at once; the brains that it has started are ended."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(SIGNALLED + number)

    is_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, end) for number in (handled_signals() if is_main else [])}
    try:
        yield
    except SystemExit:
        kill_children()
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(argv: Sequence[str] | None = None) -> int:
    use_any_encoding(sys.stdout)
    arguments = parser().parse_args(argv)
    try:
        with ending_on_signals():
            status = carry_out(arguments)
    except BrokenPipeError:
        # `| head` has read enough of what is no event; but a check that was cut short has not passed.
        status = int(arguments.command == "check")
    try:
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout)
    return status
