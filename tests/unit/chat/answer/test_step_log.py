"""Whatever becomes of a turn, its steps read as Chinese in the Chinese window: real outcomes, none written for it."""

import asyncio
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx
import pytest

from desktop.domain.events import StepFinished
from desktop.domain.knowledge import Retrieval
from desktop.domain.models import FinishReason, StreamEnded, TextDelta
from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.domain.sources import Passage, SourceKind, source_key
from desktop.errors import BrowserMissing, IndexUnavailable, UnknownEngine
from desktop.errors.servers import ProviderDown
from desktop.phrases import translatable
from desktop.render.labels import EN, ZH_CN
from desktop.render.page.article import steps_html
from desktop.search.browser.discovery import find_browser
from desktop.search.browser.requests import Rendered, RenderStatus
from desktop.search.fetcher import Fetcher, Limits
from desktop.search.gather import GatherInput, Retrievers, gather
from desktop.search.intent import explicit_intent
from desktop.search.reader.reader import PageReader
from desktop.search.ssrf_guard import SsrfGuard
from desktop.search.web_search import WebSearch
from desktop.settings.model import SearchSettings
from tests.cases import cases
from tests.unit.search.page_server import PageServer, article, send_head

DETAIL = re.compile(r'<p class="detail">(.*?)</p>', re.DOTALL)
SENTENCE = re.compile(r"[A-Za-z']+ [a-z']+ [a-z']+")
"""Three words of English in a row; names of engines and services may have two."""
CORPUS = Path(__file__).parents[3] / "corpus" / "serp"
QUESTION = "How high is the tide at Brest?"


def page(name):
    return Rendered(RenderStatus.LOADED, "https://duckduckgo.com/html/", corpus_text(name), 200)


def corpus_text(name):
    return (CORPUS / f"{name}.html").read_text("utf-8", "replace")


def details(steps, labels):
    return [unescape(text) for text in DETAIL.findall(steps_html(steps, labels, is_live=False))]


def assert_translated(steps, count=1):
    """Assert that at least `count` details are there, and that all of them are Chinese."""
    english, chinese = details(steps, EN), details(steps, ZH_CN)
    assert len(chinese) == len(english) >= count
    for before, after in zip(english, chinese, strict=True):
        assert re.search("[一-鿿]", after), before
        assert not SENTENCE.search(after), after
        assert "{" not in after


async def gather_steps(inquiry, places):
    return [event.step async for event in gather(inquiry, places) if isinstance(event, StepFinished)]


@dataclass
class Browser:
    """Shows one page for every address, or is not there."""

    shown: Rendered | BrowserMissing

    async def fetch(self, url, **_):
        if isinstance(self.shown, BrowserMissing):
            raise self.shown
        return self.shown


@dataclass
class Files:
    given: Retrieval | Exception

    async def retrieve(self, queries, scope, count):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


@dataclass
class Model:
    """Writes what cannot be used, breaks off, or never ends."""

    written: str = ""
    error: Exception | None = None
    is_slow: bool = False

    async def stream(self, request):
        if self.is_slow:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        yield TextDelta(self.written)
        yield StreamEnded(FinishReason.STOP)


async def searched(shown, *, engines=("duckduckgo",), choice=WEB_AUTO, times=1, answer=None):
    """Return the steps of the last of `times` questions, with `shown` in the browser and `answer` of every API."""
    answer = answer or httpx.Response(500, json={})
    settings = SearchSettings(engine_order=engines)

    async def secret(_):
        return "" if answer is NO_KEY else "key-1"

    async with httpx.AsyncClient(transport=httpx.MockTransport(lambda _: raised(answer))) as client:
        web = WebSearch(settings, browser=Browser(shown), secret=secret, client=client, pace_s=0)
        async with Fetcher(SsrfGuard()) as fetcher:
            for _ in range(times):
                steps = await gather_steps(
                    GatherInput(QUESTION, web=choice), Retrievers(PageReader(fetcher).read, web)
                )
    return steps


NO_KEY = httpx.Response(418)


def raised(answer):
    if isinstance(answer, Exception):
        raise answer
    return answer


def failed_page(status, error=""):
    return Rendered(status, "https://duckduckgo.com/html/", error=error)


@cases(
    "shown",
    [
        *map(page, ("duckduckgo-captcha", "duckduckgo-empty", "duckduckgo-shell", "unknown-changed", "garbled", "google-consent")),
        failed_page(RenderStatus.TIMED_OUT),
        failed_page(RenderStatus.OFFLINE),
        failed_page(RenderStatus.REFUSED),
        failed_page(RenderStatus.FAILED, "net::ERR_SSL_PROTOCOL_ERROR"),
        *(Rendered(RenderStatus.LOADED, "https://duckduckgo.com/", "<p>.</p>", code) for code in (403, 429, 500)),
        BrowserMissing(advice=translatable("“{name}” from the settings is not a program.").format(name="opera")),
    ],
    ids=lambda shown: getattr(shown, "status", "") or type(shown).__name__,
)  # fmt: skip
@cases("times", [1, 4])
def test_searches_in_the_browser_that_fail(shown, times):
    assert_translated(asyncio.run(searched(shown, times=times)))


@cases(
    "answer",
    [
        NO_KEY,
        *(httpx.Response(code, json={}) for code in (400, 401, 402, 429, 503)),
        httpx.Response(200, json={"results": []}),
        httpx.Response(200, text="<html>"),
        httpx.ReadTimeout("slow"),
        httpx.ConnectError("down"),
    ],
    ids=lambda answer: getattr(answer, "status_code", type(answer).__name__),
)
def test_searches_by_api_that_fail(answer):
    missing = BrowserMissing(advice="Install Google Chrome, or have a browser downloaded: x")
    assert_translated(asyncio.run(searched(missing, engines=(), choice="tavily", answer=answer)))


