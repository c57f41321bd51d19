"""Predicts for each sentence how likely it answers a question, and whether any does.

Two models per language, both gradient boosted trees trained by `benchmarks.quotes_training` on open collections of
questions: one weighs the features of a sentence, the other those of the best sentences together. Where the caller can
compare meanings, those of the most likely sentences are compared with the question first. Where it can have texts
judged by the bundled network, its likelihoods are added: that a sentence holds the answer, and that the text around it answers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import msgspec

from desktop.providers.quotes.candidates import KEEP_ANSWER_SHARE, Sentence, SourcePart
from desktop.providers.quotes.relevance import MeasuredSentence, measure_sentences, with_meanings
from desktop.resources import resource_text
from desktop.text.language import language_of
from desktop.text.likelihoods import DecisionTrees, logistic, logit

Compare = Callable[[str, Sequence[str]], Sequence[float] | None]
"""Returns the similarity of a question with each of some sentences, -1 to 1; None if they cannot be compared."""

Judge = Callable[[str, Sequence[str], bool], Sequence[float] | None]
"""Returns how likely each of some texts answers a question, 0 to 1; None if they cannot be judged.

The last argument says whether the texts are single sentences.
"""

JUDGED = 12
"""Number of sentences, the likeliest by the other features, that the network judges: about 8 ms each."""
JUDGED_SOURCES = 6
"""Number of sources of which it judges the text around the likeliest sentence: about 25 ms each."""
_SHARE = 0.5
"""Weight of the logit of each of its two likelihoods beside that of the trees."""
_UNREAD = -3.0
"""The logit of what it did not judge."""
_logit = partial(logit, smallest=1e-5)
"""The logit of a likelihood, at most some 11."""
CHINESE, OTHER = "zh", "en"
_BEST_SHARE, _TOGETHER_SHARE, _SENTENCES_SHARE, _SOURCES_SHARE = 0.5, 0.4, 1.5, 1.25
_LEAST_ODDS = {CHINESE: -4.4, OTHER: -7.5}
"""The weights of what the network says of all texts (`JudgedScores.odds`) beside the logit of the trees, and the least sum at
which a question counts as answered; chosen so that at most .04 of RealTimeQA and RGB are wrongly left unanswered, see docs/models.md.
"""
_LITTLE = 1e-4
_USUAL_SOURCES = 5
"""The sources that weights and limits were chosen with; with fewer the sums over all of them would be lower for any question.

