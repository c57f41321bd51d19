"""Links of knowledge bases through the real rooms: fetched by the program, read by the worker."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.domain.knowledge import ItemState
from desktop.services.container import running_services
from desktop.settings.folders import folders_for
from tests.unit.knowledge.knowledge_files import make_pdf
from tests.unit.search.page_server import PageServer

pytestmark = pytest.mark.anyio

DONE = {ItemState.KEYWORD_READY, ItemState.READY, ItemState.FAILED}
PAGE = """<html><head><title>The heron</title></head><body><article><h1>The heron</h1>
<p>The grey heron stands in shallow water for hours and waits until a fish comes near enough.</p>
<p>It nests in colonies high up in old trees, often together with other birds of its kind.</p>
</article></body></html>"""


async def ended(progress):
    async with asyncio.timeout(60), aclosing(progress) as steps:
        return await anext(step.item async for step in steps if step.item.state in DONE)


async def test_pages_and_documents_are_read_and_an_old_text_outlives_its_page(tmp_path):
    pdf = make_pdf(tmp_path / "otters.pdf", [["Contents"], ["Otters hold hands while they sleep."]])
    async with PageServer() as server, running_services(folders_for(tmp_path / "data")) as services:
        settings = services.preferences.settings
        search = replace(settings.search, allowed_hosts=("127.0.0.1",))
        await services.preferences.save(replace(settings, search=search))
        bases = services.knowledge
        base = await bases.create("Animals")
        heron = server.page("/heron", PAGE, Content_Type="text/html")
        otters = server.page("/otters", pdf.read_bytes(), Content_Type="application/pdf")

        page = await ended(bases.add_link(base.id, heron))
        assert (page.name, page.path, page.error) == ("The heron", heron, "")
        document = await ended(bases.add_link(base.id, otters))
        assert (document.name, document.pages) == ("otters", 2)
        found = (await services.knowledge.retrieve(["otters hold hands"], [base.id], 1)).passages[0]
        assert (found.url, found.locator.page) == (otters, 2)

        server.page("/heron", PAGE.replace("a fish", "a frog"), Content_Type="text/html")
        changed = await ended(bases.read_again([page.id]))
        assert changed.document != page.document
        server.page("/heron", "gone", status=404, Content_Type="text/html")
        kept = await ended(bases.read_again([page.id]))
        assert (kept.document, kept.state in DONE - {ItemState.FAILED}) == (changed.document, True)
        assert kept.error
        assert "a frog" in await bases.text_of(kept.document)

        missing = await ended(bases.add_link(base.id, server.url("/nowhere")))
        assert (missing.state, bool(missing.error)) == (ItemState.FAILED, True)


async def test_links_are_fetched_through_the_guard(tmp_path):
    async with PageServer() as server, running_services(folders_for(tmp_path / "data")) as services:
        bases = services.knowledge
        base = await bases.create("Local network")
        refused = await ended(bases.add_link(base.id, server.page("/secret", PAGE, Content_Type="text/html")))
        assert (refused.state, bool(refused.error)) == (ItemState.FAILED, True)
        assert server.requests == []
