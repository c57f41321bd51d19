"""Decisions over HTTP, from servers on loopback that write other tags, come late or do not come at all."""

import asyncio
from contextlib import aclosing

import pytest

from desktop.domain.trace import Decider
from desktop.search.gather import GatherInput, GatherResult, Retrievers, gather
from tests.unit.providers.requests import opened
from tests.unit.providers.wire import openai_says, serving, streaming
from tests.unit.search.gather.test_gather import QUERY, QUESTION, Pages, Web, found

pytestmark = pytest.mark.anyio

OTHER = "<lookup><web_search><search_query>Brest tide table</search_query></web_search></lookup>"


async def gathered(server, web, pages, limit_s):
    async with opened(server.base_url) as model:
        inquiry = GatherInput(
            QUESTION, model=model, model_name="m-1", keywords_after_s=0.0, intent_limit_s=limit_s
        )
        async with aclosing(gather(inquiry, Retrievers(pages.read, web))) as events:
            return [event async for event in events if isinstance(event, GatherResult)][-1]


async def test_another_spelling_that_comes_after_the_keywords_were_read_is_understood():
    is_read = asyncio.Event()

    class Told(Pages):
        async def read(self, url):
            page = await super().read(url)
            is_read.set()
            return page

    async def late(connection):
        await is_read.wait()
        await streaming(openai_says(OTHER))(connection)

    web = Web({QUERY: (found(QUERY, "a"),), "Brest tide table": (found("Brest tide table", "b"),)})
    async with serving(late) as server:
        got = await gathered(server, web, Told(), 20.0)
    assert got.trace.decider is Decider.MODEL
    assert [passage.url for passage in got.passages] == ["https://b.example/"]
    assert sorted(query for query, _ in web.asked) == sorted([QUERY, "Brest tide table"])


async def test_a_server_that_decides_too_late_is_hung_up_on_and_the_keywords_are_used():
    is_gone = asyncio.Event()

    async def silent(connection):
        await connection.until_gone()
        is_gone.set()

    web = Web({QUERY: (found(QUERY, "a"),)})
    async with serving(silent) as server:
        got = await gathered(server, web, Pages(), 0.3)
        await asyncio.wait_for(is_gone.wait(), 20)
    assert got.trace.decider is Decider.KEYWORDS
    assert [passage.url for passage in got.passages] == ["https://a.example/"]
    assert web.asked == [(QUERY, "auto")]
