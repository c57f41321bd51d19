"""What is imported names files of this machine: none of them is read, and whoever answers without them says so."""

import asyncio
import json
from base64 import b64encode
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.chat.api.engine import Question
from desktop.domain.events import Beside, TurnFinished
from desktop.domain.messages import MessageStatus
from desktop.domain.models import Ability, ModelFacts
from desktop.domain.procedures import Depth, DocumentTask
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import OwnFacts, ProviderSettings
from desktop.storage.branch_operations import BranchOperations
from tests.unit.providers.wire import openai_says, serving, streaming
from tests.unit.storage.samples import answer, question

ANSWER = openai_says("So it is.")
SEEING = "chat/seeing"
PICTURE = b"\x89PNG\r\n\x1a\n" + b"the face in the passport" * 20
NOTES = "The lighthouse keeper hid the brass key under the third stone."
LETTERS = (b64encode(PICTURE[:60]), b"brass key", b"third stone")
UNREAD = "were not read: passport.png, notes.txt."


@asynccontextmanager
async def rooms_in(folder, wire=None):
    async with running_services(folders_for(folder)) as services:
        if wire is not None:
            facts = (OwnFacts("seeing", ModelFacts(has=(Ability.IMAGES, Ability.TOOLS))),)
            chat = ProviderSettings("chat", "Chat", "openai", wire.base_url, needs_key=False, facts=facts)
            await services.preferences.save(replace(services.preferences.settings, providers=(chat,)))
        yield services


@pytest.fixture
def paths(tmp_path):
    picture, notes = tmp_path / "passport.png", tmp_path / "notes.txt"
    picture.write_bytes(PICTURE)
    notes.write_text(NOTES)
    return (str(picture), str(notes))


async def talked(services, paths, text="Where is the brass?"):
    """Put a question with files and an answer that broke off on disk; return the id of the conversation."""
    store = services.store
    info = await store.create()
    await store.add_message(replace(question(info.id, text=text), attachments=paths))
    await store.add_message(answer(info.id, text="Half of ", status=MessageStatus.STOPPED))
    return info.id


async def all_of(steps):
    async with aclosing(steps):
        return [step async for step in steps]


async def export(folder, paths, file, **talk):
    async with rooms_in(folder) as services:
        identity = await talked(services, paths, **talk)
        await services.keeping.transfers.export_conversation(identity, file)
    return identity


async def import_file(services, file):
    return (await all_of(services.keeping.transfers.import_from(file)))[-1]


async def marks(services, identity):
    return [message.is_foreign for message in (await services.store.load(identity)).messages]


def ended(events):
    """Return the messages that events end."""
    bare = (event.event if isinstance(event, Beside) else event for event in events)
    return [event.message for event in bare if isinstance(event, TurnFinished)]


def request_bytes(wire):
    return b"\n".join(request.body for request in wire.requests)


@pytest.mark.parametrize("text", ["Where is the brass?", ""])
def test_no_file_that_an_import_names_reaches_a_model(tmp_path, paths, text):
    async def scenario():
        file = tmp_path / "one.footnote.json"
        identity = await export(tmp_path / "one", paths, file, text=text)
        async with serving(streaming(ANSWER)) as wire, rooms_in(tmp_path / "two", wire) as services:
            turns, store = window_services(services).turns, services.store
            assert (await import_file(services, file)).conversations == (identity,)
            asked, broken = (await store.load(identity)).messages
            further = Question("And the stone?", identity, SEEING, web="off")
            [next_one, one_more] = [ended(await all_of(turns.ask(further)))[0] for _ in range(2)]
            for procedure in (DocumentTask.READ, DocumentTask.WRITE, Depth.QUICK):
                await all_of(turns.ask(replace(further, procedure=procedure)))
            [continued] = ended(await all_of(turns.go_on(identity, broken.id, SEEING)))
            [beside] = ended(await all_of(turns.answer_with_models(identity, broken.id, (SEEING,))))
            again = Question(text, identity, SEEING, web="off", repeats=asked.id)
            [anew] = ended(await all_of(turns.ask(again)))
            # Whoever asks cannot give the files of what is only asked once more.
            [once_more] = ended(await all_of(turns.ask(replace(again, files=tuple(map(Path, paths))))))
            assert len(wire.requests) >= 6
            assert not [letters for letters in LETTERS if letters in request_bytes(wire)]
            for told in (next_one, continued, beside, anew, once_more):
                assert [step.detail for step in told.steps if UNREAD in step.detail]
            assert not [step for step in one_more.steps if UNREAD in step.detail]  # it was said before
            assert {base.name for base in await services.knowledge.bases()} == set()

    asyncio.run(scenario())


