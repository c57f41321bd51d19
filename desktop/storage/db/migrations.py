"""The schema of conversations, as an ordered list of migrations.

A released migration is never changed; new ones are appended. Each is recorded in the same transaction, and all
migrations that a database lacks run in one transaction.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from desktop.storage.db.row_checksums import SEALED, install, statements, unsound
from desktop.text import old_messages

_NOTES = "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT"

_UNUSED_TEXTS = """DELETE FROM page_texts WHERE hash IN (old.text_hash, old.newer_hash)
                    AND NOT EXISTS (SELECT 1 FROM cited_pages WHERE text_hash = page_texts.hash)
                    AND NOT EXISTS (SELECT 1 FROM cited_pages WHERE newer_hash = page_texts.hash)"""
"""Deletes the texts of a row that no other row has any more; part of migration 0023."""


@dataclass(frozen=True)
class Migration:
    """A migration; `name` is stored in the database permanently."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(
        "0001-conversations",
        (
            # Times are microseconds since 1970, UTC. TEXT may hold what is not valid UTF-8: see `rows`.
            """CREATE TABLE conversations (
                id TEXT PRIMARY KEY,
                title TEXT NOT NULL,
                is_title_given INTEGER NOT NULL DEFAULT 0,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                deleted_at INTEGER
            ) STRICT""",
            "CREATE INDEX conversations_by_use ON conversations (updated_at DESC) WHERE deleted_at IS NULL",
            # `parent_id` is the message that this one answers or follows: two of one parent are branches.
            """CREATE TABLE messages (
                position INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
                parent_id TEXT REFERENCES messages (id) ON DELETE SET NULL,
                speaker TEXT NOT NULL,
                text TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                status TEXT NOT NULL,
                model TEXT NOT NULL,
                reasoning TEXT NOT NULL,
                steps TEXT NOT NULL,
                offered TEXT NOT NULL,
                usage TEXT NOT NULL,
                error TEXT NOT NULL,
                attachments TEXT NOT NULL
            ) STRICT""",
            "CREATE INDEX messages_of_conversation ON messages (conversation_id, position)",
            "CREATE INDEX messages_of_parent ON messages (parent_id)",
            """CREATE TABLE sources (
                conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
                number INTEGER NOT NULL,
                kind TEXT NOT NULL,
                key TEXT NOT NULL,
                title TEXT NOT NULL,
                url TEXT NOT NULL,
                host TEXT NOT NULL,
                locator TEXT NOT NULL,
                text TEXT NOT NULL,
                text_hash TEXT NOT NULL,
                read_at INTEGER NOT NULL,
                published TEXT NOT NULL,
                PRIMARY KEY (conversation_id, number),
                UNIQUE (conversation_id, key)
            ) STRICT""",
            # `start` counts the pieces before this row since the message's own row was written.
            """CREATE TABLE journal (
                message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
                start INTEGER NOT NULL,
                text TEXT NOT NULL,
                reasoning TEXT NOT NULL,
                PRIMARY KEY (message_id, start)
            ) STRICT, WITHOUT ROWID""",
        ),
    ),
    Migration(
        "0002-traces-and-pins",
        (
            # Apart from the messages: a trace is long, and read only when the user opens it.
            """CREATE TABLE traces (
                message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
                trace TEXT NOT NULL
            ) STRICT, WITHOUT ROWID""",
            "ALTER TABLE sources ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0",
        ),
    ),
    Migration("0003-research", ("ALTER TABLE messages ADD COLUMN research TEXT NOT NULL DEFAULT 'null'",)),
    Migration(
        "0004-citation-checks",
        ("ALTER TABLE messages ADD COLUMN citation_check TEXT NOT NULL DEFAULT 'null'",),
    ),
    Migration(
        "0004-memories",
        (
            # `assistant` is the only one that a memory is for; NULL: it is for all.
            """CREATE TABLE memories (
                id TEXT PRIMARY KEY,
                text TEXT NOT NULL,
                origin TEXT NOT NULL,
                assistant TEXT,
                created_at INTEGER NOT NULL,
                changed_at INTEGER NOT NULL,
                deleted_at INTEGER
            ) STRICT""",
            # Without a reference: the choice may be made before a conversation has its first message.
            """CREATE TABLE conversations_without_memory (
                conversation_id TEXT PRIMARY KEY
            ) STRICT, WITHOUT ROWID""",
            """CREATE TRIGGER conversation_gone AFTER DELETE ON conversations BEGIN
                DELETE FROM conversations_without_memory WHERE conversation_id = old.id;
            END""",
        ),
    ),
    Migration(
        "0005-assistants",
        # The id of the answering assistant; the assistant may be deleted independently of the conversation.
        ("ALTER TABLE conversations ADD COLUMN assistant TEXT NOT NULL DEFAULT ''",),
    ),
    Migration("0006-spent", ("ALTER TABLE messages ADD COLUMN spent TEXT NOT NULL DEFAULT 'null'",)),
    # An answer's place among those to its question, which all have the same parent.
    Migration("0007-standing", ("ALTER TABLE messages ADD COLUMN standing TEXT NOT NULL DEFAULT ''",)),
    Migration(
        "0008-procedures",
        (
            # A research is one of several kinds of procedures that replace an ordinary answer.
            "ALTER TABLE messages RENAME COLUMN research TO procedure",
            """UPDATE messages SET procedure = '{"research":' || procedure || '}' WHERE procedure <> 'null'""",
        ),
    ),
    Migration(
        "0009-folders",
        (
            """CREATE TABLE folders (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                tint TEXT NOT NULL,
                is_open INTEGER NOT NULL
            ) STRICT""",
            "ALTER TABLE conversations ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE conversations ADD COLUMN folder TEXT REFERENCES folders (id) ON DELETE SET NULL",
            "ALTER TABLE conversations ADD COLUMN tint TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE conversations ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX conversations_of_folder ON conversations (folder) WHERE folder IS NOT NULL",
        ),
    ),
    Migration(
        "0010-history",
        (
            # Messages that the history index, a separate file, has not processed. A log, because a message may
            # change again while it is being read. Older messages are not in it: the index goes through them by itself.
            "CREATE TABLE history_due (turn INTEGER PRIMARY KEY, position INTEGER NOT NULL) STRICT",
            # The last stamp given to the index, which is rebuilt if it has another one.
            "CREATE TABLE history_stamp (stamp TEXT NOT NULL) STRICT",
            "INSERT INTO history_stamp VALUES (lower(hex(randomblob(8))))",
            """CREATE TRIGGER history_added AFTER INSERT ON messages BEGIN
                INSERT INTO history_due (position) VALUES (new.position);
            END""",
            """CREATE TRIGGER history_changed AFTER UPDATE OF text, conversation_id ON messages
            WHEN old.text IS NOT new.text OR old.conversation_id IS NOT new.conversation_id BEGIN
                INSERT INTO history_due (position) VALUES (new.position);
            END""",
            """CREATE TRIGGER history_removed AFTER DELETE ON messages BEGIN
                INSERT INTO history_due (position) VALUES (old.position);
            END""",
            """CREATE TRIGGER history_assigned AFTER UPDATE OF assistant ON conversations
            WHEN old.assistant IS NOT new.assistant BEGIN
                INSERT INTO history_due (position) SELECT position FROM messages WHERE conversation_id = new.id;
            END""",
        ),
    ),
    Migration(
        "0011-branches",
        (
            # Messages of one parent and one variant stand beside each other; of several variants all but one
            # are aside. What is deleted is a message like any other until it is purged.
            "ALTER TABLE messages ADD COLUMN variant INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE messages ADD COLUMN is_aside INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE messages ADD COLUMN deleted_at INTEGER",
            "CREATE INDEX messages_deleted ON messages (deleted_at) WHERE deleted_at IS NOT NULL",
            # The settings page where the user can act on the error of an answer.
            "ALTER TABLE messages ADD COLUMN cure TEXT NOT NULL DEFAULT ''",
        ),
    ),
    Migration(
        "0012-drafts",
        (
            # The empty id is the conversation not created yet: no reference to the others.
            """CREATE TABLE drafts (
                conversation_id TEXT PRIMARY KEY,
                text TEXT NOT NULL,
                files TEXT NOT NULL,
                changed_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID""",
            """CREATE TRIGGER draft_gone AFTER DELETE ON conversations BEGIN
                DELETE FROM drafts WHERE conversation_id = old.id;
            END""",
        ),
    ),
    Migration(
        "0013-border",
        (
            # Without references: the choice may be made before a conversation has its first message.
            """CREATE TABLE conversations_kept_here (
                conversation_id TEXT PRIMARY KEY
            ) STRICT, WITHOUT ROWID""",
            """CREATE TABLE departures (
                conversation_id TEXT NOT NULL,
                host TEXT NOT NULL,
                channel TEXT NOT NULL,
                requests INTEGER NOT NULL,
                sent_bytes INTEGER NOT NULL,
                first_at INTEGER NOT NULL,
                last_at INTEGER NOT NULL,
                PRIMARY KEY (conversation_id, host, channel)
            ) STRICT, WITHOUT ROWID""",
            """CREATE TRIGGER conversation_gone_from_border AFTER DELETE ON conversations BEGIN
                DELETE FROM conversations_kept_here WHERE conversation_id = old.id;
                DELETE FROM departures WHERE conversation_id = old.id;
            END""",
        ),
    ),
    Migration(
        "0015-cited-in-drafts",
        (
            # By their ids: an answer may be deleted before the draft is sent.
            "ALTER TABLE drafts ADD COLUMN past TEXT NOT NULL DEFAULT '[]'",
        ),
    ),
    Migration(
        "0016-seals",
        (
            # The tables with older rows, and the last row of each that has got its seal, as JSON of its key.
            "CREATE TABLE unsealed (name TEXT PRIMARY KEY, after TEXT NOT NULL) STRICT, WITHOUT ROWID",
            *statements(SEALED["conversations"], "id TEXT NOT NULL"),
            *statements(SEALED["messages"], "position INTEGER NOT NULL"),
            *statements(SEALED["sources"], "conversation_id TEXT NOT NULL, number INTEGER NOT NULL"),
            *statements(SEALED["journal"], "message_id TEXT NOT NULL, start INTEGER NOT NULL"),
            *statements(SEALED["traces"], "message_id TEXT NOT NULL"),
            *statements(SEALED["memories"], "id TEXT NOT NULL"),
            *statements(SEALED["drafts"], "conversation_id TEXT NOT NULL"),
            *statements(SEALED["folders"], "id TEXT NOT NULL"),
        ),
    ),
    Migration(
        "0017-order-of-folders",
        ("ALTER TABLE folders ADD COLUMN position INTEGER NOT NULL DEFAULT 0",),
    ),
    Migration(
        "0018-marks-of-damage",
        (
            # Words were damaged where this row is from: what its seal says of damage stays behind when it is copied.
            "ALTER TABLE messages ADD COLUMN is_damaged INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE messages ADD COLUMN is_reasoning_damaged INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE sources ADD COLUMN is_damaged INTEGER NOT NULL DEFAULT 0",
        ),
    ),
    Migration(
        "0019-foreign-messages",
        # The files that an imported message names are not the user's: they are never read.
        ("ALTER TABLE messages ADD COLUMN is_foreign INTEGER NOT NULL DEFAULT 0",),
    ),
    Migration(
        "0020-models-in-drafts",
        (
            # One id to a line, not JSON: it has no seal, and whatever became of it has to be readable.
            "ALTER TABLE drafts ADD COLUMN also TEXT NOT NULL DEFAULT ''",
        ),
    ),
    Migration(
        "0021-known-numbers",
        # The numbers of sources that the marks of an answer may mean, as ranges; null: worked out when it is read.
        ("ALTER TABLE messages ADD COLUMN known TEXT NOT NULL DEFAULT 'null'",),
    ),
    Migration(
        "0022-watched-topics",
        # A JSON document for each topic that is watched, with what its runs found.
        ("CREATE TABLE topics (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT",),
    ),
    Migration(
        "0023-cited-pages",
        (
            # The main texts of cited pages, each once: `hash` is the SHA-256 of the text, `packed` is zlib of its UTF-8.
            """CREATE TABLE page_texts (
                hash TEXT PRIMARY KEY,
                packed BLOB NOT NULL
            ) STRICT""",
            # `file` is the SHA-256 of what the server sent, which is a file beside the database; empty: not kept.
            """CREATE TABLE cited_pages (
                conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
                number INTEGER NOT NULL,
                address TEXT NOT NULL,
                final_address TEXT NOT NULL,
                title TEXT NOT NULL,
                read_at INTEGER NOT NULL,
                text_hash TEXT NOT NULL,
                file TEXT NOT NULL,
                file_bytes INTEGER NOT NULL,
                media_type TEXT NOT NULL,
                newer_hash TEXT NOT NULL DEFAULT '',
                page_check TEXT NOT NULL DEFAULT 'null',
                PRIMARY KEY (conversation_id, number)
            ) STRICT""",
            "CREATE INDEX cited_pages_of_text ON cited_pages (text_hash)",
            "CREATE INDEX cited_pages_of_newer ON cited_pages (newer_hash)",
            f"""CREATE TRIGGER cited_page_removed AFTER DELETE ON cited_pages BEGIN
                {_UNUSED_TEXTS};
            END""",
            f"""CREATE TRIGGER cited_page_checked AFTER UPDATE OF newer_hash ON cited_pages BEGIN
                {_UNUSED_TEXTS};
            END""",
        ),
    ),
    Migration(
        "0024-messages",
        (
            # Messages were English sentences until here; from now on they keep their template and fields. Damaged
            # rows are left to repair.
            *(
                f"""UPDATE {table} SET {column} = CAST({function}(CAST({column} AS BLOB)) AS TEXT)
                WHERE {column} NOT IN ('', 'null', '[]', '{{}}') {condition}"""  # noqa: S608 - constants
                for table, column, function, condition in (
                    ("messages", "error", "with_message", f"AND NOT {unsound('messages')}"),
                    ("messages", "steps", "with_messages", f"AND NOT {unsound('messages')}"),
                    ("messages", "procedure", "with_messages", f"AND NOT {unsound('messages')}"),
                    ("messages", "citation_check", "with_messages", f"AND NOT {unsound('messages')}"),
                    ("traces", "trace", "with_messages", f"AND NOT {unsound('traces')}"),
                    ("sources", "title", "with_message", f"AND kind = 'memory' AND NOT {unsound('sources')}"),
                    ("topics", "state", "with_messages", ""),
                )
            ),
        ),
    ),
)


