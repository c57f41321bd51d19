"""Memories survive restarts and copies, can be taken back, and are gone when they are gone."""

import sqlite3
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.memory import MAX_CHARS, Memory, MemoryOrigin, normalize_fact
from desktop.errors import DatabaseDamaged, NotRemembered, UnknownMemory
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import Database
from desktop.storage.db.migrations import MIGRATIONS, apply
from desktop.storage.db.row_checksums import install
from desktop.storage.local_copies import LocalBackups
from desktop.storage.memories import MemoryRepository, format_memories, read_lines
from tests.cases import cases
from tests.unit.storage.samples import question

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(folder):
    """Give the memories of a folder."""
    database = Database(folder / FILE_NAME)
    try:
        yield MemoryRepository(database)
    finally:
        await database.close()


def texts(memories):
    return [memory.text for memory in memories]


async def test_memories_survive_a_restart_exactly(tmp_path):
    async with opened(tmp_path) as store:
        kept = [
            await store.add("I live in Oslo."),
            await store.add("我对虾过敏 \ud83d", "cook", MemoryOrigin.CONFIRMED),
        ]
    async with opened(tmp_path) as store:
        assert list(await store.all()) == kept


async def test_what_is_remembered_is_not_remembered_twice(tmp_path):
    async with opened(tmp_path) as store:
        first = await store.add("I live in Oslo.")
        assert await store.add("i live in  oslo", origin=MemoryOrigin.CONFIRMED) == first
        cooks = await store.add("I live in Oslo.", "cook")
        assert await store.all() == (first, cooks)


@cases("text, words", [(" \n\u200b", "the memory is empty"), ("a" * (MAX_CHARS + 1), "longer than 500")])
async def test_what_is_no_fact_is_refused_with_words(tmp_path, text, words):
    async with opened(tmp_path) as store:
        kept = await store.add("I live in Oslo.")
        with pytest.raises(NotRemembered, match=words):
            await store.add(text)
        with pytest.raises(NotRemembered, match=words):
            await store.change(kept.id, text, None)
        assert await store.all() == (kept,)


async def test_a_changed_fact_is_in_the_persons_words_and_keeps_its_place(tmp_path):
    async with opened(tmp_path) as store:
        first = await store.add("Person likes tea.", origin=MemoryOrigin.CONFIRMED)
        await store.add("I live in Oslo.")
        moved = await store.change(first.id, "Person likes tea.", "cook")
        assert (moved.origin, moved.assistant) == (MemoryOrigin.CONFIRMED, "cook")
        changed = await store.change(first.id, "I like tea.", None)
        assert (changed.origin, changed.created_at) == (MemoryOrigin.SAID, first.created_at)
        assert changed.changed_at > first.changed_at
        assert texts(await store.all()) == ["I like tea.", "I live in Oslo."]
        with pytest.raises(UnknownMemory):
            await store.change("nobody", "x", None)


async def test_a_deleted_fact_can_be_brought_back_until_it_is_gone_for_good(tmp_path):
    async with opened(tmp_path) as store:
        fact = await store.add("My secret is plover.")
        await store.delete(fact.id)
        assert await store.all() == ()
        assert await store.purge() == 0
        await store.restore(fact.id)
        assert await store.all() == (fact,)
        await store.delete(fact.id)
        assert await store.purge(timedelta(0)) == 1
        with pytest.raises(UnknownMemory):
            await store.restore(fact.id)
    assert b"plover" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


async def test_copies_of_the_conversations_hold_the_memories(tmp_path):
    async with opened(tmp_path) as store:
        await store.add("I live in Oslo.")
        copy = LocalBackups(tmp_path / FILE_NAME).take(datetime.now(UTC))
    with closing(sqlite3.connect(copy.path)) as connection:
        assert connection.execute("SELECT text FROM memories").fetchall() == [("I live in Oslo.",)]


