"""Drives a real Chromium through the DevTools protocol, over a pair of pipes: no port, no library.

https://chromedevtools.github.io/devtools-protocol/ has the methods and events by name.
"""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
NO_CHROMIUM = "no Chromium on this machine to look at pages with"
NO_AXE = "npm's axe-core is not on this machine and cannot be installed"
ANSWER_S = 60.0
DESKTOP = 1200  # pixels
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--force-color-profile=srgb",
)  # fmt: skip
END = b"\0"


def program() -> str | None:
    """Where Chromium is; None if it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class BrowserError(Exception):
    """The page threw an exception, or the browser refused a method."""


class Page:
    """A tab; `messages` holds the events of the page so far."""

    def __init__(self, browser: "Browser", session: str) -> None:
        self._browser, self._session = browser, session
        self.messages: list[dict[str, Any]] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, parameters, self._session)

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"].get("exception", answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait_for(self, expression: str, timeout_s: float = 60.0) -> Any:
        """The value of the expression as soon as it is true."""
        deadline = time.monotonic() + timeout_s
        while True:
            value = self.run(expression)
            if value:
                return value
            if time.monotonic() > deadline:
                raise BrowserError(f"still not true after {timeout_s} s: {expression}\n{self.problems}")
            time.sleep(0.02)

    def open(self, address: str) -> None:
        """Load a page and wait until its script is ready."""
        self.call("Page.navigate", url=address)
        self.wait_for("document.documentElement?.dataset.ready === 'true'")

    def resize(self, width: int, height: int = 900, is_phone: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=2 if is_phone else 1, mobile=is_phone,
        )  # fmt: skip
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_phone)

    def prefer(self, scheme: str, media: str = "") -> None:
        """`light` or `dark`; `media` may be `print`."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def press(self, key: str) -> None:
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, text=key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def press_tab(self) -> None:
        self.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def press_enter(self) -> None:
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self.call("Input.dispatchKeyEvent", type="keyDown", text="\r", **enter)
        self.call("Input.dispatchKeyEvent", type="keyUp", **enter)

    def tap(self, selector: str) -> None:
        box = self.box_of(selector)
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[place])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click_at(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def box_of(self, selector: str) -> dict[str, float]:
        """Where an element is in the window, after it was scrolled there."""
        place = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{place}.scrollIntoView({{block: 'center'}})")
        return dict(self.run(f"{place}.getBoundingClientRect().toJSON()"))

    def click(self, selector: str) -> None:
        box = self.box_of(selector)
        self.click_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def swipe(self, selector: str, distance: int) -> None:
        box = self.box_of(selector)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + distance, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def screenshot(self, path: Path, is_whole: bool = True) -> None:
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)["data"]
        path.write_bytes(base64.b64decode(picture))

    @property
    def requests(self) -> list[str]:
        """The addresses that the page has asked for."""
        sent = (each["params"] for each in self.messages if each["method"] == "Network.requestWillBeSent")
        return [each["request"]["url"] for each in sent]

    @property
    def problems(self) -> list[str]:
        """Exceptions, and errors on the console, a violated content policy among them."""
        found = []
        for each in self.messages:
            if each["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(each["params"]["exceptionDetails"]))
            elif each["method"] == "Log.entryAdded" and each["params"]["entry"]["level"] == "error":
                found.append(each["params"]["entry"]["text"])
        return found


class Browser:
    """A Chromium without a window, in a profile of its own."""

    def __init__(self, executable: str, profile: Path) -> None:
        reading, their_writing = os.pipe()
        their_reading, self._writing = os.pipe()
        words = [executable, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        # Chromium reads from file 3 and writes to file 4.
        script = f'exec "$@" 3<&{their_reading} 4>&{their_writing}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", *words],
            pass_fds=(their_reading, their_writing),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(their_reading)
        os.close(their_writing)
        self._reading, self._held = reading, b""
        self._numbers = itertools.count(1)
        self._pages: dict[str, Page] = {}

    def call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        """Call a method and take its answer; events that come first are kept for their pages."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self._writing, json.dumps(message).encode() + END)
        for answer in self._answers():
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            page = self._pages.get(answer.get("sessionId", ""))
            if page is not None and "method" in answer:
                page.messages.append(answer)
        raise BrowserError(f"{method}: the browser has ended")

    def _answers(self) -> Iterator[dict[str, Any]]:
        while True:
            while END in self._held:
                line, _, self._held = self._held.partition(END)
                yield json.loads(line)
            if not select.select([self._reading], [], [], ANSWER_S)[0]:
                raise BrowserError(f"no answer within {ANSWER_S} s")
            data = os.read(self._reading, 1 << 20)
            if not data:
                return
            self._held += data

    def page(self) -> Page:
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        return page

    def watch(self, page: Page, session: str) -> None:
        """Keep the events of a worker's session with those of its page."""
        self._pages[session] = page

    def close(self) -> None:
        os.close(self._writing)  # Chromium ends with its pipe
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._reading)


def axe_faults(page: Page, axe: str) -> list[Any]:
    """What axe-core, whose script this is, finds wrong with the page as it is now."""
    page.run(axe)
    return list(
        page.run("axe.run(document, { resultTypes: ['violations'] }).then(result => result.violations.map("
                 "each => [each.impact, each.id, each.nodes.map(node => node.html.slice(0, 120))]))")
    )  # fmt: skip


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    executable = program()
    assert executable is not None, NO_CHROMIUM
    opened = Browser(executable, profile)
    try:
        yield opened
    finally:
        opened.close()
