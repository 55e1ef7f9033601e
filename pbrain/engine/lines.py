"""Which lines of play to show while a search is running and when it has ended."""

from pbrain.core.types import Move, Report


class BestLines:
    """The lines of the deepest whole iteration, best first.

    Every iteration of a search reports the same number of lines: as many as were asked for, or as there are moves.
    So the newest iteration is whole once it has as many lines as the one before it. Until the first iteration is
    whole, its lines so far are all there is. Scores of different depths are not comparable, so depths never mix.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._newest: dict[Move, Report] = {}
        self._before: dict[Move, Report] = {}

    def add(self, report: Report) -> None:
        """Take the next report, or the result, which repeats a report if it knows nothing better."""
        if report.depth < self._depth:  # an answer that could not wait for its score
            return
        if report.depth > self._depth:
            self._depth = report.depth
            self._newest, self._before = {}, self._newest
        self._newest.setdefault(report.move, report)  # nodes and time are those at which the line was found

    def ranked(self) -> list[Report]:
        """The lines by score, ranked from 1; equal scores stay in the order in which they were searched."""
        whole = self._newest if len(self._newest) >= len(self._before) else self._before
        by_score = sorted(whole.values(), key=lambda report: (-report.score, report.rank))
        return [report._replace(rank=rank) for rank, report in enumerate(by_score, 1)]
