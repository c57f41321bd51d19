"""Opening, checking, migrating and sharing a database."""

import asyncio
import hashlib
import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress

import pytest

from desktop.errors import DatabaseBusy, DatabaseDamaged, DatabaseTooNew, StorageUnavailable
from desktop.phrases import localize
from desktop.sqlite import BACKUPS, copy_verified
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.db import database as database_module
from desktop.storage.db.database import Database
from desktop.storage.db.migrations import MIGRATIONS, Migration
from desktop.storage.db.row_checksums import unsound
from desktop.storage.db.rows import MESSAGE_COLUMNS, message_of
from tests.cases import cases
from tests.unit.storage.samples import file_size_limit, question

FIRST = Migration("0001-a", ("CREATE TABLE a (x TEXT)", "INSERT INTO a VALUES ('kept')"))
SECOND = Migration("0002-b", ("ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x || '!'"))
THIRD = Migration("0003-c", ("CREATE TABLE c AS SELECT y FROM a", "DROP TABLE a"))
BROKEN = Migration("0002-broken", ("UPDATE a SET x = 'half done'", "SELECT nonsense"))


def opened(path, migrations, work=lambda connection: None):
    """Open a database, return what `work` makes of it, and close it."""

    async def whole():
        database = Database(path, migrations)
        try:
            return await database.write(work)
        finally:
            await database.close()

    return asyncio.run(whole())


def rows(statement):
    return lambda connection: connection.execute(statement).fetchall()


def digests(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def filled(path, count=200):
    """Make a sound database with conversations in it."""

    async def whole():
        store = ConversationStore(path.parent)
        info = await store.create()
        for number in range(count):
            await store.add_message(question(info.id, number, "text " * 50))
        await store.close()
        return info.id

    return asyncio.run(whole())


def test_what_was_promised_is_switched_on(tmp_path):
    def pragmas(connection):
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    async def whole():
        database = Database(tmp_path / "x.db")
        found = await database.read(pragmas)
        await database.close()
        return found

    assert asyncio.run(whole()) == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
    }


def test_a_database_is_closed_to_other_people(tmp_path):
    opened(tmp_path / "profile" / "x.db", MIGRATIONS)
    assert (tmp_path / "profile").stat().st_mode & 0o077 == 0


def test_it_is_opened_at_the_first_use_and_again_after_an_error(tmp_path):
    folder = tmp_path / "profile"
    folder.write_text("in the way")
    database = Database(folder / "x.db", (FIRST,))  # also without an event loop

    async def whole():
        tries = [database.read(rows("SELECT x FROM a")) for _ in range(3)]
        found = await asyncio.gather(*tries, return_exceptions=True)
        assert [type(error) for error in found] == [StorageUnavailable] * 3
        folder.unlink()
        assert await database.read(rows("SELECT x FROM a")) == [("kept",)]
        await database.close()
        with pytest.raises(RuntimeError):
            await database.read(rows("SELECT x FROM a"))

    asyncio.run(whole())


def test_what_was_never_used_is_closed_without_a_file(tmp_path):
    asyncio.run(Database(tmp_path / "x.db").close())
    assert list(tmp_path.iterdir()) == []


def test_an_opener_uses_it_before_all_others_and_is_undone_if_it_fails(tmp_path):
    done = []

    async def prepare():
        await database.connect()
        database.closing.callback(done.append, "undone")
        await database.execute("INSERT INTO a VALUES ('prepared')")
        if not done:
            raise StorageUnavailable(path=tmp_path, detail="once")

    database = Database(tmp_path / "x.db", (FIRST,), prepare)

    async def whole():
        with pytest.raises(StorageUnavailable):
            await database.open()
        assert done == ["undone"]
        first, second = await asyncio.gather(
            database.read(rows("SELECT count(*) FROM a")), database.read(rows("SELECT count(*) FROM a"))
        )
        assert first == second == [(3,)]
        await database.close()
        assert done == ["undone", "undone"]

    asyncio.run(whole())


def test_one_thread_owns_the_connection(tmp_path):
    async def whole():
        database = Database(tmp_path / "x.db")
        threads = {await database.read(lambda _: threading.current_thread().name) for _ in range(5)}
        await database.close()
        return threads

    assert asyncio.run(whole()) == {"storage-x_0"}