async def test_a_database_from_before_learns_to_remember_and_keeps_what_it_has(tmp_path):
    before = MIGRATIONS[: [migration.name for migration in MIGRATIONS].index("0004-memories")]
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as connection:
        for migration in before:
            apply(connection, migration)
        connection.execute("INSERT INTO conversations VALUES ('c', 'Old', 0, 1, 1, NULL)")
    async with opened(tmp_path) as store:
        await store.add("I live in Oslo.")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("SELECT title FROM conversations").fetchall() == [("Old",)]


async def test_a_row_that_cannot_be_read_is_damage(tmp_path):
    async with opened(tmp_path) as store:
        await store.add("I live in Oslo.")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        install(connection)  # its seal is true, and yet nobody can have written it
        connection.execute("UPDATE memories SET origin = 'ghost'")
    async with opened(tmp_path) as store:
        with pytest.raises(DatabaseDamaged):
            await store.all()


async def test_a_conversation_uses_memories_until_told_otherwise(tmp_path):
    conversations = ConversationStore(tmp_path)
    try:
        info = await conversations.create()
        async with opened(tmp_path) as store:
            assert await store.is_used_in(info.id)
            await store.use_in(info.id, is_used=False)  # before it has a message
            await store.use_in(info.id, is_used=False)
            await conversations.add_message(question(info.id))
            assert not await store.is_used_in(info.id)
            await store.use_in(info.id, is_used=True)
            assert await store.is_used_in(info.id)
            await store.use_in(info.id, is_used=False)
            await conversations.delete(info.id)
            await conversations.purge()
            assert await store.is_used_in(info.id)  # the choice went with the conversation
    finally:
        await conversations.close()


async def test_memories_from_elsewhere_are_merged(tmp_path):
    later = datetime(2030, 1, 1, tzinfo=UTC)
    async with opened(tmp_path) as store:
        oslo = await store.add("I live in Oslo.")
        tea = await store.add("I like tea.")
        elsewhere = [
            replace(oslo, text="I live in Bergen.", changed_at=later),
            replace(tea, text="I like coffee.", changed_at=datetime(2000, 1, 1, tzinfo=UTC)),
            replace(tea, id="twin"),
            Memory("new", "I ski.", MemoryOrigin.CONFIRMED, later, later),
        ]
        assert await store.merge(elsewhere) == 2
        assert texts(await store.all()) == ["I live in Bergen.", "I like tea.", "I ski."]
        assert await store.merge(elsewhere) == 0
        with pytest.raises(NotRemembered):
            await store.merge(
                [Memory("a", "Fine.", MemoryOrigin.SAID, later, later), replace(oslo, text=" ")]
            )
        assert "Fine." not in texts(await store.all())


MEMORIES = st.builds(
    Memory,
    id=st.text("0123456789abcdef", min_size=32, max_size=32),
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(normalize_fact).filter(bool),
    origin=st.sampled_from(MemoryOrigin),
    created_at=st.datetimes(timezones=st.just(UTC), min_value=datetime(1971, 1, 1)),  # noqa: DTZ001 (hypothesis wants it naive)
    changed_at=st.datetimes(timezones=st.just(UTC), min_value=datetime(1971, 1, 1)),  # noqa: DTZ001 (same)
    assistant=st.none() | st.text("abc-"),
)


@given(st.lists(MEMORIES))
def test_lines_that_were_written_are_read_as_they_were(memories):
    written = format_memories(memories)
    assert read_lines(written) == tuple(memories)
    assert format_memories(read_lines(written)) == written
    assert written.count("\n") == len(memories)


def test_a_line_needs_no_more_than_its_text():
    (memory,) = read_lines('\n{"text": "I ski.", "colour": "white"}\n\n')
    assert (memory.text, memory.origin, memory.assistant) == ("I ski.", MemoryOrigin.SAID, None)
    assert memory.id
    assert memory.created_at == memory.changed_at


STRANGE_DATE = '{"text": "x", "created_at": "0001-01-01T00:00:00+23:00"}'


@cases("line", ["I ski.", "[]", STRANGE_DATE, '{"text": 3}', '{"text": "x", "origin": "ghost"}', "[" * 9999])
def test_a_line_that_is_something_else_is_named(line):
    with pytest.raises(NotRemembered, match="line 2 of the file"):
        read_lines(f'{{"text": "I ski."}}\n{line}\n')
