"""The items of bases, their documents, and recovery after the program was killed while reading."""

import hashlib
import json
import sqlite3
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from desktop.domain.knowledge import ItemInfo, ItemKind, ItemState
from desktop.domain.sources import canonical_url, host_of
from desktop.errors import UnknownBase
from desktop.knowledge.index.bases import drop_document
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.passages import DocumentFacts, put_document
from desktop.knowledge.index.row_checksums import find_damaged_rows, forget_checksums
from desktop.knowledge.reader.protocol import ParsedFile
from desktop.phrases import sentences, translatable
from desktop.text.message_codec import decode_message, encode_message

_ITEM = """
    SELECT i.id, i.base_id, i.name, i.path, i.state, coalesce(d.sha256, '') AS document, d.pages,
           iif(i.error = '', coalesce(d.passages, 0), (SELECT count(*) FROM passages p WHERE p.document_id = d.id))
               AS passages, i.error, i.kind, coalesce(d.scanned, 0) AS scanned, i.read_at,
           coalesce(d.is_cut, 0) AS is_cut,
           (SELECT json_group_array(tag) FROM item_tags t WHERE t.item_id = i.id) AS tags
    FROM items i LEFT JOIN documents d ON d.id = i.document_id
"""
_NO_TAGS = "[]"
STATE_BEFORE = """coalesce(
    (SELECT iif(is_embedded, 'ready', 'keyword_ready') FROM documents WHERE id = items.document_id), 'failed')
"""
"""SQL for the state of an item that falls back to its earlier reading, if there is one."""
_LOST = translatable("Damaged passages of it are missing: {count} of {total}.")
_PROGRAM = "program"
"""Name of the fact that stores the process id of the program that started the last reading worker."""


@dataclass(frozen=True)
class StoredContent:
    """The content of an item that has no file of the user's: a note, or a fetched page."""

    suffix: str
    body: bytes


