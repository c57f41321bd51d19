"""Searches passages in scope by keywords and by vectors, and fuses the scores."""

import asyncio
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from desktop.domain.knowledge import BaseInfo, Scope, parse_scope
from desktop.errors import AppError, RerankerFailed
from desktop.knowledge.embedding.model_cards import readable
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.keyword_search import best_by_keyword, holders_of, query_terms, rarity_of
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.vector_rows import VectorRows
from desktop.knowledge.retrieval.base_means import Background, BaseMeans
from desktop.knowledge.retrieval.fusion import (
    SUPPORT_WEIGHT,
    SURROUNDINGS_WEIGHT,
    blend,
    fuse,
    support_scores,
    surroundings_scores,
    vector_weight,
)
from desktop.knowledge.retrieval.parallel_sentences import PARALLEL_SENTENCES
from desktop.knowledge.retrieval.relevance import (
    FLOORS,
    MOST_READ,
    AnswerEvidence,
    JudgePairs,
    QueryTerms,
    weigh_evidence,
)
from desktop.knowledge.retrieval.scripts import MODELS, BaseScripts, LanguageAxes, axes_of
from desktop.knowledge.vector_service import Nearest, VectorService
from desktop.phrases import sentences, translatable
from desktop.text.language import readable_share, script_of

_OF_ITEM = """
    SELECT p.id FROM items i JOIN passages p ON p.document_id = i.document_id WHERE i.base_id = ? AND i.id = ?
"""
_OF_TAG = """
    SELECT DISTINCT p.id FROM items i JOIN item_tags t ON t.item_id = i.id
    JOIN passages p ON p.document_id = i.document_id WHERE i.base_id = ? AND t.tag = ?
"""
POOL = 100
"""Number of passages from each kind of search, and of both together for rescoring."""
_CJK = ("zh", "ja", "ko")
_REACH = 2
"""Number of passages before and after that count as the context of a passage."""
_BY_KEYWORD = translatable("Found by keyword only.")
_NO_VECTORS_YET = translatable("Some files have no vectors yet; they are found by keyword only.")


@dataclass(frozen=True)
class PassagesScope:
    """The passages to search: `whole` are base ids, `parts` the passages of other bases.

    No base is in both. `gone` are keys whose base or item does not exist; a tag that no item has is an empty
    part.
    """

    whole: tuple[str, ...]
    parts: Mapping[str, frozenset[int]]
    gone: tuple[str, ...]

    @property
    def base_ids(self) -> tuple[str, ...]:
        """All bases that are searched completely or in part."""
        return (*self.whole, *self.parts)


def passages_scope(db: sqlite3.Connection, keys: Iterable[str]) -> PassagesScope:
    """Return the scope for `keys` (see `Scope.key`); a whole base includes its parts.

    A key can contain the name of a base instead of its id, as assistants do: a question may be asked before the
    window has loaded the bases.
    """
    rows = db.execute("SELECT id, name FROM bases WHERE deleted_at IS NULL")
    known = [BaseInfo(row["id"], row["name"]) for row in rows]
    whole: dict[str, None] = {}
    parts: dict[str, frozenset[int]] = {}
    gone: list[str] = []
    for key in dict.fromkeys(keys):
        scope = parse_scope(key, known)
        if scope is None or (scope.item_id and not _has_item(db, scope)):
            gone.append(key)
        elif scope.item_id or scope.tag:
            parts[scope.base_id] = parts.get(scope.base_id, frozenset()) | _passages(db, scope)
        else:
            whole[scope.base_id] = None
    narrowed = {base_id: passages for base_id, passages in parts.items() if base_id not in whole}
    return PassagesScope(tuple(whole), narrowed, tuple(gone))


def _has_item(db: sqlite3.Connection, scope: Scope) -> bool:
    found = db.execute("SELECT 1 FROM items WHERE id = ? AND base_id = ?", (scope.item_id, scope.base_id))
    return found.fetchone() is not None


