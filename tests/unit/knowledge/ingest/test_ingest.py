"""Items of all kinds through a real worker process: what can be done with them, and what becomes of them."""

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.domain.knowledge import BaseOptions, ItemKind, ItemState, Transfer
from desktop.errors import BaseExists, BundleUnreadable, BundleUnwritable, UnknownBase
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.knowledge.ingest.ingest import MOST_ON_THEIR_WAY, read_options
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reader.protocol import ReadOptions
from desktop.settings.model import KnowledgeSettings, OwnEmbedder
from tests.unit.knowledge.knowledge_files import make_text

PATIENCE_S = 60
DONE = {ItemState.KEYWORD_READY, ItemState.READY, ItemState.FAILED}


async def ended(progress, until=DONE):
    """Return where each item stands when none is on its way any more."""
    items = {}
    async with asyncio.timeout(PATIENCE_S), aclosing(progress) as steps:
        async for step in steps:
            items[step.item.id] = step.item
            if all(item.state in until for item in items.values()):
                break
    return list(items.values())


async def texts(client, base, query, *, scope=None):
    found = await client.retrieve([query], [scope or base.id], 9)
    return {passage.text for passage in found.passages}


def test_a_note_is_kept_found_and_rewritten(runner, client, base):
    async def scenario():
        (note,) = await ended(client.put_note(base.id, "Otters", "They hold hands while they sleep."))
        assert (note.kind, note.path, note.name) == (ItemKind.NOTE, "", "Otters")
        assert await texts(client, base, "otters sleep") == {"They hold hands while they sleep."}
        (again,) = await ended(client.put_note(base.id, "Sea otters", "They float on their backs.", note.id))
        assert (again.id, again.name) == (note.id, "Sea otters")
        assert await client.note(note.id) == "They float on their backs."
        assert await texts(client, base, "otters") == {"They float on their backs."}
        (empty,) = await ended(client.put_note(base.id, "Nothing", " \n"))
        assert (empty.state, bool(empty.error)) == (ItemState.FAILED, True)
        assert await client.note("nowhere") == ""

    runner.run(scenario())


def test_a_link_waits_for_its_page_and_keeps_its_text_when_that_fails(runner, client, base):
    url = "https://example.org/heron"

    async def scenario():
        async with asyncio.timeout(PATIENCE_S), aclosing(client.links()) as wanted:
            adding = asyncio.create_task(ended(client.add_link(base.id, url)))
            link = (await anext(wanted)).item
            assert (link.kind, link.path, link.state) == (ItemKind.LINK, url, ItemState.WAITING)
            await client.put_fetched(link.id, "The heron", ".txt", b"The heron eats fish.")
            (read,) = await adding
            assert (read.name, read.passages) == ("The heron", 1)
            (passage,) = (await client.retrieve(["heron"], [base.id], 3)).passages
            assert passage.url == url

            again = asyncio.create_task(ended(client.read_again([link.id])))
            assert (await anext(wanted)).item.id == link.id
            assert await texts(client, base, "heron") == {"The heron eats fish."}
            await client.put_unfetched(link.id, "The page did not load in time.")
            (kept,) = await again
            assert (kept.state in DONE - {ItemState.FAILED}, kept.error) == (
                True,
                "The page did not load in time.",
            )
            assert await texts(client, base, "heron") == {"The heron eats fish."}

            lost = asyncio.create_task(ended(client.add_link(base.id, "https://example.org/nothing")))
            await client.put_unfetched((await anext(wanted)).item.id, "The page does not exist.")
            (failed,) = await lost
            assert (failed.state, failed.error) == (ItemState.FAILED, "The page does not exist.")

    runner.run(scenario())


def test_reading_again_takes_what_is_there_now(runner, client, base, tmp_path):
    path = make_text(tmp_path / "diary.txt", "Today we saw a heron. " * 40)

    async def scenario():
        (item,) = await ended(client.add(base.id, [path]))
        before = await client.passages(item.id)
        small = await client.update(replace(base, options=BaseOptions(passage_tokens=30)))
        assert small.options.passage_tokens == 30
        (item,) = await ended(client.read_again([item.id]))
        after = await client.passages(item.id)
        assert len(after) > len(before) >= 1
        assert [passage.ordinal for passage in after] == list(range(len(after)))
        text = await client.text_of(item.document)
        assert all(text[passage.start : passage.end] == passage.text for passage in after)
        path.unlink()
        (gone,) = await ended(client.read_again([item.id]))
        assert (gone.state in DONE - {ItemState.FAILED}, "does not exist" in gone.error) == (True, True)
        kept = await client.passages(item.id)  # they answer as long as there is nothing newer
        assert [(each.start, each.text) for each in kept] == [(each.start, each.text) for each in after]

    runner.run(scenario())


