"""Embeddings of messages: vectors beside the terms, compared one by one with that of a query.

A message is embedded in pieces, a long one only partly. Vectors are stored as bytes, which changes a cosine by
less than 0.01. All of them are compared; 20,000 take about 50 ms.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from desktop.domain.history import HistoryPage, HistoryQuery, Hit
from desktop.sqlite import transaction
from desktop.storage.history_index import TEXT, excerpt_of, hit_of, is_right, key_of
from desktop.text.sentences import split_sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# ruff: noqa: S608 - statements are put together from constants, never from data

PIECE_CHARS: Final = 700
MOST_PIECES: Final = 4
MOST_HITS: Final = 30
LEAST_COSINE: Final = 0.75
"""Minimum cosine, for the built-in model.

Below it two texts have nothing in common; above it they may have little.
"""

_AT_ONCE: Final = 8_192
_CANDIDATES: Final = 300

_UNEMBEDDED = f"""SELECT entries.key, {TEXT} FROM entries
    JOIN truth.messages AS m ON m.position = entries.position
    WHERE NOT entries.is_embedded ORDER BY entries.key DESC LIMIT ?"""
_MESSAGE = f"""SELECT m.id, m.conversation_id, m.speaker, m.model, {TEXT}, m.created_at, c.title, c.assistant, c.is_archived
    FROM entries
    JOIN truth.messages AS m ON m.position = entries.position
    JOIN truth.conversations AS c ON c.id = m.conversation_id
    WHERE entries.key = ? AND c.deleted_at IS NULL AND m.deleted_at IS NULL"""


@dataclass(frozen=True)
class Unembedded:
    """A message without embeddings: its pieces, none if it has no text."""

    key: int
    pieces: tuple[str, ...]


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the pieces of a message to embed: whole sentences up to a maximum length."""
    pieces: list[str] = []
    start = end = 0
    for sentence in split_sentences(text[: PIECE_CHARS * (MOST_PIECES + 1)]):
        if end > start and sentence.end - start > PIECE_CHARS:
            pieces.append(text[start:end].strip())
            start = end
        end = sentence.end
    pieces.append(text[start:end].strip())
    return tuple(piece for piece in pieces if piece)[:MOST_PIECES]


def list_unembedded(db: sqlite3.Connection, count: int) -> list[Unembedded]:
    """Return the newest messages without embeddings."""
    return [Unembedded(key, pieces_of(text)) for key, text in db.execute(_UNEMBEDDED, (count,))]


def put(db: sqlite3.Connection, vectors: Mapping[int, Sequence[bytes]]) -> None:
    """Store the float32 vectors of messages by their keys; messages deleted meanwhile are skipped."""
    with transaction(db):
        for key, several in vectors.items():
            _put_one(db, key, several)


def _put_one(db: sqlite3.Connection, key: int, vectors: Sequence[bytes]) -> None:
    known = db.execute("UPDATE entries SET is_embedded = 1 WHERE key = ?", (key,)).rowcount
    rows = [(key, number, _as_bytes(vector)) for number, vector in enumerate(vectors)]
    db.executemany("INSERT OR REPLACE INTO meanings VALUES (?, ?, ?)", rows if known else [])


def share(db: sqlite3.Connection) -> float:
    """Return the share of messages with embeddings, from 0 to 1."""
    total, left = db.execute("SELECT count(*), count(*) - sum(is_embedded) FROM entries").fetchone()
    return 1.0 if not total else 1 - left / total


def most_similar(db: sqlite3.Connection, query: HistoryQuery, asked: bytes) -> HistoryPage:
    """Return the messages whose meaning is closest to a vector, closest first."""
    hits: list[Hit] = []
    seen: set[int] = set()
    for key, piece in _nearest(db, asked):
        row = None if key in seen else db.execute(_MESSAGE, (key,)).fetchone()
        seen.add(key)
        if row is None or not _is_wanted(key, row, query) or not is_right(db, row[0]):
            continue
        shown = pieces_of(row[4])
        hits.append(hit_of(row, excerpt_of(shown[min(piece, len(shown) - 1)] if shown else row[4], None)))
        if len(hits) == MOST_HITS:
            break
    return HistoryPage(tuple(hits), None, share(db))


def _is_wanted(key: int, row: Sequence[object], query: HistoryQuery) -> bool:
    return (
        query.speaker in (None, row[2])
        and query.assistant in (None, row[7])
        and (query.since is None or key >= key_of(query.since))
        and (query.until is None or key < key_of(query.until))
    )


def _nearest(db: sqlite3.Connection, asked: bytes) -> list[tuple[int, int]]:
    """Return keys and pieces, closest first."""
    import numpy as np  # noqa: PLC0415 - no start waits for it

    question = np.frombuffer(asked, np.float32)
    best: list[tuple[float, int, int]] = []
    rows = db.execute("SELECT key, piece, vector FROM meanings")
    while batch := rows.fetchmany(_AT_ONCE):
        cosines = _cosines(b"".join(row[2] for row in batch), question)
        places = np.argsort(cosines)[::-1][:_CANDIDATES]
        near = [
            (float(cosines[place]), *batch[place][:2]) for place in places if cosines[place] >= LEAST_COSINE
        ]
        best = sorted([*best, *near], reverse=True)[:_CANDIDATES]
    return [(key, piece) for _, key, piece in best]


def _cosines(vectors: bytes, question: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np  # noqa: PLC0415 - no start waits for it

    rows = np.frombuffer(vectors, np.int8).reshape(-1, len(question)).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(question)
    cosines: NDArray[np.float32] = rows @ question / np.maximum(lengths, 1e-9)
    return cosines


def _as_bytes(vector: bytes) -> bytes:
    import numpy as np  # noqa: PLC0415 - no start waits for it

    numbers = np.frombuffer(vector, np.float32)
    return np.round(numbers * (127 / max(float(np.abs(numbers).max()), 1e-9))).astype(np.int8).tobytes()