def test_a_transaction_happens_whole_or_not_at_all(tmp_path):
    async def whole():
        database = Database(tmp_path / "x.db", (FIRST,))

        def half(connection):
            connection.execute("INSERT INTO a VALUES ('half')")
            message = "a bug"
            raise ValueError(message)

        with pytest.raises(ValueError, match="a bug"):
            await database.write(half)
        assert await database.read(rows("SELECT x FROM a")) == [("kept",)]
        await database.close()

    asyncio.run(whole())


@cases("known", [(), (FIRST,), (FIRST, SECOND), (FIRST, SECOND, THIRD)], ids=len)
def test_migration_from_every_old_schema_keeps_the_rows(tmp_path, known):
    path = tmp_path / "x.db"
    opened(path, known)
    assert opened(path, (FIRST, SECOND, THIRD), rows("SELECT * FROM c")) == [("kept!",)]
    names = opened(path, (FIRST, SECOND, THIRD), rows("SELECT name FROM migrations ORDER BY name"))
    assert names == [("0001-a",), ("0002-b",), ("0003-c",)]


def test_a_verified_copy_is_made_before_a_migration(tmp_path):
    path = tmp_path / "x.db"
    opened(path, (FIRST,), rows("INSERT INTO a VALUES ('mine')"))
    opened(path, (FIRST, SECOND, THIRD))
    [copy] = (tmp_path / BACKUPS).iterdir()
    assert copy.name.startswith("x-before-0002-b-")
    assert opened(copy, (FIRST,), rows("SELECT x FROM a")) == [("kept",), ("mine",)]


def test_a_blank_or_current_database_needs_no_copy(tmp_path):
    opened(tmp_path / "x.db", (FIRST,))
    opened(tmp_path / "x.db", (FIRST,))
    assert not (tmp_path / BACKUPS).exists()


def test_a_migration_that_fails_leaves_the_old_schema(tmp_path):
    path = tmp_path / "x.db"
    opened(path, (FIRST,))
    with pytest.raises(sqlite3.OperationalError):
        opened(path, (FIRST, BROKEN))
    assert opened(path, (FIRST,), rows("SELECT x FROM a")) == [("kept",)]
    assert opened(path, (FIRST, SECOND), rows("SELECT y FROM a")) == [("kept!",)]


def test_without_room_for_the_copy_nothing_is_migrated(tmp_path):
    path = tmp_path / "x.db"
    opened(path, (FIRST,), rows("INSERT INTO a VALUES (hex(zeroblob(100000)))"))
    with file_size_limit(50_000), pytest.raises(StorageUnavailable):
        opened(path, (FIRST, SECOND))
    assert list((tmp_path / BACKUPS).iterdir()) == []
    assert opened(path, (FIRST,), rows("SELECT length(x) FROM a")) == [(4,), (200_000,)]


def test_the_names_of_released_migrations_never_change():
    """Append to this list; a name that is gone makes every database of that time look newer."""
    assert [migration.name for migration in MIGRATIONS][:1] == ["0001-conversations"]
    assert [migration.name for migration in MIGRATIONS] == sorted(
        {migration.name for migration in MIGRATIONS}
    )


@cases("is_in_log", [False, True], ids=["folded", "in-the-log"])
def test_a_newer_database_is_refused_and_left_untouched(tmp_path, is_in_log):
    path = tmp_path / "x.db"
    if is_in_log:
        # The newer program crashed: its last migration is in the write-ahead log only.
        script = (
            "import sqlite3, os, sys\n"
            "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "db.execute('PRAGMA journal_mode = WAL')\n"
            "db.execute('CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT)')\n"
            "db.execute('''INSERT INTO migrations VALUES ('9999-future', '')''')\n"
            "os._exit(0)\n"
        )
        subprocess.run([sys.executable, "-c", script, str(path)], check=True)
        assert path.with_name("x.db-wal").stat().st_size > 0
    else:
        opened(path, (FIRST, SECOND))
    before = digests(tmp_path)
    with pytest.raises(DatabaseTooNew, match="newer version of Footnote"):
        opened(path, (FIRST,))
    after = digests(tmp_path)
    for volatile in (before, after):
        volatile.pop("x.db-shm", None)  # SQLite's shared memory, no data
    # A reader may leave an empty log behind.
    assert {
        name: digest for name, digest in after.items() if digest != hashlib.sha256().hexdigest()
    } == before