def list_applied(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the names of the migrations applied to this database, none for an empty one."""
    known = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").fetchone()
    if known is None:
        return ()
    return tuple(name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name"))


def schema(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str | None]]:
    """Return all objects of the database, with the statements that created them."""
    return frozenset(connection.execute("SELECT type, name, sql FROM sqlite_schema"))


@cache
def schema_after(migrations: tuple[Migration, ...]) -> frozenset[tuple[str, str, str | None]]:
    """Return the schema that `migrations` create in an empty database."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        for migration in migrations:
            apply(empty, migration)
        return schema(empty)


def apply(connection: sqlite3.Connection, migration: Migration) -> None:
    """Run one migration; all of it takes effect or nothing, also inside a transaction."""
    old_messages.install(connection)
    install(connection)  # a migration may change tables with checksums
    connection.execute("SAVEPOINT migration")
    try:
        connection.execute(_NOTES)
        for statement in migration.statements:
            connection.execute(statement)
        note = (migration.name, datetime.now(UTC).isoformat())
        connection.execute("INSERT INTO migrations VALUES (?, ?)", note)
    except BaseException:
        if connection.in_transaction:  # after a full disk SQLite may have rolled back by itself
            connection.execute("ROLLBACK TO migration")
            connection.execute("RELEASE migration")
        raise
    connection.execute("RELEASE migration")


def list_pending(names: Sequence[str], migrations: Sequence[Migration]) -> tuple[Migration, ...] | None:
    """Return the migrations still to be run, or None if `names` contains unknown ones."""
    if not set(names) <= {migration.name for migration in migrations}:
        return None
    return tuple(migration for migration in migrations if migration.name not in names)
