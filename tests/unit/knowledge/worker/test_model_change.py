"""Another embedding model takes over behind the one that answers; going back and restarting are no harm."""

import asyncio
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL, BaseOptions
from desktop.errors import ModelInUse, ModelMissing, ModelUnusable
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.settings.model import KnowledgeSettings
from tests.unit.knowledge.embedding.tiny_model import make_model
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.progress import until


@asynccontextmanager
async def running(folder, settings):
    async def setup():
        return WorkerConfig(settings[0])

    client = KnowledgeClient(folder, setup)
    try:
        yield client
    finally:
        await client.aclose()


async def add(client, base, path):
    async with aclosing(client.add(base.id, [path])) as steps:
        async for _ in steps:
            pass


async def model_of(client, wanted):
    (base,) = await until(client, client.bases, lambda bases: bases[0].model == wanted)
    return base


async def ask(client, base):
    found = await client.retrieve(["which bird stands in water"], [base.id], 3)
    return [passage.title for passage in found.passages], found.notes


@pytest.mark.timeout(300)  # three workers one after another; what is waited for has its own limit
def test_models_take_over_one_from_another(tmp_path):
    tiny = str(make_model(tmp_path / "tiny", prompts={"query": "query: "}))
    heron = make_text(tmp_path / "heron.txt", "The heron eats fish and stands on one leg.")
    gull = make_text(tmp_path / "gull.txt", "The gull follows the plough.")
    settings = [KnowledgeSettings(own_models=(tiny,))]
    data = tmp_path / "data"

    async def first_run():
        async with running(data, settings) as client:
            base = await client.create("Birds")
            await add(client, base, heron)
            settings[0] = replace(settings[0], embedding_model=tiny)
            await client.reconfigure()
            base = await model_of(client, tiny)
            assert await ask(client, base) == (["heron.txt"], ())
            assert await client.test_embedder(tiny) == "It works: vectors of 16 numbers."
            with pytest.raises(ModelMissing):
                await client.test_embedder("someone/not-here")
            with pytest.raises(ModelInUse):
                await client.delete_model(tiny)
            # One that is not here does not take over; going back costs nothing.
            await client.update(replace(base, options=BaseOptions(model="someone/not-here")))
            await add(client, base, gull)
            titles, notes = await ask(client, base)
            assert (sorted(titles), notes) == (["gull.txt", "heron.txt"], ())
            assert (await client.bases())[0].model == tiny

    async def second_run():
        async with running(data, settings) as client:
            (base,) = await client.bases()
            await client.update(replace(base, options=BaseOptions(model=BUILT_IN_MODEL)))
            base = await model_of(client, BUILT_IN_MODEL)
            titles, notes = await ask(client, base)
            assert (titles[0], notes) == ("heron.txt", ())

    async def with_other_weights():
        """The folder holds another model now: what the old one made is made anew."""
        (tmp_path / "tiny" / "model.safetensors").unlink()
        other = make_model(tmp_path / "other", seed=9)
        (other / "model.safetensors").rename(tmp_path / "tiny" / "model.safetensors")
        async with running(data, settings) as client:
            (base,) = await client.bases()
            await client.update(replace(base, options=BaseOptions()))
            base = await model_of(client, tiny)
            assert (await ask(client, base))[1] == ()

    asyncio.run(first_run())
    asyncio.run(second_run())
    asyncio.run(with_other_weights())


def test_a_base_of_minilm_answers_at_once_and_is_embedded_anew_behind_it(tmp_path):
    heron = make_text(tmp_path / "heron.txt", "The heron eats fish and stands on one leg.")
    settings = [KnowledgeSettings(embedding_model=MINILM_MODEL)]

    async def version_before():
        async with running(tmp_path / "data", settings) as client:
            base = await client.create("Birds")
            await add(client, base, heron)
            await model_of(client, MINILM_MODEL)

    async def now():
        settings[0] = KnowledgeSettings()
        async with running(tmp_path / "data", settings) as client:
            (base,) = await client.bases()
            assert await ask(client, base) == (["heron.txt"], ())
            await model_of(client, BUILT_IN_MODEL)
            found = await client.retrieve(["苍鹭吃什么？"], [base.id], 3)
            assert [passage.title for passage in found.passages] == ["heron.txt"]
            # The user may have it back, for this base or for all.
            await client.update(replace(base, options=BaseOptions(model=MINILM_MODEL)))
            await model_of(client, MINILM_MODEL)
            await until(client, partial(ask, client, base), lambda found: found == (["heron.txt"], ()))

    asyncio.run(version_before())
    asyncio.run(now())


def test_a_model_that_cannot_be_used_leaves_the_one_before_in_its_place(tmp_path):
    heron = make_text(tmp_path / "heron.txt", "The heron eats fish and stands on one leg.")
    broken = make_model(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes((broken / "model.safetensors").read_bytes()[:-1_000])
    settings = [KnowledgeSettings()]

    async def change():
        async with running(tmp_path / "data", settings) as client:
            base = await client.create("Birds")
            await add(client, base, heron)
            await client.update(replace(base, options=BaseOptions(model=str(broken))))
            with pytest.raises(ModelUnusable, match="are incomplete or damaged"):
                await client.test_embedder(str(broken))
            assert await ask(client, base) == (["heron.txt"], ())
            (base,) = await client.bases()
            assert base.model == BUILT_IN_MODEL

    asyncio.run(change())
