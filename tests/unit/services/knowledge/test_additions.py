"""What an answer is based on goes into a base: through the real store, worker, reader and a server on loopback."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.knowledge import AdditionOutcome, ItemState
from desktop.domain.sources import Ledger, Passage, SourceKind, document_of
from desktop.services.container import running_services
from desktop.settings.folders import folders_for
from tests.unit.search.page_server import PageServer
from tests.unit.services.web.test_links import PAGE

pytestmark = pytest.mark.anyio

ADDED, KNOWN, REFUSED = AdditionOutcome


def sources_of(*passages):
    ledger = Ledger()
    ledger.register(passages)
    return ledger.sources


async def add(bases, base, sources, conversation_id=""):
    return [step async for step in bases.add_sources(base.id, sources, conversation_id)]


async def read(bases, steps):
    ids = [step.item.id for step in steps if step.item]
    return {step.item.id: step.item async for step in bases.watch_items(ids)}


async def allow_loopback(services):
    settings = services.preferences.settings
    await services.preferences.save(
        replace(settings, search=replace(settings.search, allowed_hosts=("127.0.0.1",)))
    )


async def test_pages_and_files_of_an_answer_are_added_once_as_they_were_read(tmp_path):
    note = tmp_path / "note.md"
    note.write_text("# Storks\n\nStorks build their nests on chimneys and church towers.\n")
    async with PageServer() as server, running_services(folders_for(tmp_path / "data")) as services:
        await allow_loopback(services)
        bases = services.knowledge
        files, base = await bases.create("Files"), await bases.create("Animals")
        async for _ in bases.add(files.id, [note]):
            pass
        (stork,) = (await services.knowledge.retrieve(["storks nests"], [files.id], 1)).passages
        heron = server.page("/heron", PAGE, Content_Type="text/html")
        chat = await services.store.create()
        sources = sources_of(
            Passage(SourceKind.WEB, "The heron", "stands in shallow water", heron),
            Passage(SourceKind.WEB, "Nowhere", "words", server.url("/nowhere")),
            stork,
            Passage(SourceKind.MEMORY, "Memory", "likes birds", document="1"),
        )
        steps = await add(bases, base, sources, chat.id)
        assert [(step.outcome, step.numbers, step.done, step.total) for step in steps] == [
            (ADDED, (1,), 1, 4),
            (REFUSED, (2,), 2, 4),
            (ADDED, (3,), 3, 4),
            (REFUSED, (4,), 4, 4),
        ]
        assert all(step.detail for step in (steps[1], steps[3]))
        items = await read(bases, steps)
        assert {item.state for item in items.values()} == {ItemState.READY}
        assert [each.name for each in await bases.bases_with(sources[0])] == ["Animals"]
        assert [each.name for each in await bases.bases_with(sources[2])] == ["Animals", "Files"]

        fetched = len(server.requests)
        again = sources_of(
            Passage(SourceKind.WEB, "Heron", "words", f"{heron}/?utm_source=x#top"),
            Passage(SourceKind.WEB, "Copy", "words", server.page("/copy", PAGE, Content_Type="text/html")),
            stork,
        )
        steps = await add(bases, base, again, chat.id)
        assert [step.outcome for step in steps] == [KNOWN, KNOWN, KNOWN]
        assert len(server.requests) == fetched + 1  # only the page at another address had to be read
        assert len(await bases.items(base.id)) == 2


async def test_a_page_of_a_base_is_cited_with_its_address_and_the_day_on_which_it_was_read(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        bases = services.knowledge
        base, other = await bases.create("Birds"), await bases.create("More birds")
        day = datetime(2025, 3, 1, 12, tzinfo=UTC)
        address = "https://birds.example/heron"
        text = "The grey heron stands in shallow water for hours and waits for fish."
        put = await services.knowledge.put_page(base.id, address, "The heron", text, day.timestamp())
        async for _ in bases.watch_items([put.item.id]):
            pass
        found = (await services.knowledge.retrieve(["grey heron"], [base.id], 1)).passages
        (source,) = sources_of(*found)
        assert (source.title, source.url, source.read_at) == ("The heron", address, day)
        assert await bases.text_of(document_of(source)) == text

        # Out of one base into another, no page has to be read: this machine has no network here.
        (step,) = await add(bases, other, [source])
        items = await read(bases, [step])
        assert items[step.item.id].read_at == day.timestamp()


async def test_what_must_not_be_added_is_refused_with_its_reason(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a file that no answer has read")
    async with PageServer() as server, running_services(folders_for(tmp_path / "data")) as services:
        bases = services.knowledge
        base = await bases.create("Local network")
        page = server.page("/secret", PAGE, Content_Type="text/html")
        chat = await services.store.create()
        await services.egress_log.egress_context(chat.id, stays_here=True)
        inner, forged, kept = sources_of(
            Passage(SourceKind.WEB, "Router", "words", page),
            Passage(SourceKind.FILE, "secret.txt", "words", secret.as_uri(), "0" * 64),
            Passage(SourceKind.WEB, "Public", "words", "https://birds.example/"),
        )
        steps = await add(bases, base, [inner, forged]) + await add(bases, base, [kept], chat.id)
        assert [(step.outcome, bool(step.detail)) for step in steps] == [(REFUSED, True)] * 3
        assert server.requests == []
        assert await bases.items(base.id) == ()


async def test_a_page_that_failed_to_be_fetched_is_filled_with_what_was_read(tmp_path):
    async with PageServer() as server, running_services(folders_for(tmp_path / "data")) as services:
        await allow_loopback(services)
        bases = services.knowledge
        base = await bases.create("Birds")
        address = server.url("/heron")
        failed = [step async for step in bases.add_link(base.id, address)][-1]
        assert failed.item.state is ItemState.FAILED
        server.page("/heron", PAGE, Content_Type="text/html")
        (source,) = sources_of(Passage(SourceKind.WEB, "The heron", "words", address))
        (step,) = await add(bases, base, [source])
        assert (step.outcome, step.item.id) == (ADDED, failed.item.id)
        items = await read(bases, [step])
        assert items[failed.item.id].state is ItemState.READY
        assert (
            datetime.now(UTC).timestamp() - items[failed.item.id].read_at < timedelta(hours=1).total_seconds()
        )
