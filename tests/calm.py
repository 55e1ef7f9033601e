"""Timing tests are judged while the host is calm: one that fails in a disturbed moment runs again when that has passed.

A shared host takes cores away for minutes on end, up to nineteen twentieths of them. No limit in milliseconds means
anything then. Only the host can make this excuse, not what is tested: see machine.py. On a calm machine a test that
fails has failed; test_slowness.py sees to it that each of them can.
"""

import time
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.machine import Witness

ATTEMPTS = 3
LOOK_S = 2.0
PATIENCE_S = 240.0  # before each further attempt; disturbances of three minutes have been seen
TIMEOUT_S = 1800
DISTURBED = "the host kept standing still while time was measured"
WITNESS = pytest.StashKey[Witness]()


def watchers(config: pytest.Config) -> Witness:
    """This session's, from the first timing test to the end."""
    if WITNESS not in config.stash:
        watching = config.stash[WITNESS] = Witness()
        watching.__enter__()
        config.add_cleanup(lambda: watching.__exit__(None, None, None))
    return config.stash[WITNESS]


def wait_for_calm(witness: Witness) -> None:
    deadline = time.monotonic() + PATIENCE_S
    began_at = time.perf_counter()
    while time.monotonic() < deadline:
        time.sleep(LOOK_S)
        if not witness.is_disturbed(began_at, time.perf_counter()):
            return
        began_at = time.perf_counter()


def call(item: pytest.Function) -> None:
    """The test's function; once more for each failure that the host had a part in."""
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    witness = watchers(item.config)
    for attempt in range(ATTEMPTS):
        if attempt:
            wait_for_calm(witness)
            if "tmp_path" in arguments:  # without what the attempt before has left
                arguments["tmp_path"] = Path(mkdtemp(dir=str(item.funcargs["tmp_path"])))
        began_at = time.perf_counter()
        try:
            item.obj(**arguments)
        except Exception:
            if not witness.is_disturbed(began_at, time.perf_counter()):
                raise
        else:
            return
    pytest.skip(DISTURBED)
