"""A vector index that is missing, damaged or no folder is rebuilt out of SQLite, and it is said."""

import shutil
from contextlib import aclosing

import pytest

from desktop.errors import VectorsRebuilt
from desktop.knowledge.worker.client import KnowledgeClient, empty_vectors
from tests.cases import cases
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.progress import until


def make_file(folder):
    shutil.rmtree(folder)
    folder.write_text("a file where the folder should be")


def damage(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged" * 100)


async def find(client):
    (base,) = await client.bases()
    (passage,) = (await client.retrieve(["birds that cannot fly"], [base.id], 1)).passages
    return passage.title


async def fill(data, path):
    client = KnowledgeClient(data)
    try:
        base = await client.create("base")
        async with aclosing(client.add(base.id, [path])) as steps:
            async for _ in steps:
                pass
    finally:
        await client.aclose()


@pytest.fixture(scope="module")
def filled_base(runner, tmp_path_factory):
    """A data folder with a base of one file, which nothing has damaged yet."""
    folder = tmp_path_factory.mktemp("filled")
    path = make_text(folder / "birds.txt", "Penguins live in the south and cannot fly.")
    runner.run(fill(folder / "data", path))
    return folder / "data"


@cases(
    "harm, reason",
    [(make_file, "exists"), (shutil.rmtree, "its folder was missing"), (damage, "database")],
)
def test_vectors_are_rebuilt_and_it_is_said(runner, filled_base, tmp_path, harm, reason):
    told = []
    data = shutil.copytree(filled_base, tmp_path / "data")

    async def scenario():
        harm(data / "knowledge" / "vectors")
        client = KnowledgeClient(data, tell_user=told.append)
        try:
            assert await find(client) == "birds.txt"

            async def told_so_far():
                return told

            [notice] = await until(client, told_so_far, bool)  # the answer need not wait for the vectors
            assert isinstance(notice, VectorsRebuilt)
            assert reason in str(notice)
        finally:
            await client.aclose()

    runner.run(scenario())


def test_vectors_that_are_sound_or_emptied_on_purpose_are_no_news(runner, filled_base, tmp_path):
    told = []
    data = shutil.copytree(filled_base, tmp_path / "data")

    async def scenario():
        for prepare in (lambda _: None, empty_vectors):
            prepare(data)
            client = KnowledgeClient(data, tell_user=told.append)
            try:
                assert await find(client) == "birds.txt"
            finally:
                await client.aclose()
        assert told == []

    runner.run(scenario())
