"""Plays the pair of games of an iteration: one brain with two settings, from one opening, with colours swapped."""

from dataclasses import replace
from threading import Event

from tournament.core.model import BLACK, Board, BrainSpec, GamePlan, GameRecord, Move, Opening
from tournament.play.driver import Driver
from tournament.play.game import play_game
from tournament.spsa.gains import Iteration, Setting

NAMES = ("first", "second")


class FaultyPairError(Exception):
    """A game of a pair was not decided on the board; the text says why, and with which setting."""

    def __init__(self, sentence: str, dialogue: str) -> None:
        super().__init__(sentence)
        self.dialogue = dialogue  # the last lines of it


def setting_text(names: tuple[str, ...], setting: Setting) -> str:
    """`razor_base 120, razor_depth 3`."""
    return ", ".join(f"{name} {value}" for name, value in zip(names, setting, strict=True))


def cells_of(record: GameRecord) -> list[Move]:
    return [(move.x, move.y) for move in record.moves]


class Player:
    """Two processes of one brain, for one pair after the other: START begins each game, and the INFO lines of all
    parameters follow it. So they need not be started for each game, which would take as long as a quick game.
    """

    def __init__(self, spec: BrainSpec, names: tuple[str, ...], board: Board, is_abandoned: Event) -> None:
        self._spec, self._names, self._board, self._is_abandoned = spec, names, board, is_abandoned
        self.pairs, self.has_seen_difference = 0, False  # whether any two games of a pair differed
        self.drivers = (Driver(replace(spec, name=NAMES[0])), Driver(replace(spec, name=NAMES[1])))

    def play(self, iteration: Iteration, opening: Opening) -> tuple[float, float]:
        """The points of the first setting, as black and as white; FaultyPairError if one of them is not to be had."""
        settings = (iteration.first, iteration.second)
        for driver, setting in zip(self.drivers, settings, strict=True):
            values = zip(self._names, map(str, setting), strict=True)
            driver.spec = replace(driver.spec, info=(*self._spec.info, *values))
        as_black = self._game(iteration, opening, 0)
        as_white = self._game(iteration, opening, 1)
        self.pairs += 1
        self.has_seen_difference |= cells_of(as_black) != cells_of(as_white)
        return as_black.score_of_black, 1 - as_white.score_of_black

    def _game(self, iteration: Iteration, opening: Opening, black: int) -> GameRecord:
        plan = GamePlan(2 * iteration.number - 1 + black, iteration.number, NAMES[black], NAMES[1 - black], opening)
        sides = (self.drivers[black], self.drivers[1 - black])
        record = play_game(plan, self._board, sides, lambda *_: None, self._is_abandoned)
        if record.termination.is_fault:
            loser = black if record.winner != BLACK else 1 - black
            setting = (iteration.first, iteration.second)[loser]
            what, *dialogue = record.detail.splitlines()
            raise FaultyPairError(
                f"{self._spec.name} {what.removeprefix(f'{NAMES[loser]} ')}, in pair {iteration.number}, "
                f"with {setting_text(self._names, setting)}",
                "\n".join(f"  {line}" for line in dialogue),
            )
        return record
