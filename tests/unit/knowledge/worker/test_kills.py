"""The worker is killed at any moment: index and text belong together, and what was being read is read again."""

import asyncio
import os
import random
import signal
import sqlite3
from contextlib import aclosing, closing

import pytest

from desktop.domain.knowledge import ItemState
from desktop.errors import IndexUnavailable
from desktop.knowledge.worker.client import KnowledgeClient
from tests.unit.knowledge.knowledge_files import make_text

FILES = 40
KILLS = 2
SEARCHABLE = {ItemState.KEYWORD_READY, ItemState.READY}


async def pid_of(client):
    """Return the process that works now; the one that was killed may not have been missed yet."""
    while True:
        try:
            return (await client.status()).pid
        except IndexUnavailable:
            continue


async def add_with_kills(client, base, folder, moments):
    """Add a folder and kill the worker after as many steps as `moments` say; return where each item ended."""
    items, count, victims = {}, 0, []
    async with asyncio.timeout(90), aclosing(client.add(base.id, [folder])) as steps:
        async for step in steps:
            items[step.item.id] = step.item
            count += 1
            if moments and count >= moments[0]:
                moments.pop(0)
                victims.append(await pid_of(client))
                os.kill(victims[-1], signal.SIGKILL)
            if len(items) == FILES and {item.state for item in items.values()} <= {
                *SEARCHABLE,
                ItemState.FAILED,
            }:
                break
    return items, victims


def unsound(path):
    """Return what does not belong together in a database that nobody has open."""
    checks = {
        "pages": "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        "references": "SELECT * FROM pragma_foreign_key_check",
        "terms without passage": "SELECT rowid FROM passages_fts EXCEPT SELECT id FROM passages",
        "passages without terms": "SELECT id FROM passages EXCEPT SELECT rowid FROM passages_fts",
        "counts": """SELECT id FROM documents d WHERE passages = 0
            OR passages <> (SELECT count(*) FROM passages p WHERE p.document_id = d.id)""",
        "texts": "SELECT id FROM documents EXCEPT SELECT document_id FROM texts",
        "passages beside their text": """SELECT p.id FROM passages p JOIN texts t USING (document_id)
            WHERE p.text <> substr(t.text, p.start + 1, p."end" - p.start)""",
        "searchable without content": """SELECT id FROM items
            WHERE state IN ('ready', 'keyword_ready') AND document_id IS NULL""",
        "ready without vectors": """SELECT i.id FROM items i JOIN passages p ON p.document_id = i.document_id
            WHERE i.state = 'ready' AND p.id NOT IN (SELECT passage_id FROM vectors)""",
        "content of nobody": "SELECT id FROM documents EXCEPT SELECT document_id FROM items",
    }
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: rows for name, query in checks.items() if (rows := connection.execute(query).fetchall())
        }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows ends processes in another way")
def test_a_worker_killed_again_and_again_leaves_everything_sound(runner, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(FILES):
        make_text(
            folder / f"{number:02}.txt", f"Animal {number} lives in house {number}. " * (1 + number % 30)
        )
    chance = random.Random(5)
    moments = sorted(chance.sample(range(FILES // 2, FILES + FILES // 2), KILLS))

    async def scenario():
        client = KnowledgeClient(tmp_path / "data")
        try:
            base = await client.create("base")
            items, victims = await add_with_kills(client, base, folder, moments)
            assert len(set(victims)) == KILLS
            assert {item.id: item.state for item in await client.items(base.id)}.keys() == items.keys()
            failed = [item for item in items.values() if item.state is ItemState.FAILED]
            assert len(failed) < KILLS  # one that was read at two kills; none that was beside it
            assert all("Read it again" in item.error for item in failed)
            found = (await client.retrieve(["animal 31 house"], [base.id], FILES)).passages
            assert "31.txt" in {passage.title for passage in found}
        finally:
            await client.aclose()

    runner.run(scenario())
    assert unsound(tmp_path / "data" / "knowledge" / "knowledge.db") == {}
