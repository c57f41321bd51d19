"""Estimates token counts of texts for budgets; no tokenizer is downloaded."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

from desktop.domain.sources import Passage, Source, address_for_model
from desktop.text.sentences import split_sentences

_T = TypeVar("_T")

SOURCE_MARKUP_TOKENS = 40
"""The tokens of one source besides its text and title: tags and attributes."""

_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_LONGEST = "{1,60}"
"""The maximum length of a piece, a multiple of every token size; longer ones would fill the cache."""
_PIECE = re.compile(rf"[{_WIDE}]{_LONGEST}|[A-Za-z]{_LONGEST}|[0-9]{_LONGEST}|[^\W\d_]{_LONGEST}|\S|\n+")
_CHARS_PER_TOKEN = (
    (re.compile(f"[{_WIDE}]"), 1),
    (re.compile("[A-Za-z]"), 6),
    (re.compile("[0-9]"), 3),
    (re.compile(r"[^\W\d_]"), 2),
)
"""Characters per token, by the first character of a piece.

Any other piece, such as punctuation or line ends, counts as one token.
"""
_KNOWN_PIECES = 8_192
"""The size of each cache: words repeat often, and a look-up takes a tenth of the time of counting."""
_KNOWN_CHARS = 24
"""Longer runs without a space, as in Chinese, hardly repeat."""


def estimate_tokens(text: str) -> int:
    """Return the approximate number of tokens in `text`, rather too many than too few.

    One per Chinese character or punctuation mark, one per six Latin letters or part of them, one per three
    digits, one per two letters of other scripts.
    """
    words = text.split(" ")  # no piece contains a space
    return sum(_count_of_word(word) if len(word) <= _KNOWN_CHARS else _count(word) for word in words)


def within_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of `text` with at most `limit` tokens."""
    left = limit
    for match in _PIECE.finditer(text):
        cost = _cost(match.group())
        if cost > left:
            return text[: match.start() + left * _chars_per_token(match.group())]
        left -= cost
    return text


def whole_sentences(text: str, limit: int) -> str:
    """Return the first sentences of `text` that have at most `limit` tokens together."""
    end = 0
    for span in split_sentences(text):
        limit -= estimate_tokens(text[end : span.end])
        if limit < 0:
            break
        end = span.end
    return text[:end]


def beginning_within(text: str, limit: int) -> str:
    """Return the first sentences of `text` within `limit` tokens, or words if no sentence fits."""
    return whole_sentences(text, limit) or within_tokens(text, limit)


def take_within_budget(
    items: Iterable[_T], cost: Callable[[_T], int], budget: int, *, least: int = 0, skips: bool = False
) -> list[_T]:
    """Return the first items that cost at most `budget` together, and at least the first `least`.

    With `skips`, an item that does not fit is left out, and those after it are tried.
    """
    taken: list[_T] = []
    for item in items:
        left = budget - cost(item)
        if left >= 0 or len(taken) < least:
            taken.append(item)
            budget = left
        elif not skips:
            break
    return taken


def source_tokens(*parts: str) -> int:
    """Return the approximate number of tokens of a source in a request: its text and all its labels."""
    return sum(map(estimate_tokens, parts)) + SOURCE_MARKUP_TOKENS


def cost_of_source(source: Passage | Source) -> int:
    """Return the approximate number of tokens of a source in a request, including title, address and place."""
    return label_tokens(source) + estimate_tokens(source.text)


def label_tokens(source: Passage | Source) -> int:
    """Return the approximate number of tokens of a source without its text."""
    return source_tokens(source.title, address_for_model(source.kind, source.url), str(source.locator))


def _count(text: str) -> int:
    return sum(map(_cost, _PIECE.findall(text)))


_count_of_word = lru_cache(_KNOWN_PIECES)(_count)


@lru_cache(_KNOWN_PIECES)
def _cost(piece: str) -> int:
    chars = _chars_per_token(piece)
    return -(-len(piece) // chars) if chars else 1


def _chars_per_token(piece: str) -> int:
    return next((chars for begins, chars in _CHARS_PER_TOKEN if begins.match(piece)), 0)
