"""Finds where sources of an answer disagree: numbers, dates, names and negations that differ about the same thing.

No model is asked. Sentences of different sources are aligned by the words they share, rare words and those of the
question first; then what they state is compared by type. A value differs only if the other source states it nowhere,
so that identical sources never disagree and a source with more detail contradicts nothing.
"""

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from desktop.chat.checking.alignment import GENERIC
from desktop.chat.checking.mentions import find_names
from desktop.chat.checking.negations import NEGATION, NO_NEGATION
from desktop.chat.checking.quantities import (
    PartialDate,
    Quantity,
    agree_amounts,
    agree_dates,
    find_amounts,
    find_dates,
    share_parts,
)
from desktop.chat.checking.words import tokenize
from desktop.domain.citation_check import Disagreement, DisagreementKind
from desktop.text.sentences import split_sentences

_MAX_CHARS = 20_000
"""How many characters of a source are read."""
_LEAST_SHARED = 3
"""Sentences that share fewer content words do not say the same."""
_CONTEXT = 5
"""How many words on either side of a value say what it is of."""
_MOST_ALIGNED = 200
"""How many pairs of sentences of two sources are compared, the most alike first: timetables repeat one sentence."""
_MOST_IN_SENTENCE = 2
"""Sentences that differ in more values are about different things."""
_MOST_DIFFERENCES = 500
_FEWEST_DIFFERENCES = 10
"""About how many are joined, in equal parts of each two sources, and how many of two at least.

Those of the most alike sentences come first: timetables must not hide in what other sources differ.
"""
_QUESTION_WEIGHT = 1.5
_GENERIC_WEIGHT = 0.5


@dataclass(frozen=True)
class _Bounds:
    """How alike two sentences must be, and the words around two values: shares of their weight, 0…1."""

    sentence: float
    context: float


_BOUNDS = {
    DisagreementKind.NUMBER: _Bounds(0.6, 0.5),
    DisagreementKind.DATE: _Bounds(0.6, 0.4),
    DisagreementKind.NAME: _Bounds(0.65, 0.5),
    DisagreementKind.NEGATION: _Bounds(0.75, 0.7),
}
_ASKED = _Bounds(0.35, 0.35)
"""Where the question asks for values of this kind, and both sentences have most of its words."""
_ASKED_COVER = 0.6
_RELEVANT = 0.2
_ASKS = {
    DisagreementKind.DATE: re.compile(
        r"\b(?:when|what (?:year|date|day)|which (?:year|date|day))\b|何时|哪[一]?[年天日]|什么时候|几[月年号]",
        re.IGNORECASE,
    ),
    DisagreementKind.NUMBER: re.compile(
        r"\bhow (?:many|much|long|tall|high|old|far|large|big|deep|fast)\b|多[少大高长远久深重]|几[^乎]",
        re.IGNORECASE,
    ),
    DisagreementKind.NAME: re.compile(
        r"\b(?:who|whom|whose|where)\b|谁|哪[里儿个位]|何[人处地]", re.IGNORECASE
    ),
}


_NOT_NAMES = frozenset({
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april",
    "may", "june", "july", "august", "september", "october", "november", "december", "mr", "mrs", "ms", "dr",
})  # fmt: skip
_FIRST_WORD = re.compile(r"^\W*([A-Z][\w'’-]+)")
_GAP = "…"
_NEGATED = "¬"
_LEAST_STEM = 5
_INFLECTION = 2
"""How many letters at the end of a name can differ: Indian, India."""
_SAME_SUBJECT = 0.35
_PARALLEL = 0.8
"""Sentences that are so alike are about the same even if their names differ."""
_NEAR_NEGATION = 3
"""How many words on either side of a negation say what is denied."""


@dataclass(frozen=True)
class _Name:
    written: str
    start: int
    end: int
    terms: frozenset[str]


_Mention = Quantity | PartialDate | _Name
_SORTS = {DisagreementKind.DATE: PartialDate, DisagreementKind.NUMBER: Quantity, DisagreementKind.NAME: _Name}


