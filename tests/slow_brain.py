"""A brain made slow on purpose: `python slow_brain.py COMMAND...` runs one, and everything happens late.

The real brain is stopped for a while whenever it is told something, so that it knows of the delay. Its answers and its
end are passed on as much later again, of which it cannot know.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import FrameType

import psutil

LATE_S = 0.35  # more than any timing test grants beyond a turn


def hold_up(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.suspend()
        time.sleep(LATE_S)
        process.resume()


def hear(brain: "subprocess.Popen[bytes]") -> None:
    """Lines that come together are handed on together; only the last of them is thought about."""
    assert brain.stdin is not None
    process = psutil.Process(brain.pid)
    with suppress(OSError):
        while chunk := os.read(sys.stdin.fileno(), 65536):
            brain.stdin.write(chunk)
            brain.stdin.flush()
            if not chunk.strip().upper().startswith(b"INFO"):
                hold_up(process)
        brain.stdin.close()


def main() -> None:
    brain = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def end_late(number: int, _frame: FrameType | None) -> None:
        brain.send_signal(number)

    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, end_late)
    threading.Thread(target=hear, args=(brain,), daemon=True).start()
    assert brain.stdout is not None
    for line in brain.stdout:
        if not line.startswith(b"MESSAGE "):
            time.sleep(LATE_S)
        with suppress(BrokenPipeError):
            os.write(sys.stdout.fileno(), line)
    status = brain.wait()
    time.sleep(LATE_S)
    os._exit(status)  # the thread above may still wait for a line


if __name__ == "__main__":
    main()
