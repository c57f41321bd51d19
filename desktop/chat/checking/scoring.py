"""Scores how well a source supports a claim, with trees that weigh the measures of `alignment`.

The trees were trained on claims judged by people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from desktop.chat.checking.alignment import Alignment, PreparedSource, measure_alignment
from desktop.chat.checking.mentions import find_missing, find_numbers
from desktop.chat.checking.relations import is_swapped
from desktop.domain.citation_check import SupportLevel
from desktop.resources import resource_text
from desktop.text.decision_trees import DecisionTrees
from desktop.text.language import language_of, readable_share
from desktop.text.terms import content_terms

ENOUGH = 0.48
ENOUGH_COPIED = 0.6
"""Minimum score of a supported claim that is copied: a wrong one has nearly all of its words in the source, too."""
COPIED = 0.8
"""Share of a claim in runs of words that the source has, from which it is copied."""
ENOUGH_CHINESE = 0.4
"""Minimum score of a supported claim in Chinese.

Nearly all training claims were English, and Chinese claims paraphrase their sources more often.
"""
_LEAST_COVER = 0.35
_LEAST_COVER_CHINESE = 0.304
"""If three sentences contain less of the words of a claim, the source does not mention it."""
_FOUND_COVER_CHINESE = 0.4
"""A Chinese claim needs at least this part of its words in three sentences to be supported, whatever its score."""
_OPPOSED_COVER = 0.7
"""A sentence can contradict a claim by one word only if it shares at least this part of the other words."""
_READABLE = 0.5
_TELLING_CHARS = 25
_OPPOSED_SCORE = 0.1
"""Maximum score of a claim that the source contradicts."""
_TREES = "check_trees.json"


@dataclass(frozen=True)
class Evidence:
    """Evidence for and against a claim: `score`, 0…1, is the predicted likelihood that it is supported.

    `copied` is the share of it in runs of words that the source has.
    `missing` are its numbers and names that none of the sources cited together mentions; `best` are the
    sentences of the source that contain most of it. `is_confirmed` says that the bundled network raised the score.
    """

    score: float
    cover: float
    copied: float
    is_opposed: bool
    missing: tuple[str, ...]
    best: tuple[str, ...]
    is_confirmed: bool = False


def collect_evidence(claim: str, source: PreparedSource, beside: Sequence[PreparedSource] = ()) -> Evidence:
    """Return the evidence for a claim; numbers and names can also be in `beside`, sources cited with this one."""
    alignment = measure_alignment(claim, source)
    sources = (source, *beside)
    missing = find_missing(
        claim,
        "\n".join(f"{one.title.text}\n{one.text}" for one in sources),
        frozenset[str]().union(*(one.index_terms for one in sources)),
    )
    is_opposed = is_denied(alignment.features) or is_swapped(claim, source)
    score = predict_support(alignment)
    return Evidence(
        score=min(score, _OPPOSED_SCORE) if is_opposed else score,
        cover=max(alignment.features["words_best"], alignment.features["cover_3"]),
        copied=alignment.features["copied"],
        is_opposed=is_opposed,
        missing=missing,
        best=alignment.best,
    )


def predict_support(alignment: Alignment) -> float:
    """Return how likely people would judge a claim with this alignment as supported, 0…1."""
    return _trees().predict(alignment.features)


def judge_support(claim: str, source: PreparedSource, evidence: Evidence) -> SupportLevel:
    """Return the verdict for the evidence. A claim with a missing number or name is never supported."""
    if not content_terms(claim) or not source.text.strip():
        return SupportLevel.UNCOMPARED
    is_latin = readable_share(claim) >= _READABLE
    if evidence.is_opposed and not evidence.missing:
        return SupportLevel.CONTRADICTED
    if are_foreign(claim, source.text):
        has_number = any(find_numbers(written) for written in evidence.missing)
        return SupportLevel.WEAK if has_number else SupportLevel.UNCOMPARED
    is_enough = evidence.score >= (least_score(evidence.copied) if is_latin else ENOUGH_CHINESE)
    has_words = is_latin or evidence.is_confirmed or evidence.cover >= _FOUND_COVER_CHINESE
    if is_enough and not evidence.missing and has_words:
        return SupportLevel.SUPPORTED
    least = _LEAST_COVER if is_latin else _LEAST_COVER_CHINESE
    return SupportLevel.NOT_FOUND if evidence.cover < least else SupportLevel.WEAK


def least_score(copied: float) -> float:
    """Return the minimum score of a supported claim in English of which this share is copied."""
    return ENOUGH_COPIED if copied >= COPIED else ENOUGH


def is_denied(found: Mapping[str, float]) -> bool:
    """Say whether a sentence has nearly all words of the claim, but negates it or has a word of opposite meaning."""
    return found["words_1"] >= _OPPOSED_COVER and bool(found["negation_inside"] or found["opposed_inside"])


@lru_cache(maxsize=1)
def _trees() -> DecisionTrees:
    return msgspec.json.decode(resource_text(_TREES), type=DecisionTrees)


def are_foreign(claim: str, text: str) -> bool:
    """Say whether claim and source are in different languages, so that comparing words is meaningless.

    The language of a few words in the script of the source cannot be determined: “Lloró, Colombia”.
    """
    is_one_script = (readable_share(claim) >= _READABLE) == (readable_share(text) >= _READABLE)
    return language_of(claim) != language_of(text) and (not is_one_script or len(claim) >= _TELLING_CHARS)
