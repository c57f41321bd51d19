"""What was damaged in rows comes back from the newest copy that has it; where none has it, it is said and not shown."""

import json
import sqlite3
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from desktop import sqlite as sqlite_module
from desktop.domain.drafts import Draft
from desktop.domain.history import HistoryQuery
from desktop.domain.messages import MessageStatus
from desktop.domain.trace import Trace
from desktop.errors import StorageError, WordsDamaged
from desktop.storage.branch_operations import BranchOperations
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import unsound_rows
from desktop.storage.drafts import DraftStore
from desktop.storage.history_store import HistoryStore
from desktop.storage.local_copies import LocalBackups
from desktop.storage.memories import MemoryRepository, format_memories
from desktop.storage.merge import import_records
from desktop.storage.records import read_record, record_bytes
from desktop.storage.recovery import merge, open_backup
from tests.cases import cases
from tests.unit.storage.samples import answer, question, source

pytestmark = pytest.mark.anyio
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOST = ("", True)


@asynccontextmanager
async def open_store(folder):
    store = ConversationStore(folder)
    try:
        yield store
    finally:
        await store.close()


async def fill(folder):
    """Write a conversation, close it, and return its id."""
    async with open_store(folder) as store:
        info = await store.create()
        await store.add_message(question(info.id, text="Who was Ada Lovelace?"))
        await store.add_message(answer(info.id, text="A mathematician [1].", status=MessageStatus.COMPLETE))
        await store.save_sources(info.id, [source(1, text="Ada Lovelace was a mathematician.")])
        await store.save_trace(answer(info.id).id, Trace(queries=("lovelace",)))
        await store.rename(info.id, "The Countess")
        await MemoryRepository(store.database).add("I live in Oslo.")
    return info.id


def left_of(rows):
    """Return what messages, sources or memories say, and whether some of it is lost."""
    return [(each.text, each.is_damaged) for each in rows]


def flip(path, words, place=1):
    """Change a letter of words, the last one or one before, wherever they stand in a file."""
    content = path.read_bytes()
    assert words in content
    other = bytearray(words)
    other[-place] ^= 1
    path.write_bytes(content.replace(words, other))


async def told(store):
    """Return what the user was told until now."""
    end = StorageError(detail="nothing more")
    store.tell(end)
    words = []
    async with aclosing(store.troubles()) as troubles:
        async for trouble in troubles:
            if trouble is end:
                break
            assert isinstance(trouble, WordsDamaged)
            words.append(str(trouble))
    return " ".join(words)


@cases(
    "words, what",
    [
        (b"Who was Ada Lovelace?", "A message in “The Countess”"),
        (b"A mathematician [1].", "A message in “The Countess”"),
        (b"Ada Lovelace was a mathematician.", "A source in “The Countess”"),
        (b"The Countess", "The title “The Countess”"),
        (b"quotes", "A message in “The Countess”"),
        (b"lovelace", "The record of a search in “The Countess”"),
        (b"I live in Oslo.", "The memory “I live in Oslo.”"),
    ],
)
async def test_a_flipped_byte_is_put_back_from_the_newest_copy_that_has_it(tmp_path, words, what):
    identity = await fill(tmp_path)
    path = tmp_path / FILE_NAME
    backups = LocalBackups(path)
    older = backups.take(NOON)
    newer = older.path.with_name(older.path.name.replace("T12", "T13"))
    newer.write_bytes(older.path.read_bytes())
    flip(newer, words)
    before = path.read_bytes()
    flip(path, words)
    async with open_store(tmp_path) as store:

        async def shown():
            conversation = await store.load(identity)
            trace = await store.trace(conversation.messages[-1].id)
            return conversation, trace, await store.recent(), await MemoryRepository(store.database).all()

        conversation, trace, (info,), (memory,) = await shown()
        assert [each.text for each in conversation.messages] == [
            "Who was Ada Lovelace?",
            "A mathematician [1].",
        ]
        assert conversation.messages[-1].model == "quotes"
        assert conversation.sources == (source(1, text="Ada Lovelace was a mathematician."),)
        assert conversation.info.title == info.title == "The Countess"
        assert (trace, memory.text) == (Trace(queries=("lovelace",)), "I live in Oslo.")
        said = await told(store)
        assert f"{what} was restored from the backup of 2026-03-01 12:00 UTC." in said
        assert await shown() == (conversation, trace, (info,), (memory,))
        assert await told(store) == ""
    assert unsound_rows(path) == []
    assert words in path.read_bytes()
    assert len(before) == len(path.read_bytes())


