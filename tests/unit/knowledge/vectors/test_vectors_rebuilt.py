"""A vector index that is missing, damaged or no folder is rebuilt out of SQLite, and it is said."""

import shutil
from contextlib import aclosing

import pytest

from desktop.errors import VectorsRebuilt
from desktop.knowledge.worker.client import KnowledgeClient, empty_vectors
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.progress import until


def make_file(folder):
    shutil.rmtree(folder)
    folder.write_text("a file where the folder should be")


def damage(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged" * 100)


async def found(client):
    (base,) = await client.bases()
    (passage,) = (await client.retrieve(["birds that cannot fly"], [base.id], 1)).passages
    return passage.title


@pytest.mark.parametrize(
    ("harm", "reason"),
    [(make_file, "exists"), (shutil.rmtree, "its folder was missing"), (damage, "database")],
)
def test_vectors_are_rebuilt_and_it_is_said(runner, tmp_path, harm, reason):
    told = []

    async def scenario():
        client = KnowledgeClient(tmp_path / "data", tell_user=told.append)
        try:
            base = await client.create("base")
            path = make_text(tmp_path / "birds.txt", "Penguins live in the south and cannot fly.")
            async with aclosing(client.add(base.id, [path])) as steps:
                async for _ in steps:
                    pass
        finally:
            await client.aclose()
        assert told == []
        harm(tmp_path / "data" / "knowledge" / "vectors")
        client = KnowledgeClient(tmp_path / "data", tell_user=told.append)
        try:
            assert await found(client) == "birds.txt"

            async def told_so_far():
                return told

            [notice] = await until(client, told_so_far, bool)  # the answer need not wait for the vectors
            assert isinstance(notice, VectorsRebuilt)
            assert reason in str(notice)
        finally:
            await client.aclose()
        empty_vectors(tmp_path / "data")
        client = KnowledgeClient(tmp_path / "data", tell_user=told.append)
        try:
            assert await found(client) == "birds.txt"
            assert told == [notice]
        finally:
            await client.aclose()

    runner.run(scenario())
