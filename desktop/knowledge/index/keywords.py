"""The keyword leg: BM25 of FTS5 over segmented terms."""

import sqlite3
from collections.abc import Sequence

from desktop.text.terms import content_terms, terms

_HEAD_WEIGHT = 0.5
_BODY_WEIGHT = 1.0
_MAX_QUERY_TERMS = 64
"""A pasted page is a question about its rarest words; SQLite also bounds the depth of expressions."""


def best_by_keyword(
    db: sqlite3.Connection, query: str, base_ids: Sequence[str], count: int
) -> dict[int, float]:
    """Return the passages that share terms with `query`, with their BM25 score, best first.

    Terms are joined by OR: a passage need not have them all, having the rare ones counts most.
    """
    wanted = list(dict.fromkeys(content_terms(query) or terms(query)))[:_MAX_QUERY_TERMS]
    if not wanted or not base_ids:
        return {}
    scope = " OR ".join(map(_quoted, base_ids))
    words = " OR ".join(map(_quoted, wanted))
    rows = db.execute(
        """
        SELECT rowid, -bm25(passages_fts, 0, ?, ?) AS score FROM passages_fts
        WHERE passages_fts MATCH ? ORDER BY score DESC LIMIT ?
        """,
        (_HEAD_WEIGHT, _BODY_WEIGHT, f"base : ({scope}) AND {{head body}} : ({words})", count),
    )
    return {row[0]: row[1] for row in rows}


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
