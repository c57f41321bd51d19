"""Pages that cannot be read from here are read by a service, if the user wants that and may tell the address."""

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace

import httpx

from desktop.domain.search import PageStatus, WebPage
from desktop.search.fetcher import Fetcher
from desktop.search.reader.reader import PageReader
from desktop.search.reader.remote_services import PageServices
from desktop.search.ssrf_guard import SsrfGuard
from desktop.settings.model import SearchSettings
from tests.cases import cases
from tests.unit.search.page_server import PageServer

URL = "https://walled.example/story"
WALLED = WebPage(PageStatus.BLOCKED, URL, "Walled", error="The site refuses.")
TAVILY = json.dumps({"results": [{"url": URL, "raw_content": "What the wall hides."}]})
JINA = json.dumps({"code": 200, "data": {"url": URL, "title": "Story", "content": "What the wall hides."}})
FAILED = json.dumps({"results": [], "failed_results": [{"url": URL, "error": "no"}]})


async def public(_host: str, _port: int) -> list[str]:
    return ["93.184.216.34"]


def improved(page: WebPage, choice: str = "auto", key: str = "k", answer: str = TAVILY, status: int = 200):
    """Return `page` as read by a service on loopback, and how often that was asked."""

    async def run():
        async with PageServer() as server, httpx.AsyncClient() as client:
            server.page("/extract", answer, status)
            server.page("/", JINA)
            settings = SearchSettings(
                page_service=choice,
                engine_addresses=(("tavily-pages", server.url("")), ("jina-pages", server.url(""))),
            )

            async def secret(name: str) -> str:
                return key if name == "search/tavily" else ""

            services = PageServices(lambda: settings, secret, client, SsrfGuard(resolve=public))
            return await services.improve(page), len(server.requests)

    return asyncio.run(run())


@cases("choice", ["auto", "tavily"])
def test_a_page_behind_a_wall_is_read_by_the_service_and_it_is_said(choice):
    page, _ = improved(WALLED, choice)
    assert (page.status, page.text, page.title) == (PageStatus.READ, "What the wall hides.", "Walled")
    assert "Tavily" in page.notes[0]


def test_a_service_without_a_key_is_asked_only_where_it_was_chosen():
    assert improved(WALLED, "jina", key="")[0].text == "What the wall hides."
    assert improved(WALLED, "auto", key="") == (WALLED, 0)
    assert improved(WALLED, "off") == (WALLED, 0)


@cases("status", [PageStatus.REFUSED, PageStatus.NOT_FOUND, PageStatus.OFFLINE, PageStatus.READ])
def test_what_a_service_cannot_better_is_not_asked(status):
    page = replace(WALLED, status=status)
    assert improved(page) == (page, 0)


@cases("url", ["http://10.0.0.1/wiki", "http://intranet/wiki", "http://nas.local/", "http://127.0.0.1/"])
def test_private_addresses_are_told_to_nobody(url):
    page = replace(WALLED, url=url)
    assert improved(page) == (page, 0)


@cases(
    "answer, status, words",
    [(FAILED, 200, "Tavily couldn’t read"), ("{}", 432, "is reached"), ("{}", 400, "couldn’t read")],
)
def test_a_service_that_fails_leaves_the_page_with_both_reasons(answer, status, words):
    page, asked = improved(WALLED, answer=answer, status=status)
    assert (page.status, asked) == (PageStatus.BLOCKED, 1)
    assert page.error.startswith("The site refuses.")
    assert words in page.error


def test_what_the_helper_of_the_reader_reads_is_kept_for_a_while():
    class Reads:
        async def improve(self, page: WebPage) -> WebPage:
            return replace(page, status=PageStatus.READ, text="helped")

    async def run():
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher,
            aclosing(PageReader(fetcher, helper=Reads())) as reader,
        ):
            url = server.page("/a", "Access denied", 403)
            return [(await reader.read(url)).text for _ in range(2)], len(server.requests)

    assert asyncio.run(run()) == (["helped", "helped"], 1)
