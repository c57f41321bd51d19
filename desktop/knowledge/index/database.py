"""The SQLite file of the index: opening, transactions, and the schema as a list of migrations."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import DatabaseDamaged, DatabaseTooNew
from desktop.knowledge.index import row_checksums
from desktop.phrases import translatable
from desktop.sqlite import BACKUPS, copy_verified, erase_deleted, open_read_only, read_pragma, transaction

DATABASE = "knowledge.db"
LOCK = "worker.lock"
"""Lock file beside the database; only the process that holds the lock opens the database for writing."""
LOCK_PATIENCE_S = 2.0
"""A worker ends within a second after its program, so a program started right after a kill waits for the
lock.
"""
_BUSY_TIMEOUT_S = 10


@dataclass(frozen=True)
class IndexMigration:
    """One migration of the schema; the copy made before it has its name."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS = (
    IndexMigration(
        "1-knowledge",
        (
            "CREATE TABLE bases (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at REAL NOT NULL)",
            """CREATE TABLE documents (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                base_id TEXT NOT NULL REFERENCES bases (id) ON DELETE CASCADE,
                sha256 TEXT NOT NULL,
                title TEXT NOT NULL,
                pages INTEGER,
                text TEXT NOT NULL,
                is_embedded INTEGER NOT NULL DEFAULT 0,
                UNIQUE (base_id, sha256)
            )""",
            "CREATE INDEX documents_by_state ON documents (base_id, is_embedded)",
            """CREATE TABLE items (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                base_id TEXT NOT NULL REFERENCES bases (id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                path TEXT NOT NULL,
                state TEXT NOT NULL,
                error TEXT NOT NULL DEFAULT '',
                document_id INTEGER REFERENCES documents (id) ON DELETE SET NULL,
                UNIQUE (base_id, path)
            )""",
            "CREATE INDEX items_by_document ON items (document_id)",
            "CREATE INDEX items_by_state ON items (state, position)",
            # AUTOINCREMENT: the id of a passage is also its key in Chroma and must never be reused.
            """CREATE TABLE passages (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
                ordinal INTEGER NOT NULL,
                page INTEGER,
                section TEXT NOT NULL,
                start INTEGER NOT NULL,
                "end" INTEGER NOT NULL,
                text TEXT NOT NULL,
                vector BLOB
            )""",
            "CREATE UNIQUE INDEX passages_by_document ON passages (document_id, ordinal)",
            "CREATE INDEX passages_pending ON passages (id) WHERE vector IS NULL",
            # Terms are already segmented and stemmed; the tokenizer must not split them again.
            """CREATE VIRTUAL TABLE passages_fts USING fts5 (
                base, head, body, tokenize = "ascii tokenchars '-_.@''+#&'"
            )""",
            "CREATE VIRTUAL TABLE passages_terms USING fts5vocab (passages_fts, row)",
        ),
    ),
    IndexMigration(
        "2-manager",
        (
            # `options` are BaseOptions as JSON. `model` is the model whose vectors are searched. A deleted base
            # keeps its rows for a day, but not its name.
            """CREATE TABLE new_bases (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                icon TEXT NOT NULL DEFAULT '',
                options TEXT NOT NULL DEFAULT '{}',
                model TEXT NOT NULL DEFAULT 'minilm',
                is_paused INTEGER NOT NULL DEFAULT 0,
                created_at REAL NOT NULL,
                deleted_at REAL
            )""",
            "INSERT INTO new_bases (id, name, created_at) SELECT id, name, created_at FROM bases",
            "DROP TABLE bases",
            "ALTER TABLE new_bases RENAME TO bases",
            "CREATE UNIQUE INDEX bases_by_name ON bases (name) WHERE deleted_at IS NULL",
            """CREATE TABLE folders (
                id TEXT PRIMARY KEY,
                base_id TEXT NOT NULL REFERENCES bases (id) ON DELETE CASCADE,
                path TEXT NOT NULL,
                error TEXT NOT NULL DEFAULT '',
                UNIQUE (base_id, path)
            )""",
            # Files of a followed folder that the user removed from the base.
            """CREATE TABLE left_out (
                folder_id TEXT NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
                path TEXT NOT NULL,
                PRIMARY KEY (folder_id, path)
            ) WITHOUT ROWID""",
            # `stamp` is the modification time and size of the file when it was last read. `is_again`: read it
            # even if its content is known. `is_unfetched`: a link that must be fetched first.
            """CREATE TABLE new_items (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                base_id TEXT NOT NULL REFERENCES bases (id) ON DELETE CASCADE,
                kind TEXT NOT NULL DEFAULT 'file',
                name TEXT NOT NULL,
                path TEXT NOT NULL,
                state TEXT NOT NULL,
                error TEXT NOT NULL DEFAULT '',
                is_again INTEGER NOT NULL DEFAULT 0,
                is_unfetched INTEGER NOT NULL DEFAULT 0,
                document_id INTEGER REFERENCES documents (id) ON DELETE SET NULL,
                folder_id TEXT REFERENCES folders (id) ON DELETE SET NULL,
                stamp TEXT NOT NULL DEFAULT '',
                read_at REAL
            )""",
            """INSERT INTO new_items (position, id, base_id, name, path, state, error, document_id)
                SELECT position, id, base_id, name, path, state, error, document_id FROM items""",
            "DROP TABLE items",
            "ALTER TABLE new_items RENAME TO items",
            "CREATE UNIQUE INDEX items_by_path ON items (base_id, path) WHERE kind <> 'note'",
            "CREATE INDEX items_by_base ON items (base_id, position)",
            "CREATE INDEX items_by_document ON items (document_id)",
            "CREATE INDEX items_by_folder ON items (folder_id)",
            "CREATE INDEX items_by_state ON items (state)",
            """CREATE INDEX items_to_read ON items (base_id, position)
                WHERE state = 'waiting' AND NOT is_unfetched""",
            "CREATE INDEX items_to_fetch ON items (base_id, position) WHERE is_unfetched",
            """CREATE TABLE item_tags (
                item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
                tag TEXT NOT NULL,
                PRIMARY KEY (item_id, tag)
            ) WITHOUT ROWID""",
            "CREATE INDEX items_by_tag ON item_tags (tag, item_id)",
            # Content that exists nowhere else: notes as typed, pages as fetched.
            """CREATE TABLE contents (
                item_id TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
                suffix TEXT NOT NULL,
                body BLOB NOT NULL
            )""",
            # Texts are in their own table, so that listing documents need not read them.
            """CREATE TABLE texts (
                document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
                text TEXT NOT NULL
            )""",
            "INSERT INTO texts (document_id, text) SELECT id, text FROM documents",
            "ALTER TABLE documents DROP COLUMN text",
            "ALTER TABLE documents ADD COLUMN scanned INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE documents ADD COLUMN passages INTEGER NOT NULL DEFAULT 0",
            """UPDATE documents SET passages =
                (SELECT count(*) FROM passages p WHERE p.document_id = documents.id)""",
            "CREATE INDEX documents_to_embed ON documents (id) WHERE NOT is_embedded",
            # Vectors of several models can exist while one model replaces another. With rowid, as rows of this
            # size do not fit into the pages of an index.
            """CREATE TABLE vectors (
                passage_id INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
                model TEXT NOT NULL,
                vector BLOB NOT NULL,
                PRIMARY KEY (passage_id, model)
            )""",
            """INSERT INTO vectors (passage_id, model, vector)
                SELECT id, 'minilm', vector FROM passages WHERE vector IS NOT NULL""",
            "DROP INDEX passages_pending",
            "ALTER TABLE passages DROP COLUMN vector",
        ),
    ),
    IndexMigration(
        "3-models",
        (
            # The names of these bases on a server, and how the vectors of each model were made.
            "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            "CREATE INDEX vectors_by_model ON vectors (model)",
        ),
    ),
    IndexMigration("4-cut", ("ALTER TABLE documents ADD COLUMN is_cut INTEGER NOT NULL DEFAULT 0",)),
    IndexMigration(
        "5-suspects",
        (
            # The program was killed while these items were read, and they have not been read successfully
            # since.
            "ALTER TABLE items ADD COLUMN is_suspect INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX items_suspect ON items (id) WHERE is_suspect",
        ),
    ),
    IndexMigration("6-checksums", tuple(row_checksums.statements())),
    IndexMigration(
        "7-messages",
        (
            # Messages were English sentences until here; from now on they keep their template and fields.
            "UPDATE items SET error = CAST(with_message(CAST(error AS BLOB)) AS TEXT) WHERE error <> ''",
            "UPDATE folders SET error = CAST(with_message(CAST(error AS BLOB)) AS TEXT) WHERE error <> ''",
            # What a database has tells its version, so an index gets another name.
            "DROP INDEX items_suspect",
            "CREATE INDEX suspect_items ON items (id) WHERE is_suspect",
        ),
    ),
)