def test_files_of_a_conversation_from_here_are_sent_also_after_it_was_imported_again_or_restored(
    tmp_path, paths
):
    async def scenario():
        async with serving(streaming(ANSWER)) as wire, rooms_in(tmp_path / "one", wire) as services:
            store, backups = services.store, services.keeping.backups
            identity = await talked(services, paths[:1])
            file = tmp_path / "one.footnote.json"
            await services.keeping.transfers.export_conversation(identity, file)
            for _ in range(2):
                assert (await import_file(services, file)).conversations == ()
            await all_of(backups.back_up())
            copy, *_ = await backups.copies()
            await store.delete(identity)
            await store.purge()
            assert (await backups.merge(copy)).added == (identity,)
            await backups.undo(await backups.replace_all(copy))
            branch = await BranchOperations(store).branch_off(
                identity, (await store.load(identity)).messages[-1].id, "B"
            )
            for each in (identity, branch.id):
                assert await marks(services, each) == [False, False]
            await all_of(
                window_services(services).turns.ask(Question("And now?", branch.id, SEEING, web="off"))
            )
            assert LETTERS[0] in request_bytes(wire)

    asyncio.run(scenario())


def test_the_mark_stays_on_every_way_and_is_in_no_file(tmp_path, paths):
    async def scenario():
        file, again = tmp_path / "one.footnote.json", tmp_path / "again.footnote.json"
        identity = await export(tmp_path / "one", paths, file)
        async with rooms_in(tmp_path / "two") as services:
            store, backups = services.store, services.keeping.backups
            await import_file(services, file)
            await store.add_message(replace(question(identity, 7), attachments=paths))
            assert await marks(services, identity) == [True, True, False]
            last = (await store.load(identity)).messages[-1].id
            branch = await BranchOperations(store).branch_off(identity, last, "B")
            await all_of(backups.back_up())
            copy, *_ = await backups.copies()
            await store.delete(identity)
            await store.purge()
            await backups.merge(copy)
            assert await marks(services, identity) == [True, True, False]
            await backups.undo(await backups.replace_all(copy))
            for each in (identity, branch.id):
                assert await marks(services, each) == [True, True, False]
            await BranchOperations(store).delete(last)
            await store.purge()
            await services.keeping.transfers.export_conversation(identity, again)
            made, first = json.loads(again.read_bytes()), json.loads(file.read_bytes())
            assert made["messages"] == first["messages"]

    asyncio.run(scenario())


def test_a_file_cannot_say_that_its_messages_are_from_here(tmp_path, paths):
    async def scenario():
        file = tmp_path / "one.footnote.json"
        identity = await export(tmp_path / "one", paths, file)
        record = json.loads(file.read_bytes())
        for message, claim in zip(record["messages"], (False, "no"), strict=True):
            message["is_foreign"] = claim
        file.write_text(json.dumps(record))
        async with rooms_in(tmp_path / "two") as services:
            await import_file(services, file)
            assert await marks(services, identity) == [True, True]

    asyncio.run(scenario())


def test_deleting_what_was_imported_deletes_no_file(tmp_path, paths):
    async def scenario():
        file = tmp_path / "one.footnote.json"
        identity = await export(tmp_path / "one", paths, file)
        async with rooms_in(tmp_path / "two") as services:
            await import_file(services, file)
            await services.store.delete(identity)
            await window_services(services).privacy.erase(with_copies=True)
        assert (tmp_path / "passport.png").read_bytes() == PICTURE
        assert (tmp_path / "notes.txt").read_text() == NOTES

    asyncio.run(scenario())
