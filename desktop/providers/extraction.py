"""Finds the sentences of sources that answer a question, without a model.

Every sentence is scored by how much of the question it covers, itself and through its surroundings
(title, sentences before and after), weighted by how telling each word is among these sentences; then
by whether it holds the kind of thing asked for. What covers too little of the question is no answer.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from desktop.domain.sources import TEXT_JOIN, Source
from desktop.providers.question_cues import Wanted, holds, wanted_by
from desktop.text.sentences import split_sentences
from desktop.text.terms import content_terms, terms

MAX_QUOTES = 6
MAX_CHARS = 1_200
"""About what a person reads before wanting the page itself."""

_MIN_CHARS = 6
_MAX_SENTENCE_CHARS = 500
_LONG_CHARS = 220
_MIN_NEWS = 2
"""A sentence that brings fewer words of its own only repeats the question."""

_MIN_COVERAGE = 0.42
_MIN_DIRECT = 0.2
_KEEP_SHARE = 0.62
_SAME_SHARE = 0.8
_NEAR = ((-1, 0.5), (-2, 0.3), (1, 0.25))
_TITLE = 0.6
_ELSEWHERE = 0.2
_UNKNOWN_PAIR = 0.3
"""A pair of Chinese characters that occurs nowhere is more often a cut across two words than a word."""

_ENDS_WELL = re.compile(r"[.!。！…;；:：][\"'”’」』)）\]]*$")
_ASKS = re.compile(r"[?？][\"'”’」』)）]*$")


@dataclass(frozen=True)
class Quote:
    """A sentence as the source has it, white space apart; `numbers` of all sources that say it."""

    text: str
    numbers: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class _Sentence:
    text: str
    terms: frozenset[str]
    part: int
    position: int
    numbers: tuple[int, ...]
    coverage: float = 0.0
    score: float = 0.0


@dataclass(frozen=True)
class _Part:
    """A stretch of one source without gaps."""

    title: frozenset[str]
    sentences: tuple[_Sentence, ...]


@dataclass(frozen=True)
class _Question:
    weights: Mapping[str, float]
    wanted: frozenset[Wanted]

    @property
    def total(self) -> float:
        return sum(self.weights.values()) or 1.0

    def share(self, found: frozenset[str]) -> float:
        """Return how much of the question `found` covers, 0 to 1."""
        return sum(self.weights[term] for term in found if term in self.weights) / self.total


def best_sentences(question: str, sources: Sequence[Source]) -> tuple[Quote, ...]:
    """Return at most `MAX_QUOTES` sentences that answer `question`, in an order fit for reading.

    Sources follow each other by their best sentence, sentences of one source by their place in it.
    Empty when no sentence covers enough of the question.
    """
    parts = [part for source in sources for part in _parts(source)]
    asked = _understood(question, [sentence for part in parts for sentence in part.sentences])
    scored = [sentence for part in parts for sentence in _scored(part, asked)]
    answers = [sentence for sentence in scored if sentence.score > 0]
    return tuple(_in_order(_chosen(answers)))


def _parts(source: Source) -> list[_Part]:
    title = frozenset(terms(f"{source.title} {source.locator.section}"))
    parts = []
    for number, text in enumerate(source.text.split(TEXT_JOIN.strip())):
        spans = split_sentences(text)
        sentences = [" ".join(text[span.start : span.end].split()) for span in spans]
        kept = [sentence for sentence in sentences if _MIN_CHARS <= len(sentence) <= _MAX_SENTENCE_CHARS]
        made = (
            _Sentence(sentence, frozenset(terms(sentence)), number, position, (source.number,))
            for position, sentence in enumerate(kept)
        )
        parts.append(_Part(title, tuple(made)))
    return parts


def _understood(question: str, sentences: Sequence[_Sentence]) -> _Question:
    asked = dict.fromkeys(content_terms(question) or terms(question))
    weights = {term: _weight(term, sentences) for term in asked}
    return _Question(weights, wanted_by(question))


def _weight(term: str, sentences: Sequence[_Sentence]) -> float:
    holders = sum(term in sentence.terms for sentence in sentences)
    weight = math.log(1 + (len(sentences) - holders + 0.5) / (holders + 0.5))
    is_pair = len(term) == 2 and not term.isascii()  # noqa: PLR2004 - the length of a pair
    return weight * _UNKNOWN_PAIR if is_pair and not holders else weight


def _scored(part: _Part, asked: _Question) -> list[_Sentence]:
    everywhere = (
        frozenset().union(*(sentence.terms for sentence in part.sentences)) if part.sentences else frozenset()
    )
    return [_with_score(sentence, part, asked, everywhere) for sentence in part.sentences]


def _with_score(sentence: _Sentence, part: _Part, asked: _Question, everywhere: frozenset[str]) -> _Sentence:
    direct = asked.share(sentence.terms)
    coverage = direct
    seen = sentence.terms
    near = [(part.title, _TITLE)]
    near += [
        (part.sentences[sentence.position + step].terms, worth)
        for step, worth in _NEAR
        if 0 <= sentence.position + step < len(part.sentences)
    ]
    near.append((everywhere, _ELSEWHERE))
    for around, worth in sorted(near, key=lambda item: -item[1]):
        coverage += worth * asked.share(around - seen)
        seen |= around
    if direct < _MIN_DIRECT or coverage < _MIN_COVERAGE:
        return sentence
    score = (direct + coverage) / 2 * _fitness(sentence, asked)
    return replace(sentence, coverage=coverage, score=score)


def _fitness(sentence: _Sentence, asked: _Question) -> float:
    """Return how well a sentence is made for an answer, around 1."""
    fitness = 1 + 0.08 / (1 + sentence.position)
    if asked.wanted:
        known = asked.weights.keys()
        has = any(holds(wanted, sentence.text, known) for wanted in asked.wanted)
        fitness *= 1.25 if has else 0.75
    if _ASKS.search(sentence.text):
        fitness *= 0.4
    elif not _ENDS_WELL.search(sentence.text):
        fitness *= 0.75
    if len(sentence.terms - asked.weights.keys()) < _MIN_NEWS:
        fitness *= 0.3
    if len(sentence.text) > _LONG_CHARS:
        fitness *= (_LONG_CHARS / len(sentence.text)) ** 0.3
    return fitness


def _chosen(answers: Sequence[_Sentence]) -> list[_Sentence]:
    """Take the best ones; one that was said already only adds its number."""
    chosen: list[_Sentence] = []
    room = MAX_CHARS
    for sentence in sorted(answers, key=lambda item: -item.score):
        if sentence.score < _KEEP_SHARE * (chosen[0].score if chosen else 0):
            break
        twin = next((index for index, other in enumerate(chosen) if _says_the_same(sentence, other)), None)
        if twin is not None:
            numbers = dict.fromkeys((*chosen[twin].numbers, *sentence.numbers))
            chosen[twin] = replace(chosen[twin], numbers=tuple(sorted(numbers)))
        elif len(chosen) < MAX_QUOTES and (not chosen or len(sentence.text) <= room):
            chosen.append(sentence)
            room -= len(sentence.text)
    return chosen


def _says_the_same(one: _Sentence, other: _Sentence) -> bool:
    common = len(one.terms & other.terms)
    return common >= _SAME_SHARE * max(1, min(len(one.terms), len(other.terms)))


def _in_order(chosen: Sequence[_Sentence]) -> list[Quote]:
    best: dict[int, float] = {}
    for sentence in chosen:
        first = sentence.numbers[0]
        best[first] = max(best.get(first, 0.0), sentence.score)
    ordered = sorted(
        chosen, key=lambda item: (-best[item.numbers[0]], item.numbers[0], item.part, item.position)
    )
    return [Quote(sentence.text, sentence.numbers, sentence.score) for sentence in ordered]
