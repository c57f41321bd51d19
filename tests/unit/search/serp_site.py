"""A web site on loopback that tests fill with pages, slow ones and broken ones."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.serving import serve_requests


@dataclass(frozen=True)
class Answer:
    """What a path answers. With `is_held`, not before the site is released; with `is_endless`, its end is not before that."""

    body: str | bytes = ""
    code: int = 200
    location: str = ""
    content_type: str = "text/html; charset=utf-8"
    is_held: bool = False
    is_endless: bool = False


@dataclass
class Site:
    """Answers by path; every request is noted with its headers."""

    pages: dict[str, Answer] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    base: str = ""

    @property
    def paths(self) -> list[str]:
        """The paths asked for, without their queries."""
        return [urlsplit(path).path for path, _ in self.requests]


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.requests.append((self.path, dict(self.headers)))
            answer = site.pages.get(urlsplit(self.path).path, Answer(code=404))
            if answer.is_held:
                site.arrived.set()
                site.released.wait(60)
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            try:
                self.send_response(answer.code)
                if answer.location:
                    self.send_header("Location", answer.location)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(body) + answer.is_endless))
                self.end_headers()
                self.wfile.write(body)
                if answer.is_endless:
                    site.released.wait(60)
            except OSError:
                self.close_connection = True  # the browser was killed meanwhile

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.do_GET()

        def log_message(self, *_args):
            """Say nothing."""

    return Handler


@contextmanager
def serving(pages: dict[str, Answer] | None = None) -> Iterator[Site]:
    """Serve a site until the block ends."""
    site = Site(pages or {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = True
    site.base = f"http://127.0.0.1:{server.server_port}"
    with serve_requests(server):
        try:
            yield site
        finally:
            site.released.set()