@cases(
    "content",
    [
        b"this is no database, but it is long enough to be looked at" * 100,
        b"SQLite format 3\0" + b"\xff" * 5000,
    ],
    ids=["text", "header"],
)
def test_what_is_no_database_is_damaged_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "conversations.db"
    path.write_bytes(content)
    with pytest.raises(DatabaseDamaged):
        opened(path, MIGRATIONS)
    assert path.read_bytes() == content


def test_a_damaged_page_is_found_when_opening(tmp_path):
    path = tmp_path / "conversations.db"
    filled(path)
    content = bytearray(path.read_bytes())
    page = len(content) // 4096 // 2 * 4096
    content[page : page + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    with pytest.raises(DatabaseDamaged):
        opened(path, MIGRATIONS)
    assert path.read_bytes() == content


def test_a_cut_database_is_found_when_opening(tmp_path):
    path = tmp_path / "conversations.db"
    filled(path)
    content = path.read_bytes()
    for length in (100, 4095, 4096, 5000, len(content) // 2, len(content) - 4096):
        path.write_bytes(content[:length])
        with pytest.raises(DatabaseDamaged):
            opened(path, MIGRATIONS)
        assert path.read_bytes() == content[:length]


def test_a_folder_in_the_place_of_the_file_is_reported(tmp_path):
    (tmp_path / "x.db").mkdir()
    with pytest.raises(StorageUnavailable):
        opened(tmp_path / "x.db", MIGRATIONS)


def test_a_file_in_the_place_of_the_folder_is_reported(tmp_path):
    (tmp_path / "profile").write_text("in the way")
    with pytest.raises(StorageUnavailable):
        opened(tmp_path / "profile" / "x.db", MIGRATIONS)


def test_a_database_that_somebody_holds_is_busy_and_free_again_later(tmp_path, monkeypatch):
    monkeypatch.setattr(database_module, "_BUSY_S", 0.05)
    path = tmp_path / "x.db"

    async def whole():
        database = Database(path, (FIRST,))
        await database.open()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseBusy):
                await database.write(rows("SELECT 1"))
            assert await database.read(rows("SELECT x FROM a")) == [("kept",)]
            other.execute("COMMIT")
            assert await database.write(rows("SELECT 1")) == [(1,)]
        await database.close()

    asyncio.run(whole())


WRITER = """
import asyncio, sys
from pathlib import Path
from desktop.storage.conversation_store import ConversationStore
from tests.unit.storage.samples import question

async def write():
    store = ConversationStore(Path(sys.argv[1]))
    info = await store.create()
    for number in range(40):
        await store.add_message(question(info.id, number))
    await store.close()

asyncio.run(write())
"""


def test_two_processes_write_without_losing_anything(tmp_path):
    """Both start on a blank folder: they also race for the first migration."""
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]

    async def check():
        store = ConversationStore(tmp_path)
        for info in await store.recent():
            numbers = [message.id.split("-")[0] for message in (await store.load(info.id)).messages]
            assert numbers == [f"q{number}" for number in range(40)]
        count = len(await store.recent())
        await store.close()
        return count

    assert asyncio.run(check()) == 3


@cases("known", [(), (FIRST,)], ids=["blank", "old"])
def test_of_many_that_open_it_at_once_one_brings_it_up_and_none_sees_the_half(tmp_path, known):
    async def whole(path):
        databases = [Database(path, (FIRST, SECOND, THIRD)) for _ in range(6)]
        await asyncio.gather(*(database.open() for database in databases))
        for database in databases:
            assert await database.read(rows("SELECT * FROM c")) == [("kept!",)]
            await database.close()

    for number in range(10):
        folder = tmp_path / str(number)
        if known:
            opened(folder / "x.db", known)
        asyncio.run(whole(folder / "x.db"))
        copies = list((folder / BACKUPS).iterdir()) if known else []
        assert [opened(copy, known, rows("SELECT x FROM a")) for copy in copies] == [[("kept",)]] * len(known)
        assert known or not (folder / BACKUPS).exists()


