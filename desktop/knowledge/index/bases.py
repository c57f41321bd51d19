"""The table of bases: creating, updating, deleting with undo, purging."""

import itertools
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL, BaseInfo, BaseOptions
from desktop.errors import BaseExists, UnknownBase
from desktop.knowledge.index.database import MIGRATIONS, IndexDatabase
from desktop.sqlite import open_read_only, read_pragma

_KEPT_S = 24 * 3600.0
"""How long a deleted base can be restored, even after the program was restarted."""
_FORGOTTEN_AT_ONCE = 50
_BASE = """
    SELECT b.id, b.name, b.icon, b.options, b.is_paused, b.model,
           (SELECT count(*) FROM items i WHERE i.base_id = b.id) AS items,
           (SELECT coalesce(sum(d.passages), 0) FROM documents d WHERE d.base_id = b.id) AS passages,
           (SELECT json_group_array(tag) FROM
               (SELECT DISTINCT t.tag FROM items i JOIN item_tags t ON t.item_id = i.id
                WHERE i.base_id = b.id ORDER BY t.tag)) AS tags
    FROM bases b
"""

_UNCHANGING = frozenset({BUILT_IN_MODEL, MINILM_MODEL})
"""The bundled models; the worker looks whether the files of others have changed."""
_WORK = """
    SELECT EXISTS (SELECT 1 FROM items WHERE state NOT IN ('ready', 'failed')) OR EXISTS (SELECT 1 FROM folders)
        OR EXISTS (SELECT 1 FROM bases WHERE deleted_at <= :before)
"""