def _passages(db: sqlite3.Connection, scope: Scope) -> frozenset[int]:
    query, value = (_OF_ITEM, scope.item_id) if scope.item_id else (_OF_TAG, scope.tag)
    return frozenset(row["id"] for row in db.execute(query, (scope.base_id, value)))


@dataclass(frozen=True)
class GroupHits:
    """Results from the bases of one embedding model: BM25 scores and cosine similarities.

    `trust` is the weight of the cosines in the score. Where a base has passages in several `scripts`, `vector` are
    similarities without the model's preference for one of them, `cosines` the cosines of those in the query's
    script, and `foreign` the others. `background` is what the passages have in common, if it is of use.
    """

    model: str
    keyword: Mapping[int, float]
    vector: Mapping[int, float]
    trust: float
    scripts: Mapping[int, str] = field(default_factory=dict)
    foreign: frozenset[int] = frozenset()
    cosines: Mapping[int, float] | None = None
    background: Background | None = None


@dataclass(frozen=True)
class QueryHits:
    """Results of one query: `scores` are 0…1; `notes` describe failures.

    `terms` are the index terms of the passages with a score, and of others. `evidence` says whether the passages
    seem to answer the query; None if it cannot be judged.
    """

    query: str
    group_hits: tuple[GroupHits, ...]
    scores: Mapping[int, float]
    terms: Mapping[int, Sequence[str]]
    notes: tuple[str, ...]
    evidence: AnswerEvidence | None = None


@dataclass(frozen=True)
class ModelGroup:
    """Bases with vectors of one model. `within` are the passages to search, if not all."""

    model: str
    whole: tuple[str, ...]
    parts: tuple[str, ...]
    within: frozenset[int]

    @property
    def base_ids(self) -> tuple[str, ...]:
        """All of the group's bases."""
        return (*self.whole, *self.parts)


@dataclass(frozen=True)
class _KeywordHits:
    """The number of passages that contain each term of a query, and the keyword scores of each group."""

    holders: Mapping[str, int]
    by_group: Sequence[Mapping[int, float]]


@dataclass(frozen=True)
class _VectorHits:
    """The nearest passages to each query in a group; empty if the vector search failed.

    If there are passages in several scripts, `axes` are the directions between them, and `foreign` the passages
    near each query in another script.
    """

    nearest: Sequence[Nearest]
    notes: Sequence[str]
    axes: LanguageAxes | None = None
    foreign: Sequence[frozenset[int]] = ()


def group_by_model(models: Mapping[str, str], scope: PassagesScope) -> list[ModelGroup]:
    """Group the bases of a scope by model."""
    groups = []
    for model in dict.fromkeys(models.values()):
        whole = tuple(base_id for base_id in scope.whole if models[base_id] == model)
        parts = tuple(base_id for base_id in scope.parts if models[base_id] == model)
        within = frozenset[int]().union(*(scope.parts[base_id] for base_id in parts))
        groups.append(ModelGroup(model, whole, parts, within))
    return groups


