"""Learning, generation after generation, in one folder that can be left and entered again at any moment.

settings.json        what everything depends on
generation-000/      the first generation, and so on:
    settings.json    what its games depend on
    games/           its games of self-play
    network.npz      the network after each epoch, while it is trained
    values/          what was learned, in the layout of pbrain/engine/values
    losses.json      how well it predicts held-out positions; from then on the generation is trained
    previous.jsonl   its match against the knowledge that played its games
    first.jsonl      its match against the knowledge that all began with
learning.html        all generations in charts
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pbrain.core.types import Rule
from pbrain.engine.evaluation import Knowledge, hand_made, knowledge_for, no_knowledge, read_worth
from pbrain.learn.games_folder import GamesFolder, locks
from pbrain.learn.generate import Conditions
from pbrain.learn.knowledge_files import packed_knowledge, write_knowledge
from pbrain.learn.matches import GAMES_PER_PAIR, Gain, Pairing, gain, gain_text, play_match
from pbrain.learn.played import PlayedGame, as_games
from pbrain.learn.player import Player
from pbrain.learn.self_play import Progress, SelfPlay
from pbrain.learn.settings_file import agree_on
from pbrain.learn.training import Losses, Training, lessons_of, train
from pbrain.learn.whole_file import write_whole
from pbrain.learn.workers import Workers
from pbrain.library.native import Library

WINDOW = 3  # generations whose games are learned from: older ones were played by weaker players
OPPONENTS = {"previous": "previous best", "first": "start"}  # of a generation's matches, and what they are called


class Plan(NamedTuple):
    """What is to be learned, and how."""

    rule: Rule
    generations: int
    games: int  # per generation
    nodes: tuple[int, ...]  # per move, of each generation; the last one holds for all that follow
    epochs: int
    match_games: int  # against each opponent; 0 for none
    start: str  # zero, hand or shipped
    seed: int
    played: tuple[PlayedGame, ...]  # recorded games, whose results are learned from as well

    def nodes_of(self, generation: int) -> int:
        return self.nodes[min(generation, len(self.nodes) - 1)]


class Matching(NamedTuple):
    """How far a match is."""

    opponent: str
    pairs: Sequence[float]
    all_pairs: int


class Outcome(NamedTuple):
    """What a generation has come to."""

    generation: int
    losses: Losses
    previous: Gain | None  # against the knowledge that played its games; None without a match
    first: Gain | None  # against the knowledge that all began with


Step = Progress | Training | Matching
Show = Callable[[int, Step], None]  # hears the generation and how far it is


def start_knowledge(start: str, rule: Rule) -> Knowledge:
    if start == "zero":
        return no_knowledge()
    return hand_made(read_worth()) if start == "hand" else knowledge_for(rule)


class Learning:
    def __init__(
        self,
        folder: Path,
        plan: Plan,
        library: Library,
        workers: Workers,
        tell: Callable[[str], None],
        show: Show,
    ) -> None:
        self._folder, self._plan, self._library, self._workers = folder, plan, library, workers
        self._tell, self._show = tell, show
        self._first = start_knowledge(plan.start, plan.rule)

    def run(self) -> Iterator[Outcome]:
        """Learn what is missing; how each generation came out, as soon as it is whole."""
        settings = self._folder / "settings.json"
        agree_on(settings, self._settings())
        with settings.open("ab") as file:
            if not locks(file):
                raise ValueError(f"another run learns in {self._folder}")
            yield from self._generations()

    def _generations(self) -> Iterator[Outcome]:
        player = self._first
        for generation in range(self._plan.generations):
            self._play(generation, player)
            learned, losses = self._train(generation, player)
            outcome = self._match(generation, learned, player, losses)
            yield outcome
            # The better one plays the next games.
            if outcome.previous is None or not outcome.previous.is_loss:
                player = learned

    def generation_folder(self, generation: int) -> Path:
        return self._folder / f"generation-{generation:03d}"

    def _settings(self) -> dict[str, object]:
        """A longer run may go on in the same folder, so the number of generations is none of them."""
        plan = self._plan
        return {
            "rule": int(plan.rule),
            "games": plan.games,
            "nodes": list(plan.nodes),
            "epochs": plan.epochs,
            "match": plan.match_games,
            "from": plan.start,
            "seed": plan.seed,
            "recorded games": len(plan.played),
        }

    def _player(self, knowledge: Knowledge) -> Player:
        is_shipped = self._plan.start == "shipped" and knowledge is self._first
        return Player(self._library.path, None if is_shipped else packed_knowledge(knowledge))

    def _play(self, generation: int, player: Knowledge) -> None:
        plan = self._plan
        conditions = Conditions(plan.rule, plan.nodes_of(generation), plan.seed, generation)
        self_play = SelfPlay(self.generation_folder(generation), conditions)

        def show(progress: Progress) -> None:
            self._show(generation, progress)

        self_play.play(self._player(player), plan.games, self._workers, self._tell, show)

    def _train(self, generation: int, player: Knowledge) -> tuple[Knowledge, Losses]:
        """What the generation has learned, read from its files if it is trained already."""
        plan, folder = self._plan, self.generation_folder(generation)
        values, losses_path, checkpoint = folder / "values", folder / "losses.json", folder / "network.npz"
        if not losses_path.exists():
            oldest = self._oldest(generation)
            folders = (
                GamesFolder(self.generation_folder(number) / "games") for number in range(oldest, generation + 1)
            )
            games = [each.load() for each in folders]
            if plan.played:
                games.append(as_games(list(plan.played), plan.rule))
            has_judged = plan.start != "zero" or generation > 0
            lessons = lessons_of(self._library, plan.rule, player, games, has_judged)

            def about(losses: Losses) -> dict[str, str]:
                return self._about(generation, oldest, player, losses)

            def show(training: Training) -> None:
                self._show(generation, training)

            trained = train(lessons, player, self._first, plan.seed, plan.epochs, checkpoint, about, show)
            write_knowledge(values, plan.rule, trained.knowledge)
            write_whole(losses_path, json.dumps(trained.losses._asdict(), indent=1).encode("ascii"))
            checkpoint.unlink(missing_ok=True)
        return knowledge_for(plan.rule, values), read_losses(losses_path)

    def _oldest(self, generation: int) -> int:
        """The first generation whose games are learned from: games of a player that knew nothing teach only one."""
        is_useless = self._plan.start == "zero" and generation > 0
        return max(int(is_useless), generation - WINDOW + 1)

    def _about(self, generation: int, oldest: int, player: Knowledge, losses: Losses) -> dict[str, str]:
        """What the file of a network says about it."""
        plan = self._plan
        nodes = ", ".join(str(plan.nodes_of(number)) for number in range(oldest, generation + 1))
        generations = f"generation {generation}, games of generations {oldest} to {generation}"
        options = f"--rule {int(plan.rule)} --games {plan.games} --nodes {','.join(map(str, plan.nodes))}"
        options += f" --epochs {plan.epochs} --from {plan.start} --seed {plan.seed}"
        return {
            "learned from": f"{losses.positions} positions, {generations}, {nodes} nodes per move",
            "began with": "random weights" if player.network is None else "the network that played these games",
            "held-out excess": f"table {losses.table:.4f}, network {losses.whole:.4f}; {losses.held_out} positions",
            "command": f"python -m pbrain learn FOLDER {options} --generations {generation + 1}",
        }

    def _match(self, generation: int, learned: Knowledge, player: Knowledge, losses: Losses) -> Outcome:
        plan, folder = self._plan, self.generation_folder(generation)
        pairs = plan.match_games // GAMES_PER_PAIR
        gains: dict[str, Gain | None] = {"previous": None, "first": None}
        opponents = {"previous": player, "first": self._first}
        for name, opponent in opponents.items():
            if not pairs:
                continue
            if name == "first" and opponent is player:
                gains["first"] = gains["previous"]
                continue
            pairing = Pairing(
                self._player(learned), self._player(opponent), plan.rule, plan.nodes_of(generation), plan.seed
            )

            def show(scores: list[float], name: str = name) -> None:
                self._show(generation, Matching(OPPONENTS[name], scores, pairs))

            gains[name] = gain(play_match(pairing, pairs, self._workers, folder / f"{name}.jsonl", show))
        self._note_match(generation, learned, gains["previous"])
        return Outcome(generation, losses, **gains)

    def _note_match(self, generation: int, learned: Knowledge, found: Gain | None) -> None:
        """Let the file of the network say how it did."""
        if found is None or learned.network is None:
            return
        plan = self._plan
        nodes = plan.nodes_of(generation)
        match = (
            f"{gain_text(found)} against the player of its games, {plan.match_games} games of {nodes} nodes per move"
        )
        network = learned.network._replace(about={**learned.network.about, "match": match})
        write_knowledge(self.generation_folder(generation) / "values", plan.rule, learned._replace(network=network))


def read_losses(path: Path) -> Losses:
    try:
        return Losses(**json.loads(path.read_bytes()))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is damaged: delete it, and the generation is trained again") from error
