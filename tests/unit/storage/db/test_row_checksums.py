"""Checksums of rows: a single flipped byte anywhere in what was written is noticed, and what was rightly changed is not."""

import sqlite3
from contextlib import closing, contextmanager
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.storage.db.migrations import MIGRATIONS, apply
from desktop.storage.db.row_checksums import SEALED, all_unsound, backfill, columns, install, unsound
from desktop.storage.db.rows import encode_text
from tests.cases import cases

TEXTS = st.text(st.characters(exclude_categories=()), max_size=300)
INTEGERS = {"created_at", "changed_at", "read_at", "deleted_at", "is_pinned", "is_aside", "variant"}
KEYS = {"position": "7", "number": "3", "start": "0"}
EACH = pytest.mark.parametrize("table", SEALED)


@cache
def blank(count):
    """Return an empty database after so many migrations, as bytes: making one takes long."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for migration in MIGRATIONS[:count]:
            apply(connection, migration)
        return connection.serialize()


@contextmanager
def database(count=None):
    """Make an empty database in memory."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(blank(count or len(MIGRATIONS)))
        install(connection)
        yield connection


def fill(connection, table, words=""):
    """Write a row with words in every column that takes some; returns its values by column."""
    sealed = SEALED[table]
    values = {name: KEYS.get(name, "id") for name in sealed.key}
    values |= {name: "5" if name in INTEGERS else words for name in sealed.columns}
    known = connection.execute(f"PRAGMA table_info({table})").fetchall()
    for _, name, kind, is_needed, default, *_ in known:
        if is_needed and default is None and name not in values:
            values[name] = "1" if kind == "INTEGER" else "x"
    places = ", ".join(["CAST(? AS TEXT)"] * len(values))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})",
        list(map(encode_text, values.values())),
    )
    return values


def corrupt(connection, table, name, value):
    """Change a column behind the back of the triggers, as a disk does."""
    trigger = f"{SEALED[table].seals}_changed"
    select = "SELECT sql FROM sqlite_schema WHERE name = ?"
    (statement,) = connection.execute(select, (trigger,)).fetchone()
    connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(f"UPDATE {table} SET {name} = CAST(? AS TEXT)", (value,))
    connection.execute(statement)


def damage(connection, table):
    """Return the columns that are said to be damaged."""
    (bits,) = connection.execute(f"SELECT {unsound(table)} FROM {table}").fetchone()
    return columns(table, bits)


@EACH
@given(words=TEXTS.filter(bool), data=st.data())
def test_a_single_flipped_byte_is_noticed(table, words, data):
    with database() as connection:
        values = fill(connection, table, words)
        assert damage(connection, table) == frozenset()
        name = data.draw(st.sampled_from([each for each in SEALED[table].columns if each not in INTEGERS]))
        content = bytearray(encode_text(values[name]))
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
        corrupt(connection, table, name, bytes(content))
        assert damage(connection, table) == {name}


@EACH
def test_every_change_by_us_keeps_the_seal_true(table):
    with database() as connection:
        fill(connection, table, "before")
        for number, name in enumerate(SEALED[table].columns):
            connection.execute(f"UPDATE {table} SET {name} = CAST(? AS TEXT)", (str(number),))
            assert all_unsound(connection) == []
        connection.execute(f"DELETE FROM {table}")
        assert connection.execute(f"SELECT count(*) FROM {SEALED[table].seals}").fetchone() == (0,)


def test_what_is_changed_beside_damage_does_not_make_it_right():
    with database() as connection:
        fill(connection, "messages", "words")
        corrupt(connection, "messages", "text", b"wxrds")
        connection.execute("UPDATE messages SET citation_check = '{}', status = 'other'")
        assert damage(connection, "messages") == {"text"}
        connection.execute("UPDATE messages SET text = 'written anew'")
        assert damage(connection, "messages") == frozenset()


@given(place=st.integers(0, 3), flip=st.integers(1, 255))
def test_a_seal_that_was_hit_itself_accuses_nobody(place, flip):
    with database() as connection:
        fill(connection, "journal", "words")
        (seal,) = connection.execute("SELECT seal FROM journal_seals").fetchone()
        for start in range(0, len(seal), 4):
            hit = bytearray(seal)
            hit[start + place] ^= flip
            connection.execute("UPDATE journal_seals SET seal = ?", (bytes(hit),))
            assert all_unsound(connection) == []


def test_what_should_be_there_is_told_with_the_key():
    with database() as connection:
        fill(connection, "sources", "words")
        corrupt(connection, "sources", "title", b"wxrds")
        (row,) = all_unsound(connection)
        assert (row.table, row.key) == ("sources", (b"id", b"3"))
        assert [name for name, _ in row.wanted] == ["title"]


@cases("at_once", [1, 2, 100])
def test_rows_from_before_are_sealed_step_by_step(at_once):
    names = [migration.name for migration in MIGRATIONS]
    before = names.index("0016-seals")
    with database(before) as connection:
        for number in range(5):
            message = "INSERT INTO messages (position, id, conversation_id, speaker, text, created_at, status, model,"
            connection.execute(
                f"{message} reasoning, steps, offered, usage, error, attachments)"
                " VALUES (?, ?, 'c', '', 'old', 1, '', '', '', '', '', '', '', '')",
                (number, f"m{number}"),
            )
        for number in (3, 1, 2):
            connection.execute(
                "INSERT INTO memories VALUES (?, 'known', 'said', NULL, 1, 1, NULL)", (f"k{number}",)
            )
        apply(connection, MIGRATIONS[before])
        connection.execute("UPDATE messages SET text = 'changed before it had one' WHERE position = 2")
        connection.execute("INSERT INTO memories VALUES ('new', 'x', 'said', NULL, 1, 1, NULL)")
        steps = 0
        while backfill(at_once, connection):
            steps += 1
        assert steps >= 5 // at_once
        assert connection.execute("SELECT count(*) FROM messages_seals").fetchone() == (5,)
        assert connection.execute("SELECT count(*) FROM memories_seals").fetchone() == (4,)
        assert all_unsound(connection) == []
        corrupt(connection, "messages", "text", b"other")
        assert len(all_unsound(connection)) == 5


def test_a_database_without_seals_has_no_damage_that_is_known():
    with closing(sqlite3.connect(":memory:")) as connection:
        assert all_unsound(connection) == []