class Bases:
    """The bases. Every method that writes is one transaction."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection

    def all(self) -> tuple[BaseInfo, ...]:
        """Return all bases, sorted by name."""
        return self._bases("b.deleted_at IS NULL ORDER BY b.name COLLATE NOCASE")

    def ids(self) -> list[str]:
        """Return the ids of all bases that have rows, including deleted ones."""
        return [row["id"] for row in self._db.execute("SELECT id FROM bases ORDER BY created_at")]

    def find(self, base_id: str) -> BaseInfo:
        """Return a base; raises UnknownBase."""
        for base in self._bases("b.deleted_at IS NULL AND b.id = ?", base_id):
            return base
        raise UnknownBase(base=base_id)

    def options(self, base_id: str) -> BaseOptions:
        """Return the options of a base, or the default options if it does not exist."""
        row = self._db.execute("SELECT options FROM bases WHERE id = ?", (base_id,)).fetchone()
        return msgspec.json.decode(row["options"], type=BaseOptions) if row else BaseOptions()

    def model(self, base_id: str) -> str:
        """Return the model whose vectors are used for searching a base; raises UnknownBase."""
        row = self._db.execute("SELECT model FROM bases WHERE id = ?", (base_id,)).fetchone()
        if row is None:
            raise UnknownBase(base=base_id)
        return str(row["model"])

    def create(self, name: str) -> BaseInfo:
        """Create an empty base; raises BaseExists."""
        base = BaseInfo(uuid.uuid4().hex, name.strip())
        with self._database.transaction(), _unique_name(base.name):
            self._db.execute(
                "INSERT INTO bases (id, name, model, created_at) VALUES (?, ?, ?, ?)",
                (base.id, base.name, base.model, time.time()),
            )
        return base

    def update(self, base: BaseInfo) -> BaseInfo:
        """Update name, icon, options and pause; raises UnknownBase, BaseExists."""
        self.find(base.id)
        options = msgspec.json.encode(base.options).decode()
        with self._database.transaction(), _unique_name(base.name.strip()):
            self._db.execute(
                "UPDATE bases SET name = ?, icon = ?, options = ?, is_paused = ? WHERE id = ?",
                (base.name.strip(), base.icon, options, base.is_paused, base.id),
            )
        return self.find(base.id)

    def delete(self, base_id: str) -> None:
        """Remove a base from the list; raises UnknownBase."""
        self.find(base_id)
        with self._database.transaction():
            self._db.execute("UPDATE bases SET deleted_at = ? WHERE id = ?", (time.time(), base_id))

    def restore(self, base: str) -> BaseInfo:
        """Undo `delete`, with another name if the old one is in use; raises UnknownBase.

        `base` is an id, or a name, which means the base of that name that was deleted last.
        """
        found = self._bases("b.deleted_at IS NOT NULL AND b.id = ?", base) or self._bases(
            "b.name = ? AND b.deleted_at >= ? ORDER BY b.deleted_at DESC", base, time.time() - _KEPT_S
        )
        if not found:
            return self.find(base)
        deleted = found[0]
        back = replace(deleted, name=self.free_name(deleted.name))
        with self._database.transaction():
            self._db.execute(
                "UPDATE bases SET name = ?, deleted_at = NULL WHERE id = ?", (back.name, back.id)
            )
        return back

    def list_deleted(self, for_s: float = _KEPT_S) -> list[str]:
        """Return the ids of bases to purge: deleted at least `for_s` seconds ago, or partly imported."""
        before = time.time() - for_s
        return [
            row["id"] for row in self._db.execute("SELECT id FROM bases WHERE deleted_at <= ?", (before,))
        ]

    def forget(self, base_id: str) -> Iterator[None]:
        """Delete the rows of a deleted base, one batch per step; do nothing if it is not deleted."""
        while self._forget_some(base_id):
            yield
        with self._database.transaction():
            self._db.execute("DELETE FROM bases WHERE id = ? AND deleted_at IS NOT NULL", (base_id,))

    def free_name(self, name: str) -> str:
        """Return `name`, or the first of “name 2”, “name 3”… that is not in use."""
        taken = {base.name for base in self.all()}
        names = itertools.chain([name], (f"{name} {number}" for number in itertools.count(2)))
        return next(name for name in names if name not in taken)

    def _forget_some(self, base_id: str) -> bool:
        with self._database.transaction():
            rows = self._db.execute(
                """
                SELECT d.id FROM documents d JOIN bases b ON b.id = d.base_id
                WHERE b.id = ? AND b.deleted_at IS NOT NULL LIMIT ?
                """,
                (base_id, _FORGOTTEN_AT_ONCE),
            ).fetchall()
            for row in rows:
                drop_document(self._db, row["id"])
        return bool(rows)

    def _bases(self, condition: str, *values: object) -> tuple[BaseInfo, ...]:
        rows = self._db.execute(f"{_BASE} WHERE {condition}", values)
        return tuple(map(_base, rows))


def base_of(connection: sqlite3.Connection, base_id: str) -> BaseInfo | None:
    """Return a base that is not deleted, using another connection."""
    row = connection.execute(f"{_BASE} WHERE b.deleted_at IS NULL AND b.id = ?", (base_id,)).fetchone()
    return _base(row) if row else None


def read_bases_at_rest(path: Path, model_for: Callable[[BaseOptions], str]) -> tuple[BaseInfo, ...] | None:
    """Return all bases by name, from a database that a worker has nothing to do for; else, or if it is unreadable, None.

    `model_for` returns the model that a base with these options is to have. There is work for a worker if an item
    is not ready, a folder is followed, a base is to be purged or has its vectors on a server or not of a bundled model,
    or the schema is not of this version.
    """
    try:
        with open_read_only(path) as connection:
            connection.row_factory = sqlite3.Row
            if read_pragma(connection, "user_version") != len(MIGRATIONS):
                return None
            if connection.execute(_WORK, {"before": time.time() - _KEPT_S}).fetchone()[0]:
                return None
            rows = connection.execute(f"{_BASE} WHERE b.deleted_at IS NULL ORDER BY b.name COLLATE NOCASE")
            bases = tuple(map(_base, rows))
    except (sqlite3.Error, msgspec.MsgspecError):
        return None
    is_at_rest = all(
        not base.options.place and base.model == model_for(base.options) and base.model in _UNCHANGING
        for base in bases
    )
    return bases if is_at_rest else None


def drop_document(connection: sqlite3.Connection, document: int) -> list[int]:
    """Delete a document and its passages within the caller's transaction; return the ids of the passages."""
    rows = connection.execute("SELECT id FROM passages WHERE document_id = ?", (document,))
    passages = [row["id"] for row in rows]
    connection.executemany("DELETE FROM passages_fts WHERE rowid = ?", ((passage,) for passage in passages))
    connection.execute("DELETE FROM documents WHERE id = ?", (document,))
    return passages


def _base(row: sqlite3.Row) -> BaseInfo:
    fields = dict(row)
    fields["options"] = msgspec.json.decode(fields["options"], type=BaseOptions)
    fields["tags"] = tuple(msgspec.json.decode(fields["tags"], type=list[str]))
    fields["is_paused"] = bool(fields["is_paused"])
    return BaseInfo(**fields)


@contextmanager
def _unique_name(name: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise BaseExists(base=name) from error