class ItemStore:
    """The items. Every method that writes is one transaction."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection

    def items(self, base_id: str, after: str = "", limit: int = -1) -> tuple[ItemInfo, ...]:
        """Return the items of a base after the item `after`, in the order in which they were added.

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
        """Return an item, or None if it was removed."""
        return next(iter(self._items("i.id = ?", item_id)), None)

    def find(self, item_ids: Iterable[str]) -> tuple[ItemInfo, ...]:
        """Return those of the items that exist, in the order in which they were added."""
        return self._items("i.id IN (SELECT value FROM json_each(?)) ORDER BY i.position", _json(item_ids))

    def items_of(self, document: int) -> tuple[ItemInfo, ...]:
        """Return the items that have this document as their content."""
        return self._items("i.document_id = ?", document)

    def next_waiting(self, but: Iterable[str] = ()) -> ItemInfo | None:
        """Return the longest waiting item of a base that is not paused, except the items in `but`."""
        waiting = self._items(
            """
            i.position = (
                SELECT min(first) FROM (
                    SELECT (SELECT w.position FROM items w
                            WHERE w.base_id = b.id AND w.state = 'waiting' AND NOT w.is_unfetched
                                AND w.id NOT IN (SELECT value FROM json_each(?))
                            ORDER BY w.position LIMIT 1) AS first
                    FROM bases b WHERE NOT b.is_paused AND b.deleted_at IS NULL))
            """,
            _json(but),
        )
        return waiting[0] if waiting else None

    def to_fetch(self) -> tuple[ItemInfo, ...]:
        """Return the links that the program should fetch, of bases that are not paused."""
        return self._items(
            """
            i.is_unfetched AND i.base_id IN
                (SELECT id FROM bases WHERE NOT is_paused AND deleted_at IS NULL) ORDER BY i.position
            """
        )

    def count_waiting(self) -> int:
        """Return how many items have not been read yet."""
        (count,) = self._db.execute(
            "SELECT count(*) FROM items WHERE state IN (?, ?)", (ItemState.WAITING, ItemState.READING)
        ).fetchone()
        return int(count)

    def enqueue(self, base_id: str, paths: Iterable[Path], folder_id: str | None = None) -> list[str]:
        """Queue files as WAITING and return their ids; known files are queued to be read again."""
        self._require(base_id)
        files = list(paths)
        with self._database.transaction():
            self._db.execute(
                """
                DELETE FROM left_out WHERE path IN (SELECT value FROM json_each(?))
                    AND folder_id IN (SELECT id FROM folders WHERE base_id = ?)
                """,
                (_json(map(str, files)), base_id),
            )
            return [self._enqueue(base_id, ItemKind.FILE, path.name, str(path), folder_id) for path in files]

    def put_link(self, base_id: str, url: str) -> str:
        """Queue a link to be fetched; a known link is fetched again."""
        self._require(base_id)
        with self._database.transaction():
            item_id = self._enqueue(base_id, ItemKind.LINK, url, url, None)
            self._db.execute("UPDATE items SET is_unfetched = 1 WHERE id = ?", (item_id,))
        return item_id

    def put_page(self, base_id: str, url: str, title: str, text: str, read_at: float) -> tuple[str, bool]:
        """Queue a page that was read before, and return its item and whether it is new.

        The item that has the same address or the same content in the base stays as it is, unless it has no text.
        """
        self._require(base_id)
        content = StoredContent(".txt", text.encode())
        known = self.find_same(base_id, url, hashlib.sha256(content.body).hexdigest())
        if known is not None and known.state is not ItemState.FAILED:
            return known.id, False
        with self._database.transaction():
            item_id = known.id if known else self._enqueue(base_id, ItemKind.LINK, title, url, None)
            self._db.execute(
                """
                UPDATE items SET name = ?, state = 'waiting', error = '', is_unfetched = 0, read_at = ?
                WHERE id = ?
                """,
                (title, read_at, item_id),
            )
            self._put_content(item_id, content)
        return item_id, True

    def find_same(self, base_id: str, address: str, sha256: str) -> ItemInfo | None:
        """Return the item of a base that has the same address (of a page, or path of a file) or the same content."""
        with_content = self._items(
            "i.base_id = ? AND d.sha256 = ? ORDER BY i.position LIMIT 1", base_id, sha256
        ) or self._items(
            "i.base_id = ? AND i.path = ? AND i.kind <> 'note' ORDER BY i.position LIMIT 1", base_id, address
        )
        if with_content:
            return with_content[0]
        return next((self.item(item_id) for of, item_id in self._at_address(address) if of == base_id), None)

    def bases_with(self, address: str, sha256: str) -> frozenset[str]:
        """Return the ids of the bases that have this address or this content; deleted bases are among them."""
        rows = self._db.execute("SELECT base_id FROM documents WHERE sha256 = ?", (sha256,))
        return frozenset({row["base_id"] for row in rows} | {of for of, _ in self._at_address(address)})

    def _at_address(self, address: str) -> Iterator[tuple[str, str]]:
        """Yield base and item of each link to the same page, which may be written differently."""
        host = host_of(address).lower()
        if not host:
            return
        wanted = canonical_url(address)
        query = "SELECT base_id, id, path FROM items WHERE kind = 'link' AND instr(lower(path), ?)"
        for row in self._db.execute(query, (host,)).fetchall():
            if canonical_url(row["path"]) == wanted:
                yield row["base_id"], row["id"]

    def put_note(self, base_id: str, title: str, text: str, item_id: str = "") -> str:
        """Queue a note, or replace the text of an existing one, which is then read again."""
        self._require(base_id)
        with self._database.transaction():
            known = self._db.execute(
                "UPDATE items SET name = ?, state = ?, error = '' WHERE id = ? AND base_id = ? AND kind = ?",
                (title, ItemState.WAITING, item_id, base_id, ItemKind.NOTE),
            ).rowcount
            if not known:
                item_id = self._enqueue(base_id, ItemKind.NOTE, title, "", None)
            self._put_content(item_id, StoredContent(".md", text.encode()))
        return item_id

    def put_fetched(self, item_id: str, title: str, content: StoredContent) -> bool:
        """Store the content of a link and queue it; return False if the item is not a link to be fetched."""
        with self._database.transaction():
            is_known = bool(
                self._db.execute(
                    """
                    UPDATE items SET name = ?, is_unfetched = 0, state = 'waiting', error = '', read_at = ?
                    WHERE id = ? AND is_unfetched
                    """,
                    (title, time.time(), item_id),
                ).rowcount
            )
            if is_known:
                self._put_content(item_id, content)
        return is_known

    def put_unfetched(self, item_id: str, error: str) -> None:
        """Store why a link could not be fetched; its earlier text is kept, with the error beside it."""
        with self._database.transaction():
            error = self._with_loss(item_id, error)
            if not self._passages_of(item_id)[0]:
                self._link(item_id, None)
            self._db.execute(
                f"""
                UPDATE items SET is_unfetched = 0, is_again = 0, error = ?, state = {STATE_BEFORE}
                WHERE id = ? AND is_unfetched
                """,  # noqa: S608 - a constant
                (encode_message(error), item_id),
            )

    def read_again(self, item_ids: Iterable[str]) -> None:
        """Queue items to be read again, even if their content is known; links are fetched first."""
        with self._database.transaction():
            self._db.execute(
                """
                UPDATE items SET state = 'waiting', error = '', is_again = 1, is_unfetched = (kind = 'link')
                WHERE id IN (SELECT value FROM json_each(?)) AND state <> 'reading'
                """,
                (_json(item_ids),),
            )

    def read_damaged_again(self) -> list[str]:
        """Queue items with damaged texts to be read again; return their names.

        Damaged passages are deleted immediately, so that no answer quotes them; other damaged rows stay until
        the item has been read.
        """
        with self._database.transaction():
            rows = find_damaged_rows(self._db)
            documents = {*rows.get("documents", ()), *rows.get("texts", ())}
            for passage in rows.get("passages", ()):
                query = "SELECT document_id FROM passages WHERE id = ?"
                documents.add(self._db.execute(query, (passage,)).fetchone()["document_id"])
                self._db.execute("DELETE FROM passages_fts WHERE rowid = ?", (passage,))
                self._db.execute("DELETE FROM passages WHERE id = ?", (passage,))
            items = self._db.execute(
                """
                UPDATE items SET state = 'waiting', error = '', is_again = 1,
                    is_unfetched = (kind = 'link' AND id IN (SELECT value FROM json_each(?)))
                WHERE document_id IN (SELECT value FROM json_each(?))
                    OR (kind = 'link' AND id IN (SELECT value FROM json_each(?)))
                RETURNING name
                """,
                (_json(rows.get("contents", ())), _json(documents), _json(rows.get("contents", ()))),
            ).fetchall()
            forget_checksums(self._db, rows)
        return [item["name"] for item in items]

    def content(self, item_id: str) -> StoredContent | None:
        """Return the content of a note or fetched link."""
        row = self._db.execute("SELECT suffix, body FROM contents WHERE item_id = ?", (item_id,)).fetchone()
        return StoredContent(row["suffix"], row["body"]) if row else None

    def tag(self, item_ids: Iterable[str], tags: Iterable[str]) -> None:
        """Replace all tags of the items."""
        wanted = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
        known = [item.id for item in self.find(item_ids)]
        with self._database.transaction():
            self._db.executemany("DELETE FROM item_tags WHERE item_id = ?", ((item_id,) for item_id in known))
            self._db.executemany(
                "INSERT INTO item_tags (item_id, tag) VALUES (?, ?)",
                ((item_id, tag) for item_id in known for tag in wanted),
            )

    def set_reading(self, item_id: str, stamp: str = "") -> None:
        """Mark an item as being read, so that it is the suspect if the program dies.

        A page keeps the time at which it was fetched.
        """
        with self._database.transaction():
            self._set_state(item_id, ItemState.READING)
            self._db.execute(
                """
                UPDATE items SET stamp = ?1, read_at = iif(kind = 'link', coalesce(read_at, ?2), ?2) WHERE id = ?3
                """,
                (stamp, time.time(), item_id),
            )

    def put_back(self, item_id: str) -> None:
        """Set an item that was being read back to WAITING."""
        with self._database.transaction():
            self._db.execute(
                "UPDATE items SET state = ? WHERE id = ? AND state = ?",
                (ItemState.WAITING, item_id, ItemState.READING),
            )

    def take_back(self, item_ids: Iterable[str]) -> set[str]:
        """Undo `enqueue` for the items that are searchable from an earlier reading; return their ids."""
        with self._database.transaction():
            rows = self._db.execute(
                f"""
                UPDATE items SET is_unfetched = 0, is_again = 0, state = {STATE_BEFORE}
                WHERE id IN (SELECT value FROM json_each(?)) AND document_id IS NOT NULL
                RETURNING id
                """,  # noqa: S608 - a constant
                (_json(item_ids),),
            )
            return {row["id"] for row in rows}

    def fail(self, item_id: str, error: str, *, keeps_text: bool = False, is_shut: bool = False) -> list[int]:
        """Mark an item as FAILED; return the passages of an earlier reading, which are deleted.

        If it `keeps_text`, what is left of the text of its earlier reading remains searchable. If it `is_shut`, it may become
        readable without having changed, so its stamp is cleared.
        """
        with self._database.transaction():
            error = self._with_loss(item_id, error)
            is_kept = keeps_text and self._passages_of(item_id)[0] > 0
            dropped = [] if is_kept else self._link(item_id, None)
            self._set_state(item_id, ItemState.FAILED, error)
            self._db.execute(
                f"UPDATE items SET state = {STATE_BEFORE}, stamp = iif(?, '', stamp) WHERE id = ?",  # noqa: S608 - a constant
                (is_shut, item_id),
            )
        return dropped

    def link_known(self, item_id: str, sha256: str) -> list[int] | None:
        """Mark an item as ready without reading it if its base has the same content; otherwise return None.

        Returns the passages of an earlier reading, which are deleted. Items that must be read again are not
        linked.
        """
        row = self._db.execute(
            """
            SELECT d.id, d.is_embedded FROM documents d JOIN items i ON i.base_id = d.base_id
            WHERE i.id = ? AND d.sha256 = ? AND NOT i.is_again
                AND d.passages = (SELECT count(*) FROM passages p WHERE p.document_id = d.id)
            """,
            (item_id, sha256),
        ).fetchone()
        if row is None:
            return None
        with self._database.transaction():
            dropped = self._link(item_id, row["id"])
            self._set_state(item_id, ItemState.READY if row["is_embedded"] else ItemState.KEYWORD_READY)
        return dropped

    def put(self, item_id: str, sha256: str, reading: ParsedFile) -> list[int]:
        """Store an item that was read; from then on, keyword search finds it.

        Returns the passages of earlier readings, which are deleted; items with the same content get the new
        one.
        """
        row = self._db.execute("SELECT base_id FROM items WHERE id = ?", (item_id,)).fetchone()
        if row is None:  # removed while it was read
            return []
        with self._database.transaction():
            sharers, dropped = self._take_apart(row["base_id"], sha256)
            document = self._put_document(row["base_id"], sha256, reading)
            dropped += self._link(item_id, document)
            for sharer in {item_id, *sharers}:
                self._db.execute("UPDATE items SET document_id = ? WHERE id = ?", (document, sharer))
                self._set_state(sharer, ItemState.KEYWORD_READY)
        return dropped

    def _take_apart(self, base_id: str, sha256: str) -> tuple[list[str], list[int]]:
        """Delete the document with this content; return the items that had it, and its passages."""
        row = self._db.execute(
            "SELECT id FROM documents WHERE base_id = ? AND sha256 = ?", (base_id, sha256)
        ).fetchone()
        if row is None:
            return [], []
        sharers = self._db.execute(
            "SELECT id FROM items WHERE document_id = ? AND state IN ('ready', 'keyword_ready')", (row["id"],)
        ).fetchall()
        return [sharer["id"] for sharer in sharers], drop_document(self._db, row["id"])

    def _put_document(self, base_id: str, sha256: str, reading: ParsedFile) -> int:
        facts = DocumentFacts(
            sha256, reading.title, reading.pages, reading.scanned, reading.is_cut, len(reading.entries)
        )
        document = put_document(self._db, base_id, facts, reading.text)
        self._put_passages(base_id, document, reading)
        return document

    def _put_passages(self, base_id: str, document: int, reading: ParsedFile) -> None:
        entries = reading.entries
        self._db.executemany(
            """
            INSERT INTO passages (document_id, ordinal, page, section, start, "end", text)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            (
                (document, ordinal, chunk.page, chunk.section, chunk.start, chunk.end, chunk.text)
                for ordinal, chunk in enumerate(entry.chunk for entry in entries)
            ),
        )
        ids = self._db.execute("SELECT id FROM passages WHERE document_id = ? ORDER BY ordinal", (document,))
        self._db.executemany(
            "INSERT INTO passages_fts (rowid, base, head, body) VALUES (?, ?, ?, ?)",
            [(row["id"], base_id, entry.head, entry.body) for row, entry in zip(ids, entries, strict=True)],
        )

    def remove_items(self, item_ids: Sequence[str], *, is_wish: bool = True) -> dict[str, list[int]]:
        """Remove items from their bases; return the passages that were deleted, by base.

        Passages stay if another item of the base has the same content. A file of a followed folder is not added
        again if the user asked for its removal (`is_wish`).
        """
        dropped: dict[str, list[int]] = {}
        with self._database.transaction():
            for item_id in item_ids:
                row = self._db.execute(
                    "SELECT base_id, folder_id, path FROM items WHERE id = ?", (item_id,)
                ).fetchone()
                if row is None:
                    continue
                if is_wish and row["folder_id"] is not None:
                    left_out = (row["folder_id"], row["path"])
                    self._db.execute("INSERT OR IGNORE INTO left_out VALUES (?, ?)", left_out)
                dropped.setdefault(row["base_id"], []).extend(self._link(item_id, None))
                self._db.execute("DELETE FROM items WHERE id = ?", (item_id,))
        return dropped

    def _passages_of(self, item_id: str) -> tuple[int, int]:
        """Return how many passages there are of the text of an item, and how many were read."""
        row = self._db.execute(
            """
            SELECT d.passages, (SELECT count(*) FROM passages p WHERE p.document_id = d.id) AS present
            FROM items i JOIN documents d ON d.id = i.document_id WHERE i.id = ?
            """,
            (item_id,),
        ).fetchone()
        return (row["present"], row["passages"]) if row else (0, 0)

    def _with_loss(self, item_id: str, error: str) -> str:
        """Return an error, and how many passages of the earlier reading were deleted as damaged, if any."""
        present, total = self._passages_of(item_id)
        return (
            error
            if present == total
            else sentences((error, _LOST.format(count=total - present, total=total)))
        )

    def _items(self, condition: str, *values: object) -> tuple[ItemInfo, ...]:
        return tuple(map(_item, self._db.execute(f"{_ITEM} WHERE {condition}", values)))

    def _require(self, base_id: str) -> None:
        query = "SELECT 1 FROM bases WHERE id = ? AND deleted_at IS NULL"
        if self._db.execute(query, (base_id,)).fetchone() is None:
            raise UnknownBase(base=base_id)

    def _enqueue(self, base_id: str, kind: ItemKind, name: str, path: str, folder_id: str | None) -> str:
        (item_id,) = self._db.execute(
            """
            INSERT INTO items (id, base_id, kind, name, path, state, folder_id) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (base_id, path) WHERE kind <> 'note' DO UPDATE SET state = excluded.state, error = '',
                folder_id = coalesce(excluded.folder_id, folder_id)
            RETURNING id
            """,
            (uuid.uuid4().hex, base_id, kind, name, path, ItemState.WAITING, folder_id),
        ).fetchone()
        return str(item_id)

    def _put_content(self, item_id: str, content: StoredContent) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO contents (item_id, suffix, body) VALUES (?, ?, ?)",
            (item_id, content.suffix, content.body),
        )

    def _set_state(self, item_id: str, state: ItemState, error: str = "") -> None:
        is_over = state is not ItemState.READING
        self._db.execute(
            """
            UPDATE items SET state = ?, error = ?, is_again = is_again AND NOT ?, is_suspect = is_suspect AND NOT ?
            WHERE id = ?
            """,
            (state, encode_message(error), is_over, is_over, item_id),
        )

    def _link(self, item_id: str, document: int | None) -> list[int]:
        """Link an item to its document, and delete its previous document if no other item uses it."""
        row = self._db.execute("SELECT document_id FROM items WHERE id = ?", (item_id,)).fetchone()
        self._db.execute("UPDATE items SET document_id = ? WHERE id = ?", (document, item_id))
        if row is None or row["document_id"] in {None, document}:
            return []
        query = "SELECT 1 FROM items WHERE document_id = ?"
        is_shared = self._db.execute(query, (row["document_id"],)).fetchone() is not None
        return [] if is_shared else drop_document(self._db, row["document_id"])


def _item(row: sqlite3.Row) -> ItemInfo:
    fields = dict(row)
    fields["state"] = ItemState(fields["state"])
    fields["kind"] = ItemKind(fields["kind"])
    fields["error"] = decode_message(fields["error"])
    fields["is_cut"] = bool(fields["is_cut"])
    tags = fields["tags"]
    fields["tags"] = () if tags == _NO_TAGS else tuple(msgspec.json.decode(tags, type=list[str]))
    return ItemInfo(**fields)


def _json(values: Iterable[str | int]) -> str:
    return json.dumps(list(values))


def recover(database: IndexDatabase, reason: str, program: int) -> set[str]:
    """Queue items that were being read when this process was killed; return all suspects.

    An item is marked as failed with `reason` only if the process is killed again over it while the same
    `program` is running: other items were read beside it, or the program itself was ended, for which no file is
    to blame.
    """
    with database.transaction() as connection:
        query = "SELECT 1 FROM facts WHERE name = ? AND value = ?"
        is_same = connection.execute(query, (_PROGRAM, str(program))).fetchone() is not None
        connection.execute(
            f"""
            UPDATE items SET is_suspect = NOT (is_suspect AND ?1), error = iif(is_suspect AND ?1, ?2, ''),
                state = iif(is_suspect AND ?1, {STATE_BEFORE}, 'waiting') WHERE state = 'reading'
            """,  # noqa: S608 - a constant
            (is_same, encode_message(reason)),
        )
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (_PROGRAM, str(program)))
        return {row["id"] for row in connection.execute("SELECT id FROM items WHERE is_suspect")}