class IndexDatabase:
    """A connection to the index database, used by one thread at a time.

    Raises:
        DatabaseTooNew: a newer version of Footnote wrote this file, which is left unchanged.
        DatabaseDamaged: it cannot be migrated to this version's schema; the file is left unchanged.
    """

    def __init__(self, path: Path, migrations: Sequence[IndexMigration] = MIGRATIONS) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_newer(path, len(migrations))
        self.connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=_BUSY_TIMEOUT_S
        )
        self.connection.row_factory = sqlite3.Row
        row_checksums.install(self.connection)
        try:
            self.connection.executescript(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;"
            )
            _migrate(self.connection, path, migrations)
            self.connection.execute("PRAGMA foreign_keys=ON")
        except BaseException:
            self.connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def erase_deleted(self) -> None:
        """Erase deleted data from indexes, free pages and the log; takes as long as copying the file."""
        erase_deleted(self.connection)
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a transaction: commit at the end, roll back on an exception."""
        with transaction(self.connection):
            yield self.connection


def _refuse_newer(path: Path, version: int) -> None:
    """Check the schema version without any risk of changing the file; raises DatabaseTooNew."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with open_read_only(path) as peek:
        if read_pragma(peek, "user_version") > version:
            raise DatabaseTooNew(path=path)


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[IndexMigration]) -> None:
    version = read_pragma(connection, "user_version")
    if 0 < version < len(migrations):
        target = path.parent / BACKUPS / f"{path.stem}-before-{migrations[version].name}.db"
        copy_verified(connection, target)
        for older in set(target.parent.glob("*.db")) - {target}:
            older.unlink()
    # Tables that others refer to are recreated, so foreign keys are checked once at the end.
    connection.execute("PRAGMA foreign_keys=OFF")
    for number, migration in enumerate(migrations[version:], version + 1):
        with transaction(connection):
            for statement in migration.statements:
                connection.execute(statement)
            if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise DatabaseDamaged(
                    path=path, detail=translatable("its tables have been changed by another program")
                )
            connection.execute(f"PRAGMA user_version = {number}")