class HybridSearch:
    """Keyword search (BM25) and vector search for the same queries, with fused scores."""

    def __init__(
        self, database: IndexDatabase, vectors: VectorService, judge: JudgePairs | None = None
    ) -> None:
        self._judge = judge
        self._db = database.connection
        self._passages = Passages(database)
        self._rows = VectorRows(database)
        self._vectors = vectors
        self._scripts = BaseScripts(database)
        self._means = BaseMeans(database)
        self._axes: dict[tuple[str, frozenset[str]], LanguageAxes] = {}

    async def answers(self, queries: Sequence[str], groups: Sequence[ModelGroup]) -> list[QueryHits]:
        """Return the results of each query; if one kind of search fails, add a note and use the other."""
        # The models compute in their threads during the keyword search.
        senses, words = await asyncio.gather(
            self._by_meaning(queries, groups), self._by_words(queries, groups)
        )
        answers = []
        for number, query in enumerate(queries):
            group_hits: list[GroupHits] = []
            notes: list[str] = []
            for group, sense, keyword in zip(groups, senses, words[number].by_group, strict=True):
                group_hits.append(self._hits(query, keyword, group, sense, number))
                near_notes = sense.nearest[number].notes if sense.nearest else ()
                notes += [*sense.notes, *near_notes]
            answers.append(self._weigh(query, words[number].holders, group_hits, notes))
        return answers

    async def is_unanswered(self, hits: QueryHits) -> bool:
        """Say whether the passages do not seem to answer a query; in doubt, the best are read until one does.

        If they cannot be read, the evidence decides alone.
        """
        evidence = hits.evidence
        if evidence is None:
            return False
        if self._judge is None or not evidence.is_worth_reading:
            return evidence.is_too_little
        for passage in self._passages.load(_best(hits.scores)[:MOST_READ]):
            try:
                (judgement,) = await self._judge([(hits.query, passage.text)])
            except RerankerFailed:
                return evidence.is_too_little
            if not evidence.is_too_little_with(judgement):
                return False
        return True

    def _weigh(
        self, query: str, holders: Mapping[str, int], group_hits: Sequence[GroupHits], notes: Sequence[str]
    ) -> QueryHits:
        """Return the results with one score in 0…1 for each of the best passages of all groups.

        The score includes the text around a passage and its similarity to the other passages found.
        """
        keyword = {passage: score for hits in group_hits for passage, score in hits.keyword.items()}
        around = self._passages.neighbourhoods(_best(_fuse(group_hits, keyword)), _REACH)
        terms = self._passages.terms(neighbour for near in around.values() for neighbour in near)
        rarity = rarity_of(self._db, holders)
        context = surroundings_scores(around, terms, rarity)
        words = blend(keyword, context, SURROUNDINGS_WEIGHT)
        fused = _fuse(group_hits, words)
        best = {passage: fused[passage] for passage in around}
        # Vectors of different models cannot be compared.
        trust = group_hits[0].trust if len(group_hits) == 1 and group_hits[0].vector else 0.0
        vectors = dict(self._rows.of(group_hits[0].model, list(best))) if trust else {}
        scripts = group_hits[0].scripts if vectors else {}
        support = support_scores(best, terms, vectors, trust if vectors else 0.0, scripts)
        scores = blend(best, support, SUPPORT_WEIGHT)
        hits = (
            group_hits[0] if len(group_hits) == 1 else None
        )  # evidence from different models is not comparable
        found = QueryTerms(around, terms, rarity)
        evidence = None if hits is None else _evidence(query, hits, scores, found)
        return QueryHits(query, tuple(group_hits), scores, terms, tuple(dict.fromkeys(notes)), evidence)

    async def _by_words(self, queries: Sequence[str], groups: Sequence[ModelGroup]) -> list[_KeywordHits]:
        found = []
        for query in queries:
            holders = holders_of(self._db, query_terms(query))
            found.append(_KeywordHits(holders, [self._by_keyword(holders, group) for group in groups]))
        return found

    def _by_keyword(self, holders: Mapping[str, int], group: ModelGroup) -> dict[int, float]:
        found = best_by_keyword(self._db, holders, group.whole, POOL)
        return found | best_by_keyword(self._db, holders, group.parts, POOL, group.within)

    async def _by_meaning(self, queries: Sequence[str], groups: Sequence[ModelGroup]) -> list[_VectorHits]:
        return [await self._nearest(queries, group) for group in groups]

    async def _nearest(self, queries: Sequence[str], group: ModelGroup) -> _VectorHits:
        states = self._passages.embedding_states(group.base_ids)
        notes = [_NO_VECTORS_YET] if False in states else []
        if True not in states:
            return _VectorHits([], notes)
        try:
            nearest = await self._vectors.nearest(queries, group.whole, POOL, group.model)
            axes = await self._axes_of(group)
        except AppError as error:
            return _VectorHits([], [*notes, sentences((str(error), _BY_KEYWORD))])
        if axes is None:
            return _VectorHits(nearest, notes)
        foreign = [
            await self._foreign(axes.directions(near.query, script_of(query)), group)
            for query, near in zip(queries, nearest, strict=True)
        ]
        return _VectorHits(nearest, notes, axes, foreign)

    async def _axes_of(self, group: ModelGroup) -> LanguageAxes | None:
        """Return the directions between the scripts of a group's passages; None if there is one, or no measured model."""
        scripts = self._scripts.of(group.base_ids) if group.model in MODELS else frozenset[str]()
        if len(scripts) <= 1:
            return None
        key = group.model, scripts
        if key not in self._axes:
            embedded = {
                script: await self._vectors.embed(PARALLEL_SENTENCES[script], group.model)
                for script in sorted(scripts)
            }
            self._axes[key] = axes_of(embedded)
        return self._axes[key]

    async def _foreign(self, directions: Sequence[bytes], group: ModelGroup) -> frozenset[int]:
        found = [await self._vectors.nearest_to(each, group.whole, POOL, group.model) for each in directions]
        return frozenset[int]().union(*(near.cosines for near in found))

    def _hits(
        self, query: str, keyword: Mapping[int, float], group: ModelGroup, sense: _VectorHits, number: int
    ) -> GroupHits:
        """Return the results of one query in a group."""
        trust = trust_in(self._vectors.languages(group.model), query)
        if not sense.nearest:
            return GroupHits(group.model, keyword, {}, trust)
        near = sense.nearest[number]
        cosines = self._cosines(near, keyword, group)
        background = (
            self._means.background(query, near.query, group.base_ids, group.model)
            if group.model in FLOORS
            else None
        )
        if sense.axes is None:
            return GroupHits(group.model, keyword, _nearest(cosines, keyword), trust, background=background)
        script = script_of(query)
        vectors = self._rows.of(group.model, list(cosines.keys() | sense.foreign[number]))
        similar = sense.axes.compare(
            near.query, [row for row in vectors if len(row[1]) == len(near.query)], script
        )
        foreign = frozenset(passage for passage, found in similar.scripts.items() if found != script)
        own = {passage: cosine for passage, cosine in cosines.items() if passage not in foreign}
        vector = _nearest(similar.values, keyword)
        return GroupHits(
            group.model, keyword, vector, trust, similar.scripts, foreign, _nearest(own, keyword), background
        )

    def _cosines(self, near: Nearest, keyword: Mapping[int, float], group: ModelGroup) -> dict[int, float]:
        """Return the cosines of the passages near a query, of those found by keyword, and of those in scope."""
        cosines = dict(near.cosines)
        direction = np.frombuffer(near.query, np.float32)
        missing = [passage for passage in (*keyword, *group.within) if passage not in cosines]
        for passage, vector in self._rows.of(group.model, missing):
            if len(vector) == len(near.query):  # a server may have changed the dimension of its vectors
                cosines[passage] = float(np.frombuffer(vector, np.float32) @ direction)
        return cosines


