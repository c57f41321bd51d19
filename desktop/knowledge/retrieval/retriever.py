"""From queries to passages: search, fusion, reranking, removal of duplicates, extension within sections."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import (
    ItemKind,
    LeftOut,
    Retrieval,
    SearchTrial,
    TrialRow,
)
from desktop.domain.sources import Locator, Passage, SourceKind
from desktop.domain.trace import SourceUse
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.passages import FoundPassage, Passages
from desktop.knowledge.reranking import Reranking, rerank
from desktop.knowledge.retrieval.excerpts import (
    FIRST_REACH,
    SECTION_REACH,
    Dropped,
    Excerpt,
    ExcerptSelection,
    Ranked,
    may_reach_further,
    select,
    within_section,
)
from desktop.knowledge.retrieval.fusion import combine_queries
from desktop.knowledge.retrieval.hybrid_search import (
    POOL,
    HybridSearch,
    QueryHits,
    group_by_model,
    passages_scope,
)
from desktop.knowledge.retrieval.relevance import JudgePairs
from desktop.knowledge.vector_service import VectorService
from desktop.phrases import translatable

TRIAL_COUNT = 8
"""Number of passages in a search test if the base does not specify one."""
_MOST_LEFT_OUT = 20
_LEAST_FOR_FLOOR = POOL
"""Scores are scaled within the pool: if it is not full, a low share does not mean that a passage is
irrelevant.
"""
_MOST_ROWS = 50

_BASE_GONE = translatable("A knowledge base in use no longer exists.")
_WEAK = translatable("The reranker found no good match; the best passage is used anyway ({score}).")
_GIVEN = translatable("It would be used.")
_NOTHING_ON_IT = translatable("Your files do not seem to answer this.")
_JOINED = translatable("It would be used together with the passage next to it.")


@dataclass(frozen=True)
class _Findings:
    """The results of all queries, best first, and the selection from them."""

    answers: Sequence[QueryHits]
    fused: Mapping[int, float]
    ranked: tuple[Ranked, ...]
    selection: ExcerptSelection
    notes: tuple[str, ...]
    is_unanswered: bool = False


@dataclass(frozen=True)
class _BaseLimits:
    """The maximum number of excerpts of a base, and the minimum scores with and without a reranker."""

    limit: int
    threshold: float
    floor: float


class HybridRetriever:
    """Searches the index. `judging` can be replaced at any time.

    `judge` reads passages where it is in doubt whether they answer anything.
    """

    def __init__(
        self,
        database: IndexDatabase,
        vectors: VectorService,
        judging: Reranking | None = None,
        judge: JudgePairs | None = None,
    ) -> None:
        self.judging = judging or Reranking()
        self._db = database.connection
        self._bases = Bases(database)
        self._passages = Passages(database)
        self._legs = HybridSearch(database, vectors, judge)

    async def retrieve(self, queries: Sequence[str], scope: Sequence[str], count: int) -> Retrieval:
        """Return at most `count` passages, or the number set in the bases; several queries form one request."""
        found = await self._find(queries, scope, count)
        excerpts = found.selection.excerpts
        dropped = found.selection.dropped[:_MOST_LEFT_OUT]
        return Retrieval(
            tuple(self._within_section(excerpt, excerpts) for excerpt in excerpts),
            found.notes,
            tuple(
                LeftOut(_passage(each.ranked.passage, each.ranked.score), each.reason, each.source_use)
                for each in dropped
            ),
            found.is_unanswered,
        )

    async def try_search(self, base_id: str, query: str) -> SearchTrial:
        """Return the results of a query in a base, with details of each stage; raises UnknownBase."""
        self._bases.find(base_id)
        found = await self._find([query], [base_id], TRIAL_COUNT)
        uses = _source_uses(found.selection)
        keyword = _merge(hits.keyword for answer in found.answers for hits in answer.group_hits)
        vector = _merge(hits.vector for answer in found.answers for hits in answer.group_hits)
        rows = (
            TrialRow(
                _passage(ranked.passage, ranked.score),
                keyword.get(ranked.passage.id),
                vector.get(ranked.passage.id),
                round(found.fused[ranked.passage.id], 6),
                ranked.reranked,
                uses.get(ranked.passage.id, _JOINED),
            )
            for ranked in found.ranked[:_MOST_ROWS]
        )
        notes = (*found.notes, _NOTHING_ON_IT) if found.is_unanswered else found.notes
        return SearchTrial(tuple(rows), notes, found.is_unanswered)

    async def _find(self, queries: Sequence[str], keys: Sequence[str], count: int) -> _Findings:
        scope = passages_scope(self._db, keys)
        groups = group_by_model({base_id: self._bases.model(base_id) for base_id in scope.base_ids}, scope)
        asked = [query for query in dict.fromkeys(query.strip() for query in queries) if query]
        answers = await self._legs.answers(asked, groups)
        fused = combine_queries([answer.scores for answer in answers])
        best = sorted(fused, key=lambda passage: (-fused[passage], passage))[:POOL]
        pool = self._passages.load(best)
        verdicts, note = await rerank(self.judging, _find_best_queries(answers, best), pool)
        limits = {base_id: self._limits_of(base_id, count) for base_id in scope.base_ids}
        ranked = _rank(pool, fused, verdicts, limits)
        notes: list[str] = [_BASE_GONE] if scope.gone else []
        notes += [text for answer in answers for text in answer.notes]
        notes += [note] if note else []
        has_floor = bool(limits) and all(limit.floor > 0 for limit in limits.values())
        if has_floor and not verdicts and await self._are_unanswered(answers):
            dropped = tuple(Dropped(each, SourceUse.IRRELEVANT, _NOTHING_ON_IT) for each in ranked)
            selection = ExcerptSelection((), dropped)
            return _Findings(
                answers, fused, ranked, selection, tuple(dict.fromkeys(notes)), is_unanswered=True
            )
        is_weak = bool(verdicts) and bool(ranked) and all(each.is_too_weak for each in ranked)
        if is_weak:
            ranked = (replace(ranked[0], threshold=0.0), *ranked[1:])
            notes.append(_WEAK.format(score=f"{ranked[0].score:.2f}"))
        most = max((limit.limit for limit in limits.values()), default=count)
        terms = {passage: words for answer in answers for passage, words in answer.terms.items()}
        selection = select(ranked, {passage: terms[passage] for passage in best}, most)
        return _Findings(answers, fused, ranked, selection, tuple(dict.fromkeys(notes)))

    async def _are_unanswered(self, answers: Sequence[QueryHits]) -> bool:
        for answer in answers:
            if not await self._legs.is_unanswered(answer):
                return False
        return bool(answers)

    def _limits_of(self, base_id: str, count: int) -> _BaseLimits:
        options = self._bases.options(base_id)
        threshold = self.judging.threshold if options.threshold is None else options.threshold
        floor = self.judging.floor if options.floor is None else options.floor
        return _BaseLimits(options.passage_count or count, threshold, floor)

    def _within_section(self, excerpt: Excerpt, others: Sequence[Excerpt]) -> Passage:
        """Return an excerpt extended by the text around it under the same heading."""
        best = excerpt.best
        rest = [other for other in others if other is not excerpt]
        for reach in (FIRST_REACH, SECTION_REACH):
            around = self._passages.stretch(best.document, excerpt.first - reach, excerpt.last + reach)
            start, end = within_section(excerpt, around, rest)
            if not may_reach_further(excerpt, around, reach, (start, end)):
                break
        core = (excerpt.start - start, excerpt.end - start)
        text = self._passages.excerpt(best.document, start, end)
        is_all = (start, end) == (excerpt.start, excerpt.end)
        return Passage(
            kind=SourceKind.FILE,
            title=best.name,
            text=text,
            url=_address(best),
            document=best.sha256,
            locator=Locator(best.page, best.section, start, end),
            score=round(excerpt.score, 6),
            core=None if is_all else core,
            read_at=_read_at(best),
        )


def _passage(found: FoundPassage, score: float) -> Passage:
    return Passage(
        kind=SourceKind.FILE,
        title=found.name,
        text=found.text,
        url=_address(found),
        document=found.sha256,
        locator=Locator(found.page, found.section, found.start, found.end),
        score=round(score, 6),
        read_at=_read_at(found),
    )


def _read_at(found: FoundPassage) -> datetime | None:
    """Return when a page was read; a file is as it is now, or its source says that it has changed."""
    if found.kind is not ItemKind.LINK or found.read_at is None:
        return None
    return datetime.fromtimestamp(found.read_at, UTC)


def _address(found: FoundPassage) -> str:
    match found.kind:
        case ItemKind.FILE:
            return path_of(found.path).as_uri()
        case ItemKind.LINK:
            return found.path
        case ItemKind.NOTE:
            return ""


def _find_best_queries(answers: Sequence[QueryHits], passages: Iterable[int]) -> dict[int, str]:
    """Return for each passage the query that it answers best."""
    return {
        passage: max(answers, key=lambda answer: answer.scores.get(passage, 0.0)).query
        for passage in passages
    }


def _rank(
    pool: Sequence[FoundPassage],
    fused: Mapping[int, float],
    verdicts: Mapping[int, float],
    limits: Mapping[str, _BaseLimits],
) -> tuple[Ranked, ...]:
    """Return the pool sorted by reranker scores; without any, in the order in which it was found.

    If there are scores, passages that the reranker was not given are left out.
    """
    most = max(fused.values(), default=0.0)
    has_floor = len(pool) >= _LEAST_FOR_FLOOR
    ranked = []
    for passage in pool:
        if verdicts and passage.id not in verdicts:
            continue
        verdict, limit, score = verdicts.get(passage.id), limits[passage.base_id], fused[passage.id]
        ranked.append(
            Ranked(
                passage,
                score if verdict is None else verdict,
                passage.base_id,
                limit.limit,
                verdict,
                limit.threshold,
                score / most if most > 0 else 1.0,
                limit.floor if has_floor else 0.0,
            )
        )
    return tuple(sorted(ranked, key=lambda each: -each.score))


def _source_uses(selection: ExcerptSelection) -> dict[int, str]:
    """Return the outcome for each passage in words, except for those that were joined to others."""
    given = {excerpt.best.id: _GIVEN for excerpt in selection.excerpts}
    return given | {each.ranked.passage.id: each.reason for each in selection.dropped}


def _merge(scores: Iterable[Mapping[int, float]]) -> dict[int, float]:
    return {passage: score for part in scores for passage, score in part.items()}
