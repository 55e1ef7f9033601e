"""The configuration of an event as its folder holds it, read back."""

from dataclasses import replace
from typing import Any

from tournament.event.config import ORDERS, Config, config_of


def config_from_json(data: dict[str, Any]) -> Config:
    """The configuration stored in an event's folder."""
    config = config_of(event_table(data), [brain_table(brain) for brain in data["brains"]], data["sprt"])
    return continued(config, data)


def continued(config: Config, data: dict[str, Any]) -> Config:
    """The configuration with the generic openings if the event began with them: a book may have been added since."""
    is_generic = config.openings is None and data.get("openings") is None and data.get("openings_digest") is None
    return replace(config, openings_digest=None) if is_generic else config


def event_table(data: dict[str, Any]) -> dict[str, Any]:
    """The [event] table of a stored configuration."""
    event = {
        "games": data["games"],
        "mode": data["mode"],
        "heads": data["heads"],
        "size": f"{data['board']['width']}x{data['board']['height']}",
        "rule": data["board"]["rule"],
        "openings": data["openings"],
        "seed": data["seed"],
        "order": ORDERS[0 if data["order"]["is_random"] else 1],
        "first": data["order"]["first"],
        "draw_after": data["adjudication"]["draw_after"],
        "swap2": data["is_swap2"],
        "pin": data["is_pinned"],
        "manager": data["manager"],
    }
    rules = data["adjudication"]
    return event | {key: f"{rules[key]['count']}:{rules[key]['score']:.9f}" for key in ("resign", "draw") if rules[key]}


def brain_table(brain: dict[str, Any]) -> dict[str, Any]:
    """The [[brain]] table of a stored configuration."""
    limits = brain["limits"]
    return {
        "name": brain["name"],
        "command": brain["command"],
        "directory": brain["directory"],
        "environment": dict(brain["environment"]),
        "info": dict(brain["info"]),
        "turn": "none" if limits["turn_ms"] is None else f"{limits['turn_ms']}ms",
        "match": "none" if limits["match_ms"] is None else f"{limits['match_ms']}ms",
        "increment": f"{limits['increment_ms']}ms",
        "memory": "none" if limits["memory_bytes"] is None else str(limits["memory_bytes"]),
        "depth": limits["depth"],
        "nodes": limits["nodes"],
        "tolerance": f"{brain['tolerance_ms']}ms",
        "keep_alive": brain["is_kept_alive"],
    }