@dataclass(frozen=True)
class _Sentence:
    """A sentence and what it states; `line` has its content words and, in their places, the numbers of its mentions."""

    text: str
    source: int
    mentions: tuple[_Mention, ...]
    line: tuple[str | int, ...]
    terms: frozenset[str]

    def __hash__(self) -> int:
        return hash((self.source, self.text))

    @cached_property
    def contexts(self) -> tuple[frozenset[str], ...]:
        """Return the words near each mention."""
        return tuple(self._around(self.line.index(number), _CONTEXT) for number in range(len(self.mentions)))

    @cached_property
    def negations(self) -> tuple[tuple[int, frozenset[str]], ...]:
        """Return the place of each negation in the line, and the words near it."""
        return tuple(
            (place, self._around(place, _NEAR_NEGATION))
            for place, item in enumerate(self.line)
            if item == _NEGATED
        )

    def _around(self, place: int, reach: int) -> frozenset[str]:
        """Return the words near a place of the line, those of names among them."""
        near = (*self.line[max(0, place - reach) : place], *self.line[place + 1 : place + 1 + reach])
        return frozenset(term for item in near for term in self.words(item))

    def words(self, item: str | int) -> frozenset[str]:
        if isinstance(item, str):
            return frozenset() if item == _NEGATED else frozenset({item})
        mention = self.mentions[item]
        return mention.terms if isinstance(mention, _Name) else frozenset()


@dataclass(frozen=True)
class _Source:
    """A source; `place` tells it from the others."""

    place: int
    sentences: tuple[_Sentence, ...]
    mentions: tuple[_Mention, ...]
    text: str
    title_terms: frozenset[str]
    terms: frozenset[str]


@dataclass(frozen=True)
class _Stated:
    """A value in its place; the value of a negation is the sentence."""

    kind: DisagreementKind
    sentence: _Sentence
    mention: _Mention | None
    near: frozenset[str] = frozenset()
    """The words of what is denied or said."""

    @property
    def is_denied(self) -> bool:
        """Say whether the sentence has a negation among most of the words of what is denied."""
        return any(2 * len(self.near & denied) >= len(self.near) for _, denied in self.sentence.negations)

    @property
    def source(self) -> int:
        return self.sentence.source

    @property
    def written(self) -> str:
        return self.mention.written if self.mention else self.sentence.text

    def agrees(self, other: "_Stated") -> bool:
        if self.mention is None or other.mention is None:
            return self.is_denied == other.is_denied
        return _agree(self.mention, other.mention)


_Difference = tuple[_Stated, _Stated]


