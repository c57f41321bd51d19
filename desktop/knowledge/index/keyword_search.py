"""Keyword search: BM25 of FTS5 over segmented terms."""

import json
import math
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate

from desktop.text.terms import content_terms, terms

_HEAD_WEIGHT = 0.5
_BODY_WEIGHT = 1.0
_WITHIN = "AND +rowid IN (SELECT value FROM json_each(?))"
"""The plus keeps SQLite from evaluating the full-text query again for every row."""
_LOOKED_THROUGH = 5_000
"""Number of passages to score for the rarest terms before common terms are ignored. In 100,000 passages of real
text, half contain some word of a question, and the top ten results are the same.
"""
_MAX_QUERY_TERMS = 64
"""A pasted page is searched by its rarest words; SQLite also limits the depth of expressions."""


def query_terms(query: str) -> list[str]:
    """Return the terms to search for; a query of stop words only is searched as it is."""
    return list(dict.fromkeys(content_terms(query) or terms(query)))[:_MAX_QUERY_TERMS]


def holders_of(db: sqlite3.Connection, wanted: Sequence[str]) -> dict[str, int]:
    """Return how many passages of all bases contain each term."""
    holders: dict[str, int] = {}
    for term in wanted:
        row = db.execute("SELECT doc FROM passages_terms WHERE term = ?", (term,)).fetchone()
        holders[term] = row[0] if row else 0
    return holders


def best_by_keyword(
    db: sqlite3.Connection,
    holders: Mapping[str, int],
    base_ids: Sequence[str],
    count: int,
    within: Collection[int] | None = None,
) -> dict[int, float]:
    """Return the passages that share terms with a query, with their BM25 score, best first.

    `holders` has the terms, and how many passages contain each. They are joined by OR: a passage need not have
    all of them; rare ones count most. Passages with common terms only are considered only if the others give
    fewer than `count`. If `within` is given, only those passages count.
    """
    if not holders or not base_ids:
        return {}
    if within is not None:
        return _best(db, _any_of(holders), count, _WITHIN, json.dumps(list(within)))
    place = f"base : ({_alternatives(base_ids)}) AND " if _has_others(db, base_ids) else ""
    rare = _rarest(holders, count)
    common = [term for term in holders if term not in rare]
    if not common:
        return _best(db, place + _any_of(rare), count)
    # A passage that has both gets its score from the second query, which is limited to passages with rare
    # terms.
    found = _best(db, place + _any_of(rare), count)
    found |= _best(db, f"{place}{_any_of(rare)} AND {_any_of(common)}", count)
    if len(found) < count:
        return _best(db, place + _any_of(holders), count)
    best = sorted(found, key=lambda passage: (-found[passage], passage))[:count]
    return {passage: found[passage] for passage in best}


def rarity_of(db: sqlite3.Connection, holders: Mapping[str, int]) -> dict[str, float]:
    """Return the idf of the terms over all passages."""
    (total,) = db.execute("SELECT count(*) FROM passages").fetchone()
    return {term: math.log1p((total - held + 0.5) / (held + 0.5)) for term, held in holders.items()}


def _rarest(holders: Mapping[str, int], count: int) -> list[str]:
    """Return the rarest terms that together match up to `_LOOKED_THROUGH` passages, or at least `count`."""
    order = sorted(holders, key=holders.__getitem__)
    brought = accumulate(holders[term] for term in order)
    return [
        term
        for term, total in zip(order, brought, strict=True)
        if total <= _LOOKED_THROUGH or total - holders[term] < count
    ]


def _best(db: sqlite3.Connection, wanted: str, count: int, narrowed: str = "", *by: str) -> dict[int, float]:
    rows = db.execute(
        f"""
        SELECT rowid, -bm25(passages_fts, 0, ?, ?) AS score FROM passages_fts
        WHERE passages_fts MATCH ? {narrowed} ORDER BY score DESC LIMIT ?
        """,  # noqa: S608 - a literal
        (_HEAD_WEIGHT, _BODY_WEIGHT, wanted, *by, count),
    )
    return {row[0]: row[1] for row in rows}


def _any_of(wanted: Iterable[str]) -> str:
    return f"{{head body}} : ({_alternatives(wanted)})"


def _alternatives(words: Iterable[str]) -> str:
    return " OR ".join(map(_quote, words))


def _has_others(db: sqlite3.Connection, base_ids: Sequence[str]) -> bool:
    """Say whether there are other bases; naming the bases in the query takes longer than the search itself."""
    rows = db.execute(
        "SELECT id FROM bases WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1",
        (json.dumps(list(base_ids)),),
    )
    return rows.fetchone() is not None


def _quote(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