def test_no_engine_at_all():
    assert_translated(asyncio.run(searched(page("duckduckgo-empty"), engines=())))


def test_no_browser_at_all(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("desktop.search.browser.discovery._list_installed", lambda: iter(()))
    with pytest.raises(BrowserMissing) as found:
        find_browser("")
    steps = asyncio.run(searched(found.value))
    words = " ".join(details(steps, ZH_CN))
    assert "没有找到 Chromium" in words
    assert "请安装" in words
    assert "Install" not in words


@cases(
    "address",
    [
        "http://10.0.0.1/",
        "http://0x7f.1/",
        "http://printer.local/",
        "http://nodots/",
        "http://person@site.example/",
        "http://site.example:99999/",
        "https://gone.example/",
        "https://inside.example/",
    ],
)
def test_links_that_are_not_opened(address):
    async def resolve(host, port):
        if host.startswith("gone"):
            raise OSError
        return ["10.0.0.1"]

    async def run():
        async with Fetcher(SsrfGuard(resolve=resolve)) as fetcher:
            inquiry = GatherInput(f"What stands at {address} ?", web=WEB_OFF)
            return await gather_steps(inquiry, Retrievers(PageReader(fetcher).read))

    assert_translated(asyncio.run(run()))


def endless(site):
    return site.redirect("/around", "/around")


def broken(site):
    async def answer(_, writer):
        send_head(writer, 200, {"Content-Length": "1000", "Content-Type": "text/html"})

    return site.on("/broken", answer)


PAGES = {
    "missing": lambda site: site.url("/nothing"),
    "failing": lambda site: site.page("/x", "Oh", 500),
    "empty": lambda site: site.page("/x", "<html><body></body></html>", Content_Type="text/html"),
    "captcha": lambda site: site.page("/x", "<title>Just a moment</title>Just a moment", 403),
    "login": lambda site: site.page("/x", "Please log in", 401),
    "refused": lambda site: site.page("/x", "No", 403),
    "script": lambda site: site.page("/x", "<div id=root></div><script src=/a></script>", Content_Type="text/html"),
    "picture": lambda site: site.page("/x", b"\x89PNG\x00\x00", Content_Type="image/png"),
    "binary": lambda site: site.page("/x", b"a\x00\x00\x00b" * 50, Content_Type="text/plain"),
    "damaged pdf": lambda site: site.page("/x.pdf", b"%PDF-1.4 rubbish", Content_Type="application/pdf"),
    "endless": endless,
    "broken": broken,
    "brotli": lambda site: site.page("/x", b"x", Content_Encoding="br"),
    "not gzip": lambda site: site.page("/x", b"x", Content_Encoding="gzip"),
    "large": lambda site: site.page("/x", article("Tides", "The tide comes in. " * 90_000), Content_Type="text/html"),
}  # fmt: skip


@cases("prepare", PAGES.values(), ids=PAGES)
def test_pages_that_cannot_be_read_or_only_in_part(prepare):
    async def run():
        limits = Limits(max_bytes=1 << 20, idle_s=2.0)
        async with PageServer() as site, Fetcher(SsrfGuard(("127.0.0.1",)), limits) as fetcher:
            inquiry = GatherInput(f"What stands at {prepare(site)} ?", web=WEB_OFF, budget_tokens=2_000)
            return await gather_steps(inquiry, Retrievers(PageReader(fetcher).read))

    assert_translated(asyncio.run(run()))


@dataclass
class Unread:
    async def read(self, url):
        raise AssertionError(url)


@cases(
    "model",
    [None, Model("I do not know."), Model(error=ProviderDown(provider="Ollama", detail="")), Model(is_slow=True)],
    ids=["none", "rubbish", "down", "slow"],
)  # fmt: skip
@cases(
    "given",
    [
        IndexUnavailable(detail=translatable("the embedding model is busy.")),
        Retrieval((Passage(SourceKind.FILE, "a.pdf", "tide " * 900, document="a"),)),
        Retrieval(
            notes=(
                translatable("A knowledge base in use no longer exists."),
                translatable("Found by keyword only."),
            )
        ),
    ],
    ids=["unavailable", "too much", "degraded"],
)
def test_intents_by_keyword_and_files_in_part(model, given):
    inquiry = GatherInput(
        QUESTION,
        model=model,
        model_name="m",
        web=WEB_OFF,
        scope=("b",),
        budget_tokens=200,
        intent_limit_s=0.05,
    )
    assert_translated(
        asyncio.run(gather_steps(inquiry, Retrievers(Unread().read, knowledge=Files(given)))), count=2
    )


def test_an_engine_that_is_gone():
    @dataclass
    class Web:
        async def search(self, *_):
            raise UnknownEngine(engine="altavista", known="bing, google")

        async def after_help(self, _outcomes):
            return ()

    assert_translated(asyncio.run(gather_steps(GatherInput(QUESTION), Retrievers(Unread().read, Web()))))


def test_queries_of_the_person_and_what_they_left_out():
    given = Retrieval((Passage(SourceKind.FILE, "a.pdf", "tide", document="a"),))
    left_out = source_key(given.passages[0])
    inquiry = GatherInput(
        QUESTION, web=WEB_OFF, scope=("b",), intent=explicit_intent("q", ("tide",)), without=(left_out,)
    )
    assert_translated(
        asyncio.run(gather_steps(inquiry, Retrievers(Unread().read, knowledge=Files(given)))), count=2
    )
