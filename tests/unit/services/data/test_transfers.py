"""Exports and imports: the same to the byte, nothing doubled, nothing lost, and everything can be taken back."""

import asyncio
import json
import random
import sqlite3
import tempfile
import zipfile
from contextlib import aclosing, asynccontextmanager, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.backups import Difference, Imported, ImportSource, TransferProgress
from desktop.domain.messages import AnswerCost, Message, MessageStatus, Speaker, Step, StepKind
from desktop.domain.models import UsageReported
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.trace import Trace
from desktop.errors import NotExported, NotImported, StorageUnavailable, UnknownConversation
from desktop.resources import resource_text
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import AppFolders
from desktop.storage import merge as transfer_joining
from desktop.storage.archive_files import MOST_SETTINGS_BYTES, SETTINGS
from desktop.storage.importers.scan import conversations_in
from tests.cases import cases
from tests.unit.services.holding import begun_in, held
from tests.unit.storage.importers import sample_files
from tests.unit.storage.samples import answer, file_size_limit, question

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
SCHEMA = json.loads(resource_text("formats/conversation.schema.json"))


@asynccontextmanager
async def rooms_in(folder):
    async with running_services(AppFolders(folder, folder / "cache", folder / "logs")) as services:
        yield services


async def asked(services, **fields):
    """Put a conversation with a question on disk."""
    store = services.store
    info = await store.create()
    await store.add_message(question(info.id, **fields))
    return info


async def all_of(steps):
    async with aclosing(steps):
        return [step async for step in steps]


async def import_file(services, path, *chosen, **options):
    *steps, last = await all_of(services.keeping.transfers.import_from(path, *chosen, **options))
    assert all(isinstance(step, TransferProgress) for step in steps)
    assert isinstance(last, Imported)
    return last


async def export(services, path):
    await all_of(services.keeping.transfers.export_profile(path, has_bases=False))
    return path.read_bytes()


TEXTS = st.text(
    st.characters() | st.sampled_from(["\ud800", "\udfff", "\0", "😀", "\u202e", "א", "\n"]), max_size=60
)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants them naive
STEPS = st.builds(
    Step,
    id=st.integers(0, 9),
    kind=st.sampled_from(StepKind),
    subject=TEXTS,
    count=st.none() | st.integers(0, 2**40),
    detail=TEXTS,
)


@st.composite
def said(draw, number, speaker):
    return Message(
        f"m{number}",
        "",
        speaker,
        draw(TEXTS),
        draw(MOMENTS),
        draw(st.sampled_from([status for status in MessageStatus if status is not MessageStatus.STREAMING])),
        draw(TEXTS),
        draw(TEXTS),
        tuple(draw(st.lists(STEPS, max_size=2))),
        tuple(draw(st.lists(st.integers(1, 3), max_size=3))),
        draw(st.none() | st.builds(UsageReported, st.integers(0, 10**6), st.integers(0, 10**6))),
        draw(TEXTS),
        tuple(draw(st.lists(TEXTS, max_size=2))),
        spent=draw(st.none() | st.builds(AnswerCost, st.floats(0, 1e6), st.floats(0, 1e6))),
    )


@st.composite
def dialogues(draw):
    count = draw(st.integers(1, 4))
    turns = [draw(said(number, (Speaker.USER, Speaker.MODEL)[number % 2])) for number in range(count)]
    return draw(TEXTS), turns, draw(st.lists(TEXTS.filter(str.strip), max_size=3))


