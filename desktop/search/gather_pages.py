"""From pages to passages: near-duplicates merged, the room shared out, the parts that answer kept."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from desktop.domain.sources import TEXT_JOIN, Locator, Passage, SourceKind, canonical_url
from desktop.phrases import phrase
from desktop.text.passages import best_passages
from desktop.text.tokens import estimate_tokens

_RUN_TERMS = 5
_SKETCH_SIZE = 300
_SKETCH_CHARS = 60_000
_FEWEST_RUNS = 12
_SAME_SHARE = 0.6
"""Resemblance from which two texts are one at two addresses: other frames around the same article."""
_SIMILAR_SIZE = 0.5
_TERM = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_LEAST_TOKENS = 80
"""Less room than this holds no passage worth reading."""

_MERGED = phrase("Pages that were the same as others and were merged: {count}.")
_SHORTENED = phrase("Pages reduced to the passages that answer: {count}.")
_LEFT_OUT = phrase("Pages left out because there was no room for them: {count}.")


class PassageMode(StrEnum):
    """What of a page goes to the model: its beginning, or the passages that answer."""

    WHOLE = "off"
    PASSAGES = "passages"


@dataclass(frozen=True)
class Candidate:
    """A page, or the snippet of one that could not be read, that may become a passage."""

    url: str
    title: str
    text: str
    published: str = ""
    is_snippet: bool = False


@dataclass(frozen=True)
class Selection:
    """Passages within the room, one per page, and what happened on the way in plain words."""

    passages: tuple[Passage, ...] = ()
    used_tokens: int = 0
    notes: tuple[str, ...] = ()
    left_out: int = 0


def select(
    candidates: Sequence[Candidate], queries: Sequence[str], *, limit_tokens: int, mode: PassageMode
) -> Selection:
    """Return the passages of `candidates`, which come best first, within `limit_tokens`.

    Everyone gets an equal share; what a page does not use goes to those that want more.
    """
    pages = without_duplicates(candidates)
    shares = _shares([estimate_tokens(page.text) for page in pages], limit_tokens)
    used = 0
    shortened = left_out = 0
    passages: list[Passage] = []
    for index, page in enumerate(pages):
        # What pages before this one did not find worth taking is still there.
        room = max(shares[index], limit_tokens - used - sum(shares[index + 1 :]))
        text, start, end = _answering(page.text, queries, room, mode)
        if not text:
            left_out += 1
            continue
        used += estimate_tokens(text)
        shortened += len(text) < len(page.text.strip())
        passages.append(
            Passage(
                SourceKind.WEB, page.title or page.url, text, page.url,
                locator=Locator(start=start, end=end), published=page.published,
            )
        )  # fmt: skip
    notes = []
    if merged := len(candidates) - len(pages):
        notes.append(_MERGED.format(count=merged))
    if shortened:
        notes.append(_SHORTENED.format(count=shortened))
    if left_out:
        notes.append(_LEFT_OUT.format(count=left_out))
    return Selection(tuple(passages), used, tuple(notes), left_out)


def without_duplicates(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Merge candidates with one address or nearly one text; the first stays, but a page goes before a snippet."""
    kept: list[tuple[Candidate, _Sketch]] = []
    for candidate in candidates:
        sketch = _Sketch.of(candidate.text)
        for index, (other, known) in enumerate(kept):
            if canonical_url(other.url) == canonical_url(candidate.url) or known.is_same(sketch):
                if other.is_snippet and not candidate.is_snippet:
                    kept[index] = (replace(candidate, title=other.title or candidate.title), sketch)
                break
        else:
            kept.append((candidate, sketch))
    return [candidate for candidate, _ in kept]


def _answering(text: str, queries: Sequence[str], room: int, mode: PassageMode) -> tuple[str, int, int]:
    """Return the part of `text` to keep and where it begins and ends; nothing if there is no room."""
    if room < min(_LEAST_TOKENS, estimate_tokens(text)):
        return "", 0, 0
    asked = queries if mode is PassageMode.PASSAGES else ()
    spans = best_passages(text, asked, limit_tokens=room)
    if not spans:
        return "", 0, 0
    return TEXT_JOIN.join(text[span.start : span.end] for span in spans), spans[0].start, spans[-1].end


def _shares(needs: Sequence[int], limit: int) -> list[int]:
    """Share `limit` out equally, with what the modest do not need going to the others."""
    shares = [0] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda index: needs[index])
    for served, index in enumerate(waiting):
        shares[index] = min(needs[index], limit // (len(waiting) - served))
        limit -= shares[index]
    return shares


@dataclass(frozen=True)
class _Sketch:
    """The smallest hashes of all runs of terms in a text: texts that share runs share hashes."""

    hashes: frozenset[int]
    runs: int

    @classmethod
    def of(cls, text: str) -> "_Sketch":
        terms = _TERM.findall(text[:_SKETCH_CHARS].lower())
        runs = {
            zlib.crc32(" ".join(terms[index : index + _RUN_TERMS]).encode())
            for index in range(len(terms) - _RUN_TERMS + 1)
        }
        return cls(frozenset(sorted(runs)[:_SKETCH_SIZE]), len(runs))

    def is_same(self, other: "_Sketch") -> bool:
        """Say whether two texts are nearly one. An excerpt of a longer text is not the same."""
        shorter, longer = sorted((self.runs, other.runs))
        if shorter < _FEWEST_RUNS or shorter < longer * _SIMILAR_SIZE:
            return False
        union = sorted(self.hashes | other.hashes)[:_SKETCH_SIZE]  # Broder 1997: estimates resemblance
        shared = sum(1 for value in union if value in self.hashes and value in other.hashes)
        return shared >= _SAME_SHARE * len(union)
