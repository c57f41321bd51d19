"""Indexes that are damaged or gone are built again from SQLite, and find what a fresh one finds."""

import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta

import pytest
from chromadb.api.shared_system_client import SharedSystemClient

from desktop.knowledge.index.vector_rows import CollectionKey
from desktop.storage.history_index import FILE_NAME as INDEX
from tests.unit.knowledge.vectors.test_chroma_index import Truth, nearest, vector
from tests.unit.storage.history.test_store import DAY, all_of, opened, talk, texts

pytestmark = pytest.mark.anyio

WORDS = ("tide", "ebb", "moon", "harbour", "潮汐", "灯塔", "ferry", "Brest")
HARMS = ("flip", "flip", "cut", "gone", "empty", "rubbish", "other database")


def harm(path, kind, chance):
    """Damage a file in one of the ways that disks and people do."""
    content = bytearray(path.read_bytes())
    match kind:
        case "flip":
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        case "cut":
            del content[chance.randrange(len(content)) :]
        case "empty":
            content.clear()
        case "rubbish":
            start = chance.randrange(len(content))
            content[start : start + 4096] = chance.randbytes(4096)
        case "gone" | "other database":
            path.unlink()
            if kind == "other database":
                with closing(sqlite3.connect(path)) as connection:
                    connection.execute("CREATE TABLE other (x)")
                    connection.commit()
            return
    path.write_bytes(content)


async def test_a_damaged_index_of_messages_finds_what_a_fresh_one_finds(tmp_path, times, told):
    count, chance = times(14, 500), random.Random(7)
    origin = tmp_path / "origin"
    async with opened(origin) as (store, history):
        for number in range(30):
            said = (" ".join(chance.choices(WORDS, k=9)) + f" {number}" for _ in range(6))
            await talk(store, *said, at=DAY + timedelta(hours=number))
        await all_of(history)
        fresh = {word: await texts(history, word) for word in WORDS}
    kinds, wrong = Counter(), Counter()
    for number in range(count):
        folder = tmp_path / "damaged"
        shutil.copytree(origin, folder)
        kind = HARMS[number % len(HARMS)]
        for log in (f"{INDEX}-wal", f"{INDEX}-shm"):
            (folder / log).unlink(missing_ok=True)
        harm(folder / INDEX, kind, chance)
        async with opened(folder) as (_, history):
            for word in WORDS:  # damage that shows only while it is read is run_with_repair then
                await texts(history, word)
            await all_of(history)
            found = {word: await texts(history, word) for word in WORDS}
        kinds[kind] += 1
        wrong[kind] += found != fresh
        shutil.rmtree(folder)
    assert not wrong.total(), wrong
    told(
        "Index of messages flipped, cut, emptied, overwritten or gone",
        count,
        f"what a fresh one finds, each time, after {kinds['flip']} flipped bits too",
    )


def test_damaged_vectors_find_what_fresh_ones_find(tmp_path, times, told):
    count, chance = times(3, 60), random.Random(8)
    knowledge_store = CollectionKey("a", "multilingual-e5-small")
    truth = Truth({knowledge_store: {key: vector(1, key / 10) for key in range(1, 40)}})
    origin = tmp_path / "origin"
    fresh = nearest(truth.open(origin), knowledge_store, 10)
    SharedSystemClient.clear_system_cache()
    for number in range(count):
        folder = tmp_path / "damaged"
        shutil.copytree(origin, folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        files = [path for path in files if path.stat().st_size]
        harm(chance.choice(files), ("cut", "gone", "empty", "other database")[number % 4], chance)
        assert nearest(truth.open(folder), knowledge_store, 10) == fresh
        SharedSystemClient.clear_system_cache()
        shutil.rmtree(folder)
    told("Files of the vectors cut, emptied, replaced or gone", count, "what a fresh one finds, each time")
