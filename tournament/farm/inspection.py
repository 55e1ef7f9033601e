"""Which workers may play: those with the same runner, the brains' files, and brains that start."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from tournament.farm.cluster import Cluster, reason_of_worker
from tournament.farm.orders import Introduction, Order
from tournament.farm.version import RUNNER_VERSION


class Inspection(NamedTuple):
    """What each worker needs to have; `contents` are the files to ship, by digest."""

    trial: Order  # without games
    contents: Mapping[str, bytes]

    def refusals(self, cluster: Cluster, workers: Collection[str]) -> dict[str, str]:
        """Why workers cannot play, in one sentence each; the others can. LostError if the scheduler is gone."""
        refused = dict(self._without_runner(cluster, workers))
        fit = [worker for worker in workers if worker not in refused]
        tried = cluster.try_brains([(worker, self._trial_for(worker)) for worker in one_per_host(fit)])
        for host_worker, reason in tried.items():
            if reason is not None:
                text = reason if isinstance(reason, str) else reason_of_worker(reason)
                same_host = [worker for worker in fit if host_of(worker) == host_of(host_worker)]
                refused |= dict.fromkeys(same_host, text)
        return refused

    def _without_runner(self, cluster: Cluster, workers: Collection[str]) -> Iterator[tuple[str, str]]:
        """The workers that have another runner or none, and those that do not take the files."""
        lacking: dict[str, list[str]] = {digest: [] for digest in self.contents}
        for worker, answer in cluster.introductions(workers, self.trial.shipment).items():
            if not isinstance(answer, Introduction):
                yield worker, reason_of_worker(answer)
            elif answer.version != RUNNER_VERSION:
                yield worker, f"its runner is {answer.version}, and this one is {RUNNER_VERSION}"
            else:
                for digest in answer.missing:
                    lacking[digest].append(worker)
        names = {file.digest: file.name for file in self.trial.shipment.files}
        for digest, takers in lacking.items():
            if takers:
                answers = cluster.keep_file(takers, names[digest], digest, self.contents[digest])
                yield from ((worker, reason_of_worker(answer)) for worker, answer in answers.items() if answer)

    def _trial_for(self, worker: str) -> Order:
        return self.trial._replace(key=f"{self.trial.key}-{worker}")


def one_per_host(workers: Collection[str]) -> list[str]:
    """A brain that starts for one worker starts for all workers of its host."""
    return list({host_of(worker): worker for worker in workers}.values())


def host_of(worker: str) -> str:
    return urlsplit(worker).hostname or worker
