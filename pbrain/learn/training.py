"""What games teach: the table of values, the order of moves, and the network that is added to the table.

A tenth of the games is held out: what is learned is judged by them alone.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pbrain.core.params import WIN_BOUND
from pbrain.core.types import Rule
from pbrain.engine.evaluation import Knowledge
from pbrain.learn import bags as bagging
from pbrain.learn import choices as choosing
from pbrain.learn import order_fit, table_fit
from pbrain.learn.bags import MAX_SCORE, RESULT_SHARE, Bagger, Bags
from pbrain.learn.choices import Choices, Chooser
from pbrain.learn.game_format import Array, Games, starts_of
from pbrain.learn.network_fit import Learner, best_scale, entropy, mean_loss, table_loss
from pbrain.learn.positions import UNKNOWN, Positions, decoded
from pbrain.learn.quantise import quantised, real_values, unquantised, whole_values
from pbrain.library.native import Library

HELD_OUT = 10  # one game of so many
MAX_CHOICES = 200_000  # positions that the order is learned from: more do not change it, and take longer


class Lessons(NamedTuple):
    """What is learned from, and what is held out."""

    bags: Bags
    held_out: Bags
    choices: Choices
    held_out_choices: Choices


class Losses(NamedTuple):
    """On held-out positions: what is lost beyond the labels' own entropy, and how often a best move comes early."""

    positions: int
    held_out: int
    entropy: float
    table_before: float  # of the knowledge that played, its network left out
    table: float
    network: float  # in real numbers
    whole: float  # in whole ones
    rounding: float  # mean difference between the two, in units of the table
    order_before: list[float]  # the share of best moves among the first 4, 8 and 16
    order: list[float]


class Training(NamedTuple):
    """How far the network is."""

    epoch: int  # from 1
    epochs: int
    positions: int  # of this epoch
    all_positions: int
    loss: float  # in this epoch so far
    positions_per_second: float
    seconds_left: float | None  # None as long as only one batch is done


class Trained(NamedTuple):
    knowledge: Knowledge
    losses: Losses


def lessons_of(
    library: Library, rule: Rule, knowledge: Knowledge, games: Iterable[Games], has_judged: bool = True
) -> Lessons:
    """The positions of all games; ValueError if nothing can be learned from them.

    Unless the player `has_judged` them, its scores say nothing but who wins by force, and the results are all there is.
    """
    bagger, chooser = Bagger(library, rule, knowledge), Chooser(library, rule)
    bags: tuple[list[Bags], list[Bags]] = ([], [])
    choices: tuple[list[Choices], list[Choices]] = ([], [])
    for each in games:
        for found in decoded(library, each):
            positions = found if has_judged else decided(found)
            is_held_out = positions.game % HELD_OUT == HELD_OUT - 1
            for place, is_mine in enumerate((~is_held_out, is_held_out)):
                part = Positions(*(column[is_mine] for column in positions))
                bags[place].append(bagger.packed(part, RESULT_SHARE if has_judged else 1.0))
                choices[place].append(chooser.packed(thinned(part, MAX_CHOICES)))
    if not all(map(len, bags)) or not all(sum(part.size for part in parts) for parts in bags):
        raise ValueError("there are too few games to learn from: play more")
    seen, held_out = (thinned_choices(choosing.joined(parts)) for parts in choices)
    return Lessons(bagging.joined(bags[0]), bagging.joined(bags[1]), seen, held_out)


def decided(positions: Positions) -> Positions:
    """Those whose game's result counts, or that a search has proven."""
    is_decided = (positions.result != UNKNOWN) | (np.abs(positions.score) >= WIN_BOUND)
    return Positions(*(column[is_decided] for column in positions))


def thinned(positions: Positions, largest: int) -> Positions:
    """At most so many of the positions, evenly."""
    return Positions(*(column[places(len(positions.score), largest)] for column in positions))


