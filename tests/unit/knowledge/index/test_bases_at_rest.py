"""Bases that a worker has nothing to do for are read without one; all others are left to it."""

import asyncio
from contextlib import closing
from pathlib import Path

from desktop.domain.knowledge import BUILT_IN_MODEL
from desktop.knowledge.index.bases import Bases, read_bases_at_rest
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.worker.client import KnowledgeClient
from tests.cases import cases


def fill(path, *changes):
    with closing(IndexDatabase(path)) as database:
        for name in ("sea", "Land"):
            base = Bases(database).create(name)
        ItemStore(database).enqueue(base.id, [Path("/heron.txt")])
        database.connection.execute("UPDATE items SET state = 'ready'")
        for change in changes:
            database.connection.execute(change)


@cases(
    "changes, names",
    [
        ([], ["Land", "sea"]),
        (["UPDATE items SET state = 'failed'"], ["Land", "sea"]),
        (["UPDATE items SET state = 'waiting'"], None),
        (["UPDATE items SET state = 'keyword_ready'"], None),
        (["INSERT INTO folders (id, base_id, path) SELECT 'f', id, '/books' FROM bases LIMIT 1"], None),
        (["UPDATE bases SET deleted_at = unixepoch() WHERE name = 'sea'"], ["Land"]),
        (["UPDATE bases SET deleted_at = 0 WHERE name = 'sea'"], None),
        (["UPDATE bases SET model = 'other' WHERE name = 'sea'"], None),
        (["""UPDATE bases SET model = 'own', options = '{"model": "own"}' WHERE name = 'sea'"""], None),
        (["""UPDATE bases SET options = '{"place": "server"}' WHERE name = 'sea'"""], None),
        (["UPDATE bases SET options = '{\"place\": 1' WHERE name = 'sea'"], None),
        (["PRAGMA user_version = 1"], None),
    ],
)
def test_only_bases_without_work_are_read_without_a_worker(tmp_path, changes, names):
    fill(tmp_path / "knowledge.db", *changes)
    found = read_bases_at_rest(tmp_path / "knowledge.db", lambda options: options.model or BUILT_IN_MODEL)
    assert names == (None if found is None else [base.name for base in found])


def test_what_cannot_be_read_is_left_to_the_worker(tmp_path):
    assert read_bases_at_rest(tmp_path / "knowledge.db", lambda _: BUILT_IN_MODEL) is None
    (tmp_path / "knowledge.db").write_bytes(b"no database" * 1000)
    assert read_bases_at_rest(tmp_path / "knowledge.db", lambda _: BUILT_IN_MODEL) is None


def test_the_list_of_bases_starts_no_worker_and_is_the_one_of_the_worker(tmp_path):
    fill(tmp_path / "knowledge" / "knowledge.db")

    async def scenario():
        client = KnowledgeClient(tmp_path)
        try:
            listed = await client.bases()
            assert not client.is_warm
            await client.status()
            assert client.is_warm
            assert await client.bases() == listed
        finally:
            await client.aclose()

    asyncio.run(scenario())
