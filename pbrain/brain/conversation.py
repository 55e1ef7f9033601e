"""A brain on a pair of streams: a reader thread hears lines while the main thread acts on them in order."""

import threading
import time
from queue import SimpleQueue
from typing import BinaryIO, NoReturn

from pbrain.brain.commands import Word
from pbrain.brain.processes import leave
from pbrain.brain.protocol import Brain, Heard
from pbrain.engine.engine import Engine

MAX_LINE = 1 << 16
EXIT_WITHIN_S = 0.06  # after END, whatever else happens


def converse(engine: Engine, source: BinaryIO, sink: BinaryIO, start_cost_ns: int) -> NoReturn:
    """Talk to a manager until END or the end of its input, then end the process."""

    def write(line: str) -> None:
        try:
            sink.write(line.encode("ascii", "replace") + b"\n")
            sink.flush()
        except OSError:  # the manager is gone, and nobody is left to tell
            leave()

    brain = Brain(engine, write, start_cost_ns)
    heard: SimpleQueue[Heard] = SimpleQueue()

    def listen() -> None:
        while True:
            news = brain.hear(read_line(source))
            heard.put(news)
            if news.command is Word.END:
                time.sleep(EXIT_WITHIN_S)
                leave()

    threading.Thread(target=listen, daemon=True).start()
    while not brain.has_ended:
        brain.act(heard.get())
    leave()  # without any clean-up that could take time: Judge kills the process 500 ms after END


def read_line(source: BinaryIO) -> str:
    """The next line; END at the end of input, and if the terminal or pipe is gone."""
    try:
        line = source.readline(MAX_LINE)
    except OSError:
        line = b""
    return line.decode("ascii", "replace") if line else "END"
