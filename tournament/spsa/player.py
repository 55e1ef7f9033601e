"""Plays pairs of games: one brain with two settings, from one opening, with colours swapped."""

from dataclasses import replace
from threading import Event

from tournament.core.adjudication import NEVER, Adjudication
from tournament.core.model import BLACK, Board, BrainSpec, GamePlan, GameRecord, Opening
from tournament.play.driver import Driver
from tournament.play.game import play_game
from tournament.spsa.gains import Setting

NAMES = ("first", "second")

Pair = tuple[GameRecord, GameRecord]  # the first setting is black, then white


class FaultyPairError(Exception):
    """A game of a pair was not decided on the board; the text says why, and with which setting."""

    def __init__(self, sentence: str, dialogue: str) -> None:
        super().__init__(sentence)
        self.dialogue = dialogue  # the last lines of it


def setting_text(names: tuple[str, ...], setting: Setting) -> str:
    """`razor_base 120, razor_depth 3`."""
    return ", ".join(f"{name} {value}" for name, value in zip(names, setting, strict=True))


def points_of(pair: Pair) -> tuple[float, float]:
    """The points of the first setting."""
    return pair[0].score_of_black, 1 - pair[1].score_of_black


class Player:
    """Two processes of one brain, for one pair after the other.

    START begins each game, and the INFO lines of all parameters follow it. So the processes need not be started for
    each game, which costs as much as 30 moves of 5,000 nodes (Kaname, 80 ms of CPU time).
    """

    def __init__(self, spec: BrainSpec, names: tuple[str, ...], board: Board, is_abandoned: Event) -> None:
        self._spec, self._names, self._board, self._is_abandoned = spec, names, board, is_abandoned
        self.drivers = (Driver(replace(spec, name=NAMES[0])), Driver(replace(spec, name=NAMES[1])))

    def play(self, settings: tuple[Setting, Setting], opening: Opening, adjudication: Adjudication = NEVER) -> Pair:
        """Both games; FaultyPairError if one of them is lost by a fault."""
        for driver, setting in zip(self.drivers, settings, strict=True):
            values = zip(self._names, map(str, setting), strict=True)
            driver.spec = replace(driver.spec, info=(*self._spec.info, *values))
        return self._game(settings, opening, adjudication, 0), self._game(settings, opening, adjudication, 1)

    def _game(
        self, settings: tuple[Setting, Setting], opening: Opening, adjudication: Adjudication, black: int
    ) -> GameRecord:
        plan = GamePlan(1 + black, 1, NAMES[black], NAMES[1 - black], opening)
        sides = (self.drivers[black], self.drivers[1 - black])
        record = play_game(plan, self._board, sides, lambda *_: None, self._is_abandoned, adjudication)
        if record.termination.is_fault:
            loser = black if record.winner != BLACK else 1 - black
            what, *dialogue = record.detail.splitlines()
            raise FaultyPairError(
                f"{self._spec.name} {what.removeprefix(f'{NAMES[loser]} ')}, "
                f"with {setting_text(self._names, settings[loser])}",
                "\n".join(f"  {line}" for line in dialogue),
            )
        return record
