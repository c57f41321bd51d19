"""Flipped bits and cuts in the database of the knowledge bases: told, and brought back from its newest copy."""

import random
import shutil
from collections import Counter
from contextlib import aclosing

import pytest

from desktop.errors import DatabaseRestored
from desktop.services.knowledge_backups import KnowledgeBackups
from tests.unit.services.knowledge.filled_bases import PASSAGES, database_of, fill, names, passages

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


def harmed(content, chance):
    """Return what is left of a database."""
    kind = chance.choice(["a flipped bit", "a flipped bit", "a page of rubbish", "a cut", "nothing left"])
    harmed = bytearray(content)
    if kind == "a flipped bit":
        harmed[chance.randrange(len(harmed))] ^= 1 << chance.randrange(8)
    elif kind == "a page of rubbish":
        begin = chance.randrange(len(harmed) // 4096) * 4096
        harmed[begin : begin + 4096] = chance.randbytes(4096)
    else:
        del harmed[chance.randrange(len(harmed)) if kind == "a cut" else 0 :]
    return bytes(harmed)


async def test_damage_is_found_or_harmless(tmp_path, times, told):
    count = times(30, 3_000)
    fill(tmp_path, "Lighthouses")
    backups = KnowledgeBackups(tmp_path, lambda: None)
    async with aclosing(backups.take()) as steps:
        async for _ in steps:
            pass
    content, chance = database_of(tmp_path).read_bytes(), random.Random(31)
    outcomes = Counter()
    for _ in range(count):
        shutil.rmtree(tmp_path / "knowledge")
        (tmp_path / "knowledge").mkdir()
        database_of(tmp_path).write_bytes(harmed(content, chance))
        restored = await backups.recover()
        assert restored is None or isinstance(restored, DatabaseRestored)
        assert names(tmp_path) == ["Lighthouses"]
        assert passages(tmp_path) == PASSAGES
        outcomes["restored" if restored else "harmless"] += 1
    told(
        "Database of knowledge bases damaged: bits, pages, cuts, emptied",
        count,
        f"{outcomes['restored']:,} restored from the copy and said, {outcomes['harmless']:,} harmless, "
        "no text changed unseen",
    )
