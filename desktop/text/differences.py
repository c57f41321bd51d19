"""Compares two versions of a text by sentences, for readers: what was removed and what was added."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from desktop.domain.sources import TextChange
from desktop.text.locate import locate
from desktop.text.sentences import Span, split_sentences

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|(?:(?![\u3040-\u30ff\u3400-\u9fff])\w)+|[^\w\s]")
_MOST_ALIGNED: Final = 1_000
"""More sentences that differ are compared without their order: aligning them could take minutes."""


def list_changes(old: str, new: str, passages: Sequence[str] = ()) -> tuple[TextChange, ...]:
    """Return the differences, those that touch one of `passages` of the old text first.

    Spaces and case make no difference. Sentences are aligned, so that one that was changed stands beside the one it
    was changed to; in texts with very many differences those that only moved are none.
    """
    before, after = _sentences(old), _sentences(new)
    near = [span for passage in passages if (span := locate(passage, old)) is not None]
    changes = [
        TextChange(
            _joined(old, before[first:last]),
            _joined(new, after[begin:end]),
            is_in_passage=_touches(before, first, last, near),
        )
        for first, last, begin, end in _blocks(
            [_compared(old, span) for span in before], [_compared(new, span) for span in after]
        )
    ]
    return tuple(sorted(changes, key=lambda change: not change.is_in_passage))


def _sentences(text: str) -> list[Span]:
    return [span for span in split_sentences(text) if text[span.start : span.end].strip()]


def _compared(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split()).casefold()


def _joined(text: str, spans: Sequence[Span]) -> str:
    return text[spans[0].start : spans[-1].end].strip() if spans else ""


def _touches(before: Sequence[Span], first: int, last: int, near: Sequence[Span]) -> bool:
    """Say whether a block touches a passage; what was added stands between two sentences of a passage."""
    if first == last:
        if first == 0 or first == len(before):
            return False
        return any(span.start < before[first - 1].end and before[first].start < span.end for span in near)
    start, end = before[first].start, before[last - 1].end
    return any(span.start < end and start < span.end for span in near)


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges that differ: the first and last of the old, and of the new, the last ones exclusive."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    here, there = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(here), len(there)) > _MOST_ALIGNED:
        yield from _unordered(here, there, start)
        return
    for kind, first, last, begin, stop in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if kind != "equal":
            yield start + first, start + last, start + begin, start + stop


def _unordered(here: Sequence[str], there: Sequence[str], start: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the sentences that only one of the two has."""
    left = Counter(there)
    for at, sentence in enumerate(here, start):
        if left[sentence] > 0:
            left[sentence] -= 1
        else:
            yield at, at + 1, 0, 0
    left = Counter(here)
    for at, sentence in enumerate(there, start):
        if left[sentence] > 0:
            left[sentence] -= 1
        else:
            yield 0, 0, at, at + 1


def compare_words(removed: str, added: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the spans of the words that differ in a text and in the one that replaced it; none for long texts."""
    before, after = _words(removed), _words(added)
    if not before or not after or max(len(before), len(after)) > _MOST_ALIGNED:
        return (), ()
    here = [removed[span.start : span.end].casefold() for span in before]
    there = [added[span.start : span.end].casefold() for span in after]
    gone, new = [], []
    for kind, first, last, begin, stop in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if kind != "equal" and last > first:
            gone.append(Span(before[first].start, before[last - 1].end))
        if kind != "equal" and stop > begin:
            new.append(Span(after[begin].start, after[stop - 1].end))
    return tuple(gone), tuple(new)


def _words(text: str) -> list[Span]:
    return [Span(found.start(), found.end()) for found in _WORD.finditer(text)]