def test_a_paused_base_waits_while_others_go_on(runner, client, base, tmp_path):
    first, second = (make_text(tmp_path / f"{n}.txt", f"Number {n} eats fish.") for n in (1, 2))

    async def scenario():
        other = await client.create("goes on")
        paused = await client.update(replace(base, is_paused=True))
        waiting = client.add(base.id, [first])
        assert (await anext(waiting)).item.state is ItemState.WAITING
        (read,) = await ended(client.add(other.id, [second]))
        assert read.state in DONE
        assert [item.state for item in await client.items(base.id)] == [ItemState.WAITING]
        await client.update(replace(paused, is_paused=False))
        (read,) = await ended(waiting)
        assert read.state in DONE

    runner.run(scenario())


def test_cancelled_items_leave_the_list_at_once_and_removed_ones_the_base(runner, client, base, tmp_path):
    kept = make_text(tmp_path / "kept.txt", "The heron eats fish.")
    lines = "A line of words that goes on and on.\n" * 400_000
    slow = [make_text(tmp_path / f"slow {n}.txt", lines) for n in range(MOST_ON_THEIR_WAY)]
    later = make_text(tmp_path / "later.txt", "The otter swims.")
    names = {path.name for path in (*slow, later)}

    async def scenario():
        (item,) = await ended(client.add(base.id, [kept]))
        adding = client.add(base.id, [*slow, later])
        async with asyncio.timeout(PATIENCE_S):
            steps = {step.item.name: step.item async for step in _first(adding, len(names))}
            await client.cancel([step.id for step in steps.values()])
        assert [left.name for left in await client.items(base.id)] == ["kept.txt"]
        gone = [step async for step in adding if step.is_removed]
        assert {step.item.name for step in gone} == names
        await client.cancel([item.id])
        assert await texts(client, base, "heron") == {"The heron eats fish."}
        await client.remove([item.id, "unknown"])
        assert await client.items(base.id) == ()

    runner.run(scenario())


async def _first(steps, count):
    for _ in range(count):
        yield await anext(steps)


def test_tags_narrow_what_is_looked_at(runner, client, base, tmp_path):
    paths = [make_text(tmp_path / f"{n}.txt", f"Animal {n} eats fish.") for n in (1, 2, 3)]

    async def scenario():
        await ended(client.add(base.id, paths))
        one, two, _three = await client.items(base.id)
        await client.tag([one.id, two.id], ["water", " 鸟 ", "water", ""])
        assert (await client.items(base.id))[0].tags == ("water", "鸟")
        (seen,) = [known for known in await client.bases() if known.id == base.id]
        assert seen.tags == ("water", "鸟")
        assert len(await texts(client, base, "fish", scope=f"{base.id}#water")) == 2
        assert await texts(client, base, "fish", scope=f"{base.id}/{two.id}") == {"Animal 2 eats fish."}
        await client.tag([one.id], [])
        assert await texts(client, base, "fish", scope=f"{base.id}#鸟") == {"Animal 2 eats fish."}

    runner.run(scenario())


def test_a_deleted_base_can_be_brought_back_until_it_is_forgotten(runner, client, base, tmp_path):
    path = make_text(tmp_path / "heron.txt", "The heron eats fish.")

    async def scenario():
        await ended(client.add(base.id, [path]))
        await client.delete(base.id)
        with pytest.raises(UnknownBase):
            await client.items(base.id)
        assert await texts(client, base, "heron") == set()
        await client.create(base.name)  # the name is free
        back = await client.restore(base.id)
        assert back.name == f"{base.name} 2"
        assert await texts(client, base, "heron") == {"The heron eats fish."}
        with pytest.raises(BaseExists):
            await client.update(replace(back, name=base.name))
        await client.forget(base.id)  # it is not deleted
        assert len(await client.items(base.id)) == 1
        await client.delete(base.id)
        await client.forget(base.id)
        with pytest.raises(UnknownBase):
            await client.restore(base.id)

    runner.run(scenario())


def test_every_step_is_told_to_whoever_follows(runner, client, base, tmp_path):
    paths = [make_text(tmp_path / f"{n}.txt", f"Animal {n} eats fish.") for n in range(30)]

    async def scenario():
        last = {}
        async with asyncio.timeout(PATIENCE_S), aclosing(client.steps()) as steps:
            adding = asyncio.create_task(ended(client.add(base.id, paths)))
            async for step in steps:
                if step.item.base_id != base.id:  # others may still be given their vectors
                    continue
                last[step.item.name] = step.item
                if len(last) == len(paths) and {item.state for item in last.values()} <= DONE:
                    break
            await adding
        return last

    assert len(runner.run(scenario())) == len(paths)


