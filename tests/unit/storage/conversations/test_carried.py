"""What a conversation carries: each entry of the table is tried with a branch, a file and an erased conversation."""

import json
import sqlite3

import pytest

from desktop.storage.carried_rows import KEY, MARKS, ROWS
from desktop.storage.cited_pages import pack_text
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.db.row_checksums import SEALED
from desktop.storage.records import read_record, record_bytes, write_record
from tests.unit.storage.conversations.test_message_tree import talk

pytestmark = pytest.mark.anyio

CARRIED = (*(rows.table for rows in ROWS), *(mark.table for mark in MARKS))
HASH, PACKED = pack_text("The text of a page.")
VALUES = {
    "number": 3,
    "kind": "web",
    "locator": "{}",
    "files": "[]",
    "past": "[]",
    "page_check": "null",
    "text_hash": HASH,
    "newer_hash": "",
    "file": "",
}


def tables_of_conversations(connection):
    named = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {
        name
        for name in named
        if KEY in {column for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")}
    }


def fill(connection, table, conversation_id):
    """Insert a row of a conversation, whatever columns the table has."""
    kinds = {name: kind for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")}
    values = [
        conversation_id if name == KEY else VALUES.get(name, name if kind == "TEXT" else 1)
        for name, kind in kinds.items()
    ]
    places = ", ".join("?" for _ in kinds)
    connection.execute(f"INSERT INTO {table} ({', '.join(kinds)}) VALUES ({places})", values)


def fill_all(connection, conversation_id):
    connection.execute("INSERT INTO page_texts VALUES (?, ?)", (HASH, PACKED))
    for table in CARRIED:
        fill(connection, table, conversation_id)


def carried_by(connection, conversation_id):
    """Return the rows of each table without the id of the conversation."""
    found = {}
    for table in CARRIED:
        names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})") if name != KEY]
        listed = connection.execute(
            f"SELECT {', '.join(names) or 1} FROM {table} WHERE {KEY} = ?", (conversation_id,)
        )
        found[table] = listed.fetchall()
    return found


async def test_every_table_of_conversations_has_an_entry(tmp_path):
    async with talk(tmp_path, "q1") as one:
        tables = await one.store.database.read(tables_of_conversations)
        seals = {sealed.seals for sealed in SEALED.values()}
        assert tables - seals == {"messages", *CARRIED}


async def test_a_branch_and_a_file_have_what_the_entries_say_and_nothing_is_left_of_an_erased_one(tmp_path):
    async with talk(tmp_path / "here", "q1", "a1") as one:
        database = one.store.database
        await database.write(lambda connection: fill_all(connection, one.id))
        had = await database.read(lambda connection: carried_by(connection, one.id))
        assert all(had.values())

        branch = (await one.branching.branch_off(one.id, "a1", "A branch")).id
        got = await database.read(lambda connection: carried_by(connection, branch))
        for rows in ROWS:
            assert got[rows.table] == (had[rows.table] if rows.is_branched else [])
        for mark in MARKS:
            assert got[mark.table] == had[mark.table]

        record = json.loads(
            record_bytes(await database.read(lambda connection: read_record(connection, one.id)))
        )
        other = ConversationStore(tmp_path / "there")
        try:
            taken = await other.database.write(lambda connection: write_record(connection, record))
            imported = await other.database.read(lambda connection: carried_by(connection, taken))
        finally:
            await other.close()
        for rows in ROWS:
            assert imported[rows.table] == (had[rows.table] if rows.part else [])
        for mark in MARKS:
            assert imported[mark.table] == had[mark.table]

        await one.store.erase(one.id)
        assert not any((await database.read(lambda connection: carried_by(connection, one.id))).values())


async def test_a_file_that_says_nothing_leaves_the_choice_as_it_is(tmp_path):
    async with talk(tmp_path, "q1") as one:
        record = await one.store.database.read(lambda connection: read_record(connection, one.id))
        assert record["uses_memory"] is True
        assert "stays_here" not in record
        assert "pages" not in record
        with pytest.raises(sqlite3.IntegrityError):  # it exists
            await one.store.database.write(lambda connection: write_record(connection, record))
