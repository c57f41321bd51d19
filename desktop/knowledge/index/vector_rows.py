"""The vectors in SQLite, by model: the source for Chroma, and the switch from one model to another."""

import hashlib
import json
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from desktop.domain.knowledge import ItemState
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.passages import PendingPassage

_DROPPED_AT_ONCE = 2_000
_READ_AT_ONCE = 5_000
_NEARLY_ALL = 0.9
_OWNER = "owner"
FINGERPRINT = "fingerprint/"
"""Prefix of the name of the fact that stores the fingerprint of a model's vectors."""


@dataclass(frozen=True)
class CollectionKey:
    """The key of a collection: the vectors of one base by one model."""

    base_id: str
    model: str

    @property
    def name(self) -> str:
        """The name of the collection.

        Base ids are unique across machines; Chroma does not accept every model name.
        """
        return f"{self.base_id}-{hashlib.sha256(self.model.encode()).hexdigest()[:8]}"


class VectorRows:
    """The vectors in SQLite. Every method that writes is one transaction."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection

    def owner(self) -> str:
        """Return the id that distinguishes these bases from other machines' bases on a shared server."""
        with self._database.transaction():
            self._db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (_OWNER, uuid.uuid4().hex))
        return self._fact(_OWNER)

    def list_held(self, base_id: str, model: str) -> set[int]:
        """Return the passages of a base that have a vector of a model."""
        rows = self._db.execute(
            """
            SELECT p.id FROM documents d JOIN passages p ON p.document_id = d.id
            JOIN vectors v ON v.passage_id = p.id AND v.model = ? WHERE d.base_id = ?
            """,
            (model, base_id),
        )
        return {row["id"] for row in rows}

    def of(self, model: str, passages: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return the vectors by a model for those of the passages that have one."""
        rows = self._db.execute(
            """
            SELECT passage_id, vector FROM vectors
            WHERE model = ? AND passage_id IN (SELECT value FROM json_each(?))
            """,
            (model, json.dumps(list(passages))),
        )
        return [(row["passage_id"], row["vector"]) for row in rows]

    def in_pieces(self, base_id: str, model: str) -> Iterator[list[tuple[int, bytes]]]:
        """Return all vectors of a base by a model, in pieces."""
        rows = self._db.execute(
            """
            SELECT p.id, v.vector FROM documents d JOIN passages p ON p.document_id = d.id
            JOIN vectors v ON v.passage_id = p.id AND v.model = ? WHERE d.base_id = ?
            """,
            (model, base_id),
        )
        while piece := rows.fetchmany(_READ_AT_ONCE):
            yield [tuple(row) for row in piece]

    def sample(self, base_id: str, model: str, step: int) -> tuple[list[tuple[str, bytes]], bool]:
        """Return the first words and vectors of one in `step` passages, and whether nearly all of these have a vector."""
        rows = self._db.execute(
            """
            SELECT substr(p.text, 1, 300), v.vector FROM documents d JOIN passages p ON p.document_id = d.id
            LEFT JOIN vectors v ON v.passage_id = p.id AND v.model = ? WHERE d.base_id = ? AND p.id % ? = 0
            """,
            (model, base_id, step),
        ).fetchall()
        found = [(row[0], row[1]) for row in rows if row[1] is not None]
        return found, len(found) >= _NEARLY_ALL * len(rows)

    def has_any(self, base_id: str, model: str) -> bool:
        """Say whether a base has any vector of a model."""
        return self.has_many(base_id, model, 1)

    def has_many(self, base_id: str, model: str, count: int) -> bool:
        """Say whether a base has at least `count` vectors of a model."""
        row = self._db.execute(
            """
            SELECT 1 FROM documents d JOIN passages p ON p.document_id = d.id
            JOIN vectors v ON v.passage_id = p.id AND v.model = ? WHERE d.base_id = ? LIMIT 1 OFFSET ?
            """,
            (model, base_id, count - 1),
        ).fetchone()
        return row is not None

    def lacking(self, base_id: str, model: str, after: int, limit: int) -> list[PendingPassage]:
        """Return passages of a base without a vector of a model, by id, starting after the id `after`."""
        rows = self._db.execute(
            """
            SELECT p.id, d.id AS document, d.base_id, ? AS model, d.title, p.section, p.text
            FROM passages p JOIN documents d ON d.id = p.document_id
            WHERE d.base_id = ? AND p.id > ?
                AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_id = p.id AND v.model = ?)
            ORDER BY p.id LIMIT ?
            """,
            (model, base_id, after, model, limit),
        )
        return [PendingPassage(**row) for row in map(dict, rows)]

    def count_of_base(self, base_id: str, model: str) -> int:
        """Return how many passages of a base have a vector of a model."""
        (count,) = self._db.execute(
            """
            SELECT count(*) FROM documents d JOIN passages p ON p.document_id = d.id
            JOIN vectors v ON v.passage_id = p.id AND v.model = ? WHERE d.base_id = ?
            """,
            (model, base_id),
        ).fetchone()
        return int(count)

    def count_held(self, document: int, model: str) -> int:
        """Return how many passages of a document have a vector of a model."""
        (count,) = self._db.execute(
            """
            SELECT count(*) FROM passages p JOIN vectors v ON v.passage_id = p.id AND v.model = ?
            WHERE p.document_id = ?
            """,
            (model, document),
        ).fetchone()
        return int(count)

    def switch(self, base_id: str, model: str) -> bool:
        """Switch a base to another model's vectors unless a passage lacks one; return whether it did."""
        with self._database.transaction():
            if self.lacking(base_id, model, 0, 1):
                return False
            self._db.execute("UPDATE bases SET model = ? WHERE id = ?", (model, base_id))
            self._db.execute("UPDATE documents SET is_embedded = 1 WHERE base_id = ?", (base_id,))
            self._db.execute(
                "UPDATE items SET state = ? WHERE base_id = ? AND state = ?",
                (ItemState.READY, base_id, ItemState.KEYWORD_READY),
            )
        return True

    def begin_with(self, base_id: str, model: str) -> None:
        """Set the model of a base that has no vectors yet, or none that are usable."""
        with self._database.transaction():
            self._db.execute("UPDATE bases SET model = ? WHERE id = ?", (model, base_id))
            self._unfinish(base_id)

    def drop_others(self, base_id: str, models: Collection[str]) -> Iterator[None]:
        """Delete the vectors of a base except those of these models, one batch per step."""
        while self._drop_some(base_id, models):
            yield

    def _drop_some(self, base_id: str, models: Collection[str]) -> int:
        with self._database.transaction():
            return self._db.execute(
                """
                DELETE FROM vectors WHERE rowid IN (
                    SELECT v.rowid FROM documents d JOIN passages p ON p.document_id = d.id
                    JOIN vectors v ON v.passage_id = p.id
                    WHERE d.base_id = ? AND v.model NOT IN (SELECT value FROM json_each(?)) LIMIT ?)
                """,
                (base_id, json.dumps(list(models)), _DROPPED_AT_ONCE),
            ).rowcount

    def is_current(self, model: str, fingerprint: str) -> bool:
        """Say whether a model's stored vectors are still current; the first call stores the fingerprint."""
        known = self._fact(FINGERPRINT + model)
        if not known:
            self._note(model, fingerprint)
        return known in {"", fingerprint}

    def renew(self, model: str, fingerprint: str) -> None:
        """Delete all vectors of a model, because it now produces different ones."""
        with self._database.transaction():
            self._db.execute("DELETE FROM vectors WHERE model = ?", (model,))
            for row in self._db.execute("SELECT id FROM bases WHERE model = ?", (model,)).fetchall():
                self._unfinish(row["id"])
        self._note(model, fingerprint)

    def _unfinish(self, base_id: str) -> None:
        """Mark the items of a base as not embedded, within the caller's transaction."""
        self._db.execute(
            "UPDATE documents SET is_embedded = 0 WHERE base_id = ? AND passages > 0", (base_id,)
        )
        self._db.execute(
            """
            UPDATE items SET state = ? WHERE base_id = ? AND state = ?
                AND document_id IN (SELECT id FROM documents WHERE NOT is_embedded)
            """,
            (ItemState.KEYWORD_READY, base_id, ItemState.READY),
        )

    def _note(self, model: str, fingerprint: str) -> None:
        with self._database.transaction():
            self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (FINGERPRINT + model, fingerprint))

    def _fact(self, name: str) -> str:
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row["value"]) if row else ""
