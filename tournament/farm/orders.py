"""What a runner and the workers of a farm tell each other: plain values, pickled."""

import pickle
from typing import NamedTuple

from tournament.farm.shipping import NOTHING, Shipment
from tournament.play.messages import GameReport, PairJob, Table

TOPIC = "kaname-games"  # of what workers tell while they play


class Order(NamedTuple):
    """To a worker: play these games."""

    run: str
    key: str
    table: Table
    job: PairJob
    shipment: Shipment = NOTHING


class LogFile(NamedTuple):
    """From a worker, when a pair is over."""

    name: str
    packed: bytes  # by zlib


class Reports(NamedTuple):
    """From a worker, while it plays the order with this key."""

    key: str
    reports: tuple[GameReport | LogFile, ...]


class Introduction(NamedTuple):
    """From a worker: who it is, and which files it does not have, by digest."""

    version: str
    missing: tuple[str, ...]


def packed(value: Order | Reports) -> bytes:
    return pickle.dumps(value)


def unpacked_order(data: bytes) -> Order:
    value = pickle.loads(data)
    assert isinstance(value, Order)
    return value


def unpacked_reports(data: bytes) -> Reports:
    value = pickle.loads(data)
    assert isinstance(value, Reports)
    return value
