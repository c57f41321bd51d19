"""Finds the sentences of sources that answer a question, without a model.

Every sentence is scored by how much of the question it covers, itself and through its surroundings
(title, sentences before and after), weighted by how telling each word is among these sentences; then
by whether it holds the kind of thing asked for. What covers too little of the question is no answer.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop.domain.sources import TEXT_JOIN, Source
from desktop.providers.question_cues import Wanted, holds, subject_of, wanted_by
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

_MIN_COVERAGE = 0.44
_MIN_DIRECT = 0.08
_DIRECT_SHARE = 0.3
_KEEP_SHARE = 0.65
_SAME_SHARE = 0.8
_LEAD = 1
_UNKNOWN_SHARE = 0.4
"""What occurs nowhere is often no word at all in Chinese, or a way of asking; a name is the subject itself."""
_NAME = re.compile(r"(?<!^)\b[A-Z0-9][\w.-]*")
_TOPIC = 0.75
_NEAR = ((-1, 0.5), (-2, 0.3), (1, 0.25))
_ELSEWHERE = 0.2

_ENDS_WELL = re.compile(r"[.!。！…;；:：][\"'”’」』)）\]]*$")
_TALKS_ABOUT = re.compile(
    r"\b(?:whether|wonder|questions?|find out|learn (?:more|how|about)|read (?:more|on)|in this (?:article|post|guide))\b"
    r"|本文|小编|了解更多|一起来看|点击查看|相关阅读|详情请",
    re.IGNORECASE,
)
"""Sentences that announce an answer instead of giving it."""
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
    score: float = 0.0


@dataclass(frozen=True)
class _Part:
    """A stretch of one source without gaps; `topic` holds the terms of its title and beginning."""

    topic: frozenset[str]
    sentences: tuple[_Sentence, ...]


@dataclass(frozen=True)
class _Unit:
    """A piece of the question that counts once, whichever of its terms is found."""

    terms: frozenset[str]
    weight: float


@dataclass(frozen=True)
class _Question:
    units: tuple[_Unit, ...]
    terms: frozenset[str]
    wanted: frozenset[Wanted]

    def share(self, found: frozenset[str], *, beside: frozenset[str] = frozenset()) -> float:
        """Return how much of the question `found` covers that `beside` does not, 0 to 1."""
        covered = (
            unit.weight
            for unit in self.units
            if not unit.terms.isdisjoint(found) and unit.terms.isdisjoint(beside)
        )
        return sum(covered) / (sum(unit.weight for unit in self.units) or 1.0)


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
        made = tuple(
            _Sentence(sentence, frozenset(terms(sentence)), number, position, (source.number,))
            for position, sentence in enumerate(kept)
        )
        parts.append(_Part(title.union(*(sentence.terms for sentence in made[:_LEAD])), made))
    return parts


def _understood(question: str, sentences: Sequence[_Sentence]) -> _Question:
    subject = subject_of(question)
    asked = frozenset(content_terms(subject) or terms(question))
    names = frozenset(content_terms(" ".join(_NAME.findall(subject))))
    rarities = {term: _rarity(term, sentences) for term in asked}
    occurring = frozenset[str]().union(*(sentence.terms for sentence in sentences))
    units = []
    for spelling in _pieces(subject, asked):
        weight = max(rarities[term] for term in spelling & occurring or spelling) * _size(spelling)
        if spelling.isdisjoint(occurring | names):
            weight *= _UNKNOWN_SHARE
        units.append(_Unit(spelling, weight))
    return _Question(tuple(units), asked, wanted_by(question))


def _pieces(question: str, asked: frozenset[str]) -> list[frozenset[str]]:
    """Return what the question consists of: words of alphabets, and single characters of Chinese.

    A Chinese character goes by all terms that hold it, as words and the pairs across them overlap.
    """
    text = unicodedata.normalize("NFKC", question).lower()
    holders: list[set[str]] = [set() for _ in text]
    for term in asked:
        if not term.isascii():
            for match in re.finditer(re.escape(term), text):
                for position in range(*match.span()):
                    holders[position].add(term)
    spelled = frozenset().union(*holders) if holders else frozenset[str]()
    return [frozenset({term}) for term in sorted(asked - spelled)] + [
        frozenset(held) for held in holders if held
    ]


def _size(spelling: frozenset[str]) -> float:
    """A word says as much as two characters of Chinese."""
    return 2.0 if all(term.isascii() for term in spelling) else 1.0


def _rarity(term: str, sentences: Sequence[_Sentence]) -> float:
    holders = sum(term in sentence.terms for sentence in sentences)
    return math.log(1 + (len(sentences) - holders + 0.5) / (holders + 0.5))


def _scored(part: _Part, asked: _Question) -> list[_Sentence]:
    everywhere = frozenset[str]().union(*(sentence.terms for sentence in part.sentences))
    return [_with_score(sentence, part, asked, everywhere) for sentence in part.sentences]


def _with_score(sentence: _Sentence, part: _Part, asked: _Question, everywhere: frozenset[str]) -> _Sentence:
    direct = asked.share(sentence.terms)
    around = [(part.topic, _TOPIC)]
    around += [
        (part.sentences[sentence.position + step].terms, worth)
        for step, worth in _NEAR
        if 0 <= sentence.position + step < len(part.sentences)
    ]
    around.append((everywhere, _ELSEWHERE))
    coverage, seen = direct, sentence.terms
    for found, worth in sorted(around, key=lambda item: -item[1]):
        coverage += worth * asked.share(found, beside=seen)
        seen |= found
    if direct < _MIN_DIRECT or coverage < _MIN_COVERAGE:
        return sentence
    mixed = _DIRECT_SHARE * direct + (1 - _DIRECT_SHARE) * coverage
    return replace(sentence, score=mixed * _fitness(sentence, asked))


def _fitness(sentence: _Sentence, asked: _Question) -> float:
    """Return how well a sentence is made for an answer, around 1."""
    fitness = 1 + 0.08 / (1 + sentence.position)
    if asked.wanted:
        has = any(holds(wanted, sentence.text, asked.terms) for wanted in asked.wanted)
        fitness *= 1.25 if has else 0.75
    if _ASKS.search(sentence.text):
        fitness *= 0.4
    elif not _ENDS_WELL.search(sentence.text):
        fitness *= 0.75
    if _TALKS_ABOUT.search(sentence.text):
        fitness *= 0.6
    if len(sentence.terms - asked.terms) < _MIN_NEWS:
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
