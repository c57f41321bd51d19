"""Questions to a Chroma that is still being filled."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.errors import InternalError

from desktop.errors import StorageFull
from desktop.knowledge import vector_service
from desktop.knowledge import vector_service as keys
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.vector_rows import CollectionKey
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.vector_service import ChromaCollections, ChromaSite, VectorService

ASKED = np.eye(1, 8, dtype=np.float32).tobytes()


def fill(path):
    """Return the shelf of a base with one passage, whose vector is in SQLite alone."""
    with closing(IndexDatabase(path)) as database:
        base = Bases(database).create("books")
        library, passages = ItemStore(database), Passages(database)
        (item,) = library.enqueue(base.id, [Path("/heron.txt")])
        library.put(item, "heron", reading_of(document_of("", [DocumentPart("Herons eat fish.")]), ""))
        passages.put_vectors(base.model, [(each.id, ASKED) for each in passages.pending(9)])
        return CollectionKey(base.id, base.model)


def test_a_question_is_compared_with_all_vectors_while_chroma_is_not_ready(tmp_path, monkeypatch):
    key = fill(tmp_path / "knowledge.db")

    async def scenario():
        chroma = ChromaCollections(ChromaSite(tmp_path / "vectors"), tmp_path / "knowledge.db")
        try:
            found = await chroma.nearest(key, ASKED, 5)
            assert (found.is_complete, chroma.is_settled(key)) == (True, False)
            assert not (tmp_path / "vectors").exists()
            await chroma.settle([key])
            again = await chroma.nearest(key, ASKED, 5)
            assert [passage for passage, _ in again.passages] == [passage for passage, _ in found.passages]
            assert [round(cosine, 4) for _, cosine in (*found.passages, *again.passages)] == [1, 1]
        finally:
            chroma.close()

    asyncio.run(scenario())


def test_a_question_of_a_large_base_does_not_wait_until_all_vectors_are_copied(tmp_path, monkeypatch):
    key = fill(tmp_path / "knowledge.db")

    async def scenario():
        chroma = ChromaCollections(ChromaSite(tmp_path / "vectors"), tmp_path / "knowledge.db")
        try:
            monkeypatch.setattr(keys, "COMPARED", 0)
            monkeypatch.setattr(keys, "PATIENCE_S", 0)
            assert await chroma.nearest(key, ASKED, 5) == ([], False)
            assert not chroma.is_settled(key)
            await chroma.settle([key])
            ((_, cosine),), is_complete = await chroma.nearest(key, ASKED, 5)
            assert (round(cosine, 4), is_complete) == (1, True)
        finally:
            chroma.close()

    asyncio.run(scenario())


def test_a_full_disk_is_said_and_leaves_chroma_as_it_is(tmp_path, monkeypatch):
    key = fill(tmp_path / "knowledge.db")
    real = chromadb.PersistentClient

    def refuse(**_options):
        raise InternalError("error returned from database: (code: 13) database or disk is full")

    async def scenario():
        chroma = ChromaCollections(ChromaSite(tmp_path / "vectors"), tmp_path / "knowledge.db", print)
        try:
            monkeypatch.setattr(chromadb, "PersistentClient", refuse)
            for _ in range(2):
                with pytest.raises(StorageFull, match="disk is full"):
                    await chroma.settle([key])
            assert (tmp_path / "vectors").is_dir()
            monkeypatch.setattr(chromadb, "PersistentClient", real)
            await chroma.settle([key])
            assert chroma.is_settled(key)
        finally:
            chroma.close()

    asyncio.run(scenario())


def test_chroma_is_loaded_at_the_start_for_large_bases_alone(tmp_path, monkeypatch):
    fill(tmp_path / "knowledge.db")
    folder = tmp_path / "vectors"
    folder.mkdir()

    async def scenario():
        for least, is_loaded in ((2, False), (1, True)):
            monkeypatch.setattr(vector_service, "SETTLED_AT_ONCE", least)
            service = VectorService(folder, tmp_path / "knowledge.db")
            try:
                assert await service._bring("")
                assert any(folder.iterdir()) is is_loaded
            finally:
                service.close()

    asyncio.run(scenario())


def test_the_collection_of_a_deleted_base_goes_from_a_chroma_that_was_not_used_yet(tmp_path):
    key = fill(tmp_path / "knowledge.db")
    folder = tmp_path / "vectors"

    async def scenario():
        chroma = ChromaCollections(ChromaSite(folder), tmp_path / "knowledge.db")
        try:
            await chroma.settle([key])
        finally:
            chroma.close()
        with closing(IndexDatabase(tmp_path / "knowledge.db")) as database:
            database.connection.execute("DELETE FROM bases")
        service = VectorService(folder, tmp_path / "knowledge.db")
        try:
            await service.remove_leftovers()
        finally:
            service.close()
        with closing(sqlite3.connect(folder / "chroma.sqlite3")) as stored:
            assert stored.execute("SELECT count(*) FROM collections").fetchone() == (0,)

    asyncio.run(scenario())