async def keep(services, dialogue, number):
    """Put a generated conversation on disk."""
    title, messages, passages = dialogue
    store = services.store
    info = await store.create()
    await store.rename(info.id, title)
    for message in messages:
        fields = {
            "id": f"{number}-{message.id}",
            "conversation_id": info.id,
        }
        await store.add_message(Message(**(vars(message) | fields)))
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, text, text, f"https://example.org/{place}")
        for place, text in enumerate(passages)
    )
    await store.save_sources(info.id, ledger.sources)
    if passages:
        await store.pin(info.id, 1, True)
        await store.save_trace(f"{number}-{messages[0].id}", Trace(queries=tuple(passages)))
    return info.id


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(dialogues(), min_size=1, max_size=4))
def test_export_import_export_is_the_same_to_the_byte(made):
    async def scenario(root):
        async with rooms_in(root / "one") as services:
            for number, dialogue in enumerate(made):
                identity = await keep(services, dialogue, number)
            first = await export(services, root / "first.footnote-profile")
            one = root / "one.footnote.json"
            await services.keeping.transfers.export_conversation(identity, one)
            jsonschema.validate(json.loads(one.read_bytes()), SCHEMA)
        async with rooms_in(root / "two") as services:
            result = await import_file(services, root / "first.footnote-profile")
            assert len(result.conversations) == len(made)
            assert result.problems == ()
            assert await export(services, root / "second.footnote-profile") == first
            again = root / "again.footnote.json"
            await services.keeping.transfers.export_conversation(identity, again)
            assert again.read_bytes() == one.read_bytes()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(scenario(Path(folder)))


@cases("is_profile", [False, True])
def test_what_stays_on_this_machine_does_so_wherever_it_comes_in(tmp_path, is_profile):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            info = await asked(services)
            await window_services(services).privacy.keep_here(info.id, is_kept=True)
            path = tmp_path / ("a.footnote-profile" if is_profile else "a.footnote.json")
            if is_profile:
                await export(services, path)
            else:
                await services.keeping.transfers.export_conversation(info.id, path)
                jsonschema.validate(json.loads(path.read_bytes()), SCHEMA)
        async with rooms_in(tmp_path / "two") as services:
            assert (await import_file(services, path)).conversations == (info.id,)
            assert await window_services(services).privacy.stays_here(info.id)

    asyncio.run(scenario())


