"""Bases with embedding models of their own: asked together, and taken along with their vectors."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

from desktop.domain.knowledge import BaseOptions, ItemState
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.settings.model import NO_PROXY, KnowledgeSettings, OwnEmbedder
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.unit.knowledge.embedding.test_remote import serve
from tests.unit.knowledge.embedding.tiny_model import make_model
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.progress import PATIENCE_S, until


def client_of(folder, *embedders, **settings):
    async def setup():
        knowledge = KnowledgeSettings(own_embedders=embedders, **settings)
        return WorkerConfig(
            knowledge, {f"embedding/{own.id}": "key" for own in embedders}, ProxyChoice(NO_PROXY)
        )

    return KnowledgeClient(folder, setup)


def embedder(server, key):
    return OwnEmbedder(key, key, server.address, "a-model")


async def fill(client, name, model, path):
    base = await client.create(name)
    base = await client.update(replace(base, options=BaseOptions(model=model)))
    async with aclosing(client.add(base.id, [path])) as steps:
        async for _ in steps:
            pass
    (item,) = await until(
        client,
        lambda: client.items(base.id),
        lambda items: items[0].state is ItemState.READY or items[0].error,
    )
    assert item.state is ItemState.READY, item.error
    return base


async def last_of(steps):
    async with asyncio.timeout(PATIENCE_S), aclosing(steps):
        return [step async for step in steps][-1]


def test_one_question_asks_each_base_by_its_own_model(tmp_path):
    tiny = str(make_model(tmp_path / "tiny"))
    texts = {
        "minilm": "The heron eats fish.",
        tiny: "The gull follows the plough.",
        "one": "The otter swims.",
    }

    async def scenario(server):
        client = client_of(tmp_path / "data", embedder(server, "one"), own_models=(tiny,))
        try:
            bases = [
                await fill(client, f"base {place}", model, make_text(tmp_path / f"{place}.txt", text))
                for place, (model, text) in enumerate(texts.items())
            ]
            # A word that none of them holds: what is found is found by its meaning.
            found = await client.retrieve(["creatures"], [base.id for base in bases], 3)
            assert {passage.text for passage in found.passages} == set(texts.values())
            assert found.notes == ()
        finally:
            await client.aclose()

    with serve() as server:
        asyncio.run(scenario(server))


@cases("is_up", [True, False])
def test_vectors_of_a_server_are_taken_along_to_where_it_has_another_id(tmp_path, is_up):
    target = tmp_path / "base.footnote-base"
    heron = make_text(tmp_path / "heron.txt", "The heron eats fish.")

    async def export(server):
        client = client_of(tmp_path / "one", embedder(server, "one"), embedding_model="one")
        try:
            base = await fill(client, "Birds", "" if is_up else "one", heron)
            await last_of(client.export(base.id, target))
        finally:
            await client.aclose()

    async def take_in(server):
        client = client_of(tmp_path / "two", embedder(server, "two"))
        try:
            base = (await last_of(client.import_(target))).base
            assert (base.model, base.options.model) == ("two", "two")
            assert [item.state for item in await client.items(base.id)] == [ItemState.READY]
            assert (await client.status()).embedding == 0
        finally:
            await client.aclose()

    with serve() as server:
        asyncio.run(export(server))
        embedded = [text for request in server.requests for text in request["input"]]
        assert any("heron" in text for text in embedded)
        server.requests.clear()
        if is_up:
            asyncio.run(take_in(server))
    if not is_up:
        asyncio.run(take_in(server))
    assert not any("heron" in text for request in server.requests for text in request["input"])
