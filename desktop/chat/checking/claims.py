"""Extracts the claims of an answer: each group of citation marks with the words that it supports."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from desktop.domain.sources import Source
from desktop.render.markdown.citations import pieces_of
from desktop.render.markdown.tree import Cleaner, RenderTarget
from desktop.render.message import CitationSpan, parse_message, places_of, render_message
from desktop.text.sentences import split_sentences
from desktop.text.terms import content_terms

_REACH_CHARS = 1_500
_BETWEEN_MARKS = re.compile(r"[\s,，、;；和与及]*(?:and)?\s*")
_LEADS_IN = re.compile(
    r"(?:\b(?:according to|as (?:stated|reported|described) (?:in|by)|see|per|sources?)|根据|依据|参见|来源)\W*\Z",
    re.IGNORECASE,
)
_CONTEXT_CHARS = 400
_PRONOUN = re.compile(
    r"(?:\W*\w+){0,4}?\W*\b(?:it|its|they|their|them|he|him|his|she|her|this|that|these|those|one|both)\b"
    r"|\W*[^\s，。]{0,6}?(?:它|他|她|其|该|此|这|那|两者|后者|前者)",
    re.IGNORECASE,
)
"""A sentence with a pronoun among its first words takes its subject from the sentence before."""
_LINE_START = re.compile(r"^\s*(?:(?:[-*+>|]|#{1,6}|\d{1,3}[.)、](?!\d))\s*)+")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\s\"[^\"]*\")?\)")
_SIGNS = re.compile(r"\*{1,3}|_{2}|~~|`+|\\(?=[^\w\s])|\$")
_FOREIGN_MARK = re.compile(r"\s?&#(?:91|12304|65339);[\d\s,，、;；–-]{1,40}&#(?:93|12305|65341);")
"""The number of a reference that belongs to no source here, as `references.py` writes it."""
_LEAST_TERMS = 3
"""A sentence without marks that has fewer words that say something makes no statement."""
_MARK_GROUP = re.compile(r"\[\d{1,4}\]")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_NO_PROSE = re.compile(r"\s{0,3}(?:#{1,6}\s|\||>|(?:[-*_]\s*){3,}$|=+\s*$)")
_ITEM_START = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)、])\s")
_EDGE = " \t\n,，、;；:：|.。"


@dataclass(frozen=True)
class Claim:
    """Words of an answer and the marks behind them: (number, index of the mark with that number, from 0)."""

    text: str
    marks: tuple[tuple[int, int], ...]
    end: int = 0
    """Where the claim and its marks end in the cleaned text."""
    context: str = ""
    """Text that names the subject of the words.

    It is the start of their sentence, and the previous sentence if a pronoun stands for the subject. The context
    itself is not checked.
    """

    @property
    def in_context(self) -> str:
        """The words after their context; empty if no context is needed."""
        return f"{self.context} {self.text}" if self.context else ""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the cited sources."""
        return tuple(dict.fromkeys(number for number, _ in self.marks))


@dataclass(frozen=True)
class _MarkGroup:
    start: int
    end: int
    numbers: tuple[int, ...]


def extract_claims(
    text: str, sources: Sequence[Source] | Mapping[int, str], most: int | None = None
) -> tuple[Claim, ...]:
    """Return the first `most` claims of an answer, in order.

    `sources` are those that the numbers can refer to.
    """
    parsed = parse_message(text, sources, RenderTarget.PAGE)
    source = Cleaner().clean(text).removesuffix("\n")
    known = frozenset(parsed.scope.titles)
    groups: list[_MarkGroup] = []
    for place in places_of(parsed, source):
        if not (numbers := _numbers(place, known)):
            continue
        if groups and _BETWEEN_MARKS.fullmatch(source, groups[-1].end, place.start):
            last = groups[-1]
            groups[-1] = _MarkGroup(last.start, place.end, last.numbers + numbers)
        else:
            groups.append(_MarkGroup(place.start, place.end, numbers))
    blanked = _blank_marks(source, groups)
    seen: dict[int, int] = {}
    claims: list[Claim] = []
    for index, group in enumerate(groups[:most]):
        marks: list[tuple[int, int]] = []
        for number in group.numbers:
            marks.append((number, seen.get(number, 0)))
            seen[number] = seen.get(number, 0) + 1
        words, context = _words_behind(blanked, groups, index)
        claims.append(Claim(words, tuple(marks), group.end, context))
    return tuple(claims)