def _nearest(cosines: Mapping[int, float], keyword: Mapping[int, float]) -> dict[int, float]:
    """Return the best cosines, and those of the passages found by keyword."""
    nearest = sorted(cosines, key=lambda passage: -cosines[passage])[:POOL]
    kept = {*nearest, *keyword} & cosines.keys()
    return {passage: cosines[passage] for passage in kept}


def _evidence(
    query: str, hits: GroupHits, scores: Mapping[int, float], found: QueryTerms
) -> AnswerEvidence | None:
    cosines = hits.vector if hits.cosines is None else hits.cosines
    return weigh_evidence(query, scores, cosines, found, hits.background)


def trust_in(languages: Sequence[str], query: str) -> float:
    """Return the weight of the cosines of a model with these languages in the score for `query`."""
    return vector_weight(readable(languages, query), readable_share(query, _CJK))


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda passage: (-scores[passage], passage))[:POOL]


def _fuse(group_hits: Sequence[GroupHits], words: Mapping[int, float]) -> dict[int, float]:
    best = max(words.values(), default=0.0)
    fused: dict[int, float] = {}
    for hits in group_hits:
        own = {passage: words[passage] for passage in {*hits.keyword, *hits.vector} & words.keys()}
        fused |= fuse(own, hits.vector, hits.trust, best, hits.foreign)
    return fused
