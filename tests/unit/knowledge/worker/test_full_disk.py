"""A disk without room, as SQLite meets it: said, and made up for as soon as there is room."""

import asyncio
from contextlib import aclosing, closing, suppress
from dataclasses import replace

import pytest

from desktop.domain.knowledge import BaseOptions, ItemState
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore, StoredContent
from desktop.knowledge.ingest.ingest import Ingest
from desktop.knowledge.ingest.picture_describer import Describer
from desktop.knowledge.progress import ProgressBroadcast
from desktop.knowledge.reader.pool import ReaderPool
from desktop.knowledge.vector_service import VectorService
from desktop.knowledge.worker.client import put_in_place
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.storage.samples import file_size_limit

MUCH = "The heron eats fish and stands in water. " * 2_000


def test_bases_that_do_not_fit_leave_those_that_are_there_and_no_half_of_themselves(tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_bytes(b"x" * 10_000)
    there = tmp_path / "data" / "knowledge" / "knowledge.db"
    there.parent.mkdir(parents=True)
    there.write_bytes(b"mine")
    with file_size_limit(2_000), pytest.raises(OSError, match="large"):
        put_in_place(copy, tmp_path / "data")
    assert [(path.name, path.read_bytes()) for path in there.parent.iterdir()] == [(there.name, b"mine")]
    put_in_place(copy, tmp_path / "data")
    assert [path.name for path in there.parent.iterdir()] == [there.name]
    assert there.read_bytes() == copy.read_bytes()


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path):
    small = make_text(tmp_path / "small.txt", "The otter swims.")
    large = make_text(tmp_path / "large.txt", MUCH)

    async def scenario(database):
        bases, library, steps = Bases(database), ItemStore(database), ProgressBroadcast()
        base = bases.create("base")
        # Of a model that is not here: this is about reading.
        bases.update(replace(base, options=BaseOptions(model="nobody/nothing")))
        vectors = VectorService(tmp_path / "vectors", tmp_path / "knowledge.db")
        ingest = Ingest(
            database, vectors, ReaderPool(), steps, tmp_path / "spool", describer=Describer(print)
        )
        running = asyncio.create_task(ingest.run())
        try:
            async with asyncio.timeout(60), aclosing(steps.follow()) as batches:
                await ingest.enqueue(base.id, [small])
                await _until(batches, small.name, lambda item: item.state is ItemState.KEYWORD_READY)
                (pages,) = database.connection.execute("PRAGMA page_count").fetchone()
                database.connection.execute(f"PRAGMA max_page_count = {pages + 8}")
                await ingest.enqueue(base.id, [large])
                told = await _until(batches, large.name, lambda item: item.error)
                assert "disk is full" in told.error
                assert [item.passages for item in library.items(base.id)] == [1, 0]
                link = ingest.put_link(base.id, "https://example.org")
                ingest.put_fetched(link, "page", StoredContent(".txt", MUCH.encode()))
                await _until(batches, "https://example.org", lambda item: "disk is full" in item.error)
                assert [item.id for item in library.to_fetch()] == [link]
                await ingest.remove([link])
                database.connection.execute("PRAGMA max_page_count = 1000000")
                ingest.wake()
                read = await _until(
                    batches, large.name, lambda item: item.state is ItemState.KEYWORD_READY and item.passages
                )
                assert read.passages > 50
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            vectors.close()

    with closing(IndexDatabase(tmp_path / "knowledge.db")) as database:
        asyncio.run(scenario(database))


async def _until(batches, name, is_so):
    async for batch in batches:
        for step in batch:
            if step.item.name == name and is_so(step.item):
                return step.item
    raise AssertionError("the steps ended")