def test_a_base_goes_out_and_comes_in_with_its_vectors(runner, client, base, tmp_path):
    target = tmp_path / "out" / "base.footnote-base"
    path = make_text(tmp_path / "heron.txt", "The heron eats fish.")

    async def scenario():
        await ended(client.add(base.id, [path]), {ItemState.READY})
        with pytest.raises(BundleUnwritable):
            await _transferred(client.export(base.id, target))
        target.parent.mkdir()
        with pytest.raises(UnknownBase):
            await _transferred(client.export("nowhere", target))
        assert list(target.parent.iterdir()) == []
        written = await _transferred(client.export(base.id, target))
        assert written == Transfer(1, 1, written.base)
        assert list(target.parent.iterdir()) == [target]
        back = (await _transferred(client.import_(target))).base
        assert (back.name, back.passages) == (f"{base.name} 2", 1)
        assert [item.state for item in await client.items(back.id)] == [ItemState.READY]
        async with asyncio.timeout(PATIENCE_S):  # until Chroma has the vectors too
            while not (found := (await client.retrieve(["birds that hunt"], [back.id], 1)).passages):
                pass
        assert found[0].text == "The heron eats fish."
        target.write_bytes(target.read_bytes()[:-100])
        with pytest.raises(BundleUnreadable):
            await _transferred(client.import_(target))
        assert [known.name for known in await client.bases()].count(f"{base.name} 3") == 0

    runner.run(scenario())


async def _transferred(progress):
    async with asyncio.timeout(PATIENCE_S), aclosing(progress) as steps:
        return [step async for step in steps][-1]


def test_vectors_are_made_once_everything_is_found_by_keyword(runner, client, base, tmp_path):
    paths = [make_text(tmp_path / f"{n}.txt", f"Animal {n} eats fish.") for n in range(100)]

    async def scenario():
        await ended(client.add(base.id, paths[:1]), {ItemState.READY})  # the model is loaded
        async with asyncio.timeout(PATIENCE_S), aclosing(client.add(base.id, paths[1:])) as steps:
            await anext(step async for step in steps if step.item.state is ItemState.READY)
            assert (await client.status()).waiting == 0

    runner.run(scenario())


def test_another_file_at_the_path_of_an_imported_one_is_not_read_unless_it_is_added(
    runner, client, base, tmp_path
):
    path = make_text(tmp_path / "heron.txt", "Herons eat fish.")

    async def scenario():
        await ended(client.add(base.id, [path]))
        async with aclosing(client.export(base.id, tmp_path / "file")) as steps:
            _ = [step async for step in steps]
        async with aclosing(client.import_(tmp_path / "file")) as steps:
            imported = [step async for step in steps][-1].base
        (item,) = await client.items(imported.id)
        (same,) = await ended(client.read_again([item.id]))
        assert (same.path, same.error) == (str(path), "")
        make_text(path, "The key to everything.")
        (kept,) = await ended(client.read_again([item.id]))
        assert (kept.document, "a different file" in kept.error) == (item.document, True)
        (added,) = await ended(client.add(imported.id, [path]))
        assert (added.id, added.error) == (item.id, "")
        assert await client.text_of(added.document) == "The key to everything."

    runner.run(scenario())


def test_halves_of_characters_are_sent_as_what_they_are_not(runner, client, base):
    async def scenario():
        (note,) = await ended(client.put_note(base.id, "Otters\ud83d", "They float\ude00 on their backs."))
        assert (note.name, await client.note(note.id)) == ("Otters\ufffd", "They float\ufffd on their backs.")
        assert await texts(client, base, "float\ud83d backs") == {"They float\ufffd on their backs."}

    runner.run(scenario())


@pytest.fixture
def model(tmp_path):
    """A folder with all of a model but its weights, which nobody loads here."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"hidden_size": 8, "max_position_embeddings": 128}))
    (folder / "tokenizer.json").write_text("{}")
    return folder


def options(base: BaseOptions, store: ModelStore, **settings: object) -> ReadOptions:
    return read_options(base, WorkerConfig(KnowledgeSettings(**settings)), store)


def test_what_the_base_says_counts_before_the_settings(tmp_path):
    store = ModelStore(tmp_path)
    assert options(BaseOptions(), store) == ReadOptions()
    assert options(BaseOptions(), store, passage_tokens=64, reads_scans=False) == ReadOptions(64, ocr=False)
    assert options(BaseOptions(passage_tokens=32), store, passage_tokens=64) == ReadOptions(32)


def test_passages_are_measured_by_the_model_and_no_longer_than_it_reads(tmp_path, model):
    store, base = ModelStore(tmp_path), BaseOptions(model=str(model))
    tokenizer = str(model / "tokenizer.json")
    assert options(base, store) == ReadOptions(100, tokenizer)
    assert options(base, store, passage_tokens=64) == ReadOptions(64, tokenizer)
    assert options(base, store, passage_tokens=4_000) == ReadOptions(128, tokenizer)
    (model / "tokenizer.json").unlink()
    assert options(BaseOptions(), store, embedding_model=str(model)) == ReadOptions(100)


def test_of_a_server_or_a_model_that_is_not_here_nothing_is_known(tmp_path):
    store = ModelStore(tmp_path)
    served = (OwnEmbedder("s", "Ours", "http://127.0.0.1:9", "m"),)
    assert options(BaseOptions(model="s"), store, own_embedders=served) == ReadOptions()
    assert options(BaseOptions(model="BAAI/bge-m3"), store) == ReadOptions()
