"""The passages of a text that answer a question, for pages that are longer than their room."""

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.text.bm25 import bm25_scores
from desktop.text.sentences import split_sentences
from desktop.text.tokens import estimate_tokens

WINDOW_TOKENS = 90
MAX_CHARS = 400_000
"""Longer texts are searched up to here: beyond it lie logs and whole books."""

_OPENING_BONUS = 0.15
"""Share of the best score that the opening gets: it says what the page is about."""
_NEIGHBOUR_SHARE = 0.25
"""Share of a neighbour's score that a window gets: an answer often stands beside the words asked for."""
_LEAST_SHARE = 0.12
"""Windows below this share of the best score do not answer; their room is handed back."""


@dataclass(frozen=True)
class ScoredSpan:
    """A stretch of a text, `text[start:end]`. Scores compare within one text only, higher is better."""

    start: int
    end: int
    score: float


def best_passages(text: str, queries: Sequence[str], *, limit_tokens: int) -> list[ScoredSpan]:
    """Return what of `text` answers any of `queries`, within the limit, in the order of the text.

    BM25 over windows of sentences; what stands side by side is joined. A text that fits is returned
    whole, one that holds none of the words is returned from its beginning.
    """
    windows = _windows(text[:MAX_CHARS])
    if not windows or limit_tokens <= 0:
        return []
    scores = _scores([text[start:end] for start, end, _ in windows], queries)
    if sum(tokens for _, _, tokens in windows) <= limit_tokens and len(text) <= MAX_CHARS:
        return [ScoredSpan(windows[0][0], windows[-1][1], max(scores))]
    chosen = _chosen(windows, scores, limit_tokens)
    if not chosen:
        start, _, tokens = windows[0]
        end = start + max(1, (windows[0][1] - start) * limit_tokens // max(1, tokens))
        return [ScoredSpan(start, min(end, windows[0][1]), scores[0])]
    return _joined(windows, scores, chosen)


def _windows(text: str) -> list[tuple[int, int, int]]:
    """Return (start, end, tokens) of runs of sentences; a run ends with its line once it is half full."""
    windows: list[tuple[int, int, int]] = []
    for sentence in split_sentences(text):
        tokens = estimate_tokens(text[sentence.start : sentence.end])
        if windows and windows[-1][2] + tokens <= _room(text, windows[-1], sentence.start):
            start, _, before = windows[-1]
            windows[-1] = (start, sentence.end, before + tokens)
        else:
            windows.append((sentence.start, sentence.end, tokens))
    return windows


def _room(text: str, window: tuple[int, int, int], next_start: int) -> int:
    starts_line = "\n" in text[window[1] : next_start]
    return 0 if starts_line and window[2] * 2 > WINDOW_TOKENS else WINDOW_TOKENS


def _scores(texts: Sequence[str], queries: Sequence[str]) -> list[float]:
    """Return how well each text answers the queries, taken as one: what several ask for counts more."""
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


def _chosen(windows: Sequence[tuple[int, int, int]], scores: Sequence[float], limit: int) -> list[int]:
    """Return the indices of the windows to keep, the best first as far as they fit."""
    if not any(scores):
        order = list(range(len(windows)))
    else:
        least = max(scores) * _LEAST_SHARE
        ranked = sorted(range(len(windows)), key=lambda index: -scores[index])
        order = [index for index in ranked if scores[index] >= least]
    chosen: list[int] = []
    for index in order:
        if windows[index][2] <= limit:
            chosen.append(index)
            limit -= windows[index][2]
        elif not any(scores):
            break
    return sorted(chosen)


def _joined(
    windows: Sequence[tuple[int, int, int]], scores: Sequence[float], chosen: Sequence[int]
) -> list[ScoredSpan]:
    spans: list[ScoredSpan] = []
    last = -2
    for index in chosen:
        start, end, _ = windows[index]
        if index == last + 1:
            spans[-1] = ScoredSpan(spans[-1].start, end, max(spans[-1].score, scores[index]))
        else:
            spans.append(ScoredSpan(start, end, scores[index]))
        last = index
    return spans
