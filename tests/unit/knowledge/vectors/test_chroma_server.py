"""Bases whose vectors are on a real Chroma server: shared, moved, and missed when it is down."""

import asyncio
from contextlib import aclosing, contextmanager
from dataclasses import replace

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from desktop.domain.knowledge import BaseOptions, ItemState
from desktop.errors.servers import ChromaDown
from desktop.knowledge import vector_service as shelves_module
from desktop.knowledge.chroma_index import release
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.vector_rows import CollectionKey
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.vector_service import ChromaCollections, ChromaSite
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.settings.model import ChromaServer, KnowledgeSettings
from tests.cases import cases
from tests.unit.knowledge.chroma_server import RunningChroma, free_port
from tests.unit.knowledge.knowledge_files import make_text


@pytest.fixture(scope="module")
def chroma(tmp_path_factory):
    chroma = RunningChroma(tmp_path_factory.mktemp("chroma"))
    chroma.start()
    yield chroma
    chroma.stop()


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(shelves_module, "QUIET_S", 0.0)


def vector(*values, size=8):
    unit = np.zeros(size, np.float32)
    unit[: len(values)] = values
    return (unit / np.linalg.norm(unit)).tobytes()


class Machine:
    """What one person has in SQLite, and that person's view of the server."""

    def __init__(self, folder, server):
        self.path = folder / "knowledge.db"
        database = IndexDatabase(self.path)
        self.base = Bases(database).create("Same name")
        library, self.passages = ItemStore(database), Passages(database)
        (item,) = library.enqueue(self.base.id, [folder / "animals.txt"])
        text = "\n\n".join(f"Animal number {n} is a very particular one." for n in range(3))
        library.put(
            item, "digest", reading_of(document_of("", [DocumentPart(text, page=n) for n in range(3)]), "")
        )
        self.ids = [passage.id for passage in self.passages.pending(10)]
        self.rows = list(zip(self.ids, [vector(1), vector(0, 1), vector(1, 1)], strict=True))
        self.passages.put_vectors("multilingual-e5-small", self.rows)
        self.key = CollectionKey(self.base.id, "multilingual-e5-small")
        self.keys = ChromaCollections(ChromaSite(server=server), self.path)
        self.database = database

    async def nearest(self):
        return [passage for passage, _ in (await self.keys.nearest(self.key, vector(1, 0.1), 5)).passages]

    def close(self):
        self.keys.close()
        self.database.close()


@pytest.fixture
def machines(tmp_path, chroma):
    both = [Machine(tmp_path / name, chroma.server) for name in ("one", "two")]
    yield both
    for machine in both:
        machine.close()


@contextmanager
def visiting(chroma):
    """Look at the server as another program would."""
    client = chromadb.HttpClient(port=chroma.port, settings=Settings(anonymized_telemetry=False))
    yield client
    release(client)


def collections(chroma):
    with visiting(chroma) as client:
        return {collection.name for collection in client.list_collections()}


def test_two_machines_with_bases_of_the_same_name_do_not_meet(machines, chroma):
    one, two = machines

    async def scenario():
        await one.keys.settle([one.key])
        await two.keys.settle([two.key])
        await one.keys.delete(one.key, one.ids[:1])
        assert await one.nearest() == [one.ids[2], one.ids[1]]
        assert await two.nearest() == [two.ids[0], two.ids[2], two.ids[1]]
        await one.keys.remove_leftovers([])
        assert one.key.name not in collections(chroma)
        assert two.key.name in collections(chroma)
        assert len(await two.nearest()) == 3

    asyncio.run(scenario())


def test_what_others_keep_on_a_server_is_left_alone(machines, chroma):
    with visiting(chroma) as client:
        client.get_or_create_collection("somebody-elses", embedding_function=None)
    asyncio.run(machines[0].keys.remove_leftovers([]))
    assert "somebody-elses" in collections(chroma)


def test_a_collection_that_is_gone_or_of_another_length_is_filled_anew(machines, chroma):
    one, _ = machines

    async def scenario(client):
        await one.keys.settle([one.key])
        for shape in (8, 3):
            client.delete_collection(one.key.name)
            if shape == 3:
                other = client.create_collection(one.key.name, embedding_function=None)
                other.add(ids=["77"], embeddings=[[1.0, 0.0, 0.0]])
            with pytest.raises(ChromaDown):
                await one.nearest()
            assert not one.keys.is_settled(one.key)
            await one.keys.settle([one.key])
            assert await one.nearest() == [one.ids[0], one.ids[2], one.ids[1]]

    with visiting(chroma) as client:
        asyncio.run(scenario(client))


@cases(
    "server, words",
    [
        (ChromaServer("x", "Nobody", "http://127.0.0.1:9"), "Check its address"),
        (ChromaServer("x", "Odd", "127.0.0.1:8000"), "not a valid address"),
        (ChromaServer("x", "Odd", "ftp://127.0.0.1"), "not a valid address"),
    ],
)
def test_what_is_wrong_with_a_server_is_said(tmp_path, server, words):
    machine = Machine(tmp_path, server)
    try:
        with pytest.raises(ChromaDown, match=words) as caught:
            asyncio.run(machine.keys.test())
        assert server.name in str(caught.value)
    finally:
        machine.close()


def test_a_tenant_that_is_not_there_is_said(tmp_path, chroma):
    machine = Machine(tmp_path, replace(chroma.server, tenant="nobody"))
    try:
        with pytest.raises(ChromaDown, match="nobody"):
            asyncio.run(machine.keys.test())
    finally:
        machine.close()


def test_a_base_moves_to_a_server_and_back_and_answers_while_it_is_down(tmp_path, chroma):
    port = free_port()
    own = RunningChroma(tmp_path / "server")
    own.start()
    settings = KnowledgeSettings(
        chroma_servers=(own.server, ChromaServer("gone", "Gone", f"http://127.0.0.1:{port}"))
    )
    heron = make_text(tmp_path / "heron.txt", "The heron eats fish and stands on one leg.")

    async def setup():
        return WorkerConfig(settings)

    async def scenario():
        client = KnowledgeClient(tmp_path / "data", setup)
        try:
            base = await client.create("Birds")
            async with aclosing(client.add(base.id, [heron])) as steps:
                async for step in steps:
                    last = step.item.state
            assert last is ItemState.READY

            async def asked():
                found = await client.retrieve(["which bird stands in the water"], [base.id], 3)
                return [passage.title for passage in found.passages], found.notes

            async def asked_until(is_noted):
                async with asyncio.timeout(60):
                    while bool((answer := await asked())[1]) is not is_noted:
                        pass
                return answer

            assert await client.test_server(own.server, None) == "“Team server” responds."
            base = await client.update(replace(base, options=BaseOptions(place="team")))
            assert (await asked_until(False))[0] == ["heron.txt"]
            assert len(collections(own)) == 1
            own.stop()
            titles, notes = await asked_until(True)
            assert titles == ["heron.txt"]
            assert "Team server" in notes[0]
            own.start()
            assert (await asked_until(False))[0] == ["heron.txt"]
            await client.update(replace(base, options=BaseOptions()))
            assert (await asked_until(False))[0] == ["heron.txt"]
        finally:
            await client.aclose()

    try:
        asyncio.run(scenario())
    finally:
        own.stop()
