"""Copies of the conversations, and the way back from them."""

import asyncio
import random
import sqlite3
import tempfile
from contextlib import aclosing, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import CopyDateInFuture, DatabaseDamaged, StorageError
from desktop.sqlite import BACKUPS
from desktop.storage import conversation_store as conversations_module
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import next_copy_path
from desktop.storage.local_copies import KEPT, LocalBackup, LocalBackups, select_superseded
from desktop.storage.memories import MemoryRepository
from tests.cases import cases
from tests.unit.storage.samples import file_size_limit, question

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FUTURE = datetime(2099, 1, 1, tzinfo=UTC)


async def add(folder, count=1):
    """Add conversations and return how many there are."""
    store = ConversationStore(folder)
    for _ in range(count):
        info = await store.create()
        await store.add_message(question(info.id, text="text " * 200))
    there = len(await store.recent())
    await store.close()
    return there


def titles(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM conversations").fetchone()[0]


def damage(path):
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xa5" * 4096
    path.write_bytes(content)
    return bytes(content)


def test_a_copy_is_sound_and_complete(tmp_path):
    asyncio.run(add(tmp_path, 3))
    copy = LocalBackups(tmp_path / FILE_NAME).take(NOON)
    assert copy.path.parent == tmp_path / BACKUPS
    with closing(sqlite3.connect(copy.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert titles(copy.path) == 3
    assert [path.name for path in copy.path.parent.iterdir()] == ["conversations-20260301T120000-000001.db"]


def test_a_copy_can_be_taken_while_the_database_is_written(tmp_path):
    async def scenario():
        store = ConversationStore(tmp_path)
        info = await store.create()
        await store.add_message(question(info.id))
        await store.back_up()
        await store.add_message(question(info.id, 1))
        await store.close()

    asyncio.run(scenario())
    [copy] = LocalBackups(tmp_path / FILE_NAME).copies()
    with closing(sqlite3.connect(copy.path)) as connection:
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (1,)


def test_nothing_new_needs_no_new_copy(tmp_path):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    first = backups.take(NOON)
    assert backups.take(NOON + HOUR) is None
    assert backups.copies() == (first,)
    asyncio.run(add(tmp_path))
    second = backups.take(NOON + 2 * HOUR)
    assert backups.copies() == (second, first)


def test_a_clock_that_was_set_back_does_not_make_a_copy_old(tmp_path):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    first = backups.take(NOON)
    asyncio.run(add(tmp_path))
    second = backups.take(NOON - timedelta(days=900))
    assert second.taken_at < first.taken_at
    assert backups.copies() == (second, first)
    assert titles(second.path) == 2


@cases("name", ["", "conversations-20990101T000000.db"])
def test_a_copy_dated_in_the_future_neither_ends_nor_replaces_later_ones(tmp_path, name):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    first = backups.take(NOON)
    asyncio.run(add(tmp_path))
    wrong = backups.take(FUTURE)
    if name:  # the copies of an earlier version
        wrong.path.rename(wrong.path.with_name(name))
        first.path.rename(first.path.with_name("conversations-20260301T120000.db"))
    for hours in range(1, 30):
        now = NOON + hours * HOUR
        assert backups.is_due(now)
        assert backups.future_date(now) == (FUTURE if hours == 1 else None)
        asyncio.run(add(tmp_path))
        copy = backups.take(now)
        assert backups.copies()[0] == copy
        assert not backups.is_due(now)
    dates = [copy.taken_at for copy in backups.copies()]
    assert dates[:24] == [NOON + hours * HOUR for hours in range(29, 5, -1)]
    damage(tmp_path / FILE_NAME)
    restored = backups.restore_newest(NOON)
    assert restored.copy == copy


def test_while_the_clock_is_behind_copies_go_on(tmp_path):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    backups.take(NOON)
    asyncio.run(add(tmp_path))
    behind = datetime(1970, 1, 1, tzinfo=UTC)
    assert backups.is_due(behind)
    copy = backups.take(behind)
    assert not backups.is_due(behind)
    assert backups.copies()[0] == copy
    assert backups.is_due(NOON + timedelta(minutes=1))


def test_a_copy_from_before_an_update_comes_before_those_taken_after_it(tmp_path):
    backups = LocalBackups(tmp_path / FILE_NAME)
    asyncio.run(add(tmp_path))
    first = backups.take(FUTURE)
    path = next_copy_path(tmp_path / BACKUPS, "conversations", NOON, "before-0002-x-")
    path.write_bytes(first.path.read_bytes())
    asyncio.run(add(tmp_path))
    last = backups.take(NOON)
    assert [copy.path for copy in backups.all_copies()] == [last.path, path, first.path]


def test_other_files_in_the_folder_are_let_alone(tmp_path):
    asyncio.run(add(tmp_path))
    folder = tmp_path / BACKUPS
    folder.mkdir()
    for name in (
        "notes.txt",
        "conversations-before-0002-x-20200101T000000.db",
        "knowledge-20200101T000000.db",
    ):
        (folder / name).write_text("mine")
    backups = LocalBackups(tmp_path / FILE_NAME)
    backups.take(NOON)
    assert len(backups.copies()) == 1
    assert len(list(folder.iterdir())) == 4


def test_names_that_are_no_moment_are_no_copies(tmp_path):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    copy = backups.take(NOON)
    (tmp_path / BACKUPS / "conversations-20269999T999999.db").write_bytes(b"")
    assert backups.all_copies() == (copy,)
    assert backups.is_due(NOON + HOUR)


def test_a_folder_that_cannot_be_looked_into_is_said(tmp_path, monkeypatch):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    backups.take(NOON)

    def refused(_path):
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(StorageError):
        backups.is_due(NOON)


def test_a_copy_is_due_every_hour(tmp_path):
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    assert backups.is_due(NOON)
    backups.take(NOON)
    assert not backups.is_due(NOON + HOUR - timedelta(seconds=1))
    assert backups.is_due(NOON + HOUR)


def test_an_open_store_copies_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(conversations_module, "_LOOK_S", 0.01)

    async def scenario():
        store = ConversationStore(tmp_path)
        info = await store.create()
        await store.add_message(question(info.id))
        backups = LocalBackups(tmp_path / FILE_NAME)
        async with asyncio.timeout(30):
            while not backups.copies():  # noqa: ASYNC110 - a file that appears raises no event
                await asyncio.sleep(0.01)
        await store.close()

    asyncio.run(scenario())


def test_an_open_store_forgets_memories_that_can_no_longer_be_restored(tmp_path, monkeypatch):
    monkeypatch.setattr(conversations_module, "_LOOK_S", 0.01)
    monkeypatch.setattr(conversations_module, "UNDO_FOR", timedelta(0))

    async def scenario():
        store = ConversationStore(tmp_path)
        memories = MemoryRepository(store.database)
        await memories.delete((await memories.add("I live in Oslo.")).id)
        async with asyncio.timeout(30):
            while await memories.count_deleted():  # noqa: ASYNC110 - a row that goes raises no event
                await asyncio.sleep(0.01)
        await store.close()

    asyncio.run(scenario())


def test_a_newest_copy_dated_in_the_future_is_said_once_and_a_new_one_made(tmp_path, monkeypatch):
    monkeypatch.setattr(conversations_module, "_LOOK_S", 0.01)
    asyncio.run(add(tmp_path))
    backups = LocalBackups(tmp_path / FILE_NAME)
    backups.take(FUTURE)
    asyncio.run(add(tmp_path))

    async def scenario():
        store = ConversationStore(tmp_path)
        async with asyncio.timeout(30):
            async with aclosing(store.troubles()) as troubles:
                told = await anext(troubles)
            while len(backups.copies()) < 2:  # noqa: ASYNC110 - a file that appears raises no event
                await asyncio.sleep(0.01)
        await store.close()
        return told

    told = asyncio.run(scenario())
    assert isinstance(told, CopyDateInFuture)
    assert "2099-01-01 00:00 UTC" in str(told)


def test_a_damaged_database_is_not_copied_over_good_copies(tmp_path):
    asyncio.run(add(tmp_path, 20))
    backups = LocalBackups(tmp_path / FILE_NAME)
    good = backups.take(NOON)
    damage(tmp_path / FILE_NAME)
    with pytest.raises(DatabaseDamaged):
        backups.take(NOON + HOUR)
    assert backups.copies() == (good,)


def test_without_room_no_copy_is_made_and_none_is_lost(tmp_path):
    asyncio.run(add(tmp_path, 20))
    backups = LocalBackups(tmp_path / FILE_NAME)
    good = backups.take(NOON)
    asyncio.run(add(tmp_path, 20))
    with file_size_limit(33_000), pytest.raises(StorageError):
        backups.take(NOON + HOUR)
    assert [path.name for path in (tmp_path / BACKUPS).iterdir()] == [good.path.name]


def test_a_damaged_database_is_set_aside_and_the_newest_sound_copy_restored(tmp_path):
    path = tmp_path / FILE_NAME
    asyncio.run(add(tmp_path, 5))
    backups = LocalBackups(path)
    backups.take(NOON)
    asyncio.run(add(tmp_path, 5))
    backups.take(NOON + HOUR)
    asyncio.run(add(tmp_path, 5))
    damage(backups.take(NOON + 2 * HOUR).path)
    ruined = damage(path)

    async def scenario():
        store = ConversationStore(tmp_path)
        count = len(await store.recent())
        words = str(store.restored)
        await store.add_message(question((await store.create()).id))
        await store.close()
        return count, words

    count, words = asyncio.run(scenario())
    assert 10 <= count <= 15
    assert "2026-03-01 13:00" in words
    [aside] = tmp_path.glob("*.damaged-*")
    assert aside.name in words
    assert aside.read_bytes() == ruined
    assert asyncio.run(add(tmp_path)) == count + 2


def test_the_log_of_a_damaged_database_does_not_reach_the_copy(tmp_path):
    path = tmp_path / FILE_NAME
    asyncio.run(add(tmp_path, 5))
    LocalBackups(path).take(NOON)
    damage(path)
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"what is left of a crash")
    restored = LocalBackups(path).restore_newest(NOON)
    assert not log.exists()
    assert (
        restored.set_aside.with_name(restored.set_aside.name + "-wal").read_bytes()
        == b"what is left of a crash"
    )
    assert titles(path) == 5


def cut(path, keep):
    """Ruin the pages behind the first few, where messages are."""
    content = bytearray(path.read_bytes())
    content[keep:] = b"\xa5" * (len(content) - keep)
    path.write_bytes(content)


async def opened(folder):
    """Return the titles of what can be read, and what is said of the disk."""
    store = ConversationStore(folder)
    infos = await store.recent()
    for info in infos:
        assert (await store.load(info.id)).messages
    words = str(store.restored or "")
    await store.close()
    return sorted(info.title for info in infos), words


async def add_titled(folder, *names):
    store = ConversationStore(folder)
    for name in names:
        info = await store.create()
        await store.rename(info.id, name)
        await store.add_message(question(info.id, text="text " * 2_000))
    await store.close()


def test_without_a_copy_what_can_be_read_is_kept(tmp_path):
    path = tmp_path / FILE_NAME
    asyncio.run(add_titled(tmp_path, *"abcdef"))
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    content = bytearray(path.read_bytes())
    content[(pages - 2) * 4096 :] = b"\xa5" * 8192
    path.write_bytes(content)
    titles, words = asyncio.run(opened(tmp_path))
    assert "no backup" in words
    assert 1 <= len(titles) < 6
    assert set(titles) <= set("abcdef")
    assert "recovered from the damaged file" in words
    assert "Not recovered" in words
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1
    assert asyncio.run(opened(tmp_path)) == (titles, "")


def test_without_room_to_read_the_damaged_file_the_copy_is_there_and_the_file_is_kept(tmp_path, monkeypatch):
    path = tmp_path / FILE_NAME
    asyncio.run(add_titled(tmp_path, "old"))
    LocalBackups(path).take(NOON)
    asyncio.run(add_titled(tmp_path, "new"))
    cut(path, 4096 * 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    titles, words = asyncio.run(opened(tmp_path))
    assert titles == ["old"]
    assert "may be missing" in words
    assert any(tmp_path.glob("*.damaged-*"))


def test_of_a_file_that_is_nothing_any_more_the_program_starts_empty(tmp_path):
    path = tmp_path / FILE_NAME
    asyncio.run(add_titled(tmp_path, "a"))
    cut(path, 0)
    titles, words = asyncio.run(opened(tmp_path))
    assert titles == []
    assert "may be missing" in words
    asyncio.run(add_titled(tmp_path, "b"))
    assert asyncio.run(opened(tmp_path)) == (["b"], "")


def test_what_came_after_the_copy_is_read_out_of_the_damaged_file(tmp_path):
    path = tmp_path / FILE_NAME
    asyncio.run(add_titled(tmp_path, "old"))
    LocalBackups(path).take(NOON)
    asyncio.run(add_titled(tmp_path, "new"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'conversations_by_use'")
        connection.commit()
    titles, words = asyncio.run(opened(tmp_path))
    assert titles == ["new", "old"]
    assert "1 chat recovered from the damaged file" in words


async def shown(folder):
    """Return how many conversations there are and how many of them can be read."""
    store = ConversationStore(folder)
    infos = await store.recent()
    readable = 0
    for info in infos:
        with suppress(DatabaseDamaged):
            readable += len((await store.load(info.id)).messages)
    await store.close()
    return len(infos), readable


def test_whatever_a_byte_or_a_cut_does_the_program_starts_with_what_the_copy_had(tmp_path):
    randomness = random.Random(3)
    path = tmp_path / "origin" / FILE_NAME
    asyncio.run(add(path.parent, 12))
    sound = path.read_bytes()
    copy = LocalBackups(path).take(NOON)
    for run in range(60):
        folder = tmp_path / str(run)
        (folder / BACKUPS).mkdir(parents=True)
        (folder / BACKUPS / copy.path.name).write_bytes(copy.path.read_bytes())
        content = bytearray(sound)
        if run % 3:
            content[randomness.randrange(len(content))] ^= 1 << randomness.randrange(8)
        else:
            content = content[: randomness.randrange(1, len(content))]
        (folder / FILE_NAME).write_bytes(content)
        conversations, readable = asyncio.run(shown(folder))
        assert conversations >= 12
        assert readable >= 11


@cases(
    "change, words",
    [
        ("UPDATE messages SET status = 'compmete'", "compmete"),
        ("UPDATE messages SET steps = '[{]'", "Expecting"),
        ("UPDATE messages SET created_at = 9223372036854775807", "damaged"),
        ("UPDATE messages SET offered = '[null]'", "int"),
    ],
)
def test_a_row_that_cannot_be_what_was_written_is_damage_and_no_bug(tmp_path, change, words):
    async def scenario():
        store = ConversationStore(tmp_path)
        info = await store.create()
        await store.add_message(question(info.id))
        await store.database.execute(change)
        with pytest.raises(DatabaseDamaged, match=words):
            await store.load(info.id)
        assert len(await store.recent()) == 1
        await store.close()

    asyncio.run(scenario())


def test_text_that_the_disk_has_ruined_is_shown_as_far_as_it_goes(tmp_path):
    async def scenario():
        store = ConversationStore(tmp_path)
        info = await store.create()
        await store.add_message(question(info.id))
        ruin = "UPDATE messages SET text = CAST(x'61ff62' AS TEXT)"
        await store.database.execute(ruin)
        [message] = (await store.load(info.id)).messages
        assert message.text == "a\ufffdb"
        await store.close()

    asyncio.run(scenario())


def test_a_schema_that_is_not_ours_is_damage(tmp_path):
    asyncio.run(add(tmp_path, 2))
    path = tmp_path / FILE_NAME
    LocalBackups(path).take(NOON)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE messages RENAME COLUMN text TO tezt")
    assert asyncio.run(shown(tmp_path)) == (2, 2)
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


COPIES = st.lists(st.datetimes(datetime(2020, 1, 1), datetime(2027, 1, 1)), unique=True, max_size=300).map(  # noqa: DTZ001 - made aware in the next line
    lambda moments: [
        LocalBackup(Path(str(at)), at.replace(tzinfo=UTC)) for at in sorted(moments, reverse=True)
    ]
)


@given(COPIES)
def test_rotation_keeps_the_newest_and_no_more_than_agreed(copies):
    gone = select_superseded(copies)
    kept = [copy for copy in copies if copy not in gone]
    assert kept[:1] == copies[:1]
    assert len(kept) <= sum(count for _, count in KEPT)
    assert select_superseded(kept) == ()


def test_rotation_keeps_a_day_of_hours_two_weeks_of_days_and_two_months_of_weeks():
    kept = []
    for hour in range(24 * 100):
        kept.insert(0, LocalBackup(Path(str(hour)), NOON + hour * HOUR))
        gone = select_superseded(kept)
        kept = [copy for copy in kept if copy not in gone]
    ages = [kept[0].taken_at - copy.taken_at for copy in kept]
    assert sum(age < timedelta(days=1) for age in ages) == 24
    assert sum(age < timedelta(days=14) for age in ages) >= 24 + 12
    assert timedelta(weeks=6) < max(ages) < timedelta(weeks=8)


async def reopen(folder):
    """Return how many conversations are there, and what the user was told of them."""
    store = ConversationStore(folder)
    try:
        return len(await store.recent()), str(store.restored or "")
    finally:
        await store.close()


def blank(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 0")
        connection.execute("VACUUM")


@cases("spoil", [Path.unlink, lambda path: path.write_bytes(b""), blank])
def test_nothing_beside_sound_copies_is_damage(tmp_path, spoil):
    asyncio.run(add(tmp_path, 2))
    path = tmp_path / FILE_NAME
    LocalBackups(path).take(NOON)
    path.unlink()
    if spoil is not Path.unlink:
        spoil(path)
    count, said = asyncio.run(reopen(tmp_path))
    assert count == 2
    assert "restored as of 2026-03-01 12:00 UTC" in said
    assert ("damaged-" in said) == (spoil is not Path.unlink)
    assert asyncio.run(reopen(tmp_path)) == (2, "")


def test_without_copies_a_new_database_is_no_damage(tmp_path):
    assert asyncio.run(reopen(tmp_path)) == (0, "")


def test_a_copy_from_before_an_update_is_better_than_nothing(tmp_path):
    asyncio.run(add(tmp_path, 2))
    path = tmp_path / FILE_NAME
    copy = LocalBackups(path).take(NOON)
    copy.path.rename(copy.path.with_name("conversations-before-0009-folders-20260301T120000.db"))
    path.unlink()
    assert asyncio.run(reopen(tmp_path))[0] == 2
