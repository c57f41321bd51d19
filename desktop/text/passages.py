"""Selects the passages of a long text that answer a question, by BM25, for a token budget."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from desktop.domain.sources import TEXT_JOIN
from desktop.domain.trace import SourceUse
from desktop.text.sentences import split_sentences
from desktop.text.terms import content_terms, terms
from desktop.text.tokens import beginning_within, estimate_tokens

K1 = 1.2
B = 0.75


def bm25_scores(query: str, documents: Sequence[str]) -> list[float]:
    """Return one score per document; 0 if no term of the query occurs, higher is better.

    Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the idf that is never negative
    (`log(1 + …)`), because these collections are small. A query that consists only of stop words is searched
    with them.
    """
    counted = [Counter(terms(document)) for document in documents]
    wanted = Counter(content_terms(query) or terms(query))
    lengths = [counts.total() for counts in counted]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    weights = {term: times * _idf(term, counted) for term, times in wanted.items()}
    return [
        sum(
            weight * counts[term] * (K1 + 1) / (counts[term] + K1 * (1 - B + B * length / mean))
            for term, weight in weights.items()
            if term in counts
        )
        for counts, length in zip(counted, lengths, strict=True)
    ]


def _idf(term: str, counted: Sequence[Counter[str]]) -> float:
    holders = sum(term in counts for counts in counted)
    return math.log(1 + (len(counted) - holders + 0.5) / (holders + 0.5))


WINDOW_TOKENS = 90
MAX_CHARS = 400_000
"""Longer texts are searched up to here; the rest is logs and whole books."""

_JOIN_TOKENS = estimate_tokens(TEXT_JOIN)
"""The tokens needed to start another span after a kept one."""
_OPENING_BONUS = 0.15
"""Share of the best score that the opening gets, because it introduces the page."""
_NEIGHBOUR_SHARE = 0.25
"""Share of a neighbour's score that a window gets; an answer is often next to the query words."""
_LEAST_SHARE = 0.12
"""Windows below this share of the best score are irrelevant; their tokens go to other sources."""
_MEANING_SHARE = 0.5
"""Weight of semantic similarity in a window's score if it is known."""

Likeness = Mapping[tuple[int, int], float]
"""The similarity (cosine) of windows, by start and end, to the query; for one text only."""


@dataclass(frozen=True)
class ScoredSpan:
    """A span of a text, `text[start:end]`. Scores are comparable within one text only; higher is better."""

    start: int
    end: int
    score: float


@dataclass(frozen=True)
class JudgedSpan:
    """A span of a text and why it was kept or cut."""

    start: int
    end: int
    score: float
    tokens: int
    source_use: SourceUse


def likely_windows(text: str, queries: Sequence[str], count: int) -> list[tuple[int, int]]:
    """Return the windows of `text` with the best word scores, as candidates for semantic comparison."""
    windows = _windows(text[:MAX_CHARS])
    if not windows:
        return []
    scores = _scores([text[start:end] for start, end, _ in windows], queries)
    ranked = sorted(range(len(windows)), key=lambda index: -scores[index])
    return [windows[index][:2] for index in ranked[:count]]


def judge_passages(
    text: str, queries: Sequence[str], *, limit_tokens: int, likeness: Likeness | None = None
) -> list[JudgedSpan]:
    """Return the whole `text` in order as spans, each marked as kept for any of `queries` or cut.

    Selects windows of sentences by BM25 within the limit. A text that fits is kept whole; of one without any
    query words the beginning is kept. With `likeness`, similarity counts besides words.
    """
    windows = _windows(text[:MAX_CHARS])
    if not windows:
        return []
    if limit_tokens <= 0:
        return [JudgedSpan(start, end, 0.0, tokens, SourceUse.NO_BUDGET) for start, end, tokens in windows]
    scores = _scores([text[start:end] for start, end, _ in windows], queries)
    if likeness:
        scores = _with_meaning(scores, [likeness.get((start, end)) for start, end, _ in windows])
    if sum(tokens for _, _, tokens in windows) <= limit_tokens and len(text) <= MAX_CHARS:
        chosen = set(range(len(windows)))
    else:
        chosen = _choose(windows, scores, limit_tokens)
    least = max(scores) * _LEAST_SHARE
    judged = [
        JudgedSpan(start, end, score, tokens, _source_use(index in chosen, score >= least))
        for index, ((start, end, tokens), score) in enumerate(zip(windows, scores, strict=True))
    ]
    return judged if chosen else _beginning(text, judged, limit_tokens)


