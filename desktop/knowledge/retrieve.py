"""From queries to passages: both legs, fused, without repetitions, neighbours joined."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from desktop.domain.knowledge import Retrieval
from desktop.domain.sources import Locator, Passage, SourceKind
from desktop.errors import AppError
from desktop.knowledge.fuse import fuse, vector_weight
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.keywords import best_by_keyword
from desktop.knowledge.index.library import Library
from desktop.knowledge.index.passages import FoundPassage, Passages
from desktop.knowledge.vector_room import VectorRoom
from desktop.text.terms import terms

POOL = 100
_LIKENESS = 0.9
"""Passages that share this much of their terms say the same."""
_MAX_JOINED_CHARS = 4_000
_STILL_EMBEDDING = "Some files are still being embedded; they are found by keyword only."


class Searcher:
    """Asks the index. The keyword leg never waits for the vector leg's model to be loaded in vain."""

    def __init__(self, database: Database, vectors: VectorRoom) -> None:
        self._db = database.connection
        self._library = Library(database)
        self._passages = Passages(database)
        self._vectors = vectors

    async def retrieve(self, queries: Sequence[str], base_ids: Sequence[str], count: int) -> Retrieval:
        """Return at most `count` passages; several queries are several ways to ask the same."""
        known = [base.id for base in self._library.bases() if base.id in set(base_ids)]
        notes = [] if len(known) == len(set(base_ids)) else ["A knowledge base in use no longer exists."]
        asked = [query for query in dict.fromkeys(query.strip() for query in queries) if query]
        scores: dict[int, float] = {}
        for query in asked:
            keyword = best_by_keyword(self._db, query, known, POOL)
            vector, note = await self._vector_leg(query, known, list(keyword))
            notes.extend([note] if note else [])
            for passage, score in fuse(keyword, vector, vector_weight(query)).items():
                scores[passage] = max(score, scores.get(passage, 0.0))
        best = sorted(scores, key=lambda passage: (-scores[passage], passage))[:POOL]
        passages = select(self._passages.found(best), scores, count)
        return Retrieval(tuple(passages), tuple(dict.fromkeys(notes)))

    async def _vector_leg(
        self, query: str, base_ids: Sequence[str], candidates: Sequence[int]
    ) -> tuple[dict[int, float], str]:
        states = self._passages.embedding_states(base_ids)
        note = _STILL_EMBEDDING if False in states else ""
        if True not in states:
            return {}, note
        try:
            return await self._vectors.leg(query, base_ids, candidates, POOL), note
        except AppError as error:
            return {}, f"{error} Found by keyword only."


def select(found: Sequence[FoundPassage], scores: dict[int, float], count: int) -> list[Passage]:
    """Return the best passages: repetitions dropped, neighbours in one document made one."""
    groups: list[_Group] = []
    seen: list[frozenset[str]] = []
    for passage in found:
        words = frozenset(terms(passage.text))
        if any(_alike(words, other) for other in seen):
            continue
        seen.append(words)
        _place(groups, passage, scores[passage.id], count)
    return [group.passage() for group in groups]


@dataclass
class _Group:
    """Neighbours that are shown as one passage, with the score of the best of them."""

    members: list[FoundPassage]
    score: float

    def takes(self, passage: FoundPassage) -> bool:
        first, last = self.members[0], self.members[-1]
        is_next = passage.ordinal in {first.ordinal - 1, last.ordinal + 1}
        is_same_part = (passage.document, passage.page, passage.section) == (
            first.document,
            first.page,
            first.section,
        )
        length = max(last.end, passage.end) - min(first.start, passage.start)
        return is_next and is_same_part and length <= _MAX_JOINED_CHARS

    def add(self, passage: FoundPassage) -> None:
        self.members = sorted([*self.members, passage], key=lambda member: member.ordinal)

    def passage(self) -> Passage:
        first, last = self.members[0], self.members[-1]
        text = first.text
        for before, after in pairwise(self.members):
            gap = "\n\n" if after.start - before.end > 1 else " "
            text += gap + after.text
        return Passage(
            kind=SourceKind.FILE,
            title=first.name,
            text=text,
            url=Path(first.path).as_uri(),
            document=first.sha256,
            locator=Locator(first.page, first.section, first.start, last.end),
            score=round(self.score, 6),
        )


def _place(groups: list[_Group], passage: FoundPassage, score: float, count: int) -> None:
    for group in groups:
        if group.takes(passage):
            group.add(passage)
            return
    if len(groups) < count:
        groups.append(_Group([passage], score))


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    return len(left & right) >= _LIKENESS * max(1, len(left | right))
