"""Finds the words of a passage that support the sentence citing it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from math import log
from typing import Final, NamedTuple

from desktop.domain.messages import Message
from desktop.domain.sources import Source, SourceKind
from desktop.render.markdown.citations import groups_in, pieces_of
from desktop.text.sentences import Span, split_sentences
from desktop.text.terms import content_terms

EXCERPT_CHARS: Final = 700
"""Approximate length of the part of a passage that a card shows."""

_MARK = r"(?:\[[\d\s,，、;；^–~-]{1,40}\]|【[\d\s,，、;；–~-]{1,40}】|［[\d\s,，、;；–~-]{1,40}］)"
_MARKS = re.compile(f"{_MARK}+")
_LAST_MARKS = re.compile(rf"(?:{_MARK}|\s)+\Z")
_RUN = re.compile(r"``*|~~~~*")  # begins with literals, which `re` searches for quickly
_LONGEST_INLINE: Final = 1000
_MOST_INDENT: Final = 100
_FENCE_CHARS: Final = 3
_LOOK_BACK_CHARS: Final = 600
_ENOUGH: Final = 0.2


class MarkedExcerpt(NamedTuple):
    """A piece of a passage; `before` and `after` surround the words that support a sentence."""

    before: str
    words: str
    after: str


def citing_sentence(text: str, number: int, occurrence: int) -> str:
    """Return the text that the `occurrence`th mark (from 0) of `number` in a message supports.

    That is the part of the sentence since the previous mark, or the whole sentence if that part has no
    content words.
    """
    found = list(islice(_places(text, number), occurrence + 1))
    return _claim_before(text, found[-1]) if found else ""


def _claim_before(text: str, at: int) -> str:
    before = _LAST_MARKS.sub("", text[max(0, at - _LOOK_BACK_CHARS) : at])
    spans = split_sentences(before)
    sentence = before[spans[-1].start : spans[-1].end] if spans else ""
    claim = _MARKS.split(sentence)[-1].strip()
    return claim if content_terms(claim) else _MARKS.sub(" ", sentence).strip()


def citing_sentences(text: str, known: Collection[int]) -> dict[tuple[int, int], str]:
    """Return what `citing_sentence` does for every mark of a message, in one pass over it; keys as of `marks_in`."""
    return {
        place: sentence
        for group, places in _marks_by_group(text, known)
        for sentence in ((_claim_before(text, group.start()),) if places else ())
        for place in places
    }


def marks_in(text: str, known: Collection[int]) -> tuple[tuple[int, int], ...]:
    """Return the marks of a message in order: the number of each, and how many of its number are before it."""
    return tuple(place for _group, places in _marks_by_group(text, known) for place in places)


def _marks_by_group(
    text: str, known: Collection[int]
) -> Iterator[tuple[re.Match[str], list[tuple[int, int]]]]:
    before: Counter[int] = Counter()
    for group in _groups_outside_code(text):
        found = []
        for is_known, numbers in pieces_of(group[0], known):
            for number in numbers if is_known else ():
                found.append((number, before[number]))
                before[number] += 1
        yield group, found


def document_sources(message: Message, sources: Iterable[Source], *, is_cited: bool) -> tuple[Source, ...]:
    """Return the pages and files that an answer was given, or only those that it cites."""
    known = {source.number: source for source in message.sources_among(sources)}
    cited = {number for number, _ in marks_in(message.text, known)}
    wanted = cited if is_cited else cited | set(message.offered)
    kinds = (SourceKind.WEB, SourceKind.FILE)
    return tuple(
        known[number] for number in sorted(wanted) if number in known and known[number].kind in kinds
    )


def _places(text: str, number: int) -> Iterator[int]:
    """Yield the start of each mark of a number, except in code."""
    for group in _groups_outside_code(text):
        yield from [group.start()] * _count_in(group[0], number)


def _groups_outside_code(text: str) -> Iterator[re.Match[str]]:
    spans = _code_spans(text)
    begin, end = next(spans, (len(text), len(text)))
    for group in groups_in(text):
        while end <= group.start():
            begin, end = next(spans, (len(text), len(text)))
        if group.start() < begin:
            yield group


def _count_in(group: str, number: int) -> int:
    """Return how many marks of a number a group in brackets contains."""
    if (inner := group[1:-1]).isdecimal():
        return int(int(inner) == number)
    return sum(len(numbers) for is_known, numbers in pieces_of(group, {number}) if is_known)


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where code begins and ends, in order. Looks only at runs of backticks and tildes."""
    at = 0
    while (run := _RUN.search(text, at)) is not None:
        end = _end_of_fenced(text, run) or _end_of_inline(text, run)
        at = end or run.end()
        if end:
            yield run.start(), end


def _end_of_fenced(text: str, run: re.Match[str]) -> int:
    """Return the end of the code that a run opens as a fence; 0 if it is none."""
    at = text.find("\n", run.end())
    if len(run[0]) < _FENCE_CHARS or at < 0 or not _begins_line(text, run.start()):
        return 0
    while (at := text.find(run[0], at)) >= 0:
        closing = _RUN.match(text, at)
        end = closing.end() if closing is not None else at + 1
        if _begins_line(text, at):
            return end
        at = end
    return len(text)


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - _MOST_INDENT) : at]
    return not before.rpartition("\n")[2].strip(" \t>")


def _end_of_inline(text: str, run: re.Match[str]) -> int:
    """Return the end of the code that a run opens in a line; 0 if it is never closed."""
    if run[0].startswith("~"):
        return 0
    later = _RUN.finditer(text, run.end(), run.end() + _LONGEST_INLINE)
    return next((each.end() for each in later if each[0] == run[0]), 0)


@lru_cache(maxsize=64)
def excerpt_of(passage: str, sentence: str) -> MarkedExcerpt:
    """Return the part of a passage to show on a card, with the words that support `sentence` separated."""
    spans = split_sentences(passage)
    best = _best(passage, spans, sentence)
    if best is None:
        return MarkedExcerpt(_cut_end(passage, EXCERPT_CHARS), "", "")
    budget = max(0, EXCERPT_CHARS - (best.end - best.start))
    before, after = passage[: best.start], passage[best.end :]
    lead = _cut_start(before, max(budget // 3, budget - len(after)))
    return MarkedExcerpt(lead, passage[best.start : best.end], _cut_end(after, budget - len(lead)))


def _best(passage: str, spans: list[Span], sentence: str) -> Span | None:
    """Return the span most similar to `sentence`; words that occur in few spans count most."""
    wanted = set(content_terms(sentence))
    terms = [set(content_terms(passage[span.start : span.end])) for span in spans]
    frequency = Counter(term for span_terms in terms for term in span_terms)
    weight = {term: log(1 + len(spans) / count) for term, count in frequency.items()}
    rare = log(1 + len(spans))
    total = sum(weight.get(term, rare) for term in wanted)
    best, best_score = None, 0.0
    for span, span_terms in zip(spans, terms, strict=True):
        shared = sum(weight[term] for term in wanted & span_terms)
        if not shared or shared / total < _ENOUGH:
            continue
        score = shared / (total * sum(weight[term] for term in span_terms)) ** 0.5
        if score > best_score:
            best, best_score = span, score
    return best


def _cut_end(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = max(text.rfind(" ", 0, limit), limit - 20)
    return text[:cut].rstrip() + " …"


def _cut_start(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text.find(" ", len(text) - limit)
    return "… " + text[cut if 0 <= cut < len(text) - limit + 20 else len(text) - limit :].lstrip()
