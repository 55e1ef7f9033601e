"""`--workers`: the farm that an event is played on."""

from typing import NamedTuple

from tournament.event.config import Config, ConfigError
from tournament.event.executor import PreflightError
from tournament.event.local_executor import table_of
from tournament.event.store import Store
from tournament.farm.cluster import Cluster, LostError, address_of
from tournament.farm.executor import CONNECTS_WITHIN_S, FarmExecutor, no_answer, scheduler_at
from tournament.farm.shipping import NOTHING, ShippingError, shipment_of


class Farm(NamedTuple):
    """The workers of the scheduler at this address; `limit` is the most games at a time."""

    config: Config
    address: str
    limit: int | None
    is_shipping: bool

    def executor(self, store: Store) -> FarmExecutor:
        """ConfigError if a brain cannot be shipped."""
        try:
            shipment, contents = shipment_of(self.config.brains) if self.is_shipping else (NOTHING, {})
        except ShippingError as error:
            raise ConfigError(str(error)) from error
        return FarmExecutor(self.address, table_of(self.config, store), self.limit, shipment, contents)

    def concurrency(self) -> tuple[int, str]:
        """How many games would be played at a time, and the reason."""
        try:
            cluster = Cluster(self.address, lambda _: None, CONNECTS_WITHIN_S)
            try:
                threads = cluster.threads()
            finally:
                cluster.close()
        except LostError as error:
            raise PreflightError(no_answer(self.address, error)) from error
        if not threads:
            raise PreflightError(f"the {scheduler_at(self.address)} has no workers")
        count = sum(threads.values())
        if self.limit is not None and self.limit < count:
            return self.limit, "as requested"
        return count, f"the threads of {len(threads)} workers" if len(threads) > 1 else "the threads of one worker"


def farm_from(config: Config, text: str, limit: int | None, is_shipping: bool) -> Farm:
    """The farm that the options ask for; ConfigError if it cannot be."""
    try:
        address = address_of(text)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if config.is_pinned:
        raise ConfigError("pinning is for games on this machine: start a worker with taskset to choose its CPUs")
    return Farm(config, address, limit, is_shipping)
