"""Documents and their passages: storing, embedding status, and lookup for searches."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from desktop.domain.knowledge import ItemKind, ItemState, PassageInfo
from desktop.errors import IndexDamaged
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.row_checksums import TEXT_DAMAGED, build_damage_check

# In the order of the fields of FoundPassage.
_FOUND = f"""
    SELECT p.id, d.id AS document, d.base_id, d.sha256, i.name, i.path, i.kind, p.ordinal, p.page, p.section,
           p.start, p."end", p.text, i.read_at, {build_damage_check("passages", "p")} AS is_damaged
    FROM passages p JOIN documents d ON d.id = p.document_id
    JOIN items i ON i.position = (SELECT min(position) FROM items WHERE document_id = d.id)
"""  # noqa: S608 - names out of our schema


@dataclass(frozen=True)
class DocumentFacts:
    """The metadata stored with a document; it will have this number of `passages`."""

    sha256: str
    title: str
    pages: int | None
    scanned: int
    is_cut: bool
    passages: int


def put_document(db: sqlite3.Connection, base_id: str, facts: DocumentFacts, text: str) -> int:
    """Store a document, without its passages, within the caller's transaction; return its id."""
    document = db.execute(
        """
        INSERT INTO documents (base_id, sha256, title, pages, scanned, is_cut, passages)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        (base_id, facts.sha256, facts.title, facts.pages, facts.scanned, facts.is_cut, facts.passages),
    ).lastrowid
    assert document is not None
    db.execute("INSERT INTO texts (document_id, text) VALUES (?, ?)", (document, text))
    return document


@dataclass(frozen=True)
class PendingPassage:
    """A passage that does not have a vector of `model` yet."""

    id: int
    document: int
    base_id: str
    model: str
    title: str
    section: str
    text: str

    @property
    def embedded_text(self) -> str:
        """The text to embed: the passage with its title and headings."""
        return "\n".join(line for line in (self.title, self.section, self.text) if line)


@dataclass(frozen=True)
class FoundPassage:
    """A passage with its item; `path` is a URL if the item is a link."""

    id: int
    document: int
    base_id: str
    sha256: str
    name: str
    path: str
    kind: ItemKind
    ordinal: int
    page: int | None
    section: str
    start: int
    end: int
    text: str
    read_at: float | None = None


class Passages:
    """The passages of all bases. Every method that writes is one transaction.

    Methods that read a text for an answer raise IndexDamaged if its checksum does not match.
    """

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection

    def pending(
        self, limit: int, without: Sequence[str] = (), *, oldest_first: bool = False
    ) -> list[PendingPassage]:
        """Return passages without vectors of their base's model, those of the shortest documents first.

        With `oldest_first`, returns those of the document that was added first. Excludes paused and deleted
        bases, and the models in `without`.
        """
        rows = self._db.execute(
            """
            SELECT p.id, d.id AS document, d.base_id, b.model, d.title, p.section, p.text
            FROM documents d JOIN bases b ON b.id = d.base_id AND NOT b.is_paused AND b.deleted_at IS NULL
            JOIN passages p ON p.document_id = d.id
            WHERE NOT d.is_embedded AND b.model NOT IN (SELECT value FROM json_each(?))
                AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_id = p.id AND v.model = b.model)
            ORDER BY iif(?, 0, d.passages), d.id, p.id LIMIT ?
            """,
            (json.dumps(list(without)), oldest_first, limit),
        )
        return [PendingPassage(**row) for row in map(dict, rows)]

    def put_vectors(self, model: str, vectors: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        """Store vectors by passage id; return those whose passages still exist."""
        with self._database.transaction():
            return [
                (passage, vector)
                for passage, vector in vectors
                if self._db.execute(
                    """
                    INSERT INTO vectors (passage_id, model, vector) SELECT id, ?, ? FROM passages WHERE id = ?
                    ON CONFLICT DO UPDATE SET vector = excluded.vector
                    """,
                    (model, vector, passage),
                ).rowcount
            ]

    def finish_documents(self, documents: Collection[int] | None = None) -> list[int]:
        """Mark items as READY if all of their passages have vectors; return their documents.

        Only checks the given documents, or all if None.
        """
        wanted = None if documents is None else json.dumps(list(documents))
        with self._database.transaction():
            rows = self._db.execute(
                """
                UPDATE documents SET is_embedded = 1
                WHERE NOT is_embedded AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))
                    AND NOT EXISTS (
                        SELECT 1 FROM passages p JOIN bases b ON b.id = documents.base_id
                        WHERE p.document_id = documents.id AND NOT EXISTS
                            (SELECT 1 FROM vectors v WHERE v.passage_id = p.id AND v.model = b.model))
                RETURNING id
                """,
                (wanted, wanted or "[]"),
            ).fetchall()
            finished = [row["id"] for row in rows]
            self._db.executemany(
                "UPDATE items SET state = ? WHERE document_id = ? AND state = ?",
                ((ItemState.READY, document, ItemState.KEYWORD_READY) for document in finished),
            )
        return finished

    def of_item(self, item_id: str) -> list[PassageInfo]:
        """Return the passages of an item, in order."""
        rows = self._db.execute(
            """
            SELECT p.ordinal, p.text, p.page, p.section, p.start, p."end", EXISTS
                (SELECT 1 FROM vectors v WHERE v.passage_id = p.id AND v.model = b.model) AS is_embedded
            FROM items i JOIN passages p ON p.document_id = i.document_id JOIN bases b ON b.id = i.base_id
            WHERE i.id = ? ORDER BY p.ordinal
            """,
            (item_id,),
        )
        return [PassageInfo(**{**dict(row), "is_embedded": bool(row["is_embedded"])}) for row in rows]

    def count_pending(self) -> int:
        """Return how many passages lack vectors of their base's model."""
        (count,) = self._db.execute(
            """
            SELECT count(*) FROM documents d JOIN bases b ON b.id = d.base_id AND b.deleted_at IS NULL
            JOIN passages p ON p.document_id = d.id
            WHERE NOT d.is_embedded
                AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_id = p.id AND v.model = b.model)
            """
        ).fetchone()
        return int(count)

    def embedding_states(self, base_ids: Sequence[str]) -> set[bool]:
        """Return whether these bases have documents with all vectors (True) and documents without (False)."""
        rows = self._db.execute(
            f"SELECT DISTINCT is_embedded FROM documents WHERE base_id IN ({_marks(base_ids)})",  # noqa: S608 - marks only
            tuple(base_ids),
        )
        return {bool(row["is_embedded"]) for row in rows}

    def count_documents(self, base_id: str) -> int:
        """Return how many documents a base has."""
        (count,) = self._db.execute("SELECT count(*) FROM documents WHERE base_id = ?", (base_id,)).fetchone()
        return int(count)

    def count_passages(self, base_id: str) -> int:
        """Return how many passages a base has."""
        (count,) = self._db.execute(
            "SELECT total(passages) FROM documents WHERE base_id = ?", (base_id,)
        ).fetchone()
        return int(count)

    def beginnings(self, base_id: str, count: int) -> list[str]:
        """Return the first words of about `count` passages of a base, and of the first one of as many documents."""
        total, documents = self._db.execute(
            "SELECT total(passages), count(*) FROM documents WHERE base_id = ?", (base_id,)
        ).fetchone()
        rows = self._db.execute(
            """
            SELECT substr(p.text, 1, 300) FROM documents d JOIN passages p ON p.document_id = d.id
            WHERE d.base_id = ? AND (p.id % ? = 0 OR p.ordinal = 0 AND d.id % ? = 0)
            """,
            (base_id, -(-int(total) // count) or 1, -(-documents // count) or 1),
        )
        return [row[0] for row in rows]

    def neighbourhoods(self, ids: Sequence[int], reach: int) -> dict[int, list[int]]:
        """Return for each passage the ids from `reach` before it to `reach` after it, in order."""
        rows = self._db.execute(
            f"""
            SELECT p.id, q.id AS neighbour FROM passages p
            JOIN passages q ON q.document_id = p.document_id AND q.ordinal BETWEEN p.ordinal - ? AND p.ordinal + ?
            WHERE p.id IN ({_marks(ids)}) ORDER BY p.id, q.ordinal
            """,  # noqa: S608 - marks only
            (reach, reach, *ids),
        )
        around: dict[int, list[int]] = {}
        for passage, neighbour in rows:
            around.setdefault(passage, []).append(neighbour)
        return around

    def terms(self, ids: Iterable[int]) -> dict[int, list[str]]:
        """Return the index terms of passages."""
        unique = tuple(dict.fromkeys(ids))
        rows = self._db.execute(
            f"SELECT rowid, body FROM passages_fts WHERE rowid IN ({_marks(unique)})",  # noqa: S608 - marks only
            unique,
        )
        return {row["rowid"]: row["body"].split() for row in rows}

    def excerpt(self, document: int, start: int, end: int) -> str:
        """Return a range of the extracted text of a document."""
        row = self._db.execute(
            f"""
            SELECT substr(text, ?, ?) AS text, {build_damage_check("texts", "texts")} AS is_damaged
            FROM texts WHERE document_id = ?
            """,  # noqa: S608 - names out of our schema
            (start + 1, end - start, document),
        ).fetchone()
        return self._sound_text(row)

    def text(self, sha256: str) -> str:
        """Return the extracted text of a file by the SHA-256 of its content; empty if no base contains it."""
        row = self._db.execute(
            f"""
            SELECT text, {build_damage_check("texts", "t")} AS is_damaged
            FROM documents d JOIN texts t ON t.document_id = d.id WHERE d.sha256 = ? LIMIT 1
            """,  # noqa: S608 - names out of our schema
            (sha256,),
        ).fetchone()
        return self._sound_text(row)

    def scans(self, sha256: str) -> list[int]:
        """Return documents with this content and with pages read as pictures, not of deleted bases."""
        rows = self._db.execute(
            """
            SELECT d.id FROM documents d JOIN bases b ON b.id = d.base_id AND b.deleted_at IS NULL
            WHERE d.sha256 = ? AND d.scanned > 0 ORDER BY d.id
            """,
            (sha256,),
        )
        return [row["id"] for row in rows]

    def load(self, ids: Sequence[int]) -> list[FoundPassage]:
        """Return passages in the order of `ids`, without those deleted meanwhile.

        If several files have the same content, the first one added is named.
        """
        rows = self._db.execute(f"{_FOUND} WHERE p.id IN ({_marks(ids)})", tuple(ids))
        by_id = {row["id"]: self._make_passage(row) for row in rows}
        return [by_id[passage] for passage in ids if passage in by_id]

    def stretch(self, document: int, first: int, last: int) -> list[FoundPassage]:
        """Return the passages of a document between two ordinals, in order."""
        condition = "WHERE p.document_id = ? AND p.ordinal BETWEEN ? AND ? ORDER BY p.ordinal"
        rows = self._db.execute(f"{_FOUND} {condition}", (document, first, last))
        return [self._make_passage(row) for row in rows]

    def _make_passage(self, row: sqlite3.Row) -> FoundPassage:
        passage, document, base_id, sha256, name, path, kind, *rest, is_damaged = row
        if is_damaged:
            raise IndexDamaged(path=self._database.path, detail=TEXT_DAMAGED)
        return FoundPassage(passage, document, base_id, sha256, name, path, ItemKind(kind), *rest)

    def _sound_text(self, row: sqlite3.Row | None) -> str:
        if row is None:
            return ""
        if row["is_damaged"]:
            raise IndexDamaged(path=self._database.path, detail=TEXT_DAMAGED)
        return str(row["text"])


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
