"""Predicts for each sentence how likely it answers a question, and whether any does.

Two models per language, both gradient boosted trees trained by `benchmarks.quotes_training` on open collections of
questions: one weighs the features of a sentence, the other those of the best sentences together. Where the caller can
compare meanings, those of the most likely sentences are compared with the question first.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from desktop.providers.quotes.candidates import Sentence, SourcePart
from desktop.providers.quotes.relevance import MeasuredSentence, measure_sentences, with_meanings
from desktop.resources import resource_text
from desktop.text.decision_trees import DecisionTrees
from desktop.text.language import language_of

Compare = Callable[[str, Sequence[str]], Sequence[float] | None]
"""Returns the similarity of a question with each of some sentences, -1 to 1; None if they cannot be compared."""

COMPARED = 16
"""Number of sentences whose meaning is compared: about 10 ms each."""
_BEST = 3
_MOST = ("meaning", "names", "focus", "near", "pairs", "run", "agreement")
"""Features whose highest value among all sentences says something about whether any of them answers."""
_TREES = "quotes_trees.json"
_MEAN = ("in_source", "covered", "length", "fragment", "matches")
"""Features whose mean tells pages on one subject from others, and snippets from paragraphs."""
CHINESE, OTHER = "zh", "en"


class QuotesTrees(msgspec.Struct, frozen=True):
    """The models of one language, and the least likelihood that a question is answered."""

    sentences: DecisionTrees
    answers: DecisionTrees
    least: float


@dataclass(frozen=True)
class RankedSentences:
    """Sentences with their likelihood of being the answer as scores; `is_answered` if one is likely enough."""

    sentences: tuple[Sentence, ...]
    is_answered: bool


def rank_sentences(
    question: str, parts: Sequence[SourcePart], compare: Compare | None = None
) -> RankedSentences:
    """Return the sentences of `parts` without headings, scored."""
    models = load_trees()[CHINESE if language_of(question) == "zh" else OTHER]
    measured = measure_sentences(question, parts)
    scores = [models.sentences.predict(one.features) for one in measured]
    if compare is not None and measured:
        measured = compare_best(question, measured, scores, compare)
        scores = [models.sentences.predict(one.features) for one in measured]
    answered = models.answers.predict(features_of_best(measured, scores)) if measured else 0.0
    return RankedSentences(
        tuple(replace(one.sentence, score=score) for one, score in zip(measured, scores, strict=True)),
        answered >= models.least,
    )


def compare_best(
    question: str, measured: Sequence[MeasuredSentence], scores: Sequence[float], compare: Compare
) -> list[MeasuredSentence]:
    """Return `measured` with the meaning of the likeliest sentences compared."""
    places = sorted(range(len(measured)), key=lambda place: -scores[place])[:COMPARED]
    cosines = compare(question, [measured[place].sentence.text for place in places])
    if cosines is None:
        return list(measured)
    return with_meanings(measured, dict(zip(places, cosines, strict=True)))


def features_of_best(measured: Sequence[MeasuredSentence], scores: Sequence[float]) -> dict[str, float]:
    """Return the features of the best sentence, and how it and the next ones were scored."""
    order = sorted(range(len(measured)), key=lambda place: -scores[place])
    tops = [scores[place] for place in order[:_BEST]] + [0.0] * _BEST
    best = measured[order[0]]
    others = {
        one.sentence.numbers[0] for one, score in zip(measured, scores, strict=True) if score >= tops[0] / 2
    }
    features = best.features | {
        "score": tops[0],
        "second": tops[1],
        "third": tops[2],
        "total": sum(scores),
        "sources": len(others),
        "sentences": math.log(len(measured)),
    }
    features |= {f"most_{name}": max(one.features[name] for one in measured) for name in _MOST}
    return features | {
        f"mean_{name}": sum(one.features[name] for one in measured) / len(measured) for name in _MEAN
    }


@lru_cache(maxsize=1)
def load_trees() -> dict[str, QuotesTrees]:
    """Return the models by language."""
    return msgspec.json.decode(resource_text(_TREES), type=dict[str, QuotesTrees])
