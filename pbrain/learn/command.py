"""`python -m pbrain learn` in the terminal: what was typed, a line of progress, a line per generation, the page."""

import argparse
from pathlib import Path

from pbrain.console.options import parse_count, parse_rule
from pbrain.console.progress import ProgressLine, matching_text, playing_text, training_text
from pbrain.learn.learning import OPPONENTS, Learning, Outcome, Plan, Step
from pbrain.learn.learning_page import learning_page
from pbrain.learn.matches import Gain, gain_text, verdict
from pbrain.learn.played import read_games
from pbrain.learn.self_play import Progress
from pbrain.learn.training import Training, rates_text
from pbrain.learn.whole_file import write_whole
from pbrain.learn.workers import Workers
from pbrain.library.native import Library

MAX_GAMES, MAX_NODES, MAX_GENERATIONS, MAX_EPOCHS = 10**8, 10**9, 999, 1000
MIN_MATCH_GAMES = 4  # two pairs: fewer have no error bar

# What is not typed: of a run that makes something better than what ships, and of a quick one.
DEFAULTS = {
    "generations": "3",
    "games": "10000",
    "nodes": "3000,3000,10000",
    "epochs": "8",
    "match": "400",
    "start": "shipped",
}
QUICK = {
    "generations": "5",
    "games": "1500",
    "nodes": "300",
    "epochs": "6",
    "match": "100",
    "start": "zero",
}


def parse_plan(typed: argparse.Namespace) -> Plan:
    """ValueError with a sentence if it cannot be carried out."""
    defaults = QUICK if typed.quick else DEFAULTS
    word = {name: defaults[name] if getattr(typed, name) is None else getattr(typed, name) for name in defaults}
    rule = parse_rule(typed.rule)
    match = 0 if word["match"] == "0" else parse_count(word["match"], "a number of games", MAX_GAMES)
    if 0 < match < MIN_MATCH_GAMES:
        raise ValueError(f"--match must be 0, or at least {MIN_MATCH_GAMES} to have an error bar")
    return Plan(
        rule=rule,
        generations=parse_count(word["generations"], "a number of generations", MAX_GENERATIONS),
        games=parse_count(word["games"], "a number of games", MAX_GAMES),
        nodes=tuple(parse_count(part, "a number of nodes", MAX_NODES) for part in word["nodes"].split(",")),
        epochs=parse_count(word["epochs"], "a number of epochs", MAX_EPOCHS),
        match_games=match,
        start=word["start"],
        seed=typed.seed,
        played=tuple(read_games(typed.events, rule)),
    )


def run(folder: Path, plan: Plan, library: Library, workers: Workers, line: ProgressLine) -> None:
    def show(generation: int, step: Step) -> None:
        line.show(f"generation {generation}: {step_text(step)}")

    learning = Learning(folder, plan, library, workers, line.say, show)
    outcomes: list[Outcome] = []
    page = folder / "learning.html"
    for outcome in learning.run():
        outcomes.append(outcome)
        line.say(outcome_text(outcome))
        write_whole(page, learning_page(f"Learning in {folder.name}", outcomes).encode("utf-8"))
    line.say(f"learned: {learning.generation_folder(len(outcomes) - 1) / 'values'}")
    line.say(f"charts:  {page}")


def step_text(step: Step) -> str:
    if isinstance(step, Progress):
        return playing_text(*step)
    if isinstance(step, Training):
        return training_text(*step)
    result = verdict(step.pairs) if len(step.pairs) > 1 else ""
    return matching_text(step.opponent, len(step.pairs), step.all_pairs, result)


def outcome_text(outcome: Outcome) -> str:
    losses = outcome.losses
    parts = [
        f"generation {outcome.generation}: {losses.positions:,} positions",
        f"held-out excess {losses.table:.4f} by the table, {losses.whole:.4f} with the network",
        f"best move among the first 4/8/16 in {rates_text(losses.order)}",
        *(f"{gain_text(gain)} against the {name}" for name, gain in gains_of(outcome)),
    ]
    return "; ".join(parts)


def gains_of(outcome: Outcome) -> list[tuple[str, Gain]]:
    named = ((OPPONENTS[name], getattr(outcome, name)) for name in OPPONENTS)
    return [(name, gain) for name, gain in named if gain is not None]