async def test_what_no_copy_has_is_not_shown_as_if_it_were_right(tmp_path):
    identity = await fill(tmp_path)
    for words in (b"A mathematician [1].", b"Ada Lovelace was a mathematician.", b"I live in Oslo."):
        flip(tmp_path / FILE_NAME, words)
    async with open_store(tmp_path) as store:
        conversation = await store.load(identity)
        assert left_of(conversation.messages) == [("Who was Ada Lovelace?", False), LOST]
        assert conversation.messages[-1].model == "quotes"
        assert left_of(conversation.sources) == [LOST]
        assert conversation.sources[0].title == "t"
        assert left_of(await MemoryRepository(store.database).all()) == [LOST]
        said = await told(store)
        assert "A message in “The Countess” is damaged, and no backup contains the original." in said
        assert "A source in “The Countess” is damaged" in said
        assert "A memory is damaged" in said
        assert await store.load(identity) == conversation
        assert await told(store) == ""  # said once
        record = await store.database.read(lambda connection: read_record(connection, identity))
        assert [message["is_damaged"] for message in record["messages"]] == [False, True]
        assert [source["is_damaged"] for source in record["sources"]] == [True]
        assert "mathematician" not in record_bytes(record).decode()


async def test_a_branch_of_what_is_damaged_stays_known_for_damaged(tmp_path):
    identity = await fill(tmp_path)
    flip(tmp_path / FILE_NAME, b"Ada Lovelace was a mathematician.")
    flip(tmp_path / FILE_NAME, b"Who was Ada Lovelace?")
    async with open_store(tmp_path) as store:
        info = await BranchOperations(store).branch_off(identity, answer(identity).id, "A branch")
        copy = await store.load(info.id)
        assert left_of(copy.messages) == [LOST, ("A mathematician [1].", False)]
        assert left_of(copy.sources) == [LOST]


async def test_what_is_lost_is_known_wherever_a_conversation_goes(tmp_path):
    identity = await fill(tmp_path / "there")
    flip(tmp_path / "there" / FILE_NAME, b"A mathematician [1].")
    flip(tmp_path / "there" / FILE_NAME, b"Ada Lovelace was a mathematician.")
    async with open_store(tmp_path / "there") as store:
        record = await store.database.read(lambda connection: read_record(connection, identity))
    async with open_store(tmp_path / "here") as store:
        await import_records(store.database, json.loads(record_bytes(record)), is_foreign=True)
        conversation = await store.load(identity)
        assert left_of(conversation.messages) == [("Who was Ada Lovelace?", False), LOST]
        assert left_of(conversation.sources) == [LOST]
        again = await store.database.read(lambda connection: read_record(connection, identity))
        assert record_bytes(again) == record_bytes(record)
        assert await told(store) == ""  # which is for damage of this disk
        info = await BranchOperations(store).branch_off(identity, conversation.messages[-1].id, "A branch")
        assert left_of((await store.load(info.id)).messages) == left_of(conversation.messages)


async def test_what_is_left_of_an_answer_that_was_never_finished_is_shown(tmp_path):
    async with open_store(tmp_path) as store:
        info = await store.create()
        await store.add_message(answer(info.id, text="It begins, "))
        await store.journal(answer(info.id).id, text="and goes on.", reasoning="Hm.")
    flip(tmp_path / FILE_NAME, b"and goes on.")
    async with open_store(tmp_path) as store:
        (message,) = (await store.load(info.id)).messages
        assert (message.text, message.is_damaged) == ("It begins, ", True)
        assert (message.reasoning, message.is_reasoning_damaged) == ("Hm.", False)
        record = await store.database.read(lambda connection: read_record(connection, info.id))
        assert (record["messages"][0]["text"], record["messages"][0]["is_damaged"]) == ("It begins, ", True)
        await store.update_message(message)
    async with open_store(tmp_path) as store:
        assert (await store.load(info.id)).messages == (message,)


