"""One error map for all APIs, tried against a server on loopback."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from desktop.domain.search import SearchStatus
from desktop.search.apis import APIS
from desktop.search.apis.client import ApiAccess, call_api
from desktop.search.engines.model import SearchOptions
from desktop.settings.secrets import KeyCooldown
from tests.cases import cases
from tests.serving import serve_requests
from tests.unit.search.page_server import PageServer, send_head

TAVILY = APIS["tavily"]
FOUND = {"results": [{"title": "T", "url": "https://a.example/", "content": "S"}]}


@dataclass
class Service:
    """A Tavily that answers each key in its own way."""

    answers: dict[str, tuple[int, bytes]]
    requests: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    is_silent: bool = False
    released: threading.Event = field(default_factory=threading.Event)
    base: str = ""


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = self.headers["Authorization"].removeprefix("Bearer ")
            service.requests.append((key, json.loads(body)))
            if service.is_silent:
                service.released.wait(20)
            code, answer = service.answers[key]
            self.send_response(code)
            self.send_header("Content-Length", str(len(answer)))
            try:
                self.end_headers()
                self.wfile.write(answer)
            except OSError:
                self.close_connection = True  # the client has given up meanwhile

        def log_message(self, *_args):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.base = f"http://127.0.0.1:{server.server_port}"
    with serve_requests(server):
        try:
            yield service
        finally:
            service.released.set()


def call(service: Service, secret: str, timeout_s: float = 60.0, rests: KeyCooldown | None = None):
    async def run():
        async with httpx.AsyncClient() as client:
            access = ApiAccess(client, secret, service.base, timeout_s, rests)
            return await call_api(TAVILY, "moth", SearchOptions(count=3), access)

    return asyncio.run(run())


def test_results_come_back_and_the_request_is_what_was_asked():
    with serving(Service({"k": (200, json.dumps(FOUND).encode())})) as service:
        outcome = call(service, "k")
    assert (outcome.status, outcome.engine, outcome.query) == (SearchStatus.RESULTS, "tavily", "moth")
    assert service.requests[0][1] | {"query": "moth", "max_results": 3} == service.requests[0][1]


@cases(
    "code, answer, status, words",
    [
        (401, b'{"detail":{"error":"Unauthorized: invalid key bad-key"}}', SearchStatus.BLOCKED, "did not accept the API key"),
        (403, b"", SearchStatus.BLOCKED, "did not accept the API key"),
        (402, b"{}", SearchStatus.BLOCKED, "is reached"),
        (429, b'{"message":"slow down"}', SearchStatus.BLOCKED, "slow down"),
        (432, b'{"detail":{"error":"plan limit"}}', SearchStatus.BLOCKED, "plan limit"),
        (433, b"{}", SearchStatus.BLOCKED, "is reached"),
        (500, b"oops", SearchStatus.OFFLINE, "HTTP 500"),
        (503, b"", SearchStatus.OFFLINE, "has an error"),
        (400, b'{"error":"bad query"}', SearchStatus.LAYOUT_CHANGED, "bad query"),
        (404, b"", SearchStatus.LAYOUT_CHANGED, "HTTP 404"),
        (200, b"<html>hello</html>", SearchStatus.LAYOUT_CHANGED, "a reply that Footnote can’t read"),
        (200, b"[]", SearchStatus.LAYOUT_CHANGED, "a reply that Footnote can’t read"),
        (200, b'{"results":[]}', SearchStatus.NOTHING_FOUND, "found nothing"),
        (200, b'{"code":"401","message":"Invalid API KEY"}', SearchStatus.BLOCKED, "did not accept the API key"),
        (200, b'{"code":429,"msg":"later"}', SearchStatus.BLOCKED, "later"),
    ],
)  # fmt: skip
def test_failures_become_outcomes_with_words(code, answer, status, words):
    with serving(Service({"bad-key": (code, answer)})) as service:
        outcome = call(service, "bad-key")
    assert outcome.status is status
    assert words in outcome.error
    assert "bad-key" not in outcome.error
    assert outcome.results == ()


NOT_SO = {
    "a wrong key of Brave": ("brave-api", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "no"}}, "did not accept the API key"),
    "an empty account of Serper": ("serper", 400, {"message": "Not enough credits"}, "is reached"),
    "an empty account of Bocha": ("bocha", 403, {"code": "403", "message": "You do not have enough money"}, "is reached"),
    "the same within a 200": ("bocha", 200, {"code": "403", "message": "You do not have enough money"}, "is reached"),
    "an empty account of Zhipu": ("zhipu", 429, {"error": {"code": "1113", "message": "您的账户已欠费"}}, "is reached"),
    "too many requests at Zhipu": ("zhipu", 429, {"error": {"code": "1302", "message": "并发"}}, "right now"),
    "a SearXNG without JSON": ("searxng", 403, "Forbidden", "search.formats"),
    "a SearXNG whose engines are blocked": ("searxng", 200, {"results": [], "unresponsive_engines": [["google", "CAPTCHA"]]}, "google: CAPTCHA"),
    "too many requests at Wikipedia": ("wikipedia", 200, {"error": {"code": "ratelimited", "info": "Please wait"}}, "Please wait"),
    "a Wikipedia that lets nobody in": ("wikipedia", 403, "Forbidden", "blocks requests from programs"),
}  # fmt: skip


def call_with(name: str, code: int, answer: object, headers: dict[str, str] | None = None):
    """Ask a service that always answers the same; return the outcome and how often it was asked."""
    asked = []

    def answered(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(code, content=json.dumps(answer).encode(), headers=headers)

    async def run():
        async with httpx.AsyncClient(transport=httpx.MockTransport(answered)) as client:
            secret = "one two" if APIS[name].needs_key else ""
            return await call_api(
                APIS[name], "moth", SearchOptions(), ApiAccess(client, secret, "https://x.example")
            )

    return asyncio.run(run()), len(asked)


@cases("name, code, answer, words", NOT_SO.values(), ids=NOT_SO)
def test_what_a_service_says_in_its_own_way_is_understood(name, code, answer, words):
    outcome, asked = call_with(name, code, answer)
    assert (outcome.status, words in outcome.error) == (SearchStatus.BLOCKED, True)
    assert asked == (2 if APIS[name].needs_key else 1)


@cases(
    "name, code, answer",
    [
        ("jina", 422, {"status": 42206, "message": "No search results available for query moth"}),
        ("searxng", 200, {"results": [], "unresponsive_engines": []}),
        ("wikipedia", 200, {"batchcomplete": True}),
    ],
)
def test_nothing_found_is_no_failure(name, code, answer):
    assert call_with(name, code, answer)[0].status is SearchStatus.NOTHING_FOUND


def test_a_silent_engine_among_others_is_no_failure():
    found = {
        "results": [{"title": "T", "url": "https://a.example/"}],
        "unresponsive_engines": [["x", "timeout"]],
    }
    assert call_with("searxng", 200, found)[0].status is SearchStatus.RESULTS


@cases(
    "answer",
    [{"error": {"code": []}}, {"error": []}, {"message": 1, "code": {}}, {"unresponsive_engines": [1]}],
)
@cases("name", APIS)
def test_a_strange_answer_is_an_outcome(name, answer):
    for code in (200, 400, 403, 422, 429):
        assert isinstance(call_with(name, code, answer)[0].status, SearchStatus)


@cases("is_date", [False, True])
def test_how_long_to_wait_is_understood(is_date):
    said = format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True) if is_date else "120"
    outcome, _ = call_with("tavily", 429, {}, {"Retry-After": said})
    assert 60 < int(re.search(r"in (\d+) s", outcome.error)[1]) <= 120


def test_the_next_key_is_used_when_one_is_refused():
    answers = {"old": (401, b"{}"), "spent": (432, b"{}"), "good": (200, json.dumps(FOUND).encode())}
    with serving(Service(answers)) as service:
        outcome = call(service, "old, spent\ngood")
    assert outcome.status is SearchStatus.RESULTS
    assert [key for key, _ in service.requests] == ["old", "spent", "good"]


def test_without_a_key_nothing_is_sent():
    with serving(Service({})) as service:
        outcome = call(service, "")
    assert outcome.status is SearchStatus.BLOCKED
    assert "needs an API key" in outcome.error
    assert service.requests == []


def test_a_server_that_says_nothing_is_timed_out():
    with serving(Service({"k": (200, b"{}")}, is_silent=True)) as service:
        outcome = call(service, "k", timeout_s=0.2)
    assert outcome.status is SearchStatus.TIMED_OUT


def test_no_server_is_offline():
    with serving(Service({})) as service:
        pass
    assert call(service, "k").status is SearchStatus.OFFLINE


def test_an_address_that_is_none_is_offline():
    assert call(Service({}, base="http://[::1"), "k").status is SearchStatus.OFFLINE


def test_a_spent_key_rests_and_is_not_asked_again_for_the_next_search():
    answers = {"spent": (429, b"{}"), "good": (200, json.dumps(FOUND).encode())}
    rests = KeyCooldown()
    with serving(Service(answers)) as service:
        call(service, "spent good", rests=rests)
        assert call(service, "spent good", rests=rests).status is SearchStatus.RESULTS
    assert [key for key, _ in service.requests] == ["spent", "good", "good"]


def test_when_every_key_is_spent_the_service_itself_is_heard():
    rests = KeyCooldown()
    with serving(Service({"a": (429, b'{"message":"slow"}'), "b": (402, b"{}")})) as service:
        call(service, "a b", rests=rests)
        outcome = call(service, "a b", rests=rests)
    assert [key for key, _ in service.requests] == ["a", "b", "a"]
    assert "slow" in outcome.error


def test_an_answer_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr("desktop.search.apis.client.MAX_ANSWER_BYTES", 100)
    with serving(Service({"k": (200, b'{"results": [' + b" " * 1000 + b"]}")})) as service:
        outcome = call(service, "k")
    assert outcome.status is SearchStatus.LAYOUT_CHANGED
    assert "too long" in outcome.error


def test_an_answer_that_drips_is_given_up_in_time():
    async def run():
        async def drip(_, writer):
            send_head(writer, 200, {})
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)

        async with PageServer() as server, httpx.AsyncClient() as client:
            server.on("/search", drip)
            access = ApiAccess(client, "k", server.url(""), timeout_s=0.3)
            return await call_api(TAVILY, "moth", SearchOptions(), access)

    assert asyncio.run(run()).status is SearchStatus.TIMED_OUT
