"""Detects queries that the files do not answer, with an absolute measure beside the relative scores.

The evidence for a passage is the distance of its cosine from the mean of all passages, plus a share of the idf of
the query's terms in it or around it. If it is below the threshold (floor), nothing answers the query. The floor is
lower where passages are much alike, as in a collection of articles on one subject. Floors are measured with
`benchmarks/relevance.py` for each embedding model and language; other models, other languages and small pools are not
judged, nor are passages in another script than the query, as they share no terms with it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType

import numpy as np

from desktop.knowledge.retrieval.base_means import Background
from desktop.text.language import language_of, script_of

COVERAGE_WEIGHT = 0.1
"""Weight of finding all terms of a query, in units of cosine similarity."""
BEST = 10
"""Number of passages with the best scores to check; the answer is hardly ever in lower ranks."""
LEAST_POOL = 100
"""With fewer passages, it is not clear how alike irrelevant passages are."""
MOST_TERMS = 32
"""A longer query is a pasted text, and most of its words are in no answer."""
Floors = Mapping[str, Sequence[tuple[float, float]]]
_E5_FLOORS: Floors = MappingProxyType({"en": ((0.77, 0.13), (0.834, 0.058)), "zh": ((0.83, 0.09),)})
FLOORS: Mapping[str, Floors] = MappingProxyType(
    {"multilingual-e5-small": _E5_FLOORS, "intfloat/multilingual-e5-small": _E5_FLOORS}
)
"""The minimum evidence by embedding model and language of the query: pairs of how alike the passages of a base are
and of the floor there, between which it is interpolated.
"""
MEASURED = 3_000
"""Number of passages of the collections that the floors were measured with."""
SMALLER = 0.012
"""How much lower the floor is for each e-fold fewer passages: rare words weigh less there, answers cover less."""


@dataclass(frozen=True)
class QueryTerms:
    """The terms of a query in a pool of passages.

    `around` has the passages around each one, including itself, `terms` the terms of all of these; `rarity` is
    the idf of the query's terms.
    """

    around: Mapping[int, Sequence[int]]
    terms: Mapping[int, Sequence[str]]
    rarity: Mapping[str, float]

    def coverage(self, passage: int) -> float:
        """Return the share (0…1) of the terms' total idf that is found in or around a passage."""
        total = sum(self.rarity.values())
        present = set(chain.from_iterable(self.terms[each] for each in self.around[passage]))
        covered = sum(idf for term, idf in self.rarity.items() if term in present)
        return covered / total if total > 0 else 0.0


def evidence_for(
    scores: Mapping[int, float], cosines: Mapping[int, float], terms: QueryTerms, common: float
) -> float:
    """Return the greatest evidence among the passages with the best `scores`; `common` is the mean cosine of all."""
    return max(
        (
            cosines.get(passage, common) - common + COVERAGE_WEIGHT * terms.coverage(passage)
            for passage in _best(scores)
        ),
        default=0.0,
    )


def floor_for(language: str, background: Background) -> float:
    """Return the minimum evidence in bases with this background; 0 where it was not measured."""
    points = FLOORS.get(background.model, {}).get(language, ())
    if not points:
        return 0.0
    likenesses, floors = [likeness for likeness, _ in points], [floor for _, floor in points]
    floor = float(np.interp(background.likeness, likenesses, floors))
    return floor - SMALLER * max(0.0, math.log(MEASURED / max(1, background.passages)))


def is_unanswered(
    query: str,
    scores: Mapping[int, float],
    cosines: Mapping[int, float],
    terms: QueryTerms,
    background: Background | None,
) -> bool:
    """Say whether the passages do not seem to answer a query; False if this cannot be judged."""
    if background is None or len(cosines) < LEAST_POOL or not 0 < len(terms.rarity) <= MOST_TERMS:
        return False
    language = language_of(query)
    floor = floor_for(language, background)
    looked_at = dict.fromkeys(_best(scores) + _best(cosines))
    is_chinese = language == "zh"
    if any(is_chinese != _is_chinese(terms.terms[each]) for each in looked_at if each in terms.terms):
        return False
    return evidence_for(scores, cosines, terms, background.cosine) < floor


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda passage: -scores[passage])[:BEST]


def _is_chinese(words: Sequence[str]) -> bool:
    return script_of(" ".join(words)) == "zh"
