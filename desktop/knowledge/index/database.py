"""The SQLite file of the index: opening, migrating, transactions."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.errors import DatabaseTooNew
from desktop.knowledge.index.schema import SCHEMA, VERSION

_BUSY_TIMEOUT_S = 10


class Database:
    """One connection, used by one thread at a time.

    Raises:
        DatabaseTooNew: a newer Footnote wrote this file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=_BUSY_TIMEOUT_S
        )
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
        )
        self._migrate()

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _migrate(self) -> None:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            self.connection.close()
            raise DatabaseTooNew(path=self._path)
        if version < VERSION:
            with self.transaction() as connection:
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")
