"""Asks both legs of the index for one query and weighs what they bring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from desktop.errors import AppError
from desktop.knowledge.embedding.cards import readable
from desktop.knowledge.fuse import fuse, vector_weight
from desktop.knowledge.index.database import Database
from desktop.knowledge.index.keywords import best_by_keyword, query_terms, rarity_of
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.scope import PassagesScope
from desktop.knowledge.index.vector_rows import VectorRows
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
"""Passages that each leg brings, and how many of both are looked at more closely."""
_REACH = 2
"""Passages before and after that count as the surroundings of one."""
_BY_KEYWORD = phrase("Found by keyword only.")
_STILL_EMBEDDING = phrase("Some files are still being embedded; they are found by keyword only.")


@dataclass(frozen=True)
class Leg:
    """What the bases of one embedding model bring: BM25 scores and cosines.

    `trust` is the share that the cosines have in the score.
    """

    model: str
    keyword: Mapping[int, float]
    vector: Mapping[int, float]
    trust: float


@dataclass(frozen=True)
class Answer:
    """What one query brings. `scores` are 0…1; `notes` say what was asked in vain."""

    query: str
    legs: tuple[Leg, ...]
    scores: Mapping[int, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Bases whose vectors are of one model. `within` are the passages that count where not all do."""

    model: str
    whole: tuple[str, ...]
    parts: tuple[str, ...]
    within: frozenset[int]

    @property
    def base_ids(self) -> tuple[str, ...]:
        """All of its bases."""
        return (*self.whole, *self.parts)


def grouped(models: Mapping[str, str], scope: PassagesScope) -> list[Group]:
    """Return the bases of a scope by their models."""
    groups = []
    for model in dict.fromkeys(models.values()):
        whole = tuple(base_id for base_id in scope.whole if models[base_id] == model)
        parts = tuple(base_id for base_id in scope.parts if models[base_id] == model)
        within = frozenset[int]().union(*(scope.parts[base_id] for base_id in parts))
        groups.append(Group(model, whole, parts, within))
    return groups


class Legs:
    """Both legs."""

    def __init__(self, database: Database, vectors: VectorRoom) -> None:
        self._db = database.connection
        self._passages = Passages(database)
        self._rows = VectorRows(database)
        self._vectors = vectors

    async def answer(self, query: str, groups: Sequence[Group]) -> Answer:
        """Return what a query brings; a leg that fails is noted, the other one answers."""
        legs: list[Leg] = []
        notes: list[str] = []
        for group in groups:
            keyword = self._by_keyword(query, group)
            vector, problems = await self._by_vector(query, group, keyword)
            notes.extend(problems)
            trust = trust_in(self._vectors.languages(group.model), query)
            legs.append(Leg(group.model, keyword, vector, trust))
        return Answer(query, tuple(legs), self.weigh(query, legs), tuple(dict.fromkeys(notes)))

    def weigh(self, query: str, legs: Sequence[Leg]) -> dict[int, float]:
        """Return one score in 0…1 for each of the best passages of all legs.

        The words around a passage and its likeness to the other passages found have a say too.
        """
        wanted = query_terms(query)
        keyword = {passage: score for leg in legs for passage, score in leg.keyword.items()}
        around = self._passages.neighbourhoods(_best(_fused(legs, keyword)), _REACH)
        terms = self._passages.terms(neighbour for near in around.values() for neighbour in near)
        context = surroundings_scores(wanted, around, terms, rarity_of(self._db, wanted))
        words = blend(keyword, context, SURROUNDINGS_WEIGHT)
        fused = _fused(legs, words)
        best = {passage: fused[passage] for passage in around}
        # Vectors of different models cannot be compared.
        trust = legs[0].trust if len(legs) == 1 and legs[0].vector else 0.0
        vectors = dict(self._rows.of(legs[0].model, list(best))) if trust else {}
        support = support_scores(best, terms, vectors, trust if vectors else 0.0)
        return blend(best, support, SUPPORT_WEIGHT)

    def _by_keyword(self, query: str, group: Group) -> dict[int, float]:
        wanted = query_terms(query)
        found = best_by_keyword(self._db, wanted, group.whole, POOL)
        return found | best_by_keyword(self._db, wanted, group.parts, POOL, group.within)

    async def _by_vector(
        self, query: str, group: Group, keyword: Mapping[int, float]
    ) -> tuple[dict[int, float], list[str]]:
        states = self._passages.embedding_states(group.base_ids)
        notes = [_STILL_EMBEDDING] if False in states else []
        if True not in states:
            return {}, notes
        try:
            found = await self._vectors.leg(query, group.whole, [*keyword, *group.within], POOL, group.model)
        except AppError as error:
            return {}, [*notes, f"{error} {_BY_KEYWORD}"]
        cosines = found.cosines
        nearest = sorted(cosines, key=lambda passage: -cosines[passage])[:POOL]
        kept = {*nearest, *keyword} & cosines.keys()
        return {passage: cosines[passage] for passage in kept}, [*notes, *found.notes]


def trust_in(languages: Sequence[str], query: str) -> float:
    """Return the share that cosines of a model of these languages have in the score of what is found for `query`."""
    return vector_weight(readable(languages, query))


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda passage: (-scores[passage], passage))[:POOL]


def _fused(legs: Sequence[Leg], words: Mapping[int, float]) -> dict[int, float]:
    best = max(words.values(), default=0.0)
    fused: dict[int, float] = {}
    for leg in legs:
        own = {passage: words[passage] for passage in {*leg.keyword, *leg.vector} & words.keys()}
        fused |= fuse(own, leg.vector, leg.trust, best)
    return fused
