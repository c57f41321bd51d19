"""A small web on loopback: a search engine's result page, articles, and Tavily's API."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

from tests.serving import serve_requests

ARTICLES = {
    "/lighthouse": (
        "The lighthouse of Velmora",
        [
            "The lighthouse of Velmora stands on a basalt cliff at the northern end of the island.",
            "It was built in 1873 by the engineer Ada Korsten, who had already drained the harbour.",
            "Its lamp reaches 42 kilometres and has been electric since 1931.",
            "Visitors climb 219 steps to the gallery, which is open from May to September.",
        ],
    ),
    "/island": (
        "Velmora, an island in the north",
        [
            "Velmora is an island of 61 square kilometres with about 900 inhabitants.",
            "Most of them live from fishing and from the ferry that comes twice a week.",
            "The island's highest point, Mount Sarn, rises 388 metres above the sea.",
        ],
    ),
    "/dengta": (
        "维尔莫拉灯塔的历史",
        [
            "维尔莫拉灯塔位于岛屿北端的玄武岩悬崖上，是当地最著名的建筑。",
            "灯塔由工程师阿达·科斯滕于1873年建成，她此前还负责了港口的排水工程。",
            "灯塔的光照距离为42公里，1931年改为电力照明。",
        ],
    ),
}


@dataclass
class Site:
    """What the little web does and what it was asked."""

    origin: str = ""
    requests: list[str] = field(default_factory=list)
    icon: bytes = b""
    result_page: Callable[["Site", str], tuple[int, str]] = field(
        default=lambda site, query: (200, serp(site, query))
    )
    tavily: Callable[["Site", dict], tuple[int, dict]] = field(
        default=lambda site, body: (200, tavily(site, body))
    )

    def asked(self, path: str) -> list[str]:
        """Return the requests for a path so far."""
        return [request for request in self.requests if request.startswith(path)]


def serp(site: Site, query: str) -> str:
    """Return a result page in the form of DuckDuckGo's html edition."""
    rows = [
        f"""<div class="result results_links results_links_deep web-result">
        <div class="links_main links_deep result__body">
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg={quote(site.origin + path, safe="")}&amp;rut=0">{escape(title)}</a>
          </h2>
          <a class="result__snippet" href="//duckduckgo.com/l/?uddg={quote(site.origin + path, safe="")}&amp;rut=0">{escape(text[0])}</a>
          <div class="clear"></div>
        </div></div>"""
        for path, (title, text) in ARTICLES.items()
    ]
    return f"""<!DOCTYPE html><html lang="en"><head><title>{escape(query)} at DuckDuckGo</title></head>
    <body class="body--html"><div id="header"><form action="/html/" method="post">
    <input name="q" value="{escape(query)}"></form></div>
    <div id="links" class="results">{"".join(rows)}</div></body></html>"""


def captcha(site: Site, query: str) -> tuple[int, str]:
    """Return DuckDuckGo's challenge instead of results."""
    return (
        202,
        """<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body>
    <form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">
    <div class="anomaly-modal__mask"><div class="anomaly-modal__modal">
    <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
    <div class="anomaly-modal__description">Please complete the following challenge to confirm
    this search was made by a human.</div></div></div></form></body></html>""",
    )


def tavily(site: Site, body: dict) -> dict:
    """Return results in the form of Tavily's search API."""
    results = [
        {"title": title, "url": site.origin + path, "content": text[1], "score": 0.9, "raw_content": None}
        for path, (title, text) in ARTICLES.items()
    ]
    return {
        "query": body.get("query", ""),
        "answer": None,
        "images": [],
        "results": results,
        "response_time": 0.1,
    }


def article(title: str, paragraphs: list[str]) -> str:
    """Return a page with navigation and footer around the article."""
    body = "".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(title)}</title></head><body>
    <nav><a href="/">Home</a> <a href="/about">About</a></nav>
    <main><article><h1>{escape(title)}</h1>{body}</article></main>
    <footer>Copyright, cookies, imprint</footer></body></html>"""


@contextmanager
def running_site() -> Iterator[Site]:
    """Serve the little web until the block ends."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append(self.path)
            parts = urlsplit(self.path)
            if parts.path in ARTICLES:
                self.reply(200, "text/html; charset=utf-8", article(*ARTICLES[parts.path]))
            elif parts.path == "/favicon.ico" and site.icon:
                self.reply(200, "image/png", site.icon)
            elif parts.path.startswith("/html"):
                status, html = site.result_page(site, parse_qs(parts.query).get("q", [""])[0])
                self.reply(status, "text/html; charset=utf-8", html)
            else:
                self.reply(404, "text/html", "<title>Not found</title><p>Not found</p>")

        def do_POST(self) -> None:
            site.requests.append(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path.startswith("/html"):
                status, html = site.result_page(site, parse_qs(body.decode()).get("q", [""])[0])
                self.reply(status, "text/html; charset=utf-8", html)
            else:
                status, document = site.tavily(site, json.loads(body or b"{}"))
                self.reply(status, "application/json", json.dumps(document))

        def reply(self, status: int, kind: str, body: str | bytes) -> None:
            data = body.encode() if isinstance(body, str) else body
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            """Stay silent: a test's output is its own."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.origin = f"http://127.0.0.1:{server.server_address[1]}"
    with serve_requests(server):
        yield site