def merge_kept_spans(judged: Sequence[JudgedSpan]) -> list[ScoredSpan]:
    """Return the kept spans; adjacent ones are merged with the better score."""
    spans: list[ScoredSpan] = []
    is_next = False
    for part in judged:
        is_kept = part.source_use is SourceUse.GIVEN
        if is_kept and is_next:
            spans[-1] = ScoredSpan(spans[-1].start, part.end, max(spans[-1].score, part.score))
        elif is_kept:
            spans.append(ScoredSpan(part.start, part.end, part.score))
        is_next = is_kept
    return spans


def _source_use(is_chosen: bool, is_relevant: bool) -> SourceUse:
    if is_chosen:
        return SourceUse.GIVEN
    return SourceUse.NO_BUDGET if is_relevant else SourceUse.IRRELEVANT


def _beginning(text: str, judged: list[JudgedSpan], limit: int) -> list[JudgedSpan]:
    """Keep as much of the first span as fits if no span fits as a whole."""
    first = judged[0]
    kept = beginning_within(text[first.start : first.end], limit)
    end, tokens = first.start + len(kept), estimate_tokens(kept)
    if not kept:
        return judged
    head = replace(first, end=end, tokens=tokens, source_use=SourceUse.GIVEN)
    rest = replace(first, start=end, tokens=max(0, first.tokens - tokens), source_use=SourceUse.NO_BUDGET)
    return [head, *([rest] if end < first.end else []), *judged[1:]]


def _windows(text: str) -> list[tuple[int, int, int]]:
    """Return (start, end, tokens) of runs of sentences; a run ends with its line once it is half full.

    `tokens` includes the text between a run and the one before it, which is kept between two adjacent runs.
    """
    windows: list[tuple[int, int, int]] = []
    before_it = 0
    for sentence in split_sentences(text):
        tokens = estimate_tokens(text[before_it : sentence.end])
        before_it = sentence.end
        if windows and windows[-1][2] + tokens <= _budget(text, windows[-1], sentence.start):
            start, _, before = windows[-1]
            windows[-1] = (start, sentence.end, before + tokens)
        else:
            windows.append((sentence.start, sentence.end, tokens))
    return windows


def _budget(text: str, window: tuple[int, int, int], next_start: int) -> int:
    starts_line = "\n" in text[window[1] : next_start]
    return 0 if starts_line and window[2] * 2 > WINDOW_TOKENS else WINDOW_TOKENS


def _scores(texts: Sequence[str], queries: Sequence[str]) -> list[float]:
    """Return the score of each text for all queries together; terms in several queries count more."""
    found = bm25_scores(" ".join(queries), texts)
    best = max(found)
    if best <= 0:
        return found
    around = [0.0, *found, 0.0]
    scores = [
        score + _NEIGHBOUR_SHARE * max(around[index], around[index + 2]) for index, score in enumerate(found)
    ]
    scores[0] += _OPENING_BONUS * best
    return scores


def _with_meaning(scores: Sequence[float], cosines: Sequence[float | None]) -> list[float]:
    """Return scores in which the most similar window counts as much as the one with the best words."""
    known = [cosine for cosine in cosines if cosine is not None]
    low, spread = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0)
    if spread <= 0:
        return list(scores)
    best = max(scores) or 1.0
    return [
        (1 - _MEANING_SHARE) * score
        + (0.0 if cosine is None else _MEANING_SHARE * best * (cosine - low) / spread)
        for score, cosine in zip(scores, cosines, strict=True)
    ]


def _choose(windows: Sequence[tuple[int, int, int]], scores: Sequence[float], limit: int) -> set[int]:
    """Return the indices of the windows to keep, best first as far as they fit."""
    if not any(scores):
        order = list(range(len(windows)))
    else:
        least = max(scores) * _LEAST_SHARE
        ranked = sorted(range(len(windows)), key=lambda index: -scores[index])
        order = [index for index in ranked if scores[index] >= least]
    chosen: set[int] = set()
    for index in order:
        is_apart = bool(chosen) and chosen.isdisjoint((index - 1, index + 1))
        cost = windows[index][2] + (_JOIN_TOKENS if is_apart else 0)
        if cost <= limit:
            chosen.add(index)
            limit -= cost
        elif not any(scores):
            break
    return chosen