def find_disagreements(question: str, sources: Sequence[tuple[str, str]]) -> tuple[Disagreement, ...]:
    """Return where sources, given as titles and texts, disagree; their order matters for nothing but the numbers."""
    order = sorted(range(len(sources)), key=lambda place: sources[place])
    prepared = _prepare([sources[place] for place in order])
    scale = _Scale(question, prepared)
    differences: list[_Difference] = []
    aligned: list[tuple[_Sentence, _Sentence]] = []
    compared = list(itertools.combinations(filter(scale.is_relevant, prepared), 2))
    most = max(_FEWEST_DIFFERENCES, _MOST_DIFFERENCES // max(1, len(compared)))
    for one, other in compared:
        found: list[tuple[float, _Difference]] = []
        for left, right, likeness in _align(one, other, scale):
            aligned.append((left, right))
            found += [(likeness, each) for each in _differences(left, right, likeness, (one, other), scale)]
        closest = sorted(range(len(found)), key=lambda place: -found[place][0])[:most]
        differences += [found[place][1] for place in sorted(closest)]
    return tuple(_merge(differences, aligned, order))


def _prepare(sources: Sequence[tuple[str, str]]) -> list[_Source]:
    texts = [(_plain(title), _plain(text[:_MAX_CHARS])) for title, text in sources]
    cut = [[text[span.start : span.end] for span in split_sentences(text)] for _, text in texts]
    known = frozenset(name for lines in cut for line in lines for name in find_names(line))
    return [
        _source(place, title, text, lines, known)
        for place, ((title, text), lines) in enumerate(zip(texts, cut, strict=True))
    ]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _source(place: int, title: str, text: str, lines: Sequence[str], known: frozenset[str]) -> _Source:
    sentences = tuple(_sentence(line, place, known) for line in lines)
    titled = _sentence(title, place, known)
    return _Source(
        place,
        sentences,
        tuple(mention for sentence in (titled, *sentences) for mention in sentence.mentions),
        f"{title}\n{text}",
        titled.terms,
        titled.terms.union(*(sentence.terms for sentence in sentences)),
    )


def _sentence(text: str, source: int, known: frozenset[str]) -> _Sentence:
    dates = find_dates(text)
    amounts = find_amounts(text, dates)
    values: list[_Mention] = [*dates, *amounts]
    names = list(_names(text, known, [(value.start, value.end) for value in values]))
    mentions = sorted([*values, *names], key=lambda mention: mention.start)
    line: list[str | int] = []
    at = 0
    for number, mention in enumerate(mentions):
        line += [*_words(text[at : mention.start]), number]
        at = mention.end
    line += _words(text[at:])
    words = frozenset(item for item in line if isinstance(item, str) and item != _NEGATED)
    return _Sentence(text, source, tuple(mentions), tuple(line), words.union(*(name.terms for name in names)))


def _words(text: str) -> Iterator[str]:
    for token in tokenize(text):
        match = NEGATION.match(token.surface)
        is_whole = match is not None and (match.end() == len(token.surface) or not token.surface.isascii())
        if is_whole and not NO_NEGATION.match(token.surface):
            yield _NEGATED
        elif token.is_content:
            yield token.term


def _names(text: str, known: frozenset[str], taken: Sequence[tuple[int, int]]) -> Iterator[_Name]:
    """Yield the names of a sentence; neighbouring words are one name."""
    first = _FIRST_WORD.match(text)
    words = {name for name in find_names(text) if name.lower() not in _NOT_NAMES}
    if first and first[1] in known:
        words.add(first[1])
    spans = sorted(
        {
            (match.start(), match.end())
            for word in words
            for match in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", text)
        }
    )
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif joined and text[joined[-1][1] : start] in {" ", "-", "·", "."}:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    for start, end in joined:
        terms = frozenset(token.term for token in tokenize(text[start:end]) if token.is_content)
        if terms:
            yield _Name(text[start:end], start, end, terms)


class _Scale:
    """Weighs words: those rare within a source most, those of the question more, words of no subject less."""

    def __init__(self, question: str, sources: Sequence[_Source]) -> None:
        shares: dict[str, list[float]] = {}
        for source in sources:
            counts = Counter(term for sentence in source.sentences for term in sentence.terms)
            for term, count in counts.items():
                shares.setdefault(term, []).append(count / len(source.sentences))
        asked = _sentence(_plain(question), -1, frozenset())
        self.asked_terms = asked.terms & frozenset().union(*(source.terms for source in sources))
        self.asked_kinds = frozenset(kind for kind, asks in _ASKS.items() if asks.search(question))
        self._weights = {
            term: math.log(1 + len(found) / sum(found))
            * (_GENERIC_WEIGHT if term in GENERIC else 1.0)
            * (_QUESTION_WEIGHT if term in self.asked_terms else 1.0)
            for term, found in shares.items()
        }
        self._lone: dict[tuple[_Sentence, int], list[_Mention]] = {}
        self._whole: dict[frozenset[str], float] = {}
        self._most_covered = max((self.cover(source.terms) for source in sources), default=0.0)

    def weigh(self, terms: frozenset[str]) -> float:
        return sum(self._weights.get(term, 1.0) for term in sorted(terms))

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Return how much of the shorter one is in the longer one, 0…1."""
        for terms in (one, other):
            if terms not in self._whole:  # each is compared with those of many sentences
                self._whole[terms] = self.weigh(terms)
        least = min(self._whole[one], self._whole[other])
        return self.weigh(one & other) / least if least else 0.0

    def cover(self, terms: frozenset[str]) -> float:
        """Return how much of the question some words have, 0…1, of what any source has of it."""
        whole = self.weigh(self.asked_terms)
        return self.weigh(self.asked_terms & terms) / whole if whole else 0.0

    def find_lone(self, sentence: _Sentence, source: _Source) -> list[_Mention]:
        """Return the values of a sentence that another source does not state; looked for once."""
        key = sentence, source.place
        if key not in self._lone:
            self._lone[key] = [
                value for value in sentence.mentions if not _is_held(value, sentence, source, self)
            ]
        return self._lone[key]

    def is_relevant(self, source: _Source) -> bool:
        """Say whether a source is on the question: it has a part of its words, compared with the best one."""
        return self.cover(source.terms) >= self._most_covered * _RELEVANT


def _align(one: _Source, other: _Source, scale: _Scale) -> Iterator[tuple[_Sentence, _Sentence, float]]:
    """Yield the sentences of two sources that may say the same: each is the best match of the other, or both answer."""
    holders: dict[str, list[int]] = {}
    for place, sentence in enumerate(other.sentences):
        for term in sentence.terms:
            holders.setdefault(term, []).append(place)
    pairs: list[tuple[int, int, float]] = []
    for place, sentence in enumerate(one.sentences):
        shared = Counter(there for term in sentence.terms for there in holders.get(term, ()))
        for there, count in sorted(shared.items()):
            if count >= _LEAST_SHARED:
                pairs.append((place, there, scale.likeness(sentence.terms, other.sentences[there].terms)))
    best_left = _best((place, likeness) for place, _, likeness in pairs)
    best_right = _best((there, likeness) for _, there, likeness in pairs)
    same = [
        (place, there, likeness)
        for place, there, likeness in pairs
        if (likeness >= best_left[place] and likeness >= best_right[there])
        or _answer(one.sentences[place], other.sentences[there], (one, other), scale)
    ]
    if len(same) > _MOST_ALIGNED:
        same = sorted(sorted(same, key=lambda pair: -pair[2])[:_MOST_ALIGNED])
    for place, there, likeness in same:
        yield one.sentences[place], other.sentences[there], likeness


def _best(pairs: Iterator[tuple[int, float]]) -> dict[int, float]:
    best: dict[int, float] = {}
    for place, likeness in pairs:
        best[place] = max(best.get(place, 0.0), likeness)
    return best


def _answer(left: _Sentence, right: _Sentence, sources: tuple[_Source, _Source], scale: _Scale) -> bool:
    """Say whether both sentences have most words of the question, with those of their titles."""
    return all(
        scale.cover(sentence.terms | source.title_terms) >= _ASKED_COVER
        for sentence, source in zip((left, right), sources, strict=True)
    )


def _differences(
    left: _Sentence, right: _Sentence, likeness: float, sources: tuple[_Source, _Source], scale: _Scale
) -> list[_Difference]:
    """Return the values in which two aligned sentences differ; none where they are about different things."""
    lone = [scale.find_lone(left, sources[1]), scale.find_lone(right, sources[0])]
    names = [[mention for mention in side if isinstance(mention, _Name)] for side in lone]
    is_answer = _answer(left, right, sources, scale)
    found: list[_Difference] = []
    bare = scale.likeness(
        left.terms.difference(*(name.terms for name in names[0])),
        right.terms.difference(*(name.terms for name in names[1])),
    )
    for kind, sort in _SORTS.items():
        sides = [[item for item in side if isinstance(item, sort)] for side in lone]
        bounds = _ASKED if is_answer and kind in scale.asked_kinds else _BOUNDS[kind]
        least = bounds.sentence
        if kind is not DisagreementKind.NAME and names[0] and names[1]:
            least = max(least, _PARALLEL)
        if (bare if kind is DisagreementKind.NAME else likeness) >= least:
            found += _find_opposed(kind, (left, right), (sides[0], sides[1]), bounds.context, scale)
    if likeness >= _BOUNDS[DisagreementKind.NEGATION].sentence and not (names[0] and names[1]):
        found += _find_negated(left, right, sources, scale)
        found += _find_negated(right, left, sources[::-1], scale)
    return found if len(found) <= _MOST_IN_SENTENCE else []


def _find_opposed(
    kind: DisagreementKind,
    sentences: tuple[_Sentence, _Sentence],
    lone: tuple[Sequence[_Mention], Sequence[_Mention]],
    least: float,
    scale: _Scale,
) -> Iterator[_Difference]:
    """Yield pairs of values of the same thing: each is the other's best by the words around them."""
    left, right = sentences
    table = {
        (one, other): _context(left, right, lone[0][one], lone[1][other], scale)
        for one in range(len(lone[0]))
        for other in range(len(lone[1]))
        if _can_differ(lone[0][one], lone[1][other])
        and not (_is_listed(left, lone[0][one]) or _is_listed(right, lone[1][other]))
    }
    for (one, other), likeness in table.items():
        rivals = (value for pair, value in table.items() if pair[0] == one or pair[1] == other)
        if likeness >= max(least, *rivals):
            yield _Stated(kind, left, lone[0][one]), _Stated(kind, right, lone[1][other])


def _context(left: _Sentence, right: _Sentence, one: _Mention, other: _Mention, scale: _Scale) -> float:
    numbers = left.mentions.index(one), right.mentions.index(other)
    likeness = scale.likeness(left.contexts[numbers[0]], right.contexts[numbers[1]])
    here, there = left.line.index(numbers[0]), right.line.index(numbers[1])
    is_bare = isinstance(one, Quantity) and not one.dimension
    if is_bare and not any(_beside(left, here, step) & _beside(right, there, step) for step in (-1, 1)):
        return 0.0  # neither what is counted nor what comes before is the same
    return likeness


def _beside(sentence: _Sentence, place: int, step: int) -> frozenset[str]:
    near = place + step
    return sentence.words(sentence.line[near]) if 0 <= near < len(sentence.line) else frozenset({""})


def _find_negated(
    denial: _Sentence, other: _Sentence, sources: tuple[_Source, _Source], scale: "_Scale"
) -> Iterator[_Difference]:
    """Yield the sentences if the first denies what the other says, and neither source says both."""
    bounds = _BOUNDS[DisagreementKind.NEGATION]
    for place, near in denial.negations:
        after = denial.words(denial.line[place + 1]) if place + 1 < len(denial.line) else near
        if not near or scale.weigh(near & other.terms) < bounds.context * scale.weigh(near):
            continue
        if after and not after & other.terms:
            continue
        said = _Stated(DisagreementKind.NEGATION, denial, None, near)
        opposite = _Stated(DisagreementKind.NEGATION, other, None, near)
        if any(
            near & same.terms
            and same_stated.agrees(stated)
            and scale.likeness(same.terms, stated.sentence.terms) >= least
            for stated, source, least in (
                (said, sources[1], _SAME_SUBJECT),
                (opposite, sources[0], bounds.sentence),
            )
            for same in source.sentences
            for same_stated in (_Stated(DisagreementKind.NEGATION, same, None, near),)
        ):
            continue
        yield said, opposite
        return


def _is_listed(sentence: _Sentence, mention: _Mention) -> bool:
    """Say whether a name is one of several in a list: another one in its place is no contradiction."""
    beside = sentence.text[mention.start - 1 : mention.start], sentence.text[mention.end : mention.end + 1]
    return isinstance(mention, _Name) and "、" in beside


def _can_differ(one: _Mention, other: _Mention) -> bool:
    """Say whether two mentions are values of one kind and unit that are not the same."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.dimension == other.dimension and not agree_amounts(one, other)
    if isinstance(one, PartialDate) and isinstance(other, PartialDate):
        return share_parts(one, other) and not agree_dates(one, other)
    return isinstance(one, _Name) and isinstance(other, _Name) and not _agree(one, other)


def _agree(one: _Mention, other: _Mention) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return agree_amounts(one, other)
    if isinstance(one, PartialDate) and isinstance(other, PartialDate):
        return agree_dates(one, other)
    if isinstance(one, _Name) and isinstance(other, _Name):
        is_part = one.written in other.written or other.written in one.written
        return is_part or one.terms <= other.terms or other.terms <= one.terms
    return False


def _is_held(mention: _Mention, sentence: _Sentence, source: _Source, scale: "_Scale") -> bool:
    """Say whether a source states a value: a name anywhere, anything else in a sentence on the same subject."""
    if isinstance(mention, _Name):
        last = mention.written.split()[-1]
        stem = last[: max(_LEAST_STEM, len(last) - _INFLECTION)]
        return mention.written in source.text or (len(last) >= _LEAST_STEM and stem in source.text)
    return any(
        scale.likeness(sentence.terms, other.terms) >= _SAME_SUBJECT
        for other in source.sentences
        if any(_agree(mention, there) for there in other.mentions)
    )


def _merge(
    differences: Sequence[_Difference], aligned: Sequence[tuple[_Sentence, _Sentence]], order: Sequence[int]
) -> Iterator[Disagreement]:
    """Join differences about the same thing, with the other sources that state one of their values."""
    stated = list(dict.fromkeys(itertools.chain(*differences)))
    places = {one: place for place, one in enumerate(stated)}
    groups: dict[int, list[int]] = {}
    group_of: dict[int, int] = {}
    for number, difference in enumerate(differences):
        pair = [places[one] for one in difference]
        near = sorted({group_of[place] for place in pair if place in group_of})
        groups[number] = list(
            dict.fromkeys([*itertools.chain(*(groups.pop(joined) for joined in near)), *pair])
        )
        group_of.update(dict.fromkeys(groups[number], number))
    beside: dict[_Sentence, list[tuple[int, _Sentence]]] = {}
    for place, (left, right) in enumerate(aligned):
        beside.setdefault(left, []).append((2 * place, right))
        beside.setdefault(right, []).append((2 * place + 1, left))
    seen: set[tuple[DisagreementKind, tuple[tuple[int, ...], ...], tuple[str, ...]]] = set()
    for members in groups.values():
        group = [stated[place] for place in members]
        found = _disagreement([*group, *_others(group, beside)], order)
        key = (found.kind, found.sources, found.values)
        numbers = list(itertools.chain(*found.sources))
        says_both = len(numbers) > len(set(numbers))
        if key not in seen and not says_both:
            seen.add(key)
            yield found


def _others(
    group: Sequence[_Stated], beside: Mapping[_Sentence, Sequence[tuple[int, _Sentence]]]
) -> Iterator[_Stated]:
    """Yield what further sources say in sentences aligned with those of the group, if it agrees with one of them."""
    sources = {stated.source for stated in group}
    sentences = dict.fromkeys(stated.sentence for stated in group)
    for _, there in sorted(
        itertools.chain(*(beside.get(sentence, ()) for sentence in sentences)), key=lambda placed: placed[0]
    ):
        if there.source not in sources:
            said = [
                _Stated(group[0].kind, there, mention, group[0].near)
                for mention in ((None,) if group[0].mention is None else there.mentions)
            ]
            yield from (one for one in said if any(one.agrees(stated) for stated in group))


def _disagreement(group: Sequence[_Stated], order: Sequence[int]) -> Disagreement:
    values: list[list[_Stated]] = []
    for stated in sorted(group, key=lambda one: (-len(one.written), one.written, one.source)):
        same = next((value for value in values if value[0].agrees(stated)), None)
        if same is None:
            values.append([stated])
        else:
            same.append(stated)
    listed = sorted(
        ((value[0].written, tuple(sorted({order[one.source] + 1 for one in value}))) for value in values),
        key=lambda pair: (-len(pair[1]), pair[0]),
    )
    shortest = min(group, key=lambda one: (len(one.sentence.text), one.sentence.text, one.source))
    return Disagreement(
        group[0].kind,
        _about(shortest),
        tuple(written for written, _ in listed),
        tuple(numbers for _, numbers in listed),
    )


def _about(stated: _Stated) -> str:
    """Return the sentence with a gap in the place of the value."""
    text, mention = stated.sentence.text, stated.mention
    return f"{text[: mention.start]}{_GAP}{text[mention.end :]}" if mention else text
