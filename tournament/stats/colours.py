"""How games split by colour, in all and for each opening."""

from tournament.core.model import GameRecord
from tournament.core.openings import name_without_symmetry
from tournament.stats.ratings import Tally
from tournament.stats.standings import is_finished, tally_of_black


class ColourTotals:
    """Black's results with each opening, whichever way round the board is."""

    def __init__(self) -> None:
        self.openings: dict[str, Tally] = {}

    def add(self, record: GameRecord) -> None:
        if not is_finished(record):
            return
        name = name_without_symmetry(record.plan.opening.name)
        self.openings[name] = self.openings.get(name, Tally()) + tally_of_black(record)

    @property
    def all(self) -> Tally:
        return sum(self.openings.values(), Tally())

    def one_sided(self) -> list[tuple[str, Tally]]:
        """The openings, those that favour a colour most first: by games won beyond those lost."""
        return sorted(self.openings.items(), key=lambda item: (-abs(item[1].wins - item[1].losses), item[0]))
