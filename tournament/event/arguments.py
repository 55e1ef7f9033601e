"""The options of commands in which one brain plays against itself."""

import argparse
from typing import Any

from tournament.core.model import BrainSpec
from tournament.event.config import brain_of

LIMITS = ("turn", "nodes", "depth", "memory", "tolerance")


def add_brain_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("brain", metavar="BRAIN", help="the command that starts the brain")
    command.add_argument(
        "--nodes", type=int, help="nodes per move, sent as INFO max_node; the same seed then gives the same result"
    )
    command.add_argument("--depth", type=int, help="search depth, sent as INFO max_depth")
    command.add_argument("--turn", default="1s", help="time per move (default: 1s)")
    command.add_argument("--memory", default="350M", help="memory limit (default: 350M)")
    command.add_argument("--tolerance", default="1s", help="grace period for late answers (default: 1s)")


def add_board_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--size", default="15", help="board size: 15 or 20x15 (default: 15)")
    command.add_argument("--rule", type=int, default=0, help="0 freestyle, 1 exactly five, 4 renju, 8 and 9 caro")


def brain_from(arguments: argparse.Namespace, **table: Any) -> BrainSpec:
    """The brain with its limits, and with what else its table says."""
    given = {key: getattr(arguments, key) for key in LIMITS if getattr(arguments, key) is not None}
    return brain_of({"command": arguments.brain, **given, **table}, {})