def thinned_choices(choices: Choices) -> Choices:
    """At most MAX_CHOICES of them, evenly."""
    if choices.size <= MAX_CHOICES:
        return choices
    kept = places(choices.size, MAX_CHOICES)
    rows = np.concatenate([np.arange(choices.starts[i], choices.starts[i + 1]) for i in kept])
    lengths = np.diff(choices.starts)[kept]
    return Choices(choices.terms[rows], starts_of(lengths), choices.best[kept])


def places(size: int, largest: int) -> Array:
    count = min(size, largest)
    kept: Array = np.arange(count) * size // max(1, count)
    return kept


def with_values(bags: Bags, values: Array) -> Bags:
    """The bags with the value that another table gives them."""
    found = np.clip(table_fit.values_of(bags, values), -MAX_SCORE, MAX_SCORE)
    return bags._replace(value=found.astype(np.float32))


def train(
    lessons: Lessons,
    before: Knowledge,
    prior: Knowledge,
    seed: int,
    epochs: int,
    checkpoint: Path,
    about: Callable[[Losses], dict[str, str]],
    show: Callable[[Training], None],
) -> Trained:
    """Learn all three; `prior` is what rare terms are pulled to, `about` what the network's file says of itself.

    The network begins with the one that was known before, if there is one, so what earlier games taught is not lost. It
    is kept at `checkpoint` after each epoch; a training that is killed goes on from there.
    """
    values = table_fit.fit(lessons.bags, prior.values)
    order = order_fit.fit(lessons.choices, prior.order)
    flat = table_fit.flat(values)
    bags, held_out = with_values(lessons.bags, flat), with_values(lessons.held_out, flat)
    scale = best_scale(bags.goal, bags.value)
    known = None if before.network is None else unquantised(before.network, scale)
    learner = trained(bags, Learner(seed, epochs, scale, known), checkpoint, show)
    weights = learner.seen_weights()
    network = quantised(weights, scale, {})
    whole = whole_values(held_out, network)
    least = entropy(held_out.goal)
    losses = Losses(
        positions=bags.size,
        held_out=held_out.size,
        entropy=least,
        table_before=best_table_loss(lessons.held_out) - least,
        table=table_loss(held_out.goal, held_out.value, scale) - least,
        network=mean_loss(held_out, weights, scale) - least,
        whole=table_loss(held_out.goal, held_out.value + whole, scale) - least,
        rounding=float(np.mean(np.abs(whole - real_values(held_out, weights, scale)))),
        order_before=order_fit.hit_rates(lessons.held_out_choices, before.order),
        order=order_fit.hit_rates(lessons.held_out_choices, order),
    )
    return Trained(Knowledge(values, order, network._replace(about=about(losses))), losses)


def best_table_loss(bags: Bags) -> float:
    """The loss of the table that the bags were packed with, at the scale that suits it best."""
    return table_loss(bags.goal, bags.value, best_scale(bags.goal, bags.value))


def trained(bags: Bags, learner: Learner, checkpoint: Path, show: Callable[[Training], None]) -> Learner:
    epochs = learner.epochs
    if checkpoint.exists():
        learner.load(checkpoint)
    pace: list[tuple[float, int]] = []  # when the first batch was done, and how many positions were by then

    def show_batch(done: int, loss: float) -> None:
        now, seen = time.monotonic(), learner.epoch * bags.size + done
        if not pace:
            pace.append((now, seen))
        began_at, before = pace[0]  # the first batch also compiles the code
        rate = (seen - before) / max(1e-9, now - began_at)
        left = epochs * bags.size - seen
        show(Training(learner.epoch + 1, epochs, done, bags.size, loss, rate, left / rate if rate else None))

    while learner.epoch < epochs:
        learner.learn_epoch(bags, show_batch)
        learner.save(checkpoint)
    return learner


def rates_text(rates: Sequence[float]) -> str:
    return "/".join(f"{100 * rate:.1f}" for rate in rates) + " %"
