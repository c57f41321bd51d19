"""Detects queries that the files do not answer, with an absolute measure beside the relative scores.

The evidence for a passage is the distance of its cosine from the mean of all passages, plus a share of the idf of
the query's terms in it or around it. If it is below the threshold (floor), nothing answers the query. The floor is
lower where passages are much alike, as in a collection of articles on one subject. Where a language has a floor for
it, the network for pairs reads the best passages if there is little evidence, and its judgement is added.

Floors are measured with `benchmarks/relevance.py` for each embedding model and language; other models, other languages
and small pools are not judged, nor are passages in another script than the query, as they share no terms with it.
Of keywords in English less evidence is asked than of a question. Statements are not judged: claims on one subject are as near to passages that do not answer them.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType

import numpy as np

from desktop.knowledge.bundled_models import PairJudgement
from desktop.knowledge.retrieval.base_means import Background
from desktop.text.language import language_of, script_of
from desktop.text.likelihoods import logit
from desktop.text.terms import STOP_WORDS

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
FLOORS_WHEN_READ: Mapping[str, float] = MappingProxyType({"zh": 0.07})
"""The minimum evidence with the network's judgement, by language of the query; models as in `FLOORS`."""
MOST_READ = 3
"""The network reads at most so many of the passages with the best scores."""
_LOGIT_WEIGHT = 0.012
"""Weight of the network's logit, in units of cosine similarity."""
_SMALLEST = 0.0067
"""Smallest likelihood that counts, so that logits are within -5…5."""
_STATEMENT_ENDS = (".", "。")
MEASURED = 3_000
"""Number of passages of the collections that the floors were measured with."""
SMALLER = 0.012
"""How much lower the floor is for each e-fold fewer passages: rare words weigh less there, answers cover less."""
KEYWORDS_LOWER = 0.014
"""How much lower the floor is for English keywords: at that of questions twice as many were called unanswered wrongly."""


JudgePairs = Callable[[Sequence[tuple[str, str]]], Awaitable[Sequence[PairJudgement]]]
"""Judges (question, passage) pairs; raises RerankerFailed if it cannot."""


@dataclass(frozen=True)
class AnswerEvidence:
    """The evidence that passages answer a query, and its minimum; `floor_when_read` is that with a judgement, if any."""

    amount: float
    floor: float
    floor_when_read: float | None = None

    @property
    def is_too_little(self) -> bool:
        """Whether the passages do not seem to answer the query, without a judgement."""
        return self.amount < self.floor

    @property
    def is_worth_reading(self) -> bool:
        """Whether a judgement could be that the passages do not answer the query."""
        least = _LOGIT_WEIGHT * logit(0.0, _SMALLEST)
        return self.floor_when_read is not None and self.amount + least < self.floor_when_read

    def is_too_little_with(self, judgement: PairJudgement) -> bool:
        """Say the same of a passage with its judgement."""
        likely = (logit(judgement.answers, _SMALLEST) + logit(judgement.holds_answer, _SMALLEST)) / 2
        return (
            self.floor_when_read is not None and self.amount + _LOGIT_WEIGHT * likely < self.floor_when_read
        )


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
    return float(np.interp(background.likeness, likenesses, floors)) - _reduction_for(background)


def _reduction_for(background: Background) -> float:
    return SMALLER * max(0.0, math.log(MEASURED / max(1, background.passages)))


def weigh_evidence(
    query: str,
    scores: Mapping[int, float],
    cosines: Mapping[int, float],
    terms: QueryTerms,
    background: Background | None,
) -> AnswerEvidence | None:
    """Return the evidence that the passages answer a query; None if this cannot be judged."""
    if background is None or len(cosines) < LEAST_POOL or not 0 < len(terms.rarity) <= MOST_TERMS:
        return None
    language = language_of(query)
    floor = floor_for(language, background)
    if floor <= 0 or query.rstrip().endswith(_STATEMENT_ENDS):
        return None
    if language == "en" and _are_keywords(query):
        floor -= KEYWORDS_LOWER
    looked_at = dict.fromkeys(_best(scores) + _best(cosines))
    is_chinese = language == "zh"
    if any(is_chinese != _is_chinese(terms.terms[each]) for each in looked_at if each in terms.terms):
        return None
    amount = evidence_for(scores, cosines, terms, background.cosine)
    when_read = FLOORS_WHEN_READ.get(language)
    return AnswerEvidence(
        amount, floor, None if when_read is None else when_read - _reduction_for(background)
    )


def _are_keywords(query: str) -> bool:
    return STOP_WORDS.isdisjoint(query.lower().split())


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda passage: -scores[passage])[:BEST]


def _is_chinese(words: Sequence[str]) -> bool:
    return script_of(" ".join(words)) == "zh"
