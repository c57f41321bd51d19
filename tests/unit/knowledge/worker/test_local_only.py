"""Files of a conversation that stays here are embedded here, and questions about them are told to no server."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.chat.attachments import AS_TEXT
from desktop.chat.source_lookup import attachment_base
from desktop.domain.knowledge import BUILT_IN_MODEL, BaseOptions, ItemState
from desktop.domain.privacy import Channel
from desktop.errors import StaysHere
from desktop.knowledge.embedding.remote import RemoteEncoder
from desktop.knowledge.index.vector_rows import CollectionKey
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.vector_service import ChromaCollections, ChromaSite
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.model import NO_PROXY, ChromaServer, KnowledgeSettings, OwnEmbedder, OwnReranker
from desktop.settings.proxies import ProxyChoice
from tests.unit.knowledge.progress import until

FAR = "https://192.0.2.7/v1"
KEPT = EgressContext(stays_here=True)
EMBEDDER = OwnEmbedder("far", "Far", FAR, "m")


async def setup():
    settings = KnowledgeSettings(
        own_embedders=(EMBEDDER,),
        embedding_model="far",
        own_rerankers=(OwnReranker("judge", "Judge", FAR, "m"),),
        reranker="judge",
        describer="far/eyes",
    )
    return WorkerConfig(settings, proxy=ProxyChoice(NO_PROXY))


def test_attached_files_are_embedded_and_judged_on_this_machine(tmp_path):
    path = tmp_path / "heron.txt"
    path.write_text("The heron of Ulm eats fish.", encoding="utf-8")

    async def scenario():
        client = KnowledgeClient(tmp_path / "data", setup)
        try:
            with egress.on(KEPT):
                base = await attachment_base(client, "c1")
                assert (await attachment_base(client, "c1")).id == base.id
            async with aclosing(client.add(base.id, [path])) as steps:
                async for _ in steps:
                    pass
            (item,) = await until(
                client,
                lambda: client.items(base.id),
                lambda items: items[0].state.has_ended or items[0].error,
            )
            assert (item.state, item.error) == (ItemState.READY, "")
            noted = []
            with egress.on(EgressContext(stays_here=True, note=noted.append)):
                found = await client.retrieve(["What does the heron eat?"], [base.id], 3)
            assert [passage.text for passage in found.passages] == ["The heron of Ulm eats fish."]
            assert any("stays on this computer" in note for note in found.notes)
            assert noted == []
        finally:
            await client.aclose()

    asyncio.run(scenario())


def test_the_model_of_a_base_that_stays_here_runs_here():
    def chosen(setup, **options):
        return setup.model_for(BaseOptions(**options))

    known = asyncio.run(setup())
    assert chosen(known) == "far"
    assert chosen(known, stays_here=True) == BUILT_IN_MODEL
    assert chosen(known, stays_here=True, model="far") == BUILT_IN_MODEL
    assert (
        chosen(known, stays_here=True, model="intfloat/multilingual-e5-small")
        == "intfloat/multilingual-e5-small"
    )


def test_no_embedder_and_no_index_elsewhere_is_asked(tmp_path):
    async def scenario():
        encoder = RemoteEncoder(EMBEDDER, "", ProxyChoice(NO_PROXY))
        keys = ChromaCollections(ChromaSite(server=ChromaServer("s", "S", FAR)), tmp_path / "k.db")
        try:
            with egress.on(KEPT):
                with pytest.raises(StaysHere):
                    await encoder.encode(["a question"])
                with pytest.raises(StaysHere):
                    await keys.nearest(CollectionKey("b", "m"), b"", 1)
        finally:
            keys.close()
            await encoder.aclose()

    asyncio.run(scenario())


def test_what_the_worker_sends_is_noted_where_it_was_asked_for(tmp_path):
    """The judge cannot be reached; that it was to be asked is noted for the conversation all the same."""
    path = tmp_path / "heron.txt"
    path.write_text("The heron of Ulm eats fish.", encoding="utf-8")

    async def scenario():
        async def nearby():
            known = await setup()
            # A port of this machine that nobody listens on, under a name that does not say so.
            judge = OwnReranker("judge", "Judge", "http://judge.invalid:9", "m")
            settings = replace(known.settings, own_rerankers=(judge,), embedding_model=BUILT_IN_MODEL)
            return replace(known, settings=settings)

        client = KnowledgeClient(tmp_path / "data", nearby)
        try:
            base = await client.create("b")
            async with aclosing(client.add(base.id, [path])) as steps:
                async for step in steps:
                    if step.item.state in AS_TEXT:
                        break
            noted = []
            with egress.on(EgressContext(note=noted.append)):
                await client.retrieve(["What does the heron eat?"], [base.id], 3)
            (left,) = noted
            assert (left.host, left.channel) == ("judge.invalid", Channel.RERANKING)
            assert left.sent_bytes > 50
        finally:
            await client.aclose()

    asyncio.run(scenario())
