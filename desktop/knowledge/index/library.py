"""The items of bases, and what was read of them."""

import sqlite3
import uuid
from collections.abc import Iterable
from pathlib import Path

import msgspec

from desktop.domain.knowledge import ItemInfo, ItemKind, ItemState
from desktop.errors import UnknownBase
from desktop.knowledge.index.bases import drop_document
from desktop.knowledge.index.database import Database
from desktop.knowledge.reading import Reading

_ITEM = """
    SELECT i.id, i.base_id, i.name, i.path, i.state, coalesce(d.sha256, '') AS document, d.pages,
           coalesce(d.passages, 0) AS passages, i.error, i.kind, coalesce(d.scanned, 0) AS scanned, i.read_at,
           (SELECT json_group_array(tag) FROM item_tags t WHERE t.item_id = i.id) AS tags
    FROM items i LEFT JOIN documents d ON d.id = i.document_id
"""
_NO_TAGS = "[]"


class Library:
    """Every method that writes is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._db = database.connection

    def items(self, base_id: str, after: str = "", limit: int = -1) -> tuple[ItemInfo, ...]:
        """Return the items of a base in the order they came, those after the item `after`.

        Raises:
            UnknownBase: there is no such base.
        """
        self._require(base_id)
        found = self._db.execute("SELECT position FROM items WHERE id = ?", (after,)).fetchone()
        begin = found["position"] if found else 0
        return self._items(
            "i.base_id = ? AND i.position > ? ORDER BY i.position LIMIT ?", base_id, begin, limit
        )

    def item(self, item_id: str) -> ItemInfo | None:
        """Return one file, or None when it was removed."""
        return next(iter(self._items("i.id = ?", item_id)), None)

    def items_of(self, document: int) -> tuple[ItemInfo, ...]:
        """Return the files whose content a document is."""
        return self._items("i.document_id = ?", document)

    def next_waiting(self) -> ItemInfo | None:
        """Return the item that has waited longest in a base that is not paused."""
        waiting = self._items(
            """
            i.position = (
                SELECT min(first) FROM (
                    SELECT (SELECT min(w.position) FROM items w
                            WHERE w.base_id = b.id AND w.state = 'waiting' AND NOT w.is_unfetched) AS first
                    FROM bases b WHERE NOT b.is_paused AND b.deleted_at IS NULL))
            """
        )
        return waiting[0] if waiting else None

    def count_waiting(self) -> int:
        """Return how many files have not been read yet."""
        (count,) = self._db.execute(
            "SELECT count(*) FROM items WHERE state IN (?, ?)", (ItemState.WAITING, ItemState.READING)
        ).fetchone()
        return int(count)

    def enqueue(self, base_id: str, paths: Iterable[Path]) -> list[str]:
        """Put files on the list, WAITING, and return their ids; a known one waits to be read again."""
        self._require(base_id)
        with self._database.transaction():
            return [self._enqueue(base_id, path) for path in paths]

    def _enqueue(self, base_id: str, path: Path) -> str:
        (item_id,) = self._db.execute(
            """
            INSERT INTO items (id, base_id, name, path, state) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (base_id, path) WHERE kind <> 'note' DO UPDATE SET state = excluded.state, error = ''
            RETURNING id
            """,
            (uuid.uuid4().hex, base_id, path.name, str(path), ItemState.WAITING),
        ).fetchone()
        return str(item_id)

    def set_reading(self, item_id: str) -> None:
        """Say that a file is being read: the one to blame if the program dies now."""
        with self._database.transaction():
            self._set_state(item_id, ItemState.READING)

    def put_back(self, item_id: str) -> None:
        """Let a file that was being read wait again."""
        with self._database.transaction():
            self._db.execute(
                "UPDATE items SET state = ? WHERE id = ? AND state = ?",
                (ItemState.WAITING, item_id, ItemState.READING),
            )

    def take_back(self, item_id: str) -> bool:
        """Undo `enqueue` for a file that an earlier reading made searchable; else say False."""
        with self._database.transaction():
            return bool(
                self._db.execute(
                    """
                    UPDATE items SET state =
                        (SELECT iif(is_embedded, ?, ?) FROM documents WHERE id = items.document_id)
                    WHERE id = ? AND document_id IS NOT NULL
                    """,
                    (ItemState.READY, ItemState.KEYWORD_READY, item_id),
                ).rowcount
            )

    def fail(self, item_id: str, error: str) -> list[int]:
        """Mark a file as FAILED; return the passages of an earlier reading, which are gone."""
        with self._database.transaction():
            dropped = self._link(item_id, None)
            self._set_state(item_id, ItemState.FAILED, error)
        return dropped

    def link_known(self, item_id: str, sha256: str) -> list[int] | None:
        """Make a file ready without reading it where its base has the same content; else return None.

        Returns the passages of an earlier reading, which are gone.
        """
        row = self._db.execute(
            """
            SELECT d.id, d.is_embedded FROM documents d JOIN items i ON i.base_id = d.base_id
            WHERE i.id = ? AND d.sha256 = ?
            """,
            (item_id, sha256),
        ).fetchone()
        if row is None:
            return None
        with self._database.transaction():
            dropped = self._link(item_id, row["id"])
            self._set_state(item_id, ItemState.READY if row["is_embedded"] else ItemState.KEYWORD_READY)
        return dropped

    def put(self, item_id: str, sha256: str, reading: Reading) -> list[int]:
        """Take in a file that was read: from here on it is found by keyword.

        Returns the passages of an earlier reading, which are gone.
        """
        row = self._db.execute("SELECT base_id FROM items WHERE id = ?", (item_id,)).fetchone()
        if row is None:  # removed while it was read
            return []
        with self._database.transaction():
            document = self._db.execute(
                "INSERT INTO documents (base_id, sha256, title, pages, text, passages) VALUES (?, ?, ?, ?, ?, ?)",
                (row["base_id"], sha256, reading.title, reading.pages, reading.text, len(reading.entries)),
            ).lastrowid
            assert document is not None
            self._put_passages(row["base_id"], document, reading)
            dropped = self._link(item_id, document)
            self._set_state(item_id, ItemState.KEYWORD_READY)
        return dropped

    def _put_passages(self, base_id: str, document: int, reading: Reading) -> None:
        for ordinal, entry in enumerate(reading.entries):
            chunk = entry.chunk
            passage = self._db.execute(
                """
                INSERT INTO passages (document_id, ordinal, page, section, start, "end", text)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                (document, ordinal, chunk.page, chunk.section, chunk.start, chunk.end, chunk.text),
            ).lastrowid
            self._db.execute(
                "INSERT INTO passages_fts (rowid, base, head, body) VALUES (?, ?, ?, ?)",
                (passage, base_id, entry.head, entry.body),
            )

    def remove_item(self, item_id: str) -> list[int]:
        """Take a file out of its base; return the passages that went with it.

        They stay where another file of the base has the same content.
        """
        with self._database.transaction():
            passages = self._link(item_id, None)
            self._db.execute("DELETE FROM items WHERE id = ?", (item_id,))
        return passages

    def recover(self, reason: str) -> None:
        """Mark the file that was being read when the program was killed as FAILED for `reason`."""
        with self._database.transaction():
            self._db.execute(
                "UPDATE items SET state = ?, error = ? WHERE state = ?",
                (ItemState.FAILED, reason, ItemState.READING),
            )

    def _items(self, condition: str, *values: object) -> tuple[ItemInfo, ...]:
        return tuple(map(_item, self._db.execute(f"{_ITEM} WHERE {condition}", values)))

    def _require(self, base_id: str) -> None:
        if (
            self._db.execute("SELECT 1 FROM bases WHERE id = ? AND deleted_at IS NULL", (base_id,)).fetchone()
            is None
        ):
            raise UnknownBase(base=base_id)

    def _set_state(self, item_id: str, state: ItemState, error: str = "") -> None:
        self._db.execute("UPDATE items SET state = ?, error = ? WHERE id = ?", (state, error, item_id))

    def _link(self, item_id: str, document: int | None) -> list[int]:
        """Point a file at its content, and drop the content it had if no other file has it."""
        row = self._db.execute("SELECT document_id FROM items WHERE id = ?", (item_id,)).fetchone()
        self._db.execute("UPDATE items SET document_id = ? WHERE id = ?", (document, item_id))
        if row is None or row["document_id"] in {None, document}:
            return []
        others = self._db.execute(
            "SELECT 1 FROM items WHERE document_id = ?", (row["document_id"],)
        ).fetchone()
        return [] if others else drop_document(self._db, row["document_id"])


def _item(row: sqlite3.Row) -> ItemInfo:
    fields = dict(row)
    fields["state"] = ItemState(fields["state"])
    fields["kind"] = ItemKind(fields["kind"])
    tags = fields["tags"]
    fields["tags"] = () if tags == _NO_TAGS else tuple(msgspec.json.decode(tags, type=list[str]))
    return ItemInfo(**fields)
