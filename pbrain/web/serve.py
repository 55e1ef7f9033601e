"""Serves the page on this machine alone, with the headers that let its workers share memory."""

import sys
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
# With these a page is cross-origin isolated, and browsers let it share memory.
ISOLATION = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


def open_in_browser(address: str) -> None:
    """Show the page; where there is no browser, whoever asked has read the address."""
    webbrowser.open(address)


class PageServer(ThreadingHTTPServer):
    """One page at /; ValueError if the port cannot be used."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, text: str, port: int) -> None:
        self.body = text.encode("utf-8")
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ValueError(f"the page cannot be served at {HOST}:{port}: {reason}") from error

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"

    @property
    def hosts(self) -> set[str]:
        """What a request may call this server."""
        return {f"{HOST}:{self.server_address[1]}", f"localhost:{self.server_address[1]}"}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = 60

    def do_GET(self) -> None:
        if self.headers.get("Host", "") not in self.server.hosts:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path.partition("?")[0] != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self.send_response(HTTPStatus.OK)
            headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(self.server.body))}
            for name, value in {**headers, "Cache-Control": "no-store", **ISOLATION}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(self.server.body)

    def log_message(self, *_: Any) -> None:
        """Only views print."""