def find_all_claims(text: str, sources: Sequence[Source] | Mapping[int, str]) -> tuple[Claim, ...]:
    """Return the claims of a text that has been cleaned, in order: those with marks, and sentences without any.

    Headings, tables, quoted lines, code and sentences that state nothing are no claims without a mark.
    """
    cited = extract_claims(text, sources)
    ends = [claim.end for claim in cited]
    blanked = _MARK_GROUP.sub(lambda mark: " " * len(mark[0]), text)
    claims = [claim for claim in cited if content_terms(claim.text)]
    for start, end in _prose_of(text):
        spans = split_sentences(blanked[start:end])
        starts = [span.start for span in spans] + [end - start]
        for span, following in zip(spans, starts[1:], strict=True):
            begin, stop = start + span.start, start + span.end
            marked = ends[bisect_right(ends, begin) : bisect_right(ends, start + following)]
            words = _plain(blanked[max([begin, *marked]) : stop])
            if len(content_terms(words)) >= _LEAST_TERMS:
                context = _plain(blanked[begin : marked[-1]]) if marked else ""
                claims.append(Claim(words, (), stop, context[-_CONTEXT_CHARS:]))
    return tuple(sorted(claims, key=lambda claim: claim.end))


def _prose_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of paragraphs and list items."""
    start = at = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        is_prose = not (fence or opening or _NO_PROSE.match(line)) and bool(line.strip())
        if opening and not fence:
            fence = opening[1]
        elif opening and opening[1].startswith(fence):
            fence = ""
        if not is_prose or _ITEM_START.match(line):
            if at > start:
                yield start, at
            start = at if is_prose else at + len(line)
        at += len(line)
    if at > start:
        yield start, at


def unknown_numbers(text: str, sources: Sequence[Source]) -> tuple[int, ...]:
    """Return the numbers in brackets that belong to no source."""
    return render_message(text, sources, RenderTarget.PAGE).unknown


def _numbers(place: CitationSpan, known: frozenset[int]) -> tuple[int, ...]:
    pieces = pieces_of(place.group, known) if place.group else []
    return tuple(number for is_known, numbers in pieces if is_known for number in numbers)


def _words_behind(blanked: str, groups: Sequence[_MarkGroup], index: int) -> tuple[str, str]:
    """Return the part of a sentence between the previous group and this one, and its context.

    If that part says nothing, the whole sentence is returned.
    """
    group = groups[index]
    begin = max(0, group.start - _REACH_CHARS)
    spans = split_sentences(blanked[begin : group.start])
    if not spans:
        return "", ""
    sentence_start = begin + spans[-1].start
    last_end = groups[index - 1].end if index else 0
    claim = _plain(blanked[max(sentence_start, last_end) : group.start])
    if _LEADS_IN.search(claim):
        return _words_after(blanked, groups, index), ""
    earlier = _plain(blanked[sentence_start:last_end]) if last_end > sentence_start else ""
    if not content_terms(claim):
        claim, earlier = _plain(blanked[sentence_start : group.start]), ""
    if len(spans) > 1 and _PRONOUN.match(earlier or claim):
        before = blanked[begin + spans[-2].start : sentence_start]
        if "\n\n" not in before:
            earlier = f"{_plain(before)} {earlier}"
    return claim, earlier.strip()[-_CONTEXT_CHARS:]


def _words_after(blanked: str, groups: Sequence[_MarkGroup], index: int) -> str:
    """Return the text after a mark that precedes its claim: “According to [1], …”."""
    start = groups[index].end
    end = groups[index + 1].start if index + 1 < len(groups) else start + _REACH_CHARS
    spans = split_sentences(blanked[start:end])
    return _plain(blanked[start : start + spans[0].end]) if spans else ""


def _blank_marks(source: str, groups: Sequence[_MarkGroup]) -> str:
    """Return the source text with its marks replaced by spaces, so that sentence boundaries stay the same."""
    pieces: list[str] = []
    at = 0
    for group in groups:
        pieces += [source[at : group.start], " " * (group.end - group.start)]
        at = group.end
    return "".join([*pieces, source[at:]])


def _plain(text: str) -> str:
    """Return text without Markdown syntax."""
    line = text.rstrip().rsplit("\n\n", 1)[-1]
    bare = _SIGNS.sub("", _LINK.sub(r"\1", _LINE_START.sub("", _FOREIGN_MARK.sub("", line))))
    return " ".join(unescape(bare).split()).strip(_EDGE)  # Quotes writes brackets as entities