def test_a_file_that_is_taken_twice_comes_in_once(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await asked(services)
            path = tmp_path / "a.footnote-profile"
            await export(services, path)
            assert (await import_file(services, path)).conversations == ()
            [one] = (await services.keeping.transfers.examine(path)).conversations
            assert one.difference is Difference.SAME

    asyncio.run(scenario())


def test_a_base_is_left_out_only_if_just_the_same_is_here(tmp_path):
    async def scenario():
        path = tmp_path / "a.footnote-profile"
        async with rooms_in(tmp_path / "one") as services:
            base = await services.knowledge.create("Birds")
            await all_of(services.knowledge.put_note(base.id, "Heron", "The heron eats fish."))
            await all_of(services.keeping.transfers.export_profile(path))
            assert (await import_file(services, path)).bases == ()
            [note] = await services.knowledge.items(base.id)
            await all_of(services.knowledge.put_note(base.id, "Heron", "It eats frogs.", note.id))
            result = await import_file(services, path)
            assert len(result.bases) == 1
            assert [base.name for base in await services.knowledge.bases()] == ["Birds", "Birds 2"]
            await services.keeping.transfers.undo(result)
            with closing(sqlite3.connect(tmp_path / "one" / "knowledge" / "knowledge.db")) as database:
                database.create_function("row_checksum", -1, lambda *_values: 0)
                database.execute("UPDATE passages SET text = CAST(x'ff' AS TEXT)")
                database.commit()
            result = await import_file(services, path)
            assert (len(result.bases), result.problems) == (1, ())

    asyncio.run(scenario())


def test_one_that_differs_comes_in_beside_the_one_that_is_here(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            info = await asked(services)
            path = tmp_path / "a.footnote.json"
            await services.keeping.transfers.export_conversation(info.id, path)
            await store.add_message(answer(info.id, text="Later", status=MessageStatus.COMPLETE))
            [one] = (await services.keeping.transfers.examine(path)).conversations
            assert one.difference is Difference.OLDER
            assert (await import_file(services, path)).conversations == ()
            for _ in range(2):
                result = await import_file(services, path, [info.id])
                assert len(await store.recent()) == 2
            assert result.conversations == ()
            assert len((await store.load(info.id)).messages) == 2

    asyncio.run(scenario())


def test_an_import_can_be_taken_back_and_done_again(tmp_path):
    async def scenario():
        path = sample_files.write(tmp_path, "cherry-studio")
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            first = await import_file(services, path)
            assert len(await store.recent()) == len(first.conversations) == 2
            await services.keeping.transfers.undo(first)
            assert await store.recent() == ()
            assert (await import_file(services, path)).conversations == first.conversations
            assert len(await store.recent()) == 2

    asyncio.run(scenario())


@cases("origin", sample_files.MADE)
def test_conversations_from_elsewhere_can_be_read_continued_and_exported(tmp_path, origin):
    async def scenario():
        path = sample_files.write(tmp_path, origin)
        async with rooms_in(tmp_path / "one") as services:
            contents = await services.keeping.transfers.examine(path)
            result = await import_file(services, path)
            assert contents.origin is ImportSource(origin)
            assert set(result.conversations) == {one.id for one in contents.conversations}
            store = services.store
            for identity in result.conversations:
                before = await store.load(identity)
                assert before.messages
                assert before.messages[0].speaker is Speaker.USER
                cited = {number for message in before.messages for number in message.offered}
                assert cited <= {source.number for source in before.sources}
                await store.add_message(question(identity, 9))
                assert len((await store.load(identity)).messages) == len(before.messages) + 1
            one = tmp_path / "one.footnote.json"
            await services.keeping.transfers.export_conversation(result.conversations[0], one)
            jsonschema.validate(json.loads(one.read_bytes()), SCHEMA)

    asyncio.run(scenario())


def test_only_what_is_chosen_comes_in(tmp_path):
    async def scenario():
        path = sample_files.write(tmp_path, "cherry-studio")
        async with rooms_in(tmp_path / "one") as services:
            chosen = (await services.keeping.transfers.examine(path)).conversations[0].id
            assert (await import_file(services, path, [chosen])).conversations == (chosen,)

    asyncio.run(scenario())


@cases("number", [2**63 - 1, 0, -1])
def test_a_source_behind_which_no_other_could_be_numbered_is_refused(tmp_path, number):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            path = sample_files.write(tmp_path, "chatgpt")
            with conversations_in(path) as found:
                record = next(found)
            record["sources"][0]["number"] = number
            bad = tmp_path / "bad.footnote.json"
            bad.write_text(json.dumps(record))
            assert (await import_file(services, bad)).problems
            assert await services.store.recent() == ()

    asyncio.run(scenario())


def test_an_import_that_is_stopped_leaves_nothing(tmp_path):
    async def scenario():
        path = sample_files.write(tmp_path, "cherry-studio")
        async with rooms_in(tmp_path / "one") as services:
            async with aclosing(services.keeping.transfers.import_from(path)) as steps:
                async for step in steps:
                    if step.done:
                        break
            assert await services.store.recent() == ()

    asyncio.run(scenario())


async def cancelled_in(begun, work):
    """Cancel `work` where `begun` says that it is, and return its task."""
    doing = await begun_in(begun, work)
    doing.cancel()
    await asyncio.sleep(0)
    return doing


def test_an_import_that_is_cancelled_while_the_disk_writes_leaves_nothing(tmp_path):
    async def scenario():
        path = sample_files.write(tmp_path, "cherry-studio")
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            with held(transfer_joining, "_take_in") as begun:
                doing = await cancelled_in(begun, import_file(services, path))
            with pytest.raises(asyncio.CancelledError):
                await doing
            assert await store.recent() == ()

    asyncio.run(scenario())


def test_an_export_that_is_cancelled_while_the_disk_writes_ends_as_cancelled(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await asked(services)
            path = tmp_path / "a.footnote-profile"
            with held(zipfile._ZipWriteFile, "write") as begun:
                doing = await cancelled_in(begun, export(services, path))
            with pytest.raises(asyncio.CancelledError):
                await doing
            assert {each.name for each in tmp_path.iterdir()} == {"one"}

    asyncio.run(scenario())


def test_settings_that_unpack_to_more_than_settings_can_be_are_refused(tmp_path):
    async def scenario():
        path = tmp_path / "a.footnote-profile"
        async with rooms_in(tmp_path / "one") as services:
            zoom = services.preferences.settings.window.zoom
            await export(services, path)
            bad = tmp_path / "bad.footnote-profile"
            settings = b'{"window": {"zoom": 1.5}}'
            with zipfile.ZipFile(path) as good, zipfile.ZipFile(bad, "w") as large:
                for name in good.namelist():
                    if name != SETTINGS:
                        large.writestr(name, good.read(name))
                large.writestr(SETTINGS, settings + b" " * MOST_SETTINGS_BYTES)
            with pytest.raises(NotImported, match="larger than 8 MB"):
                await import_file(services, bad, has_settings=True)
            assert services.preferences.settings.window.zoom == zoom

    asyncio.run(scenario())


def test_settings_that_are_damaged_do_not_take_the_place_of_ours(tmp_path):
    async def scenario():
        path = tmp_path / "a.footnote-profile"
        async with rooms_in(tmp_path / "one") as services:
            settings = services.preferences.settings
            await services.preferences.save(replace(settings, window=replace(settings.window, zoom=1.5)))
            await export(services, path)
            bad = tmp_path / "bad.footnote-profile"
            with zipfile.ZipFile(path) as good, zipfile.ZipFile(bad, "w") as harmed_one:
                for name in good.namelist():
                    harmed_one.writestr(name, b"{" if name == SETTINGS else good.read(name))
            result = await import_file(services, bad, has_settings=True)
            assert services.preferences.settings.window.zoom == 1.5
            assert result.problems

    asyncio.run(scenario())


def change_message(record, **changes):
    return record | {"messages": [record["messages"][0] | changes, *record["messages"][1:]]}


@cases(
    "change",
    [
        {"speaker": "nobody"},
        {"status": "whatever"},
        {"created_at": "soon"},
        {"created_at": "9999-12-31T23:59:59.999999-23:00"},
        {"created_at": None},
        {"text": None},
        {"text": 7},
        {"text": ["a"]},
        {"steps": [{"id": "x"}]},
        {"steps": "[]"},
        {"variant": 2**70},
        {"variant": "many"},
        {"parent_id": "nobody"},
        {"text); DROP TABLE messages; --": "x"},
        {"position": 1},
        {"position": 2**63 - 1},
        {"variant": 2**63 - 1},
        {"variant": -1},
        {"id": ""},
        {"id": None},
        {"unknown": 1},
        {"id": ["a"]},
        {"id": 7},
        {"parent_id": ["a"]},
        {"model": 7},
        {"reasoning": False},
        {"variant": "1"},
        {"created_at": "9999-12-31T12:00:00.000000+00:00"},
        {"created_at": "0001-01-01T12:00:00.000000+00:00"},
        {"trace": {"queries": 7}},
        {"steps": [{"id": 1, "kind": "search", "more": json.loads("[" * 60 + "]" * 60)}]},
        {"is_aside": True, "steps": [7]},
    ],
)
def test_rows_that_cannot_be_are_refused_and_leave_nothing(tmp_path, change):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            info = await asked(services)
            good = tmp_path / "good.footnote.json"
            await services.keeping.transfers.export_conversation(info.id, good)
            record = json.loads(good.read_bytes())
            record["conversation"]["id"] = "other"
            bad = tmp_path / "bad.footnote.json"
            bad.write_text(
                json.dumps(
                    change_message(record, id="another", **change)
                    if "id" not in change
                    else change_message(record, **change)
                )
            )
            try:
                result = await import_file(services, bad)
            except NotImported:
                pass
            else:
                assert result.conversations == ()
                assert result.problems
            assert [one.id for one in await store.recent()] == [info.id]
            assert len((await store.load(info.id)).messages) == 1

    asyncio.run(scenario())


def test_what_was_deleted_is_in_no_file(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            await asked(services, text="a secret question")
            gone = await store.create()
            await store.add_message(question(gone.id, text="a secret conversation"))
            await store.delete(gone.id)
            path = tmp_path / "a.footnote-profile"
            await export(services, path)
            with zipfile.ZipFile(path) as archive:
                everything = b"".join(archive.read(name) for name in archive.namelist())
            assert b"a secret question" in everything
            assert b"a secret conversation" not in everything

    asyncio.run(scenario())


def test_keys_are_masked_in_files(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            info = await asked(services, text="my key is sk-canary-0123456789")
            path = tmp_path / "a.footnote.json"
            await services.keeping.transfers.export_conversation(info.id, path)
            assert "sk-canary" not in path.read_text()
            assert "my key is" in path.read_text()

    asyncio.run(scenario())


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            info = await asked(services, text=random.Random(1).randbytes(20_000).hex())
            path = tmp_path / "a.footnote-profile"
            path.write_text("mine")
            one = tmp_path / "a.footnote.json"
            with file_size_limit(2_000):
                with pytest.raises(NotExported):
                    await export(services, path)
                with pytest.raises(NotExported):
                    await services.keeping.transfers.export_conversation(info.id, one)
            assert path.read_text() == "mine"
            assert {each.name for each in tmp_path.iterdir()} == {"one", path.name}
            with pytest.raises(UnknownConversation):
                await services.keeping.transfers.export_conversation("nobody", one)

    asyncio.run(scenario())


def test_memories_and_settings_travel_too(tmp_path):
    async def scenario():
        path = tmp_path / "a.footnote-profile"
        async with rooms_in(tmp_path / "one") as services:
            await services.memories.add("I live in Oslo")
            settings = services.preferences.settings
            await services.preferences.save(replace(settings, window=replace(settings.window, zoom=1.5)))
            await export(services, path)
        async with rooms_in(tmp_path / "two") as services:
            contents = await services.keeping.transfers.examine(path)
            assert (contents.memories, contents.has_settings) == (1, True)
            result = await import_file(services, path)
            assert services.preferences.settings.window.zoom == 1.0
            await import_file(services, path, has_settings=True)
            assert services.preferences.settings.window.zoom == 1.5
            assert [memory.text for memory in await services.memories.all()] == ["I live in Oslo"]
            await services.keeping.transfers.undo(result)
            assert await services.memories.all() == ()

    asyncio.run(scenario())


def test_where_nothing_can_be_put_down_for_a_moment_nothing_of_a_profile_comes_in(tmp_path, monkeypatch):
    async def scenario():
        path = tmp_path / "a.footnote-profile"
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            await store.add_message(question((await store.create()).id))
            await export(services, path)
        async with rooms_in(tmp_path / "two") as services:
            with monkeypatch.context() as patched:
                patched.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
                with pytest.raises(StorageUnavailable):
                    await import_file(services, path)
            assert await services.store.recent() == ()
            assert (await import_file(services, path)).conversations

    asyncio.run(scenario())


def test_a_folder_of_no_known_colour_is_refused_and_the_others_can_still_be_read(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            store = services.store
            info = await asked(services)
            kept = await window_services(services).filing.create_folder("Kept")
            good, bad = tmp_path / "good.footnote.json", tmp_path / "bad.footnote.json"
            await services.keeping.transfers.export_conversation(info.id, good)
            record = json.loads(good.read_bytes())
            record["conversation"] |= {"id": "other", "folder": "f"}
            record["messages"][0]["id"] = "another"
            for tint, count in (("octarine", 1), ("red", 2)):
                record["folder"] = {"id": "f", "name": "Bad", "tint": tint}
                bad.write_text(json.dumps(record))
                with suppress(NotImported):
                    await import_file(services, bad)
                assert len(await store.recent()) == count
                assert kept in await window_services(services).filing.folders()

    asyncio.run(scenario())
