"""Compares versions of a text: where a passage stands in another one, and what was removed and added."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from desktop.domain.sources import TextChange
from desktop.text.sentences import Span, split_sentences

_SEED: Final = 8
_STEP: Final = 4
_SIGHTINGS: Final = 6
"""How many positions of one seed are checked; frequent words are not significant."""
_ENOUGH: Final = 0.3
_SLACK: Final = 0.15


def locate(passage: str, text: str) -> Span | None:
    """Return the span of `passage` in `text`, or None.

    Only letters and digits are compared, in any case and Unicode form. If the whole passage is not found, most
    of its pieces must occur in one place and in order, because a footnote or page number may interrupt it.
    Takes time linear in the length of the text for a passage of a given length.
    """
    wanted, _ = _normalize_with_places(passage)
    found, places = _normalize_with_places(text)
    if not wanted:
        return None
    start = found.find(wanted)
    first, last = (start, start + len(wanted)) if start >= 0 else _find_scattered(wanted, found)
    return Span(places[first], places[last - 1] + 1) if last > first else None


def _normalize_with_places(text: str) -> tuple[str, list[int]]:
    """Return the compared characters of a text, and the index of each in the text."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if essential := _essential(character):
            kept.append(essential)
            places.extend([place] * len(essential))
    return "".join(kept), places


@lru_cache(maxsize=20_000)
def _essential(character: str) -> str:
    folded = unicodedata.normalize("NFKC", character).casefold()
    return "".join(char for char in folded if char.isalnum())


def _find_scattered(wanted: str, found: str) -> tuple[int, int]:
    """Return the range in which most pieces of `wanted` occur in order; an empty one if there is none."""
    if len(wanted) < _SEED:
        return 0, 0
    sightings = [
        (at - offset, at)
        for offset in (*range(0, len(wanted) - _SEED, _STEP), len(wanted) - _SEED)
        for at in _places_of(wanted[offset : offset + _SEED], found)
    ]
    if not sightings:
        return 0, 0
    width = max(_SEED, int(len(wanted) * _SLACK))
    votes = Counter(shift // width for shift, _ in sightings)
    best = max(votes, key=lambda bucket: votes[bucket] + votes[bucket + 1])
    together = sorted(at for shift, at in sightings if best <= shift // width <= best + 1)
    pieces = (len(wanted) - _SEED) // _STEP + 1
    if len(together) < max(2, pieces * _ENOUGH):
        return 0, 0
    return together[0], together[-1] + _SEED


def _places_of(piece: str, found: str) -> list[int]:
    places: list[int] = []
    at = found.find(piece)
    while at >= 0 and len(places) < _SIGHTINGS:
        places.append(at)
        at = found.find(piece, at + 1)
    return places


def utf16_offset(text: str, index: int) -> int:
    """Return the index of `text[index]` in UTF-16 code units, which Qt uses."""
    return len(text[:index].encode("utf-16-le", "surrogatepass")) // 2


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
            _join_spans(old, before[first:last]),
            _join_spans(new, after[begin:end]),
            is_in_passage=_touches(before, first, last, near),
        )
        for first, last, begin, end in _blocks(
            [_normalize(old, span) for span in before], [_normalize(new, span) for span in after]
        )
    ]
    return tuple(sorted(changes, key=lambda change: not change.is_in_passage))


def _sentences(text: str) -> list[Span]:
    return [span for span in split_sentences(text) if text[span.start : span.end].strip()]


def _normalize(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split()).casefold()


def _join_spans(text: str, spans: Sequence[Span]) -> str:
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
        yield from _compare_unordered(here, there, start)
        return
    for kind, first, last, begin, stop in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if kind != "equal":
            yield start + first, start + last, start + begin, start + stop


def _compare_unordered(
    here: Sequence[str], there: Sequence[str], start: int
) -> Iterator[tuple[int, int, int, int]]:
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