Those that are absent count as sources, and as so many sentences, that do not answer.
"""
_UNANSWERING_SENTENCE, _UNANSWERING_SOURCE = 0.055, 0.08
"""The likelihoods that the network commonly gives to what does not answer."""
_KEPT_SHARE = 0.02
"""Share of the best score that is enough for a line where the network judged: its scores lie further apart."""
_AROUND_CHARS = 700
_AROUND_CHINESE_CHARS = 280
COMPARED = 16
"""Number of sentences whose meaning is compared: about 10 ms each."""
_BEST = 3
_MOST = ("meaning", "names", "focus", "near", "pairs", "run", "agreement")
"""Features whose highest value among all sentences says something about whether any of them answers."""
_TREES = "quotes_trees.json"
_MEAN = ("in_source", "covered", "length", "fragment", "matches")
"""Features whose mean tells pages on one subject from others, and snippets from paragraphs."""


class QuotesTrees(msgspec.Struct, frozen=True):
    """The models of one language, and the least likelihood that a question is answered."""

    sentences: DecisionTrees
    answers: DecisionTrees
    least: float


@dataclass(frozen=True)
class RankedSentences:
    """Sentences with their likelihood of being the answer as scores; `is_answered` if one is likely enough.

    `kept_share` is the share of the best score that a further line needs.
    """

    sentences: tuple[Sentence, ...]
    is_answered: bool
    kept_share: float = KEEP_ANSWER_SHARE


def rank_sentences(
    question: str,
    parts: Sequence[SourcePart],
    compare: Compare | None = None,
    judge: Judge | None = None,
) -> RankedSentences:
    """Return the sentences of `parts` without headings, scored."""
    models = load_trees()[_language_of(question)]
    measured = measure_sentences(question, parts)
    scores = [models.sentences.predict(one.features) for one in measured]
    if compare is not None and measured:
        measured = compare_best(question, measured, scores, compare)
        scores = [models.sentences.predict(one.features) for one in measured]
    answered = models.answers.predict(features_of_best(measured, scores)) if measured else 0.0
    judged = judge_best(question, measured, scores, judge) if judge is not None and measured else None
    if judged is None:
        return RankedSentences(_score(measured, scores), answered >= models.least)
    return rank_judged(measured, judged, answered)


def _language_of(question: str) -> str:
    return CHINESE if language_of(question) == "zh" else OTHER


def rank_judged(
    measured: Sequence[MeasuredSentence], judged: "JudgedScores", answered: float
) -> RankedSentences:
    """Return sentences that the network has judged; `answered` is what the trees say of the question."""
    is_answered = odds_of_answer(judged, answered) >= judged.least
    return RankedSentences(_score(measured, judged.scores), is_answered, _KEPT_SHARE)


def odds_of_answer(judged: "JudgedScores", answered: float) -> float:
    """Return how likely a question is answered; only to be compared with `judged.least`."""
    return _logit(answered) + judged.odds


def _score(measured: Sequence[MeasuredSentence], scores: Sequence[float]) -> tuple[Sentence, ...]:
    return tuple(replace(one.sentence, score=score) for one, score in zip(measured, scores, strict=True))


def compare_best(
    question: str, measured: Sequence[MeasuredSentence], scores: Sequence[float], compare: Compare
) -> list[MeasuredSentence]:
    """Return `measured` with the meaning of the likeliest sentences compared."""
    places = sorted(range(len(measured)), key=lambda place: -scores[place])[:COMPARED]
    cosines = compare(question, [measured[place].sentence.text for place in places])
    if cosines is None:
        return list(measured)
    return with_meanings(measured, dict(zip(places, cosines, strict=True)))


@dataclass(frozen=True)
class JudgedScores:
    """Scores with the network's judgement; `odds` say how likely it thinks that any sentence answers.

    They weigh the best score, the sentence and its own source that are likeliest together, and all sentences
    and all sources. `least` is the least of these odds, with those of the trees, at which the question counts as answered.
    """

    scores: list[float]
    odds: float
    least: float


def judge_best(
    question: str, measured: Sequence[MeasuredSentence], scores: Sequence[float], judge: Judge
) -> JudgedScores | None:
    """Have the likeliest sentences judged and the text around them; None if they cannot be."""
    places = sorted(range(len(measured)), key=lambda place: -scores[place])[:JUDGED]
    first: dict[int, int] = {}
    for place in places:
        first.setdefault(measured[place].sentence.numbers[0], place)
    best = dict(list(first.items())[:JUDGED_SOURCES])
    holds = judge(question, [measured[place].sentence.text for place in places], True)
    if holds is None:
        return None
    answers = judge(question, [text_around(measured, place) for place in best.values()], False)
    if answers is None:
        return None
    of_source = dict(zip(best, answers, strict=True))
    found = [logistic(_logit(score) + 2 * _SHARE * _UNREAD) for score in scores]
    together = 2 * _logit(0.0)
    for place, likelihood in zip(places, holds, strict=True):
        source = of_source.get(measured[place].sentence.numbers[0])
        read = _logit(likelihood) + (_UNREAD if source is None else _logit(source))
        found[place] = logistic(_logit(scores[place]) + _SHARE * read)
        together = max(together, read)
    absent = max(0, _USUAL_SOURCES - len({one.sentence.numbers[0] for one in measured}))
    absent_sentences = min(JUDGED - len(places), absent * JUDGED / _USUAL_SOURCES)
    odds = (
        _BEST_SHARE * _logit(max(found))
        + _TOGETHER_SHARE * together
        + _SENTENCES_SHARE * math.log(sum(holds) + absent_sentences * _UNANSWERING_SENTENCE + _LITTLE)
        + _SOURCES_SHARE * math.log(sum(answers) + absent * _UNANSWERING_SOURCE + _LITTLE)
    )
    return JudgedScores(found, odds, _LEAST_ODDS[_language_of(question)])


def text_around(measured: Sequence[MeasuredSentence], place: int) -> str:
    """Return a sentence with those before and after it in its part of the source, as long as a passage."""
    own = measured[place].sentence
    most = _AROUND_CHARS if own.text.isascii() or language_of(own.text) != "zh" else _AROUND_CHINESE_CHARS
    start, end, chars = place, place + 1, len(own.text)
    while True:
        near = [
            at
            for at in (end, start - 1)
            if 0 <= at < len(measured)
            and _is_beside(measured[at].sentence, own)
            and chars + len(measured[at].sentence.text) <= most
        ]
        if not near:
            break
        chars += len(measured[near[0]].sentence.text)
        start, end = min(start, near[0]), max(end, near[0] + 1)
    gap = "" if most == _AROUND_CHINESE_CHARS else " "
    return gap.join(one.sentence.text for one in measured[start:end])


def _is_beside(one: Sentence, other: Sentence) -> bool:
    return (one.numbers, one.part) == (other.numbers, other.part)


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
