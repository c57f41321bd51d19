"""Cuts texts into words in comparable form, and says how certainly a sentence of a source contains a word.

Chinese words are segmented by jieba, and a word counts as found if a sentence contains its characters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop.chat.checking.mentions import word_value
from desktop.text.chinese_words import cut_words
from desktop.text.sentences import split_sentences
from desktop.text.terms import STOP_WORDS, terms

MAX_CHARS = 60_000
"""How many characters of a source are read."""
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(
    rf"[{_HAN}]+|\d+(?:[.,:]\d+)*(?:(?:st|nd|rd|th|s)(?![A-Za-z]))?|[^\W\d_{_HAN}]+(?:['’-][^\W\d_{_HAN}]+)*|\w+"
)
_CLAUSE_END = re.compile(
    r"[,;:()（），；：、—–]|\s-\s|\b(?:and|but|or|which|who|that|while|when|where|after|before|because|although|as|by|with)\b|"
    r"[和与及但而并]"
)
_UNITS = {
    word: unit
    for unit, *words in (
        ("m", "metre", "metres", "meter", "meters", "米"),
        ("km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"),
        ("cm", "centimetre", "centimetres", "centimeter", "centimeters", "厘米"),
        ("mm", "millimetre", "millimetres", "millimeter", "millimeters", "毫米"),
        ("kg", "kilogram", "kilograms", "kilogramme", "公斤", "千克"),
        ("ft", "foot", "feet"),
        ("mi", "mile", "miles"),
        ("h", "hour", "hours"),
    )
    for word in words
}
"""Spellings of the same unit: in a short clause the unit is half of the content."""
_LEAST_PREFIX = 5
_LONGEST_ENDING = 3
_LEAST_SHARED = 0.6
"""Words that share less only begin alike."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text in comparable form: `term` is its stem or its Chinese characters."""

    term: str
    surface: str
    is_content: bool
    is_name: bool
    is_number: bool
    clause: int = 0


@dataclass(frozen=True)
class AlignedSentence:
    """A sentence of a source, prepared for comparison."""

    text: str
    plain: str
    tokens: tuple[Token, ...]
    places: dict[str, list[int]]
    """The positions of each term in `tokens`."""


@dataclass(frozen=True)
class PreparedSource:
    """A source prepared for comparison: its sentences in order, and the sentence frequency of each word."""

    text: str
    sentences: tuple[AlignedSentence, ...]
    title: AlignedSentence
    frequency: Counter[str]
    index_terms: frozenset[str]
    """The index terms of title and text, used to look up names."""

    def text_of_sentences(self) -> tuple[str, ...]:
        """Return the original text of the sentences."""
        return tuple(sentence.text for sentence in self.sentences)


@lru_cache(maxsize=64)
def prepare_source(title: str, text: str) -> PreparedSource:
    """Return a source prepared for comparison."""
    text = text[:MAX_CHARS]
    sentences = tuple(_sentence(text[span.start : span.end]) for span in split_sentences(text))
    frequency = Counter(term for sentence in sentences for term in sentence.places)
    index_terms = frozenset(terms(f"{title}\n{text}"))
    return PreparedSource(text, sentences, _sentence(title), frequency, index_terms)


def _sentence(text: str) -> AlignedSentence:
    tokens = tuple(tokenize(text))
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token.term, []).append(place)
    return AlignedSentence(text, unicodedata.normalize("NFKC", text).lower(), tokens, places)


def tokenize(text: str) -> Iterator[Token]:
    """Yield the words of a text, each with the number of its clause."""
    plain = unicodedata.normalize("NFKC", text)
    ends = [match.start() for match in _CLAUSE_END.finditer(plain)]
    clause = at = 0
    is_first = True
    for match in _WORD.finditer(plain):
        start, end = match.span()
        while at < len(ends) and ends[at] < start:
            clause += 1
            at += 1
        for surface in _cut(match[0]):
            yield make_token(surface, is_first=is_first, clause=clause)
            is_first = False
        while at < len(ends) and start < ends[at] < end and not _is_chinese(match[0]):
            at += 1  # within a word, such as the comma of 3,000


def _is_chinese(run: str) -> bool:
    return "\u3400" <= run[0] <= "\ufaff"


def _cut(run: str) -> Sequence[str]:
    if not _is_chinese(run):
        return (run,)
    return cut_words(run)


def make_token(surface: str, *, is_first: bool = False, clause: int = 0) -> Token:
    """Return a word as a token; the first one of a text is no name because of its capital."""
    lower = surface.lower().replace("’", "'")
    is_number = surface[0].isdigit()
    is_name = surface[0].isupper() and not (is_first and surface[1:].islower()) and lower not in STOP_WORDS
    value = word_value(lower)
    if value is not None:
        term = str(value)
    elif lower in _UNITS:
        term = _UNITS[lower]
    else:
        stems = terms(lower) if surface.isascii() else ()
        term = stems[0] if stems else lower
    return Token(term, lower, lower not in STOP_WORDS, is_name, is_number, clause)


def similarity(token: Token, sentence: AlignedSentence) -> float:
    """Return how certainly a sentence contains a word, 0…1."""
    if token.term in sentence.places:
        return 1.0
    if "\u3400" <= token.term[0] <= "\ufaff":
        return _han_similarity(token.term, sentence.plain)
    if token.is_number:
        return 0.0
    if len(token.term) >= _LEAST_PREFIX:
        return _form_similarity(token.term, sentence)
    return 0.0


def _han_similarity(word: str, plain: str) -> float:
    if word in plain:
        return 1.0
    if len(word) == 1:
        return 0.0
    if len(word) == 2:  # noqa: PLR2004 - 收购 and 购入 share a character and most of their meaning
        return 0.4 if word[0] in plain or word[1] in plain else 0.0
    pairs = [word[at : at + 2] for at in range(len(word) - 1)]
    return sum(pair in plain for pair in pairs) / len(pairs)


def _form_similarity(term: str, sentence: AlignedSentence) -> float:
    """Return the similarity of a word to the one with the longest common prefix: publish, publication."""
    best = 0.0
    for other in sentence.places:
        if len(other) < _LEAST_PREFIX or other[:4] != term[:4]:
            continue
        shared = _count_shared_chars(term, other)
        longer = max(len(term), len(other))
        if shared >= _LEAST_PREFIX or longer - shared <= _LONGEST_ENDING:
            best = max(best, shared / longer)
    return best if best >= _LEAST_SHARED else 0.0


def _count_shared_chars(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def share_of_words(words: Sequence[Token], sentence: AlignedSentence, source: PreparedSource) -> float:
    """Return what share of some words a sentence has together with the title."""
    return sum(max(similarity(word, sentence), similarity(word, source.title)) for word in words) / len(words)
