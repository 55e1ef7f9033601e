"""The values over time. Iterations end in any order, and count in the order of their numbers."""

from collections.abc import Sequence

from tournament.spsa.gains import Iteration, Schedule, Values, changed
from tournament.spsa.parameters import Parameter


class Course:
    """All iterations that have ended, and the values that follow from them."""

    def __init__(self, parameters: Sequence[Parameter], schedule: Schedule) -> None:
        self.parameters, self.schedule = tuple(parameters), schedule
        self._played: dict[int, Iteration] = {}
        self.decided = 0  # pairs that one side has won
        self._settled: list[Values] = [tuple(float(each.start) for each in parameters)]  # up to the first that misses

    def add(self, iteration: Iteration) -> None:
        self._played[iteration.number] = iteration
        self.decided += iteration.result != 0
        while (following := self._played.get(len(self._settled))) is not None:
            self._settled.append(changed(self.parameters, self._settled[-1], self.schedule, following))

    def __contains__(self, number: int) -> bool:
        return number in self._played

    def __len__(self) -> int:
        return len(self._played)

    @property
    def played(self) -> list[Iteration]:
        return [self._played[number] for number in sorted(self._played)]

    @property
    def history(self) -> list[Values]:
        """The values at the start and after each iteration that has ended; one that misses is left out."""
        values = list(self._settled)
        for iteration in self._ahead():
            values.append(changed(self.parameters, values[-1], self.schedule, iteration))
        return values

    @property
    def latest(self) -> Values:
        """From all iterations that have ended, of which those after a missing one are few."""
        values = self._settled[-1]
        for iteration in self._ahead():
            values = changed(self.parameters, values, self.schedule, iteration)
        return values

    def _ahead(self) -> list[Iteration]:
        """The iterations after the first that misses; no more of them than games are played at a time, mostly."""
        found: list[Iteration] = []
        number, left = len(self._settled) + 1, len(self._played) - len(self._settled) + 1
        while len(found) < left:
            if number in self._played:
                found.append(self._played[number])
            number += 1
        return found