def test_a_copy_of_a_damaged_database_is_not_made(tmp_path):
    path = tmp_path / "conversations.db"
    filled(path)

    content = bytearray(path.read_bytes())
    content[8192:12288] = b"\xa5" * 4096
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(DatabaseDamaged):
        copy_verified(connection, tmp_path / "copies" / "copy.db")
    assert list((tmp_path / "copies").iterdir()) == []


def test_what_was_asked_for_is_done_before_closing(tmp_path):
    async def whole():
        database = Database(tmp_path / "x.db", (FIRST,))
        writes = [
            asyncio.create_task(database.write(rows(f"INSERT INTO a VALUES ('{number}')")))
            for number in range(20)
        ]
        await asyncio.sleep(0)
        await database.close()
        await asyncio.gather(*writes)

    asyncio.run(whole())
    assert opened(tmp_path / "x.db", (FIRST,), rows("SELECT count(*) FROM a")) == [(21,)]


@cases("name", [b"0013-b\xffrder", b"0013-bosder"])
def test_a_name_of_a_migration_that_was_ruined_is_damage_and_no_newer_program(tmp_path, name):
    path = tmp_path / "c.db"

    async def scenario():
        database = Database(path)
        await database.open()
        await database.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "UPDATE migrations SET name = CAST(? AS TEXT) WHERE name = '0013-border'", (name,)
            )
        with pytest.raises(DatabaseDamaged):
            await Database(path).open()

    asyncio.run(scenario())


def test_no_cursor_leaves_the_thread_of_its_connection(tmp_path):
    with pytest.raises(TypeError, match="cursor"):
        opened(tmp_path / "a.db", (FIRST,), lambda connection: connection.execute("SELECT x FROM a"))


@cases("is_broken", [False, True])
def test_a_cursor_that_somebody_still_holds_has_no_statement_any_more(tmp_path, is_broken):
    held = []

    def work(connection):
        held.append(connection.execute("SELECT x FROM a"))
        if is_broken:
            raise KeyError("bug")

    async def whole():
        database = Database(tmp_path / "a.db", (FIRST,))
        with suppress(KeyError):
            await database.write(work)
        with pytest.raises(sqlite3.ProgrammingError, match="closed cursor"):
            held[0].fetchone()
        await database.close()

    asyncio.run(whole())


def test_messages_of_an_earlier_version_are_recognised_once(tmp_path):
    path = tmp_path / "profile" / "conversations.db"
    path.parent.mkdir()
    sentence = "The page couldn’t be loaded: DuckDuckGo can’t be reached. Check your connection."
    step = {"id": 1, "kind": "read", "subject": sentence, "status": "failed", "detail": sentence}
    before = MIGRATIONS[: [migration.name for migration in MIGRATIONS].index("0024-messages")]
    own_words = "Quota of project 12 exhausted."

    def fill(connection):
        connection.execute(
            "INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 't', 1, 1)"
        )
        for name, error in (("a", sentence), ("b", own_words)):
            connection.execute(
                """INSERT INTO messages (id, conversation_id, speaker, text, created_at, status, model, reasoning,
                    steps, offered, usage, error, attachments)
                VALUES (?, 'c', 'assistant', ?, 1, 'failed', 'm', '', ?, '[]', 'null', ?, '[]')""",
                (name, sentence, json.dumps([step], ensure_ascii=False), error),
            )

    opened(path, before, fill)

    def read(connection):
        found = connection.execute(f"SELECT {MESSAGE_COLUMNS} FROM messages ORDER BY id").fetchall()
        damaged = connection.execute(f"SELECT count(*) FROM messages WHERE {unsound('messages')}").fetchone()
        return [message_of(row) for row in found], damaged

    (first, second), (damaged,) = opened(path, MIGRATIONS, read)
    assert damaged == 0
    assert first.text == first.error == first.steps[0].detail == first.steps[0].subject == sentence
    told = "无法加载网页：无法连接 DuckDuckGo。请检查网络连接。"
    assert [localize(text, "zh_CN") for text in (first.error, first.steps[0].detail)] == [told, told]
    assert localize(first.steps[0].subject, "zh_CN") == sentence
    assert localize(second.error, "zh_CN") == own_words
