"""From queries to passages: both legs, fused, without repetitions, neighbours joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.domain.knowledge import Retrieval
from desktop.domain.sources import Locator, Passage, SourceKind
from desktop.errors import AppError
from desktop.knowledge.fuse import fuse, vector_weight
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.keywords import best_by_keyword, query_terms, rarity_of
from desktop.knowledge.index.passages import FoundPassage, Passages
from desktop.knowledge.rescore import (
    SUPPORT_WEIGHT,
    SURROUNDINGS_WEIGHT,
    blend,
    support_scores,
    surroundings_scores,
)
from desktop.knowledge.vector_room import VectorRoom
from desktop.phrases import phrase

POOL = 100
_REACH = 2
"""Passages before and after that count as the surroundings of one."""
_LIKENESS = 0.9
"""Passages that share this much of their terms say the same."""
_MAX_JOINED_CHARS = 4_000
_GAP = 2
"""Neighbours may have one passage between them, which comes along."""
_BASE_GONE = phrase("A knowledge base in use no longer exists.")
_BY_KEYWORD = phrase("Found by keyword only.")
_STILL_EMBEDDING = phrase("Some files are still being embedded; they are found by keyword only.")


@dataclass(frozen=True)
class Excerpt:
    """Neighbouring passages made one; `best` is the one that was found first and gives the score."""

    best: FoundPassage
    first: int
    last: int
    start: int
    end: int
    score: float

    def borders(self, passage: FoundPassage) -> bool:
        """Say whether `passage` is within or near by, on the same page under the same heading."""
        here, there = self.best, passage
        if (here.document, here.page, here.section) != (there.document, there.page, there.section):
            return False
        length = max(self.end, passage.end) - min(self.start, passage.start)
        is_near = self.first - _GAP <= passage.ordinal <= self.last + _GAP
        return is_near and length <= _MAX_JOINED_CHARS

    def with_neighbour(self, passage: FoundPassage) -> "Excerpt":
        """Return the excerpt grown by `passage`."""
        return replace(
            self,
            first=min(self.first, passage.ordinal),
            last=max(self.last, passage.ordinal),
            start=min(self.start, passage.start),
            end=max(self.end, passage.end),
        )


class Searcher:
    """Asks both legs of the index."""

    def __init__(self, database: Database, vectors: VectorRoom) -> None:
        self._db = database.connection
        self._bases = Bases(database)
        self._passages = Passages(database)
        self._vectors = vectors

    async def retrieve(self, queries: Sequence[str], base_ids: Sequence[str], count: int) -> Retrieval:
        """Return at most `count` passages; several queries are several ways to ask the same."""
        known = [base.id for base in self._bases.all() if base.id in set(base_ids)]
        notes = [] if len(known) == len(set(base_ids)) else [_BASE_GONE]
        asked = [query for query in dict.fromkeys(query.strip() for query in queries) if query]
        scores: dict[int, float] = {}
        for query in asked:
            keyword = best_by_keyword(self._db, query_terms(query), known, POOL)
            vector, note = await self._vector_leg(query, known, list(keyword))
            notes.extend([note] if note else [])
            for passage, score in self.weigh(query, keyword, vector).items():
                scores[passage] = max(score, scores.get(passage, 0.0))
        best = sorted(scores, key=lambda passage: (-scores[passage], passage))[:POOL]
        excerpts = select(self._passages.found(best), scores, self._passages.terms(best), count)
        return Retrieval(tuple(map(self._passage, excerpts)), tuple(dict.fromkeys(notes)))

    def weigh(
        self, query: str, keyword: Mapping[int, float], vector: Mapping[int, float]
    ) -> dict[int, float]:
        """Return one score in 0…1 for each of the best passages of both legs.

        `keyword` are BM25 scores and `vector` cosines. The words around a passage and its likeness to
        the other passages found have a say too.
        """
        wanted = query_terms(query)
        around = self._passages.neighbourhoods([*keyword, *vector], _REACH)
        terms = self._passages.terms(neighbour for near in around.values() for neighbour in near)
        surroundings = {
            passage: [term for neighbour in near for term in terms[neighbour]]
            for passage, near in around.items()
        }
        context = surroundings_scores(wanted, surroundings, rarity_of(self._db, wanted))
        trust = vector_weight(query)
        fused = fuse(blend(keyword, context, SURROUNDINGS_WEIGHT), vector, trust)
        best = dict(sorted(fused.items(), key=lambda entry: (-entry[1], entry[0]))[:POOL])
        vectors = dict(self._passages.vectors(list(best))) if vector else {}
        support = support_scores(best, terms, vectors, trust if vectors else 0.0)
        return blend(best, support, SUPPORT_WEIGHT)

    def _passage(self, excerpt: Excerpt) -> Passage:
        best = excerpt.best
        is_joined = excerpt.first != excerpt.last
        return Passage(
            kind=SourceKind.FILE,
            title=best.name,
            text=self._passages.excerpt(best.document, excerpt.start, excerpt.end)
            if is_joined
            else best.text,
            url=Path(best.path).as_uri(),
            document=best.sha256,
            locator=Locator(best.page, best.section, excerpt.start, excerpt.end),
            score=round(excerpt.score, 6),
        )

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
            return {}, f"{error} {_BY_KEYWORD}"


def select(
    found: Sequence[FoundPassage], scores: Mapping[int, float], terms: Mapping[int, Sequence[str]], count: int
) -> list[Excerpt]:
    """Return the `count` best stretches: repetitions dropped, neighbours in one document made one.

    `found` are in order of their scores, best first; `terms` are the index terms of each.
    """
    chosen: list[Excerpt] = []
    seen: list[frozenset[str]] = []
    for passage in found:
        words = frozenset(terms[passage.id])
        if any(_alike(words, other) for other in seen):
            continue
        seen.append(words)
        place = next((index for index, excerpt in enumerate(chosen) if excerpt.borders(passage)), None)
        if place is not None:
            chosen[place] = chosen[place].with_neighbour(passage)
        elif len(chosen) < count:
            chosen.append(
                Excerpt(
                    passage, passage.ordinal, passage.ordinal, passage.start, passage.end, scores[passage.id]
                )
            )
    return chosen


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    if min(len(left), len(right)) < _LIKENESS * max(len(left), len(right)):
        return False
    return len(left & right) >= _LIKENESS * max(1, len(left | right))