async def test_nobody_cites_or_takes_along_what_is_lost(tmp_path):
    identity = await fill(tmp_path)
    flip(tmp_path / FILE_NAME, b"A mathematician [1].")
    flip(tmp_path / FILE_NAME, b"I live in Oslo.")
    async with open_store(tmp_path) as store:
        history = HistoryStore(store.database)
        cited = await history.answer(answer(identity).id)
        assert (cited.text, cited.is_gone) == ("", True)
        await history.aclose()
        memories = MemoryRepository(store.database)
        (lost,) = await memories.all()
        assert format_memories([lost]) == ""
        assert await memories.merge([lost]) == 0
        assert await memories.merge([replace(lost, text="I live in Oslo.", is_damaged=False)]) == 1
        assert left_of(await memories.all()) == [("I live in Oslo.", False)]


async def test_other_words_make_a_lost_memory_right(tmp_path):
    await fill(tmp_path)
    flip(tmp_path / FILE_NAME, b"I live in Oslo.")
    async with open_store(tmp_path) as store:
        memories = MemoryRepository(store.database)
        (lost,) = await memories.all()
        await memories.change(lost.id, "I live in Bergen.", None)
        assert left_of(await memories.all()) == [("I live in Bergen.", False)]


async def test_a_draft_does_not_say_that_it_was_damaged_as_if_the_person_had_written_it(tmp_path):
    async with open_store(tmp_path) as store:
        await DraftStore(store.database).keep({"": Draft("What is a kite?")})
    flip(tmp_path / FILE_NAME, b"What is a kite?")
    async with open_store(tmp_path) as store:
        assert (await DraftStore(store.database).all()).get("", Draft()).text == ""
        assert "A draft is damaged" in await told(store)


async def test_no_copy_is_made_of_damage_that_an_older_one_can_mend(tmp_path):
    identity = await fill(tmp_path)
    path = tmp_path / FILE_NAME
    backups = LocalBackups(path)
    backups.take(NOON)
    flip(path, b"A mathematician [1].")
    with pytest.raises(WordsDamaged):
        backups.take(NOON + timedelta(hours=1))
    assert len(backups.copies()) == 1
    async with open_store(tmp_path) as store:
        await store.add_message(question(identity, 1))
        await store.back_up()
        assert "was restored from the backup of" in await told(store)
    newest, _ = backups.copies()
    assert unsound_rows(newest.path) == []
    assert b"A mathematician [1]." in newest.path.read_bytes()


async def test_what_nothing_can_mend_does_not_end_the_copying(tmp_path):
    await fill(tmp_path)
    path = tmp_path / FILE_NAME
    flip(path, b"A mathematician [1].")
    backups = LocalBackups(path)
    copy = backups.take(NOON)
    assert [row.table for row in unsound_rows(copy.path)] == ["messages"]
    assert len(backups.copies()) == 1


async def test_a_conversation_of_a_copy_comes_in_without_its_damage(tmp_path):
    identity = await fill(tmp_path / "there")
    flip(tmp_path / "there" / FILE_NAME, b"A mathematician [1].")
    async with open_store(tmp_path / "here") as store:
        async with open_backup(tmp_path / "there" / FILE_NAME, "there") as copy:
            await merge(copy, store.database, None)
        conversation = await store.load(identity)
        assert left_of(conversation.messages) == [("Who was Ada Lovelace?", False), LOST]
    assert unsound_rows(tmp_path / "here" / FILE_NAME) == []


async def test_pieces_of_an_answer_that_was_never_finished_are_mended_too(tmp_path):
    async with open_store(tmp_path) as store:
        info = await store.create()
        await store.add_message(answer(info.id, text="It begins, "))
        await store.journal(answer(info.id).id, text="and goes on.")
    LocalBackups(tmp_path / FILE_NAME).take(NOON)
    flip(tmp_path / FILE_NAME, b"and goes on.")
    async with open_store(tmp_path) as store:
        (message,) = (await store.load(info.id)).messages
        assert message.text == "It begins, and goes on."
        assert "was restored" in await told(store)


