"""The keyword leg: BM25 of FTS5 over segmented terms."""

import json
import math
import sqlite3
from collections.abc import Collection, Sequence

from desktop.text.terms import content_terms, terms

_HEAD_WEIGHT = 0.5
_BODY_WEIGHT = 1.0
_WITHIN = "AND +rowid IN (SELECT value FROM json_each(?))"
"""The plus keeps SQLite from matching anew for every single row."""
_MAX_QUERY_TERMS = 64
"""A pasted page is a question about its rarest words; SQLite also bounds the depth of expressions."""


def query_terms(query: str) -> list[str]:
    """Return the terms that a query is looked up by; nothing but stop words is taken at its word."""
    return list(dict.fromkeys(content_terms(query) or terms(query)))[:_MAX_QUERY_TERMS]


def best_by_keyword(
    db: sqlite3.Connection,
    wanted: Sequence[str],
    base_ids: Sequence[str],
    count: int,
    within: Collection[int] | None = None,
) -> dict[int, float]:
    """Return the passages that share terms with a query, with their BM25 score, best first.

    Terms are joined by OR: a passage need not have them all, having the rare ones counts most. Only
    passages that are `within` count, where that is given.
    """
    if not wanted or not base_ids:
        return {}
    words = f"{{head body}} : ({' OR '.join(map(_quoted, wanted))})"
    if within is None and _has_others(db, base_ids):
        words = f"base : ({' OR '.join(map(_quoted, base_ids))}) AND {words}"
    narrowed, passages = ("", ()) if within is None else (_WITHIN, (json.dumps(list(within)),))
    rows = db.execute(
        f"""
        SELECT rowid, -bm25(passages_fts, 0, ?, ?) AS score FROM passages_fts
        WHERE passages_fts MATCH ? {narrowed} ORDER BY score DESC LIMIT ?
        """,  # noqa: S608 - a literal
        (_HEAD_WEIGHT, _BODY_WEIGHT, words, *passages, count),
    )
    return {row[0]: row[1] for row in rows}


def rarity_of(db: sqlite3.Connection, wanted: Sequence[str]) -> dict[str, float]:
    """Return the idf of terms over all passages."""
    (total,) = db.execute("SELECT count(*) FROM passages").fetchone()
    rarity: dict[str, float] = {}
    for term in wanted:
        row = db.execute("SELECT doc FROM passages_terms WHERE term = ?", (term,)).fetchone()
        holders = row[0] if row else 0
        rarity[term] = math.log1p((total - holders + 0.5) / (holders + 0.5))
    return rarity


def _has_others(db: sqlite3.Connection, base_ids: Sequence[str]) -> bool:
    """Say whether there are bases beside these: to name them takes longer than all the words do."""
    rows = db.execute(
        "SELECT id FROM bases WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1",
        (json.dumps(list(base_ids)),),
    )
    return rows.fetchone() is not None


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
