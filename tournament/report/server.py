"""Serves a live report on this machine alone: a page, and a stream of what is new (server-sent events)."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tournament.core.failures import RunnerError, reason_of
from tournament.event.events import Event
from tournament.report.live import LiveReport
from tournament.stats.summary import Summary

HOST = "127.0.0.1"
LOOK_EVERY_S = 0.25  # for moves
GAMES_EVERY_S = 1.0  # statistics and charts are made anew at most this often
ALIVE_EVERY_S = 15.0
GOODBYE_S = 2.0  # that pages have to take the last games


class ReportServer:
    """A listener of the event that shows it to pages; `close` waits until they have got everything."""

    def __init__(self, report: LiveReport, port: int = 0) -> None:
        self.report = report
        self._is_closed = threading.Event()
        self._listeners = 0
        self._lock = threading.Lock()
        try:
            self._server = HttpServer((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else str(error)
            raise RunnerError(f"the report cannot be served at {HOST}:{port}: {reason}") from error
        self._server.owner = self
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self._server.server_address[1]}/"

    @property
    def hosts(self) -> set[str]:
        """What a request may call this server; another site's page that reaches it under its own name gets nothing."""
        port = self._server.server_address[1]
        return {f"{HOST}:{port}", f"localhost:{port}"}

    def on_event(self, event: Event, _summary: Summary) -> None:
        self.report.hear(event)

    def page(self) -> str:
        return self.report.page()

    def updates(self, games: int) -> Iterator[str]:
        """Messages for a page that has so many games, until the event is over."""
        with self._lock:
            self._listeners += 1
        try:
            yield from self._updates(games)
        finally:
            with self._lock:
                self._listeners -= 1

    def _updates(self, games: int) -> Iterator[str]:
        running, told_at, looked_at = None, time.monotonic(), -GAMES_EVERY_S
        while True:
            is_last = self.report.is_over or self._is_closed.is_set()
            now = time.monotonic()
            if is_last or now - looked_at >= GAMES_EVERY_S:
                looked_at, news = now, self.report.news(games)
                if news is not None:
                    games, told_at = news.games, now
                    yield message("games", news._asdict(), games)
            found = self.report.running()
            if found != running:
                running, told_at = found, now
                shown, count = found
                yield message("running", {"games": [game.value for game in shown], "count": count})
            if is_last:
                yield message("ended" if self.report.is_over else "left", {})
                return
            if now - told_at >= ALIVE_EVERY_S:
                told_at = now
                yield ": still here\n\n"
            self._is_closed.wait(LOOK_EVERY_S)

    def close(self) -> None:
        self._is_closed.set()
        deadline = time.monotonic() + GOODBYE_S
        while self._listeners and time.monotonic() < deadline:
            time.sleep(0.02)
        self._server.shutdown()
        self._server.server_close()


class HttpServer(ThreadingHTTPServer):
    owner: ReportServer
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers GET / and GET /updates."""

    server: HttpServer
    timeout = 60

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if self.headers.get("Host", "") not in self.server.owner.hosts:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif address.path == "/":
            self._send_page()
        elif address.path == "/updates":
            self._send_updates(parse_qs(address.query).get("games", ["0"])[0])
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_page(self) -> None:
        body = self.server.owner.page().encode("utf-8", "backslashreplace")
        self._begin("text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_updates(self, asked: str) -> None:
        """A page that lost the connection says in Last-Event-ID how many games it has now."""
        games = self.headers.get("Last-Event-ID") or asked
        self._begin("text/event-stream")
        self.end_headers()
        with suppress(OSError):  # the page was closed
            for text in self.server.owner.updates(int(games) if games.isascii() and games.isdigit() else 0):
                self.wfile.write(text.encode("ascii"))

    def _begin(self, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")

    def log_message(self, *_: Any) -> None:
        """Only views print."""


def message(kind: str, value: object, identity: int | None = None) -> str:
    """A server-sent event; JSON in ASCII has no line ends."""
    number = "" if identity is None else f"id: {identity}\n"
    return f"event: {kind}\n{number}data: {json.dumps(value)}\n\n"