async def test_a_name_that_was_damaged_hides_nothing_that_follows(tmp_path):
    identity = await fill(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        (statement,) = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'messages_seals_changed'"
        ).fetchone()
        connection.execute("DROP TRIGGER messages_seals_changed")
        connection.execute("UPDATE messages SET parent_id = 'nobody' WHERE parent_id IS NOT NULL")
        connection.execute(statement)
    async with open_store(tmp_path) as store:
        conversation = await store.load(identity)
        assert [each.text for each in conversation.messages] == [
            "Who was Ada Lovelace?",
            "A mathematician [1].",
        ]
        assert "is damaged" in await told(store)


async def test_what_the_disk_refuses_to_take_back_is_shown_as_damaged(tmp_path):
    identity = await fill(tmp_path)
    LocalBackups(tmp_path / FILE_NAME).take(NOON)
    flip(tmp_path / FILE_NAME, b"A mathematician [1].")
    async with open_store(tmp_path) as store:
        await store.database.read(lambda connection: connection.execute("PRAGMA query_only = ON").fetchall())
        assert left_of((await store.load(identity)).messages[-1:]) == [LOST]
        await store.database.read(lambda connection: connection.execute("PRAGMA query_only = OFF").fetchall())
        assert (await store.load(identity)).messages[-1].text == "A mathematician [1]."


async def test_the_salvaged_part_of_a_damaged_file_is_mended_from_the_copies(tmp_path):
    identity = await fill(tmp_path)
    path = tmp_path / FILE_NAME
    LocalBackups(path).take(NOON)
    async with open_store(tmp_path) as store:
        await store.add_message(question(identity, 1, text="And her mother?"))
    flip(path, b"A mathematician [1].")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'conversations_by_use'")
        connection.commit()
    async with open_store(tmp_path) as store:
        await store.database.open()
        assert store.restored is not None
        texts = [
            [each.text for each in (await store.load(info.id)).messages] for info in await store.recent()
        ]
        asked = ["Who was Ada Lovelace?", "A mathematician [1]."]
        assert sorted(texts) == sorted([asked, [*asked, "And her mother?"]])


async def test_a_search_shows_no_words_that_are_damaged_and_finds_what_was_put_back(tmp_path):
    identity = await fill(tmp_path)
    LocalBackups(tmp_path / FILE_NAME).take(NOON)
    flip(tmp_path / FILE_NAME, b"A mathematician [1].")
    async with open_store(tmp_path) as store:
        history = HistoryStore(store.database)
        try:
            assert (await history.search(HistoryQuery("mathematician"))).hits == ()
            await store.load(identity)
            (hit,) = (await history.search(HistoryQuery("mathematician"))).hits
            assert hit.excerpt.text == "A mathematician [1]."
        finally:
            await history.aclose()


@cases("is_damaged", [True, False])
async def test_a_search_shows_no_damaged_words_of_an_answer_that_was_never_finished(tmp_path, is_damaged):
    async with open_store(tmp_path) as store:
        info = await store.create()
        await store.add_message(answer(info.id, text="It begins, "))
        await store.journal(answer(info.id).id, text="and goes on.")
    if is_damaged:
        flip(tmp_path / FILE_NAME, b"and goes on.")
    async with open_store(tmp_path) as store:
        history = HistoryStore(store.database)
        try:
            hits = (await history.search(HistoryQuery("begins"))).hits
            assert [hit.excerpt.text for hit in hits] == ([] if is_damaged else ["It begins, and goes on."])
        finally:
            await history.aclose()


@pytest.mark.parametrize("is_in_a_copy", [True, False])
async def test_a_name_that_no_index_agrees_with_any_more_is_put_back(tmp_path, monkeypatch, is_in_a_copy):
    monkeypatch.setattr(sqlite_module, "THOROUGH_BYTES", 0)  # as in a large database
    identity = await fill(tmp_path)
    path = tmp_path / FILE_NAME
    if is_in_a_copy:
        LocalBackups(path).take(NOON)
    parent = question(identity).id.encode()
    flip(path, parent + b"assistant", len(b"assistant") + 1)
    async with open_store(tmp_path) as store:
        conversation = await store.load(identity)
        assert [each.text for each in conversation.messages] == [
            "Who was Ada Lovelace?",
            "A mathematician [1].",
        ]
        assert ("was restored" if is_in_a_copy else "is damaged") in await told(store)
        await store.add_message(question(identity, 1))
        assert len((await store.load(identity)).messages) == 3
    with closing(sqlite3.connect(path)) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert sound is is_in_a_copy
