"""Conversations with a brain inside this process: what a manager sends, and what it hears."""

import re

from pbrain.brain.protocol import Brain
from pbrain.engine.engine import Engine

MOVE = re.compile(r"(\d+),(\d+)")


class Conversation:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.written: list[str] = []
        self.brain = Brain(engine, self.written.append)

    def send(self, *lines: str) -> list[str]:
        """The answers to some lines, messages left out."""
        return [line for line in self.hear_all(*lines) if not line.startswith("MESSAGE ")]

    def hear_all(self, *lines: str) -> list[str]:
        self.written.clear()
        for line in lines:
            self.brain.act(self.brain.hear(line))
        return list(self.written)

    def move(self, *lines: str) -> tuple[int, int]:
        """The move that is the only answer to some lines."""
        (answer,) = self.send(*lines)
        found = MOVE.fullmatch(answer)
        assert found, answer
        return int(found[1]), int(found[2])

    def position(self) -> tuple[object, ...]:
        """Everything that a refused line must leave alone."""
        return self.engine.size, self.engine.rule, self.brain.own_colour, self.engine.saved()
